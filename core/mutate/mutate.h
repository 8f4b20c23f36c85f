// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "expr/value.h"
#include "source/source_model.h"

namespace ww::mutate {

/// A parameter and the value it shall have.
struct Assignment {
    std::string name;
    expr::Value value;
};

/// One replaced range, in bytes of the *original* text.
struct Edit {
    std::string parameter;
    source::ByteRange range;
    std::string before;
    std::string after;
};

/// The candidate's source. `defines` holds parameters that the source uses without defining them (passed as -DNAME=value);
/// `templateArguments` those that instantiate the entry, by name.
struct Mutant {
    std::string text;
    std::vector<Edit> edits;
    std::vector<std::pair<std::string, std::string>> defines;
    std::vector<std::pair<std::string, std::string>> templateArguments;
};

/// Call it qualified (mutate::apply): std::apply is found by argument-dependent lookup otherwise.
/// Edits only the parameters' own value ranges; everything else stays byte for byte. Assigning what the source already says
/// changes nothing at all. Errors: InvalidArgument for a value that has no C++ spelling, NotFound for a parameter that is
/// defined nowhere although it must be, Internal when the result would not re-parse.
[[nodiscard]] Result<Mutant> apply(const source::SourceModel& model, const std::vector<Assignment>& assignments);

/// `edits` applied to a text in which everything stands where it stood in the original, such as source::DeviceText::text.
/// Where the text no longer says what an edit replaces, that stretch was set aside, and so is the edit.
[[nodiscard]] std::string spliced(std::string_view text, const std::vector<Edit>& edits);

/// The mutant as the bytes of a file in the original's encoding: the original's own bytes but for the parameters' values.
/// Errors: InvalidArgument where a value has a character that this encoding lacks.
[[nodiscard]] Result<std::string> fileBytes(const source::SourceModel& model, const Mutant& mutant);

/// The C++ spelling of a value: 64, true, 1.5f is kept as 1.5, strings bare (fp16), tuples are not spellable.
[[nodiscard]] Result<std::string> spell(const expr::Value& value);

/// A unified diff of two texts with three lines of context ("" when equal), for the window and `show`.
[[nodiscard]] std::string unifiedDiff(std::string_view before, std::string_view after, std::string_view nameBefore,
                                      std::string_view nameAfter);

}  // namespace ww::mutate
