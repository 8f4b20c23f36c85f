// SPDX-License-Identifier: Apache-2.0
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <string>
#include <vector>

#include "base/rng.h"
#include "expr/expression.h"
#include "expr/program.h"
#include "result_test.h"

using namespace ww;
using namespace ww::expr;

namespace {

// Grammar-directed random expressions. The depth bounds the size; leaves lean to small numbers, so that divisions by
// zero, negative operands and ties do occur.
class Generator {
public:
    explicit Generator(std::uint64_t seed) : m_rng(seed) {}

    std::string expression(int depth) {
        if (depth == 0 || m_rng.below(8) == 0) return leaf();
        switch (m_rng.below(12)) {
        case 0: return m_rng.below(3) == 0 ? "(not " + operand(depth) + ")" : pick({"-", "+", "~", "- -"}) + operand(depth);
        case 1: return operand(depth) + pick({" and ", " or "}) + operand(depth);
        case 2: return "(" + expression(depth - 1) + ") if (" + expression(depth - 1) + ") else " + operand(depth);
        case 3: return comparison(depth);
        case 4: return call(depth);
        case 5: return comprehension(depth);
        case 6: return sequence(depth - 1) + "[" + expression(0) + "]";
        default: return operand(depth) + pick({" + ", " - ", " * ", " / ", " // ", " % ", " ** ", " & ", " | ", " ^ ", " << ", " >> "}) + operand(depth);
        }
    }

private:
    std::string pick(std::initializer_list<const char*> choices) { return *(choices.begin() + m_rng.below(choices.size())); }
    std::string operand(int depth) {
        const std::string text = expression(depth - 1);
        return m_rng.below(3) == 0 ? text : "(" + text + ")";
    }
    std::string comprehension(int depth) {
        if (m_inside) return leaf();  // one level is what the subset has
        m_inside = true;
        std::string text = "[(" + expression(depth - 1) + ") + i for i in " + sequence(depth - 1) + " if i " + pick({"<", ">", "!="}) + " 2]";
        m_inside = false;
        return text;
    }
    std::string leaf() {
        switch (m_rng.below(10)) {
        case 0: return pick({"True", "False"});
        case 1: return pick({"0.5", "2.0", "-1.5", "0.0", "1e3", "3.25", "0.1"});
        case 2: return pick({"A", "B", "C", "D"});
        case 3: return pick({"A", "B", "C", "D"});
        case 4: return pick({"'x'", "''", "'ab'", "0x1f", "1_000", "4096"});
        default: return std::to_string(static_cast<std::int64_t>(m_rng.below(12)) - 3);
        }
    }
    std::string sequence(int depth) {
        switch (m_rng.below(3)) {
        case 0: return "list(range(" + expression(0) + ", " + expression(0) + "))";
        case 1: return "[" + leaf() + ", " + leaf() + "] + [" + leaf() + "]";
        default: return "[" + expression(std::max(depth, 0)) + ", " + leaf() + "]";
        }
    }
    std::string comparison(int depth) {
        std::string text = operand(depth);
        for (std::uint64_t i = 0; i <= m_rng.below(2); ++i)
            text += pick({" < ", " <= ", " == ", " != ", " > ", " >= "}) + operand(depth);
        if (m_rng.below(3) == 0) text = operand(depth) + pick({" in ", " not in "}) + "[" + leaf() + ", " + leaf() + ", " + leaf() + "]";
        return text;
    }
    std::string call(int depth) {
        switch (m_rng.below(6)) {
        case 0: return pick({"min", "max"}) + "(" + expression(depth - 1) + ", " + leaf() + ")";
        case 1: return pick({"abs", "int", "float", "bool", "round", "math.ceil", "math.floor", "math.sqrt", "math.log2"}) + "(" + expression(depth - 1) + ")";
        case 2: return "round(" + expression(depth - 1) + ", " + pick({"0", "1", "2", "-1"}) + ")";
        case 3: return pick({"len", "sum", "all", "any", "min", "max"}) + "(" + sequence(depth - 1) + ")";
        case 4: return "pow(" + expression(depth - 1) + ", " + leaf() + ")";
        default: return "str(" + expression(depth - 1) + ")";
        }
    }

    SplitMix64 m_rng;
    bool m_inside = false;
};

// Prints one line per expression: the value's repr with lists as tuples, "error", or "?" where Python's answer lies
// outside the subset (integers above 64 bits, complex numbers) or in another type of ours (list against tuple).
constexpr const char* kScript = R"py(
import ast, sys, math
class Outside(Exception): pass
def guard_pow(a, b):
    if isinstance(a, int) and isinstance(b, int) and abs(a) > 1 and b > 200: raise Outside
    return a ** b
def guard_shl(a, b):
    if isinstance(a, int) and isinstance(b, int) and b > 200: raise Outside
    return a << b
def guard_mul(a, b):
    for items, count in ((a, b), (b, a)):
        if isinstance(items, (str, list, tuple)) and isinstance(count, int) and len(items) * count > 10000: raise Outside
    return a * b
def guard_mod(a, b):
    if isinstance(a, str): raise Outside  # formatting
    return a % b
def guard_str(a=''):
    if isinstance(a, (list, tuple)): raise Outside
    return str(a)
class Guard(ast.NodeTransformer):
    def visit_BinOp(self, node):
        self.generic_visit(node)
        name = {ast.Pow: 'guard_pow', ast.LShift: 'guard_shl', ast.Mult: 'guard_mul', ast.Mod: 'guard_mod'}.get(type(node.op))
        if not name: return node
        return ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])
NAMES = {'A': 64, 'B': -3, 'C': 2.5, 'D': True, 'math': math, 'pow': guard_pow,
         'guard_pow': guard_pow, 'guard_shl': guard_shl, 'guard_mul': guard_mul, 'guard_mod': guard_mod, 'str': guard_str}
def plain(v):
    if isinstance(v, bool) or v is None or isinstance(v, str): return v
    if isinstance(v, int):
        if not -2**63 <= v < 2**63: raise Outside
        return v
    if isinstance(v, float): return v
    if isinstance(v, (list, tuple)): return tuple(plain(x) for x in v)
    raise Outside
for line in open(sys.argv[1], encoding='utf-8'):
    tree = ast.fix_missing_locations(Guard().visit(ast.parse(line.rstrip('\n'), mode='eval')))
    try:
        print(repr(plain(eval(compile(tree, 'line', 'eval'), dict(NAMES)))))
    except Outside: print('?')
    except (ZeroDivisionError, ValueError, TypeError, OverflowError, IndexError, MemoryError): print('error')
)py";

constexpr int kExpressions = 4000;

}  // namespace

class TestExpressionPython : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithPython();
};

void TestExpressionPython::agreesWithPython() {
    const QString python = QStandardPaths::findExecutable(QStringLiteral("python3"));
    if (python.isEmpty()) QSKIP("python3 is not installed, so there is nothing to compare with");
    QTemporaryDir folder;
    Generator generator(20260131);
    std::vector<std::string> texts;
    QByteArray joined;
    while (static_cast<int>(texts.size()) < kExpressions) {
        std::string text = generator.expression(4);
        if (text.size() > 300) continue;
        joined += QByteArray::fromStdString(text) + '\n';
        texts.push_back(std::move(text));
    }
    QFile list(folder.filePath(QStringLiteral("expressions.txt")));
    QVERIFY(list.open(QIODevice::WriteOnly));
    list.write(joined);
    list.close();
    QProcess process;
    process.start(python, {QStringLiteral("-W"), QStringLiteral("ignore"), QStringLiteral("-c"), QString::fromUtf8(kScript), list.fileName()});
    QVERIFY(process.waitForFinished(120000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
    const QList<QByteArray> answers = process.readAllStandardOutput().split('\n');
    QVERIFY(answers.size() >= kExpressions);

    const std::vector<std::string> slots_{"A", "B", "C", "D"};
    const Number inputs[] = {Number::ofInt(64), Number::ofInt(-3), Number::ofFloat(2.5), Number::ofBool(true)};
    Scope scope;
    for (std::size_t i = 0; i < slots_.size(); ++i)
        scope.set(slots_[i], valueOf(inputs[i]));
    int values = 0, errors = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::string answer = answers[static_cast<int>(i)].toStdString();
        const auto expression = Expression::parse(texts[i]);
        VERIFY_OK(expression);
        if (answer == "?") continue;
        const auto value = expression->evaluate(scope);
        const std::string ours = value ? value->repr() : "error";
        // Overflow inside an expression whose end result fits again is refused by us and not by Python.
        if (!value && value.error().message.find("64-bit") != std::string::npos) continue;
        QVERIFY2(ours == answer, (texts[i] + "\n  ours: " + (value ? ours : value.error().message) + "\n  Python: " + answer).c_str());
        ++(value ? values : errors);
        Objects objects;
        const auto program = Program::compile(*expression, slots_, Scope());
        VERIFY_OK(program);
        const Number fast = program->compute(inputs, objects);
        QVERIFY2((fast.type == Number::Type::Error ? "error" : objects.valueOf(fast).repr()) == answer, texts[i].c_str());
    }
    // The comparison means something only where both kinds occur in numbers.
    QVERIFY2(values > kExpressions / 4 && errors > kExpressions / 20, qPrintable(QStringLiteral("%1 values, %2 errors").arg(values).arg(errors)));
}

QTEST_APPLESS_MAIN(TestExpressionPython)
#include "tst_expression_python.moc"
