// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "base/hash.h"
#include "base/units.h"
#include "compile/compile.h"
#include "compile/nvrtc_library.h"
#include "compile/ptxas_report.h"

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
    const auto begin = monotonicNs();
    CompileResult result;
    nvrtcProgram raw = nullptr;
    if (const auto code = m_nvrtc.nvrtcCreateProgram_(&raw, request.source.c_str(), request.fileName.c_str(), 0, nullptr, nullptr); code != NVRTC_SUCCESS) {
        return fail(ErrorCode::WorkerFailed, std::string("NVRTC cannot start a program: ") + m_nvrtc.nvrtcGetErrorString_(code));
    }
    const std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, ProgramDeleter> program(raw, ProgramDeleter{&m_nvrtc});

    std::string expression = request.entry;
    if (!request.templateArguments.empty()) {
        expression += "<";
        for (std::size_t i = 0; i < request.templateArguments.size(); ++i) expression += (i > 0 ? ", " : "") + request.templateArguments[i];
        expression += ">";
    }
    (void)m_nvrtc.nvrtcAddNameExpression_(raw, expression.c_str());
    for (const auto& symbol : request.symbols) (void)m_nvrtc.nvrtcAddNameExpression_(raw, ("&" + symbol).c_str());
    std::string notes;
    const auto list = options(request, notes);
    std::vector<const char*> pointers;
    for (const auto& option : list) pointers.push_back(option.c_str());
    const auto code = m_nvrtc.nvrtcCompileProgram_(raw, static_cast<int>(pointers.size()), pointers.data());
    result.log = notes + log(raw);
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
        result.log += "the kernel " + expression + " is not in the compiled program; is it removed by an #if, or a template without arguments?\n";
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
