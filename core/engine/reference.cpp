// SPDX-License-Identifier: Apache-2.0
#include "engine/reference.h"

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "base/units.h"
#include "policy/torch_module.h"
#include "verify/inputs.h"

namespace ww::engine {
namespace {

constexpr std::size_t kKept = 16;                              ///< references kept at most
constexpr std::size_t kKeptBytes = std::size_t{1} << 30;       ///< and their doubles together

Result<std::vector<std::byte>> contentsOf(const spec::ResolvedArgument& argument, std::uint64_t seed) {
    std::vector<std::byte> bytes(argument.bytes());
    std::string data;
    if (!argument.dataFile.empty()) {
        WW_TRY(read, readFile(argument.dataFile));
        data = std::move(read);
    }
    WW_CHECK(verify::fillArgument(argument, seed, bytes, std::as_bytes(std::span(data))));
    return bytes;
}

/// A vector as the tensor a TorchScript reference gets: float64, or int64 for integer types.
policy::ReferenceInput tensorOf(DType type, const std::vector<std::byte>& bytes) {
    const std::size_t size = sizeOf(type);
    const std::size_t count = bytes.size() / size;
    if (isFloating(type)) {
        std::vector<double> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = loadAsDouble(type, bytes.data() + i * size);
        return values;
    }
    std::vector<std::int64_t> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::int64_t>(loadAsDouble(type, bytes.data() + i * size));
    return values;
}

std::size_t checkedCount(const spec::ResolvedLaunch& launch) {
    return static_cast<std::size_t>(std::count_if(launch.arguments.begin(), launch.arguments.end(), [](const auto& a) { return a.output; }));
}

}  // namespace

spec::ResolvedLaunch withInputs(spec::ResolvedLaunch launch, const Inputs& inputs) {
    for (auto& argument : launch.arguments) {
        if (argument.memory == spec::MemoryKind::Scalar || argument.fill != spec::Fill::Random || !isFloating(argument.type)) continue;
        argument.family = inputs.family;
        argument.nudge = inputs.nudge;
    }
    return launch;
}

bool ReferenceProvider::usesDevice() const noexcept {
    const auto kind = m_task->spec.reference.kind;
    return kind == spec::ReferenceKind::Kernel || kind == spec::ReferenceKind::Default;
}

ReferenceProvider::ReferenceProvider(std::shared_ptr<const Task> task, RunOriginal runOriginal)
    : m_task(std::move(task)), m_runOriginal(std::move(runOriginal)) {}

std::string ReferenceProvider::describe() const {
    switch (m_task->spec.reference.kind) {
    case spec::ReferenceKind::TorchScript: return "TorchScript in float64";
    case spec::ReferenceKind::Kernel: return "the reference kernel " + m_task->spec.reference.kernel.name;
    case spec::ReferenceKind::Arguments: return "recorded data";
    case spec::ReferenceKind::Default: return "the original kernel at its defaults (this checks for sameness only)";
    }
    return {};
}

Result<std::shared_ptr<const Expected>> ReferenceProvider::expected(const spec::ResolvedLaunch& launch, const spec::WorkloadSpec& workload,
                                                                    const Inputs& inputs) {
    std::string key = std::to_string(inputs.seed) + "/" + std::string(toString(inputs.family)) + "/" + std::to_string(inputs.nudge);
    for (const auto& [name, size] : workload.sizes) key += "," + name + "=" + std::to_string(size);
    for (const auto& argument : launch.arguments) {
        key += ";" + argument.name + ":" + std::to_string(argument.elements) + ":" + argument.scalar.repr();
    }
    key = contentHash(key);
    for (auto at = m_recent.begin(); at != m_recent.end(); ++at) {
        if (at->first != key) continue;
        m_recent.splice(m_recent.begin(), m_recent, at);
        return m_recent.front().second;
    }
    const auto begin = monotonicNs();
    WW_TRY(outputs, compute(launch, workload, inputs));
    auto made = std::make_shared<Expected>();
    made->outputs = std::move(outputs);
    made->seconds = static_cast<double>(monotonicNs() - begin) * 1e-9;

    std::size_t checked = 0;
    for (const auto& argument : launch.arguments) {
        if (!argument.output) continue;
        if (checked >= made->outputs.size()) break;
        if (made->outputs[checked].size() != argument.elements) {
            return fail(ErrorCode::InvalidSpec,
                        "the reference gives " + std::to_string(made->outputs[checked].size()) + " elements for \"" + argument.name +
                            "\" where the kernel writes " + std::to_string(argument.elements) + " (workload " + workload.name +
                            "); mend the reference or the argument's Size",
                        m_task->spec.file.string());
        }
        ++checked;
    }
    m_recent.emplace_front(std::move(key), made);
    std::size_t bytes = 0;
    for (auto at = m_recent.begin(); at != m_recent.end();) {
        for (const auto& values : at->second->outputs) bytes += values.size() * sizeof(double);
        const bool drop = at != m_recent.begin() &&
                          (bytes > kKeptBytes || static_cast<std::size_t>(std::distance(m_recent.begin(), at)) >= kKept);
        at = drop ? m_recent.erase(at) : std::next(at);
    }
    return std::shared_ptr<const Expected>(std::move(made));
}

Result<std::vector<std::vector<double>>> ReferenceProvider::compute(const spec::ResolvedLaunch& launch, const spec::WorkloadSpec& workload,
                                                                    const Inputs& inputs) const {
    if (checkedCount(launch) == 0) {
        return fail(ErrorCode::InvalidSpec,
                    "no argument is an output, so nothing can be checked: give one \"Output\": 1 or AccessType WriteOnly or ReadWrite",
                    m_task->spec.file.string());
    }
    switch (m_task->spec.reference.kind) {
    case spec::ReferenceKind::TorchScript: return evaluateScript(withInputs(launch, inputs), workload, inputs.seed);
    case spec::ReferenceKind::Arguments: return readArguments(launch);
    case spec::ReferenceKind::Kernel:
    case spec::ReferenceKind::Default: return m_runOriginal(workload, inputs);
    }
    return fail(ErrorCode::Internal, "unknown kind of reference");
}

Result<std::vector<std::vector<double>>> ReferenceProvider::evaluateScript(const spec::ResolvedLaunch& launch,
                                                                           const spec::WorkloadSpec& workload, std::uint64_t seed) const {
    const auto& reference = m_task->spec.reference;
    const std::string place = m_task->spec.file.string() + ": Warpwright.Reference";
    WW_TRY(torch, policy::torchModule());
    std::vector<policy::ReferenceInput> inputs;
    for (const auto& name : reference.inputs) {
        const auto argument = std::find_if(launch.arguments.begin(), launch.arguments.end(), [&](const auto& a) { return a.name == name; });
        if (argument != launch.arguments.end()) {
            if (argument->memory == spec::MemoryKind::Scalar) {
                if (argument->scalar.isFloat()) inputs.emplace_back(argument->scalar.asDouble());
                else inputs.emplace_back(argument->scalar.asInt());
                continue;
            }
            WW_TRY(bytes, contentsOf(*argument, seed));
            inputs.push_back(tensorOf(argument->type, bytes));
            continue;
        }
        if (const auto own = workload.sizes.find(name); own != workload.sizes.end()) {
            inputs.emplace_back(own->second);
        } else if (const auto size = m_task->spec.sizes.find(name); size != m_task->spec.sizes.end()) {
            inputs.emplace_back(size->second);
        } else {
            return fail(ErrorCode::InvalidSpec, "the input \"" + name + "\" is neither an argument nor a size", place);
        }
    }
    auto evaluated = torch->evaluate(reference.torchScript, inputs);
    if (!evaluated) return fail(evaluated.error().code, evaluated.error().message, place);

    // The script's outputs are named in its own order; the launch wants them in the arguments' order.
    std::vector<std::vector<double>> ordered;
    for (const auto& argument : launch.arguments) {
        if (!argument.output) continue;
        std::size_t at = ordered.size();
        if (!reference.outputs.empty()) {
            const auto named = std::find(reference.outputs.begin(), reference.outputs.end(), argument.name);
            if (named == reference.outputs.end()) {
                return fail(ErrorCode::InvalidSpec, "the reference has no output \"" + argument.name + "\", which the kernel writes: name it in Outputs", place);
            }
            at = static_cast<std::size_t>(named - reference.outputs.begin());
        }
        if (at >= evaluated->size()) {
            return fail(ErrorCode::InvalidSpec, "the reference returns " + std::to_string(evaluated->size()) + " outputs, too few for \"" + argument.name + "\"", place);
        }
        ordered.push_back((*evaluated)[at]);
    }
    return ordered;
}

Result<std::vector<std::vector<double>>> ReferenceProvider::readArguments(const spec::ResolvedLaunch& launch) const {
    std::vector<std::vector<double>> outputs;
    for (const auto& argument : launch.arguments) {
        if (!argument.output) continue;
        const auto& given = m_task->spec.reference.arguments;
        const auto found = std::find_if(given.begin(), given.end(), [&](const auto& one) { return one.target == argument.name; });
        if (found == given.end()) {
            return fail(ErrorCode::InvalidSpec, "ReferenceArguments say nothing of the output \"" + argument.name + "\"", m_task->spec.file.string());
        }
        // A reference argument is filled as an argument of the output's type would be.
        spec::ResolvedArgument filled = argument;
        filled.fill = found->fill;
        filled.fillValue = found->fillValue;
        filled.generator = found->generator ? found->generator->text() : std::string();
        filled.dataFile = found->dataSource.empty() || found->fill != spec::Fill::BinaryRaw
                              ? std::string()
                              : (m_task->spec.folder / found->dataSource).lexically_normal().string();
        WW_TRY(bytes, contentsOf(filled, 0));
        std::vector<double> values(argument.elements);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = loadAsDouble(argument.type, bytes.data() + i * sizeOf(argument.type));
        outputs.push_back(std::move(values));
    }
    return outputs;
}

}  // namespace ww::engine
