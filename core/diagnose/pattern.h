// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ww::diagnose {

/// What the holes of a pattern stood for, by name.
using Captures = std::map<std::string, std::string>;

/// A piece of one line of a log: plain text with holes.
///   {name}         any text, the shortest that fits; the rest of the line at the end of a pattern
///   {name:number}  a decimal or 0x number, kept in decimal
///   {name:word}    characters other than blanks, quotes and commas
/// The name may be empty: nothing is kept. Matching takes time linear in the line, whatever the line holds.
class Pattern {
public:
    /// Errors: ParseError for an unclosed hole, an unknown kind, or a hole without text before it.
    [[nodiscard]] static Result<Pattern> parse(std::string_view text);

    /// Whether the pattern occurs in `line`; adds to `captures` only when it does.
    [[nodiscard]] bool find(std::string_view line, Captures& captures) const;

private:
    enum class Kind { Literal, Number, Word };
    struct Part {
        Kind kind = Kind::Literal;
        std::string text;       ///< of a literal; else the hole's name
    };
    /// Parts that follow each other directly, the first a literal; between two segments there may be any text.
    struct Segment {
        std::vector<Part> parts;
        bool gapAfter = false;
        std::string gapName;
    };
    struct Range {
        std::size_t begin, end;
    };
    static bool fits(const Segment& segment, std::string_view line, std::size_t at, std::size_t& end, Captures& captures);
    static bool findSegment(const Segment& segment, std::string_view line, std::size_t from, Range& range, Captures& captures);

    std::vector<Segment> m_segments;
};

}  // namespace ww::diagnose
