// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QtTest>

#include "result_test.h"
#include "source/fold.h"
#include "source/source_model.h"

using namespace ww;
using namespace ww::source;

namespace {

QString joined(const std::vector<expr::Value>& values) {
    QStringList parts;
    for (const expr::Value& value : values) parts << QString::fromStdString(value.repr());
    return parts.join(' ');
}

/// A kernel that uses X once, so that X is not unused.
std::string withKernel(const QString& head) {
    return (head + "\n__global__ void k(int* a) { a[0] = X; }\n").toStdString();
}

}  // namespace

class TestSourceParameters : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sites_data() {
        QTest::addColumn<QString>("head");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("type");
        const auto row = [](const char* head, const char* kind, const char* text, const char* value, const char* type = "") {
            QTest::addRow("%s", head) << head << kind << text << value << type;
        };
        row("#define X 64", "macro", "64", "64");
        row("#define X 64 // tile", "macro", "64", "64");
        row("#define X 64 /* tile */  ", "macro", "64", "64");
        row("#define X /* tile */ 64\t", "macro", "64", "64");
        row("#\tdefine   X\t( 4*16 ) // 瓦片", "macro", "( 4*16 )", "64");
        row("#define X \\\n  64", "macro", "64", "64");
        row("#define X 64 /* two\nlines */", "macro", "64", "64");
        row("#define X 64\r", "macro", "64", "64");
        row("#define X 4 /* a */ * 2", "macro", "4 /* a */ * 2", "8");
        row("#define X true", "macro", "true", "True");
        row("#define X 1.5f", "macro", "1.5f", "1.5");
        row("#define X 0x40u", "macro", "0x40u", "64");
        row("#define X -1", "macro", "-1", "-1");
        row("#ifndef X\n#define X 64\n#endif", "guarded macro", "64", "64");
        row("#if !defined(X)\n#define X 64\n#endif", "guarded macro", "64", "64");
        row("#if ! defined X\n#  define X 64\n#endif", "guarded macro", "64", "64");
        row("#ifdef X\n#else\n#define X 64\n#endif", "guarded macro", "64", "64");
        row("#ifndef FILE_H\n#define FILE_H\n#ifndef X\n#define X 64\n#endif\n#endif", "guarded macro", "64", "64");
        row("#ifdef OTHER\n#define X 64\n#endif", "macro", "64", "64");
        row("constexpr int X = 64;", "constant", "64", "64", "int");
        row("const int X=64;// n", "constant", "64", "64", "int");
        row("static constexpr unsigned int X = 64u;", "constant", "64u", "64", "unsigned int");
        row("constexpr int X{64};", "constant", "64", "64", "int");
        row("constexpr int X(64);", "constant", "64", "64", "int");
        row("constexpr int A = 1, X = (1 << 6);", "constant", "(1 << 6)", "64", "int");
        row("inline constexpr std::size_t X = 64;", "constant", "64", "64", "std::size_t");
        row("constexpr auto X = 64;", "constant", "64", "64", "auto");
        row("constexpr bool X = 1;", "constant", "1", "True", "bool");
        row("const bool X = false;", "constant", "false", "False", "bool");
        row("constexpr float X = 2;", "constant", "2", "2.0", "float");
        row("namespace a { namespace { __device__ constexpr int X = 64; } }", "constant", "64", "64", "int");
    }

    void sites() {
        QFETCH(QString, head);
        const auto model = parseCuda(withKernel(head));
        VERIFY_OK(model);
        const ParameterSite* site = model->findParameter("X");
        QVERIFY(site != nullptr);
        QTEST(QString::fromUtf8(toString(site->kind).data()), "kind");
        QTEST(QString::fromStdString(site->text), "text");
        QVERIFY(site->defaultValue.has_value());
        QTEST(QString::fromStdString(site->defaultValue->repr()), "value");
        QTEST(QString::fromStdString(site->type), "type");
        QVERIFY(model->text.substr(site->value.begin, site->value.end - site->value.begin) == site->text);
        QCOMPARE(site->uses, 1);
        QVERIFY2(site->tunable, site->whyNot.c_str());
        QVERIFY(site->editable);
    }

    void notTunable_data() {
        QTest::addColumn<QString>("head");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<bool>("editable");
        const auto row = [](const char* head, const char* reason, bool editable = false) {
            QTest::addRow("%s", head) << head << reason << editable;
        };
        row("#define X", "no value");
        row("#define X(a) (a)", "function-like");
        row("#define X \"fp16\"", "string");
        row("#define X TILE * 2", "no literal", true);
        row("#define X float", "no literal", true);
        row("constexpr int X = sizeof(float);", "no literal", true);
        row("#ifdef A\n#define X 1\n#else\n#define X 2\n#endif", "more than once (lines 2, 4)");
        row("#define X 1\n#define X 2", "more than once (lines 1, 2)");
        row("#ifndef X\n#define X 1\n#endif\n#define X 2", "more than once");
        row("#define X 1\n#undef X", "#undef");
        row("#if 0\n#define X 1\n#endif", "#if 0");
        row("#define X 1\nconstexpr int X = 2;", "more than once (lines 1, 2)");
        row("namespace a { constexpr int X = 1; }\nnamespace b { constexpr int X = 2; }", "more than once (lines 1, 2)");
        row("#define X 32\n#define WARP_SIZE X", "", true);
    }

    void notTunable() {
        QFETCH(QString, head);
        QFETCH(QString, reason);
        QFETCH(bool, editable);
        const auto model = parseCuda(withKernel(head));
        VERIFY_OK(model);
        const ParameterSite* site = model->findParameter("X");
        QVERIFY(site != nullptr);
        QCOMPARE(site->tunable, reason.isEmpty());
        QVERIFY2(QString::fromStdString(site->whyNot).contains(reason), site->whyNot.c_str());
        QCOMPARE(site->editable, editable);
        if (!site->tunable) QVERIFY(site->proposedValues.empty());
    }

    void unusedAndIncludeOnly() {
        const auto model = parseCuda("#define UNUSED 4\n#define HEADER 5\n#include HEADER\nconstexpr int ALSO = 3;\n__global__ void k() {}\n");
        VERIFY_OK(model);
        for (const char* name : {"UNUSED", "HEADER", "ALSO"}) QVERIFY2(!model->findParameter(name)->tunable, name);
        QVERIFY(model->findParameter("UNUSED")->whyNot.find("uses it") != std::string::npos);
        QVERIFY(model->findParameter("HEADER")->whyNot.find("#include") != std::string::npos);
    }

    void firstGuardedDefinitionCounts() {
        const auto model = parseCuda(withKernel("#ifndef X\n#define X 1\n#endif\n#ifndef X\n#define X 2\n#endif\n"));
        VERIFY_OK(model);
        QVERIFY(model->findParameter("X")->tunable);
        QVERIFY(model->findParameter("X")->text == "1");
        QCOMPARE(model->findParameter("X")->uses, 1);
    }

    void notNamespaceScope() {
        const auto model = parseCuda("struct S { static constexpr int X = 3; };\nconst float table[2] = {1, 2};\nconst char* const s = \"x\";\n"
                                     "extern const int E;\n__constant__ const int C = 4;\ntemplate <typename T> constexpr int V = 4;\n"
                                     "__global__ void k(int* a) { const int L = 4; constexpr int M = 2; a[L] = M + S::X + C; }\n");
        VERIFY_OK(model);
        QVERIFY(model->parameters.empty());
    }

    void templateParameters() {
        const auto model = parseCuda("template <typename T, int BLOCK = 128, bool FAST, Mode M = Mode::A>\n__global__ void k(T* a) { a[BLOCK] = FAST; }\n"
                                     "template <int BLOCK = 64> __global__ void l(int* a) { a[0] = BLOCK; }\n"
                                     "template <int OTHER> __device__ int f() { return OTHER; }\n");
        VERIFY_OK(model);
        QCOMPARE(model->parameters.size(), std::size_t{3});
        const ParameterSite* block = model->findParameter("BLOCK");
        QVERIFY(block->kind == SiteKind::TemplateParameter && block->text == "128" && block->type == "int");
        QCOMPARE(joined(block->proposedValues), QString("32 64 128 256 512"));
        const ParameterSite* fast = model->findParameter("FAST");
        QVERIFY(!fast->defaultValue && fast->text.empty() && fast->type == "bool" && fast->value.begin == fast->value.end);
        QVERIFY(!model->findParameter("M")->tunable);
    }

    void proposals_data() {
        QTest::addColumn<QString>("definition");
        QTest::addColumn<QString>("values");
        const auto row = [](const char* definition, const char* values) { QTest::addRow("%s", definition) << definition << values; };
        row("TILE 16", "4 8 16 32 64");
        row("TILE 2", "1 2 4 8");
        row("BLOCK_SIZE 256", "64 128 256 512 1024");
        row("BLOCK_SIZE 64", "32 64 128 256");
        row("THREADS 1024", "256 512 1024");
        row("blockDimX 16", "4 8 16 32 64");
        row("USE_LDG 0", "0 1");
        row("PAD 1", "0 1");
        row("FAST true", "False True");
        row("UNROLL 1", "1 2 4 8");
        row("UNROLL 4", "1 2 4 8");
        row("UNROLL 6", "1 2 4 6 8");
        row("COUNT 7", "1 2 4 7 8");
        row("COUNT 100", "");
        row("N 1048576", "");
        row("NEGATIVE -2", "");
        row("EPSILON 1e-5f", "");
        row("WARP_SIZE 32", "");
        row("kWarpSize 32", "");
        row("MASK 0xffffffff", "");
        row("API_VERSION 2", "");
    }

    void proposals() {
        QFETCH(QString, definition);
        QFETCH(QString, values);
        const std::string name = definition.section(' ', 0, 0).toStdString();
        const auto model = parseCuda("#define " + definition.toStdString() + "\n__global__ void k(int* a) { a[0] = " + name + "; }\n");
        VERIFY_OK(model);
        const ParameterSite* site = model->findParameter(name);
        QCOMPARE(joined(site->proposedValues), values);
        QCOMPARE(site->whyNot.empty(), !values.isEmpty());
    }

    void warpSizeSaysWhy() {
        const auto model = parseCuda("constexpr int WARP_SIZE = 32;\n__global__ void k(int* a) { a[WARP_SIZE] = 1; }\n");
        VERIFY_OK(model);
        QVERIFY(!model->findParameter("WARP_SIZE")->tunable);
        QVERIFY(model->findParameter("WARP_SIZE")->editable);
        QVERIFY(model->findParameter("WARP_SIZE")->whyNot.find("32 threads") != std::string::npos);
    }

    void folds_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* text, const char* value) { QTest::addRow("%s", text) << text << value; };
        row("64", "64");
        row("1'000'000ull", "1000000");
        row("0x1F", "31");
        row("0b101", "5");
        row("017", "15");
        row("0", "0");
        row("1 + 2 * 3 - 4", "3");
        row("(1 + 2) * 3", "9");
        row("100 / 7 % 5", "4");
        row("-7 / 2", "-3");
        row("1 << 4 | 3", "19");
        row("~0 & 0xff", "255");
        row("1 < 2 && 3 != 3", "False");
        row("1 ? 2 : 3", "2");
        row("!0", "True");
        row("1.5f * 2", "3.0");
        row("1e-5", "1e-05");
        row(".5", "0.5");
        row("1 / 0", "");
        row("9223372036854775807 + 1", "");
        row("99999999999999999999", "");
        row("1 << 63", "");
        row("08", "");
        row("a + 1", "");
        row("(int)4", "");
        row("1 2", "");
        row("(1", "");
        row("", "");
    }

    void folds() {
        QFETCH(QString, text);
        const auto value = foldLiteral(text.toStdString());
        QTEST(value ? QString::fromStdString(value->repr()) : QString(), "value");
    }

    void foldingIsBounded() {
        QVERIFY(!foldLiteral(std::string(100000, '(') + "1" + std::string(100000, ')')));
        QVERIFY(!foldLiteral(std::string(4000, '-') + "1"));
    }
};

QTEST_GUILESS_MAIN(TestSourceParameters)
#include "tst_source_parameters.moc"
