// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "expr/expression.h"
#include "expr/value.h"
#include "source/device_code.h"
#include "source/text_encoding.h"

namespace ww::source {

enum class Language { Cuda, Triton };

/// Where a parameter can be edited.
enum class SiteKind {
    GuardedMacro, Macro, Constant, TemplateParameter,
    ConstexprArgument,  ///< Triton: `BLOCK: tl.constexpr`
    LaunchOption,       ///< Triton: num_warps, num_stages, num_ctas, maxnreg; given at launch
};

[[nodiscard]] std::string_view toString(SiteKind kind) noexcept;

/// One compile-time parameter found in the source.
struct ParameterSite {
    std::string name;
    SiteKind kind = SiteKind::Macro;
    ByteRange value;              ///< the value's own text, the only bytes an edit may touch
    std::string text;             ///< that text: "64", "true", "4 * 16"
    std::optional<expr::Value> defaultValue;  ///< where the text is a literal or folds to one
    std::string type;             ///< "int", "bool", ... for constants and template parameters; empty for macros
    int line = 1;
    int uses = 0;                 ///< identifiers of that name elsewhere in the file
    /// Domain proposed for a bare source, default included; empty where none is sensible (header guards, floats...).
    std::vector<expr::Value> proposedValues;
    bool tunable = true;          ///< false for include guards, constants nothing uses, values that are not literals
    bool editable = true;         ///< false where no edit can be proven right (defined twice, #undef, function-like, strings)
    std::string whyNot;           ///< reason when not tunable, or why nothing is proposed
};

/// One parameter of an entry's signature.
struct KernelArgument {
    std::string name;
    std::string type;             ///< without qualifiers and pointer: "float", "half", "int"
    bool pointer = false;
    bool isConst = false;         ///< pointee is const (read only)
    int line = 1;
};

struct TemplateParameter {
    std::string name;
    std::string type;             ///< "int", "typename", ...
    std::optional<std::string> defaultText;
};

/// One triton.Config(...) of @triton.autotune.
struct AutotuneConfig {
    std::vector<std::pair<std::string, expr::Value>> values;
    int line = 1;
};

/// One __global__ function, or one function under @triton.jit.
struct Entry {
    std::string name;
    std::string qualifiedName;    ///< with namespaces: "ns::kernel"
    bool externC = false;
    std::vector<KernelArgument> arguments;
    std::vector<TemplateParameter> templateParameters;
    std::string launchBounds;     ///< text between the parentheses; may be empty
    ByteRange range;              ///< the whole definition
    ByteRange body;
    int line = 1;
    std::vector<std::string> decorators;         ///< Triton: as written, without @
    std::vector<AutotuneConfig> configurations;  ///< Triton: those that could be read without running Python
    std::vector<std::string> tuningKeys;         ///< Triton: autotune's key

    /// "ns::kernel(const float*, int)"; tells overloads apart.
    [[nodiscard]] std::string signature() const;
};

/// Something a device may be unable to run, found in the source.
struct Feature {
    std::string id;               ///< "inline_ptx", "mma", "wgmma", "tma", "cp_async", "grid_sync", "texture", "shared_static",
                                  ///< "shared_dynamic", "barrier", "warp_shuffle", "atomic", "half", "bfloat16", "constant_memory", ...
    int line = 1;
    std::string text;             ///< the construct itself, shortened
};

/// A syntax error that tree-sitter found. Unresolvable macros can look like one, so it is a warning unless the compiler agrees.
struct SyntaxProblem {
    int line = 1;
    int column = 1;
    std::string text;
};

/// Counts over the AST of one entry and the device functions in its file; what encode/ starts from.
struct SyntaxCounts {
    std::map<std::string, int> byName;  ///< "loops", "loads", "stores", "branches", "barriers", ...: names in docs/source-model.md
};

/// What is known of a kernel file. A value type; nothing here depends on tree-sitter's types.
struct SourceModel {
    std::filesystem::path path;   ///< may be empty for text from memory
    std::string text;             ///< UTF-8; encodeText(text, format) are the file's bytes
    TextFormat format;            ///< how the file's bytes stand for the text; UTF-8 for text from memory
    std::vector<std::string> conversions;  ///< what loading converted, in words for the user; empty as a rule
    Language language = Language::Cuda;
    std::vector<Entry> entries;
    std::vector<FunctionModel> functions;  ///< what kernels and device functions do, in the file's order
    std::vector<MemoryObject> objects;     ///< constant arrays, textures, ...
    std::vector<ParameterSite> parameters;
    std::vector<Feature> features;
    std::vector<SharedArray> sharedArrays;
    std::vector<std::string> includes;  ///< as written, with quotes or brackets
    std::vector<SyntaxProblem> problems;
    SyntaxCounts counts;
    std::map<std::string, int, std::less<>> identifiers;  ///< occurrences of each name outside comments and strings
    std::set<std::string, std::less<>> declared;          ///< names that the file gives a meaning: macros, variables, types, ...

    /// By signature, qualified or plain name; the first where several have it.
    [[nodiscard]] const Entry* findEntry(std::string_view name) const noexcept;
    /// All overloads of a plain or qualified name.
    [[nodiscard]] std::vector<const Entry*> findEntries(std::string_view name) const;
    /// What an entry does.
    [[nodiscard]] const FunctionModel* functionOf(const Entry& entry) const noexcept;
    [[nodiscard]] const ParameterSite* findParameter(std::string_view name) const noexcept;
    [[nodiscard]] bool hasFeature(std::string_view id) const noexcept;
};

/// What a source does with a parameter's name; decides space::Site.
enum class NameUse {
    Defined,  ///< macro, constant, template parameter, or any other declaration
    Used,     ///< occurs as an identifier but nothing in the file defines it: must come in as -DNAME=value
    Absent,   ///< does not occur: launch geometry or sizes only
};

[[nodiscard]] NameUse nameUse(const SourceModel& model, std::string_view name) noexcept;

/// Those of `candidates` that are Used: they occur as identifiers, but the source defines them nowhere.
[[nodiscard]] std::vector<std::string> undefinedNames(const SourceModel& model, const std::vector<std::string>& candidates);

/// Parses CUDA C++ text. Errors: ParseError for an empty file or one without any kernel (says what was found instead).
/// Syntax problems alone are no error: they are in `problems`.
[[nodiscard]] Result<SourceModel> parseCuda(std::string text, const std::filesystem::path& path = {});

/// readFile, decodeText and parseCuda. Errors: theirs.
[[nodiscard]] Result<SourceModel> loadCuda(const std::filesystem::path& path);

/// Parses a Python file with functions under @triton.jit. Errors: ParseError for an empty file or one without any.
[[nodiscard]] Result<SourceModel> parsePython(std::string text, const std::filesystem::path& path = {});

/// readFile, decodeText and parsePython. Errors: theirs.
[[nodiscard]] Result<SourceModel> loadPython(const std::filesystem::path& path);

/// By extension: .cu and .cuh are CUDA C++, .py is Triton. Errors: Unsupported for others, and those of the loaders.
[[nodiscard]] Result<SourceModel> load(const std::filesystem::path& path);

/// Static shared memory in bytes of an entry with the device functions it calls, for one configuration; parameters that
/// `configuration` does not name have their defaults. Errors: InvalidArgument for an array whose size cannot be told (why, and its
/// line), those of the expression.
[[nodiscard]] Result<std::int64_t> sharedBytes(const SourceModel& model, const Entry& entry, const expr::Scope& configuration);

/// The whole model, for --json and other programs.
[[nodiscard]] Json toJson(const SourceModel& model);

/// Re-parses `text` and says whether it holds no more syntax problems than `before` had; mutate/ proves its edits with it.
[[nodiscard]] bool parsesNoWorse(std::string_view text, std::size_t problemsBefore);

}  // namespace ww::source
