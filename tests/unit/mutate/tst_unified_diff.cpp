// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QtTest>

#include "base/rng.h"
#include "mutate/mutate.h"

using namespace ww;

namespace {

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        lines.push_back(text.substr(at, end == std::string::npos ? end : end + 1 - at));
        at += lines.back().size();
    }
    return lines;
}

/// Applies a unified diff by its own rules, checking context and counts; what `patch` does without fuzz.
std::string patched(const std::string& before, const std::string& diff) {
    const auto old = linesOf(before);
    const auto lines = linesOf(diff);
    std::string out;
    std::size_t at = 0;
    for (std::size_t i = 2; i < lines.size();) {
        unsigned long start = 0, count = 1, newStart = 0, newCount = 1;
        const char* header = lines[i].c_str();
        char* rest = nullptr;
        start = std::strtoul(header + 4, &rest, 10);
        if (*rest == ',') count = std::strtoul(rest + 1, &rest, 10);
        newStart = std::strtoul(rest + 2, &rest, 10);
        if (*rest == ',') newCount = std::strtoul(rest + 1, &rest, 10);
        const std::size_t first = count == 0 ? start : start - 1;
        while (at < first) out += old.at(at++);
        if (linesOf(out).size() != (newCount == 0 ? newStart : newStart - 1)) return "bad hunk header: " + lines[i];
        for (++i; i < lines.size() && lines[i][0] != '@'; ++i) {
            std::string text = lines[i].substr(1);
            if (i + 1 < lines.size() && lines[i + 1][0] == '\\') text.pop_back();
            if (lines[i][0] == '\\') continue;
            if (lines[i][0] != '+') {
                if (at >= old.size() || old[at] != text) return "context differs: " + text;
                ++at;
                --count;
            }
            if (lines[i][0] != '-') {
                out += text;
                --newCount;
            }
        }
        if (count != 0 || newCount != 0) return "bad counts";
    }
    while (at < old.size()) out += old[at++];
    return out;
}

}  // namespace

class TestUnifiedDiff : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void exact() {
        QVERIFY(mutate::unifiedDiff("a\nb\n", "a\nb\n", "x", "y").empty());
        const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        const std::string after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        QCOMPARE(QString::fromStdString(mutate::unifiedDiff(before, after, "a.cu", "b.cu")),
                 QString("--- a.cu\n+++ b.cu\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"));
    }

    void edges_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QString>("hunks");
        QTest::newRow("from nothing") << "" << "a\n" << "@@ -0,0 +1 @@\n+a\n";
        QTest::newRow("to nothing") << "a\nb\n" << "" << "@@ -1,2 +0,0 @@\n-a\n-b\n";
        QTest::newRow("append") << "a\n" << "a\nb\n" << "@@ -1 +1,2 @@\n a\n+b\n";
        QTest::newRow("no newline before") << "a" << "a\n" << "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n";
        QTest::newRow("no newline after") << "a\n" << "a" << "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n";
        QTest::newRow("CRLF kept") << "a\r\nb\r\n" << "a\r\nc\r\n" << "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n";
    }

    void edges() {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QFETCH(QString, hunks);
        QCOMPARE(QString::fromStdString(mutate::unifiedDiff(before.toStdString(), after.toStdString(), "a", "b")), "--- a\n+++ b\n" + hunks);
    }

    void hunksJoinOrSplit() {
        std::string before;
        for (int i = 0; i < 40; ++i) before += std::to_string(i) + "\n";
        const auto changed = [&](int first, int second) {
            std::string out;
            for (int i = 0; i < 40; ++i) out += i == first || i == second ? "x\n" : std::to_string(i) + "\n";
            return QString::fromStdString(mutate::unifiedDiff(before, out, "a", "b")).count("@@ -");
        };
        QCOMPARE(changed(5, 12), 1);  // six common lines between: the contexts touch
        QCOMPARE(changed(5, 13), 2);
        QCOMPARE(changed(0, 39), 2);
    }

    void randomTextsPatchBack() {
        SplitMix64 rng(3);
        for (int round = 0; round < 400; ++round) {
            std::string before, after;
            const auto line = [&] { return std::string(1, static_cast<char>('a' + rng.below(4))) + "\n"; };
            for (std::uint64_t i = rng.below(30); i > 0; --i) {
                const std::string text = line();
                if (rng.below(4) != 0) before += text;
                if (rng.below(4) != 0) after += text;
                if (rng.below(8) == 0) after += line();
            }
            if (rng.below(4) == 0 && !before.empty()) before.pop_back();
            if (rng.below(4) == 0 && !after.empty()) after.pop_back();
            const std::string diff = mutate::unifiedDiff(before, after, "a", "b");
            QCOMPARE(QString::fromStdString(diff.empty() ? before : patched(before, diff)), QString::fromStdString(after));
        }
    }

    /// Myers gives a shortest script: never more changed lines than the longest common subsequence leaves.
    void shortest() {
        SplitMix64 rng(5);
        for (int round = 0; round < 100; ++round) {
            std::string before, after;
            for (int i = 0; i < 14; ++i) before += std::string(1, static_cast<char>('a' + rng.below(3))) + "\n";
            for (int i = 0; i < 12; ++i) after += std::string(1, static_cast<char>('a' + rng.below(3))) + "\n";
            const auto a = linesOf(before);
            const auto b = linesOf(after);
            std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1, 0));
            for (std::size_t i = a.size(); i-- > 0;) {
                for (std::size_t j = b.size(); j-- > 0;) {
                    common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
                }
            }
            int changes = 0;
            const auto lines = linesOf(mutate::unifiedDiff(before, after, "a", "b"));
            for (std::size_t i = 2; i < lines.size(); ++i) changes += lines[i][0] == '+' || lines[i][0] == '-' ? 1 : 0;
            QCOMPARE(changes, static_cast<int>(a.size() + b.size()) - 2 * common[0][0]);
        }
    }

    void largeTexts() {
        std::string before, after;
        for (int i = 0; i < 100000; ++i) {
            before += "line " + std::to_string(i) + "\n";
            after += "line " + std::to_string(i % 25000 == 7 ? -i : i) + "\n";
        }
        QVERIFY(patched(before, mutate::unifiedDiff(before, after, "a", "b")) == after);
        std::string other;
        for (int i = 0; i < 20000; ++i) other += "other " + std::to_string(i) + "\n";
        QVERIFY(patched(before, mutate::unifiedDiff(before, other, "a", "b")) == other);  // nothing in common
    }
};

QTEST_GUILESS_MAIN(TestUnifiedDiff)
#include "tst_unified_diff.moc"
