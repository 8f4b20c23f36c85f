// SPDX-License-Identifier: Apache-2.0
#include "result_test.h"
#include "spec/spec.h"

using namespace ww;
using namespace ww::spec;

namespace {

/// A spec with parameters B = 32 and W = 4; `kernel` is the inside of KernelSpecification.
Result<Spec> specWith(const std::string& kernel, const std::string& sizes = R"j({"N": 1000, "M": 48})j") {
    return parse(R"j({"ConfigurationSpace": {"TuningParameters": [{"Name": "B", "Values": [32, 64]}, {"Name": "W", "Values": [4, 8]}],
                     "Conditions": ["B * W <= N", "B <= max_threads_per_block"]},
                     "KernelSpecification": {)j" + kernel + R"j(}, "Warpwright": {"Sizes": )j" + sizes + "}}", "/somewhere/l.json");
}

expr::Scope defaults(const Spec& spec) {
    expr::Scope scope;
    for (const auto& parameter : spec.parameters) scope.set(parameter.name, parameter.values[parameter.defaultIndex]);
    return scope;
}

Result<ResolvedLaunch> resolved(const Spec& spec) { return resolveLaunch(spec, defaults(spec), spec.workloads.front()); }

}  // namespace

class TestSpecLaunch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void computesGeometry_data();
    void computesGeometry();
    void refusesGeometry_data();
    void refusesGeometry();
    void resolvesArguments();
    void tellsDisagreement();
    void appliesDeviceFacts();
    void derivesEdges();
    void bundledKernels_data();
    void bundledKernels();
};

void TestSpecLaunch::computesGeometry_data() {
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<QString>("grid");
    QTest::newRow("divisors") << R"j("LocalSize": {"X": "B"}, "ProblemSize": ["N", "M"], "GridDivX": ["B", "W"], "GridDivY": "W")j" << "8 12 1";
    QTest::newRow("empty divisor list") << R"j("LocalSize": {"X": "B"}, "ProblemSize": ["N", "M"], "GridDivX": ["B"], "GridDivY": [])j" << "32 48 1";
    QTest::newRow("bare problem size") << R"j("LocalSize": {"X": "B"}, "ProblemSize": 1000, "GridDivX": ["B"])j" << "32 1 1";
    QTest::newRow("divisor wins") << R"j("LocalSize": {"X": "B"}, "ProblemSize": "N", "GridDivX": ["B"], "GlobalSize": {"X": "77"})j" << "32 1 1";
    QTest::newRow("blocks") << R"j("LocalSize": {"X": "B"}, "GlobalSize": {"X": "N // B", "Y": "2"})j" << "31 2 1";
    QTest::newRow("threads") << R"j("LocalSize": {"X": "B"}, "GlobalSize": {"X": "B * 5"}, "GlobalSizeType": "OpenCL")j" << "5 1 1";
    QTest::newRow("whole float") << R"j("LocalSize": {"X": "B"}, "GlobalSize": {"X": "M / 2"})j" << "24 1 1";
    QTest::newRow("problem names") << R"j("LocalSize": {"X": "B"}, "ProblemSize": ["N", "M"], "GlobalSize": {"X": "ProblemSize[1]", "Y": "problem_size_x"})j" << "48 1000 1";
    QTest::newRow("problem alone") << R"j("LocalSize": {"X": "B"}, "ProblemSize": ["N"])j" << "32 1 1";
    QTest::newRow("empty") << R"j("LocalSize": {"X": "B"}, "GlobalSize": {"X": "N - 1000"})j" << "0 1 1";
}

void TestSpecLaunch::computesGeometry() {
    QFETCH(QString, kernel);
    QFETCH(QString, grid);
    const auto spec = specWith(kernel.toStdString());
    VERIFY_OK(spec);
    const auto launch = resolved(*spec);
    VERIFY_OK(launch);
    QCOMPARE(QString("%1 %2 %3").arg(launch->grid[0]).arg(launch->grid[1]).arg(launch->grid[2]), grid);
    QCOMPARE(launch->block[0], 32u);
    QCOMPARE(launch->empty, grid.startsWith("0"));
}

void TestSpecLaunch::refusesGeometry_data() {
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<QString>("says");
    QTest::newRow("fraction") << R"j("LocalSize": {"X": "B / 3"})j" << "LocalSize.X = \"B / 3\"";
    QTest::newRow("negative") << R"j("GlobalSize": {"X": "B - 100"})j" << "must not be negative";
    QTest::newRow("no block") << R"j("LocalSize": {"X": "B - 32"})j" << "must be 1 to 1024";
    QTest::newRow("large block") << R"j("LocalSize": {"X": "B * 100"})j" << "must be 1 to 1024";
    QTest::newRow("many threads") << R"j("LocalSize": {"X": "B * 16", "Y": "4"})j" << "2048 threads";
    QTest::newRow("large grid") << R"j("GlobalSize": {"X": "1", "Y": "70000"})j" << "at most 65535";
    QTest::newRow("unknown name") << R"j("LocalSize": {"X": "BB"})j" << "LocalSize.X = \"BB\"";
    QTest::newRow("overflow") << R"j("GlobalSize": {"X": "N ** 40"})j" << "GlobalSize.X";
    QTest::newRow("division by zero") << R"j("GlobalSize": {"X": "N // (B - 32)"})j" << "GlobalSize.X";
    QTest::newRow("zero divisor") << R"j("ProblemSize": ["N"], "GridDivX": ["B - 32"])j" << "must be above 0";
    QTest::newRow("threads do not fit") << R"j("LocalSize": {"X": "B"}, "GlobalSize": {"X": "N"}, "GlobalSizeType": "OpenCL")j" << "no multiple of the 32";
    QTest::newRow("text") << R"j("LocalSize": {"X": "'a'"})j" << "no whole number";
    QTest::newRow("negative size") << R"j("Arguments": [{"Name": "x", "Type": "float", "Size": "N - 2000", "MemoryType": "Vector"}])j" << "must not be negative";
    QTest::newRow("huge size") << R"j("Arguments": [{"Name": "x", "Type": "float", "Size": "N ** 6", "MemoryType": "Vector"}])j" << "more than any device";
    QTest::newRow("no size") << R"j("Arguments": [{"Name": "x", "Type": "float", "MemoryType": "Vector"}])j" << "Size is missing";
    QTest::newRow("scalar range") << R"j("Arguments": [{"Name": "x", "Type": "int8", "FillValue": 300, "MemoryType": "Scalar"}])j" << "no int8";
    QTest::newRow("scalar fraction") << R"j("Arguments": [{"Name": "x", "Type": "int", "FillValue": 1.5, "MemoryType": "Scalar"}])j" << "no int";
    QTest::newRow("shared") << R"j("SharedMemory": "B / 3")j" << "SharedMemory";
}

void TestSpecLaunch::refusesGeometry() {
    QFETCH(QString, kernel);
    QFETCH(QString, says);
    const auto spec = specWith(kernel.toStdString());
    VERIFY_OK(spec);
    const auto launch = resolved(*spec);
    COMPARE_ERR(launch, ErrorCode::InvalidSpec);
    const QString text = QString::fromStdString(launch.error().toString());
    QVERIFY2(text.contains(says), qPrintable(text));
}

void TestSpecLaunch::resolvesArguments() {
    const auto spec = specWith(R"j("LocalSize": {"X": "B"}, "GlobalSize": {"X": "1"}, "SharedMemory": 100, "Arguments": [
        {"Name": "v", "Type": "float4", "Size": "max(B) + min( W )", "MemoryType": "Vector", "AccessType": "ReadWrite"},
        {"Name": "s", "Type": "double", "Size": "B", "MemoryType": "Local"},
        {"Name": "c", "Type": "uint32", "FillValue": 4294967295, "MemoryType": "Scalar"},
        {"Name": "f", "Type": "float", "FillValue": "N / 8", "MemoryType": "Scalar"},
        {"Name": "g", "Type": "float", "Size": 3, "FillType": "Generator", "DataSource": "i % 2", "MemoryType": "Vector"}])j");
    VERIFY_OK(spec);
    const auto launch = resolved(*spec);
    VERIFY_OK(launch);
    QCOMPARE(launch->arguments.size(), 4u);  // the Local one is part of the shared bytes
    QCOMPARE(launch->dynamicSharedBytes, 100u + 32u * 8u);
    QCOMPARE(launch->arguments[0].elements, 4u * (64u + 4u));
    QCOMPARE(launch->arguments[1].scalar.asInt(), std::int64_t{4294967295});
    QCOMPARE(launch->arguments[2].scalar.asDouble(), 125.0);
    QCOMPARE(launch->arguments[3].generator, std::string("i % 2"));
}

void TestSpecLaunch::tellsDisagreement() {
    const auto spec = specWith(R"j("LocalSize": {"X": "B"}, "ProblemSize": "N", "GridDivX": ["B"], "GlobalSize": {"X": "77"})j");
    VERIFY_OK(spec);
    QCOMPARE(spec->notes.size(), 1u);
    QVERIFY2(spec->notes[0].find("GlobalSize.X (77) is ignored") == 0, spec->notes[0].c_str());
    const auto agreed = specWith(R"j("LocalSize": {"X": "B"}, "ProblemSize": "N", "GridDivX": ["B"], "GlobalSize": {"X": "32"})j");
    VERIFY_OK(agreed);
    QVERIFY(agreed->notes.empty());
}

void TestSpecLaunch::appliesDeviceFacts() {
    const auto spec = specWith(R"j("LocalSize": {"X": "B"}, "ProblemSize": "N")j");
    VERIFY_OK(spec);
    const auto bare = makeSpace(*spec, spec->workloads.front(), nullptr);
    VERIFY_OK(bare);
    QCOMPARE(bare->countValid().value, 4.0);  // the condition on the device waits for one
    expr::Scope facts;
    for (const char* name : {"max_block_x", "max_block_y", "max_block_z", "max_threads_per_block", "smem_per_block_optin"}) facts.set(name, expr::Value(48));
    const auto limited = makeSpace(*spec, spec->workloads.front(), &facts);
    VERIFY_OK(limited);
    QCOMPARE(limited->countValid().value, 2.0);
    QVERIFY(limited->constraints().front().builtIn);
    const auto constants = constantsFor(*spec, spec->workloads.front(), &facts);
    VERIFY_OK(constants);
    QCOMPARE(constants->find("problem_size_x")->asInt(), std::int64_t{1000});
    QVERIFY(constants->find("max_block_x") != nullptr);
}

void TestSpecLaunch::derivesEdges() {
    const auto spec = specWith(R"j("LocalSize": {"X": "B"}, "ProblemSize": ["N", "M"], "GridDivX": ["B"], "GridDivY": ["B"], "Arguments": [
        {"Name": "v", "Type": "float", "Size": "N * M", "MemoryType": "Vector", "Output": 1},
        {"Name": "n", "Type": "int", "FillValue": "N", "MemoryType": "Scalar"}, {"Name": "m", "Type": "int", "FillValue": "M", "MemoryType": "Scalar"}])j",
                               R"j({"N": 100000, "M": 4000, "R": 5})j");
    VERIFY_OK(spec);
    const auto edges = edgeWorkloads(*spec, spec->workloads.front(), defaults(*spec));
    QCOMPARE(edges.size(), 6u);
    QCOMPARE(edges[0].sizes.at("N"), std::int64_t{1 + 128});  // the condition B * W <= N moves the shapes, odd ones stay odd
    QCOMPARE(edges[1].sizes.at("N"), std::int64_t{31 + 128});
    QCOMPARE(edges[3].sizes.at("M"), std::int64_t{33 + 128});
    for (const auto& edge : edges) {
        QVERIFY(edge.sizes.at("N") >= 128);
        QVERIFY(edge.verifyOnly && !edge.sizes.contains("R"));
        const auto launch = resolveLaunch(*spec, defaults(*spec), edge);
        VERIFY_OK(launch);
        QVERIFY(launch->arguments[0].elements <= 1u << 18);
    }
    auto multiples = *spec;
    multiples.conditions = {{"N % B == 0", {}}, {"N > 1 << 40", {}}};  // the second does not hold for the tuned shape either
    multiples.sizes["N"] = 99968;
    const auto rounded = edgeWorkloads(multiples, multiples.workloads.front(), defaults(multiples));
    QVERIFY(rounded.size() >= 2);
    for (const auto& edge : rounded) QCOMPARE(edge.sizes.at("N") % 32, std::int64_t{0});
    const auto fixed = specWith(R"j("LocalSize": {"X": "B"}, "ProblemSize": ["N"], "Arguments": [{"Name": "v", "Type": "float", "Size": "N", "MemoryType": "Vector"}])j");
    VERIFY_OK(fixed);  // nothing tells the kernel its size, so no other shape is safe
    QVERIFY(edgeWorkloads(*fixed, fixed->workloads.front(), defaults(*fixed)).empty());
}

void TestSpecLaunch::bundledKernels_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"vector_add", "softmax", "gemm", "transpose", "reduction", "layer_norm", "convolution"}) QTest::newRow(name) << QString(name);
}

void TestSpecLaunch::bundledKernels() {
    QFETCH(QString, name);
    const auto spec = load((qEnvironmentVariable("WARPWRIGHT_ROOT") + "/kernels/" + name).toStdString());
    VERIFY_OK(spec);
    QVERIFY2(spec->notes.empty(), spec->notes.empty() ? "" : spec->notes.front().c_str());
    VERIFY_OK(checkTunable(*spec));
    for (const auto& parameter : spec->parameters) QVERIFY2(parameter.site == space::Site::Macro && !parameter.effect.empty(), parameter.name.c_str());
    for (const auto& workload : spec->workloads) {
        const auto space = makeSpace(*spec, workload, nullptr);
        VERIFY_OK(space);
        const auto launch = resolveLaunch(*spec, space->scopeFor(space->defaultConfiguration()), workload);
        VERIFY_OK(launch);
    }
    const auto* small = spec->findWorkload(spec->cpuWorkload);
    const auto space = makeSpace(*spec, *small, nullptr);
    VERIFY_OK(space);
    QVERIFY(space->isValid(space->defaultConfiguration()));
    QVERIFY(space->countValid().value >= 100 && space->countValid().value <= 10000);
    const auto edges = edgeWorkloads(*spec, *small, space->scopeFor(space->defaultConfiguration()));
    QVERIFY(edges.size() >= 4);
}

QTEST_APPLESS_MAIN(TestSpecLaunch)
#include "tst_spec_launch.moc"
