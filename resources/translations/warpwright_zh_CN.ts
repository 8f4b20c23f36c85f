<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Correctness</name>
    <message>
        <source>All checks passed</source>
        <translation>全部检查通过</translation>
    </message>
    <message numerus="yes">
        <source>%n comparison(s) passed</source>
        <translation>
            <numerusform>%n 项比对通过</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n comparison(s) made, at least one failed</source>
        <translation>
            <numerusform>共 %n 项比对，至少一项未通过</numerusform>
        </translation>
    </message>
    <message>
        <source>Worst relative error %1</source>
        <translation>最大相对误差 %1</translation>
    </message>
    <message>
        <source>Worst relative error %1 at %2</source>
        <translation>最大相对误差 %1，位于 %2</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 分 %2 秒</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分</translation>
    </message>
    <message>
        <source>Correct</source>
        <translation>结果正确</translation>
    </message>
    <message>
        <source>Does not compile</source>
        <translation>编译失败</translation>
    </message>
    <message>
        <source>Compiling took too long</source>
        <translation>编译超时</translation>
    </message>
    <message>
        <source>Asks for more than the device has</source>
        <translation>所需资源超出设备上限</translation>
    </message>
    <message>
        <source>Cannot be launched</source>
        <translation>无法启动</translation>
    </message>
    <message>
        <source>Failed while running</source>
        <translation>运行时出错</translation>
    </message>
    <message>
        <source>Ran past its deadline</source>
        <translation>运行超时</translation>
    </message>
    <message>
        <source>Ran out of memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>Wrong result</source>
        <translation>结果错误</translation>
    </message>
    <message>
        <source>Result changes from run to run</source>
        <translation>每次运行结果不一致</translation>
    </message>
    <message>
        <source>Could not be timed steadily</source>
        <translation>计时不稳定</translation>
    </message>
    <message>
        <source>Suspected of skipping work</source>
        <translation>疑似跳过计算</translation>
    </message>
    <message>
        <source>The worker process was lost</source>
        <translation>工作进程丢失</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Faster than the baseline</source>
        <translation>比基线快</translation>
    </message>
    <message>
        <source>Slower than the baseline</source>
        <translation>比基线慢</translation>
    </message>
    <message>
        <source>As fast as the baseline</source>
        <translation>与基线持平</translation>
    </message>
    <message>
        <source>Too close to the baseline to tell</source>
        <translation>与基线过于接近，无法判定</translation>
    </message>
    <message>
        <source>This cannot be used</source>
        <translation>无法使用</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Cannot be read or written</source>
        <translation>无法读取或写入</translation>
    </message>
    <message>
        <source>The text cannot be understood</source>
        <translation>文本无法解析</translation>
    </message>
    <message>
        <source>The spec does not make sense</source>
        <translation>规格说明有误</translation>
    </message>
    <message>
        <source>An expression cannot be evaluated</source>
        <translation>表达式无法求值</translation>
    </message>
    <message>
        <source>No valid configuration is left</source>
        <translation>没有可用的有效配置</translation>
    </message>
    <message>
        <source>This device cannot run the kernel</source>
        <translation>该设备无法运行此内核</translation>
    </message>
    <message>
        <source>Something is missing on this machine</source>
        <translation>本机缺少必要组件</translation>
    </message>
    <message>
        <source>No sandbox</source>
        <translation>没有沙箱</translation>
    </message>
    <message>
        <source>A worker process failed</source>
        <translation>工作进程出错</translation>
    </message>
    <message>
        <source>The trial log is in use</source>
        <translation>试验日志正被占用</translation>
    </message>
    <message>
        <source>The trial log is damaged</source>
        <translation>试验日志已损坏</translation>
    </message>
    <message>
        <source>The trial log is newer than this program</source>
        <translation>试验日志的版本比本程序新</translation>
    </message>
    <message>
        <source>The trial log failed</source>
        <translation>试验日志出错</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Internal error</source>
        <translation>内部错误</translation>
    </message>
    <message>
        <source>pin %1</source>
        <translation>固定 %1</translation>
    </message>
    <message>
        <source>unpin %1</source>
        <translation>取消固定 %1</translation>
    </message>
    <message>
        <source>ban %1</source>
        <translation>禁用 %1</translation>
    </message>
    <message>
        <source>unban %1</source>
        <translation>解除禁用 %1</translation>
    </message>
    <message>
        <source>pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>finalists</source>
        <translation>决选</translation>
    </message>
    <message>
        <source>policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>own try</source>
        <translation>手动试验</translation>
    </message>
    <message>
        <source>stop</source>
        <translation>停止</translation>
    </message>
</context>
<context>
    <name>ww::ui::Banner</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>ww::ui::BestFigure</name>
    <message>
        <source>best ratio</source>
        <translation>最佳加速比</translation>
    </message>
    <message>
        <source>no correct trial yet</source>
        <translation>尚无正确的试验</translation>
    </message>
    <message>
        <source>verified best</source>
        <translation>已验证的最佳</translation>
    </message>
    <message>
        <source>best so far</source>
        <translation>目前最佳</translation>
    </message>
    <message>
        <source>trial %1</source>
        <translation>试验 %1</translation>
    </message>
    <message>
        <source>Baseline time divided by this configuration&apos;s time, with its 95 % interval.</source>
        <translation>基线时间除以该配置的时间，附 95 % 置信区间。</translation>
    </message>
    <message>
        <source>Median time %1</source>
        <translation>中位时间 %1</translation>
    </message>
    <message>
        <source>Measured again in a fresh process, interleaved with the baseline.</source>
        <translation>已在新进程中与基线交错重新测量。</translation>
    </message>
    <message>
        <source>Will be measured again in a fresh process when the session ends.</source>
        <translation>会话结束时将在新进程中重新测量。</translation>
    </message>
</context>
<context>
    <name>ww::ui::ConstraintList</name>
    <message>
        <source>Constraints</source>
        <translation>约束</translation>
    </message>
    <message>
        <source>combinations refused</source>
        <translation>拒绝的组合数</translation>
    </message>
</context>
<context>
    <name>ww::ui::HeaderBar</name>
    <message>
        <source>Differences smaller than this are noise: an A/A run of the baseline against itself</source>
        <translation>小于此值的差异视为噪声：由基线与自身的 A/A 对比测得</translation>
    </message>
    <message>
        <source>The workload that is tuned</source>
        <translation>正在调优的工作负载</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Where candidates are run and timed</source>
        <translation>候选内核在此运行并计时</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>What the reward weighs; the final ranking is by verified time</source>
        <translation>奖励的权衡方式；最终排名以验证后的时间为准</translation>
    </message>
    <message>
        <source>composite</source>
        <translation>综合</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>The first CUDA GPU, else the CPU</source>
        <translation>首个 CUDA GPU，没有则用 CPU</translation>
    </message>
    <message>
        <source>finalists</source>
        <translation>决选</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>noise floor %1 %</source>
        <translation>噪声底 %1 %</translation>
    </message>
</context>
<context>
    <name>ww::ui::IntervalBar</name>
    <message>
        <source>Times of candidate and baseline</source>
        <translation>候选与基线的时间</translation>
    </message>
    <message>
        <source>this trial</source>
        <translation>本次试验</translation>
    </message>
    <message>
        <source>baseline</source>
        <translation>基线</translation>
    </message>
</context>
<context>
    <name>ww::ui::MainWindow</name>
    <message>
        <source>Warpwright</source>
        <translation>Warpwright</translation>
    </message>
    <message>
        <source>Search space</source>
        <translation>搜索空间</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>试验</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>源码</translation>
    </message>
    <message>
        <source>Trial</source>
        <translation>试验详情</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>加速比</translation>
    </message>
    <message>
        <source>Reward parts</source>
        <translation>奖励构成</translation>
    </message>
    <message>
        <source>Diff to original</source>
        <translation>与原始代码的差异</translation>
    </message>
    <message>
        <source>%1 – Warpwright</source>
        <translation>%1 – Warpwright</translation>
    </message>
    <message>
        <source>Assumed</source>
        <translation>采用的假设</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>The session is being saved; the window closes by itself.</source>
        <translation>正在保存会话，窗口随后自动关闭。</translation>
    </message>
    <message>
        <source>Open a kernel…</source>
        <translation>打开内核…</translation>
    </message>
    <message>
        <source>Open a spec or a kernel&apos;s source</source>
        <translation>打开规格文件或内核源码</translation>
    </message>
    <message>
        <source>Stored sessions…</source>
        <translation>已存会话…</translation>
    </message>
    <message>
        <source>Look at a stored session in the same views</source>
        <translation>在相同的视图中查看已存会话</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Start tuning</source>
        <translation>开始调优</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>Run one trial, then pause</source>
        <translation>运行一次试验后暂停</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop and save; the session can be resumed</source>
        <translation>停止并保存；会话可以恢复</translation>
    </message>
    <message>
        <source>Follow the newest trial</source>
        <translation>跟随最新试验</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Quit; a running session is stopped and saved</source>
        <translation>退出；正在运行的会话会停止并保存</translation>
    </message>
    <message>
        <source>Recent kernels</source>
        <translation>最近打开的内核</translation>
    </message>
    <message>
        <source>None yet</source>
        <translation>暂无</translation>
    </message>
    <message>
        <source>Bundled kernels</source>
        <translation>自带内核</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Reset the layout</source>
        <translation>重置布局</translation>
    </message>
    <message>
        <source>System colours</source>
        <translation>跟随系统配色</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>The language changes at the next start.</source>
        <translation>语言将在下次启动时切换。</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Pause after the running trial</source>
        <translation>当前试验结束后暂停</translation>
    </message>
    <message>
        <source>Go on tuning</source>
        <translation>继续调优</translation>
    </message>
    <message>
        <source>Open a kernel</source>
        <translation>打开内核</translation>
    </message>
    <message>
        <source>Kernels and specs (*.cu *.cuh *.json)</source>
        <translation>内核与规格 (*.cu *.cuh *.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Open a database</source>
        <translation>打开数据库</translation>
    </message>
    <message>
        <source>Trial logs (*.db *.sqlite)</source>
        <translation>试验日志 (*.db *.sqlite)</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
</context>
<context>
    <name>ww::ui::ParameterRow</name>
    <message>
        <source>pinned to %1</source>
        <translation>已固定为 %1</translation>
    </message>
    <message>
        <source>Median time of the trials with it: %1</source>
        <translation>取该值的试验的中位时间：%1</translation>
    </message>
    <message>
        <source>No correct trial with it yet</source>
        <translation>尚无取该值的正确试验</translation>
    </message>
    <message>
        <source>Click pins, Alt+click bans (Space, Delete)</source>
        <translation>单击固定，Alt+单击禁用（空格键、Delete 键）</translation>
    </message>
</context>
<context>
    <name>ww::ui::ProgressPanel</name>
    <message>
        <source>Budget in trials</source>
        <translation>试验预算</translation>
    </message>
    <message>
        <source>Trials this session may take in all; may be changed while it runs</source>
        <translation>本会话允许的试验总数；运行中可修改</translation>
    </message>
    <message>
        <source>%1 of</source>
        <translation>%1 /</translation>
    </message>
    <message>
        <source>trials</source>
        <translation>次试验</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>%1 of %2 trials</source>
        <translation>%1 / %2 次试验</translation>
    </message>
</context>
<context>
    <name>ww::ui::RatioPlot</name>
    <message>
        <source>Ratio to the baseline per trial</source>
        <translation>每次试验相对基线的加速比</translation>
    </message>
    <message>
        <source>baseline</source>
        <translation>基线</translation>
    </message>
    <message>
        <source>trial</source>
        <translation>试验</translation>
    </message>
    <message>
        <source>%1 trials, %2 failed, best ratio %3</source>
        <translation>%1 次试验，%2 次失败，最佳加速比 %3</translation>
    </message>
</context>
<context>
    <name>ww::ui::RewardPlot</name>
    <message>
        <source>Reward and its parts per trial</source>
        <translation>每次试验的奖励及其构成</translation>
    </message>
    <message>
        <source>reward</source>
        <translation>奖励</translation>
    </message>
    <message>
        <source>speed part</source>
        <translation>速度项</translation>
    </message>
    <message>
        <source>roof part</source>
        <translation>屋顶项</translation>
    </message>
    <message>
        <source>correctness part</source>
        <translation>正确性项</translation>
    </message>
    <message>
        <source>failed (penalty)</source>
        <translation>失败（惩罚）</translation>
    </message>
    <message>
        <source>trial</source>
        <translation>试验</translation>
    </message>
</context>
<context>
    <name>ww::ui::SessionsDialog</name>
    <message>
        <source>Stored sessions</source>
        <translation>已存会话</translation>
    </message>
    <message>
        <source>Stored sessions, newest first</source>
        <translation>已存会话，最新的在前</translation>
    </message>
    <message>
        <source>Open session</source>
        <translation>打开会话</translation>
    </message>
    <message>
        <source>Other database…</source>
        <translation>其他数据库…</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>正在读取 %1…</translation>
    </message>
    <message>
        <source>%1 holds no session yet. Tune a kernel, and it appears here.</source>
        <translation>%1 中还没有会话。调优一个内核后会显示在这里。</translation>
    </message>
</context>
<context>
    <name>ww::ui::SessionsModel</name>
    <message>
        <source>kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>trials</source>
        <translation>次试验</translation>
    </message>
    <message>
        <source>best</source>
        <translation>最佳</translation>
    </message>
    <message>
        <source>status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>started (UTC)</source>
        <translation>开始时间 (UTC)</translation>
    </message>
</context>
<context>
    <name>ww::ui::SourceView</name>
    <message>
        <source>Kernel source</source>
        <translation>内核源码</translation>
    </message>
    <message>
        <source>Difference of the shown trial to the original</source>
        <translation>所示试验与原始代码的差异</translation>
    </message>
    <message>
        <source>now %1</source>
        <translation>当前 %1</translation>
    </message>
    <message>
        <source>as written</source>
        <translation>同原文</translation>
    </message>
    <message>
        <source>best %1</source>
        <translation>最佳 %1</translation>
    </message>
    <message>
        <source>The difference of a trial to the original appears here once one runs.</source>
        <translation>试验开始运行后，这里显示它与原始代码的差异。</translation>
    </message>
    <message>
        <source>This trial runs the original as it is written.</source>
        <translation>本次试验原样运行原始代码。</translation>
    </message>
    <message>
        <source>this trial</source>
        <translation>本次试验</translation>
    </message>
</context>
<context>
    <name>ww::ui::SpaceView</name>
    <message>
        <source>%1 combinations</source>
        <translation>%1 种组合</translation>
    </message>
    <message>
        <source>%1 valid</source>
        <translation>%1 种有效</translation>
    </message>
    <message>
        <source>about %1 valid</source>
        <translation>约 %1 种有效</translation>
    </message>
    <message>
        <source>%1 tried</source>
        <translation>已试 %1 种</translation>
    </message>
</context>
<context>
    <name>ww::ui::StartPage</name>
    <message>
        <source>Make a GPU kernel faster, and see why</source>
        <translation>让 GPU 内核更快，并看清原因</translation>
    </message>
    <message>
        <source>Warpwright compiles variants of a kernel in a sandbox, checks each result, times it against the original on this machine, and learns which settings pay. Nothing of your file is changed.</source>
        <translation>Warpwright 在沙箱中编译内核的各种变体，检查每个结果，在本机上与原始内核对比计时，并学习哪些设置有效。您的文件不会被改动。</translation>
    </message>
    <message>
        <source>Tune %1</source>
        <translation>调优 %1</translation>
    </message>
    <message>
        <source>Open a kernel…</source>
        <translation>打开内核…</translation>
    </message>
    <message>
        <source>Look at a stored session…</source>
        <translation>查看已存会话…</translation>
    </message>
    <message>
        <source>Kernels that come with it</source>
        <translation>自带的内核</translation>
    </message>
</context>
<context>
    <name>ww::ui::StatusStrip</name>
    <message>
        <source>%1 trials/min</source>
        <translation>%1 次试验/分</translation>
    </message>
    <message>
        <source>device %1</source>
        <translation>设备 %1</translation>
    </message>
    <message>
        <source>compile %1</source>
        <translation>编译 %1</translation>
    </message>
    <message>
        <source>noise floor %1 %</source>
        <translation>噪声底 %1 %</translation>
    </message>
    <message>
        <source>● sandbox on</source>
        <translation>● 沙箱已启用</translation>
    </message>
    <message>
        <source>✕ no sandbox</source>
        <translation>✕ 没有沙箱</translation>
    </message>
    <message>
        <source>✕ no sandbox: %1</source>
        <translation>✕ 没有沙箱：%1</translation>
    </message>
    <message>
        <source>Stored session %1, %2</source>
        <translation>已存会话 %1，%2</translation>
    </message>
    <message>
        <source>Starting the workers</source>
        <translation>正在启动工作进程</translation>
    </message>
    <message>
        <source>Measuring the baseline</source>
        <translation>正在测量基线</translation>
    </message>
    <message>
        <source>Choosing the next configuration</source>
        <translation>正在选择下一个配置</translation>
    </message>
    <message>
        <source>Trial %1: compiling</source>
        <translation>试验 %1：编译中</translation>
    </message>
    <message>
        <source>Trial %1: checking the result</source>
        <translation>试验 %1：检查结果</translation>
    </message>
    <message>
        <source>Trial %1: timing</source>
        <translation>试验 %1：计时中</translation>
    </message>
    <message>
        <source>Trial %1: learning</source>
        <translation>试验 %1：学习中</translation>
    </message>
    <message>
        <source>Trial %1: storing</source>
        <translation>试验 %1：存储中</translation>
    </message>
    <message>
        <source>Measuring the best again in a fresh process</source>
        <translation>正在新进程中重新测量最佳配置</translation>
    </message>
    <message>
        <source>The session failed; its trials are stored</source>
        <translation>会话失败；已完成的试验均已保存</translation>
    </message>
    <message>
        <source>Stopped and saved; it can be resumed</source>
        <translation>已停止并保存；可以恢复</translation>
    </message>
    <message>
        <source>Finished and saved</source>
        <translation>已完成并保存</translation>
    </message>
    <message>
        <source>Ready. Start tunes this kernel; pins and bans may be set while it runs.</source>
        <translation>就绪。点击“开始”即可调优此内核；运行时可固定或禁用取值。</translation>
    </message>
</context>
<context>
    <name>ww::ui::TrialView</name>
    <message>
        <source>Cause</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Unknown: the message above is all there is.</source>
        <translation>未知：上面的信息就是全部内容。</translation>
    </message>
    <message>
        <source>%1, line %2</source>
        <translation>%1，第 %2 行</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>Where the seconds went</source>
        <translation>时间花在哪里</translation>
    </message>
    <message>
        <source>Correctness</source>
        <translation>正确性</translation>
    </message>
    <message>
        <source>Compiler&apos;s report</source>
        <translation>编译器报告</translation>
    </message>
    <message>
        <source>The newest trial, or the one you select in the table, is explained here.</source>
        <translation>这里解释最新的试验，或您在表中选中的试验。</translation>
    </message>
    <message>
        <source>Trial</source>
        <translation>试验详情</translation>
    </message>
    <message>
        <source>newest</source>
        <translation>最新</translation>
    </message>
    <message>
        <source>Trial %1</source>
        <translation>试验 %1</translation>
    </message>
    <message>
        <source>the baseline</source>
        <translation>基线</translation>
    </message>
    <message>
        <source>best so far</source>
        <translation>目前最佳</translation>
    </message>
    <message>
        <source>The baseline: your kernel as it is</source>
        <translation>基线：您的内核原样</translation>
    </message>
    <message>
        <source>Ratio to the baseline %1 (95 %).</source>
        <translation>相对基线的加速比 %1（95 %）。</translation>
    </message>
    <message>
        <source>Same object code as trial %1: its measurement is shared.</source>
        <translation>目标代码与试验 %1 相同：共用其测量结果。</translation>
    </message>
    <message>
        <source>Propose</source>
        <translation>提议</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>编译</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Bench</source>
        <translation>计时</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>剖析</translation>
    </message>
    <message>
        <source>Registers per thread</source>
        <translation>每线程寄存器</translation>
    </message>
    <message>
        <source>Shared memory</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>Stack</source>
        <translation>栈</translation>
    </message>
    <message>
        <source>Spilled, stores</source>
        <translation>溢出（存储）</translation>
    </message>
    <message>
        <source>Spilled, loads</source>
        <translation>溢出（加载）</translation>
    </message>
    <message>
        <source>Constant memory</source>
        <translation>常量内存</translation>
    </message>
    <message>
        <source>Object</source>
        <translation>目标文件</translation>
    </message>
</context>
<context>
    <name>ww::ui::TrialsModel</name>
    <message>
        <source>No time: %1</source>
        <translation>没有时间：%1</translation>
    </message>
    <message>
        <source>Median of the candidate&apos;s launches, with half of its 95 % interval</source>
        <translation>候选内核各次启动的中位时间，附 95 % 置信区间的半宽</translation>
    </message>
    <message>
        <source>Baseline time / this time, 95 % interval %1</source>
        <translation>基线时间 / 本次时间，95 % 置信区间 %1</translation>
    </message>
    <message>
        <source>No ratio: %1</source>
        <translation>没有加速比：%1</translation>
    </message>
    <message>
        <source>No reward: the policy does not learn from this trial</source>
        <translation>没有奖励：策略不从此试验学习</translation>
    </message>
    <message>
        <source>configuration</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>interval</source>
        <translation>区间</translation>
    </message>
    <message>
        <source>ratio</source>
        <translation>加速比</translation>
    </message>
    <message>
        <source>reward</source>
        <translation>奖励</translation>
    </message>
</context>
<context>
    <name>ww::ui::TrialsView</name>
    <message>
        <source>Trials, newest first</source>
        <translation>试验，最新的在前</translation>
    </message>
    <message>
        <source>Trials appear here, the newest first, once tuning runs.</source>
        <translation>调优开始后，试验会显示在这里，最新的在前。</translation>
    </message>
    <message>
        <source>Copy configuration</source>
        <translation>复制配置</translation>
    </message>
    <message>
        <source>Try this configuration next</source>
        <translation>下一步试验此配置</translation>
    </message>
    <message>
        <source>%1 correct</source>
        <translation>正确 %1</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>失败 %1</translation>
    </message>
</context>
<context>
    <name>ww::ui::ValueChip</name>
    <message>
        <source>pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>banned</source>
        <translation>已禁用</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>best</source>
        <translation>最佳</translation>
    </message>
    <message>
        <source>probability %1 %</source>
        <translation>概率 %1 %</translation>
    </message>
</context>
</TS>
