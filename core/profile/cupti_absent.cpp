// SPDX-License-Identifier: Apache-2.0
// Takes the place of everything that needs CUPTI's headers in builds without them (CUDA=OFF, or a toolkit before 12.6).
#include "profile/activity.h"
#include "profile/cache_reader.h"
#include "profile/chip_metrics.h"
#include "profile/range_profiler.h"
#include "profile/sass.h"

namespace ww::profile {
namespace {

Unexpected absent() {
    return fail(ErrorCode::EnvironmentMissing,
                "this build has no CUPTI support; build it where the CUDA Toolkit 12.6 or newer is installed with CUPTI");
}

} // namespace

std::vector<const char*> CounterPlan::names() const {
    std::vector<const char*> list;
    for (const auto& [metric, name] : metrics)
        list.push_back(name);
    return list;
}
Result<std::vector<std::string>> ChipMetrics::chips() { return absent(); }
Result<bool> ChipMetrics::knows(const char*) const { return absent(); }
Result<CounterPlan> ChipMetrics::plan(std::span<const Metric* const>) const { return absent(); }
Result<Measurements> ChipMetrics::evaluate(const CounterPlan&, std::span<const std::uint8_t>, std::size_t) const { return absent(); }
Result<std::unique_ptr<RangeProfiler>> RangeProfiler::open(int) { return absent(); }
Result<Measurements> recordActivity(const std::function<device::Outcome()>&, device::Outcome&) { return absent(); }
Result<Measurements> disassemble(std::span<const std::byte>) { return absent(); }
Result<std::unique_ptr<CacheReader>> CacheReader::make(const device::DeviceFacts&) { return absent(); }

} // namespace ww::profile
