// SPDX-License-Identifier: Apache-2.0
#include "policy/torch_module.h"
#include "policy_fixture.h"

using namespace policy_test;

using Inputs = std::vector<ReferenceInput>;
using Outputs = std::vector<std::vector<double>>;
using Reals = std::vector<double>;
using Integers = std::vector<std::int64_t>;

Q_DECLARE_METATYPE(Inputs)
Q_DECLARE_METATYPE(Outputs)

class TestScriptReference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { SKIP_WITHOUT_TORCH(); }
    void evaluates_data();
    void evaluates();
    void refuses_data();
    void refuses();
    void leavesItsInputsAlone();
    void isReproducible();
    void runsManyTimes();

private:
    static Result<Outputs> run(const QString& source, const Inputs& inputs) {
        auto module = torchModule();
        if (!module) qFatal("%s", module.error().toString().c_str());
        return (*module)->evaluate(source.toStdString(), inputs);
    }
};

void TestScriptReference::evaluates_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<Inputs>("inputs");
    QTest::addColumn<Outputs>("expected");
    QTest::newRow("no newline at the end") << "def ref(x):\n    return 2.0 * x" << Inputs{Reals{1, 2}} << Outputs{{2, 4}};
    QTest::newRow("sum of vectors") << "def f(a, b):\n    return a + b\n"
                                    << Inputs{Reals{1, 2, 3}, Reals{10, 20, 30}} << Outputs{{11, 22, 33}};
    QTest::newRow("a number") << "def f(a, s: float):\n    return a * s\n" << Inputs{Reals{1, 2}, 0.5} << Outputs{{0.5, 1}};
    QTest::newRow("an undeclared number is a tensor") << "def f(a, s):\n    return a * s\n"
                                                      << Inputs{Reals{1, 2}, 0.5} << Outputs{{0.5, 1}};
    QTest::newRow("sizes") << "def f(a, m: int, n: int):\n    return a.reshape(m, n).t()\n"
                           << Inputs{Reals{1, 2, 3, 4, 5, 6}, std::int64_t{2}, std::int64_t{3}} << Outputs{{1, 4, 2, 5, 3, 6}};
    QTest::newRow("a whole float where an int is declared") << "def f(n: int):\n    return n + 1\n" << Inputs{3.0} << Outputs{{4}};
    QTest::newRow("an int where a float is declared") << "def f(x: float):\n    return x / 2\n"
                                                      << Inputs{std::int64_t{3}} << Outputs{{1.5}};
    QTest::newRow("bool") << "def f(x: bool):\n    return not x\n" << Inputs{std::int64_t{0}} << Outputs{{1}};
    QTest::newRow("integers stay integers") << "def f(a, b):\n    return a // b\n"
                                            << Inputs{Integers{7, 8, 9}, Integers{2, 2, 2}} << Outputs{{3, 4, 4}};
    QTest::newRow("integers beyond 2^53 wrap as int64") << "def f(a):\n    return a * 0 + (a & 1)\n"
                                                        << Inputs{Integers{9007199254740993, 9007199254740992}} << Outputs{{1, 0}};
    QTest::newRow("a tuple") << "def f(a):\n    return a + 1, a * 2, a.sum()\n" << Inputs{Reals{1, 2}} << Outputs{{2, 3}, {2, 4}, {3}};
    QTest::newRow("a list") << "def f(a):\n    return [a, -a]\n" << Inputs{Reals{1}} << Outputs{{1}, {-1}};
    QTest::newRow("tuples in tuples") << "def f(a):\n    return (a, (a + 1, a + 2))\n" << Inputs{Reals{1}} << Outputs{{1}, {2}, {3}};
    QTest::newRow("booleans and floats come as doubles") << "def f(a):\n    return a > 1, a.to(torch.float32)\n"
                                                         << Inputs{Reals{1, 2}} << Outputs{{0, 1}, {1, 2}};
    QTest::newRow("dtypes by name") << "def f(a):\n    return a.to(torch.int64), torch.zeros([2], dtype=torch.float32)\n"
                                    << Inputs{Reals{1.5}} << Outputs{{1}, {0, 0}};
    QTest::newRow("constants") << "def f(a):\n    return a * math.pi, a * torch.inf, a * math.sqrt(4.0)\n"
                               << Inputs{Reals{1}} << Outputs{{3.141592653589793}, {HUGE_VAL}, {2}};
    QTest::newRow("softmax of rows") << "def softmax(x, rows: int, columns: int):\n    return torch.softmax(x.view(rows, columns), 1)\n"
                                     << Inputs{Reals{0, 0, 5, 5}, std::int64_t{2}, std::int64_t{2}} << Outputs{{0.5, 0.5, 0.5, 0.5}};
    QTest::newRow("a loop")
        << "def f(a, n: int):\n    s = torch.zeros_like(a)\n    for i in range(n):\n        s = s + a * i\n    return s\n"
        << Inputs{Reals{1, 2}, std::int64_t{4}} << Outputs{{6, 12}};
    QTest::newRow("no inputs") << "def f():\n    return torch.arange(3)\n" << Inputs{} << Outputs{{0, 1, 2}};
    QTest::newRow("empty tensor") << "def f(a):\n    return a * 2\n" << Inputs{Reals{}} << Outputs{{}};
}

void TestScriptReference::evaluates() {
    QFETCH(QString, source);
    QFETCH(Inputs, inputs);
    QFETCH(Outputs, expected);
    const auto outputs = run(source, inputs);
    VERIFY_OK(outputs);
    QCOMPARE(outputs->size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY2((*outputs)[i] == expected[i], qPrintable(QString("output %1").arg(i)));
}

void TestScriptReference::refuses_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<Inputs>("inputs");
    QTest::addColumn<QString>("words");
    const Inputs one{Reals{1, 2, 3}};
    QTest::newRow("nothing") << "" << one << "0 functions";
    QTest::newRow("no Python") << "int main() { return 0; }" << one << "expected";
    QTest::newRow("unclosed") << "def f(a:\n    return a" << one << "expected";
    QTest::newRow("two functions") << "def f(a):\n    return a\ndef g(a):\n    return a\n" << one << "2 functions";
    QTest::newRow("unknown name") << "def f(a):\n    return a + missing\n" << one << "undefined value missing";
    QTest::newRow("unknown operator") << "def f(a):\n    return torch.no_such_operator(a)\n" << one << "no_such_operator";
    QTest::newRow("too few inputs") << "def f(a, b):\n    return a\n" << one << "takes 2 arguments, but 'Inputs' names 1";
    QTest::newRow("too many inputs") << "def f():\n    return torch.ones(1)\n" << one << "takes 0 arguments, but 'Inputs' names 1";
    QTest::newRow("shapes that do not fit") << "def f(a):\n    return a.reshape(2, 2)\n"
                                            << one << "shape '[2, 2]' is invalid for input of size 3";
    QTest::newRow("raise") << "def f(a):\n    raise ValueError('the sizes differ')\n    return a\n" << one << "the sizes differ";
    QTest::newRow("a string out") << "def f(a):\n    return 'text'\n" << one << "return a tensor";
    QTest::newRow("nothing out") << "def f(a):\n    b = a\n" << one << "return a tensor";
    QTest::newRow("complex") << "def f(a):\n    return torch.complex(a, a)\n" << one << "complex";
    QTest::newRow("a fraction where an int is declared") << "def f(n: int):\n    return n\n" << Inputs{0.5} << "declare it as float";
    QTest::newRow("a tensor where an int is declared") << "def f(n: int):\n    return n\n" << one << "f";
    QTest::newRow("index out of range") << "def f(a):\n    return a[7]\n" << one << "index 7 out of range";
}

void TestScriptReference::refuses() {
    QFETCH(QString, source);
    QFETCH(Inputs, inputs);
    QFETCH(QString, words);
    const auto outputs = run(source, inputs);
    COMPARE_ERR(outputs, ErrorCode::InvalidSpec);
    const std::string& message = outputs.error().message;
    QVERIFY2(QString::fromStdString(message).contains(words), message.c_str());
    // The C++ stack of LibTorch is no help to whoever wrote the spec.
    QVERIFY2(message.find("frame #") == std::string::npos && message.find("libtorch") == std::string::npos, message.c_str());
}

void TestScriptReference::leavesItsInputsAlone() {
    const Inputs inputs{Reals{1, 2, 3}, Integers{4, 5}};
    const auto outputs = run("def f(a, b):\n    a.add_(1)\n    b.zero_()\n    return a\n", inputs);
    VERIFY_OK(outputs);
    QCOMPARE(outputs->front(), (Reals{2, 3, 4}));
    QCOMPARE(std::get<Reals>(inputs[0]), (Reals{1, 2, 3}));
    QCOMPARE(std::get<Integers>(inputs[1]), (Integers{4, 5}));
}

void TestScriptReference::isReproducible() {
    Reals values;
    for (int i = 0; i < 5000; ++i)
        values.push_back(std::sin(i));
    const QString source = "def f(a):\n    return torch.exp(a).sum(), torch.cumsum(a, 0)\n";
    const auto first = run(source, {values});
    const auto second = run(source, {values});
    VERIFY_OK(first);
    VERIFY_OK(second);
    QVERIFY(*first == *second);
    double sum = 0;
    for (const double value : values)
        sum += std::exp(value);
    QVERIFY(std::abs((*first)[0][0] - sum) < 1e-9 * sum);
}

void TestScriptReference::runsManyTimes() {
    // An error in one call leaves the next as it should be.
    for (int i = 0; i < 30; ++i) {
        QVERIFY(!run("def f(a):\n    return a.reshape(7)\n", {Reals{1}}));
        const auto good = run("def f(a):\n    return a * 2\n", {Reals{static_cast<double>(i)}});
        VERIFY_OK(good);
        QCOMPARE(good->front().front(), 2.0 * i);
    }
}

QTEST_APPLESS_MAIN(TestScriptReference)
#include "tst_script_reference.moc"
