// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QCoreApplication>
#include <cmath>
#include <limits>
#include <map>

#include "profile/analysis.h"
#include "profile/sass.h"
#include "result_test.h"
#include "sandbox/counter_permission.h"

using namespace ww;
using namespace ww::profile;

namespace {

using Counters = QList<std::pair<const char*, double>>;

device::DeviceFacts gpu(int ccMajor, int ccMinor, std::int64_t sharedPerProcessor, std::int64_t optin, std::int64_t threads = 2048, std::int64_t blocks = 32) {
    device::DeviceFacts facts;
    facts.kind = device::DeviceKind::Cuda;
    facts.ccMajor = ccMajor;
    facts.ccMinor = ccMinor;
    facts.processors = 132;
    facts.maxThreadsPerProcessor = threads;
    facts.maxBlocksPerProcessor = blocks;
    facts.sharedPerProcessor = sharedPerProcessor;
    facts.sharedPerBlockOptin = optin;
    facts.clockKHz = 1'980'000;
    facts.memoryClockKHz = 3'201'000;
    facts.memoryBusBits = 6144;
    return facts;
}
device::DeviceFacts hopper() { return gpu(9, 0, 233'472, 232'448); }

/// An observation of a kernel with plenty of blocks.
Observation observed(std::initializer_list<std::pair<const char*, double>> counters) {
    Observation observation;
    observation.device = hopper();
    observation.shape = {{132 * 64, 1, 1}, {256, 1, 1}, 0};
    observation.function.registers = 32;
    observation.function.staticSharedBytes = 0;
    for (const auto& [id, value] : counters) {
        const Metric* metric = findMetric(id);
        observation.measured.put(id, value, metric != nullptr ? std::string(metric->unit) : "1", Rung::Counters);
    }
    return observation;
}

QStringList idsOf(const Profile& profile) {
    QStringList ids;
    for (const auto& bottleneck : profile.bottlenecks) ids << QString::fromStdString(bottleneck.what.id);
    return ids;
}

}  // namespace

class TestProfileAnalysis : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void occupancy_data() {
        QTest::addColumn<int>("chip");  // compute capability
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("registers");
        QTest::addColumn<int>("shared");
        QTest::addColumn<int>("blocks");
        QTest::addColumn<double>("percent");
        QTest::addColumn<QString>("limiter");
        const auto row = [](const char* name, int chip, int threads, int registers, int shared, int blocks, double percent, const char* limiter) {
            QTest::newRow(name) << chip << threads << registers << shared << blocks << percent << QString(limiter);
        };
        row("9.0 full", 90, 256, 32, 0, 8, 100, "warps");
        row("9.0 half by registers", 90, 256, 64, 0, 4, 50, "registers");
        row("9.0 quarter by registers", 90, 256, 128, 0, 2, 25, "registers");
        row("9.0 granule of registers", 90, 1024, 33, 0, 1, 50, "registers");  // 40 a thread in effect: 48 warps, one block of 32
        row("9.0 odd registers", 90, 128, 168, 0, 3, 18.75, "registers");
        row("9.0 most registers", 90, 256, 255, 0, 1, 12.5, "registers");
        row("9.0 too many for a block", 90, 1024, 255, 0, 0, 0, "registers");
        row("9.0 shared", 90, 256, 32, 100 * 1024, 2, 25, "shared memory");
        row("9.0 shared, the most", 90, 256, 32, 227 * 1024, 1, 12.5, "shared memory");
        row("9.0 shared, too much", 90, 256, 32, 228 * 1024, 0, 0, "shared memory");
        row("9.0 the reserved KiB counts", 90, 128, 32, 113 * 1024, 2, 12.5, "shared memory");
        row("9.0 the reserved KiB breaks it", 90, 128, 32, 113 * 1024 + 128, 1, 6.25, "shared memory");
        row("9.0 small blocks", 90, 32, 32, 0, 32, 50, "blocks");
        row("9.0 part of a warp", 90, 48, 32, 0, 32, 100, "warps");
        row("8.0 shared", 80, 256, 32, 48 * 1024, 3, 37.5, "shared memory");
        row("8.6 fewer warps", 86, 256, 32, 0, 6, 100, "warps");
        row("8.6 blocks", 86, 64, 32, 0, 16, 200.0 / 3, "blocks");
        row("8.9 registers", 89, 256, 96, 0, 2, 100.0 / 3, "registers");
        row("7.5 full", 75, 256, 64, 0, 4, 100, "warps");
        row("7.5 shared", 75, 256, 32, 32 * 1024, 2, 50, "shared memory");
        row("7.0 nothing reserved", 70, 128, 32, 32 * 1024, 3, 18.75, "shared memory");
    }
    void occupancy() {
        QFETCH(int, chip);
        QFETCH(int, threads);
        QFETCH(int, registers);
        QFETCH(int, shared);
        QFETCH(int, blocks);
        QFETCH(double, percent);
        QFETCH(QString, limiter);
        const std::map<int, device::DeviceFacts> chips{{70, gpu(7, 0, 98'304, 98'304)},
                                                       {75, gpu(7, 5, 65'536, 65'536, 1024, 16)},
                                                       {80, gpu(8, 0, 167'936, 166'912)},
                                                       {86, gpu(8, 6, 102'400, 101'376, 1536, 16)},
                                                       {89, gpu(8, 9, 102'400, 101'376, 1536, 24)},
                                                       {90, hopper()}};
        const auto found = theoreticalOccupancy(chips.at(chip), {threads, registers, shared});
        QCOMPARE(static_cast<int>(found.blocks), blocks);
        QVERIFY2(std::abs(100 * found.fraction() - percent) < 1e-9, qPrintable(QString::number(100 * found.fraction())));
        QCOMPARE(QString::fromStdString(std::string(toString(found.limiter))), limiter);
    }

    void theDriversCountOfBlocksWins() {
        auto observation = observed({});
        observation.function.activeBlocksPerProcessor = 6;
        const auto profile = analyse(observation);
        QCOMPARE(static_cast<int>(profile.occupancy->blocks), 6);
        QCOMPARE(*profile.values.get("theoretical_occupancy_pct"), 75.0);
        QVERIFY(profile.values.find("theoretical_occupancy_pct")->rung == Rung::Computed);
    }

    void bottlenecks_data() {
        QTest::addColumn<Counters>("counters");
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, const Counters& counters, const char* first, const char* sentence) {
            QTest::newRow(name) << counters << QString(first) << QString(sentence);
        };
        row("memory", {{"dram_pct", 91.2}, {"issue_pct", 12}, {"dram_bytes", 4e9}, {"time_ns", 1e6}}, "memory-bound", "Memory bound: DRAM works at 91 % of its peak (4.0 TB/s).");
        row("compute", {{"dram_pct", 20}, {"issue_pct", 81}, {"time_ns", 1e6}}, "compute-bound", "Compute bound: the multiprocessors work at 81 % of their peak; issue slots 81 %.");
        row("tensor", {{"dram_pct", 20}, {"issue_pct", 20}, {"sm_pct", 70}, {"tensor_pct", 72}, {"time_ns", 1e6}}, "compute-bound", "tensor pipe 72 %");
        row("latency", {{"dram_pct", 20}, {"issue_pct", 15}, {"occupancy_pct", 30}, {"time_ns", 1e6}, {"stall_long_scoreboard", 6}, {"stall_wait", 2}, {"stall_selected", 1}},
            "latency-bound", "Latency bound: neither computing (15 %) nor DRAM (20 %) is near its peak; 30 % of the warps are resident; 75 % of the waiting is long_scoreboard.");
        row("cache", {{"dram_pct", 20}, {"issue_pct", 40}, {"l1_pct", 30}, {"l2_pct", 88}, {"l2_hit_pct", 97}, {"time_ns", 1e6}}, "cache-bound", "L2 works at 88 % of its peak with 97 % of hits");
        row("bank conflicts", {{"bank_conflicts", 3e6}, {"shared_wavefronts", 4e6}}, "bank-conflicts", "75 % of the shared-memory wavefronts are repeats (3000000 of 4000000)");
        row("few conflicts", {{"bank_conflicts", 1e5}, {"shared_wavefronts", 4e6}}, "", "");
        row("no shared memory", {{"bank_conflicts", 0}, {"shared_wavefronts", 0}}, "", "");
        row("uncoalesced", {{"load_bytes_per_sector", 4}, {"store_bytes_per_sector", 32}, {"load_sectors_per_request", 32}}, "uncoalesced",
            "a global load uses 4.0 of the 32 bytes of each sector (12 %); one request touches 32.0 sectors");
        row("uncoalesced store", {{"load_bytes_per_sector", 32}, {"store_bytes_per_sector", 8}}, "uncoalesced", "a global store uses 8.0");
        row("coalesced", {{"load_bytes_per_sector", 31.8}, {"store_bytes_per_sector", 32}}, "", "");
        row("divergent", {{"threads_per_instruction", 9.5}, {"uniform_branch_pct", 60}}, "divergence", "9.5 of 32 threads are active per instruction on average; 40 % of the branches diverge");
        row("barriers", {{"stall_barrier", 3}, {"stall_wait", 1}}, "barrier-bound", "75 % of the waiting is at __syncthreads()");
        row("launch", {{"time_ns", 2400}}, "launch-bound", "the kernel takes 2.40 us");
        row("nothing known", {}, "", "");
    }
    void bottlenecks() {
        QFETCH(Counters, counters);
        QFETCH(QString, first);
        QFETCH(QString, sentence);
        auto observation = observed({});
        for (const auto& [id, value] : counters) observation.measured.put(id, value, "1", Rung::Counters);
        const auto profile = analyse(observation);
        QCOMPARE(profile.bottlenecks.empty() ? QString() : idsOf(profile).front(), first);
        if (first.isEmpty()) return;
        const auto text = bottleneckCatalogue().text(profile.bottlenecks.front().what, diagnose::Language::English);
        QVERIFY2(text.cause.find(sentence.toStdString()) != std::string::npos, text.cause.c_str());
        QVERIFY(!text.remedy.empty());
        const auto chinese = bottleneckCatalogue().text(profile.bottlenecks.front().what, diagnose::Language::Chinese);
        QVERIFY2(!chinese.cause.empty() && chinese.cause.find('{') == std::string::npos && chinese.cause.find('[') == std::string::npos, chinese.cause.c_str());
    }

    void shapesAndAttributesAreEnoughForSome() {
        auto observation = observed({{"dram_pct", 20}, {"issue_pct", 15}});
        observation.function.registers = 200;
        QVERIFY(idsOf(analyse(observation)).contains("register-limited"));
        observation.function.registers = 32;
        observation.shape.dynamicSharedBytes = 120'000;
        QVERIFY(idsOf(analyse(observation)).contains("shared-memory-limited"));
        observation.shape.dynamicSharedBytes = 0;
        observation.shape.block = {16, 1, 1};
        observation.shape.grid = {132 * 1000, 1, 1};
        QVERIFY(!idsOf(analyse(observation)).contains("block-limited"));  // exactly half
        observation.device.maxBlocksPerProcessor = 24;
        QVERIFY(idsOf(analyse(observation)).contains("block-limited"));
        observation = observed({});
        observation.compiled.spillStoreBytes = 128;
        QVERIFY(idsOf(analyse(observation)).contains("register-spills"));
        observation = observed({});
        observation.shape.grid = {33, 1, 1};
        QCOMPARE(idsOf(analyse(observation)), QStringList{"grid-too-small"});
        observation.shape.grid = {132 * 8 + 66, 1, 1};  // eight blocks fit: one wave and a bit
        QCOMPARE(idsOf(analyse(observation)), QStringList{"tail-effect"});
        observation.shape.grid = {132 * 8 * 2, 1, 1};
        QVERIFY(idsOf(analyse(observation)).isEmpty());
    }

    void aBusyKernelHasWarpsEnough() {
        auto observation = observed({{"dram_pct", 90}, {"issue_pct", 15}});
        observation.function.registers = 200;
        QVERIFY(!idsOf(analyse(observation)).contains("register-limited"));
    }

    void rooflineFromCounters() {
        // 1e9 fma in 1 ms over 1e6 bytes: 2 flop each.
        const auto profile = analyse(observed({{"time_ns", 1e6}, {"dram_bytes", 1e6}, {"sm_clock_hz", 1.7e9}, {"inst_fadd", 0}, {"inst_fmul", 0}, {"inst_ffma", 1e9},
                                               {"peak_ffma", 16'896}, {"peak_dram", 1500}, {"dram_clock_hz", 3.2e9}}));
        QVERIFY(profile.roofline.has_value());
        QCOMPARE(QString::fromStdString(profile.roofline->precision), QString("fp32"));
        QCOMPARE(profile.roofline->flops, 2e9);
        QCOMPARE(profile.roofline->intensity(), 2000.0);
        QCOMPARE(profile.roofline->achievedFlops(), 2e12);
        QCOMPARE(profile.roofline->peakBandwidth, 4.8e12);
        QCOMPARE(profile.roofline->peakFlops, 2 * 16'896 * 1.7e9);
        QVERIFY(!profile.roofline->underMemoryRoof());
        QVERIFY(profile.roofline->rung == Rung::Counters);
        QVERIFY(std::abs(profile.roofline->ofRoof() - 2e12 / (2 * 16'896 * 1.7e9)) < 1e-12);
    }

    void rooflineFromDeclaredWork() {
        auto observation = observed({});
        observation.timeNs = 1e6;
        observation.work = {2.4e9, 1e9};
        observation.noCounters = "the driver gives hardware counters to administrators only";
        const auto profile = analyse(observation);
        QVERIFY(profile.roofline.has_value());
        QVERIFY(profile.roofline->rung == Rung::Estimate);
        QVERIFY(profile.rung == Rung::Estimate);
        QCOMPARE(*profile.values.get("estimated_bandwidth"), 2.4e12);
        // 2 x 3201 MHz x 6144 bits / 8 = 4.917 TB/s
        QVERIFY(std::abs(*profile.values.get("estimated_bandwidth_pct") - 48.81) < 0.01);
        QVERIFY(profile.roofline->underMemoryRoof());
        QVERIFY(!profile.nearness());
        QVERIFY(profile.notes.front().find("administrators") != std::string::npos);
    }

    void nearness() {
        QCOMPARE(*analyse(observed({{"dram_pct", 61.5}, {"issue_pct", 40}})).nearness(), 0.615);
        QCOMPARE(*analyse(observed({{"dram_pct", 20}, {"issue_pct", 140}})).nearness(), 1.0);
        QVERIFY(!analyse(observed({{"issue_pct", 40}})).nearness());
        auto estimated = observed({{"issue_pct", 40}});
        estimated.measured.put("dram_pct", 50, "%", Rung::Estimate);
        QVERIFY(!analyse(estimated).nearness());
    }

    void whatIsMissingIsNeverZero() {
        Measurements values;
        values.put({"dram_pct", std::nullopt, "%", Rung::Counters, "the chip GA10B has no such counter"});
        values.put("uniform_branch_pct", std::numeric_limits<double>::quiet_NaN(), "%", Rung::Counters);
        QVERIFY(!values.get("dram_pct"));
        QVERIFY(!values.get("uniform_branch_pct"));
        QVERIFY(!values.find("uniform_branch_pct")->reason.empty());
        QVERIFY(!values.get("never put"));
        const auto json = values.toJson();
        QVERIFY(!json["dram_pct"].contains("value"));
        const auto back = Measurements::fromJson(json);
        VERIFY_OK(back);
        QVERIFY(back->all() == values.all());
    }

    void theBetterRungStays() {
        Measurements values;
        values.put("time_ns", 5, "ns", Rung::Timed);
        values.put("time_ns", 4, "ns", Rung::Counters);
        values.put("time_ns", 9, "ns", Rung::Activity);
        values.put({"time_ns", std::nullopt, "ns", Rung::Counters, "gone"});
        QCOMPARE(*values.get("time_ns"), 4.0);
        for (const auto rung : {Rung::Counters, Rung::Activity, Rung::Timed, Rung::Attributes, Rung::Computed, Rung::Estimate, Rung::Code}) {
            QVERIFY(rungFrom(toString(rung)) == rung);
        }
        QVERIFY(!rungFrom("guess"));
    }

    void brokenFiguresAreRefused() {
        for (const char* text : {R"({"a": {"value": 1, "unit": "%"}})", R"({"a": {"value": "x", "unit": "%", "rung": "counters"}})",
                                 R"({"a": {"value": 1, "unit": "%", "rung": "guess"}})", R"({"a": 3})"}) {
            COMPARE_ERR(Measurements::fromJson(Json::parse(text)), ErrorCode::WorkerFailed);
        }
    }

    void opcodes() {
        // As nvdisasm -c prints it: predicates, encodings in comments, labels and directives around the instructions.
        const char* listing = R"(
	.section	.text.saxpy,"ax",@progbits
.text.saxpy:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   S2R R0, SR_TID.X ;
        /*0020*/                   IMAD R0, R3, UR4, R0 ;              /* 0x0000000403007c24 */
                                                                       /* 0x001fca000f8e0200 */
        /*0030*/                   ISETP.GE.AND P0, PT, R0, UR6, PT ;
        /*0040*/               @P0 EXIT ;
        /*0050*/                   LDG.E R2, desc[UR4][R2.64] ;
        /*0060*/              @!P1 LDGSTS.E [R5], desc[UR4][R2.64] ;
        /*0070*/                   FFMA.FTZ R7, R2, R9, R4 ;
        /*0080*/                   HFMA2.MMA R7, R2, R9, R4 ;
        /*0090*/                   HMMA.16816.F32 R4, R4, R8, R4 ;
        /*00a0*/                   LDS.128 R4, [R8] ;
        /*00b0*/                   STG.E desc[UR4][R4.64], R7 ;
        /*00c0*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
.L_x_0:
        /*00d0*/                   BRA `(.L_x_0);
        /*00e0*/                   NOP;
        /*00f0*/                   NOP;
)";
        const std::map<std::string, std::size_t> expected{{"constant", 1}, {"move", 1},   {"integer", 2}, {"control", 2}, {"global", 2}, {"async_copy", 1},
                                                          {"fp32", 1},     {"fp16", 1},   {"tensor", 1},  {"shared", 1},  {"barrier", 1}};
        const auto counted = countOpcodes(listing);
        for (const auto& [name, count] : counted) QVERIFY2(expected.contains(name) && expected.at(name) == count, (name + " " + std::to_string(count)).c_str());
        QCOMPARE(counted.size(), expected.size());
        QVERIFY(countOpcodes("").empty());
        QVERIFY(countOpcodes("no listing at all; /* 12 */").empty());
    }

    void permission() {
        QVERIFY(sandbox::countersNeedAdmin("EnableMSI: 1\nRmProfilingAdminOnly: 1\n"));
        QVERIFY(!sandbox::countersNeedAdmin("EnableMSI: 1\nRmProfilingAdminOnly: 0\nRegistryDwords: \"\"\n"));
        QVERIFY(sandbox::countersNeedAdmin(""));
        QVERIFY(sandbox::countersNeedAdmin("RmProfilingAdminOnly:"));
    }

    void jsonHoldsEverything() {
        const auto json = analyse(observed({{"dram_pct", 91}, {"issue_pct", 12}, {"dram_bytes", 4e9}, {"time_ns", 1e6}})).toJson();
        QCOMPARE(QString::fromStdString(json["rung"].get<std::string>()), QString("counters"));
        QCOMPARE(json["metrics"]["dram_pct"]["value"].get<double>(), 91.0);
        QCOMPARE(QString::fromStdString(json["occupancy"]["limiter"].get<std::string>()), QString("warps"));
        QVERIFY(json["bottlenecks"][0]["cause"].get<std::string>().starts_with("Memory bound"));
        QVERIFY(json["bottlenecks"][0]["cause_zh"].get<std::string>().find("91") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestProfileAnalysis)
#include "tst_profile_analysis.moc"
