// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ww::source {

/// How a text file's characters stand in its bytes. Latin1 stands for every 8-bit encoding: bytes that are no UTF-8 are taken
/// one by one, so that any of them comes back as it was.
enum class Encoding { Utf8, Utf16Le, Utf16Be, Latin1 };

/// What has to be known beside the decoded text to write the file as it came.
struct TextFormat {
    Encoding encoding = Encoding::Utf8;
    bool byteOrderMark = false;
    bool carriageReturns = false;  ///< lines end with a lone CR, in the text with LF
    bool operator==(const TextFormat&) const = default;

    /// "utf-8", "utf-16le, byte order mark", "latin-1, CR line ends": stable, for logs.
    [[nodiscard]] std::string name() const;
};

/// A text file as the parser and the compilers take it, UTF-8 without a mark, lines ended by LF or CRLF as in the file.
/// encodeText(text, format) gives the file's bytes back, whatever they were.
struct DecodedText {
    std::string text;
    TextFormat format;
    std::vector<std::string> notes;  ///< what was converted for parser and compilers, and that the file stays as it is
};

/// Errors: ParseError for bytes that are no text: UTF-32, NUL bytes, broken UTF-16 (with the line).
[[nodiscard]] Result<DecodedText> decodeText(std::string_view bytes);

/// Errors: InvalidArgument where the text has a character that the file's encoding lacks.
[[nodiscard]] Result<std::string> encodeText(std::string_view text, const TextFormat& format);

}  // namespace ww::source
