// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/hash.h"
#include "base/units.h"
#include "compile/host_command.h"
#include "compile/host_process.h"
#include "compile/host_source.h"

namespace ww::compile {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLauncherSymbol = "ww_module";

/// A folder that disappears with the object.
class ScratchFolder {
public:
    explicit ScratchFolder(const std::string& parent) {
        static std::atomic<unsigned> counter{0};
        m_path = fs::path(parent) / ("cc-" + std::to_string(::getpid()) + "-" + std::to_string(counter++));
        std::error_code error;
        m_valid = fs::create_directory(m_path, error);
    }
    ~ScratchFolder() {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    [[nodiscard]] bool valid() const { return m_valid; }
    [[nodiscard]] const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
    bool m_valid = false;
};

/// Dynamic symbol names are the only place where the launcher's name stands in a stripped object.
bool hasLauncher(std::string_view object) {
    const std::string name = std::string("\0", 1) + std::string(kLauncherSymbol) + std::string("\0", 1);
    return object.starts_with(ELFMAG) && object.find(name) != std::string_view::npos;
}

class HostCompiler final : public Compiler {
public:
    HostCompiler(HostTool tool, std::string scratch, fs::path headers)
        : m_tool(std::move(tool)), m_scratch(std::move(scratch)), m_headers(std::move(headers)) {}

    std::string version() const override { return m_tool.version; }
    Result<CompileResult> compile(const CompileRequest& request) override;

private:
    std::vector<std::string> command(const CompileRequest& request, const HostOptions& options) const;

    HostTool m_tool;
    std::string m_scratch;
    fs::path m_headers;
};

std::vector<std::string> HostCompiler::command(const CompileRequest& request, const HostOptions& options) const {
    std::vector<std::string> list = m_tool.command;
    // Vectorising needs that libm does not set errno and that nobody looks at floating-point flags: CUDA has neither.
    // Stack clash protection makes a large frame touch every page on its way down, so that it meets the stack's guard pages.
    for (const char* flag : {"-std=c++20", "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast",
                             "-fno-strict-aliasing", "-fstack-clash-protection", "-fPIC", "-shared", "-fvisibility=hidden",
                             "-fdiagnostics-color=never", "-g0"}) {
        list.emplace_back(flag);
    }
    if (m_tool.clang) {
        list.emplace_back("-Wno-everything");
    } else {
        // With the whole program in sight everything but the launcher is local: unused functions and variables go, and the
        // absence of barriers shows. A fixed seed keeps equal programs equal byte by byte.
        for (const char* flag : {"-fwhole-program", "-fno-gnu-unique", "-frandom-seed=warpwright", "-fmax-errors=20"}) list.emplace_back(flag);
    }
    list.insert(list.end(), options.flags.begin(), options.flags.end());
    if (request.sanitize) {
        for (const char* flag : {"-fsanitize=address,undefined", "-fno-omit-frame-pointer", "-g1"}) list.emplace_back(flag);
    } else {
        list.emplace_back("-s");
    }
    list.emplace_back("-Wl,--build-id=none");
    list.push_back("-I" + (m_headers / "include").string());
    for (const std::string& folder : request.includeFolders) list.push_back("-I" + folder);
    for (const std::string& folder : options.includeFolders) list.push_back("-I" + folder);
    list.push_back("-include");
    list.push_back((m_headers / "ww_cuda.h").string());
    for (const char* word : {"-o", "kernel.so", "kernel.cpp"}) list.emplace_back(word);
    return list;
}

/// What to try again with after g++ stumbled over something that nvcc accepts.
bool relax(const std::string& output, const CompileRequest& request, Unroll& unroll, bool& castEntry) {
    if (output.find("#pragma GCC unroll") != std::string::npos || output.find("GCC unroll") != std::string::npos) {
        if (unroll == Unroll::None) return false;
        unroll = unroll == Unroll::All ? Unroll::Literal : Unroll::None;
        return true;
    }
    const bool overloaded = output.find("overloaded") != std::string::npos || output.find("no matching function for call to 'ww_") != std::string::npos;
    if (overloaded && !castEntry && !request.argumentTypes.empty()) {
        castEntry = true;
        return true;
    }
    return false;
}

/// "file.cu:2:3: the CPU device cannot run this: inline PTX (...)", a line for each refused construct.
std::string refusedPlaces(const std::string& output) {
    std::string places;
    for (auto at = output.find(kRefusalMark); at != std::string::npos; at = output.find(kRefusalMark, at + 1)) {
        const auto newline = output.rfind('\n', at);
        const auto lineStart = newline == std::string::npos ? 0 : newline + 1;
        const auto colon = output.find(": error: ", lineStart);
        if (colon == std::string::npos || colon > at) continue;  // the source line that g++ quotes below its message
        const auto end = std::min(output.find('\n', at), output.size());
        places += output.substr(lineStart, colon - lineStart) + ": the CPU device cannot run " +
                  output.substr(at + kRefusalMark.size(), end - at - kRefusalMark.size()) + "\n";
    }
    return places;
}

/// A sentence ahead of the compiler's words where these need one.
std::string explain(const CompileRequest& request, const std::string& output) {
    if (std::string places = refusedPlaces(output); !places.empty()) {
        return places + "the CPU device cannot run this kernel; tune it with --device cuda\n";
    }
    for (const std::string& symbol : request.symbols) {
        const auto last = symbol.rfind(':');
        const std::string name = last == std::string::npos ? symbol : symbol.substr(last + 1);
        if (output.find("'" + name + "' was not declared") == std::string::npos && output.find("'" + name + "' is not a member") == std::string::npos) continue;
        return "the Symbol argument " + symbol + " names no variable of " + request.fileName +
               "; declare it __constant__ or __device__ at namespace scope, or correct the argument's Name\n";
    }
    if (output.find(std::string(kLauncherName) + ":") != std::string::npos && output.find(": error:") == output.find(": error:", output.find(kLauncherName))) {
        return "the entry kernel " + request.entry + " does not exist in " + request.fileName + " as asked, or has arguments that cannot be passed\n";
    }
    return {};
}

Result<CompileResult> HostCompiler::compile(const CompileRequest& request) {
    const std::int64_t start = monotonicNs();
    const ScratchFolder folder(m_scratch);
    if (!folder.valid()) return fail(ErrorCode::Unreadable, "cannot write to the scratch folder " + m_scratch);
    const HostOptions options = translateOptions(request.options);
    CompileResult result;
    for (const std::string& dropped : options.dropped) result.log += "note: the option " + dropped + " means nothing on the CPU device and was left out\n";
    const auto deadline = std::chrono::milliseconds(static_cast<long long>(std::max(0.0, request.deadlineSeconds) * 1000));
    const auto elapsed = [start] { return std::chrono::milliseconds((monotonicNs() - start) / 1'000'000); };

    Unroll unroll = Unroll::All;
    bool castEntry = false;
    ProcessResult process;
    do {
        WW_CHECK(writeFileAtomically(folder.path() / "kernel.cpp", translationUnit(request, unroll, castEntry, options.defines, options.undefines)));
        WW_TRY(ran, runProcess(command(request, options), folder.path().string(), deadline - elapsed()));
        process = std::move(ran);
    } while (process.exitCode != 0 && !process.timedOut && relax(process.output, request, unroll, castEntry));

    result.seconds = static_cast<double>(monotonicNs() - start) / 1e9;
    if (process.exitCode != 0) result.log += explain(request, process.output);
    result.log += process.output;
    if (process.timedOut) {
        result.status = TrialStatus::CompileTimeout;
        result.log += "the compiler was stopped after " + formatDuration(request.deadlineSeconds) + "\n";
        return result;
    }
    if (process.signal != 0) result.log += "the compiler was ended by signal " + std::to_string(process.signal) + "\n";
    if (process.exitCode != 0) {
        result.status = TrialStatus::CompileError;
        return result;
    }
    WW_TRY(object, readFile(folder.path() / "kernel.so"));
    if (!hasLauncher(object)) {
        result.status = TrialStatus::CompileError;
        result.log += "the compiled object does not contain the entry kernel " + request.entry + "\n";
        return result;
    }
    result.object.resize(object.size());
    std::memcpy(result.object.data(), object.data(), object.size());
    result.objectHash = contentHash(object);
    result.entry = kLauncherSymbol;
    for (const std::string& symbol : request.symbols) result.symbols.emplace_back(symbol, symbol);
    return result;
}

}  // namespace

Result<std::unique_ptr<Compiler>> makeHostCompiler(const std::string& scratchFolder) {
    if (!fs::is_directory(scratchFolder) || ::access(scratchFolder.c_str(), W_OK) != 0) {
        return fail(ErrorCode::Unreadable, "the scratch folder " + scratchFolder + " is missing or cannot be written to");
    }
    const fs::path headers = resourceRoot() / "resources" / "cpu";
    if (!fs::exists(headers / "ww_cuda.h")) {
        return fail(ErrorCode::EnvironmentMissing, "the CPU device's header is missing: " + (headers / "ww_cuda.h").string() +
                                                       "; install Warpwright again, or set WARPWRIGHT_ROOT");
    }
    WW_TRY(tool, findHostTool(scratchFolder));
    return std::unique_ptr<Compiler>(std::make_unique<HostCompiler>(std::move(tool), fs::absolute(scratchFolder).string(), headers));
}

}  // namespace ww::compile
