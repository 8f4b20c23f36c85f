// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <algorithm>
#include <array>
#include <cctype>

#include "spec/parse_internal.h"

namespace ww::spec {
namespace {

namespace fs = std::filesystem;
using source::Entry;
using source::SourceModel;

constexpr std::int64_t kProblemElements = std::int64_t{1} << 20;
constexpr std::int64_t kUsualBlock = 256;

/// Code without comments and string literals, so that a word in prose is no construct.
std::string codeOnly(std::string_view text) {
    std::string code;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view rest = text.substr(i);
        if (rest.starts_with("//")) {
            i = std::min(text.find('\n', i), text.size() - 1);
            code += '\n';
        } else if (rest.starts_with("/*")) {
            const auto end = text.find("*/", i + 2);
            i = end == std::string_view::npos ? text.size() : end + 1;
            code += ' ';
        } else if (text[i] == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
            code += "\"\"";
        } else {
            code += text[i];
        }
    }
    return code;
}

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Positions of `name` as a whole word.
std::vector<std::size_t> occurrences(std::string_view code, std::string_view name) {
    std::vector<std::size_t> found;
    for (auto at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !isWord(code[at - 1])) && (end >= code.size() || !isWord(code[end]))) found.push_back(at);
    }
    return found;
}

/// Whether `index` is a variable that the code defines as the global index of the thread.
bool isGlobalIndex(std::string_view code, const std::string& index) {
    if (index.empty() || !std::all_of(index.begin(), index.end(), isWord)) return false;
    for (const auto at : occurrences(code, index)) {
        const auto begin = code.find_first_not_of(" \t\n", at + index.size());
        if (begin == std::string_view::npos || code[begin] != '=' || code.substr(begin).starts_with("==")) continue;
        const auto statement = code.substr(begin, code.find(';', begin) - begin);
        return statement.find("blockIdx.x") != std::string_view::npos && statement.find("threadIdx.x") != std::string_view::npos;
    }
    return false;
}

/// Whether every use of `pointer` is `pointer[i] = ...` with the thread's global index: then nothing of it is read, and
/// every element is written. Any other use may read, so the answer is no.
bool isOnlyWritten(std::string_view code, const std::string& pointer) {
    const auto uses = occurrences(code, pointer);
    return !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](std::size_t at) {
        const auto open = code.find_first_not_of(" \t\n", at + pointer.size());
        if (open == std::string_view::npos || code[open] != '[') return false;
        const auto close = code.find(']', open);
        if (close == std::string_view::npos) return false;
        const auto next = code.find_first_not_of(" \t\n", close + 1);
        if (next == std::string_view::npos || code[next] != '=' || code.substr(next).starts_with("==")) return false;
        return isGlobalIndex(code, std::string(code.substr(open + 1, close - open - 1)));
    });
}

/// Error text for what a bare kernel cannot tell.
Unexpected needsSpec(const fs::path& file, const Entry& entry, const std::string& why, const std::string& give) {
    return fail(ErrorCode::InvalidSpec, "the kernel \"" + entry.name + "\" " + why + ", so its launch cannot be guessed; write a spec (`warpwright-cli spec` shows the form) that gives " +
                                            give, file.string() + ", line " + std::to_string(entry.line));
}

bool looksLikeProblemSize(const std::string& name) {
    return wordIndex(name, {"n", "m", "k", "size", "length", "width", "height", "rows", "cols", "columns", "numelements"}).has_value();
}

void takeParameters(const SourceModel& model, const Entry& entry, Spec& spec) {
    for (const auto& site : model.parameters) {
        if (!site.tunable || site.proposedValues.empty()) continue;
        if (site.kind == source::SiteKind::TemplateParameter &&
            std::none_of(entry.templateParameters.begin(), entry.templateParameters.end(), [&](const auto& p) { return p.name == site.name; })) {
            continue;
        }
        if (looksLikeProblemSize(site.name)) {
            spec.notes.push_back(site.name + " is left as it is: it looks like a problem size; a spec can make it a parameter");
            continue;
        }
        if (const auto reason = whyNotAName(site.name); !reason.empty()) {
            spec.notes.push_back(site.name + " is left as it is: the name " + reason);
            continue;
        }
        space::Parameter parameter;
        parameter.name = site.name;
        parameter.values = site.proposedValues;
        parameter.defaultIndex = site.defaultValue ? parameter.indexOf(*site.defaultValue).value_or(0) : 0;
        parameter.scale = proposedScale(parameter.values);
        std::string domain;
        for (const auto& value : parameter.values) domain += (domain.empty() ? "" : ", ") + value.display();
        spec.notes.push_back("parameter " + site.name + ": proposed values " + domain);
        spec.parameters.push_back(std::move(parameter));
    }
}

bool looksLikeBlockSize(const std::string& name) {
    return wordIndex(name, {"BLOCK_SIZE", "BLOCK", "BLOCKDIM", "BLOCK_DIM", "BLOCK_SIZE_X", "BLOCK_X", "BLOCK_DIM_X", "BLOCK_THREADS", "BLOCKSZ", "THREADS",
                            "NUM_THREADS", "NTHREADS", "THREADS_PER_BLOCK", "TPB", "THREAD_COUNT", "WORK_GROUP_SIZE", "WORK_GROUP_SIZE_X", "GROUP_SIZE",
                            "TB_SIZE", "WG_SIZE"})
        .has_value();
}

/// Whether the code indexes blocks by this name: `blockIdx.x * NAME + threadIdx.x`, in either order.
bool indexesBlocksBy(std::string_view code, const std::string& name) {
    std::string dense;
    std::copy_if(code.begin(), code.end(), std::back_inserter(dense), [](char c) { return c != ' ' && c != '\t' && c != '\n' && c != '\r'; });
    const auto endsWord = [&](std::size_t at) {
        return at >= dense.size() || !(std::isalnum(static_cast<unsigned char>(dense[at])) != 0 || dense[at] == '_');
    };
    const std::string after = "blockIdx.x*" + name, before = name + "*blockIdx.x";
    if (const auto at = dense.find(after); at != std::string::npos && endsWord(at + after.size())) return true;
    const auto at = dense.find(before);
    return at != std::string::npos && (at == 0 || endsWord(at - 1));
}

/// The block: a macro that looks like it, else the launch bounds, else 256 threads; a parameter where the kernel reads blockDim.
std::string chooseBlock(const SourceModel& model, const Entry& entry, std::string_view code, Spec& spec) {
    const auto fits = [](const space::Parameter& parameter) {
        return std::all_of(parameter.values.begin(), parameter.values.end(), [](const auto& v) { return v.isInt() && v.asInt() >= 1; });
    };
    for (const auto& parameter : spec.parameters) {
        if (!looksLikeBlockSize(parameter.name) || !fits(parameter)) continue;
        spec.notes.push_back("a block has " + parameter.name + " threads, going by the name");
        return parameter.name;
    }
    for (const auto& parameter : spec.parameters) {
        if (!fits(parameter) || !indexesBlocksBy(code, parameter.name)) continue;
        spec.notes.push_back("a block has " + parameter.name + " threads, since the kernel multiplies blockIdx.x by it");
        return parameter.name;
    }
    for (const auto& site : model.parameters) {  // a block size that cannot be tuned is still the block size
        if (!looksLikeBlockSize(site.name) || !site.defaultValue || !site.defaultValue->isInt()) continue;
        const auto threads = site.defaultValue->asInt();
        if (threads < 1 || threads > 1024) continue;
        spec.notes.push_back("a block has " + std::to_string(threads) + " threads, as " + site.name + " says");
        return std::to_string(threads);
    }
    std::int64_t threads = kUsualBlock;
    const std::string bounds = entry.launchBounds.substr(0, entry.launchBounds.find(','));
    if (auto parsed = expr::Expression::parse(bounds); parsed && !bounds.empty()) {
        if (auto value = parsed->evaluate(expr::Scope{}); value && wholeNumber(*value).value_or(0) > 0) {
            threads = std::min(threads, *wholeNumber(*value));
        }
    }
    const bool fixedShared = std::any_of(model.sharedArrays.begin(), model.sharedArrays.end(), [](const auto& a) { return !a.dynamic; });
    if (fixedShared || code.find("blockDim.x") == std::string_view::npos || threads != kUsualBlock || whyNotAName("block_size_x") != "") {
        spec.notes.push_back("no parameter looks like the block size: a block has " + std::to_string(threads) + " threads");
        return std::to_string(threads);
    }
    space::Parameter parameter;
    parameter.name = "block_size_x";
    for (std::int64_t size = 32; size <= 1024; size *= 2) parameter.values.emplace_back(size);
    parameter.defaultIndex = parameter.indexOf(expr::Value(kUsualBlock)).value_or(0);
    parameter.scale = space::Scale::Log2;
    parameter.site = space::Site::Launch;
    parameter.label = "Threads per block";
    spec.siteGiven.push_back(parameter.name);
    spec.parameters.push_back(std::move(parameter));
    spec.notes.push_back("the kernel takes its block size from the launch: block_size_x is a parameter, 32 to 1024 threads");
    return "block_size_x";
}

/// The type of an argument with the entry's type parameters replaced by their defaults.
std::string concreteType(const Entry& entry, const std::string& type) {
    for (const auto& parameter : entry.templateParameters) {
        if (parameter.name == type && parameter.defaultText) return *parameter.defaultText;
    }
    return type;
}

Result<void> takeArgument(const fs::path& file, const Entry& entry, const source::KernelArgument& given, std::string_view code,
                          const std::string& size, Spec& spec) {
    ArgumentSpec argument;
    argument.name = given.name;
    argument.typeName = concreteType(entry, given.type);
    const auto element = elementTypeFrom(argument.typeName);
    if (!element || argument.typeName.find('*') != std::string::npos) {
        return needsSpec(file, entry, std::string("takes \"") + given.name + "\", " + (given.pointer ? "a pointer to " : "a ") + argument.typeName + ", which is no scalar or vector type",
                         "KernelSpecification.Arguments for a kernel whose arguments are numbers and arrays of numbers");
    }
    std::tie(argument.type, argument.components) = *element;
    if (given.pointer) {
        argument.memory = MemoryKind::Vector;
        WW_TRY(elements, expr::Expression::parse(size));
        argument.size = elements;
        argument.sizeText = size;
        argument.fill = Fill::Random;
        argument.fillValue = 1;
        if (!given.isConst) {
            argument.access = isOnlyWritten(code, given.name) ? Access::WriteOnly : Access::ReadWrite;
            argument.output = true;
            if (argument.access == Access::WriteOnly) argument.fill = Fill::Constant;
            if (argument.access == Access::WriteOnly) argument.fillValue = 0;
        }
        const char* role = given.isConst ? " (read only)" : argument.access == Access::WriteOnly ? " (only written, checked)" : " (read and written, checked)";
        spec.notes.push_back(given.name + ": " + size + " elements of " + argument.typeName + role);
    } else {
        argument.memory = MemoryKind::Scalar;
        const bool isSize = !isFloating(argument.type) && argument.type != DType::Bool;
        WW_TRY(value, expr::Expression::parse(isSize ? size : "1"));
        argument.scalar = value;
        if (argument.components != 1) return needsSpec(file, entry, "takes the vector value \"" + given.name + "\"", "a kernel without such an argument");
        spec.notes.push_back(given.name + " = " + value.text());
    }
    spec.arguments.push_back(std::move(argument));
    return {};
}

Result<void> checkGuessable(const fs::path& file, const Entry& entry, std::string_view code) {
    for (const char* word : {"threadIdx.y", "blockIdx.y", "blockDim.y", "gridDim.y", "threadIdx.z", "blockIdx.z", "blockDim.z", "gridDim.z"}) {
        if (code.find(word) == std::string_view::npos) continue;
        return needsSpec(file, entry, std::string("uses ") + word, "KernelSpecification.LocalSize and GlobalSize (or ProblemSize with GridDivX and GridDivY) and the Arguments with their Size");
    }
    for (const auto& parameter : entry.templateParameters) {
        const bool isType = parameter.type == "typename" || parameter.type == "class";
        if (!isType || parameter.defaultText) continue;
        return needsSpec(file, entry, "has the type parameter \"" + parameter.name + "\" without a default", "Warpwright.Entry.TemplateArguments, such as [\"float\"], and the Arguments");
    }
    const bool pointer = std::any_of(entry.arguments.begin(), entry.arguments.end(), [](const auto& a) { return a.pointer && !a.isConst; });
    if (pointer) return {};
    return needsSpec(file, entry, "writes to no pointer argument", "the Arguments, with an output among them (a Symbol where the kernel writes to a __device__ variable)");
}

Result<void> checkTemplates(const fs::path& file, const Entry& entry, const Spec& spec) {
    for (const auto& parameter : entry.templateParameters) {
        const bool tuned = std::any_of(spec.parameters.begin(), spec.parameters.end(), [&](const auto& p) { return p.name == parameter.name; });
        if (tuned || parameter.defaultText) continue;
        return needsSpec(file, entry, "has the template parameter \"" + parameter.name + "\" without a default", "it as a tuning parameter with its Values, or Warpwright.Entry.TemplateArguments");
    }
    return {};
}

}  // namespace

Result<Spec> fromSource(const fs::path& kernelFile) {
    WW_TRY(model, source::loadCuda(kernelFile));
    const Entry& entry = model.entries.front();
    Spec spec;
    spec.folder = fs::absolute(kernelFile).parent_path();
    spec.kernelFile = fs::absolute(kernelFile).lexically_normal();
    spec.kernelName = entry.name;
    spec.name = entry.name;
    spec.title = entry.name;
    if (model.entries.size() > 1) {
        std::string others;
        for (std::size_t i = 1; i < model.entries.size(); ++i) others += (others.empty() ? "" : ", ") + model.entries[i].name;
        spec.notes.push_back("the first kernel, " + entry.name + ", is tuned; the file holds others as well (" + others + "): a spec's KernelName picks one");
    }
    const std::string code = codeOnly(std::string_view(model.text).substr(entry.range.begin, entry.range.end - entry.range.begin));
    const std::string body = codeOnly(std::string_view(model.text).substr(entry.body.begin, entry.body.end - entry.body.begin));
    WW_CHECK(checkGuessable(kernelFile, entry, code));
    takeParameters(model, entry, spec);
    WW_CHECK(checkTemplates(kernelFile, entry, spec));
    const std::string block = chooseBlock(model, entry, body, spec);
    if (spec.parameters.empty()) {
        return fail(ErrorCode::InvalidSpec, "no compile-time parameter was found in this file; write one as `#ifndef BLOCK_SIZE / #define BLOCK_SIZE 256 / #endif`, or as a constexpr at namespace scope that the kernel uses",
                    kernelFile.string());
    }
    const bool taken = model.findParameter("N") != nullptr;
    const std::string size = taken ? "elements" : "N";
    spec.sizes[size] = kProblemElements;
    spec.notes.push_back(size + " = " + std::to_string(kProblemElements) + " elements; the grid has ceil(" + size + " / " + block + ") blocks");
    WW_TRY(threads, expr::Expression::parse(block));
    WW_TRY(extent, expr::Expression::parse(size));
    spec.localSize[0] = threads;
    spec.problemSize = {extent};
    spec.gridDivisors[0] = {threads};
    for (const auto& argument : entry.arguments) WW_CHECK(takeArgument(kernelFile, entry, argument, body, size, spec));
    const bool dynamicShared = std::any_of(model.sharedArrays.begin(), model.sharedArrays.end(), [](const auto& a) { return a.dynamic; });
    if (dynamicShared) return needsSpec(kernelFile, entry, "uses dynamic shared memory", "its bytes as KernelSpecification.SharedMemory");
    spec.workloads.emplace_back();
    spec.notes.emplace_back("the kernel at its own parameters is the reference: results are checked for sameness only");
    resolve(spec, model);
    return spec;
}

}  // namespace ww::spec
