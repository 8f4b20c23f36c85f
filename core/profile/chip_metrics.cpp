// SPDX-License-Identifier: Apache-2.0
#include "profile/chip_metrics.h"

#include "profile/cupti_library.h"

namespace ww::profile {
namespace {

/// CUPTI's object behind the host calls; metrics that were added to it stay.
class HostObject {
public:
    static Result<std::unique_ptr<HostObject>> make(const CuptiLibrary& cupti, const std::string& chip, const std::vector<std::uint8_t>& availability) {
        WW_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, params);
        params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
        params.pChipName = chip.c_str();
        params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
        const CUptiResult result = cupti.cuptiProfilerHostInitialize_(&params);
        if (result == CUPTI_ERROR_NOT_SUPPORTED || result == CUPTI_ERROR_INVALID_CHIP_NAME) {
            return fail(ErrorCode::Unsupported, "this CUPTI has no range profiler for the chip " + chip + " (" + cupti.describe(result) +
                                                    "): it needs compute capability 7.0 or higher, and a CUPTI as new as the chip");
        }
        WW_CHECK(cupti.check(result, "cuptiProfilerHostInitialize"));
        return std::unique_ptr<HostObject>(new HostObject(cupti, params.pHostObject));
    }
    ~HostObject() {
        WW_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params);
        params.pHostObject = m_object;
        (void)m_cupti.cuptiProfilerHostDeinitialize_(&params);
    }
    HostObject(const HostObject&) = delete;
    HostObject& operator=(const HostObject&) = delete;

    [[nodiscard]] CUptiResult add(std::vector<const char*> names) {
        WW_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, params);
        params.pHostObject = m_object;
        params.ppMetricNames = names.data();
        params.numMetrics = names.size();
        return m_cupti.cuptiProfilerHostConfigAddMetrics_(&params);
    }
    [[nodiscard]] CUpti_Profiler_Host_Object* get() const noexcept { return m_object; }

private:
    HostObject(const CuptiLibrary& cupti, CUpti_Profiler_Host_Object* object) : m_cupti(cupti), m_object(object) {}

    const CuptiLibrary& m_cupti;
    CUpti_Profiler_Host_Object* m_object;
};

/// Tries names on host objects of its own: what has been added to one is scheduled with it, and after a refusal an object takes
/// nothing any more, not even names that the chip has.
class NameProbe {
public:
    NameProbe(const CuptiLibrary& cupti, const std::string& chip, const std::vector<std::uint8_t>& availability)
        : m_cupti(cupti), m_chip(chip), m_availability(availability) {}

    Result<bool> knows(const char* name) {
        if (!m_host) {
            WW_TRY(host, HostObject::make(m_cupti, m_chip, m_availability));
            m_host = std::move(host);
        }
        if (m_host->add({name}) == CUPTI_SUCCESS) return true;
        m_host.reset();
        return false;
    }
    /// The chip's own name for a metric; nullptr where it has none.
    Result<const char*> nameOf(const Metric& metric) {
        for (const auto name : metric.names) {
            if (name.empty()) continue;
            WW_TRY(known, knows(name.data()));
            if (known) return name.data();
        }
        return static_cast<const char*>(nullptr);
    }

private:
    const CuptiLibrary& m_cupti;
    const std::string& m_chip;
    const std::vector<std::uint8_t>& m_availability;
    std::unique_ptr<HostObject> m_host;
};

Result<void> schedule(const CuptiLibrary& cupti, HostObject& host, CounterPlan& plan) {
    WW_CHECK(cupti.check(host.add(plan.names()), "cuptiProfilerHostConfigAddMetrics"));
    WW_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = host.get();
    WW_CHECK(cupti.check(cupti.cuptiProfilerHostGetConfigImageSize_(&size), "cuptiProfilerHostGetConfigImageSize"));
    plan.configImage.resize(size.configImageSize);
    WW_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
    image.pHostObject = host.get();
    image.configImageSize = plan.configImage.size();
    image.pConfigImage = plan.configImage.data();
    WW_CHECK(cupti.check(cupti.cuptiProfilerHostGetConfigImage_(&image), "cuptiProfilerHostGetConfigImage"));
    WW_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
    passes.configImageSize = plan.configImage.size();
    passes.pConfigImage = plan.configImage.data();
    WW_CHECK(cupti.check(cupti.cuptiProfilerHostGetNumOfPasses_(&passes), "cuptiProfilerHostGetNumOfPasses"));
    plan.passes = passes.numOfPasses;
    return {};
}

}  // namespace

std::vector<const char*> CounterPlan::names() const {
    std::vector<const char*> list;
    for (const auto& [metric, name] : metrics) list.push_back(name);
    return list;
}

Result<std::vector<std::string>> ChipMetrics::chips() {
    WW_TRY(cupti, CuptiLibrary::open());
    WW_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params, params);
    WW_CHECK(cupti->check(cupti->cuptiProfilerHostGetSupportedChips_(&params), "cuptiProfilerHostGetSupportedChips"));
    return std::vector<std::string>(params.ppChipNames, params.ppChipNames + params.numChips);
}

Result<bool> ChipMetrics::knows(const char* name) const {
    WW_TRY(cupti, CuptiLibrary::open());
    return NameProbe(*cupti, m_chip, m_availability).knows(name);
}

Result<CounterPlan> ChipMetrics::plan(std::span<const Metric* const> metrics) const {
    WW_TRY(cupti, CuptiLibrary::open());
    CounterPlan plan;
    plan.chip = m_chip;
    NameProbe probe(*cupti, m_chip, m_availability);
    for (const Metric* metric : metrics) {
        WW_TRY(name, probe.nameOf(*metric));
        if (name != nullptr) {
            plan.metrics.emplace_back(metric, name);
        } else {
            plan.missing.put({std::string(metric->id), std::nullopt, std::string(metric->unit), Rung::Counters, "the chip " + m_chip + " has no such counter"});
        }
    }
    if (plan.metrics.empty()) return fail(ErrorCode::Unsupported, "the chip " + m_chip + " has none of the counters asked for");
    WW_TRY(host, HostObject::make(*cupti, m_chip, m_availability));
    WW_CHECK(schedule(*cupti, *host, plan));
    return plan;
}

Result<Measurements> ChipMetrics::evaluate(const CounterPlan& plan, std::span<const std::uint8_t> counterData, std::size_t range) const {
    WW_TRY(cupti, CuptiLibrary::open());
    WW_TRY(host, HostObject::make(*cupti, m_chip, m_availability));
    auto names = plan.names();
    WW_CHECK(cupti->check(host->add(names), "cuptiProfilerHostConfigAddMetrics"));
    std::vector<double> values(names.size());
    WW_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params);
    params.pHostObject = host->get();
    params.pCounterDataImage = counterData.data();
    params.counterDataImageSize = counterData.size();
    params.rangeIndex = range;
    params.ppMetricNames = names.data();
    params.numMetrics = names.size();
    params.pMetricValues = values.data();
    WW_CHECK(cupti->check(cupti->cuptiProfilerHostEvaluateToGpuValues_(&params), "cuptiProfilerHostEvaluateToGpuValues"));
    Measurements measured = plan.missing;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Metric& metric = *plan.metrics[i].first;
        measured.put(std::string(metric.id), values[i], std::string(metric.unit), Rung::Counters);
    }
    return measured;
}

}  // namespace ww::profile
