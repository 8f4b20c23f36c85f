// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/json.h"
#include "base/result.h"
#include "base/texture.h"
#include "expr/expression.h"
#include "source/source_model.h"
#include "space/search_space.h"

namespace ww::spec {

enum class MemoryKind { Scalar, Vector, Local, Symbol, Texture };
enum class Access { ReadOnly, WriteOnly, ReadWrite };
enum class Fill { Constant, Random, BinaryRaw, Generator, Script };

/// One kernel argument. `size` is an expression in elements.
struct ArgumentSpec {
    std::string name;
    DType type = DType::Float32;
    std::string typeName;                       ///< as written, for vector types ("float4") and messages
    int components = 1;                         ///< 4 for float4
    MemoryKind memory = MemoryKind::Vector;
    Access access = Access::ReadOnly;
    bool output = false;                        ///< checked against the reference
    std::optional<expr::Expression> size;       ///< Vector, Local and Symbol; max(P) and min(P) already replaced by the domain's
    std::string sizeText;                       ///< as written, for messages and toT1
    std::vector<expr::Expression> extents;      ///< Texture: width, height, depth; empty: linear memory of `size` texels
    TextureSampling sampling;                   ///< Texture
    Fill fill = Fill::Constant;
    double fillValue = 0;
    std::optional<expr::Expression> scalar;     ///< Scalar arguments: Warpwright.Scalars wins over FillValue
    std::optional<expr::Expression> generator;  ///< Generator in `i` and sizes, where our evaluator can run it
    std::string dataSource;                     ///< as written: file, foreign code, ...
    std::uint32_t alignment = 0;                ///< bytes; verification also places the buffer at no better one. 0: off
};

struct ConditionSpec {
    std::string text;
    std::vector<std::string> parameters;        ///< as listed; may be empty
};

struct WorkloadSpec {
    std::string name = "default";
    double weight = 1;                          ///< 0: only where named
    bool verifyOnly = false;
    std::map<std::string, std::int64_t> sizes;
    std::map<std::string, DType> dtypes;
};

enum class ReferenceKind { Default, TorchScript, Kernel, Arguments };

struct KernelReference {
    std::string file, name;
    std::array<std::optional<expr::Expression>, 3> localSize, globalSize;
};

/// A reference given as data: T1's ReferenceArguments.
struct ReferenceArgument {
    std::string target;
    Fill fill = Fill::Constant;
    double fillValue = 0;
    std::string dataSource;
    std::optional<expr::Expression> generator;
    std::string method;                         ///< ValidationMethod
    double threshold = 0;
};

struct ReferenceSpec {
    ReferenceKind kind = ReferenceKind::Default;
    std::string torchScript;
    std::vector<std::string> inputs, outputs;   ///< TorchScript: argument or size names
    KernelReference kernel;
    std::vector<ReferenceArgument> arguments;
};

struct Tolerance {
    std::optional<double> relative, absolute;   ///< nullopt: the dtype's default
    bool operator==(const Tolerance&) const = default;
};

struct ToleranceSpec : Tolerance {
    std::map<std::string, Tolerance> outputs;
    bool nanMatches = false;                    ///< "match": NaN equals NaN at the same place; else NaN fails
};

struct LimitsSpec {
    double trialSeconds = 90, compileSeconds = 60;
    std::int64_t deviceMemoryGrowthMiB = 200;
};

/// A tuning task as described by a T1 document, by pragmas or by a bare source. Immutable once loaded.
struct Spec {
    std::string name;                           ///< BenchmarkName, else the kernel's name
    std::string title, about;
    std::filesystem::path file;                 ///< the spec; empty for a bare source
    std::filesystem::path folder;               ///< relative paths start here
    std::filesystem::path kernelFile;           ///< absolute; may not exist (then only `space` works)
    std::string kernelName;
    std::string language = "CUDA";
    std::vector<std::string> compilerOptions;
    std::vector<space::Parameter> parameters;   ///< `site` is filled by resolve() with the source at hand
    std::vector<ConditionSpec> conditions;
    std::vector<ArgumentSpec> arguments;
    std::vector<expr::Expression> problemSize;  ///< 0 to 3
    std::array<std::optional<expr::Expression>, 3> localSize, globalSize;
    std::array<std::vector<expr::Expression>, 3> gridDivisors;
    bool globalSizeIsThreads = false;           ///< GlobalSizeType OpenCL
    std::optional<expr::Expression> sharedMemory;  ///< dynamic bytes (SharedMemory, Entry.DynamicSharedBytes, Local arguments)
    std::vector<std::string> templateArguments;
    std::map<std::string, std::int64_t> sizes;
    std::vector<WorkloadSpec> workloads;        ///< never empty: one named "default" where the spec has none
    std::string cpuWorkload;
    ReferenceSpec reference;
    ToleranceSpec tolerance;
    bool gradientCheck = false;
    std::optional<expr::Expression> workBytes, workFlops;
    std::string objective = "composite";
    std::vector<std::filesystem::path> includeFolders;
    LimitsSpec limits;
    bool cooperative = false;
    std::array<std::optional<expr::Expression>, 3> cluster;
    std::vector<std::string> defaultMissing;    ///< parameters without Default: resolve() takes the source's value
    std::vector<std::string> siteGiven;         ///< parameters whose Site the spec names: resolve() leaves it
    std::vector<std::string> notes;             ///< what was assumed or disagreed, to be shown ("GlobalSize.X is ignored: ...")

    [[nodiscard]] const ArgumentSpec* findArgument(std::string_view argument) const noexcept;
    [[nodiscard]] const WorkloadSpec* findWorkload(std::string_view workload) const noexcept;
};

/// Loads a spec by its file, by its folder (`kernels/gemm`), or makes one from a bare `.cu` with proposed domains and launch.
/// Errors: NotFound, Unreadable, ParseError (line and column), InvalidSpec, InvalidExpression.
[[nodiscard]] Result<Spec> load(const std::filesystem::path& path);
/// From T1 text; `file` gives the folder and the names in messages.
[[nodiscard]] Result<Spec> parse(std::string_view text, const std::filesystem::path& file);
/// From a bare source. Errors: InvalidSpec where the launch cannot be guessed, with what the spec must give.
[[nodiscard]] Result<Spec> fromSource(const std::filesystem::path& kernelFile);

/// Fills what only the source knows: each parameter's site, missing defaults, template arguments. load() does it where the
/// kernel file is there; doing it twice changes nothing.
void resolve(Spec& spec, const source::SourceModel& model);

/// Whether `tune` can run this spec: a CUDA kernel file that exists, a launch, arguments whose data we can make, something to
/// check. `space` does not ask. Errors: InvalidSpec, NotFound (kernel file), Unsupported (foreign code), each with the reason.
[[nodiscard]] Result<void> checkTunable(const Spec& spec);

/// "float4" -> {Float32, 4}; nullopt for what is no scalar or vector type ("custom", structs).
[[nodiscard]] std::optional<std::pair<DType, int>> elementTypeFrom(std::string_view typeName);

/// Parameters that exist, the spec's conditions, and the names every expression may use for one workload.
/// Without device facts the conditions alone count (`space` without --device).
[[nodiscard]] Result<space::SearchSpace> makeSpace(const Spec& spec, const WorkloadSpec& workload, const expr::Scope* deviceFacts);

/// All names but the parameters: sizes (the workload's win), ProblemSize, problem_size_x/y/z.
[[nodiscard]] Result<expr::Scope> constantsFor(const Spec& spec, const WorkloadSpec& workload, const expr::Scope* deviceFacts);

/// How verification draws a Random floating-point argument; other fills and integers (which may be indices) are as the spec says.
/// All but Large stay within [-FillValue, FillValue].
enum class InputFamily {
    Uniform,        ///< over the whole range; timing uses no other
    HeavyTailed,    ///< few elements carry nearly the whole sum: part of the work, scaled up, does not pass for all of it
    BlockUnique,    ///< each 256 elements have their own sign and magnitude: a tile left out or taken twice shows
    ExactIntegers,  ///< 0 or 1: sums are exact in any order, so lower precision shows
    Large,          ///< up to 4096 times the range (half: 512), one sign: accumulators of a smaller type overflow
    Tiny,           ///< down to 2^-20 of the range (half: 2^-8)
};
inline constexpr std::array kAllInputFamilies{InputFamily::Uniform,       InputFamily::HeavyTailed, InputFamily::BlockUnique,
                                              InputFamily::ExactIntegers, InputFamily::Large,       InputFamily::Tiny};
/// "uniform", "heavy-tailed", ...
[[nodiscard]] std::string_view toString(InputFamily family) noexcept;

/// Grid, block and bytes of one configuration on one workload. Plain numbers, ready for a device.
struct ResolvedArgument {
    std::string name;
    DType type = DType::Float32;
    MemoryKind memory = MemoryKind::Vector;
    Access access = Access::ReadOnly;
    bool output = false;
    std::uint64_t elements = 0;                 ///< Vector, Symbol and Texture (components counted)
    int components = 1;                         ///< of a texel
    TextureExtents extents{};                   ///< Texture
    TextureSampling sampling;                   ///< Texture
    Fill fill = Fill::Constant;
    double fillValue = 0;
    expr::Value scalar;                         ///< Scalar
    std::string generator;                      ///< expression in i, or empty
    std::string dataFile;                       ///< absolute, inside the spec's folder; or empty
    InputFamily family = InputFamily::Uniform;
    double nudge = 0;                           ///< added with a seeded sign to each element of a Random float argument (gradient check)
    std::uint32_t alignment = 0;                ///< bytes that the address keeps to and no more; 0: that of an allocation
    bool operator==(const ResolvedArgument&) const = default;
    [[nodiscard]] std::uint64_t bytes() const noexcept { return elements * sizeOf(type); }
};

struct ResolvedLaunch {
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::uint64_t dynamicSharedBytes = 0;
    std::vector<ResolvedArgument> arguments;    ///< in the kernel's order; Local arguments are folded into dynamicSharedBytes
    bool empty = false;                         ///< a grid dimension is 0: nothing is launched, outputs must stay untouched
};

/// Errors: InvalidSpec naming the expression: a launch size that is no whole number, is negative or above the device's limits.
[[nodiscard]] Result<ResolvedLaunch> resolveLaunch(const Spec& spec, const expr::Scope& configurationScope,
                                                   const WorkloadSpec& workload);

/// Edge workloads for verification: the VerifyOnly ones of the spec, and where sizes are symbolic, small shapes derived
/// from the named workload: every size at 1, tile-1, tile, tile+1 and an odd number (tile = the block size of the default).
/// Only shapes whose launch resolves and that keep the conditions on sizes are returned; none with recorded results as reference.
[[nodiscard]] std::vector<WorkloadSpec> edgeWorkloads(const Spec& spec, const WorkloadSpec& tuned, const expr::Scope& configurationScope);

/// Up to `count` shapes drawn from `seed`, that nobody could know when the candidate was compiled: cheap ones of any size up to the
/// tuned one, and first one a little smaller than the tuned one. Empty where no size is symbolic or results are recorded.
[[nodiscard]] std::vector<WorkloadSpec> hiddenWorkloads(const Spec& spec, const WorkloadSpec& tuned, const expr::Scope& configurationScope,
                                                        std::uint64_t seed, int count);

/// A T1 document with our section that loads again to the same model.
[[nodiscard]] Json toT1(const Spec& spec);

}  // namespace ww::spec
