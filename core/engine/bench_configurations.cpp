// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline.h"
#include "engine/session_record.h"

namespace ww::engine {

Result<Json> benchConfigurations(const SessionOptions& options, const std::vector<std::string>& configurations) {
    WW_TRY(device, findDevice(options.device));
    WW_TRY(loaded, loadTask(options.specPath, device, options.workload));
    const auto task = std::make_shared<const Task>(std::move(loaded));
    std::vector<space::Configuration> parsed;
    const auto base = task->space.defaultConfiguration();
    for (const auto& text : configurations) {
        WW_TRY(configuration, task->space.parse(text, base));
        parsed.push_back(configuration);
    }
    if (parsed.empty()) parsed.push_back(base);
    WW_TRY(pipeline, Pipeline::start(task, {options.allowNoSandbox, true, options.seed.value_or(drawSeed()), {}, {}}));
    WW_TRY(measured, pipeline->measureTogether(parsed, 200, true));
    Json results = Json::array();
    for (const auto& one : measured) results.push_back(toJson(one));
    return Json{{"kernel", task->spec.name},
                {"workload", task->workload.name},
                {"device", {{"name", device.name}, {"uuid", device.uuid}, {"kind", device::toString(device.kind)}}},
                {"results", results},
                {"sandbox", sandbox::toString(pipeline->sandboxLevel())}};
}

}  // namespace ww::engine
