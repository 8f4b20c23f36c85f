// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/trial_status.h"
#include "diagnose/compiler_log.h"
#include "diagnose/pattern.h"

namespace ww::diagnose {

enum class Language { English, Chinese };
/// The language of a locale's name: "zh_CN", "zh_CN.UTF-8", "zh" are Chinese, every other is English.
[[nodiscard]] Language languageOf(std::string_view locale) noexcept;

/// What is known about the kernel beside the message.
struct Context {
    std::string fileName;                   ///< as the compiler knows it: "gemm.cu"
    std::string source;                     ///< the user's file; may be empty
    std::string entry;                      ///< name of the kernel; may be empty
    std::vector<std::string> parameters;    ///< names of the tunables
    std::vector<std::string> headers;       ///< paths of the user's own headers
    std::vector<std::string> leftOut;       ///< #includes, as written, that were not found and not given to the compiler
    std::vector<std::string> symbols;       ///< names of the spec's Symbol arguments
};

/// The cause found in a message. Words are made from it by Catalogue::text, so that a stored one speaks every language.
struct Diagnosis {
    std::string id;             ///< "shared-memory-over-limit": stable, for logs and JSON
    int line = 0;               ///< in `file`, from 1; 0 where unknown
    int column = 0;
    Captures captures;          ///< values of the message
    std::string message;        ///< the line of the log that tells it
    std::string file{};         ///< path of a header of the user's; empty for the kernel's own file
    bool operator==(const Diagnosis&) const = default;

    /// "line 5", "tiles.cuh, line 2"; empty where unknown.
    [[nodiscard]] std::string place() const;

    [[nodiscard]] Json toJson() const;
    /// nullopt for anything that toJson() has not made.
    [[nodiscard]] static std::optional<Diagnosis> fromJson(const Json& json);
};

struct Text {
    std::string cause;
    std::string remedy;
};

/// Messages of compilers, driver and devices, and what is behind them. Immutable; any thread.
class Catalogue {
public:
    /// The catalogue of resources/diagnoses, which is part of the program.
    [[nodiscard]] static const Catalogue& builtIn();
    /// Errors: ParseError or InvalidSpec, naming the entry.
    [[nodiscard]] static Result<Catalogue> parse(std::string_view json);

    /// The first cause in `log`: compilers report what follows from it as well, and an error that is not known is never
    /// passed over for a known one that comes later. nullopt: not known; show the log itself.
    [[nodiscard]] std::optional<Diagnosis> match(TrialStatus status, std::string_view log, const Context& context) const;

    /// Empty texts for an id that this catalogue does not have (a log of a newer version).
    [[nodiscard]] Text text(const Diagnosis& diagnosis, Language language) const;

private:
    /// Whose name a message has to be about, for an entry to fit.
    enum class Names { Anything, Parameter, Symbol, BuiltIn };
    struct Entry {
        std::string id;
        std::vector<TrialStatus> statuses;              ///< empty: any
        std::vector<Pattern> patterns;                  ///< empty: the status alone tells it
        bool anywhere = false;                          ///< its words mean the same wherever in the log they stand
        Names names = Names::Anything;
        std::vector<std::pair<std::string, std::vector<std::string>>> where;  ///< capture to allowed values; a last '*' stands for any rest, a first '!' for every other
        std::string locate;                             ///< word of the source to point at where the message names no line; may hold {captures}
        Text english, chinese;
    };
    struct Hit {
        const Entry* entry;
        std::size_t line;
        Captures captures;
    };

    static Result<Entry> parseEntry(const Json& json);
    static bool accepts(const Entry& entry, TrialStatus status);
    static bool matches(const Entry& entry, const CompilerLog& log, std::size_t line, const Context& context, Captures& captures);
    std::optional<Hit> firstHit(TrialStatus status, const CompilerLog& log, const std::vector<std::size_t>& lines, bool anywhere,
                                const Context& context) const;
    std::optional<Hit> find(TrialStatus status, const CompilerLog& log, const Context& context) const;

    std::vector<Entry> m_entries;
};

/// The text to match for a trial: a failed compile's log, else the device's message.
[[nodiscard]] std::string_view relevantText(TrialStatus status, std::string_view message, std::string_view log) noexcept;

/// What a trial that failed for a reason of no catalogue is marked with.
inline constexpr std::string_view kUnknown = "unknown";

}  // namespace ww::diagnose
