// SPDX-License-Identifier: Apache-2.0
#include "engine/device_reading.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/file.h"
#include "compile/toolkit.h"
#include "source/macros.h"
#include "source/text_encoding.h"

namespace ww::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kToolkit = "the CUDA Toolkit";
constexpr const char* kCpuDevice = "the CPU device";

std::vector<source::IncludeFolder> foldersFor(const fs::path& kernelFolder, const std::vector<fs::path>& includeFolders, device::DeviceKind kind) {
    std::vector<source::IncludeFolder> folders{{kernelFolder, "the kernel's folder", true}};
    for (const auto& folder : includeFolders) folders.push_back({folder, "the spec's Include", true});
    const bool cpu = kind == device::DeviceKind::Cpu;
    if (cpu) folders.push_back({resourceRoot() / "resources" / "cpu" / "include", kCpuDevice, false});
    if (!cpu) {
        for (const auto& folder : compile::toolkitIncludeFolders()) folders.push_back({folder, kToolkit, false});
    }
    return folders;
}

std::string_view nameOf(std::string_view written) {
    return written.substr(1, written.size() - 2);
}

bool isUsers(const source::IncludedFile& one) { return !one.file.empty() && one.foundIn != kToolkit && one.foundIn != kCpuDevice; }

/// Whether the compile goes without it.
bool isLeftOut(const source::IncludedFile& one, device::DeviceKind kind) {
    // The C++ compiler of the CPU device has system folders of its own: only names in quotes are known to be missing there.
    const bool ours = kind != device::DeviceKind::Cpu || one.written.front() == '"';
    return one.file.empty() && one.from.empty() && ours && !compile::isServedHeader(nameOf(one.written));
}

/// Only the kernel's own file is converted for the compilers, and they read plain UTF-8.
void tellEncoding(const fs::path& header, std::vector<std::string>& notes) {
    const auto bytes = readFile(header);
    if (!bytes) return;
    const auto decoded = source::decodeText(*bytes);
    if (decoded && decoded->format == source::TextFormat{}) return;
    notes.push_back(header.string() + " is " + (decoded ? decoded->format.name() : "no text that a compiler reads (" + decoded.error().message + ")") +
                    ": compilers get headers as they are and want UTF-8 without a byte order mark, lines ended by LF; save it so");
}

/// What was set aside as host code; headers that were not found are told by tellIncludes.
std::string hostNote(const source::DeviceText& text, const std::set<std::string>& missing) {
    source::DeviceText host;
    std::copy_if(text.setAside.begin(), text.setAside.end(), std::back_inserter(host.setAside), [&](const source::SetAside& one) {
        constexpr std::string_view kInclude = "#include ";
        const bool header = one.what.starts_with(kInclude) && missing.contains(one.what.substr(kInclude.size()));
        return !header || source::isHostHeader(nameOf(std::string_view(one.what).substr(kInclude.size())));
    });
    return host.note();
}

/// "tiles.cuh is /home/...; <x.h> was not found in ...".
void tellIncludes(const DeviceReading& reading, const std::vector<source::IncludeFolder>& folders, std::vector<std::string>& notes) {
    std::string searched;
    for (const auto& folder : folders) searched += (searched.empty() ? "" : ", ") + folder.path.string();
    for (const auto& one : reading.includes) {
        const std::string where = one.from.empty() ? "line " + std::to_string(one.line) : one.from.filename().string() + ", line " + std::to_string(one.line);
        const auto name = nameOf(one.written);
        if (!one.file.empty()) {
            notes.push_back(where + " includes " + one.written + ": " + one.file.string() + " (" + one.foundIn + ")");
            if (isUsers(one)) tellEncoding(one.file, notes);
        } else if (!source::isHostHeader(name) && !compile::isServedHeader(name)) {
            notes.push_back(where + " includes " + one.written + ", which is not in " + searched +
                            (one.from.empty() ? ": it is left out of the compile; if the kernel needs it, add its folder to the spec's Include"
                                              : "; add its folder to the spec's Include"));
        }
    }
}

/// A header's use of a parameter's name.
struct Mention {
    int line = 0;           ///< 0: none
    bool declares = false;  ///< gives the name a meaning of its own: `#define N`, `int N`, `class T`
};

Mention mentionIn(std::string_view text, std::string_view name) {
    Mention mention;
    if (text.find(name) == std::string_view::npos) return mention;
    const source::Tokens tokens = source::lex(text);
    for (std::size_t i = 0; i < tokens.list.size(); ++i) {
        const auto& token = tokens.list[i];
        if (token.kind != source::TokenKind::Identifier || tokens.of(token) != name) continue;
        const bool afterName = i > 0 && (tokens.list[i - 1].kind == source::TokenKind::Identifier || tokens.at(i - 1) == "...");
        const auto& directives = tokens.directives;
        const bool defined = token.directive >= 0 && directives[static_cast<std::size_t>(token.directive)].keyword == "define" &&
                             directives[static_cast<std::size_t>(token.directive)].firstToken == i;
        if (mention.line == 0) mention.line = token.line;
        mention.declares |= defined || (afterName && tokens.at(i - 1) != "return" && tokens.at(i - 1) != "defined");
    }
    return mention;
}

/// Finds the place of one macro among the headers.
class MacroPlacer {
public:
    MacroPlacer(const source::SourceModel& model, const std::vector<source::IncludeFolder>& folders) : m_model(model), m_tokens(source::lex(model.text)) {
        auto followed = folders;
        for (auto& folder : followed) folder.followed = true;  // a header of the toolkit reaches others of it
        for (auto& one : source::resolveIncludes(model.text, followed)) {
            const bool top = one.from.empty();
            const std::size_t root = top ? m_headers.size() : rootOf(one.from);
            if (one.file.empty() || root > m_headers.size()) continue;
            const bool system = one.foundIn == kToolkit || one.foundIn == kCpuDevice || (!top && m_headers[root].system);
            m_headers.push_back({one.file, top ? one.line : m_headers[root].line, system});
        }
    }

    Result<LocalDefine> place(const std::string& name) const {
        int behind = 0;
        std::string hit;
        std::vector<std::pair<int, std::string>> uses;
        for (const Header& header : m_headers) {
            const Mention mention = mentionIn(textOf(header.file), name);
            if (mention.line == 0) continue;
            const std::string where = header.file.string() + ", line " + std::to_string(mention.line);
            if (header.system || mention.declares) {
                if (header.line >= behind) hit = where;
                behind = std::max(behind, header.line);
            } else {
                uses.emplace_back(header.line, where);
            }
        }
        for (const auto& [line, where] : uses) {
            if (line <= behind) return clash(name, hit, where);
        }
        for (const auto& token : m_tokens.list) {
            if (token.line > behind) break;
            if (token.kind == source::TokenKind::Identifier && m_tokens.of(token) == name) return clash(name, hit, "line " + std::to_string(token.line));
        }
        return LocalDefine{name, offsetOfLine(behind + 1), behind + 1};
    }

private:
    struct Header {
        fs::path file;
        int line = 0;         ///< of the #include in the kernel's own file that reaches it
        bool system = false;
    };

    std::size_t rootOf(const fs::path& from) const {
        const auto found = std::find_if(m_headers.begin(), m_headers.end(), [&](const Header& header) { return header.file == from; });
        return found == m_headers.end() ? m_headers.size() + 1 : static_cast<std::size_t>(found - m_headers.begin());
    }

    const std::string& textOf(const fs::path& file) const {
        const auto [known, fresh] = m_texts.try_emplace(file);
        if (fresh) known->second = readFile(file).value_or(std::string());
        return known->second;
    }

    std::size_t offsetOfLine(int line) const {
        std::size_t at = 0;
        for (int i = 1; i < line; ++i) {
            const std::size_t end = m_model.text.find('\n', at);
            if (end == std::string::npos) return m_model.text.size();
            at = end + 1;
        }
        return at;
    }

    Unexpected clash(const std::string& name, const std::string& hit, const std::string& use) const {
        return fail(ErrorCode::InvalidSpec,
                    "the name means something else in " + hit + ", and " + use + " wants the parameter before that header is included; rename the parameter, or define it in the source, behind that #include",
                    "parameter " + name);
    }

    const source::SourceModel& m_model;
    source::Tokens m_tokens;
    std::vector<Header> m_headers;
    mutable std::map<fs::path, std::string> m_texts;
};

/// Names in conditions that neither the source, nor the spec, nor a header of the user's defines.
void tellQuestions(const spec::Spec& spec, const DeviceReading& reading, std::vector<std::string>& notes) {
    const source::Tokens tokens = source::lex(reading.text.text);
    for (const auto& question : source::openQuestions(tokens)) {
        const std::string name(question.name);
        const bool given = std::any_of(spec.parameters.begin(), spec.parameters.end(), [&](const auto& one) { return one.name == name; }) ||
                           std::any_of(spec.compilerOptions.begin(), spec.compilerOptions.end(), [&](const auto& option) { return option == "-D" + name || option.starts_with("-D" + name + "="); });
        const bool inHeader = std::any_of(reading.includes.begin(), reading.includes.end(), [&](const auto& one) {
            return !one.file.empty() && mentionIn(readFile(one.file).value_or(std::string()), name).declares;
        });
        if (given || inHeader) continue;
        notes.push_back("line " + std::to_string(question.line) + " asks for the macro " + name + ", which nothing defines: " +
                        (question.asValue ? "it counts as 0" : "it counts as undefined") + "; give it with -D" + name + "=... in CompilerOptions if that is wrong");
    }
}

}  // namespace

UserHeaders userHeaders(std::string_view text, const fs::path& kernelFolder, const std::vector<fs::path>& includeFolders, device::DeviceKind kind) {
    UserHeaders headers;
    for (const auto& one : source::resolveIncludes(text, foldersFor(kernelFolder, includeFolders, kind))) {
        if (isUsers(one)) headers.found.push_back(one.file);
        if (isLeftOut(one, kind) && !source::isHostHeader(nameOf(one.written))) headers.leftOut.push_back(one.written);
    }
    return headers;
}

Result<DeviceReading> readForDevice(const spec::Spec& spec, const source::SourceModel& model, const device::DeviceFacts& device) {
    DeviceReading reading;
    reading.notes = model.conversions;
    const auto folders = foldersFor(spec.kernelFile.parent_path(), spec.includeFolders, device.kind);
    reading.includes = source::resolveIncludes(model.text, folders);
    std::set<std::string> missing;
    for (const auto& one : reading.includes) {
        if (isLeftOut(one, device.kind)) missing.insert(one.written);
    }
    reading.text = source::separateHostCode(model.text, [&missing](std::string_view written) { return missing.contains(std::string(written)); });
    if (const auto note = hostNote(reading.text, missing); !note.empty()) reading.notes.push_back(note);
    for (const auto& helper : reading.text.undecorated) {
        reading.notes.push_back(helper + " has no __device__, but device code calls it: it is compiled for the device, which nvcc would refuse");
    }
    tellIncludes(reading, folders, reading.notes);
    tellQuestions(spec, reading, reading.notes);
    std::optional<MacroPlacer> placer;
    for (const auto& parameter : spec.parameters) {
        if (parameter.site != space::Site::Define) continue;
        if (!placer) placer.emplace(model, folders);
        WW_TRY(place, placer->place(parameter.name));
        reading.defines.push_back(place);
    }
    return reading;
}

}  // namespace ww::engine
