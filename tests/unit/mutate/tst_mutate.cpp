// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QtTest>

#include <limits>

#include "base/file.h"
#include "base/rng.h"
#include "mutate/mutate.h"
#include "result_test.h"

Q_DECLARE_METATYPE(ww::expr::Value)

using namespace ww;
using namespace ww::mutate;
using expr::Value;

namespace {

source::SourceModel modelOf(const std::string& text) {
    auto model = source::parseCuda(text);
    if (!model) qFatal("%s", model.error().toString().c_str());
    return std::move(*model);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    return text.replace(at, what.size(), with);
}

const std::string kGemm =
    "// 矩阵乘 64\n#ifndef TILE\n#define TILE 64  // tile: 64\n#endif\n#define UNROLL (2*2)\t/* 4 */\n#define USE_LDG true\n"
    "#define ALPHA 1.5f\nnamespace n { static constexpr unsigned WORK = 8u; const bool FAST = false; }\n"
    "template <int BLOCK = 128, typename T = float> __global__ void gemm(const T* a, T* b, int n) {\n"
    "  __shared__ float s[TILE][TILE + 1];\n  const int LOCAL = 4;\n#pragma unroll\n  for (int i = 0; i < UNROLL * LOCAL; ++i)\n"
    "    if (USE_LDG) s[0][i] = ALPHA * a[i * BLOCK + n::WORK] * SCALE;\n  b[0] = n::FAST ? s[0][0] : 64;\n}\n"
    "int main() { gemm<128><<<1, TILE>>>(a, b, 64); }";

}  // namespace

class TestMutate : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void edits_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<Value>("value");
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        const auto row = [](const char* name, Value value, const char* from, const char* to) {
            QTest::addRow("%s=%s", name, value.repr().c_str()) << name << std::move(value) << from << to;
        };
        row("TILE", 128, "#define TILE 64  // tile: 64\n", "#define TILE 128  // tile: 64\n");
        row("TILE", "fp16", "TILE 64  ", "TILE fp16  ");
        row("TILE", true, "TILE 64  ", "TILE 1  ");
        row("UNROLL", 1, "(2*2)\t/", "1\t/");
        row("UNROLL", -1, "(2*2)\t/", "-1\t/");
        row("USE_LDG", false, "USE_LDG true", "USE_LDG false");
        row("USE_LDG", 0, "USE_LDG true", "USE_LDG 0");
        row("ALPHA", 2.25, "1.5f", "2.25f");
        row("ALPHA", 2, "1.5f", "2.0f");
        row("WORK", 16, "8u", "16u");
        row("FAST", true, "FAST = false", "FAST = true");
        row("FAST", 1, "FAST = false", "FAST = true");
    }

    void edits() {
        QFETCH(QString, name);
        QFETCH(Value, value);
        QFETCH(QString, from);
        QFETCH(QString, to);
        const auto mutant = mutate::apply(modelOf(kGemm), {{name.toStdString(), value}});
        VERIFY_OK(mutant);
        QCOMPARE(QString::fromStdString(mutant->text), QString::fromStdString(replaced(kGemm, from.toStdString(), to.toStdString())));
        QCOMPARE(mutant->edits.size(), std::size_t{1});
        QVERIFY(mutant->edits[0].parameter == name.toStdString());
        QVERIFY(kGemm.substr(mutant->edits[0].range.begin, mutant->edits[0].before.size()) == mutant->edits[0].before);
        QVERIFY(mutant->defines.empty() && mutant->templateArguments.empty());
    }

    void routes() {
        const auto mutant = mutate::apply(modelOf(kGemm), {{"BLOCK", 256}, {"T", "half"}, {"SCALE", 2.0}, {"BLOCK_X", 16}, {"GRID", "1d"}, {"TILE", 32}});
        VERIFY_OK(mutant);
        QVERIFY((mutant->templateArguments == std::vector<std::pair<std::string, std::string>>{{"BLOCK", "256"}, {"T", "half"}}));
        QVERIFY((mutant->defines == std::vector<std::pair<std::string, std::string>>{{"SCALE", "2.0"}}));
        QCOMPARE(mutant->edits.size(), std::size_t{1});
        QVERIFY(mutant->text == replaced(kGemm, "TILE 64", "TILE 32"));
    }

    void boolsElsewhere() {
        const auto mutant = mutate::apply(modelOf("template <bool V, int N> __global__ void k(int* a) { a[N] = V + FLAG; }"),
                                  {{"V", 1}, {"N", true}, {"FLAG", true}});
        VERIFY_OK(mutant);
        QVERIFY((mutant->templateArguments == std::vector<std::pair<std::string, std::string>>{{"V", "true"}, {"N", "1"}}));
        QVERIFY((mutant->defines == std::vector<std::pair<std::string, std::string>>{{"FLAG", "1"}}));
    }

    void defaultsChangeNothing_data() {
        QTest::addColumn<QByteArray>("text");
        const QByteArray text = QByteArray::fromStdString(kGemm);
        QTest::newRow("as is, no final newline") << text;
        QTest::newRow("BOM") << "\xEF\xBB\xBF" + text;
        QTest::newRow("CRLF") << QByteArray(text).replace("\n", "\r\n");
        QTest::newRow("BOM, CRLF, blank lines at the end") << "\xEF\xBB\xBF" + QByteArray(text).replace("\n", "\r\n") + "\r\n\r\n";
        QTest::newRow("splices") << QByteArray(text).replace("TILE 64", "TILE \\\n   64");
        QTest::newRow("syntax problem") << text + "\n__global__ void broken(int* a) { a[0] = ; }\n";
    }

    void defaultsChangeNothing() {
        QFETCH(QByteArray, text);
        const source::SourceModel model = modelOf(text.toStdString());
        std::vector<Assignment> assignments;
        for (const auto& site : model.parameters) {
            if (site.defaultValue) assignments.push_back({site.name, *site.defaultValue});
        }
        QCOMPARE(assignments.size(), std::size_t{7});
        const auto mutant = mutate::apply(model, assignments);
        VERIFY_OK(mutant);
        QVERIFY(mutant->text == text.toStdString());
        QVERIFY(mutant->edits.empty());
        VERIFY_OK(mutate::apply(model, {}));
        QVERIFY(mutate::apply(model, {})->text == text.toStdString());
    }

    /// Through the file: whatever the encoding, the defaults give the file's own bytes, and an edit changes the value's alone.
    void filesComeBack_data() {
        QTest::addColumn<QByteArray>("bytes");
        const QByteArray text = QByteArray::fromStdString(kGemm);
        const QString words = QString::fromUtf8(text);
        QTest::newRow("UTF-8") << text;
        QTest::newRow("BOM, CRLF") << "\xEF\xBB\xBF" + QByteArray(text).replace("\n", "\r\n");
        QTest::newRow("CR") << QByteArray(text).replace("\n", "\r");
        QTest::newRow("Latin-1") << QByteArray(text).replace("矩阵乘", "\xE9\xE8");
        QTest::newRow("UTF-16 LE") << QByteArray(QStringEncoder(QStringEncoder::Utf16LE, QStringEncoder::Flag::WriteBom)(words));
        QTest::newRow("UTF-16 BE, CR") << QByteArray(QStringEncoder(QStringEncoder::Utf16BE)(QString(words).replace(u'\n', u'\r')));
        const std::filesystem::path kernels = resourceRoot() / "kernels";
        for (const auto& entry : std::filesystem::recursive_directory_iterator(kernels)) {
            if (entry.path().extension() != ".cu") continue;
            QTest::newRow(entry.path().filename().c_str()) << QByteArray::fromStdString(readFile(entry.path()).value_or(std::string()));
        }
    }

    void filesComeBack() {
        QFETCH(QByteArray, bytes);
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath(QStringLiteral("核 心.cu")).toStdString();
        VERIFY_OK(writeFileAtomically(path, bytes.toStdString()));
        const auto model = source::loadCuda(path);
        VERIFY_OK(model);
        std::vector<Assignment> defaults;
        for (const auto& site : model->parameters) {
            if (site.defaultValue) defaults.push_back({site.name, *site.defaultValue});
        }
        QVERIFY(!defaults.empty());
        const auto same = mutate::apply(*model, defaults);
        VERIFY_OK(same);
        QCOMPARE(QByteArray::fromStdString(*mutate::fileBytes(*model, *same)), bytes);

        const auto site = std::find_if(model->parameters.begin(), model->parameters.end(),
                                       [](const auto& one) { return one.editable && one.kind != source::SiteKind::TemplateParameter && one.defaultValue && one.defaultValue->isInt() && one.text == "64"; });
        if (site == model->parameters.end()) return;
        const auto edited = mutate::apply(*model, {{site->name, 96}});
        VERIFY_OK(edited);
        const auto written = mutate::fileBytes(*model, *edited);
        VERIFY_OK(written);
        QCOMPARE(written->size(), static_cast<std::size_t>(bytes.size()));
        VERIFY_OK(writeFileAtomically(path, *written));
        const auto again = source::loadCuda(path);
        VERIFY_OK(again);
        QVERIFY(again->format == model->format && again->findParameter(site->name)->text == "96");
    }

    void editsOfWhatWasSetAsideAreLeftOut() {
        const std::string text = "constexpr int A = 64;\n__global__ void k(int* a) { a[0] = B; }\nconstexpr int B = 64;\n";
        const auto model = modelOf(text);
        const auto mutant = mutate::apply(model, {{"B", 8}});
        VERIFY_OK(mutant);
        std::vector<Edit> edits{{"A", model.findParameter("A")->value, "64", "8"}, mutant->edits.front()};
        std::string blanked = text;
        std::fill(blanked.begin(), blanked.begin() + 21, ' ');
        const std::string device = mutate::spliced(blanked, edits);
        QVERIFY(device == replaced(blanked, "B = 64", "B = 8"));
    }

    /// Equal in Python's sense is equal: 64.0 and 64 are the same value, and so is 1 for true.
    void equalValuesChangeNothing() {
        const auto mutant = mutate::apply(modelOf(kGemm), {{"TILE", 64.0}, {"FAST", 0}, {"USE_LDG", 1}, {"UNROLL", 4}});
        VERIFY_OK(mutant);
        QVERIFY(mutant->text == kGemm);
    }

    void randomEdits() {
        SplitMix64 rng(11);
        for (const std::string& text : {kGemm, "\xEF\xBB\xBF" + QByteArray::fromStdString(kGemm).replace("\n", "\r\n").toStdString()}) {
            const source::SourceModel model = modelOf(text);
            for (int round = 0; round < 60; ++round) {
                std::vector<Assignment> assignments;
                for (const auto& site : model.parameters) {
                    if (site.proposedValues.empty() || rng.below(3) == 0) continue;
                    assignments.push_back({site.name, site.proposedValues[rng.below(site.proposedValues.size())]});
                }
                const auto mutant = mutate::apply(model, assignments);
                VERIFY_OK(mutant);
                checkOutsideUntouched(model.text, *mutant);
                const source::SourceModel again = modelOf(mutant->text);
                for (const Assignment& assignment : assignments) {
                    const auto* site = again.findParameter(assignment.name);
                    QVERIFY(site != nullptr);
                    if (site->kind != source::SiteKind::TemplateParameter) QVERIFY(site->defaultValue->equals(assignment.value));
                }
                QCOMPARE(again.parameters.size(), model.parameters.size());
                QCOMPARE(again.problems.size(), model.problems.size());
            }
        }
    }

    void refusals_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<Value>("value");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("says");
        const int invalid = static_cast<int>(ErrorCode::InvalidArgument);
        const auto row = [](const char* name, Value value, int code, const char* says) {
            QTest::addRow("%s=%s", name, value.repr().c_str()) << name << std::move(value) << code << says;
        };
        row("LOCAL", 8, static_cast<int>(ErrorCode::NotFound), "nothing to edit");
        row("gemm", 8, static_cast<int>(ErrorCode::NotFound), "nothing to edit");
        row("TILE", Value(Value::Tuple{1, 2}), invalid, "no C++ spelling");
        row("TILE", Value(), invalid, "no C++ spelling");
        row("TILE", "64; int x", invalid, "no bare word");
        row("TILE", "a\nb", invalid, "no bare word");
        row("TILE", "", invalid, "no bare word");
        row("TILE", "\"x\"", invalid, "no bare word");
        row("WORK", 1.5, invalid, "does not fit");
        row("WORK", -1, invalid, "does not fit");
        row("WORK", "fp16", invalid, "does not fit");
        row("FAST", 2, invalid, "is no bool");
        row("BLOCK", "x y", invalid, "does not fit");
        row("ALPHA", std::numeric_limits<double>::infinity(), invalid, "no C++ literal");
        row("1x", 1, invalid, "no identifier");
        row("a b", 1, invalid, "no identifier");
    }

    void refusals() {
        QFETCH(QString, name);
        QFETCH(Value, value);
        QFETCH(int, code);
        QFETCH(QString, says);
        const auto mutant = mutate::apply(modelOf(kGemm), {{name.toStdString(), value}});
        COMPARE_ERR(mutant, static_cast<ErrorCode>(code));
        QVERIFY2(QString::fromStdString(mutant.error().message).contains(says), mutant.error().message.c_str());
    }

    void unprovable() {
        const auto model = modelOf("#ifdef A\n#define X 1\n#else\n#define X 2\n#endif\n__global__ void k(int* a) { a[0] = X; }\n");
        COMPARE_ERR(mutate::apply(model, {{"X", 4}}), ErrorCode::InvalidArgument);
        QVERIFY(mutate::apply(model, {{"X", 4}}).error().message.find("lines 2, 4") != std::string::npos);
    }

    void contradiction() {
        const auto model = modelOf(kGemm);
        COMPARE_ERR(mutate::apply(model, {{"TILE", 8}, {"TILE", 16}}), ErrorCode::InvalidArgument);
        VERIFY_OK(mutate::apply(model, {{"TILE", 8}, {"TILE", 8}}));
    }

    void expressionDefaults() {
        const auto model = modelOf("#define T float\n#define X T\n__global__ void k(X* a) { a[0] = 1; }\n");
        const auto mutant = mutate::apply(model, {{"T", "half"}});
        VERIFY_OK(mutant);
        QVERIFY(mutant->text.starts_with("#define T half\n#define X T\n"));
        QVERIFY(mutate::apply(model, {{"T", "float"}})->edits.empty());
    }

    void spelling_data() {
        QTest::addColumn<Value>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("int") << Value(64) << "64";
        QTest::newRow("negative") << Value(-3) << "-3";
        QTest::newRow("least") << Value(std::numeric_limits<std::int64_t>::min()) << "(-9223372036854775807LL - 1)";
        QTest::newRow("bool") << Value(true) << "true";
        QTest::newRow("float") << Value(1.5) << "1.5";
        QTest::newRow("whole float") << Value(2.0) << "2.0";
        QTest::newRow("small float") << Value(1e-7) << "1e-07";
        QTest::newRow("word") << Value("fp16") << "fp16";
        QTest::newRow("type") << Value("unsigned long") << "unsigned long";
    }

    void spelling() {
        QFETCH(Value, value);
        const auto text = spell(value);
        VERIFY_OK(text);
        QTEST(QString::fromStdString(*text), "text");
    }

private:
    static void checkOutsideUntouched(const std::string& original, const Mutant& mutant) {
        std::size_t before = 0;
        std::size_t after = 0;
        for (const Edit& edit : mutant.edits) {
            const std::size_t gap = edit.range.begin - before;
            QVERIFY(original.compare(before, gap, mutant.text, after, gap) == 0);
            QVERIFY(original.compare(edit.range.begin, edit.before.size(), edit.before) == 0);
            QVERIFY(mutant.text.compare(after + gap, edit.after.size(), edit.after) == 0);
            before = edit.range.end;
            after += gap + edit.after.size();
        }
        QVERIFY(original.substr(before) == mutant.text.substr(after));
    }
};

QTEST_GUILESS_MAIN(TestMutate)
#include "tst_mutate.moc"
