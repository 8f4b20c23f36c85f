// SPDX-License-Identifier: Apache-2.0
#include "profile/activity.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

#include "profile/cupti_library.h"

namespace ww::profile {
namespace {

// Both begin with the same fields; the later one tells whether the device launched the kernel.
#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
#else
using KernelRecord = CUpti_ActivityKernel9;
#endif

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr std::size_t kAlignment = 8;

/// CUPTI's callbacks carry no context of ours and come from a thread of its own; a profile worker has one recorder.
struct Records {
    std::mutex mutex;
    const CuptiLibrary* cupti = nullptr;
    std::optional<KernelRecord> last;
};
Records& records() {
    static Records instance;
    return instance;
}

void CUPTIAPI giveBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* maxRecords) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
    *size = *buffer != nullptr ? kBufferBytes : 0;
    *maxRecords = 0;
}

void CUPTIAPI takeBuffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t validSize) {
    auto& all = records();
    const std::lock_guard lock(all.mutex);
    CUpti_Activity* record = nullptr;
    while (validSize > 0 && all.cupti->cuptiActivityGetNextRecord_(buffer, validSize, &record) == CUPTI_SUCCESS) {
        if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
        KernelRecord kernel;
        std::memcpy(&kernel, record, sizeof kernel);
        if (!all.last || kernel.start >= all.last->start) all.last = kernel;
    }
    std::free(buffer);
}

Measurements valuesOf(const KernelRecord& kernel) {
    Measurements values;
    const auto put = [&](const char* id, double value, const char* unit) { values.put(id, value, unit, Rung::Activity); };
    put("time_ns", static_cast<double>(kernel.end - kernel.start), "ns");
    put("registers", kernel.registersPerThread, "1");
    put("static_shared_bytes", kernel.staticSharedMemory, "byte");
    put("dynamic_shared_bytes", kernel.dynamicSharedMemory, "byte");
    put("shared_carveout_bytes", kernel.sharedMemoryExecuted, "byte");
    put("local_bytes", kernel.localMemoryPerThread, "byte");
#if CUPTI_API_VERSION >= 130000
    if (records().cupti->version >= 130000) put("device_launched", kernel.isDeviceLaunched, "1");
#endif
    return values;
}

} // namespace

Result<Measurements> recordActivity(const std::function<device::Outcome()>& launch, device::Outcome& outcome) {
    WW_TRY(cupti, CuptiLibrary::open());
    auto& all = records();
    {
        const std::lock_guard lock(all.mutex);
        all.cupti = cupti;
        all.last.reset();
    }
    WW_CHECK(cupti->check(cupti->cuptiActivityRegisterCallbacks_(&giveBuffer, &takeBuffer), "cuptiActivityRegisterCallbacks"));
    WW_CHECK(cupti->check(cupti->cuptiActivityEnable_(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityEnable"));
    outcome = launch();
    const CUptiResult flushed = cupti->cuptiActivityFlushAll_(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    (void)cupti->cuptiActivityDisable_(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    if (outcome.status != TrialStatus::Ok) return Measurements{};
    WW_CHECK(cupti->check(flushed, "cuptiActivityFlushAll"));
    const std::lock_guard lock(all.mutex);
    if (!all.last) return fail(ErrorCode::WorkerFailed, "CUPTI recorded no kernel of the launch");
    return valuesOf(*all.last);
}

} // namespace ww::profile
