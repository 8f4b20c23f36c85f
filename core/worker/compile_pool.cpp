// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <set>

#include "base/units.h"
#include "sandbox/channel.h"
#include "sandbox/unique_fd.h"
#include "worker/clients.h"
#include "worker/object_cache.h"

namespace ww::worker {
namespace {

using compile::CompileRequest;
using compile::CompileResult;
using sandbox::Message;
using sandbox::WorkerProcess;

struct Job {
    JobId id = 0;
    CompileRequest request;
    std::string key;
};

CompileResult refused(TrialStatus status, std::string log) {
    CompileResult result;
    result.status = status;
    result.log = std::move(log);
    return result;
}

/// A worker and what it works on.
struct Slot {
    std::unique_ptr<WorkerProcess> process;  ///< null: to be started with the next job
    std::optional<Job> job;
    std::int64_t startedNs = 0;
    std::int64_t suspendedNs = 0;            ///< of the job's time so far
};

class Pool final : public CompilePool {
public:
    explicit Pool(const Options& options) : m_options(options), m_cache(options.cacheFolder), m_slots(static_cast<std::size_t>(std::max(1, options.workers))) {}

    Result<void> launch();

    JobId submit(const CompileRequest& request) override;
    void cancel(JobId job) override;
    std::vector<CompiledJob> poll() override;
    Result<CompiledJob> waitFor(JobId job) override;
    void suspend() override;
    void resume() override;
    std::size_t inFlight() const override;
    std::string compilerVersion() const override;
    std::string compilerVersion(compile::Target target) const override;

private:
    void look();
    void lookAt(Slot& slot);
    void dispatch();
    void give(Slot& slot, Job job);
    void finish(Slot& slot, CompileResult result);
    void finishDead(Slot& slot);
    bool isKnown(JobId job) const;
    std::int64_t leftNs(const Slot& slot) const;
    void waitForNews(const sandbox::UniqueFd& wake) const;
    Result<void> stopped();

    Options m_options;
    ObjectCache m_cache;
    Json m_greeting;
    std::vector<Slot> m_slots;
    std::deque<Job> m_queue;
    std::vector<CompiledJob> m_finished;
    std::set<JobId> m_unheard;  ///< cancelled while they ran
    JobId m_lastId = 0;
    std::int64_t m_suspendedAt = 0;  ///< 0: not suspended
};

Result<void> Pool::launch() {
    // One at once, for its greeting and to tell what is wrong; the others come with the work.
    WW_TRY(process, WorkerProcess::start(m_options.worker));
    m_greeting = process->greeting();
    m_slots.front().process = std::move(process);
    return {};
}

std::string Pool::compilerVersion(compile::Target target) const {
    const Json* found = member(m_greeting, "compilers");
    const Json* version = found != nullptr ? member(*found, target == compile::Target::Cuda ? "cuda" : "cpu") : nullptr;
    return version != nullptr && version->is_string() ? version->get<std::string>() : std::string();
}

std::string Pool::compilerVersion() const {
    const std::string cpu = compilerVersion(compile::Target::Cpu), cuda = compilerVersion(compile::Target::Cuda);
    return cpu + (cpu.empty() || cuda.empty() ? "" : "; ") + cuda;
}

JobId Pool::submit(const CompileRequest& request) {
    Job job{++m_lastId, request, request.key(compilerVersion(request.target))};
    const JobId id = job.id;
    if (auto known = m_cache.find(job.key)) m_finished.push_back({id, std::move(*known)});
    else m_queue.push_back(std::move(job));
    dispatch();
    return id;
}

void Pool::cancel(JobId job) {
    std::erase_if(m_queue, [job](const Job& queued) { return queued.id == job; });
    std::erase_if(m_finished, [job](const CompiledJob& finished) { return finished.id == job; });
    if (std::ranges::any_of(m_slots, [job](const Slot& slot) { return slot.job && slot.job->id == job; })) m_unheard.insert(job);
}

std::size_t Pool::inFlight() const {
    return m_queue.size() + static_cast<std::size_t>(std::ranges::count_if(m_slots, [](const Slot& slot) { return slot.job.has_value(); }));
}

std::vector<CompiledJob> Pool::poll() {
    if (!stopped()) return {};
    look();
    return std::exchange(m_finished, {});
}

Result<void> Pool::stopped() {
    if (!m_options.stop.stop_requested()) return {};
    for (auto& slot : m_slots) {
        slot.process.reset();
        slot.job.reset();
    }
    m_queue.clear();
    return fail(ErrorCode::Cancelled, "stopped while compiling");
}

bool Pool::isKnown(JobId job) const {
    const auto same = [job](const auto& entry) { return entry.id == job; };
    return std::ranges::any_of(m_queue, same) || std::ranges::any_of(m_finished, same) ||
           std::ranges::any_of(m_slots, [job](const Slot& slot) { return slot.job && slot.job->id == job; });
}

Result<CompiledJob> Pool::waitFor(JobId job) {
    const sandbox::UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    const std::stop_callback stopper(m_options.stop, [fd = wake.get()] {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t told = ::write(fd, &one, sizeof one);
    });
    for (;;) {
        WW_CHECK(stopped());
        look();
        const auto found = std::ranges::find(m_finished, job, &CompiledJob::id);
        if (found != m_finished.end()) {
            CompiledJob finished = std::move(*found);
            m_finished.erase(found);
            return finished;
        }
        if (!isKnown(job)) return fail(ErrorCode::Internal, "there is no compile job " + std::to_string(job));
        if (m_suspendedAt != 0) return fail(ErrorCode::Internal, "a compile is waited for while compiling is suspended");
        waitForNews(wake);
    }
}

std::int64_t Pool::leftNs(const Slot& slot) const {
    const auto allowed = static_cast<std::int64_t>(slot.job->request.deadlineSeconds * 1e9);
    return allowed - (monotonicNs() - slot.startedNs - slot.suspendedNs);
}

void Pool::waitForNews(const sandbox::UniqueFd& wake) const {
    std::vector<pollfd> waits{{wake.get(), POLLIN, 0}};
    std::int64_t left = std::int64_t{3600} * 1'000'000'000;
    for (const auto& slot : m_slots) {
        if (!slot.job) continue;
        waits.push_back({slot.process->readableFd(), POLLIN, 0});
        left = std::min(left, leftNs(slot));
    }
    ::poll(waits.data(), waits.size(), static_cast<int>(std::max<std::int64_t>(0, left) / 1'000'000 + 1));
}

void Pool::look() {
    if (m_suspendedAt == 0) {
        for (auto& slot : m_slots) {
            if (slot.job) lookAt(slot);
        }
    }
    dispatch();
}

void Pool::lookAt(Slot& slot) {
    Message answer;
    switch (slot.process->receive(answer, std::chrono::nanoseconds(0), {})) {
    case WorkerProcess::Wait::Ready: break;
    case WorkerProcess::Wait::Died: finishDead(slot); return;
    default:
        if (leftNs(slot) > 0) return;
        slot.process.reset();
        finish(slot, refused(TrialStatus::CompileTimeout,
                             "the compiler was ended: it had not finished after " + formatDuration(slot.job->request.deadlineSeconds) +
                                 "; allow more with Limits.CompileSeconds, or make the kernel smaller (fewer unrolled statements)"));
        return;
    }
    if (const Json* error = member(answer.body, "error")) {
        finish(slot, refused(TrialStatus::CompileError, sandbox::errorFromJson(*error).toString()));
        return;
    }
    const Json* json = member(answer.body, "result");
    auto result = json != nullptr ? CompileResult::fromJson(*json) : fail(ErrorCode::WorkerFailed, "the compile worker gave no result");
    if (!result) {
        finish(slot, refused(TrialStatus::CompileError, result.error().toString()));
        return;
    }
    result->object = std::move(answer.attachment);
    if (!m_unheard.contains(slot.job->id) || result->status == TrialStatus::Ok) m_cache.store(slot.job->key, *result);
    finish(slot, std::move(*result));
}

void Pool::finishDead(Slot& slot) {
    const auto& death = slot.process->death();
    std::string log = death.output + (death.output.empty() || death.output.ends_with('\n') ? "" : "\n") + "the compile worker " + death.describe();
    slot.process.reset();
    finish(slot, refused(TrialStatus::CompileError, std::move(log)));
}

void Pool::finish(Slot& slot, CompileResult result) {
    const Job job = std::move(*slot.job);
    slot.job.reset();
    // Seconds of compiling, not of standing still.
    if (result.seconds == 0) result.seconds = static_cast<double>(monotonicNs() - slot.startedNs - slot.suspendedNs) * 1e-9;
    if (m_unheard.erase(job.id) == 0) m_finished.push_back({job.id, std::move(result)});
}

void Pool::dispatch() {
    if (m_suspendedAt != 0) return;
    for (auto& slot : m_slots) {
        // An equal job may have been finished meanwhile; such a one leaves the slot free.
        while (!slot.job && !m_queue.empty()) {
            Job job = std::move(m_queue.front());
            m_queue.pop_front();
            if (auto known = m_cache.find(job.key)) m_finished.push_back({job.id, std::move(*known)});
            else give(slot, std::move(job));
        }
    }
}

void Pool::give(Slot& slot, Job job) {
    Json wire = job.request.toJson();
    // The front end's own deadline runs on while it is suspended, so ours is the one that counts.
    wire["deadline_seconds"] = job.request.deadlineSeconds * 10 + 60;
    slot.job = std::move(job);
    slot.startedNs = monotonicNs();
    slot.suspendedNs = 0;
    // The second try is for a worker that died idle.
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (slot.process && !slot.process->alive()) slot.process.reset();
        if (!slot.process) {
            auto started = WorkerProcess::start(m_options.worker);
            if (!started) {
                finish(slot, refused(TrialStatus::CompileError, "no compile worker: " + started.error().toString()));
                return;
            }
            slot.process = std::move(*started);
        }
        slot.startedNs = monotonicNs();
        if (slot.process->send({Json{{"op", "compile"}, {"request", wire}}, {}})) return;
        slot.process.reset();
    }
    finish(slot, refused(TrialStatus::CompileError, "the compile workers do not take requests"));
}

void Pool::suspend() {
    if (m_suspendedAt != 0) return;
    m_suspendedAt = monotonicNs();
    for (auto& slot : m_slots) {
        if (slot.process && slot.job) slot.process->suspend();
    }
}

void Pool::resume() {
    if (m_suspendedAt == 0) return;
    const std::int64_t stood = monotonicNs() - m_suspendedAt;
    m_suspendedAt = 0;
    for (auto& slot : m_slots) {
        if (!slot.process || !slot.job) continue;
        slot.suspendedNs += stood;
        slot.process->resume();
    }
}

}  // namespace

std::filesystem::path CompilePool::defaultCacheFolder() {
    return ObjectCache::defaultFolder();
}

Result<std::unique_ptr<CompilePool>> CompilePool::start(const Options& options) {
    auto pool = std::make_unique<Pool>(options);
    WW_CHECK(pool->launch());
    return std::unique_ptr<CompilePool>(std::move(pool));
}

}  // namespace ww::worker
