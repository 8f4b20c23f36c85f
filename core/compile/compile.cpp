// SPDX-License-Identifier: Apache-2.0
#include "compile/compile.h"

#include <algorithm>
#include <fstream>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/hash.h"

namespace ww::compile {

namespace {

constexpr std::size_t kMaxHeaderBytes = std::size_t{16} << 20;

/// Length-prefixed, so that no two lists of texts give the same bytes.
void append(std::string& bytes, std::string_view text) {
    bytes += std::to_string(text.size());
    bytes += ':';
    bytes += text;
}

/// The names in `#include "x"` and `#include <x>` lines. Inactive regions count too: a needless miss costs one compile.
std::vector<std::string> includedNames(std::string_view source) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < source.size();) {
        const std::size_t end = std::min(source.find('\n', at), source.size());
        std::string_view line = source.substr(at, end - at);
        at = end + 1;
        const auto skipBlanks = [&line] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
        skipBlanks();
        if (!line.starts_with('#')) continue;
        line.remove_prefix(1);
        skipBlanks();
        if (!line.starts_with("include")) continue;
        line.remove_prefix(7);
        skipBlanks();
        if (line.empty() || (line.front() != '"' && line.front() != '<')) continue;
        const auto close = line.find(line.front() == '<' ? '>' : '"', 1);
        if (close != std::string_view::npos) names.emplace_back(line.substr(1, close - 1));
    }
    return names;
}

/// Adds path and digest of every header that can be reached from `source` through `folders`.
void appendHeaders(std::string& bytes, std::string_view source, const std::vector<std::string>& folders, std::set<std::string>& seen) {
    for (const std::string& name : includedNames(source)) {
        for (const std::string& folder : folders) {
            const std::filesystem::path path = std::filesystem::path(folder) / name;
            auto text = readFile(path, kMaxHeaderBytes);
            if (!text) continue;
            if (!seen.insert(path.lexically_normal().string()).second) break;
            append(bytes, path.lexically_normal().string());
            append(bytes, contentHash(*text));
            std::vector<std::string> inner{path.parent_path().string()};
            inner.insert(inner.end(), folders.begin(), folders.end());
            appendHeaders(bytes, *text, inner, seen);
            break;
        }
    }
}

/// The CPU front end's own headers and this machine's instruction set (it compiles for exactly this machine).
const std::string& cpuDigest() {
    static const std::string digest = [] {
        std::string bytes;
        std::vector<std::filesystem::path> files;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(resourceRoot() / "resources" / "cpu", ignored)) {
            if (entry.is_regular_file(ignored)) files.push_back(entry.path());
        }
        std::sort(files.begin(), files.end());
        for (const auto& file : files) {
            append(bytes, file.filename().string());
            append(bytes, readFile(file).value_or(std::string{}));
        }
        std::ifstream cpu("/proc/cpuinfo");
        for (std::string line; std::getline(cpu, line) && !line.empty();) {
            if (line.starts_with("flags") || line.starts_with("Features") || line.starts_with("model name")) append(bytes, line);
        }
        return contentHash(bytes);
    }();
    return digest;
}

template <typename T>
T valueOf(const Json& json, const char* key, T fallback) {
    const Json* found = member(json, key);
    return found == nullptr || found->is_null() ? fallback : found->get<T>();
}

}  // namespace

namespace {

/// What our own side adds to every host compile: the headers of the CPU device, and a number to raise when the flags in
/// host_compiler.cpp or the launcher in host_source.cpp change.
const std::string& hostFrontEnd() {
    constexpr const char* kRevision = "host/3";
    static const std::string digest = [] {
        std::string bytes = kRevision;
        std::set<std::filesystem::path> headers;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(resourceRoot() / "resources" / "cpu", ignored)) {
            if (entry.is_regular_file(ignored)) headers.insert(entry.path());
        }
        for (const auto& header : headers) bytes += header.filename().string() + "\n" + readFile(header).value_or(std::string());
        return contentHash(bytes);
    }();
    return digest;
}

}  // namespace

std::string CompileRequest::key(std::string_view toolVersion) const {
    std::string bytes;
    append(bytes, target == Target::Cpu ? "cpu" : "cuda");
    append(bytes, toolVersion);
    for (const std::string* text : {&architecture, &source, &fileName, &entry}) append(bytes, *text);
    const auto appendList = [&bytes](const std::vector<std::string>& list) {
        append(bytes, std::to_string(list.size()));
        for (const std::string& text : list) append(bytes, text);
    };
    appendList(templateArguments);
    appendList(argumentTypes);
    appendList(symbols);
    append(bytes, std::to_string(defines.size()));
    for (const auto& [name, value] : defines) {
        append(bytes, name);
        append(bytes, value);
    }
    appendList(options);
    appendList(includeFolders);
    append(bytes, sanitize ? "sanitize" : "plain");
    if (target == Target::Cpu) {
        append(bytes, cpuDigest());
        append(bytes, hostFrontEnd());
    }
    std::set<std::string> seen;
    appendHeaders(bytes, source, includeFolders, seen);
    return contentHash(bytes);
}

Json CompileRequest::toJson() const {
    Json pairs = Json::array();
    for (const auto& [name, value] : defines) pairs.push_back({name, value});
    return {{"target", target == Target::Cpu ? "cpu" : "cuda"},
            {"architecture", architecture},
            {"source", source},
            {"file_name", fileName},
            {"entry", entry},
            {"template_arguments", templateArguments},
            {"argument_types", argumentTypes},
            {"symbols", symbols},
            {"defines", pairs},
            {"options", options},
            {"include_folders", includeFolders},
            {"sanitize", sanitize},
            {"deadline_seconds", deadlineSeconds}};
}

Result<CompileRequest> CompileRequest::fromJson(const Json& json) {
    CompileRequest request;
    try {
        const auto target = valueOf<std::string>(json, "target", "");
        if (target != "cpu" && target != "cuda") {
            return fail(ErrorCode::InvalidArgument, "a compile request needs \"target\" to be \"cpu\" or \"cuda\"");
        }
        request.target = target == "cpu" ? Target::Cpu : Target::Cuda;
        request.architecture = valueOf<std::string>(json, "architecture", "");
        request.source = valueOf<std::string>(json, "source", "");
        request.fileName = valueOf<std::string>(json, "file_name", "");
        request.entry = valueOf<std::string>(json, "entry", "");
        using Texts = std::vector<std::string>;
        request.templateArguments = valueOf<Texts>(json, "template_arguments", {});
        request.argumentTypes = valueOf<Texts>(json, "argument_types", {});
        request.symbols = valueOf<Texts>(json, "symbols", {});
        request.defines = valueOf<decltype(request.defines)>(json, "defines", {});
        request.options = valueOf<Texts>(json, "options", {});
        request.includeFolders = valueOf<Texts>(json, "include_folders", {});
        request.sanitize = valueOf(json, "sanitize", false);
        request.deadlineSeconds = valueOf(json, "deadline_seconds", 60.0);
    } catch (const Json::exception& broken) {
        return fail(ErrorCode::InvalidArgument, std::string("a compile request with a member of the wrong type: ") + broken.what());
    }
    if (request.entry.empty()) return fail(ErrorCode::InvalidArgument, "a compile request needs the name of the entry kernel");
    return request;
}

Json CompileFacts::toJson() const {
    return {{"registers", registers},   {"spill_store_bytes", spillStoreBytes},     {"spill_load_bytes", spillLoadBytes},
            {"stack_bytes", stackBytes}, {"static_shared_bytes", staticSharedBytes}, {"constant_bytes", constantBytes}};
}

CompileFacts CompileFacts::fromJson(const Json& json) {
    CompileFacts facts;
    const auto read = [&json](const char* key, std::int64_t& into) {
        const Json* found = member(json, key);
        if (found != nullptr && found->is_number_integer()) into = found->get<std::int64_t>();
    };
    read("registers", facts.registers);
    read("spill_store_bytes", facts.spillStoreBytes);
    read("spill_load_bytes", facts.spillLoadBytes);
    read("stack_bytes", facts.stackBytes);
    read("static_shared_bytes", facts.staticSharedBytes);
    read("constant_bytes", facts.constantBytes);
    return facts;
}

Json CompileResult::toJson() const {
    return {{"status", toString(status)}, {"entry", entry},         {"symbols", symbols}, {"log", log},
            {"object_hash", objectHash},  {"facts", facts.toJson()}, {"seconds", seconds}, {"cached", cached}};
}

Result<CompileResult> CompileResult::fromJson(const Json& json) {
    CompileResult result;
    try {
        const auto status = trialStatusFrom(valueOf<std::string>(json, "status", ""));
        if (!status) return fail(ErrorCode::InvalidArgument, "a compile result without a known \"status\"");
        result.status = *status;
        result.entry = valueOf<std::string>(json, "entry", "");
        result.symbols = valueOf<decltype(result.symbols)>(json, "symbols", {});
        result.log = valueOf<std::string>(json, "log", "");
        result.objectHash = valueOf<std::string>(json, "object_hash", "");
        if (const Json* facts = member(json, "facts"); facts != nullptr) result.facts = CompileFacts::fromJson(*facts);
        result.seconds = valueOf(json, "seconds", 0.0);
        result.cached = valueOf(json, "cached", false);
    } catch (const Json::exception& broken) {
        return fail(ErrorCode::InvalidArgument, std::string("a compile result with a member of the wrong type: ") + broken.what());
    }
    return result;
}

}  // namespace ww::compile
