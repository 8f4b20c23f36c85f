// SPDX-License-Identifier: Apache-2.0
#include "source/text_encoding.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ww::source {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LeMark = "\xFF\xFE";
constexpr std::string_view kUtf16BeMark = "\xFE\xFF";
constexpr char32_t kLastOfPlane0 = 0xFFFF;

bool isSurrogate(char32_t c) {
    return c >= 0xD800 && c <= 0xDFFF;
}

void appendUtf8(std::string& out, char32_t c) {
    const auto byte = [&out](char32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
    const auto trail = [&](int shift) { byte(0x80U | ((c >> shift) & 0x3FU)); };
    if (c < 0x80) {
        byte(c);
    } else if (c < 0x800) {
        byte(0xC0U | (c >> 6));
        trail(0);
    } else if (c <= kLastOfPlane0) {
        byte(0xE0U | (c >> 12));
        trail(6);
        trail(0);
    } else {
        byte(0xF0U | (c >> 18));
        trail(12);
        trail(6);
        trail(0);
    }
}

/// The character at `at`, which moves past it; nullopt for what is no shortest-form UTF-8 (then `at` stays).
std::optional<char32_t> nextUtf8(std::string_view text, std::size_t& at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) {
        ++at;
        return lead;
    }
    const int trailing = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || at + static_cast<std::size_t>(trailing) >= text.size()) return std::nullopt;
    char32_t c = lead & (0x3FU >> trailing);
    for (int i = 1; i <= trailing; ++i) {
        const auto next = static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]);
        if ((next & 0xC0U) != 0x80U) return std::nullopt;
        c = (c << 6) | (next & 0x3FU);
    }
    constexpr char32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
    if (c < kLeast[trailing] || c > 0x10FFFF || isSurrogate(c)) return std::nullopt;
    at += static_cast<std::size_t>(trailing) + 1;
    return c;
}

/// Where the text stops being UTF-8; npos where it never does.
std::size_t firstNonUtf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        if (!nextUtf8(text, at)) return at;
    }
    return std::string_view::npos;
}

std::string lineOf(std::string_view text, std::size_t offset) {
    return std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

Unexpected noText(std::string why) {
    return fail(ErrorCode::ParseError, std::move(why));
}

/// UTF-16 without a mark shows as NUL bytes at every other place. Both halves have some where the text is partly CJK
/// (U+4E00 is the bytes 00 4E), so the majority decides, and a text that is not largely ASCII is not guessed at.
std::optional<Encoding> guessUtf16(std::string_view bytes) {
    if (bytes.size() < 4 || bytes.size() % 2 != 0) return std::nullopt;
    std::size_t even = 0;
    std::size_t odd = 0;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        even += bytes[i] == '\0' ? 1 : 0;
        odd += bytes[i + 1] == '\0' ? 1 : 0;
    }
    const std::size_t units = bytes.size() / 2;
    if (std::max(even, odd) * 4 < units || std::max(even, odd) < 4 * std::min(even, odd)) return std::nullopt;
    return odd > even ? Encoding::Utf16Le : Encoding::Utf16Be;
}

Result<std::string> fromUtf16(std::string_view bytes, Encoding encoding) {
    if (bytes.size() % 2 != 0) return noText("the file is UTF-16, but ends in the middle of a character; restore it or convert it to UTF-8");
    const bool little = encoding == Encoding::Utf16Le;
    const auto unit = [&](std::size_t at) -> char32_t {
        const auto first = static_cast<unsigned char>(bytes[at]);
        const auto second = static_cast<unsigned char>(bytes[at + 1]);
        return little ? char32_t{first} | (char32_t{second} << 8) : char32_t{second} | (char32_t{first} << 8);
    };
    std::string text;
    text.reserve(bytes.size() / 2);
    for (std::size_t at = 0; at < bytes.size(); at += 2) {
        char32_t c = unit(at);
        if (isSurrogate(c)) {
            const char32_t low = at + 2 < bytes.size() ? unit(at + 2) : 0;
            if (c >= 0xDC00 || low < 0xDC00 || low > 0xDFFF) {
                return noText("the file is UTF-16 with half a character on line " + lineOf(text, text.size()) + "; repair it in an editor");
            }
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            at += 2;
        }
        appendUtf8(text, c);
    }
    return text;
}

std::string toUtf16(std::string_view text, Encoding encoding) {
    const bool little = encoding == Encoding::Utf16Le;
    std::string bytes;
    bytes.reserve(text.size() * 2);
    const auto put = [&](char32_t unit) {
        const char low = static_cast<char>(unit & 0xFFU);
        const char high = static_cast<char>((unit >> 8) & 0xFFU);
        bytes += little ? low : high;
        bytes += little ? high : low;
    };
    for (std::size_t at = 0; at < text.size();) {
        const auto c = nextUtf8(text, at);
        if (!c) break;  // encodeText() has checked
        if (*c > kLastOfPlane0) {
            put(0xD800 + ((*c - 0x10000) >> 10));
            put(0xDC00 + ((*c - 0x10000) & 0x3FFU));
        } else {
            put(*c);
        }
    }
    return bytes;
}

std::string fromLatin1(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 16);
    for (const char c : bytes) appendUtf8(text, static_cast<unsigned char>(c));
    return text;
}

Result<std::string> toLatin1(std::string_view text) {
    std::string bytes;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        const auto c = nextUtf8(text, at);
        if (!c || *c > 0xFF) {
            return fail(ErrorCode::InvalidArgument, "\"" + std::string(text.substr(begin, at - begin)) +
                                                        "\" cannot be written in this file's encoding (Latin-1); convert the file to UTF-8");
        }
        bytes += static_cast<char>(static_cast<unsigned char>(*c));
    }
    return bytes;
}

Result<DecodedText> decodeCharacters(std::string_view bytes) {
    DecodedText decoded;
    TextFormat& format = decoded.format;
    const auto utf16 = [&](Encoding encoding, std::string_view body, const char* found) -> Result<DecodedText> {
        format.encoding = encoding;
        WW_TRY(text, fromUtf16(body, encoding));
        decoded.text = std::move(text);
        decoded.notes.emplace_back(std::string("the file is UTF-16") + found + ", which compilers do not read: they are given UTF-8; the file stays UTF-16");
        return std::move(decoded);
    };
    if (bytes.starts_with(std::string_view("\xFF\xFE\0\0", 4)) || bytes.starts_with(std::string_view("\0\0\xFE\xFF", 4))) {
        return noText("the file is UTF-32, which compilers do not read; convert it: iconv -f UTF-32 -t UTF-8");
    }
    if (bytes.starts_with(kUtf16LeMark) || bytes.starts_with(kUtf16BeMark)) {
        format.byteOrderMark = true;
        return utf16(bytes.starts_with(kUtf16LeMark) ? Encoding::Utf16Le : Encoding::Utf16Be, bytes.substr(2), "");
    }
    if (bytes.find('\0') != std::string_view::npos) {
        if (const auto guess = guessUtf16(bytes)) return utf16(*guess, bytes, " without a byte order mark");
    } else if (bytes.starts_with(kUtf8Mark) && firstNonUtf8(bytes) == std::string_view::npos) {
        format.byteOrderMark = true;
        decoded.text = bytes.substr(kUtf8Mark.size());
        decoded.notes.emplace_back("the file begins with a byte order mark, which NVRTC refuses: compilers are given the text without; the file keeps it");
        return decoded;
    }
    const std::size_t broken = firstNonUtf8(bytes);
    if (broken == std::string_view::npos) {
        decoded.text = bytes;
        return decoded;
    }
    format.encoding = Encoding::Latin1;
    format.byteOrderMark = bytes.starts_with(kUtf8Mark);
    decoded.text = fromLatin1(format.byteOrderMark ? bytes.substr(kUtf8Mark.size()) : bytes);
    decoded.notes.emplace_back("line " + lineOf(bytes, broken) + " has bytes that are no UTF-8: the file is read as Latin-1 and keeps its bytes; compilers are given UTF-8");
    return decoded;
}

/// A file whose lines all end with CR is one line to every compiler. Where LFs stand as well, compilers end lines there alone,
/// and so do we.
void decodeLineEnds(DecodedText& decoded) {
    std::string& text = decoded.text;
    std::size_t at = text.find('\r');
    if (at == std::string::npos) return;
    if (text.find('\n') == std::string::npos) {
        std::replace(text.begin(), text.end(), '\r', '\n');
        decoded.format.carriageReturns = true;
        decoded.notes.emplace_back("the lines end with a lone carriage return, so that compilers would see one line: they are given line feeds; the file stays as it is");
        return;
    }
    for (; at != std::string::npos; at = text.find('\r', at + 1)) {
        if (at + 1 < text.size() && (text[at + 1] == '\n' || text[at + 1] == '\r')) continue;
        decoded.notes.emplace_back("line " + lineOf(text, at) + " holds a lone carriage return, which is no line end to compilers where other lines end with a line feed");
        return;
    }
}

}  // namespace

std::string TextFormat::name() const {
    std::string name;
    switch (encoding) {
        case Encoding::Utf8: name = "utf-8"; break;
        case Encoding::Utf16Le: name = "utf-16le"; break;
        case Encoding::Utf16Be: name = "utf-16be"; break;
        case Encoding::Latin1: name = "latin-1"; break;
    }
    if (byteOrderMark) name += ", byte order mark";
    if (carriageReturns) name += ", CR line ends";
    return name;
}

Result<DecodedText> decodeText(std::string_view bytes) {
    WW_TRY(decoded, decodeCharacters(bytes));
    if (const std::size_t nul = decoded.text.find('\0'); nul != std::string::npos) {
        return noText("there is a NUL character on line " + lineOf(decoded.text, nul) + ", so this is no text file; name a CUDA C++ source");
    }
    decodeLineEnds(decoded);
    return std::move(decoded);
}

Result<std::string> encodeText(std::string_view text, const TextFormat& format) {
    if (firstNonUtf8(text) != std::string_view::npos) return fail(ErrorCode::InvalidArgument, "the text is no UTF-8, so it cannot be written as " + format.name());
    std::string lines(text);
    if (format.carriageReturns) std::replace(lines.begin(), lines.end(), '\n', '\r');
    const auto marked = [&format](std::string_view mark, std::string bytes) { return (format.byteOrderMark ? std::string(mark) : std::string()) + bytes; };
    switch (format.encoding) {
        case Encoding::Utf8: return marked(kUtf8Mark, std::move(lines));
        case Encoding::Utf16Le: return marked(kUtf16LeMark, toUtf16(lines, format.encoding));
        case Encoding::Utf16Be: return marked(kUtf16BeMark, toUtf16(lines, format.encoding));
        case Encoding::Latin1: break;
    }
    WW_TRY(bytes, toLatin1(lines));
    return marked(kUtf8Mark, std::move(bytes));
}

}  // namespace ww::source
