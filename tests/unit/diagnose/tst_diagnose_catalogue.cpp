// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QCoreApplication>

#include "result_test.h"
#include "samples.h"

using namespace ww;
using namespace ww::diagnose;
using namespace ww::test;

class TestDiagnoseCatalogue : public QObject {
    Q_OBJECT

    Json m_samples;
    const Catalogue& m_catalogue = Catalogue::builtIn();

    std::string idOf(const std::string& log, TrialStatus status = TrialStatus::CompileError) const {
        Context context;
        context.fileName = "kernel.cu";
        const auto found = m_catalogue.match(status, log, context);
        return found ? found->id : std::string();
    }

private Q_SLOTS:
    void initTestCase() {
        m_samples = readSamples();
        QVERIFY2(m_samples.is_array() && m_samples.size() > 150, "samples.json cannot be read");
    }

    void knowsTheMessage_data() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < static_cast<int>(m_samples.size()); ++i) QTest::newRow(m_samples[static_cast<std::size_t>(i)]["name"].get<std::string>().c_str()) << i;
    }
    void knowsTheMessage() {
        QFETCH(int, index);
        const Json& sample = m_samples[static_cast<std::size_t>(index)];
        const auto found = m_catalogue.match(*trialStatusFrom(sample["status"].get<std::string>()), sample["log"].get<std::string>(), contextOf(sample));
        QVERIFY2(found.has_value(), "unknown");
        QCOMPARE(found->id, sample["id"].get<std::string>());
        QCOMPARE(found->line, sample["line"].get<int>());
        QCOMPARE(found->column, sample["column"].get<int>());
        QCOMPARE(found->file, sample.value("file", ""));
        const auto said = m_catalogue.text(*found, Language::English);
        QVERIFY2((said.cause + said.remedy).find(sample.value("says", "")) != std::string::npos, (said.cause + said.remedy).c_str());
        QCOMPARE(said.remedy.find("went without") != std::string::npos, sample.contains("left_out"));
        for (const auto language : {Language::English, Language::Chinese}) {
            const auto text = m_catalogue.text(*found, language);
            for (const auto& sentence : {text.cause, text.remedy}) {
                QVERIFY2(!sentence.empty() && sentence.find("{}") == std::string::npos, sentence.c_str());
                const auto plain = QString::fromStdString(sentence);
                const bool chinese = std::any_of(plain.begin(), plain.end(), [](QChar c) { return c.script() == QChar::Script_Han; });
                QVERIFY2(chinese == (language == Language::Chinese), sentence.c_str());
            }
        }
    }

    void putsTheValuesIntoTheSentence() {
        Context context;
        const auto found = m_catalogue.match(TrialStatus::ResourceError, "ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x13880 bytes, 0xc000 max)", context);
        QVERIFY(found.has_value());
        QCOMPARE(found->captures.at("entry"), std::string("k(float*)"));
        for (const auto language : {Language::English, Language::Chinese}) {
            const auto cause = m_catalogue.text(*found, language).cause;
            QVERIFY2(cause.find("80000") != std::string::npos && cause.find("49152") != std::string::npos && cause.find('[') == std::string::npos, cause.c_str());
        }
    }

    /// Without a sample nobody would notice that a pattern does not fit what the tool says.
    void everyPatternHasItsSample() {
        const auto text = readFile(WW_CATALOGUE);
        VERIFY_OK(text);
        QStringList missing;
        for (const auto& entry : Json::parse(*text)) {
            const Json patterns = entry.value("patterns", Json::array());
            for (const auto& pattern : patterns) {
                const auto parsed = Pattern::parse(pattern.get<std::string>());
                VERIFY_OK(parsed);
                bool hit = false;
                for (const auto& sample : m_samples) {
                    const auto log = sample["log"].get<std::string>();
                    const CompilerLog lines(log);
                    Captures ignored;
                    hit = hit || std::any_of(lines.lines().begin(), lines.lines().end(), [&](std::string_view line) { return parsed->find(line, ignored); });
                }
                if (!hit && missing.size() < 200) missing.append(QString::fromStdString(entry["id"].get<std::string>() + ": " + pattern.get<std::string>()));
            }
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(u'\n')));
    }

    void takesTheFirstCause() {
        const std::string unknown = "kernel.cu(3): error: something nobody has seen\n";
        const std::string known = "kernel.cu(9): error: identifier \"oops\" is undefined\n";
        QCOMPARE(idOf(known + unknown), std::string("undefined-identifier"));
        QCOMPARE(idOf(unknown + known), std::string());
        QCOMPARE(idOf("kernel.cu(3): warning #1: identifier \"x\" is undefined\n" + unknown), std::string());
        QCOMPARE(idOf(known + "error: too many errors emitted, stopping now\n"), std::string("undefined-identifier"));
        QCOMPARE(idOf("\r\n" + known), std::string("undefined-identifier"));
        QCOMPARE(idOf(""), std::string());
        QCOMPARE(idOf("", TrialStatus::Timeout), std::string("kernel-timeout"));
        QCOMPARE(idOf("all is well", TrialStatus::Ok), std::string());
    }

    void blamesAParameterOnlyForItsOwnName() {
        const std::string log = "kernel.cu(2): error: expected an identifier\n      const int N = 3;\n                ^\n";
        Context context;
        context.fileName = "kernel.cu";
        QCOMPARE(m_catalogue.match(TrialStatus::CompileError, log, context)->id, std::string("syntax-error"));
        context.parameters = {"TILE", "N"};
        const auto found = m_catalogue.match(TrialStatus::CompileError, log, context);
        QCOMPARE(found->id, std::string("parameter-name-clash"));
        QCOMPARE(found->captures.at("name"), std::string("N"));
    }

    /// Logs come from hostile code: no length, line or repetition may hang or crash the engine.
    void survivesHostileLogs_data() {
        QTest::addColumn<QByteArray>("piece");
        for (const char* piece : {"a", "\n", "error:", "error: \n", "error: identifier \"", "kernel.cu(", "kernel.cu:1:1: error: x\n", "'", "(((((((", "0x",
                                  "ERROR: AddressSanitizer: ", "not all threads reach the same barrier in block (0,0,0): of 1 threads ", "from kernel.cu:", "\xff\xfe\x00", "_Z1f"}) {
            QTest::newRow(piece) << QByteArray(piece);
        }
    }
    void survivesHostileLogs() {
        QFETCH(QByteArray, piece);
        constexpr qsizetype kBytes = 1 << 20;
        const auto log = piece.repeated(kBytes / piece.size()).toStdString();
        Context context;
        context.fileName = "kernel.cu";
        context.parameters = {"a", "N"};
        const auto found = m_catalogue.match(TrialStatus::CompileError, log, context);
        if (found) QVERIFY(found->message.size() <= 2000 && !m_catalogue.text(*found, Language::English).cause.empty());
        const auto again = m_catalogue.match(TrialStatus::CompileError, log, context);
        QVERIFY(found == again);
    }

    void travelsAsJson() {
        const Diagnosis diagnosis{"shared-memory-over-limit", 12, 5, {{"bytes", "80000"}, {"limit", "49152"}}, "a line"};
        QVERIFY(Diagnosis::fromJson(diagnosis.toJson()) == diagnosis);
        const Diagnosis inHeader{"constraint", 2, 0, {}, "a line", "/home/a/tiles.cuh"};
        QVERIFY(Diagnosis::fromJson(inHeader.toJson()) == inHeader);
        QCOMPARE(inHeader.place(), std::string("tiles.cuh, line 2"));
        QCOMPARE(diagnosis.place(), std::string("line 12"));
        QCOMPARE(Diagnosis().place(), std::string());
        for (const Json& broken : {Json(), Json(3), Json::array(), Json{{"id", 3}}, Json{{"id", "x"}}}) QVERIFY(!Diagnosis::fromJson(broken));
        const auto text = m_catalogue.text({"of-a-newer-version", 1, 1, {}, "m"}, Language::English);
        QVERIFY(text.cause.empty() && text.remedy.empty());
    }

    void speaksTheLocale() {
        QVERIFY(languageOf("zh_CN") == Language::Chinese && languageOf("zh") == Language::Chinese);
        QVERIFY(languageOf("en_US") == Language::English && languageOf("") == Language::English);
    }

    void picksTheTextThatTells() {
        QVERIFY(relevantText(TrialStatus::CompileError, "excerpt", "log") == "log");
        QVERIFY(relevantText(TrialStatus::CompileError, "excerpt", "") == "excerpt");
        QVERIFY(relevantText(TrialStatus::RuntimeError, "driver", "warnings") == "driver");
    }

    void refusesBrokenCatalogues_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("no JSON") << QByteArray("[");
        QTest::newRow("no list") << QByteArray("{}");
        QTest::newRow("no id") << QByteArray(R"([{"patterns": ["a"]}])");
        QTest::newRow("nothing to match") << QByteArray(R"([{"id": "a", "en": {"cause": "c", "remedy": "r"}, "zh_CN": {"cause": "c", "remedy": "r"}}])");
        QTest::newRow("status") << QByteArray(R"([{"id": "a", "status": ["broken"]}])");
        QTest::newRow("patterns") << QByteArray(R"([{"id": "a", "patterns": "b"}])");
        QTest::newRow("names") << QByteArray(R"([{"id": "a", "patterns": ["b"], "names": "c", "en": {"cause": "c", "remedy": "r"}, "zh_CN": {"cause": "c", "remedy": "r"}}])");
        QTest::newRow("one language") << QByteArray(R"([{"id": "a", "patterns": ["b"], "en": {"cause": "c", "remedy": "r"}}])");
        QTest::newRow("no remedy") << QByteArray(R"([{"id": "a", "patterns": ["b"], "en": {"cause": "c"}, "zh_CN": {"cause": "c", "remedy": "r"}}])");
    }
    void refusesBrokenCatalogues() {
        QFETCH(QByteArray, json);
        QVERIFY(!Catalogue::parse(json.toStdString()));
    }
};

QTEST_GUILESS_MAIN(TestDiagnoseCatalogue)
#include "tst_diagnose_catalogue.moc"
