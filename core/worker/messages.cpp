// SPDX-License-Identifier: Apache-2.0
#include "worker/messages.h"

namespace ww::worker {
namespace {

/// Runs a reader of fields; what nlohmann throws for a missing key or a wrong type becomes an Error.
template <typename F>
auto read(const char* what, F&& fields) -> Result<std::invoke_result_t<F>> {
    try {
        return fields();
    } catch (const Json::exception& problem) {
        return fail(ErrorCode::WorkerFailed, std::string("a message with a broken ") + what + ": " + problem.what());
    }
}

std::array<std::uint32_t, 3> three(const Json& json) {
    return {json.at(0).get<std::uint32_t>(), json.at(1).get<std::uint32_t>(), json.at(2).get<std::uint32_t>()};
}

Json textureToJson(const spec::ResolvedArgument& argument) {
    return Json{{"extents", argument.extents},
                {"filter", static_cast<int>(argument.sampling.filter)},
                {"address", static_cast<int>(argument.sampling.address)},
                {"read", static_cast<int>(argument.sampling.read)},
                {"normalized", argument.sampling.normalized}};
}

Json argumentToJson(const spec::ResolvedArgument& argument) {
    Json json = Json{{"name", argument.name},
                {"type", toString(argument.type)},
                {"memory", static_cast<int>(argument.memory)},
                {"access", static_cast<int>(argument.access)},
                {"output", argument.output},
                {"elements", argument.elements},
                {"components", argument.components},
                {"fill", static_cast<int>(argument.fill)},
                {"fill_value", argument.fillValue},
                {"scalar", argument.scalar.toJson()},
                {"generator", argument.generator},
                {"data_file", argument.dataFile},
                {"family", static_cast<int>(argument.family)},
                {"nudge", argument.nudge},
                {"alignment", argument.alignment}};
    if (argument.memory == spec::MemoryKind::Texture) json["texture"] = textureToJson(argument);
    return json;
}

template <typename Enum>
Enum enumFrom(const Json& json, Enum last) {
    const int value = json.get<int>();
    if (value < 0 || value > static_cast<int>(last)) throw Json::out_of_range::create(401, "no such value", nullptr);
    return static_cast<Enum>(value);
}

void textureFromJson(const Json& json, spec::ResolvedArgument& argument) {
    argument.extents = three(json.at("extents"));
    argument.sampling.filter = enumFrom(json.at("filter"), TextureFilter::Linear);
    argument.sampling.address = enumFrom(json.at("address"), TextureAddress::Border);
    argument.sampling.read = enumFrom(json.at("read"), TextureRead::NormalizedFloat);
    argument.sampling.normalized = json.at("normalized").get<bool>();
}

spec::ResolvedArgument argumentFromJson(const Json& json) {
    spec::ResolvedArgument argument;
    argument.name = json.at("name").get<std::string>();
    const auto type = dtypeFrom(json.at("type").get<std::string>());
    if (!type) throw Json::out_of_range::create(401, "no such element type", nullptr);
    argument.type = *type;
    argument.memory = enumFrom(json.at("memory"), spec::MemoryKind::Texture);
    argument.access = enumFrom(json.at("access"), spec::Access::ReadWrite);
    argument.output = json.at("output").get<bool>();
    argument.elements = json.at("elements").get<std::uint64_t>();
    argument.components = json.at("components").get<int>();
    if (argument.components < 1) throw Json::out_of_range::create(401, "no components", nullptr);
    if (argument.memory == spec::MemoryKind::Texture) textureFromJson(json.at("texture"), argument);
    argument.fill = enumFrom(json.at("fill"), spec::Fill::Script);
    argument.fillValue = json.at("fill_value").get<double>();
    argument.scalar = expr::Value::fromJson(json.at("scalar"));
    argument.generator = json.at("generator").get<std::string>();
    argument.dataFile = json.at("data_file").get<std::string>();
    argument.family = enumFrom(json.at("family"), spec::InputFamily::Tiny);
    argument.nudge = json.at("nudge").get<double>();
    argument.alignment = json.at("alignment").get<std::uint32_t>();
    return argument;
}

}  // namespace

Json toJson(const spec::ResolvedLaunch& launch) {
    Json arguments = Json::array();
    for (const auto& argument : launch.arguments) arguments.push_back(argumentToJson(argument));
    return Json{{"grid", launch.grid},
                {"block", launch.block},
                {"shared", launch.dynamicSharedBytes},
                {"empty", launch.empty},
                {"arguments", std::move(arguments)}};
}

Result<spec::ResolvedLaunch> launchFromJson(const Json& json) {
    return read("launch", [&] {
        spec::ResolvedLaunch launch;
        launch.grid = three(json.at("grid"));
        launch.block = three(json.at("block"));
        launch.dynamicSharedBytes = json.at("shared").get<std::uint64_t>();
        launch.empty = json.at("empty").get<bool>();
        for (const auto& argument : json.at("arguments")) launch.arguments.push_back(argumentFromJson(argument));
        return launch;
    });
}

Json toJson(const device::LaunchShape& shape) {
    return Json{{"grid", shape.grid}, {"block", shape.block}, {"shared", shape.dynamicSharedBytes}};
}

Result<device::LaunchShape> shapeFromJson(const Json& json) {
    return read("launch shape", [&] {
        return device::LaunchShape{three(json.at("grid")), three(json.at("block")), json.at("shared").get<std::size_t>()};
    });
}

Json toJson(const device::Outcome& outcome) {
    return Json{{"status", toString(outcome.status)}, {"message", outcome.message}, {"sticky", outcome.sticky}, {"time_ns", outcome.timeNs}};
}

Result<device::Outcome> outcomeFromJson(const Json& json) {
    return read("outcome", [&] {
        const auto status = trialStatusFrom(json.at("status").get<std::string>());
        if (!status) throw Json::out_of_range::create(401, "no such status", nullptr);
        return device::Outcome{*status, json.at("message").get<std::string>(), json.at("sticky").get<bool>(),
                               json.at("time_ns").get<std::int64_t>()};
    });
}

Json toJson(const device::FunctionFacts& facts) {
    return Json{{"registers", facts.registers},
                {"local_bytes", facts.localBytes},
                {"static_shared_bytes", facts.staticSharedBytes},
                {"constant_bytes", facts.constantBytes},
                {"max_threads_per_block", facts.maxThreadsPerBlock},
                {"active_blocks", facts.activeBlocksPerProcessor},
                {"uses_barrier", facts.usesBarrier}};
}

Result<device::FunctionFacts> functionFactsFromJson(const Json& json) {
    return read("list of facts", [&] {
        const auto number = [&](const char* key) { return json.at(key).get<std::int64_t>(); };
        device::FunctionFacts facts;
        facts.registers = number("registers");
        facts.localBytes = number("local_bytes");
        facts.staticSharedBytes = number("static_shared_bytes");
        facts.constantBytes = number("constant_bytes");
        facts.maxThreadsPerBlock = number("max_threads_per_block");
        facts.activeBlocksPerProcessor = number("active_blocks");
        facts.usesBarrier = json.at("uses_barrier").get<bool>();
        return facts;
    });
}

Json toJson(const verify::RunOptions& options) {
    return Json{{"seed", static_cast<std::int64_t>(options.seed)},
                {"poison", options.poison},
                {"launches", options.launches},
                {"repeat_seconds", options.repeatSeconds},
                {"whole_inputs", options.wholeInputs}};
}

Result<verify::RunOptions> runOptionsFromJson(const Json& request) {
    return read("run request", [&] {
        return verify::RunOptions{static_cast<std::uint64_t>(request.at("seed").get<std::int64_t>()), request.at("poison").get<int>(),
                                  request.at("launches").get<int>(), request.at("repeat_seconds").get<double>(),
                                  request.at("whole_inputs").get<bool>()};
    });
}

Result<std::vector<std::pair<std::string, std::string>>> symbolsFromJson(const Json* json) {
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    if (json == nullptr) return Pairs{};
    return read("list of symbols", [&] { return json->get<Pairs>(); });
}

std::size_t arenaBytes(const spec::ResolvedLaunch& launch) noexcept {
    std::size_t total = 0;
    for (const auto& argument : launch.arguments) {
        if (argument.output) total += (argument.bytes() + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
    }
    return total;
}

}  // namespace ww::worker
