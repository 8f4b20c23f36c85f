// SPDX-License-Identifier: Apache-2.0
#include "mutate/mutate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

namespace ww::mutate {
namespace {

using expr::Value;
using source::ParameterSite;
using source::SiteKind;

bool isIdentifier(std::string_view name) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
    return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; });
}

/// A bare word of C++: a name, a type, a number with a suffix. Nothing that could end the value and begin something else.
bool isBareWord(std::string_view text) {
    if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
    const auto allowed = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == ':' || c == '<' || c == '>' || c == '.' || c == ' ' || c == '*' || c == '+' ||
               c == '-' || c >= 0x80;
    };
    return std::all_of(text.begin(), text.end(), allowed);
}

std::string integer(std::int64_t value) {
    if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807LL - 1)";  // the literal alone would not fit
    return std::to_string(value);
}

std::string real(double value) {
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    std::string text(buffer, end);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

/// The suffix of a lone literal ("64u", "1.5f"): kept, because it decides the type of the expressions around.
std::string suffixOf(std::string_view text) {
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) == 0) return {};
    const bool hex = text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const std::string_view suffixes = hex ? "uUlLzZ" : "uUlLzZfF";
    std::size_t begin = text.size();
    while (begin > 0 && suffixes.find(text[begin - 1]) != std::string_view::npos) --begin;
    if (text.substr(0, begin).find_first_not_of("0123456789abcdefABCDEFxX.'+-") != std::string_view::npos) return {};
    return std::string(text.substr(begin));
}

bool isRealType(std::string_view type) {
    return type == "float" || type == "double" || type == "half" || type == "__half";
}

bool isUnsignedType(std::string_view type) {
    return type.find("unsigned") != std::string_view::npos || type == "size_t" || type == "std::size_t" || type.starts_with("uint") ||
           type.starts_with("std::uint");
}

bool isIntegerType(std::string_view type) {
    return isUnsignedType(type) || type == "int" || type == "short" || type == "long" || type == "long long" || type == "char" ||
           type.starts_with("int") || type.starts_with("std::int") || type.starts_with("long") || type.starts_with("signed");
}

Unexpected misfit(const ParameterSite& site, const Value& value, std::string why) {
    return fail(ErrorCode::InvalidArgument, value.repr() + " " + why, "parameter " + site.name + ", line " + std::to_string(site.line));
}

Result<std::string> spellBool(const ParameterSite& site, const Value& value) {
    const bool fits = value.isBool() || (value.isInt() && (value.asInt() == 0 || value.asInt() == 1));
    if (fits) return std::string(value.asInt() == 1 ? "true" : "false");
    return misfit(site, value, "is no bool; use true or false");
}

/// Spelled as the site's type and present text want it.
Result<std::string> spellFor(const ParameterSite& site, const Value& value) {
    const bool macroBool = site.type.empty() && site.defaultValue && site.defaultValue->isBool();
    if (site.type == "bool" || (macroBool && value.isBool())) return spellBool(site, value);
    if (value.isBool()) return std::string(value.asBool() ? "1" : "0") + (isRealType(site.type) ? ".0" : "");
    if (value.isFloat() && isIntegerType(site.type)) {
        if (value.asDouble() != std::floor(value.asDouble()) || std::abs(value.asDouble()) > 9e15) {
            return misfit(site, value, "does not fit the type " + site.type + "; use an integer");
        }
        return spellFor(site, Value(static_cast<std::int64_t>(value.asDouble())));
    }
    if (value.isInt() && value.asInt() < 0 && isUnsignedType(site.type)) {
        return misfit(site, value, "does not fit the type " + site.type + "; use a value of at least 0");
    }
    if (value.isString() && (isIntegerType(site.type) || isRealType(site.type))) {
        return misfit(site, value, "does not fit the type " + site.type + "; use a number");
    }
    WW_TRY(text, spell(value));
    const std::string suffix = suffixOf(site.text);
    const bool realSuffix = suffix.find_first_of("fF") != std::string::npos;
    if (value.isInt() && realSuffix) return text + ".0" + suffix;
    if (value.isInt() || (value.isFloat() && realSuffix)) return text + suffix;
    return text;
}

bool saysAlready(const ParameterSite& site, const Value& value) {
    if (site.defaultValue) return site.defaultValue->equals(value);
    return value.isString() && value.asString() == site.text;
}

const source::TemplateParameter* findTemplateParameter(const source::SourceModel& model, std::string_view name) {
    for (const source::Entry& entry : model.entries) {
        for (const source::TemplateParameter& parameter : entry.templateParameters) {
            if (parameter.name == name) return &parameter;
        }
    }
    return nullptr;
}

/// Where one assignment goes; nothing at all for names that the source never mentions (launch geometry).
Result<void> assign(const source::SourceModel& model, const Assignment& assignment, Mutant& mutant) {
    const std::string& name = assignment.name;
    if (!isIdentifier(name)) {
        return fail(ErrorCode::InvalidArgument, "this is no identifier of C++; rename the parameter", "parameter " + name);
    }
    const ParameterSite* site = model.findParameter(name);
    if (site != nullptr && site->kind != SiteKind::TemplateParameter) {
        if (saysAlready(*site, assignment.value)) return {};
        if (!site->editable) {
            return fail(ErrorCode::InvalidArgument,
                        "it cannot be changed: " + site->whyNot + "; remove it from the spec or change the source",
                        "parameter " + name + ", line " + std::to_string(site->line));
        }
        WW_TRY(text, spellFor(*site, assignment.value));
        if (text != site->text) mutant.edits.push_back({name, site->value, site->text, text});
        return {};
    }
    if (const auto* parameter = findTemplateParameter(model, name)) {
        ParameterSite typed;
        typed.name = name;
        typed.type = parameter->type;
        typed.line = site != nullptr ? site->line : 1;
        WW_TRY(text, spellFor(typed, assignment.value));
        mutant.templateArguments.emplace_back(name, text);
        return {};
    }
    switch (source::nameUse(model, name)) {
        case source::NameUse::Absent: return {};
        case source::NameUse::Defined:
            return fail(ErrorCode::NotFound,
                        "the source declares this name, but not as a macro, a constant at namespace scope or a template parameter of a "
                        "kernel, so there is nothing to edit; turn it into a macro, or rename the parameter", "parameter " + name);
        case source::NameUse::Used: break;
    }
    WW_TRY(text, spell(assignment.value));
    mutant.defines.emplace_back(name, assignment.value.isBool() ? (assignment.value.asBool() ? "1" : "0") : text);
    return {};
}

}  // namespace

Result<std::string> spell(const Value& value) {
    if (value.isBool()) return std::string(value.asBool() ? "true" : "false");
    if (value.isInt()) return integer(value.asInt());
    if (value.isFloat()) {
        if (!std::isfinite(value.asDouble())) {
            return fail(ErrorCode::InvalidArgument, value.repr() + " has no C++ literal; use a finite number");
        }
        return real(value.asDouble());
    }
    if (value.isString()) {
        if (isBareWord(value.asString())) return value.asString();
        return fail(ErrorCode::InvalidArgument, value.repr() + " is no bare word of C++; use a name, a type or a number");
    }
    return fail(ErrorCode::InvalidArgument, value.repr() + " has no C++ spelling; use an integer, a bool, a float or a word");
}

std::string spliced(std::string_view text, const std::vector<Edit>& edits) {
    std::string out;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
        if (text.substr(edit.range.begin, edit.range.end - edit.range.begin) != edit.before) continue;
        out += text.substr(at, edit.range.begin - at);
        out += edit.after;
        at = edit.range.end;
    }
    out += text.substr(at);
    return out;
}

Result<std::string> fileBytes(const source::SourceModel& model, const Mutant& mutant) {
    return source::encodeText(mutant.text, model.format);
}

Result<Mutant> apply(const source::SourceModel& model, const std::vector<Assignment>& assignments) {
    std::map<std::string_view, const Value*> seen;
    Mutant mutant;
    for (const Assignment& assignment : assignments) {
        const auto [known, fresh] = seen.emplace(assignment.name, &assignment.value);
        if (!fresh) {
            if (known->second->equals(assignment.value)) continue;
            return fail(ErrorCode::InvalidArgument, "it is given two values, " + known->second->repr() + " and " + assignment.value.repr() +
                        "; give one", "parameter " + assignment.name);
        }
        WW_CHECK(assign(model, assignment, mutant));
    }
    std::sort(mutant.edits.begin(), mutant.edits.end(), [](const Edit& a, const Edit& b) { return a.range.begin < b.range.begin; });
    std::size_t at = 0;
    for (const Edit& edit : mutant.edits) {
        if (edit.range.begin < at || edit.range.end > model.text.size()) {
            return fail(ErrorCode::Internal, "two edits overlap; report this kernel", "parameter " + edit.parameter);
        }
        at = edit.range.end;
    }
    mutant.text = spliced(model.text, mutant.edits);
    if (!mutant.edits.empty() && !source::parsesNoWorse(mutant.text, model.problems.size())) {
        return fail(ErrorCode::Internal, "the edited source no longer parses; report this kernel",
                    "parameter " + mutant.edits.front().parameter);
    }
    return mutant;
}

}  // namespace ww::mutate
