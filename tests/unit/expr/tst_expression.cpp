// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "expr/expression.h"
#include "expr/program.h"
#include "result_test.h"

using namespace ww;
using namespace ww::expr;

namespace {

Scope testScope() {
    Scope scope;
    scope.set("TILE", 64);
    scope.set("VEC", 4);
    scope.set("ALPHA", 0.5);
    scope.set("FLAG", true);
    scope.set("TYPE", "fp16");
    scope.set("ProblemSize", Value(Value::Tuple{4096, 2048, 1}));
    return scope;
}

}  // namespace

class TestExpression : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void evaluates_data();
    void evaluates();
    void refuses_data();
    void refuses();
    void failsToEvaluate_data();
    void failsToEvaluate();
    void names();
    void survivesHostileText_data();
    void survivesHostileText();
    void findsTheNearestName_data();
    void findsTheNearestName();
    void programAgrees_data() { evaluates_data(); }
    void programAgrees();
    void programFallsBackOnObjects();
    void scopesNest();
    void valuesTravelThroughJson();
    void displaysForPeople();
};

void TestExpression::evaluates_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("repr");
    const auto row = [](const char* text, const char* repr) { QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(repr); };
    row("1 + 2 * 3", "7");
    row("7 / 2", "3.5");
    row("8 / 2", "4.0");
    row("-7 // 2", "-4");
    row("-7 % 3", "2");
    row("7 % -3", "-2");
    row("-7.5 // 2", "-4.0");
    row("-7.5 % 2", "0.5");
    row("2 ** -1", "0.5");
    row("2 ** 3 ** 2", "512");
    row("-2 ** 2", "-4");
    row("1 << 62", "4611686018427387904");
    row("-1 >> 5", "-1");
    row("~5 & 0xff ^ 0b11 | 0o10", "249");
    row("6 & 3 ^ 5 & 12 ^ 1", "7");
    row("6 & (3 ^ 5) & 12", "4");
    row("1_000 + 0x_ff", "1255");
    row("1e3", "1000.0");
    row("1e16", "1e+16");
    row("1e-5", "1e-05");
    row("True + True", "2");
    row("True & False", "False");
    row("1 == 1.0 == True", "True");
    row("9007199254740993 == 9007199254740992.0", "False");
    row("1 < 2 < 3", "True");
    row("3 > 2 > 2", "False");
    row("TILE in (16, 32, 64)", "True");
    row("TILE not in [16, 32]", "True");
    row("'p1' in TYPE", "True");
    row("TYPE == 'fp16' and VEC", "4");
    row("0 or '' or ()", "()");
    row("FLAG and 0 or 3", "3");
    row("not TILE", "False");
    row("not 1 == 2", "True");
    row("1 if VEC > 4 else 2", "2");
    row("True or 1 / 0", "True");
    row("False and UNKNOWN", "False");
    row("ProblemSize[0] // TILE", "64");
    row("ProblemSize[-1]", "1");
    row("[2**i for i in range(5, 11)]", "(32, 64, 128, 256, 512, 1024)");
    row("[1, 2] + [16*i for i in range(1, 5) if i % 2 == 0]", "(1, 2, 32, 64)");
    row("[a * b for a, b in [(1, 2), (3, 4)]]", "(2, 12)");
    row("list(range(32, 97, 32))", "(32, 64, 96)");
    row("range(5, 0, -2)", "(5, 3, 1)");
    row("range(3, 3)", "()");
    row("(1,)", "(1,)");
    row("1, 2", "(1, 2)");
    row("()", "()");
    row("min(3, 1, 2) + max([4, 5])", "6");
    row("max(1, 1.0)", "1");
    row("sum([1, 2.5])", "3.5");
    row("len('h\xc3\xa9')", "2");
    row("abs(-3) + abs(-0.5)", "3.5");
    row("int(-2.7) + int('12')", "10");
    row("float(3)", "3.0");
    row("bool([])", "False");
    row("round(2.5)", "2");
    row("round(2.675, 2)", "2.67");
    row("round(15, -1)", "20");
    row("round(25, -1)", "20");
    row("str(1.0) + 'x'", "'1.0x'");
    row("math.ceil(ALPHA) + ceil(2.1) + math.floor(-0.5)", "3");
    row("log2(TILE)", "6.0");
    row("math.sqrt(2.25)", "1.5");
    row("pow(2, 10)", "1024");
    row("all([1, 1]) and any([0, 1])", "True");
    row("None == None", "True");
    row("'a' < 'b'", "True");
    row("(1, 2) < (1, 3)", "True");
    row("(TILE\n  * VEC)", "256");
    row("TILE *\n VEC  # a remark", "256");
    row("'a' 'b'", "'ab'");
    row("r'\\n'", "'\\\\n'");
    row("'\\x41\\n'", "'A\\n'");
    row("'ab' * 2", "'abab'");
    row("2 * (1, 2)", "(1, 2, 1, 2)");
    row("0.1 + 0.2", "0.30000000000000004");
    row("(-9223372036854775807 - 1) % -1", "0");
}

void TestExpression::evaluates() {
    QFETCH(QString, text);
    QFETCH(QString, repr);
    const auto expression = Expression::parse(text.toStdString());
    VERIFY_OK(expression);
    const auto value = expression->evaluate(testScope());
    VERIFY_OK(value);
    QCOMPARE(QString::fromStdString(value->repr()), repr);
}

void TestExpression::refuses_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("part");  // must be in the message
    const auto row = [](const char* text, const char* part) { QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(part); };
    row("", "empty");
    row("  \n", "empty");
    row("1 +", "not a valid expression");
    row("a.b", "column 1: attributes");
    row("1 + a.__class__", "column 5");
    row("().__class__", "attributes");
    row("__import__('os')", "not a function allowed here");
    row("__name__", "start with __");
    row("open('x')", "not a function allowed here; allowed are range");
    row("eval('1')", "not a function");
    row("print(1)", "column 1: 'print' is not a function");
    row("math.pow(1, 2)", "'math.pow' is not a function");
    row("lambda: 1", "lambda");
    row("a = 1", "column 3: this is not a valid expression; to compare, write '=='");
    row("(a := 1)", "assignments");
    row("a == 1; b", "column");
    row("import os", "column 8");
    row("f'{a}'", "formatted strings");
    row("b'a'", "bytes");
    row("{1: 2}", "dictionaries");
    row("{1, 2}", "sets");
    row("a[1:2]", "slices");
    row("a is None", "'is' is not allowed");
    row("a is not None", "'is' is not allowed");
    row("all(x for x in a)", "generator expressions");
    row("x for x in a", "generator expressions");
    row("max(a, key=1)", "named arguments");
    row("max(*a)", "unpacking");
    row("[x for x in a for y in b]", "only one 'for'");
    row("[[y for y in x] for x in a]", "inside a comprehension");
    row("a) + (b", "column");
    row("a && b", "write 'and' instead of '&&'");
    row("a || b", "write 'or' instead of '||'");
    row("a ? b : c", "instead of '?:'");
    row("99999999999999999999", "does not fit into 64 bits");
    row("012", "leading zeros");
    row("1__0", "column 3");
    row("1_", "column");
    row("1 + not 2", "column 9");
    row("a == not b", "column 10");
    row("1j", "complex");
    row("range()", "range() does not take 0 arguments");
    row("a @ b", "'@' is not allowed");
    row("a <> b", "column");
    row("yield", "column");
    row("...", "not part of the expressions");
    row("1 +\n  (lambda: 2)", "line 2, column 4");
}

void TestExpression::refuses() {
    QFETCH(QString, text);
    QFETCH(QString, part);
    const auto expression = Expression::parse(text.toStdString());
    COMPARE_ERR(expression, ErrorCode::InvalidExpression);
    const QString message = QString::fromStdString(expression.error().message);
    QVERIFY2(message.contains(part), qPrintable(message));
    QVERIFY2(message.contains("column "), qPrintable(message));
}

void TestExpression::failsToEvaluate_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* text, const char* part) { QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(part); };
    row("TILEE + 1", "column 1: unknown name 'TILEE'; did you mean 'TILE'?");
    row("tile", "did you mean 'TILE'");
    row("1 + 1 / 0", "column 5: division by zero");
    row("1 % 0", "modulo by zero");
    row("1.0 // 0", "division by zero");
    row("0 ** -1", "negative power");
    row("(-8) ** 0.5", "complex");
    row("2 ** 63", "does not fit into a 64-bit integer");
    row("9223372036854775807 + 1", "does not fit");
    row("-(-9223372036854775807 - 1)", "does not fit");
    row("(-9223372036854775807 - 1) // -1", "does not fit");
    row("1 << 64", "does not fit");
    row("1 << -1", "negative shift");
    row("1.5 & 1", "bit operators");
    row("'a' + 1", "does not work on str and int");
    row("'a' < 1", "does not compare str with int");
    row("1 in 2", "needs a tuple or list");
    row("ProblemSize[3]", "column 13: index 3 is out of range");
    row("TILE[0]", "only a tuple");
    row("range(10000000)", "more than 1,000,000");
    row("range(0, 5, 0)", "must not be 0");
    row("range(1.5)", "whole numbers");
    row("[sum(range(100000)) for i in range(100000)]", "too much work");
    row("'a' * 100000000", "1,000,000");
    row("min([])", "at least one");
    row("len(3)", "tuple or list");
    row("log2(0)", "positive");
    row("sqrt(-1)", "not negative");
    row("int('x')", "not a whole number");
    row("int(1e30)", "does not fit");
    row("10.0 ** 400", "too large");
    row("[a for a, b in [(1, 2, 3)]]", "3 parts");
}

void TestExpression::failsToEvaluate() {
    QFETCH(QString, text);
    QFETCH(QString, part);
    const auto expression = Expression::parse(text.toStdString());
    VERIFY_OK(expression);
    const auto value = expression->evaluate(testScope());
    COMPARE_ERR(value, ErrorCode::InvalidExpression);
    const QString message = QString::fromStdString(value.error().message);
    QVERIFY2(message.contains(part), qPrintable(message));
}

void TestExpression::names() {
    const auto expression = Expression::parse("B + [A * i for i in range(C) if i < D][0] + max(B, E) if F else math.ceil(A)");
    VERIFY_OK(expression);
    auto names = expression->names();
    QCOMPARE(names.front(), std::string("B"));
    std::sort(names.begin(), names.end());
    QCOMPARE(names, (std::vector<std::string>{"A", "B", "C", "D", "E", "F"}));
}

void TestExpression::survivesHostileText_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("brackets") << QByteArray(60000, '(');
    QTest::newRow("closed brackets") << QByteArray(30000, '(') + "1" + QByteArray(30000, ')');
    QTest::newRow("minus") << QByteArray(60000, '-') + "1";
    QTest::newRow("not") << QByteArray("not ").repeated(15000) + "1";
    QTest::newRow("powers") << QByteArray("2**").repeated(15000) + "1";
    QTest::newRow("conditions") << QByteArray("1 if 1 else ").repeated(5000) + "1";
    QTest::newRow("indices") << "a" + QByteArray("[0]").repeated(15000);
    QTest::newRow("calls") << "a" + QByteArray("()").repeated(15000);
    QTest::newRow("sum") << QByteArray("1+").repeated(30000) + "1";
    QTest::newRow("too long") << QByteArray("1,").repeated(50000);
    QTest::newRow("nul") << QByteArray("1 +\0 2", 6);
    QTest::newRow("broken utf-8") << QByteArray("\xff\xfe + 1");
    QTest::newRow("quotes") << QByteArray("'\"x").repeated(9998);
    QTest::newRow("open string") << QByteArray("'''abc");
}

void TestExpression::survivesHostileText() {
    QFETCH(QByteArray, text);
    const auto expression = Expression::parse(text.toStdString());
    COMPARE_ERR(expression, ErrorCode::InvalidExpression);
    QVERIFY(expression.error().toString().size() < 1000);
}

void TestExpression::findsTheNearestName_data() {
    QTest::addColumn<QString>("asked");
    QTest::addColumn<QString>("found");
    QTest::newRow("letter more") << "block_size_xx" << "block_size_x";
    QTest::newRow("swap") << "TIEL" << "TILE";
    QTest::newRow("case") << "Tile" << "TILE";
    QTest::newRow("far") << "warp" << "";
    QTest::newRow("short") << "q" << "";
    QTest::newRow("short case") << "n" << "N";
}

void TestExpression::findsTheNearestName() {
    QFETCH(QString, asked);
    QFETCH(QString, found);
    QCOMPARE(QString::fromStdString(nearestName(asked.toStdString(), {"TILE", "block_size_x", "block_size_y", "N"})), found);
}

void TestExpression::programAgrees() {
    QFETCH(QString, text);
    QFETCH(QString, repr);
    const auto expression = Expression::parse(text.toStdString());
    VERIFY_OK(expression);
    Objects objects;
    // Everything but UNKNOWN is an input, so that nothing is folded away.
    const std::vector<std::string> slots_{"TILE", "VEC", "ALPHA", "FLAG", "TYPE", "ProblemSize", "UNKNOWN"};
    std::vector<Number> inputs;
    const Scope scope = testScope();
    for (const std::string& name : slots_)
        inputs.push_back(scope.find(name) ? objects.intern(*scope.find(name)) : Number::error());
    const auto program = Program::compile(*expression, slots_, Scope());
    VERIFY_OK(program);
    QCOMPARE(QString::fromStdString(objects.valueOf(program->compute(inputs.data(), objects)).repr()), repr);
}

void TestExpression::programFallsBackOnObjects() {
    const auto expression = Expression::parse("BLOCK[0] * BLOCK[1] <= 1024 and TYPE in ('fp16', 'fp32')");
    VERIFY_OK(expression);
    Objects objects;
    const std::vector<std::string> slots_{"BLOCK", "TYPE"};
    const auto program = Program::compile(*expression, slots_, Scope());
    VERIFY_OK(program);
    const Number block = objects.intern(Value(Value::Tuple{32, 32}));
    const Number wide = objects.intern(Value(Value::Tuple{64, 32}));
    const Number half = objects.intern("fp16"), other = objects.intern("int8");
    const Number good[] = {block, half}, big[] = {wide, half}, type[] = {block, other}, broken[] = {Number::ofInt(3), half};
    QVERIFY(program->accepts(good, objects));
    QVERIFY(!program->accepts(big, objects));
    QVERIFY(!program->accepts(type, objects));
    QVERIFY(!program->accepts(broken, objects));
    COMPARE_ERR(Program::compile(*expression, std::vector<std::string>{"BLOCKS"}, Scope()), ErrorCode::InvalidExpression);
}

void TestExpression::scopesNest() {
    Scope outer;
    outer.set("N", 1);
    outer.set("M", 2);
    Scope inner(&outer);
    inner.set("N", 3);
    const auto expression = Expression::parse("N * 10 + M");
    VERIFY_OK(expression);
    const auto value = expression->evaluate(inner);
    VERIFY_OK(value);
    QCOMPARE(value->asInt(), std::int64_t{32});
    QCOMPARE(inner.names(), (std::vector<std::string>{"M", "N"}));
}

void TestExpression::valuesTravelThroughJson() {
    const Value value(Value::Tuple{1, 2.5, true, "x", Value(), Value(Value::Tuple{7})});
    QCOMPARE(QString::fromStdString(value.toJson().dump()), QStringLiteral("[1,2.5,true,\"x\",null,[7]]"));
    QVERIFY(Value::fromJson(value.toJson()) == value);
    QVERIFY(!(Value(1) == Value(1.0)));
    QVERIFY(Value(1).equals(Value(true)));
    QVERIFY(!Value("1").equals(Value(1)));
}

void TestExpression::displaysForPeople() {
    QCOMPARE(Value(true).display(), std::string("true"));
    QCOMPARE(Value(1.0).display(), std::string("1.0"));
    QCOMPARE(Value("fp16").display(), std::string("fp16"));
    QCOMPARE(Value(Value::Tuple{64, 32}).display(), std::string("64x32"));
}

QTEST_APPLESS_MAIN(TestExpression)
#include "tst_expression.moc"
