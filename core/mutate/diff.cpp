// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mutate/mutate.h"

namespace ww::mutate {
namespace {

constexpr std::size_t kContext = 3;
/// Myers' algorithm needs D^2 steps and memory for D differences; texts further apart than this are told as one replacement.
constexpr int kMostDifferences = 2000;

/// Lines with their line feeds; the last may lack one.
std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
        lines.push_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return lines;
}

/// A run of lines: ' ' in both, '-' only before, '+' only after.
struct Step {
    char kind = ' ';
    std::size_t before = 0;  ///< index of the line in its text
    std::size_t after = 0;
};

class LineDiff {
public:
    LineDiff(std::string_view before, std::string_view after) : m_before(linesOf(before)), m_after(linesOf(after)) {
        std::unordered_map<std::string_view, std::uint32_t> numbers;
        const auto number = [&](std::string_view line) { return numbers.try_emplace(line, numbers.size()).first->second; };
        for (const std::string_view line : m_before) m_a.push_back(number(line));
        for (const std::string_view line : m_after) m_b.push_back(number(line));
    }

    const std::vector<std::string_view>& before() const { return m_before; }
    const std::vector<std::string_view>& after() const { return m_after; }

    std::vector<Step> steps() const {
        std::size_t head = 0;
        while (head < m_a.size() && head < m_b.size() && m_a[head] == m_b[head]) ++head;
        std::size_t tail = 0;
        while (tail < m_a.size() - head && tail < m_b.size() - head && m_a[m_a.size() - 1 - tail] == m_b[m_b.size() - 1 - tail]) ++tail;
        std::vector<Step> steps;
        for (std::size_t i = 0; i < head; ++i) steps.push_back({' ', i, i});
        middle(head, m_a.size() - tail, m_b.size() - tail, steps);
        for (std::size_t i = tail; i > 0; --i) steps.push_back({' ', m_a.size() - i, m_b.size() - i});
        return steps;
    }

private:
    /// Myers (1986), greedy forward, over [head, endA) x [head, endB); the furthest points per difference are kept to walk back.
    void middle(std::size_t head, std::size_t endA, std::size_t endB, std::vector<Step>& steps) const {
        const auto n = static_cast<int>(endA - head);
        const auto m = static_cast<int>(endB - head);
        std::vector<std::vector<int>> trace;
        std::vector<int> best(3, 0);  // best[k + d + 1]: furthest x on diagonal k
        int d = 0;
        for (; d <= std::min(n + m, kMostDifferences); ++d) {
            std::vector<int> next(static_cast<std::size_t>(2 * d + 3), 0);
            bool done = false;
            for (int k = -d; k <= d && !done; k += 2) {
                int x = d == 0 ? 0 : step(best, d, k);
                while (x < n && x - k < m && m_a[head + static_cast<std::size_t>(x)] == m_b[head + static_cast<std::size_t>(x - k)]) ++x;
                next[static_cast<std::size_t>(k + d + 1)] = x;
                done = x >= n && x - k >= m;
            }
            trace.push_back(next);
            best = std::move(next);
            if (done) break;
        }
        if (d > kMostDifferences) {
            for (std::size_t i = head; i < endA; ++i) steps.push_back({'-', i, head});
            for (std::size_t i = head; i < endB; ++i) steps.push_back({'+', endA, i});
            return;
        }
        walkBack(head, n, m, d, trace, steps);
    }

    static bool goesDown(const std::vector<int>& previous, int d, int k) {
        const auto at = [&](int diagonal) { return previous[static_cast<std::size_t>(diagonal + d)]; };  // previous has offset d - 1 + 1
        return k == -d || (k != d && at(k - 1) < at(k + 1));
    }

    static int step(const std::vector<int>& previous, int d, int k) {
        const auto at = [&](int diagonal) { return previous[static_cast<std::size_t>(diagonal + d)]; };
        return goesDown(previous, d, k) ? at(k + 1) : at(k - 1) + 1;
    }

    static void walkBack(std::size_t head, int n, int m, int d, const std::vector<std::vector<int>>& trace, std::vector<Step>& steps) {
        std::vector<Step> reversed;
        int x = n;
        int y = m;
        const auto push = [&](char kind) {
            reversed.push_back({kind, head + static_cast<std::size_t>(x), head + static_cast<std::size_t>(y)});
        };
        for (; d > 0; --d) {
            const std::vector<int>& previous = trace[static_cast<std::size_t>(d - 1)];
            const int k = x - y;
            const bool down = goesDown(previous, d, k);
            const int startX = step(previous, d, k);
            while (x > startX) {
                --x;
                --y;
                push(' ');
            }
            if (down) {
                --y;
                push('+');
            } else {
                --x;
                push('-');
            }
        }
        while (x > 0) {
            --x;
            --y;
            push(' ');
        }
        steps.insert(steps.end(), reversed.rbegin(), reversed.rend());
    }

    std::vector<std::string_view> m_before;
    std::vector<std::string_view> m_after;
    std::vector<std::uint32_t> m_a;
    std::vector<std::uint32_t> m_b;
};

std::string rangeText(std::size_t first, std::size_t count) {
    // Unified format: an empty range names the line before it; a count of one is left out.
    const std::size_t start = count == 0 ? first : first + 1;
    return std::to_string(start) + (count == 1 ? "" : "," + std::to_string(count));
}

void appendLine(std::string& out, char kind, std::string_view line) {
    out += kind;
    out += line;
    if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

void appendHunk(std::string& out, const LineDiff& diff, const std::vector<Step>& steps, std::size_t first, std::size_t end) {
    std::size_t countBefore = 0;
    std::size_t countAfter = 0;
    for (std::size_t i = first; i < end; ++i) {
        countBefore += steps[i].kind != '+' ? 1 : 0;
        countAfter += steps[i].kind != '-' ? 1 : 0;
    }
    out += "@@ -" + rangeText(steps[first].before, countBefore) + " +" + rangeText(steps[first].after, countAfter) + " @@\n";
    for (std::size_t i = first; i < end; ++i) {
        const bool added = steps[i].kind == '+';
        appendLine(out, steps[i].kind, added ? diff.after()[steps[i].after] : diff.before()[steps[i].before]);
    }
}

}  // namespace

std::string unifiedDiff(std::string_view before, std::string_view after, std::string_view nameBefore, std::string_view nameAfter) {
    if (before == after) return {};
    const LineDiff diff(before, after);
    const std::vector<Step> steps = diff.steps();
    std::string out = "--- " + std::string(nameBefore) + "\n+++ " + std::string(nameAfter) + "\n";
    for (std::size_t i = 0; i < steps.size();) {
        if (steps[i].kind == ' ') {
            ++i;
            continue;
        }
        const std::size_t first = i > kContext ? i - kContext : 0;
        std::size_t last = i;  // the last change of the hunk; gaps up to twice the context are bridged
        for (std::size_t j = i; j < steps.size() && j <= last + 2 * kContext + 1; ++j) {
            if (steps[j].kind != ' ') last = j;
        }
        const std::size_t end = std::min(steps.size(), last + 1 + kContext);
        appendHunk(out, diff, steps, first, end);
        i = end;
    }
    return out;
}

}  // namespace ww::mutate
