// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "expr/node.h"
#include "spec/parse_internal.h"

namespace ww::spec {
namespace {

namespace fs = std::filesystem;
using expr::Scope;
using expr::Value;

/// What a launch without device facts may ask for: the limits of every current GPU.
constexpr std::int64_t kMaxBlock[3] = {1024, 1024, 64};
constexpr std::int64_t kMaxGrid[3] = {2147483647, 65535, 65535};
constexpr std::int64_t kMaxThreads = 1024;
/// More bytes than any device has; keeps every later product inside 64 bits.
constexpr std::int64_t kMaxBufferBytes = std::int64_t{1} << 46;
/// CUDA's largest array along any axis.
constexpr std::int64_t kMaxTextureExtent = 131072;

std::string quoted(const std::string& what, const expr::Expression& expression) {
    return what + " = \"" + expression.text() + "\"";
}

Result<Value> evaluate(const std::string& what, const expr::Expression& expression, const Scope& scope) {
    auto value = expression.evaluate(scope);
    if (value) return value;
    return fail(ErrorCode::InvalidSpec, quoted(what, expression) + " cannot be evaluated: " + value.error().toString());
}

/// A whole number that is not negative. Errors: InvalidSpec naming the expression.
Result<std::int64_t> evaluateSize(const std::string& what, const expr::Expression& expression, const Scope& scope) {
    WW_TRY(value, evaluate(what, expression, scope));
    const auto whole = wholeNumber(value);
    if (!whole) {
        return fail(ErrorCode::InvalidSpec, quoted(what, expression) + " is " + value.repr() + ", which is no whole number; use // for whole divisions");
    }
    if (*whole < 0) return fail(ErrorCode::InvalidSpec, quoted(what, expression) + " is " + value.repr() + "; it must not be negative");
    return *whole;
}

std::int64_t factOr(const Scope& scope, const char* name, std::int64_t fallback) {
    const Value* fact = scope.find(name);
    return fact != nullptr && fact->isInt() ? fact->asInt() : fallback;
}

Result<void> resolveBlock(const Spec& spec, const Scope& scope, ResolvedLaunch& launch) {
    static constexpr const char* kFacts[3] = {"max_block_x", "max_block_y", "max_block_z"};
    std::int64_t threads = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!spec.localSize[axis]) continue;
        const std::string what = std::string("LocalSize.") + kAxis[axis];
        WW_TRY(size, evaluateSize(what, *spec.localSize[axis], scope));
        const std::int64_t limit = factOr(scope, kFacts[axis], kMaxBlock[axis]);
        if (size < 1 || size > limit) {
            return fail(ErrorCode::InvalidSpec, quoted(what, *spec.localSize[axis]) + " is " + std::to_string(size) + "; it must be 1 to " +
                                                    std::to_string(limit));
        }
        threads *= size;
        launch.block[axis] = static_cast<std::uint32_t>(size);
    }
    const std::int64_t limit = factOr(scope, "max_threads_per_block", kMaxThreads);
    if (threads <= limit) return {};
    return fail(ErrorCode::InvalidSpec, "LocalSize gives a block of " + std::to_string(threads) + " threads; at most " + std::to_string(limit) +
                                            " are allowed");
}

/// Without GridDiv and GlobalSize each problem dimension is cut into blocks.
Result<std::int64_t> gridFromProblem(const Spec& spec, std::size_t axis, std::int64_t block, const Scope& scope) {
    if (axis >= spec.problemSize.size()) return std::int64_t{1};
    const std::string what = "ProblemSize[" + std::to_string(axis) + "]";
    WW_TRY(size, evaluateSize(what, spec.problemSize[axis], scope));
    return size / block + (size % block != 0 ? 1 : 0);
}

Result<void> resolveGrid(const Spec& spec, const Scope& scope, ResolvedLaunch& launch) {
    static constexpr const char* kFacts[3] = {"max_grid_x", "max_grid_y", "max_grid_z"};
    bool anyGrid = false;
    for (std::size_t axis = 0; axis < 3; ++axis) anyGrid = anyGrid || !spec.gridDivisors[axis].empty() || spec.globalSize[axis];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Result<std::int64_t> blocks = std::int64_t{1};
        std::string what = std::string("GlobalSize.") + kAxis[axis];
        if (!spec.gridDivisors[axis].empty() && axis < spec.problemSize.size()) {
            blocks = gridFromDivisors(spec, axis, scope);
            what = std::string("GridDiv") + kAxis[axis];
        } else if (spec.globalSize[axis]) {
            blocks = gridFromGlobalSize(spec, axis, launch.block[axis], scope);
        } else if (!anyGrid) {
            blocks = gridFromProblem(spec, axis, launch.block[axis], scope);
            what = "ProblemSize[" + std::to_string(axis) + "]";
        }
        if (!blocks) return fail(std::move(blocks).error());
        const std::int64_t limit = factOr(scope, kFacts[axis], kMaxGrid[axis]);
        if (*blocks > limit) {
            return fail(ErrorCode::InvalidSpec, what + " gives a grid of " + std::to_string(*blocks) + " blocks in " + kAxis[axis] + "; at most " +
                                                    std::to_string(limit) + " are allowed");
        }
        launch.grid[axis] = static_cast<std::uint32_t>(*blocks);
        launch.empty = launch.empty || *blocks == 0;
    }
    return {};
}

Unexpected tooLarge(const std::string& what, const std::string& elements) {
    return fail(ErrorCode::InvalidSpec, what + " is " + elements + " elements, more than any device holds");
}

/// The texels of an array by its extents, which it puts into `extents`.
Result<std::int64_t> texelsOf(const ArgumentSpec& argument, std::int64_t most, const Scope& scope, TextureExtents& extents) {
    std::int64_t texels = 1;
    for (std::size_t axis = 0; axis < argument.extents.size(); ++axis) {
        const std::string what = "Arguments \"" + argument.name + "\".Size[" + std::to_string(axis) + "]";
        WW_TRY(extent, evaluateSize(what, argument.extents[axis], scope));
        if (extent < 1) return fail(ErrorCode::InvalidSpec, quoted(what, argument.extents[axis]) + " is 0; a texture has at least one texel along each axis");
        if (extent > kMaxTextureExtent || extent > most / texels) return tooLarge(quoted(what, argument.extents[axis]), std::to_string(extent));
        extents[axis] = static_cast<std::uint32_t>(extent);
        texels *= extent;
    }
    return texels;
}

Result<std::int64_t> elementsOf(const ArgumentSpec& argument, DType type, const Scope& scope, TextureExtents& extents) {
    const std::string what = "Arguments \"" + argument.name + "\".Size";
    const std::int64_t most = kMaxBufferBytes / (argument.components * static_cast<std::int64_t>(sizeOf(type)));
    if (!argument.extents.empty()) {
        WW_TRY(texels, texelsOf(argument, most, scope, extents));
        return texels * argument.components;
    }
    if (!argument.size) {
        if (argument.memory == MemoryKind::Symbol) return std::int64_t{argument.components};
        return fail(ErrorCode::InvalidSpec, what + " is missing; give the number of elements, or an expression for it");
    }
    auto size = evaluateSize(what, *argument.size, scope);
    if (!size) return size;
    if (*size > most) return tooLarge(what + " = \"" + argument.sizeText + "\"", std::to_string(*size));
    return *size * argument.components;
}

/// The value of a Scalar, in its type. Errors: InvalidSpec for a fraction or a number that the type cannot hold.
Result<Value> scalarOf(const ArgumentSpec& argument, DType type, const Scope& scope) {
    const std::string what = "the value of \"" + argument.name + "\"";
    Value value(argument.fillValue);
    if (argument.scalar) {
        WW_TRY(evaluated, evaluate(what, *argument.scalar, scope));
        value = evaluated;
    }
    if (!value.isNumber()) return fail(ErrorCode::InvalidSpec, what + " is " + value.repr() + "; it must be a number");
    if (isFloating(type)) return Value(value.asDouble());
    if (type == DType::Bool) return Value(value.truthy());
    const auto whole = wholeNumber(value);
    const int bits = static_cast<int>(sizeOf(type)) * 8;
    const std::int64_t high = bits == 64 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (isSigned(type) ? bits - 1 : bits)) - 1;
    const std::int64_t low = !isSigned(type) ? 0 : -high - 1;
    if (whole && *whole >= low && *whole <= high) return Value(*whole);
    return fail(ErrorCode::InvalidSpec, what + " is " + value.repr() + ", which is no " + argument.typeName);
}

void collectNames(const expr::Node& node, std::vector<const expr::Node*>& names) {
    if (node.kind == expr::Kind::Name && node.name != "i") names.push_back(&node);
    for (const auto& child : node.children) collectNames(child, names);
}

/// The generator with every size replaced by its number: the worker that runs it knows the index only.
Result<std::string> inIndexAlone(const ArgumentSpec& argument, const Scope& scope) {
    std::string text = argument.generator->text();
    std::vector<const expr::Node*> names;
    collectNames(argument.generator->root(), names);
    std::sort(names.begin(), names.end(), [](const auto* a, const auto* b) { return a->offset > b->offset; });
    for (const auto* node : names) {
        const Value* value = scope.find(node->name);
        if (value == nullptr) return fail(ErrorCode::InvalidSpec, "the Generator of \"" + argument.name + "\" names \"" + node->name + "\", which is no size");
        text.replace(node->offset, node->name.size(), value->repr());
    }
    return text;
}

Result<void> resolveArgument(const Spec& spec, const ArgumentSpec& argument, const WorkloadSpec& workload, const Scope& scope,
                             ResolvedLaunch& launch) {
    ResolvedArgument resolved;
    resolved.name = argument.name;
    const auto override = workload.dtypes.find(argument.name);
    resolved.type = override == workload.dtypes.end() ? argument.type : override->second;
    resolved.memory = argument.memory;
    resolved.access = argument.access;
    resolved.output = argument.output;
    resolved.fill = argument.fill;
    resolved.fillValue = argument.fillValue;
    if (argument.memory == MemoryKind::Scalar) {
        WW_TRY(value, scalarOf(argument, resolved.type, scope));
        resolved.scalar = value;
        launch.arguments.push_back(std::move(resolved));
        return {};
    }
    WW_TRY(elements, elementsOf(argument, resolved.type, scope, resolved.extents));
    resolved.components = argument.components;
    resolved.sampling = argument.sampling;
    resolved.elements = static_cast<std::uint64_t>(elements);
    if (argument.memory == MemoryKind::Local) {
        launch.dynamicSharedBytes += resolved.bytes();
        return {};
    }
    if (argument.generator) {
        WW_TRY(generator, inIndexAlone(argument, scope));
        resolved.generator = generator;
    }
    if (argument.fill == Fill::BinaryRaw) {
        WW_TRY(file, dataFileInside(spec.folder, argument.dataSource));
        std::error_code failed;
        const auto bytes = fs::file_size(file, failed);
        if (failed) return fail(ErrorCode::NotFound, "the data file of \"" + argument.name + "\" cannot be read", file.string());
        if (bytes < resolved.bytes()) {
            return fail(ErrorCode::InvalidSpec, "the data file of \"" + argument.name + "\" holds " + std::to_string(bytes) + " bytes where " +
                                                    std::to_string(resolved.bytes()) + " are needed", file.string());
        }
        resolved.dataFile = file.string();
    }
    launch.arguments.push_back(std::move(resolved));
    return {};
}

}  // namespace

Result<std::int64_t> gridFromDivisors(const Spec& spec, std::size_t axis, const Scope& scope) {
    const std::string problem = "ProblemSize[" + std::to_string(axis) + "]";
    WW_TRY(size, evaluateSize(problem, spec.problemSize[axis], scope));
    double divisor = 1;
    for (std::size_t i = 0; i < spec.gridDivisors[axis].size(); ++i) {
        const auto& expression = spec.gridDivisors[axis][i];
        const std::string what = std::string("GridDiv") + kAxis[axis] + "[" + std::to_string(i) + "]";
        WW_TRY(value, evaluate(what, expression, scope));
        if (!value.isNumber() || !(value.asDouble() > 0)) {
            return fail(ErrorCode::InvalidSpec, quoted(what, expression) + " is " + value.repr() + "; it must be above 0");
        }
        divisor *= value.asDouble();
    }
    if (const auto whole = wholeNumber(Value(divisor)); whole && *whole > 0) return size / *whole + (size % *whole != 0 ? 1 : 0);
    const double blocks = std::ceil(static_cast<double>(size) / divisor);
    if (!(blocks < 4.6e18)) return fail(ErrorCode::InvalidSpec, std::string("GridDiv") + kAxis[axis] + " gives more blocks than any device launches");
    return static_cast<std::int64_t>(blocks);
}

Result<std::int64_t> gridFromGlobalSize(const Spec& spec, std::size_t axis, std::int64_t block, const Scope& scope) {
    const std::string what = std::string("GlobalSize.") + kAxis[axis];
    WW_TRY(size, evaluateSize(what, *spec.globalSize[axis], scope));
    if (!spec.globalSizeIsThreads) return size;
    if (size % block == 0) return size / block;
    return fail(ErrorCode::InvalidSpec, quoted(what, *spec.globalSize[axis]) + " is " + std::to_string(size) + " threads (GlobalSizeType OpenCL), no multiple of the " +
                                            std::to_string(block) + " of LocalSize." + kAxis[axis]);
}

Result<fs::path> dataFileInside(const fs::path& folder, const std::string& file) {
    std::error_code failed;
    const fs::path root = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, failed);
    const fs::path path = fs::weakly_canonical(root / file, failed);
    const auto [end, unused] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
    (void)unused;
    if (!file.empty() && !failed && end == root.end() && path != root) return path;
    return fail(ErrorCode::InvalidSpec, "the data file \"" + file + "\" is not inside the spec's folder " + root.string() + "; move it there");
}

Result<void> setWorkloadNames(const Spec& spec, const WorkloadSpec& workload, Scope& scope) {
    for (const auto& [name, value] : spec.sizes) scope.set(name, Value(value));
    for (const auto& [name, value] : workload.sizes) scope.set(name, Value(value));
    static constexpr const char* kNames[3] = {"problem_size_x", "problem_size_y", "problem_size_z"};
    Value::Tuple problem;
    for (std::size_t axis = 0; axis < spec.problemSize.size(); ++axis) {
        WW_TRY(size, evaluateSize("ProblemSize[" + std::to_string(axis) + "]", spec.problemSize[axis], scope));
        problem.emplace_back(size);
        scope.set(kNames[axis], Value(size));
    }
    if (!problem.empty()) scope.set("ProblemSize", Value(std::move(problem)));
    return {};
}

Result<Scope> constantsFor(const Spec& spec, const WorkloadSpec& workload, const Scope* deviceFacts) {
    Scope scope;  // flat, so that it outlives the caller's facts
    if (deviceFacts != nullptr) {
        for (const auto& name : deviceFacts->names()) scope.set(name, *deviceFacts->find(name));
    }
    WW_CHECK(setWorkloadNames(spec, workload, scope));
    return scope;
}

Result<ResolvedLaunch> resolveLaunch(const Spec& spec, const Scope& configurationScope, const WorkloadSpec& workload) {
    Scope scope(&configurationScope);
    WW_CHECK(setWorkloadNames(spec, workload, scope));
    ResolvedLaunch launch;
    WW_CHECK(resolveBlock(spec, scope, launch));
    WW_CHECK(resolveGrid(spec, scope, launch));
    for (const auto& argument : spec.arguments) WW_CHECK(resolveArgument(spec, argument, workload, scope, launch));
    if (spec.sharedMemory) {
        WW_TRY(bytes, evaluateSize("SharedMemory", *spec.sharedMemory, scope));
        launch.dynamicSharedBytes += static_cast<std::uint64_t>(bytes);
    }
    return launch;
}

}  // namespace ww::spec
