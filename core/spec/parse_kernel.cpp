// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>

#include "spec/parse_internal.h"

namespace ww::spec {
namespace {

using expr::Value;
using OptionalExpression = std::optional<expr::Expression>;

Unexpected unknownWord(const std::string& path, const std::string& word, const char* choices) {
    return fail(ErrorCode::InvalidSpec, path + " is \"" + word + "\"; it must be one of " + choices);
}

/// {"X": .., "Y": .., "Z": ..}, a list of up to three, or one expression for X.
Result<std::array<OptionalExpression, 3>> readDimensions(const Reader& kernel, Keys keys) {
    std::array<OptionalExpression, 3> all;
    const Json* value = kernel.find(keys);
    if (value == nullptr) return all;
    if (value->is_object()) {
        WW_TRY(reader, Reader::from(*value, kernel.pathOf(*keys.begin())));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            WW_TRY(dimension, reader.expression({kAxis[axis]}));
            all[axis] = dimension;
        }
        return all;
    }
    WW_TRY(list, kernel.expressions(keys));
    if (list->size() > 3) return wrongType(kernel.pathOf(*keys.begin()), "at most three sizes", *value);
    std::copy(list->begin(), list->end(), all.begin());
    return all;
}

Result<void> readFillValue(const Reader& reader, ArgumentSpec& argument) {
    const Json* value = reader.find({"FillValue", "Value"});
    const std::string path = reader.pathOf("FillValue");
    argument.fillValue = argument.fill == Fill::Random ? 1 : 0;
    if (value == nullptr) return {};
    if (value->is_number() || value->is_boolean()) {
        argument.fillValue = value->is_boolean() ? (value->get<bool>() ? 1 : 0) : value->get<double>();
        // Integers beyond 2^53 survive as an expression.
        if (argument.memory == MemoryKind::Scalar && value->is_number_integer() && std::abs(argument.fillValue) > 9e15) {
            WW_TRY(exact, expressionFrom(*value, path));
            argument.scalar = exact;
        }
        return {};
    }
    if (!value->is_string()) return wrongType(path, "a number", *value);
    WW_TRY(expression, expressionFrom(*value, path));
    if (argument.memory == MemoryKind::Scalar) {
        argument.scalar = expression;
        return {};
    }
    auto constant = expression.evaluate(expr::Scope{});
    if (!constant || !constant->isNumber()) return wrongType(path, "a number (only Scalar arguments take an expression)", *value);
    argument.fillValue = constant->asDouble();
    return {};
}

Result<void> readFill(const Reader& reader, ArgumentSpec& argument) {
    WW_TRY(word, reader.text({"FillType"}));
    WW_TRY(source, reader.text({"DataSource"}));
    argument.dataSource = source.value_or("");
    if (word) {
        static constexpr Fill kFills[] = {Fill::Constant, Fill::Random, Fill::BinaryRaw, Fill::Generator, Fill::Script, Fill::Constant, Fill::Script};
        const auto index = wordIndex(*word, {"Constant", "Random", "BinaryRaw", "Generator", "Script", "Uninitialized", "BinaryHDF"});
        if (!index) return unknownWord(reader.pathOf("FillType"), *word, "Constant, Random, Generator, BinaryRaw, Script");
        argument.fill = kFills[*index];
        if (*index == 6) argument.dataSource = "BinaryHDF file " + argument.dataSource;
    }
    if (argument.fill == Fill::Generator) {
        // Foreign code simply is none of our expressions; checkTunable() tells it. Names are looked at when all sizes are known.
        if (auto generator = expr::Expression::parse(argument.dataSource)) argument.generator = *generator;
    }
    return readFillValue(reader, argument);
}

Result<void> readAccess(const Reader& reader, ArgumentSpec& argument, Spec& spec) {
    WW_TRY(access, reader.text({"AccessType"}));
    WW_TRY(output, reader.flag({"Output"}));
    if (access) {
        static constexpr Access kAccesses[] = {Access::ReadOnly, Access::WriteOnly, Access::ReadWrite};
        const auto index = wordIndex(*access, {"ReadOnly", "WriteOnly", "ReadWrite"});
        if (!index) return unknownWord(reader.pathOf("AccessType"), *access, "ReadOnly, WriteOnly, ReadWrite");
        argument.access = kAccesses[*index];
    }
    if (output.value_or(false) && argument.access == Access::ReadOnly) {
        argument.access = Access::ReadWrite;
        if (access) spec.notes.push_back(reader.pathOf("AccessType") + " is ReadOnly beside Output: 1; \"" + argument.name + "\" is taken as ReadWrite");
    }
    const bool buffer = argument.memory == MemoryKind::Vector || argument.memory == MemoryKind::Symbol;
    argument.output = buffer && output.value_or(argument.access != Access::ReadOnly);
    return {};
}

/// A number of elements; of a texture that is an array also the list of its extents.
Result<void> readSize(const Reader& reader, ArgumentSpec& argument, const Spec& spec) {
    if (argument.memory == MemoryKind::Scalar) return {};
    const Json* given = reader.find({"Size", "Length"});
    if (given == nullptr) return {};
    const std::string path = reader.pathOf("Size");
    const auto bounded = [&](const expr::Expression& size) { return expressionFrom(Json(replaceDomainBounds(size.text(), spec.parameters)), path); };
    if (argument.memory == MemoryKind::Texture && given->is_array()) {
        if (given->empty() || given->size() > 3) return wrongType(path, "one to three sizes: width, height and depth in texels", *given);
        WW_TRY(sizes, reader.expressions({"Size", "Length"}));
        for (const auto& size : *sizes) {
            WW_TRY(extent, bounded(size));
            argument.extents.push_back(extent);
        }
        return {};
    }
    WW_TRY(size, reader.expression({"Size", "Length"}));
    argument.sizeText = size->text();
    WW_TRY(elements, bounded(*size));
    argument.size = elements;
    return {};
}

template <typename Enum>
Result<void> readWord(const Reader& reader, std::string_view key, Keys words, const char* choices, Enum& into) {
    WW_TRY(word, reader.text({key}));
    if (!word) return {};
    const auto index = wordIndex(*word, words);
    if (!index) return unknownWord(reader.pathOf(key), *word, choices);
    into = static_cast<Enum>(*index);
    return {};
}

/// What the devices have no texture for, in words; empty where it can be made.
std::string textureProblem(const ArgumentSpec& argument) {
    const TextureSampling& sampling = argument.sampling;
    const std::size_t bytes = sizeOf(argument.type);
    const bool integers = !isFloating(argument.type) && argument.type != DType::Bool;
    if ((argument.type != DType::Float32 && (!integers || bytes > 4)) || (argument.components != 1 && argument.components != 2 && argument.components != 4)) {
        return "texels are float or integers of up to 32 bits, alone or as vectors of 2 or 4, not \"" + argument.typeName + "\"";
    }
    if (argument.access != Access::ReadOnly) return "a texture is read only; leave AccessType and Output out";
    if (sampling.read == TextureRead::NormalizedFloat && (!integers || bytes > 2)) return "Read NormalizedFloat is for integers of 8 and 16 bits";
    if (sampling.filter == TextureFilter::Linear && integers && sampling.read == TextureRead::Element) {
        return "linear filtering gives floats; use float texels, or Read NormalizedFloat";
    }
    const bool periodic = sampling.address == TextureAddress::Wrap || sampling.address == TextureAddress::Mirror;
    if (periodic && !sampling.normalized) return "Address Wrap and Mirror need Normalized coordinates (CUDA clamps others)";
    const bool plain = sampling.filter == TextureFilter::Point && sampling.address == TextureAddress::Clamp && !sampling.normalized;
    if (argument.size && !plain) {
        return "a texture of linear memory (Size is one number) is read by tex1Dfetch and knows no Filter, Address and Normalized; write Size as a list for "
               "tex1D, tex2D and tex3D";
    }
    return {};
}

Result<void> readTexture(const Reader& reader, ArgumentSpec& argument) {
    WW_TRY(texture, reader.object({"Texture"}));
    if (texture) {
        WW_CHECK(readWord(*texture, "Filter", {"Point", "Linear"}, "Point, Linear", argument.sampling.filter));
        WW_CHECK(readWord(*texture, "Address", {"Clamp", "Wrap", "Mirror", "Border"}, "Clamp, Wrap, Mirror, Border", argument.sampling.address));
        WW_CHECK(readWord(*texture, "Read", {"Element", "NormalizedFloat"}, "Element, NormalizedFloat", argument.sampling.read));
        WW_TRY(normalized, texture->flag({"Normalized"}));
        argument.sampling.normalized = normalized.value_or(false);
    }
    const std::string problem = textureProblem(argument);
    if (problem.empty()) return {};
    return fail(ErrorCode::InvalidSpec, reader.pathOf("Texture") + ": the texture \"" + argument.name + "\" cannot be made: " + problem);
}

Result<void> readArgument(const Reader& reader, std::size_t index, Spec& spec) {
    ArgumentSpec argument;
    WW_TRY(name, reader.text({"Name"}));
    argument.name = name.value_or("arg" + std::to_string(index));
    if (spec.findArgument(argument.name) != nullptr) {
        return fail(ErrorCode::InvalidSpec, reader.pathOf("Name") + ": the argument \"" + argument.name + "\" is given twice; rename one of them");
    }
    WW_TRY(type, reader.text({"Type"}));
    if (!type) return fail(ErrorCode::InvalidSpec, reader.pathOf("Type") + " is missing; give the element type, such as \"float\"");
    argument.typeName = *type;
    if (const auto element = elementTypeFrom(*type)) std::tie(argument.type, argument.components) = *element;

    WW_TRY(typeSize, reader.integer({"TypeSize"}));
    const auto bytes = static_cast<std::int64_t>(sizeOf(argument.type)) * argument.components;
    if (typeSize && elementTypeFrom(*type) && *typeSize != bytes) {
        spec.notes.push_back(reader.pathOf("TypeSize") + " is " + std::to_string(*typeSize) + ", but a " + *type + " has " + std::to_string(bytes) + " bytes; the type wins");
    }
    WW_TRY(memory, reader.text({"MemoryType"}));
    WW_TRY(memType, reader.text({"MemType"}));
    if (memory) {
        static constexpr MemoryKind kKinds[] = {MemoryKind::Scalar, MemoryKind::Vector, MemoryKind::Local, MemoryKind::Symbol, MemoryKind::Texture};
        const auto kind = wordIndex(*memory, {"Scalar", "Vector", "Local", "Symbol", "Texture"});
        if (!kind) return unknownWord(reader.pathOf("MemoryType"), *memory, "Scalar, Vector, Local, Symbol, Texture");
        argument.memory = kKinds[*kind];
    } else {
        argument.memory = reader.find({"Size", "Length"}) == nullptr ? MemoryKind::Scalar : MemoryKind::Vector;
    }
    // Kernel Tuner's word for a __constant__ array that is no argument of the kernel.
    if (memType && foldKey(*memType) == "constant" && argument.memory == MemoryKind::Vector) argument.memory = MemoryKind::Symbol;

    WW_CHECK(readSize(reader, argument, spec));
    WW_CHECK(readFill(reader, argument));
    WW_CHECK(readAccess(reader, argument, spec));
    if (argument.memory == MemoryKind::Texture) WW_CHECK(readTexture(reader, argument));
    spec.arguments.push_back(std::move(argument));
    return {};
}

/// Why recorded results cannot be compared with, or "".
std::string whyNotAReference(const Spec& spec) {
    for (const auto& reference : spec.reference.arguments) {
        const bool ofIndex = reference.generator && std::all_of(reference.generator->names().begin(), reference.generator->names().end(),
                                                                [](const auto& name) { return name == "i"; });
        if (reference.fill == Fill::Script || reference.fill == Fill::Random || (reference.fill == Fill::Generator && !ofIndex)) {
            return "\"" + reference.target + "\" is made by foreign code or at random";
        }
        if (reference.fill != Fill::BinaryRaw) continue;
        // Random inputs are drawn anew for each trial here; a recorded result belongs to one draw of another program.
        for (const auto& argument : spec.arguments) {
            const bool input = argument.memory == MemoryKind::Vector && argument.access != Access::WriteOnly && !argument.output;
            if (input && argument.fill == Fill::Random) return "\"" + reference.target + "\" was recorded, but the input \"" + argument.name + "\" is random";
        }
    }
    for (const auto& argument : spec.arguments) {
        const bool covered = std::any_of(spec.reference.arguments.begin(), spec.reference.arguments.end(), [&](const auto& r) { return r.target == argument.name; });
        if (argument.output && !covered) return "they say nothing of the output \"" + argument.name + "\"";
    }
    return "";
}

Result<void> readReferenceArguments(const Reader& kernel, Spec& spec) {
    WW_TRY(list, kernel.objects({"ReferenceArguments"}));
    for (const Reader& reader : list) {
        WW_TRY(target, reader.text({"TargetName"}));
        if (!target) return fail(ErrorCode::InvalidSpec, reader.pathOf("TargetName") + " is missing; name the argument to compare with");
        if (spec.findArgument(*target) == nullptr) {
            return fail(ErrorCode::InvalidSpec, reader.pathOf("TargetName") + ": there is no argument \"" + *target + "\"");
        }
        ArgumentSpec data;  // the fill keys are those of an argument
        WW_CHECK(readFill(reader, data));
        ReferenceArgument reference{*target, data.fill, data.fillValue, data.dataSource, data.generator, "", 0};
        WW_TRY(method, reader.text({"ValidationMethod"}));
        if (method && !wordIndex(*method, {"AbsoluteDifference", "SideBySideComparison", "SideBySideRelativeComparison"})) {
            return unknownWord(reader.pathOf("ValidationMethod"), *method, "AbsoluteDifference, SideBySideComparison, SideBySideRelativeComparison");
        }
        reference.method = method.value_or("");
        WW_TRY(threshold, reader.number({"ValidationThreshold"}));
        reference.threshold = threshold.value_or(0);
        spec.reference.arguments.push_back(std::move(reference));
    }
    if (list.empty()) return {};
    const std::string why = whyNotAReference(spec);
    if (why.empty()) {
        spec.reference.kind = ReferenceKind::Arguments;
        for (const auto& reference : spec.reference.arguments) {
            if (const auto tolerance = toleranceOf(reference)) spec.tolerance.outputs[reference.target] = *tolerance;
        }
    } else {
        spec.notes.push_back("the ReferenceArguments cannot be used (" + why + "); the kernel at its default parameters is the reference");
    }
    return {};
}

Result<void> readLaunch(const Reader& root, const Reader& kernel, Spec& spec) {
    WW_TRY(block, readDimensions(kernel, {"LocalSize", "BlockSize"}));
    spec.localSize = block;
    WW_TRY(global, readDimensions(kernel, {"GlobalSize", "GridSize"}));
    spec.globalSize = global;
    WW_TRY(sizeType, kernel.text({"GlobalSizeType"}));
    if (sizeType) {
        const auto kind = wordIndex(*sizeType, {"CUDA", "OpenCL", "Vulkan"});
        if (!kind) return unknownWord(kernel.pathOf("GlobalSizeType"), *sizeType, "CUDA (blocks), OpenCL (threads)");
        spec.globalSizeIsThreads = *kind == 1;
    }
    static constexpr std::string_view kDivisorKeys[3] = {"GridDivX", "GridDivY", "GridDivZ"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        WW_TRY(divisors, kernel.expressions({kDivisorKeys[axis]}));
        if (!divisors) continue;
        spec.gridDivisors[axis] = *divisors;
        // An empty list means "divided by nothing", which is not the same as no list.
        if (divisors->empty()) {
            WW_TRY(one, expr::Expression::parse("1"));
            spec.gridDivisors[axis].push_back(one);
        }
    }
    const Reader& place = kernel.find({"ProblemSize"}) != nullptr ? kernel : root;
    WW_TRY(problem, place.expressions({"ProblemSize"}));
    if (problem && problem->size() > 3) return wrongType(place.pathOf("ProblemSize"), "at most three sizes", *place.find({"ProblemSize"}));
    if (problem) spec.problemSize = *problem;
    WW_TRY(shared, kernel.expression({"SharedMemory"}));
    spec.sharedMemory = shared;
    return {};
}

}  // namespace

std::optional<std::pair<DType, int>> elementTypeFrom(std::string_view typeName) {
    std::string name;
    for (const char c : typeName) {
        if (c != '*' && c != '&') name += c;
    }
    if (name.starts_with("const ")) name.erase(0, 6);
    while (!name.empty() && name.back() == ' ') name.pop_back();
    if (const auto scalar = dtypeFrom(name)) return std::pair{*scalar, 1};
    const auto digits = name.find_last_not_of("0123456789");
    if (digits == std::string::npos || digits + 1 == name.size()) return std::nullopt;
    const std::string count = name.substr(digits + 1);
    if (count != "1" && count != "2" && count != "3" && count != "4" && count != "8" && count != "16") return std::nullopt;
    std::string base = name.substr(0, digits + 1);
    if (base == "longlong") base = "long long";
    if (base == "ulonglong" || base == "ulong") base = "unsigned long";
    if (base == "__nv_bfloat") return std::nullopt;
    const auto element = dtypeFrom(base);
    if (!element || *element == DType::Bool) return std::nullopt;
    return std::pair{*element, std::stoi(count)};
}

std::optional<Tolerance> toleranceOf(const ReferenceArgument& reference) {
    if (reference.threshold <= 0) return std::nullopt;
    const bool relative = foldKey(reference.method) == foldKey("SideBySideRelativeComparison");
    return Tolerance{reference.threshold, relative ? 0 : reference.threshold};
}

std::string replaceDomainBounds(std::string_view text, const std::vector<space::Parameter>& parameters) {
    std::string result(text);
    for (const auto& parameter : parameters) {
        const bool numbers = std::all_of(parameter.values.begin(), parameter.values.end(), [](const Value& v) { return v.isNumber(); });
        if (!numbers) continue;
        const auto [low, high] = std::minmax_element(parameter.values.begin(), parameter.values.end(),
                                                     [](const Value& a, const Value& b) { return a.asDouble() < b.asDouble(); });
        for (const auto& [function, value] : {std::pair{"max", *high}, std::pair{"min", *low}}) {
            for (std::size_t at = result.find(function); at != std::string::npos; at = result.find(function, at + 1)) {
                if (at > 0 && (std::isalnum(static_cast<unsigned char>(result[at - 1])) != 0 || result[at - 1] == '_')) continue;
                const auto skip = [&](std::size_t from) { return std::min(result.find_first_not_of(" \t", from), result.size()); };
                std::size_t end = skip(at + 3);
                if (end >= result.size() || result[end] != '(') continue;
                end = skip(end + 1);
                if (result.compare(end, parameter.name.size(), parameter.name) != 0) continue;
                end = skip(end + parameter.name.size());
                if (end >= result.size() || result[end] != ')') continue;
                result.replace(at, end + 1 - at, "(" + value.repr() + ")");
            }
        }
    }
    return result;
}

Result<void> readKernel(const Reader& root, Spec& spec) {
    WW_TRY(kernel, root.object({"KernelSpecification"}));
    if (!kernel) return {};
    WW_TRY(language, kernel->text({"Language"}));
    if (language) spec.language = *language;
    WW_TRY(benchmark, kernel->text({"BenchmarkName"}));
    if (benchmark && spec.name.empty()) spec.name = *benchmark;
    WW_TRY(name, kernel->text({"KernelName"}));
    spec.kernelName = name.value_or("");
    WW_TRY(file, kernel->text({"KernelFile"}));
    if (file && !file->empty()) spec.kernelFile = (spec.folder / *file).lexically_normal();
    WW_TRY(options, kernel->texts({"CompilerOptions"}));
    spec.compilerOptions = options;
    WW_CHECK(readLaunch(root, *kernel, spec));
    WW_TRY(arguments, kernel->objects({"Arguments"}));
    for (std::size_t i = 0; i < arguments.size(); ++i) WW_CHECK(readArgument(arguments[i], i, spec));
    return readReferenceArguments(*kernel, spec);
}

}  // namespace ww::spec
