// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "base/hash.h"
#include "base/units.h"
#include "compile/compile.h"
#include "compile/nvrtc_library.h"
#include "compile/ptxas_report.h"
#include "compile/toolkit.h"

namespace ww::compile {
namespace {

/// Options of nvcc and of specs in the wild that NVRTC understands; everything else is dropped and told.
bool understood(std::string_view option) {
    for (const std::string_view prefix : {"-std=", "--std=", "-D", "-U", "-I", "--define-macro", "--include-path", "-use_fast_math", "--use_fast_math",
                                          "-maxrregcount", "--maxrregcount", "-lineinfo", "--generate-line-info", "-G", "--device-debug", "-fmad", "--fmad",
                                          "-ftz", "--ftz", "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt", "-extra-device-vectorization",
                                          "--extra-device-vectorization", "-restrict", "--restrict", "-default-device", "--device-as-default-execution-space"}) {
        if (option.starts_with(prefix)) return true;
    }
    return false;
}

std::string nameOf(const CompileRequest& request) {
    std::string name = request.entry;
    for (std::size_t i = 0; i < request.templateArguments.size(); ++i) name += (i == 0 ? "<" : ", ") + request.templateArguments[i];
    return request.templateArguments.empty() ? name : name + ">";
}

/// Why a program that NVRTC accepts does not hold the asked kernel.
std::string explainMissing(const CompileRequest& request, const std::string& expression) {
    const std::string what = "NVRTC made a program without the kernel " + expression + ": ";
    if (request.source.find_first_not_of(" \t\r\n") == std::string::npos) return what + "the source is empty\n";
    if (request.source.find(request.entry.substr(request.entry.rfind(':') + 1)) == std::string::npos) return what + "its name is not in the source\n";
    if (request.source.find('\r') != std::string::npos && request.source.find('\n') == std::string::npos) {
        return what + "the lines end with a carriage return alone, so that it is one line; convert them to line feeds\n";
    }
    return what + "an #if or #ifdef removes it (check the macros that it asks for), or it is a template that lacks arguments (give Warpwright.Entry.TemplateArguments)\n";
}

/// Warnings that mean that something the user asked for has no effect.
std::string tellIgnored(const std::string& log) {
    std::string told;
    if (log.find("#47-D") != std::string::npos) {
        told += "note: the source defines again a macro that is given with -D, so the given value has no effect; guard it with #ifndef, or make it a parameter, which is edited in place\n";
    }
    if (log.find(".minnctapersm will be ignored") != std::string::npos) {
        told += "note: the second number of __launch_bounds__ is ignored: so many blocks of so many threads do not fit a multiprocessor; lower one of them\n";
    }
    return told;
}

struct ProgramDeleter {
    const NvrtcLibrary* nvrtc;
    void operator()(nvrtcProgram program) const { (void)nvrtc->nvrtcDestroyProgram_(&program); }
};

class NvrtcCompiler final : public Compiler {
public:
    explicit NvrtcCompiler(const NvrtcLibrary& nvrtc) : m_nvrtc(nvrtc) {}

    std::string version() const override { return "NVRTC " + std::to_string(m_nvrtc.major) + "." + std::to_string(m_nvrtc.minor); }

    Result<CompileResult> compile(const CompileRequest& request) override;

private:
    /// `expression` names the entry.
    Result<CompileResult> attempt(const CompileRequest& request, const std::string& expression) const;
    std::vector<std::string> options(const CompileRequest& request, std::string& notes) const;
    std::string log(nvrtcProgram program) const;

    const NvrtcLibrary& m_nvrtc;
};

std::vector<std::string> NvrtcCompiler::options(const CompileRequest& request, std::string& notes) const {
    // ptxas reports registers and spills in the log; it costs no measurable time.
    std::vector<std::string> list{"--gpu-architecture=" + request.architecture, "--ptxas-options=-v"};
    bool standard = false;
    for (const auto& option : request.options) {
        if (!understood(option)) {
            notes += "note: NVRTC has no option " + option + "; it was left out\n";
            continue;
        }
        standard = standard || option.find("std=") != std::string::npos;
        list.push_back(option);
    }
    if (!standard) list.emplace_back("--std=c++17");
    // constexpr functions without __device__ are legal in device code where constants are wanted; NVRTC refuses them otherwise.
    list.emplace_back("--device-as-default-execution-space");
    for (const auto& [name, value] : request.defines) list.push_back("-D" + name + "=" + value);
    for (const auto& folder : request.includeFolders) list.push_back("-I" + folder);
    for (const auto& folder : m_nvrtc.includeFolders) list.push_back("-I" + folder);
    return list;
}

std::string NvrtcCompiler::log(nvrtcProgram program) const {
    std::size_t size = 0;
    if (m_nvrtc.nvrtcGetProgramLogSize_(program, &size) != NVRTC_SUCCESS || size < 2) return {};
    std::string text(size, '\0');
    (void)m_nvrtc.nvrtcGetProgramLog_(program, text.data());
    text.resize(size - 1);
    return text;
}

Result<CompileResult> NvrtcCompiler::compile(const CompileRequest& request) {
    const std::string plain = nameOf(request);
    WW_TRY(first, attempt(request, plain));
    const bool ambiguous = first.log.find("overloaded") != std::string::npos || first.log.find("ambiguous") != std::string::npos;
    if (first.status != TrialStatus::CompileError || !ambiguous || request.argumentTypes.empty()) return std::move(first);
    // Several kernels of one name: the arguments' types pick one.
    std::string cast = "(void (*)(";
    for (std::size_t i = 0; i < request.argumentTypes.size(); ++i) cast += (i > 0 ? ", " : "") + request.argumentTypes[i];
    WW_TRY(second, attempt(request, cast + "))&" + plain));
    second.seconds += first.seconds;
    return second.status == TrialStatus::CompileError ? std::move(first) : std::move(second);
}

Result<CompileResult> NvrtcCompiler::attempt(const CompileRequest& request, const std::string& expression) const {
    const auto begin = monotonicNs();
    CompileResult result;
    nvrtcProgram raw = nullptr;
    std::vector<const char*> headers, names;
    for (const ServedHeader& header : servedHeaders()) {
        headers.push_back(header.text);
        names.push_back(header.name);
    }
    if (const auto code = m_nvrtc.nvrtcCreateProgram_(&raw, request.source.c_str(), request.fileName.c_str(), static_cast<int>(headers.size()), headers.data(), names.data()); code != NVRTC_SUCCESS) {
        return fail(ErrorCode::WorkerFailed, std::string("NVRTC cannot start a program: ") + m_nvrtc.nvrtcGetErrorString_(code));
    }
    const std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, ProgramDeleter> program(raw, ProgramDeleter{&m_nvrtc});

    (void)m_nvrtc.nvrtcAddNameExpression_(raw, expression.c_str());
    for (const auto& symbol : request.symbols) (void)m_nvrtc.nvrtcAddNameExpression_(raw, ("&" + symbol).c_str());
    std::string notes;
    const auto list = options(request, notes);
    std::vector<const char*> pointers;
    for (const auto& option : list) pointers.push_back(option.c_str());
    const auto code = m_nvrtc.nvrtcCompileProgram_(raw, static_cast<int>(pointers.size()), pointers.data());
    result.log = notes + log(raw);
    result.log.insert(0, tellIgnored(result.log));
    result.seconds = static_cast<double>(monotonicNs() - begin) * 1e-9;
    if (code != NVRTC_SUCCESS) {
        result.status = exceedsLimits(result.log) ? TrialStatus::ResourceError : TrialStatus::CompileError;
        if (result.log.empty()) result.log = m_nvrtc.nvrtcGetErrorString_(code);
        return result;
    }
    // Success alone proves nothing: NVRTC accepts a text without any kernel. The asked entry has to be in the CUBIN.
    const char* lowered = nullptr;
    std::size_t size = 0;
    if (m_nvrtc.nvrtcGetLoweredName_(raw, expression.c_str(), &lowered) != NVRTC_SUCCESS || lowered == nullptr) {
        result.status = TrialStatus::CompileError;
        result.log += explainMissing(request, expression);
        return result;
    }
    result.entry = lowered;
    for (const auto& symbol : request.symbols) {
        const char* name = nullptr;
        if (m_nvrtc.nvrtcGetLoweredName_(raw, ("&" + symbol).c_str(), &name) == NVRTC_SUCCESS && name != nullptr) result.symbols.emplace_back(symbol, name);
    }
    if (m_nvrtc.nvrtcGetCUBINSize_(raw, &size) != NVRTC_SUCCESS || size == 0) {
        result.status = TrialStatus::CompileError;
        result.log += "NVRTC made no machine code for " + request.architecture + "\n";
        return result;
    }
    result.object.resize(size);
    (void)m_nvrtc.nvrtcGetCUBIN_(raw, reinterpret_cast<char*>(result.object.data()));
    const std::string_view bytes(reinterpret_cast<const char*>(result.object.data()), size);
    if (bytes.find(".text." + result.entry) == std::string_view::npos) {
        result.status = TrialStatus::CompileError;
        result.log += "the CUBIN has no code for " + result.entry + "\n";
        return result;
    }
    result.objectHash = contentHash(bytes);
    result.facts = readPtxasReport(result.log, result.entry);
    return result;
}

}  // namespace

Result<std::unique_ptr<Compiler>> makeNvrtcCompiler() {
    WW_TRY(nvrtc, NvrtcLibrary::open());
    return std::unique_ptr<Compiler>(std::make_unique<NvrtcCompiler>(*nvrtc));
}

}  // namespace ww::compile
