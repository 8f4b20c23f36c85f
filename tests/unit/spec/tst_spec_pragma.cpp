// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QTemporaryDir>

#include <fstream>

#include "result_test.h"
#include "spec/pragma_expression.h"
#include "spec/spec.h"

using namespace ww;
using namespace ww::spec;

namespace {

Result<Spec> fromText(const QTemporaryDir& folder, const QString& text) {
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "k.cu";
    std::ofstream(path) << text.toStdString();
    return load(path);
}

constexpr const char* kKernel = R"j(
template <typename T, int items_per_thread = 1>
__global__ void vector_add(int n, T* C, const T* A, const T* B) {
    for (int k = 0; k < items_per_thread; k++) {
        int i = blockIdx.x * items_per_thread * blockDim.x + k * blockDim.x + threadIdx.x;
        if (i < n) { C[i] = A[i] + B[i]; }
    }
}
)j";

constexpr const char* kPragmas = R"j(#pragma kernel tune(threads_per_block = 32, 64, 128) default(64)
#pragma kernel tune(items_per_thread = 1, 2, 4)
#pragma kernel set(items_per_block = threads_per_block * items_per_thread)
#pragma kernel restriction(items_per_block <= 256 && !(items_per_thread == 4))
#pragma kernel problem_size(n) block_size(threads_per_block) \
               grid_divisor(items_per_block)  // continued, as kernel_launcher allows
#pragma kernel buffers(C[n], A[n], B[n + 1])
#pragma kernel tuning_key("vector_add_" + T))j";

}  // namespace

class TestSpecPragma : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void opensAnAnnotatedKernel();
    void otherSpellings_data();
    void otherSpellings();
    void givesANameOneValue_data();
    void givesANameOneValue();
    void convertsExpressions_data();
    void convertsExpressions();
    void refusesAtItsPlace_data();
    void refusesAtItsPlace();
};

void TestSpecPragma::opensAnAnnotatedKernel() {
    QTemporaryDir folder;
    const auto spec = fromText(folder, QString(kPragmas) + kKernel);
    VERIFY_OK(spec);
    VERIFY_OK(checkTunable(*spec));
    QCOMPARE(spec->name, std::string("vector_add_float"));
    QCOMPARE(spec->parameters.size(), 2u);
    QCOMPARE(spec->parameters[0].defaultIndex, 1u);
    QVERIFY(spec->parameters[1].site == space::Site::Template);
    QCOMPARE(spec->templateArguments, (std::vector<std::string>{"float", "items_per_thread"}));
    const auto space = makeSpace(*spec, spec->workloads.front(), nullptr);
    VERIFY_OK(space);
    QCOMPARE(space->countValid().value, 6.0);  // 3 * 3, less the three with four items
    const auto launch = resolveLaunch(*spec, space->scopeFor(space->defaultConfiguration()), spec->workloads.front());
    VERIFY_OK(launch);
    QCOMPARE(launch->block[0], 64u);
    QCOMPARE(launch->grid[0], (1u << 20) / 64u);
    QCOMPARE(launch->arguments[3].elements, (std::uint64_t{1} << 20) + 1);
    const auto again = parse(toT1(*spec).dump(), std::filesystem::path(folder.path().toStdString()) / "k.json");
    VERIFY_OK(again);
    QCOMPARE(toT1(*again).dump(1), toT1(*spec).dump(1));
}

void TestSpecPragma::otherSpellings_data() {
    QTest::addColumn<QString>("pragmas");
    QTest::addColumn<QString>("grid");
    const QString tune = "#pragma kernel_tuner tune(b = 32, 64) block_dim(b)\n";
    QTest::newRow("grid size") << tune + "#pragma kernel_launcher grid_size(n / b, 2)" << "32768 2";
    QTest::newRow("grid divisors") << tune + "#pragma kernel problem_dim(n, 8) grid_divisors(b * 2, 3)" << "16384 3";
    QTest::newRow("no grid") << tune + "#pragma kernel problem_size(n, 8)" << "32768 8";
    QTest::newRow("argument set") << tune + "#pragma kernel set(n = 1000) problem_size(n)" << "32 1";
    QTest::newRow("crlf") << QString(tune).replace('\n', "\r\n") + "#pragma kernel problem_size(n)\r" << "32768 1";
}

void TestSpecPragma::otherSpellings() {
    QFETCH(QString, pragmas);
    QFETCH(QString, grid);
    QTemporaryDir folder;
    const auto spec = fromText(folder, pragmas + kKernel);
    VERIFY_OK(spec);
    const auto space = makeSpace(*spec, spec->workloads.front(), nullptr);
    VERIFY_OK(space);
    const auto launch = resolveLaunch(*spec, space->scopeFor(space->defaultConfiguration()), spec->workloads.front());
    VERIFY_OK(launch);
    QCOMPARE(QString("%1 %2").arg(launch->grid[0]).arg(launch->grid[1]), grid);
}

void TestSpecPragma::givesANameOneValue_data() {
    QTest::addColumn<QString>("pragmas");
    QTest::newRow("set first") << "#pragma kernel set(n = 5000) problem_size(n)";
    QTest::newRow("set last") << "#pragma kernel problem_size(n) set(n = 5000)";
}

void TestSpecPragma::givesANameOneValue() {
    QFETCH(QString, pragmas);
    QTemporaryDir folder;
    const auto spec = fromText(folder, pragmas + "\n#pragma kernel tune(b = 50, 100) block_size(b)\n"
                                       "__global__ void k(float* y, const float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }\n");
    VERIFY_OK(spec);
    const auto space = makeSpace(*spec, spec->workloads.front(), nullptr);
    VERIFY_OK(space);
    const auto launch = resolveLaunch(*spec, space->scopeFor(space->defaultConfiguration()), spec->workloads.front());
    VERIFY_OK(launch);
    QCOMPARE(launch->grid[0], 100u);
    QCOMPARE(launch->arguments[0].elements, std::uint64_t{5000});
    QCOMPARE(launch->arguments[1].elements, std::uint64_t{5000});
    QCOMPARE(launch->arguments[2].scalar.asInt(), std::int64_t{5000});
}

void TestSpecPragma::convertsExpressions_data() {
    QTest::addColumn<QString>("cpp");
    QTest::addColumn<QString>("value");  // what a C++ compiler says, with a = 7, b = -7
    const auto row = [](const char* cpp, const char* value) { QTest::newRow(cpp) << QString(cpp) << QString(value); };
    row("a / 2", "3");
    row("b / 2", "-3");
    row("b % 2", "-1");
    row("a % -2", "1");
    row("(a - 10) / 2", "-1");
    row("(a - 10) / (a - 9)", "1");
    row("1 + 2 * 3 - 4 / 2", "5");
    row("(1 + 2) * 3", "9");
    row("a > 3 && b", "True");
    row("!a == 0", "True");
    row("!(a == 7) || 0", "False");
    row("a == 7 == 1", "True");
    row("3 > 2 > 1", "False");
    row("a > 3 ? a * 2 : b", "14");
    row("(a > 3 ? b : a) / 2", "-3");
    row("1 << 3 | 1", "9");
    row("~a & 0xFFu", "248");
    row("6 ^ 3 & 1", "7");
    row("div_ceil(a, 2)", "4");
    row("div_ceil(a, 2) * 2", "8");
    row("round(float(a) / 2)", "4");
    row("ceil(a / 2.0) + floor(1.5f)", "5");
    row("max(a, min(3, 9)) - abs(b)", "0");
    row("0b101 + 010 + 1'000", "1013");
    row("-a / 2", "-3");
    row("\"x\\\"\" + 'y'", "'x\"y'");
    row("true && null", "False");
}

void TestSpecPragma::convertsExpressions() {
    QFETCH(QString, cpp);
    QFETCH(QString, value);
    const std::string text = "#pragma " + cpp.toStdString();
    const auto tokens = source::lex(text);
    PragmaCursor cursor(tokens, tokens.directives.front(), "k.cu");
    const auto read = readPragmaExpression(cursor, [&](const source::Token& name) -> Result<PragmaValue> {
        return PragmaValue::atom(std::string(tokens.of(name)), PragmaValue::Type::Int, tokens.of(name) == "b");
    });
    VERIFY_OK(read);
    QVERIFY(cursor.atEnd());
    const auto expression = expr::Expression::parse(read->text);
    VERIFY_OK(expression);
    expr::Scope scope;
    scope.set("a", 7);
    scope.set("b", -7);
    const auto result = expression->evaluate(scope);
    VERIFY_OK(result);
    QCOMPARE(QString::fromStdString(result->repr()), value);
}

void TestSpecPragma::refusesAtItsPlace_data() {
    QTest::addColumn<QString>("pragmas");
    QTest::addColumn<QString>("says");
    QTest::newRow("unknown directive") << "#pragma kernel tun(b = 1)" << "line 1, column 16: there is no directive \"tun\"";
    QTest::newRow("unknown name") << "#pragma kernel tune(b = 1)\n#pragma kernel block_size(bb)" << "line 2, column 27: there is no parameter, variable or argument \"bb\"; did you mean \"b\"?";
    QTest::newRow("open bracket") << "#pragma kernel tune(b = 1" << "line 1, column 26: ')' is expected, but the directive ends";
    QTest::newRow("default") << "#pragma kernel tune(b = 1, 2) default(3)" << "line 1, column 39: the default 3";
    QTest::newRow("twice") << "#pragma kernel tune(b = 1) tune(b = 2)" << "column 33: \"b\" is given twice";
    QTest::newRow("reserved") << "#pragma kernel tune(int = 1)" << "column 21: \"int\" cannot be used";
    QTest::newRow("no operand") << "#pragma kernel tune(b = 1) restriction(b *)" << "column 43: a value is expected, but there is ')'";
    QTest::newRow("no constant") << "#pragma kernel tune(b = n)" << "column 25: this must be a constant";
    QTest::newRow("pointer") << "#pragma kernel tune(b = 1) problem_size(A)" << "column 41: the kernel's argument \"A\" is no whole number";
    QTest::newRow("buffer") << "#pragma kernel tune(b = 1) buffers(n[1])" << "column 36: \"n\" is no buffer";
    QTest::newRow("function") << "#pragma kernel tune(b = 1) block_size(sqrt(b))" << "column 39: there is no function \"sqrt\"";
    QTest::newRow("text") << "#pragma kernel tune(b = 1) block_size(b * \"x\")" << "column 41: '*' needs a number";
    QTest::newRow("number") << "#pragma kernel tune(b = 99999999999999999999)" << "column 25: '99999999999999999999' is no number";
    QTest::newRow("deep") << "#pragma kernel tune(b = " + QString("(").repeated(500) << "nested too deeply";
    QTest::newRow("growing") << "#pragma kernel tune(b = 1) set(" + QString("x0 = b") + [] {
        QString text;
        for (int i = 1; i < 40; ++i) text += QString(", x%1 = x%2 * x%2").arg(i).arg(i - 1);
        return text;
    }() + ")" << "becomes too long";
    QTest::newRow("no block") << "#pragma kernel tune(b = 1) problem_size(n)" << "the block is missing";
    QTest::newRow("no grid") << "#pragma kernel tune(b = 1) block_size(b)" << "the grid is missing";
    QTest::newRow("nothing tuned") << "#pragma kernel block_size(1) problem_size(n)" << "tune nothing";
    QTest::newRow("tuned type") << "#pragma kernel tune(b = 32) tune(T = \"float\", \"double\") block_size(b) problem_size(n)" << "the tuned type \"T\"";
}

void TestSpecPragma::refusesAtItsPlace() {
    QFETCH(QString, pragmas);
    QFETCH(QString, says);
    QTemporaryDir folder;
    const auto spec = fromText(folder, pragmas + kKernel);
    QVERIFY(!spec);
    const QString message = QString::fromStdString(spec.error().toString());
    QVERIFY2(message.contains(says), qPrintable(message));
    QVERIFY2(message.contains("k.cu"), qPrintable(message));
}

QTEST_APPLESS_MAIN(TestSpecPragma)
#include "tst_spec_pragma.moc"
