// SPDX-License-Identifier: Apache-2.0
#include "spec/kernel_text.h"

#include <algorithm>
#include <cctype>

namespace ww::spec {
namespace {

bool contains(const KernelText::Words& words, std::string_view builtin, char axis) {
    for (std::size_t i = 0; i + 2 < words.size(); ++i) {
        if (words[i] == builtin && words[i + 1] == "." && words[i + 2].size() == 1 && words[i + 2][0] == axis) return true;
    }
    return false;
}

bool isCast(const KernelText::Words& group) {
    static constexpr std::string_view kTypes[] = {"int", "unsigned", "long", "size_t", "uint32_t", "int32_t", "int64_t", "uint64_t"};
    return std::all_of(group.begin(), group.end(), [](auto word) { return std::find(std::begin(kTypes), std::end(kTypes), word) != std::end(kTypes); });
}

}  // namespace

bool isIdentifier(std::string_view word) noexcept {
    return !word.empty() && (std::isalpha(static_cast<unsigned char>(word.front())) != 0 || word.front() == '_');
}

KernelText::KernelText(const source::SourceModel& model, const source::Entry& entry) {
    const source::Tokens tokens = source::lex(model.text);
    takeWords(tokens, entry.body);
    // A kernel that leaves the work to device functions: they say how threads are used.
    if (!mentions("threadIdx")) takeWords(tokens, {0, model.text.size()});
    findBounds();
}

void KernelText::takeWords(const source::Tokens& tokens, const source::ByteRange& range) {
    m_words.clear();
    for (std::size_t i = tokens.from(range.begin); i < tokens.list.size() && tokens.list[i].begin < range.end; ++i) {
        const source::Token& token = tokens.list[i];
        if (token.directive < 0 && token.kind != source::TokenKind::String) m_words.push_back(tokens.of(token));
    }
}

bool KernelText::mentions(std::string_view word) const {
    return std::find(m_words.begin(), m_words.end(), word) != m_words.end();
}

bool KernelText::mentions(std::string_view builtin, char axis) const {
    return contains(m_words, builtin, axis);
}

bool KernelText::isBuiltin(std::size_t index, std::string_view builtin, char axis) const {
    return at(index) == builtin && at(index + 1) == "." && at(index + 2) == std::string_view(&axis, 1);
}

std::size_t KernelText::closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < m_words.size(); ++i) {
        if (m_words[i] == "(" || m_words[i] == "[" || m_words[i] == "{") ++depth;
        if ((m_words[i] == ")" || m_words[i] == "]" || m_words[i] == "}") && --depth == 0) return i;
    }
    return m_words.size();
}

std::size_t KernelText::opening(std::size_t close) const {
    int depth = 0;
    for (std::size_t i = close + 1; i-- > 0;) {
        if (m_words[i] == ")" || m_words[i] == "]" || m_words[i] == "}") ++depth;
        if ((m_words[i] == "(" || m_words[i] == "[" || m_words[i] == "{") && --depth == 0) return i;
    }
    return 0;
}

std::optional<KernelText::Words> KernelText::definitionOf(std::string_view variable) const {
    for (std::size_t i = 0; i + 2 < m_words.size(); ++i) {
        if (m_words[i] != variable || m_words[i + 1] != "=" || (i > 0 && (m_words[i - 1] == "." || m_words[i - 1] == "->"))) continue;
        Words words;
        int depth = 0;
        for (std::size_t j = i + 2; j < m_words.size() && m_words[j] != ";" && (m_words[j] != "," || depth > 0); ++j) {
            depth += m_words[j] == "(" || m_words[j] == "[" ? 1 : m_words[j] == ")" || m_words[j] == "]" ? -1 : 0;
            if (depth < 0) break;
            words.push_back(m_words[j]);
        }
        return words;
    }
    return std::nullopt;
}

bool KernelText::isClaim(std::size_t index) const {
    static constexpr std::string_view kGuards[] = {"if", "for", "while", "switch", "return", "constexpr"};
    static constexpr std::string_view kStarts[] = {"", ";", "{", "}", ")", "else", "do"};
    int depth = 0;
    for (std::size_t i = index; i-- > 0;) {
        const std::string_view word = m_words[i];
        if (word == ";" || word == "{" || word == "}" || word == "?") return false;
        if (word == ")" || word == "]") ++depth;
        if ((word != "(" && word != "[") || depth-- > 0) continue;
        depth = 0;
        const std::size_t close = closing(i);
        if (std::find(m_words.begin() + static_cast<std::ptrdiff_t>(index), m_words.begin() + static_cast<std::ptrdiff_t>(std::min(close, m_words.size())), "?") !=
            m_words.begin() + static_cast<std::ptrdiff_t>(std::min(close, m_words.size()))) {
            return false;  // it chooses a value
        }
        if (i == 0 || !isIdentifier(m_words[i - 1])) continue;
        if (std::find(std::begin(kGuards), std::end(kGuards), m_words[i - 1]) != std::end(kGuards)) return false;
        const std::string_view before = i >= 2 ? m_words[i - 2] : std::string_view{};
        if (std::find(std::begin(kStarts), std::end(kStarts), before) != std::end(kStarts) && at(close + 1) == ";") return true;
    }
    return false;
}

void KernelText::findBounds() {
    static constexpr std::string_view kEnds[] = {")", ";", "&&", "||", ",", "?"};
    for (std::size_t i = 1; i + 1 < m_words.size(); ++i) {
        const bool upper = m_words[i] == "<" || m_words[i] == "<=" || m_words[i] == ">=";
        if (upper && isIdentifier(m_words[i - 1]) && !isClaim(i)) {
            Bound bound{m_words[i - 1], {}};
            for (std::size_t j = i + 1; j < m_words.size() && std::find(std::begin(kEnds), std::end(kEnds), m_words[j]) == std::end(kEnds); ++j) {
                if (m_words[j] == "(") break;
                bound.limit.push_back(m_words[j]);
            }
            if (!bound.limit.empty()) m_bounds.push_back(std::move(bound));
        } else if (m_words[i] == ">" && isIdentifier(m_words[i - 1]) && isIdentifier(m_words[i + 1]) && !isClaim(i)) {
            m_bounds.push_back({m_words[i + 1], {m_words[i - 1]}});
        }
    }
}

bool KernelText::dependsOnBlock(std::string_view variable, char axis) const {
    const auto words = definitionOf(variable);
    return words && contains(*words, "blockIdx", axis);
}

/// The factors directly left and right of [begin, end), a blockIdx or a group that holds one.
void KernelText::takeFactors(std::size_t begin, std::size_t end, BlockIndex& index) const {
    while (at(end) == "*") {
        const std::size_t from = end + 1;
        std::size_t past = from + 1;
        if (at(from) == "(") past = closing(from) + 1;
        if (at(past) == "." && at(from) != "(") past += 2;
        if (past > m_words.size()) return;
        index.factors.emplace_back(m_words.begin() + static_cast<std::ptrdiff_t>(from), m_words.begin() + static_cast<std::ptrdiff_t>(past));
        end = past;
    }
    while (begin >= 2 && m_words[begin - 1] == "*") {
        const std::size_t past = begin - 1;
        std::size_t from = past - 1;
        if (m_words[from] == ")") from = opening(from);
        if (from >= 2 && m_words[from - 1] == ".") from -= 2;
        index.factors.emplace_back(m_words.begin() + static_cast<std::ptrdiff_t>(from), m_words.begin() + static_cast<std::ptrdiff_t>(past));
        begin = from;
    }
    // A sum in brackets that is multiplied as a whole: (blockIdx.x * B + threadIdx.x) * ITEMS.
    std::size_t open = begin;
    for (int depth = 0; open-- > 0;) {
        const std::string_view word = m_words[open];
        if (word == ")" || word == "]") ++depth;
        if ((word == "(" || word == "[") && depth-- == 0) break;
        if (word == ";" || word == "{" || word == "}" || word == "=" || open == 0) return;
    }
    if (at(open) != "(") return;
    const std::size_t close = closing(open);
    if (close >= m_words.size()) return;
    if (at(close + 1) == "*" || (open > 0 && m_words[open - 1] == "*")) takeFactors(open, close + 1, index);
}

std::vector<KernelText::BlockIndex> KernelText::blockIndices(char axis) const {
    std::vector<BlockIndex> all;
    for (std::size_t i = 0; i < m_words.size(); ++i) {
        if (!isBuiltin(i, "blockIdx", axis)) continue;
        BlockIndex index;
        std::size_t begin = i;
        if (begin >= 3 && m_words[begin - 1] == ")") {  // a cast: (size_t) blockIdx.x
            const std::size_t open = opening(begin - 1);
            if (isCast(Words(m_words.begin() + static_cast<std::ptrdiff_t>(open) + 1, m_words.begin() + static_cast<std::ptrdiff_t>(begin) - 1))) begin = open;
        }
        takeFactors(begin, i + 3, index);
        std::size_t from = i, past = i;
        while (from > 0 && m_words[from - 1] != ";" && m_words[from - 1] != "{" && m_words[from - 1] != "}") --from;
        while (past < m_words.size() && m_words[past] != ";") ++past;
        index.addsThread = contains(Words(m_words.begin() + static_cast<std::ptrdiff_t>(from), m_words.begin() + static_cast<std::ptrdiff_t>(past)), "threadIdx", axis);
        all.push_back(std::move(index));
    }
    return all;
}

std::vector<KernelText::Words> KernelText::subscriptsOf(std::string_view pointer) const {
    std::vector<Words> all;
    for (std::size_t i = 0; i + 1 < m_words.size(); ++i) {
        if (m_words[i] != pointer || m_words[i + 1] != "[") continue;
        const std::size_t close = std::min(closing(i + 1), m_words.size());
        all.emplace_back(m_words.begin() + static_cast<std::ptrdiff_t>(i) + 2, m_words.begin() + static_cast<std::ptrdiff_t>(close));
    }
    return all;
}

bool KernelText::branchesOnData() const {
    for (std::size_t i = 0; i + 1 < m_words.size(); ++i) {
        if (m_words[i] != "if" || m_words[i + 1] != "(") continue;
        const std::size_t close = std::min(closing(i + 1), m_words.size());
        if (std::find(m_words.begin() + static_cast<std::ptrdiff_t>(i), m_words.begin() + static_cast<std::ptrdiff_t>(close), "[") !=
            m_words.begin() + static_cast<std::ptrdiff_t>(close)) {
            return true;
        }
    }
    return false;
}

bool KernelText::isOnlyWritten(std::string_view pointer) const {
    if (branchesOnData()) return false;
    bool used = false;
    for (std::size_t i = 0; i < m_words.size(); ++i) {
        if (m_words[i] != pointer) continue;
        used = true;
        if (at(i + 1) != "[" || at(i + 3) != "]" || at(i + 4) != "=") return false;
        const auto index = definitionOf(at(i + 2));
        if (!index || !contains(*index, "blockIdx", 'x') || !contains(*index, "threadIdx", 'x')) return false;
    }
    return used;
}

bool KernelText::isOnlyCounted(std::string_view pointer) const {
    bool used = false;
    for (std::size_t i = 0; i < m_words.size(); ++i) {
        if (m_words[i] != pointer) continue;
        used = true;
        const std::size_t call = i >= 3 && m_words[i - 1] == "&" ? i - 3 : i >= 2 ? i - 2 : 0;
        if (!at(call).starts_with("atomic") || at(call + 1) != "(") return false;
    }
    return used;
}

}  // namespace ww::spec
