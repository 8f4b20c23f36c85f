// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "source/tokens.h"

namespace ww::spec {

/// Reads the tokens of one directive in order, and says where in the user's file something is wrong. The tokens and their
/// text must outlive it. One thread.
class PragmaCursor {
public:
    PragmaCursor(const source::Tokens& tokens, const source::Directive& directive, std::filesystem::path file);

    [[nodiscard]] bool atEnd() const noexcept { return m_at >= m_end; }
    /// The token here; an empty one where the directive has ended.
    [[nodiscard]] const source::Token& peek() const noexcept { return atEnd() ? m_ending : m_tokens->list[m_at]; }
    [[nodiscard]] std::string_view peekText() const { return atEnd() ? std::string_view{} : m_tokens->of(peek()); }
    source::Token next();
    /// Steps over `mark` where it stands here.
    bool accept(std::string_view mark);
    [[nodiscard]] Result<void> expect(std::string_view mark);
    [[nodiscard]] Result<source::Token> expectName(std::string_view what);

    [[nodiscard]] std::string text(const source::Token& token) const { return std::string(m_tokens->of(token)); }
    /// "k.cu, line 3, column 14: message". Parse errors mean the form, other codes the content.
    [[nodiscard]] Unexpected error(const source::Token& at, const std::string& message, ErrorCode code = ErrorCode::ParseError) const;

private:
    const source::Tokens* m_tokens;
    std::filesystem::path m_file;
    std::size_t m_at, m_end;
    source::Token m_ending;
};

}  // namespace ww::spec
