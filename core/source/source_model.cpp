// SPDX-License-Identifier: Apache-2.0
#include "source/source_model.h"

#include <algorithm>

#include "base/file.h"
#include "source/counts.h"
#include "source/features.h"
#include "source/function_reader.h"
#include "source/functions.h"
#include "source/include_scan.h"
#include "source/masking.h"
#include "source/parameters.h"
#include "source/syntax_tree.h"
#include "source/tokens.h"

namespace ww::source {
namespace {

std::string contextOf(const std::filesystem::path& path) {
    return path.empty() ? std::string("the kernel source") : path.string();
}

/// Encodings that neither the parser nor nvcc reads. A UTF-8 BOM is fine.
Result<void> checkEncoding(const std::string& text, const std::string& context) {
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
        return fail(ErrorCode::ParseError, "the file is UTF-16, which compilers do not read; convert it: iconv -f UTF-16 -t UTF-8",
                    context);
    }
    if (const std::size_t nul = text.find('\0'); nul != std::string::npos) {
        return fail(ErrorCode::ParseError,
                    "byte " + std::to_string(nul) + " is NUL, so this is no UTF-8 text; if it is UTF-16, convert it: "
                    "iconv -f UTF-16LE -t UTF-8", context);
    }
    if (text.find('\r') != std::string::npos && text.find('\n') == std::string::npos) {
        return fail(ErrorCode::ParseError,
                    "the lines end with a lone carriage return, so compilers see one line; convert them: tr '\\r' '\\n'", context);
    }
    const std::size_t start = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    if (text.find_first_not_of(" \t\r\n\v\f", start) == std::string::npos) {
        return fail(ErrorCode::ParseError, "the file is empty; a kernel source with at least one __global__ function is needed", context);
    }
    return {};
}

Unexpected noKernel(const Declarations& found, const SourceModel& model, const std::string& context) {
    std::string message = "no kernel in it: ";
    if (found.functions == 0) {
        message += "there is no function definition";
    } else if (found.functions == 1) {
        message += "there is 1 function (" + found.firstFunction + "), and it is not __global__";
    } else {
        message += "there are " + std::to_string(found.functions) + " functions, none is __global__";
    }
    if (!model.problems.empty()) {
        const SyntaxProblem& first = model.problems.front();
        message += "; a syntax error may hide it (line " + std::to_string(first.line) + ", column " + std::to_string(first.column) + ": " +
                   first.text + ")";
    } else if (model.identifiers.contains("__global__")) {
        message += "; __global__ is only declared, or used in a macro";
    }
    message += ". Give a CUDA C++ file that defines a __global__ function";
    return fail(ErrorCode::ParseError, std::move(message), context);
}

void readIncludes(const Tokens& tokens, std::vector<std::string>& includes) {
    for (const Directive& directive : tokens.directives) {
        if (directive.keyword != "include") continue;
        const auto name = includedName(tokens, directive);
        const std::string rest = squeezed(tokens.text.substr(directive.rest, directive.end - directive.rest));
        if (name || !rest.empty()) includes.push_back(name ? std::string(*name) : rest);
    }
}

/// What the functions' readers found out about the arrays' sizes.
void takeBytes(SourceModel& model) {
    std::map<std::pair<int, std::string_view>, const SharedArray*> known;
    for (const FunctionModel& function : model.functions) {
        for (const SharedArray& array : function.sharedArrays) known[{array.line, array.name}] = &array;
    }
    for (SharedArray& array : model.sharedArrays) {
        const auto found = known.find({array.line, array.name});
        if (found == known.end()) continue;
        array.bytes = found->second->bytes;
        array.whyNot = found->second->whyNot;
    }
}

}  // namespace

std::string_view toString(SiteKind kind) noexcept {
    switch (kind) {
        case SiteKind::GuardedMacro: return "guarded macro";
        case SiteKind::Macro: return "macro";
        case SiteKind::Constant: return "constant";
        case SiteKind::TemplateParameter: return "template parameter";
        case SiteKind::ConstexprArgument: return "constexpr argument";
        case SiteKind::LaunchOption: return "launch option";
    }
    return "macro";
}

std::string Entry::signature() const {
    std::string out = qualifiedName + "(";
    for (const KernelArgument& argument : arguments) {
        if (!out.ends_with('(')) out += ", ";
        if (argument.isConst && !argument.type.empty()) out += "const ";
        out += argument.type.empty() ? argument.name : argument.type + (argument.pointer ? "*" : "");
    }
    return out + ")";
}

const Entry* SourceModel::findEntry(std::string_view name) const noexcept {
    const auto first = [&](const auto& fits) {
        const auto found = std::find_if(entries.begin(), entries.end(), fits);
        return found == entries.end() ? nullptr : &*found;
    };
    if (name.ends_with(')')) return first([&](const Entry& entry) { return entry.signature() == name; });
    const Entry* qualified = first([&](const Entry& entry) { return entry.qualifiedName == name; });
    return qualified != nullptr ? qualified : first([&](const Entry& entry) { return entry.name == name; });
}

std::vector<const Entry*> SourceModel::findEntries(std::string_view name) const {
    std::vector<const Entry*> found;
    for (const Entry& entry : entries) {
        if (entry.qualifiedName == name || entry.name == name) found.push_back(&entry);
    }
    return found;
}

const FunctionModel* SourceModel::functionOf(const Entry& entry) const noexcept {
    const auto found = std::find_if(functions.begin(), functions.end(), [&](const FunctionModel& one) { return one.range == entry.range; });
    return found == functions.end() ? nullptr : &*found;
}

const ParameterSite* SourceModel::findParameter(std::string_view name) const noexcept {
    const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const ParameterSite& site) { return site.name == name; });
    return found == parameters.end() ? nullptr : &*found;
}

bool SourceModel::hasFeature(std::string_view id) const noexcept {
    return std::any_of(features.begin(), features.end(), [&](const Feature& feature) { return feature.id == id; });
}

NameUse nameUse(const SourceModel& model, std::string_view name) noexcept {
    if (model.declared.contains(name)) return NameUse::Defined;
    return model.identifiers.contains(name) ? NameUse::Used : NameUse::Absent;
}

std::vector<std::string> undefinedNames(const SourceModel& model, const std::vector<std::string>& candidates) {
    std::vector<std::string> names;
    for (const std::string& name : candidates) {
        if (nameUse(model, name) == NameUse::Used) names.push_back(name);
    }
    return names;
}

Result<SourceModel> parseCuda(std::string text, const std::filesystem::path& path) {
    const std::string context = contextOf(path);
    WW_CHECK(checkEncoding(text, context));
    SourceModel model;
    model.path = path;
    model.text = std::move(text);
    const Tokens tokens = lex(model.text);
    const MaskedText masked = maskAttributes(tokens);
    auto parsed = SyntaxTree::parse(masked.text);
    if (!parsed) return fail(parsed.error().code, parsed.error().message, context);
    const TSNode root = parsed->root();
    for (const Token& token : tokens.list) {
        if (token.kind != TokenKind::Identifier) continue;
        const auto known = model.identifiers.find(tokens.of(token));
        if (known != model.identifiers.end()) {
            ++known->second;
        } else {
            model.identifiers.emplace(tokens.of(token), 1);
        }
    }
    Declarations declarations = collectDeclarations(root, model.text, masked, tokens);
    model.problems = syntaxProblems(root, model.text);
    if (declarations.entries.empty()) return noKernel(declarations, model, context);
    model.parameters = findParameters(tokens, declarations, model.identifiers);
    model.features = findFeatures(tokens, declarations);
    DeviceCode code = readDeviceCode(root, tokens, declarations, model.parameters);
    model.functions = std::move(code.functions);
    model.objects = std::move(code.objects);
    model.sharedArrays = findSharedArrays(root, model.text);
    takeBytes(model);
    model.counts = countSyntax(tokens, declarations, model);
    readIncludes(tokens, model.includes);
    model.entries = std::move(declarations.entries);
    model.declared = std::move(declarations.declared);
    return model;
}

Result<SourceModel> loadCuda(const std::filesystem::path& path) {
    WW_TRY(bytes, readFile(path));
    auto decoded = decodeText(bytes);
    if (!decoded) return fail(decoded.error().code, decoded.error().message, contextOf(path));
    WW_TRY(model, parseCuda(std::move(decoded->text), path));
    model.format = decoded->format;
    model.conversions = std::move(decoded->notes);
    return std::move(model);
}

bool parsesNoWorse(std::string_view text, std::size_t problemsBefore) {
    const Tokens tokens = lex(text);
    const MaskedText masked = maskAttributes(tokens);
    const auto parsed = SyntaxTree::parse(masked.text);
    return parsed.has_value() && syntaxProblems(parsed->root(), text).size() <= problemsBefore;
}

}  // namespace ww::source
