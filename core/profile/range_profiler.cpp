// SPDX-License-Identifier: Apache-2.0
#include "profile/range_profiler.h"

#include "base/units.h"
#include "device/cuda_driver.h"
#include "profile/chip_metrics.h"
#include "profile/cupti_library.h"

namespace ww::profile {
namespace {

/// A launch may bring helpers of the driver's (filling a variable, clearing memory) that count as kernels before the one asked for.
constexpr std::size_t kMaxRanges = 16;

/// The primary context of a device, held so that CUPTI can be given its handle.
class PrimaryContext {
public:
    static Result<std::unique_ptr<PrimaryContext>> retain(const device::CudaDriver& driver, int ordinal) {
        std::unique_ptr<PrimaryContext> held(new PrimaryContext(driver));
        WW_CHECK(driver.check(driver.cuDeviceGet_(&held->m_device, ordinal), "cuDeviceGet"));
        WW_CHECK(driver.check(driver.cuDevicePrimaryCtxRetain_(&held->m_context, held->m_device), "cuDevicePrimaryCtxRetain"));
        return held;
    }
    ~PrimaryContext() {
        if (m_context != nullptr) (void)m_driver.cuDevicePrimaryCtxRelease_(m_device);
    }
    PrimaryContext(const PrimaryContext&) = delete;
    PrimaryContext& operator=(const PrimaryContext&) = delete;
    [[nodiscard]] CUcontext get() const noexcept { return m_context; }
    [[nodiscard]] CUdevice device() const noexcept { return m_device; }

private:
    explicit PrimaryContext(const device::CudaDriver& driver) : m_driver(driver) {}
    const device::CudaDriver& m_driver;
    CUdevice m_device = 0;
    CUcontext m_context = nullptr;
};

/// CUPTI's profiler on a context, for one collection. Disabled when it goes.
class Enabled {
public:
    static Result<std::unique_ptr<Enabled>> make(const CuptiLibrary& cupti, CUcontext context) {
        WW_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, params);
        params.ctx = context;
        WW_CHECK(cupti.check(cupti.cuptiRangeProfilerEnable_(&params), "cuptiRangeProfilerEnable"));
        return std::unique_ptr<Enabled>(new Enabled(cupti, params.pRangeProfilerObject));
    }
    ~Enabled() {
        WW_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
        params.pRangeProfilerObject = m_object;
        (void)m_cupti.cuptiRangeProfilerDisable_(&params);
    }
    Enabled(const Enabled&) = delete;
    Enabled& operator=(const Enabled&) = delete;

    Result<void> configure(const CounterPlan& plan);
    Result<void> start();
    /// True once all passes have been taken.
    Result<bool> stop();
    /// Decodes and returns the number of ranges in counterData().
    Result<std::size_t> decode();
    [[nodiscard]] const std::vector<std::uint8_t>& counterData() const noexcept { return m_counterData; }

private:
    Enabled(const CuptiLibrary& cupti, CUpti_RangeProfiler_Object* object) : m_cupti(cupti), m_object(object) {}

    const CuptiLibrary& m_cupti;
    CUpti_RangeProfiler_Object* m_object;
    std::vector<std::uint8_t> m_counterData;
};

Result<void> Enabled::configure(const CounterPlan& plan) {
    auto names = plan.names();
    WW_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = m_object;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = kMaxRanges;
    size.maxNumRangeTreeNodes = kMaxRanges;
    WW_CHECK(m_cupti.check(m_cupti.cuptiRangeProfilerGetCounterDataSize_(&size), "cuptiRangeProfilerGetCounterDataSize"));
    m_counterData.assign(size.counterDataSize, 0);
    WW_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, image);
    image.pRangeProfilerObject = m_object;
    image.counterDataSize = m_counterData.size();
    image.pCounterData = m_counterData.data();
    WW_CHECK(m_cupti.check(m_cupti.cuptiRangeProfilerCounterDataImageInitialize_(&image), "cuptiRangeProfilerCounterDataImageInitialize"));
    WW_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, config);
    config.pRangeProfilerObject = m_object;
    config.configSize = plan.configImage.size();
    config.pConfig = plan.configImage.data();
    config.counterDataImageSize = m_counterData.size();
    config.pCounterDataImage = m_counterData.data();
    config.range = CUPTI_AutoRange;
    config.replayMode = CUPTI_KernelReplay;
    config.maxRangesPerPass = kMaxRanges;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    return m_cupti.check(m_cupti.cuptiRangeProfilerSetConfig_(&config), "cuptiRangeProfilerSetConfig");
}

Result<void> Enabled::start() {
    WW_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, params);
    params.pRangeProfilerObject = m_object;
    return m_cupti.check(m_cupti.cuptiRangeProfilerStart_(&params), "cuptiRangeProfilerStart");
}

Result<bool> Enabled::stop() {
    WW_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, params);
    params.pRangeProfilerObject = m_object;
    WW_CHECK(m_cupti.check(m_cupti.cuptiRangeProfilerStop_(&params), "cuptiRangeProfilerStop"));
    return params.isAllPassSubmitted != 0;
}

Result<std::size_t> Enabled::decode() {
    WW_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decoded);
    decoded.pRangeProfilerObject = m_object;
    WW_CHECK(m_cupti.check(m_cupti.cuptiRangeProfilerDecodeData_(&decoded), "cuptiRangeProfilerDecodeData"));
    if (decoded.numOfRangeDropped > 0) {
        return fail(ErrorCode::WorkerFailed, "CUPTI dropped " + std::to_string(decoded.numOfRangeDropped) +
                                                 " ranges: the launch ran more than " + std::to_string(kMaxRanges) + " kernels");
    }
    WW_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = m_counterData.data();
    info.counterDataImageSize = m_counterData.size();
    WW_CHECK(m_cupti.check(m_cupti.cuptiRangeProfilerGetCounterDataInfo_(&info), "cuptiRangeProfilerGetCounterDataInfo"));
    return info.numTotalRanges;
}

/// Which of the properties that CUPTI asks of a device is not given, in its own terms.
Result<void> checkSupport(const CuptiLibrary& cupti, CUdevice device) {
    WW_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, params);
    params.cuDevice = device;
    params.api = CUPTI_PROFILER_RANGE_PROFILING;
    WW_CHECK(cupti.check(cupti.cuptiProfilerDeviceSupported_(&params), "cuptiProfilerDeviceSupported"));
    if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return {};
    std::string why;
    const auto note = [&](CUpti_Profiler_Support_Level level, const char* text) {
        if (level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED || level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
            why += std::string(why.empty() ? "" : ", ") + text;
    };
    note(params.architecture, "its compute capability is below 7.0");
    note(params.sli, "SLI is on");
    note(params.vGpu, "it is a virtual GPU without profiling");
    note(params.confidentialCompute, "confidential computing is on");
    note(params.cmp, "it is a mining card");
    note(params.wsl, "WSL does not allow it");
    return fail(ErrorCode::EnvironmentMissing, "this GPU has no readable counters: " + (why.empty() ? "CUPTI names no reason" : why));
}

/// What the counters of this very device allow; empty where it cannot be told, which only chips newer than CUPTI mind.
std::vector<std::uint8_t> availabilityOf(const CuptiLibrary& cupti, CUcontext context) {
    WW_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, params);
    params.ctx = context;
    if (cupti.cuptiProfilerGetCounterAvailability_(&params) != CUPTI_SUCCESS) return {};
    std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
    params.pCounterAvailabilityImage = image.data();
    if (cupti.cuptiProfilerGetCounterAvailability_(&params) != CUPTI_SUCCESS) return {};
    image.resize(params.counterAvailabilityImageSize);
    return image;
}

class CuptiRangeProfiler final : public RangeProfiler {
public:
    CuptiRangeProfiler(const CuptiLibrary& cupti, std::unique_ptr<PrimaryContext> context, ChipMetrics metrics)
        : m_cupti(cupti), m_context(std::move(context)), m_metrics(std::move(metrics)) {}

    const std::string& chip() const override { return m_metrics.chip(); }
    Result<Collected> collect(MetricSet set, const std::function<Result<void>()>& prepare,
                              const std::function<device::Outcome()>& launch) override;

private:
    Result<const CounterPlan*> planFor(MetricSet set);
    Result<Collected> collectOnce(const CounterPlan& plan, const std::function<Result<void>()>& prepare,
                                  const std::function<device::Outcome()>& launch);

    const CuptiLibrary& m_cupti;
    std::unique_ptr<PrimaryContext> m_context;
    ChipMetrics m_metrics;
    std::map<MetricSet, CounterPlan> m_plans;
};

Result<const CounterPlan*> CuptiRangeProfiler::planFor(MetricSet set) {
    auto found = m_plans.find(set);
    if (found == m_plans.end()) {
        const auto metrics = metricsOf(set);
        WW_TRY(plan, m_metrics.plan(metrics));
        found = m_plans.emplace(set, std::move(plan)).first;
    }
    return &found->second;
}

Result<Collected> CuptiRangeProfiler::collect(MetricSet set, const std::function<Result<void>()>& prepare,
                                              const std::function<device::Outcome()>& launch) {
    WW_TRY(trialPlan, planFor(MetricSet::Trial));
    WW_TRY(collected, collectOnce(*trialPlan, prepare, launch));
    if (set == MetricSet::Trial || collected.outcome.status != TrialStatus::Ok) return std::move(collected);
    WW_TRY(plan, planFor(set));
    WW_TRY(more, collectOnce(*plan, prepare, launch));
    collected.outcome = std::move(more.outcome);
    collected.values.merge(more.values);
    collected.passes += more.passes;
    collected.seconds += more.seconds;
    return std::move(collected);
}

Result<Collected> CuptiRangeProfiler::collectOnce(const CounterPlan& plan, const std::function<Result<void>()>& prepare,
                                                  const std::function<device::Outcome()>& launch) {
    const auto begin = monotonicNs();
    Collected collected;
    collected.passes = plan.passes;
    WW_TRY(profiler, Enabled::make(m_cupti, m_context->get()));
    WW_CHECK(profiler->configure(plan));
    // Kernel replay takes all passes within one launch; a CUPTI that asks for more launches gets them, within reason.
    bool complete = false;
    for (std::size_t round = 0; round < plan.passes && !complete; ++round) {
        WW_CHECK(prepare());
        WW_CHECK(profiler->start());
        collected.outcome = launch();
        WW_TRY(all, profiler->stop());
        if (collected.outcome.status != TrialStatus::Ok) return collected;
        complete = all;
    }
    WW_TRY(ranges, profiler->decode());
    if (!complete || ranges == 0) {
        return fail(ErrorCode::WorkerFailed, "CUPTI " + std::string(complete ? "saw no kernel in the launch" : "did not take all of its ") +
                                                 (complete ? "" : std::to_string(plan.passes) + " passes"));
    }
    WW_TRY(values, m_metrics.evaluate(plan, profiler->counterData(), ranges - 1));
    collected.values = std::move(values);
    collected.seconds = static_cast<double>(monotonicNs() - begin) * 1e-9;
    return collected;
}

} // namespace

Result<std::unique_ptr<RangeProfiler>> RangeProfiler::open(int device) {
    WW_TRY(cupti, CuptiLibrary::open());
    WW_TRY(driver, device::CudaDriver::open());
    WW_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
    WW_CHECK(cupti->check(cupti->cuptiProfilerInitialize_(&initialize), "cuptiProfilerInitialize"));
    WW_TRY(context, PrimaryContext::retain(*driver, device));
    WW_CHECK(checkSupport(*cupti, context->device()));
    WW_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip);
    chip.deviceIndex = static_cast<std::size_t>(device);
    WW_CHECK(cupti->check(cupti->cuptiDeviceGetChipName_(&chip), "cuptiDeviceGetChipName"));
    auto availability = availabilityOf(*cupti, context->get());
    return std::unique_ptr<RangeProfiler>(
        std::make_unique<CuptiRangeProfiler>(*cupti, std::move(context), ChipMetrics(chip.pChipName, std::move(availability))));
}

} // namespace ww::profile
