// SPDX-License-Identifier: Apache-2.0
#include "diagnose/catalogue.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "diagnose/catalogue_data.h"
#include "diagnose/source_place.h"

namespace ww::diagnose {
namespace {

/// So many lines at each end of a log are read: causes stand at its beginning, our own words at either end, and a hostile log
/// of a million lines costs no more than a long one.
constexpr std::size_t kMaxLines = 4000;

/// Where the compiler's log tells more than the message, which is an excerpt of it or empty.
bool speaksInLog(TrialStatus status) {
    return status == TrialStatus::CompileError || status == TrialStatus::CompileTimeout || status == TrialStatus::Ok;
}

/// Names that CUDA gives a meaning in every kernel.
const std::vector<std::string> kBuiltIns{"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};

/// "cuda*" allows every value that begins with "cuda", "!void" every value but "void".
bool allowed(const std::vector<std::string>& values, const std::string& value) {
    return std::any_of(values.begin(), values.end(), [&](const std::string& one) {
        if (one.starts_with('!')) return value != std::string_view(one).substr(1);
        return one.ends_with('*') ? value.starts_with(std::string_view(one).substr(0, one.size() - 1)) : value == one;
    });
}

/// Puts values into their {holes}; a part in [brackets] goes when one of its values is missing.
std::string filled(std::string_view text, const Captures& captures) {
    std::string result;
    std::optional<std::string> kept;    // what stood before an open bracket
    bool missing = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto close = text[at] == '{' ? text.find('}', at) : std::string_view::npos;
        if (close != std::string_view::npos) {
            const auto value = captures.find(std::string(text.substr(at + 1, close - at - 1)));
            if (value != captures.end()) result += value->second;
            else missing = true;
            at = close;
        } else if (text[at] == '[' && !kept) {
            kept = result;
            missing = false;
        } else if (text[at] == ']' && kept) {
            if (missing) result = *kept;
            kept.reset();
        } else {
            result += text[at];
        }
    }
    return result;
}

/// ptxas knows functions by their mangled names only.
void demangle(Captures& captures) {
    for (auto& [key, value] : captures) {
        if (!value.starts_with("_Z")) continue;
        int failed = 0;
        const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(value.c_str(), nullptr, nullptr, &failed), &std::free);
        if (failed == 0 && plain != nullptr) value = plain.get();
    }
}

Result<std::vector<std::string>> strings(const Json& json, const char* key, const std::string& id) {
    std::vector<std::string> list;
    const Json* array = member(json, key);
    if (array == nullptr) return list;
    if (!array->is_array()) return fail(ErrorCode::InvalidSpec, std::string(key) + " has to be a list of texts", "diagnosis " + id);
    for (const auto& item : *array) {
        if (!item.is_string()) return fail(ErrorCode::InvalidSpec, std::string(key) + " has to be a list of texts", "diagnosis " + id);
        list.push_back(item.get<std::string>());
    }
    return list;
}

/// The name among `names` that the erroneous lines declare, where a macro of that name breaks it.
std::optional<std::string> brokenName(const CompilerLog& log, std::size_t line, const std::vector<std::string>& names, const Context& context) {
    for (const auto one : log.block(line)) {
        if (auto name = declaredName(one, names)) return name;
    }
    const auto place = log.placeInFile(line, context.fileName);
    return declaredName(lineOf(context.source, place.line), names);
}

/// The name of a parameter that the error is about: a macro took the place of a name that the line declares.
std::optional<std::string> brokenParameter(const CompilerLog& log, std::size_t line, const Context& context) {
    for (const auto one : log.block(line)) {
        for (const auto& name : context.parameters) {
            if (one.find("in expansion of macro '" + name + "'") != std::string_view::npos) return name;
            if (one.find("expanded from macro '" + name + "'") != std::string_view::npos) return name;
        }
    }
    return brokenName(log, line, context.parameters, context);
}

/// The Symbol argument whose last part the message names ("ns::table" by "table").
std::optional<std::string> namedSymbol(const Captures& captures, const Context& context) {
    const auto name = captures.find("name");
    if (name == captures.end()) return std::nullopt;
    for (const auto& symbol : context.symbols) {
        if (symbol == name->second || symbol.ends_with("::" + name->second)) return symbol;
    }
    return std::nullopt;
}

/// The user's header that a compiler knows as `file`, by its path or the end of it.
const std::string* headerOf(std::string_view file, const Context& context) {
    if (file.starts_with("./")) file.remove_prefix(2);
    if (file.empty()) return nullptr;
    const auto found = std::find_if(context.headers.begin(), context.headers.end(), [&](const std::string& header) {
        return header == file || header.ends_with("/" + std::string(file));
    });
    return found == context.headers.end() ? nullptr : &*found;
}

/// Where an error inside a header of the user's stands. A macro of it that the kernel's own file expands is an error there.
std::optional<Place> placeInHeader(const CompilerLog& log, std::size_t line, const Context& context) {
    const auto* header = headerOf(log.fileOf(line), context);
    if (header == nullptr) return std::nullopt;
    const auto block = log.block(line);
    const bool expanded = std::any_of(block.begin(), block.end(), [&](std::string_view one) {
        return one.find(" macro '") != std::string_view::npos && findPlace(one, context.fileName);
    });
    if (expanded) return std::nullopt;
    auto place = log.placeInFile(line, log.fileOf(line));
    place.file = *header;
    return place;
}

Place placeOf(const CompilerLog& log, std::size_t line, const Captures& captures, const std::string& locate, const Context& context) {
    if (const auto told = captures.find("line"); told != captures.end()) return {{}, std::atoi(told->second.c_str()), 0};
    if (auto place = placeInHeader(log, line, context)) return *place;
    if (const auto place = log.placeInFile(line, context.fileName); place.line > 0) return {{}, place.line, place.column};
    if (const int included = includeLine(context.source, log.fileOf(line)); included > 0) return {{}, included, 0};
    const auto word = filled(locate, captures);
    const auto found = findWord(context.source, std::string_view(word).substr(0, word.find('(')), context.entry);
    return {{}, found.line, found.column};
}

}  // namespace

Language languageOf(std::string_view locale) noexcept { return locale.starts_with("zh") ? Language::Chinese : Language::English; }

std::string Diagnosis::place() const {
    if (line == 0) return {};
    const std::string own = "line " + std::to_string(line);
    return file.empty() ? own : file.substr(file.rfind('/') + 1) + ", " + own;
}

Json Diagnosis::toJson() const {
    return {{"id", id}, {"file", file}, {"line", line}, {"column", column}, {"captures", captures}, {"message", message}};
}

std::optional<Diagnosis> Diagnosis::fromJson(const Json& json) {
    const Json* id = member(json, "id");
    const Json* captures = member(json, "captures");
    if (id == nullptr || !id->is_string() || captures == nullptr || !captures->is_object()) return std::nullopt;
    Diagnosis diagnosis;
    diagnosis.id = id->get<std::string>();
    const auto number = [&](const char* key) {
        const Json* value = member(json, key);
        return value != nullptr && value->is_number_integer() ? value->get<int>() : 0;
    };
    diagnosis.line = number("line");
    diagnosis.column = number("column");
    for (const auto& [name, value] : captures->items()) {
        if (value.is_string()) diagnosis.captures[name] = value.get<std::string>();
    }
    if (const Json* message = member(json, "message"); message != nullptr && message->is_string()) diagnosis.message = message->get<std::string>();
    if (const Json* file = member(json, "file"); file != nullptr && file->is_string()) diagnosis.file = file->get<std::string>();
    return diagnosis;
}

const Catalogue& Catalogue::builtIn() {
    static const Catalogue catalogue = [] {
        auto parsed = parse(kCatalogueJson);
        // A test reads every entry of it, so this cannot happen in a build that passed.
        if (!parsed) {
            std::cerr << "the built-in catalogue of diagnoses is broken: " << parsed.error().toString() << std::endl;
            std::abort();
        }
        return std::move(*parsed);
    }();
    return catalogue;
}

Result<Catalogue::Entry> Catalogue::parseEntry(const Json& json) {
    Entry entry;
    if (const Json* id = member(json, "id"); id != nullptr && id->is_string()) entry.id = id->get<std::string>();
    if (entry.id.empty()) return fail(ErrorCode::InvalidSpec, "a diagnosis needs an \"id\"", "catalogue of diagnoses");
    WW_TRY(statuses, strings(json, "status", entry.id));
    for (const auto& word : statuses) {
        const auto status = trialStatusFrom(word);
        if (!status) return fail(ErrorCode::InvalidSpec, "there is no status \"" + word + "\"", "diagnosis " + entry.id);
        entry.statuses.push_back(*status);
    }
    WW_TRY(patterns, strings(json, "patterns", entry.id));
    for (const auto& text : patterns) {
        WW_TRY(pattern, Pattern::parse(text));
        entry.patterns.push_back(std::move(pattern));
    }
    if (entry.patterns.empty() && entry.statuses.empty()) return fail(ErrorCode::InvalidSpec, "it needs patterns or a status", "diagnosis " + entry.id);
    entry.anywhere = json.value("anywhere", false);
    if (const auto names = json.value("names", ""); names == "parameter") entry.names = Names::Parameter;
    else if (names == "symbol") entry.names = Names::Symbol;
    else if (names == "built-in") entry.names = Names::BuiltIn;
    else if (!names.empty()) return fail(ErrorCode::InvalidSpec, "\"names\" is parameter, symbol or built-in, not \"" + names + "\"", "diagnosis " + entry.id);
    entry.locate = json.value("locate", "");
    if (const Json* where = member(json, "where"); where != nullptr) {
        for (const auto& [name, values] : where->items()) {
            WW_TRY(list, strings(*where, name.c_str(), entry.id));
            entry.where.emplace_back(name, std::move(list));
        }
    }
    for (const auto& [key, text] : {std::pair("en", &entry.english), std::pair("zh_CN", &entry.chinese)}) {
        const Json* texts = member(json, key);
        if (texts == nullptr) return fail(ErrorCode::InvalidSpec, std::string("it has no text in ") + key, "diagnosis " + entry.id);
        *text = {texts->value("cause", ""), texts->value("remedy", "")};
        if (text->cause.empty() || text->remedy.empty()) {
            return fail(ErrorCode::InvalidSpec, std::string("it needs \"cause\" and \"remedy\" in ") + key, "diagnosis " + entry.id);
        }
    }
    return entry;
}

Result<Catalogue> Catalogue::parse(std::string_view json) {
    const Json document = Json::parse(json, nullptr, false);
    if (!document.is_array()) return fail(ErrorCode::ParseError, "it is no JSON list", "catalogue of diagnoses");
    Catalogue catalogue;
    for (const auto& item : document) {
        WW_TRY(entry, parseEntry(item));
        const auto same = [&](const Entry& other) { return other.id == entry.id; };
        if (std::any_of(catalogue.m_entries.begin(), catalogue.m_entries.end(), same)) return fail(ErrorCode::InvalidSpec, "it is there twice", "diagnosis " + entry.id);
        catalogue.m_entries.push_back(std::move(entry));
    }
    return catalogue;
}

bool Catalogue::accepts(const Entry& entry, TrialStatus status) {
    if (entry.statuses.empty()) return status != TrialStatus::Ok;
    return std::find(entry.statuses.begin(), entry.statuses.end(), status) != entry.statuses.end();
}

bool Catalogue::matches(const Entry& entry, const CompilerLog& log, std::size_t line, const Context& context, Captures& captures) {
    for (const auto& pattern : entry.patterns) {
        Captures found;
        if (!pattern.find(log.lines()[line], found)) continue;
        const bool fits = std::all_of(entry.where.begin(), entry.where.end(), [&](const auto& rule) {
            const auto value = found.find(rule.first);
            return value != found.end() && allowed(rule.second, value->second);
        });
        if (!fits) continue;
        if (entry.names != Names::Anything) {
            auto name = entry.names == Names::Parameter ? brokenParameter(log, line, context)
                        : entry.names == Names::Symbol  ? namedSymbol(found, context)
                                                        : brokenName(log, line, kBuiltIns, context);
            if (!name) continue;
            found["name"] = std::move(*name);
        }
        captures = std::move(found);
        return true;
    }
    return false;
}

std::optional<Catalogue::Hit> Catalogue::firstHit(TrialStatus status, const CompilerLog& log, const std::vector<std::size_t>& lines, bool anywhere,
                                                  const Context& context) const {
    for (const auto& entry : m_entries) {
        if (!accepts(entry, status) || (anywhere && !entry.anywhere)) continue;
        for (const auto line : lines) {
            Captures captures;
            if (matches(entry, log, line, context, captures)) return Hit{&entry, line, std::move(captures)};
        }
    }
    return std::nullopt;
}

std::optional<Catalogue::Hit> Catalogue::find(TrialStatus status, const CompilerLog& log, const Context& context) const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < log.lines().size(); ++i) {
        if (i < kMaxLines || i + kMaxLines >= log.lines().size()) all.push_back(i);
    }
    if (auto hit = firstHit(status, log, all, true, context)) return hit;
    const auto& errors = log.errors();
    if (errors.empty()) {
        for (const auto line : all) {
            if (auto hit = firstHit(status, log, {line}, false, context)) return hit;
        }
        return std::nullopt;
    }
    // Errors at one line have one cause, and a compiler does not always begin with it: the catalogue's order ranks them.
    // What stands above the first error is our own summary, when there is one.
    std::vector<std::size_t> group;
    const Place& first = errors.front().place;
    for (std::size_t i = 0; i < errors.front().index && i < kMaxLines; ++i) {
        if (log.lines()[i].find("warning") == std::string_view::npos) group.push_back(i);
    }
    for (const auto& error : errors) {
        const bool same = first.line > 0 && error.place.line == first.line && error.place.file == first.file;
        if (error.index == errors.front().index || (same && group.size() < 2 * kMaxLines)) group.push_back(error.index);
    }
    return firstHit(status, log, group, false, context);
}

std::optional<Diagnosis> Catalogue::match(TrialStatus status, std::string_view text, const Context& context) const {
    const CompilerLog log(text);
    auto hit = find(status, log, context);
    if (!hit) {
        // Some statuses say all there is, whatever the words.
        const auto plain = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& e) { return e.patterns.empty() && accepts(e, status); });
        if (plain == m_entries.end()) return std::nullopt;
        Diagnosis diagnosis;
        diagnosis.id = plain->id;
        return diagnosis;
    }
    demangle(hit->captures);
    if (status == TrialStatus::CompileError) {
        for (const auto& header : context.leftOut) {
            auto& names = hit->captures["left_out"];
            names += (names.empty() ? "" : ", ") + header;
        }
    }
    constexpr std::size_t kMaxMessage = 2000;
    const Place place = placeOf(log, hit->line, hit->captures, hit->entry->locate, context);
    auto message = log.lines()[hit->line].substr(0, kMaxMessage);
    while (!message.empty() && (message.back() == '\r' || message.back() == ' ')) message.remove_suffix(1);
    return Diagnosis{hit->entry->id, place.line, place.column, std::move(hit->captures), std::string(message), std::string(place.file)};
}

Text Catalogue::text(const Diagnosis& diagnosis, Language language) const {
    const auto entry = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& e) { return e.id == diagnosis.id; });
    if (entry == m_entries.end()) return {};
    const Text& text = language == Language::Chinese ? entry->chinese : entry->english;
    return {filled(text.cause, diagnosis.captures), filled(text.remedy, diagnosis.captures)};
}

std::string_view relevantText(TrialStatus status, std::string_view message, std::string_view log) noexcept {
    return speaksInLog(status) && !log.empty() ? log : message;
}

}  // namespace ww::diagnose
