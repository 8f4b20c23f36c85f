// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QtTest>

#include "result_test.h"
#include "source/source_model.h"

using namespace ww;
using namespace ww::source;

namespace {

const char* kMatmul = R"(import triton
import triton.language as tl

WIDTH = tl.constexpr(4)


def configs():
    return [triton.Config({"BLOCK_M": m, "GROUP": 8}, num_warps=w, num_stages=3) for m in [64, 128] for w in (4, 8) if w < m]


@triton.jit
def leaky(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.autotune(configs=configs() + [triton.Config(dict(BLOCK_M=32, GROUP=1), num_warps=2)], key=["M", "N"])
@triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0})
@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr = 32, GROUP: tl.constexpr = 8, EVEN_K: tl.constexpr = True):
    pid = tl.program_id(axis=0)
    rows = ((pid // GROUP) * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    cols = pid * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (rows[:, None] * stride_am + ks[None, :] * stride_ak)
    b_ptrs = b_ptr + ks[:, None] * N + cols[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=ks[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=ks[:, None] < K - k * BLOCK_K, other=0.0, eviction_policy="evict_last")
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * N
    for i in tl.static_range(WIDTH):
        acc = tl.exp(acc)
    if EVEN_K:
        acc = leaky(acc)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=(rows[:, None] < M) & (cols[None, :] < N))
)";

QString valuesOf(const SourceModel& model, const char* name) {
    const ParameterSite* site = model.findParameter(name);
    if (site == nullptr) return QStringLiteral("absent");
    QStringList values;
    for (const expr::Value& value : site->proposedValues) values << QString::fromStdString(value.repr());
    return values.join(QLatin1Char(' '));
}

}  // namespace

class TestSourcePython : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void matmul() {
        const auto model = parsePython(kMatmul);
        VERIFY_OK(model);
        QVERIFY(model->language == Language::Triton && model->problems.empty());
        QCOMPARE(model->entries.size(), std::size_t{1});  // leaky belongs to it
        const Entry& entry = model->entries.front();
        QCOMPARE(QString::fromStdString(entry.signature()), QString("matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak)"));
        QVERIFY(entry.arguments[0].pointer && entry.arguments[0].isConst && entry.arguments[2].pointer && !entry.arguments[2].isConst);
        QVERIFY(!entry.arguments[3].pointer);
        QCOMPARE(entry.templateParameters.size(), std::size_t{5});
        QCOMPARE(entry.configurations.size(), std::size_t{5});
        QVERIFY((entry.tuningKeys == std::vector<std::string>{"M", "N"}));
        QCOMPARE(entry.decorators.size(), std::size_t{3});
        QVERIFY(model->functionOf(entry)->calls == std::vector<std::string>{"leaky"});
        QVERIFY(!model->functions.front().entry);
    }

    void parameters() {
        const auto model = parsePython(kMatmul);
        VERIFY_OK(model);
        QCOMPARE(valuesOf(*model, "BLOCK_M"), QString("32 64 128"));
        QCOMPARE(valuesOf(*model, "BLOCK_N"), QString("16 32 64 128 256"));
        QCOMPARE(valuesOf(*model, "GROUP"), QString("1 8"));
        QCOMPARE(valuesOf(*model, "num_warps"), QString("2 4 8"));
        QCOMPARE(valuesOf(*model, "num_stages"), QString("3"));
        QCOMPARE(valuesOf(*model, "num_ctas"), QString("absent"));
        const ParameterSite* depth = model->findParameter("BLOCK_K");
        QVERIFY(depth->kind == SiteKind::ConstexprArgument && depth->defaultValue == expr::Value(32) && depth->line == 20);
        QVERIFY(model->text.substr(depth->value.begin, depth->value.end - depth->value.begin) == "32");
        QVERIFY(model->findParameter("num_warps")->kind == SiteKind::LaunchOption);
        QVERIFY(!model->findParameter("EVEN_K")->tunable);
        QVERIFY(model->findParameter("WIDTH")->kind == SiteKind::Constant && model->findParameter("WIDTH")->line == 4);
    }

    void statements() {
        const auto model = parsePython(kMatmul);
        VERIFY_OK(model);
        const FunctionModel& function = *model->functionOf(model->entries.front());
        QCOMPARE(function.accesses.size(), std::size_t{3});
        const auto& [a, b, c] = std::tie(function.accesses[0], function.accesses[1], function.accesses[2]);
        QVERIFY(a.pattern == Pattern::Strided && a.strideText == "stride_ak" && a.masked && a.object == "a_ptr" && a.loopDepth == 1);
        QVERIFY(b.pattern == Pattern::Coalesced && b.hint == "other=0.0, eviction_policy=\"evict_last\"");
        QVERIFY(c.kind == AccessKind::Store && c.pattern == Pattern::Coalesced && c.masked && c.loopDepth == 0);
        QCOMPARE(function.loops.size(), std::size_t{2});
        QVERIFY(function.loops[0].trips.empty() && function.loops[1].trips == "WIDTH" && function.loops[1].tripCount == 4);
        QVERIFY(function.loops[1].unroll == "full");
        QVERIFY(function.operations[0].kind == OperationKind::MatrixMultiply && function.operations[1].kind == OperationKind::FastMath);
        QVERIFY(function.branches.size() == 1 && !function.branches[0].threadDependent);
        QCOMPARE(model->counts.byName.at("mma"), 1);
        QCOMPARE(model->counts.byName.at("global_coalesced"), 2);
    }

    void patterns_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* body, const char* expected) { QTest::addRow("%s", body) << body << expected; };
        row("o = pid * B + tl.arange(0, B)\nv = tl.load(x_ptr + o, mask=o < n)", "load coalesced");
        row("o = pid * B + tl.arange(0, B)\nv = tl.load(x_ptr + o * 2)", "load strided/2");
        row("o = tl.arange(0, B) * n\nv = tl.load(x_ptr + o)", "load strided/n");
        row("v = tl.load(x_ptr + pid)", "load broadcast");
        row("i = tl.load(y_ptr + tl.arange(0, B))\nv = tl.load(x_ptr + i, mask=i < n)", "load coalesced; load scattered");
        row("r = tl.load(y_ptr + tl.arange(0, B))\nv = tl.load(x_ptr + r[:, None] * n + tl.arange(0, B)[None, :])", "load coalesced; load coalesced");
        row("row = x_ptr + pid * n\nv = tl.load(row + tl.arange(0, B), other=-float('inf'))", "load coalesced");
        row("o = tl.arange(0, B)\ntl.store(x_ptr + o[:, None] + o[None, :] * n, 0)", "store coalesced");
        row("o = tl.minimum(tl.arange(0, B), n - 1)\nv = tl.load(x_ptr + o)", "load coalesced");
        row("tl.atomic_add(x_ptr + tl.arange(0, B) // 4, 1)", "atomic coalesced");
        row("p = tl.make_block_ptr(x_ptr, shape=(n, n), strides=(n, 1), offsets=(0, 0), block_shape=(B, B), order=(1, 0))\nv = tl.load(p, boundary_check=(0,))",
            "load coalesced");
        row("d = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[B])\nv = d.load([0])", "load coalesced");
    }

    void patterns() {
        QFETCH(QString, body);
        QFETCH(QString, expected);
        const QString text = "@triton.jit\ndef k(x_ptr, y_ptr, n, B: tl.constexpr):\n    pid = tl.program_id(0)\n    " + body.replace('\n', "\n    ") + "\n";
        const auto model = parsePython(text.toStdString());
        VERIFY_OK(model);
        QVERIFY(model->problems.empty());
        QStringList found;
        for (const MemoryAccess& access : model->functions.front().accesses) {
            std::string one = std::string(toString(access.kind)) + " " + std::string(toString(access.pattern));
            if (access.pattern == Pattern::Strided) one += "/" + (access.stride ? std::to_string(*access.stride) : access.strideText);
            found << QString::fromStdString(one);
        }
        QCOMPARE(found.join("; "), expected);
    }

    void softmax() {
        const auto model = parsePython("@triton.jit\ndef softmax(out_ptr, in_ptr, stride, n, B: tl.constexpr):\n"
                                       "    row = tl.program_id(0)\n    cols = tl.arange(0, B)\n    p = in_ptr + row * stride + cols\n"
                                       "    for i in tl.range(0, B, 16, loop_unroll_factor=2):\n        x = tl.load(p, mask=cols < n, other=-float('inf'))\n"
                                       "    e = tl.exp(x - tl.max(x, axis=0))\n    tl.store(out_ptr + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < n)\n");
        VERIFY_OK(model);
        const FunctionModel& function = model->functions.front();
        QVERIFY(function.accesses[0].pattern == Pattern::Coalesced && function.accesses[1].pattern == Pattern::Coalesced);
        QVERIFY(function.loops[0].trips == "(B + 15) // 16" && !function.loops[0].tripCount && function.loops[0].unroll == "2");
        QCOMPARE(function.operations.size(), std::size_t{3});
        QVERIFY(function.operations[1].kind == OperationKind::Reduction);
    }

    void errors_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("empty") << "" << "the file is empty";
        QTest::newRow("no kernel") << "def f(x):\n    return x\n" << "@triton.jit";
        QTest::newRow("broken") << "@triton.jit(\ndef k(x:\n" << "syntax error";
    }

    void errors() {
        QFETCH(QString, text);
        QFETCH(QString, says);
        const auto model = parsePython(text.toStdString(), "some.py");
        COMPARE_ERR(model, ErrorCode::ParseError);
        QVERIFY2(QString::fromStdString(model.error().toString()).contains(says), model.error().message.c_str());
    }

    void loadsByExtension() {
        QTemporaryDir folder;
        const auto write = [&](const char* name, const QByteArray& text) {
            QFile file(folder.filePath(name));
            if (!file.open(QIODevice::WriteOnly)) return std::filesystem::path();
            file.write(text);
            return std::filesystem::path(file.fileName().toStdString());
        };
        const auto python = load(write("k.py", "\xEF\xBB\xBF@triton.jit\r\ndef k(x_ptr):\r\n    tl.store(x_ptr, 1)\r\n"));
        VERIFY_OK(python);
        QVERIFY(python->entries.front().name == "k" && python->format.byteOrderMark);
        const auto cuda = load(write("k.CUH", "__global__ void k() {}"));
        VERIFY_OK(cuda);
        QVERIFY(cuda->language == Language::Cuda);
        COMPARE_ERR(load(write("k.txt", "x")), ErrorCode::Unsupported);
        COMPARE_ERR(load(folder.filePath("absent.py").toStdString()), ErrorCode::NotFound);
    }

    /// Comprehensions over huge ranges must end.
    void configsAreBounded() {
        const auto model = parsePython("@triton.autotune(configs=[Config({'B': a}) for a in range(10000) for b in range(10000) for c in range(10000)], key=[])\n"
                                       "@triton.jit\ndef k(x_ptr, B: tl.constexpr):\n    tl.store(x_ptr + tl.arange(0, B), 0)\n");
        VERIFY_OK(model);
        QVERIFY(model->entries.front().configurations.size() <= 4096);
    }

    void tooManyComments() {
        std::string text = "import triton\n@triton.jit\ndef k(x):\n    pass\n";
        for (int i = 0; i < 70'000; ++i) text += "# x\n";
        COMPARE_ERR(source::parsePython(text), ErrorCode::ParseError);
    }
};

QTEST_GUILESS_MAIN(TestSourcePython)
#include "tst_source_python.moc"
