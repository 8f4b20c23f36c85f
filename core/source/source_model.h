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
#include "expr/value.h"
#include "source/text_encoding.h"

namespace ww::source {

/// Bytes [begin, end) of the source text.
struct ByteRange {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool operator==(const ByteRange&) const = default;
};

/// Where a parameter can be edited.
enum class SiteKind { GuardedMacro, Macro, Constant, TemplateParameter };

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

/// One __global__ function.
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

/// A `__shared__` declaration.
struct SharedArray {
    std::string name;
    std::string elementType;
    std::vector<std::string> extents;  ///< expressions as written, outermost first; empty for extern
    bool dynamic = false;
    int line = 1;
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
    std::vector<Entry> entries;
    std::vector<ParameterSite> parameters;
    std::vector<Feature> features;
    std::vector<SharedArray> sharedArrays;
    std::vector<std::string> includes;  ///< as written, with quotes or brackets
    std::vector<SyntaxProblem> problems;
    SyntaxCounts counts;
    std::map<std::string, int, std::less<>> identifiers;  ///< occurrences of each name outside comments and strings
    std::set<std::string, std::less<>> declared;          ///< names that the file gives a meaning: macros, variables, types, ...

    [[nodiscard]] const Entry* findEntry(std::string_view name) const noexcept;  ///< by plain or qualified name
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

/// Re-parses `text` and says whether it holds no more syntax problems than `before` had; mutate/ proves its edits with it.
[[nodiscard]] bool parsesNoWorse(std::string_view text, std::size_t problemsBefore);

}  // namespace ww::source
