// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/trial_status.h"

namespace ww::compile {

enum class Target { Cuda, Cpu };

/// Everything that decides the object code; its key() is the cache key. JSON in and out: it crosses to the compile worker.
struct CompileRequest {
    Target target = Target::Cpu;
    std::string architecture;               ///< "sm_90a"; unused for the CPU
    std::string source;                     ///< the mutant's text
    std::string fileName;                   ///< for messages: "gemm.cu"
    std::string entry;                      ///< qualified name of the entry
    std::vector<std::string> templateArguments;  ///< texts in order; empty for a plain function
    std::vector<std::string> argumentTypes; ///< full C++ types of the entry's arguments, in order (for the CPU launcher)
    std::vector<std::string> symbols;       ///< qualified names of __constant__ and __device__ variables that the host writes or reads
    std::vector<std::pair<std::string, std::string>> defines;
    std::vector<std::string> options;       ///< the spec's compiler options; those a front end does not know are dropped and told
    std::vector<std::string> includeFolders;///< absolute
    bool sanitize = false;                  ///< CPU only: AddressSanitizer and UBSan
    double deadlineSeconds = 60;

    /// Content key over all of the above, the tool's version and the digests of included files the front end can name.
    [[nodiscard]] std::string key(std::string_view toolVersion) const;
    [[nodiscard]] Json toJson() const;
    [[nodiscard]] static Result<CompileRequest> fromJson(const Json& json);
};

/// Facts from the compiler's report. -1 where unknown.
struct CompileFacts {
    std::int64_t registers = -1;
    std::int64_t spillStoreBytes = -1;
    std::int64_t spillLoadBytes = -1;
    std::int64_t stackBytes = -1;
    std::int64_t staticSharedBytes = -1;
    std::int64_t constantBytes = -1;
    [[nodiscard]] Json toJson() const;
    [[nodiscard]] static CompileFacts fromJson(const Json& json);
};

/// status is Ok, CompileError, CompileTimeout or ResourceError (ptxas limits). "Ok" means the asked entry is in the object.
struct CompileResult {
    TrialStatus status = TrialStatus::Ok;
    std::vector<std::byte> object;          ///< CUBIN or shared object
    std::string entry;                      ///< lowered name, or the launcher's symbol
    std::vector<std::pair<std::string, std::string>> symbols;  ///< the request's symbols with their names in the object
    std::string log;                        ///< whole compiler output
    std::string objectHash;                 ///< equal hashes = the same program
    CompileFacts facts;
    double seconds = 0;
    bool cached = false;
    /// `object` travels beside the JSON as a binary attachment (worker/protocol.h).
    [[nodiscard]] Json toJson() const;
    [[nodiscard]] static Result<CompileResult> fromJson(const Json& json);
};

/// A compiler front end; runs inside the compile worker, one request at a time.
class Compiler {
public:
    virtual ~Compiler() = default;
    [[nodiscard]] virtual std::string version() const = 0;  ///< "NVRTC 13.0", "g++ (Debian ...) 12.2.0"
    [[nodiscard]] virtual Result<CompileResult> compile(const CompileRequest& request) = 0;
};

/// NVRTC opened at run time. Errors: EnvironmentMissing naming the library and the package that has it.
[[nodiscard]] Result<std::unique_ptr<Compiler>> makeNvrtcCompiler();
/// The system C++ compiler ($CXX, c++, g++, clang++) with the CPU device's header.
/// `scratchFolder` must exist and be writable. Errors: EnvironmentMissing.
[[nodiscard]] Result<std::unique_ptr<Compiler>> makeHostCompiler(const std::string& scratchFolder);

}  // namespace ww::compile
