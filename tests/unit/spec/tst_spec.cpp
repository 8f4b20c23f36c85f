// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QTemporaryDir>

#include <fstream>

#include "result_test.h"
#include "spec/spec.h"

using namespace ww;
using namespace ww::spec;

namespace {

/// A small tunable document; tests replace a part of it.
Json smallDocument() {
    return Json::parse(R"j({
      "ConfigurationSpace": {
        "TuningParameters": [ {"Name": "TILE", "Type": "int", "Values": "[8, 16, 32]", "Default": 16},
                              {"Name": "UNROLL", "Type": "int", "Values": [1, 2]} ],
        "Conditions": [ {"Expression": "TILE % UNROLL == 0", "Parameters": ["TILE", "UNROLL"]} ] },
      "KernelSpecification": {
        "Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu",
        "LocalSize": {"X": "TILE"}, "ProblemSize": ["N"], "GridDivX": ["TILE"],
        "Arguments": [ {"Name": "x", "Type": "float4", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "FillValue": 2, "Size": "N * max(TILE)"},
                       {"Name": "y", "Type": "half", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "N"},
                       {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 7} ] },
      "Warpwright": { "Version": 1, "Title": "small", "Sizes": {"N": 100}, "Scalars": {"n": "N"},
        "Parameters": { "TILE": {"Site": "macro", "Label": "tile", "Effect": "does things", "Scale": "ordinal"} },
        "Workloads": [ {"Name": "tuned", "Sizes": {"N": 1000}, "DTypes": {"y": "float"}}, {"Name": "edge", "VerifyOnly": true, "Sizes": {"N": 3}} ],
        "CpuWorkload": "tuned",
        "Reference": {"TorchScript": "def ref(x, N: int):\n    return x\n", "Inputs": ["x", "N"], "Outputs": ["y"]},
        "Tolerance": {"Relative": 1e-3, "Outputs": {"y": {"Absolute": 0.5}}, "NaN": "match"},
        "GradientCheck": true, "Work": {"Bytes": "4 * N", "Flops": "N"}, "Objective": "throughput", "Include": ["inc"],
        "Limits": {"TrialSeconds": 5}, "Entry": {"TemplateArguments": ["float"], "DynamicSharedBytes": "TILE * 4", "Cooperative": true} }
    })j");
}

Result<Spec> parsed(const Json& document) { return parse(document.dump(), "/somewhere/small.json"); }

QString dataFolder() { return qEnvironmentVariable("WARPWRIGHT_DATA"); }

}  // namespace

class TestSpec : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readsEveryKey();
    void writesWhatItReads();
    void refuses_data();
    void refuses();
    void namesNearestKeys();
    void acceptsOldSpellings();
    void textures();
    void refusesTextures_data();
    void refusesTextures();
    void readsDomains_data();
    void readsDomains();
    void namesBrokenJson();
    void findsTheSpecOfAFolder();
    void saysWhyItCannotBeTuned_data();
    void saysWhyItCannotBeTuned();
    void loadsForeignFiles_data();
    void loadsForeignFiles();
    void countsForeignSpaces_data();
    void countsForeignSpaces();
};

void TestSpec::readsEveryKey() {
    const auto spec = parsed(smallDocument());
    VERIFY_OK(spec);
    QVERIFY2(spec->notes.empty(), spec->notes.empty() ? "" : spec->notes.front().c_str());
    QCOMPARE(spec->parameters.size(), 2u);
    QCOMPARE(spec->parameters[0].defaultIndex, 1u);
    QVERIFY(spec->parameters[0].scale == space::Scale::Ordinal);
    QCOMPARE(spec->parameters[0].effect, std::string("does things"));
    QCOMPARE(spec->defaultMissing, std::vector<std::string>{"UNROLL"});
    QCOMPARE(spec->arguments[0].components, 4);
    QVERIFY(spec->arguments[0].type == DType::Float32);
    QCOMPARE(spec->arguments[0].sizeText, std::string("N * max(TILE)"));
    QVERIFY(!spec->arguments[0].output);
    QVERIFY(spec->arguments[1].output);
    QCOMPARE(spec->arguments[2].scalar->text(), std::string("N"));
    QCOMPARE(spec->workloads.size(), 2u);
    QVERIFY(spec->findWorkload("tuned")->dtypes.at("y") == DType::Float32);
    QVERIFY(spec->findWorkload("edge")->verifyOnly);
    QVERIFY(spec->reference.kind == ReferenceKind::TorchScript);
    QCOMPARE(*spec->tolerance.relative, 1e-3);
    QCOMPARE(*spec->tolerance.outputs.at("y").absolute, 0.5);
    QVERIFY(spec->tolerance.nanMatches && spec->gradientCheck && spec->cooperative);
    QCOMPARE(spec->objective, std::string("throughput"));
    QCOMPARE(spec->limits.trialSeconds, 5.0);
    QCOMPARE(spec->sharedMemory->text(), std::string("TILE * 4"));
    QCOMPARE(spec->kernelFile.string(), std::string("/somewhere/k.cu"));
    QCOMPARE(spec->includeFolders.front().string(), std::string("/somewhere/inc"));
}

void TestSpec::writesWhatItReads() {
    const auto spec = parsed(smallDocument());
    VERIFY_OK(spec);
    const Json written = toT1(*spec);
    const auto again = parsed(written);
    VERIFY_OK(again);
    QVERIFY(again->parameters == spec->parameters);
    QCOMPARE(again->arguments.size(), spec->arguments.size());
    QCOMPARE(again->arguments[0].size->text(), spec->arguments[0].size->text());
    QCOMPARE(again->reference.torchScript, spec->reference.torchScript);
    QCOMPARE(again->defaultMissing, spec->defaultMissing);
    QCOMPARE(toT1(*again).dump(1), written.dump(1));
}

void TestSpec::refuses_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("says");
    const int invalid = static_cast<int>(ErrorCode::InvalidSpec);
    const int expression = static_cast<int>(ErrorCode::InvalidExpression);
    const char* p = "/ConfigurationSpace/TuningParameters";
    QTest::newRow("no space") << "/ConfigurationSpace" << "null" << invalid << "ConfigurationSpace";
    QTest::newRow("no parameters") << p << "[]" << invalid << "TuningParameters is empty";
    QTest::newRow("parameters wrong type") << p << "5" << invalid << "TuningParameters must be";
    QTest::newRow("twice") << QString(p) + "/1/Name" << "\"TILE\"" << invalid << "\"TILE\" is given twice";
    QTest::newRow("reserved") << QString(p) + "/1/Name" << "\"int\"" << invalid << "reserved word";
    QTest::newRow("device fact") << QString(p) + "/1/Name" << "\"warp_size\"" << invalid << "fact of the device";
    QTest::newRow("no identifier") << QString(p) + "/1/Name" << "\"2x\"" << invalid << "no identifier";
    QTest::newRow("empty domain") << QString(p) + "/0/Values" << "[]" << invalid << "domain of \"TILE\" is empty";
    QTest::newRow("empty domain text") << QString(p) + "/0/Values" << "\"list(range(0))\"" << invalid << "domain of \"TILE\" is empty";
    QTest::newRow("domain of unknown names") << QString(p) + "/0/Values" << "\"[FOO]\"" << expression << "TuningParameters[0].Values";
    QTest::newRow("default outside") << QString(p) + "/0/Default" << "64" << invalid << "not in its domain [8, 16, 32]";
    QTest::newRow("condition unknown") << "/ConfigurationSpace/Conditions/0/Expression" << "\"TILE % UNROL == 0\"" << expression << "did you mean \"UNROLL\"";
    QTest::newRow("condition syntax") << "/ConfigurationSpace/Conditions/0/Expression" << "\"TILE % \"" << expression << "Conditions[0]";
    QTest::newRow("size type") << "/KernelSpecification/Arguments/1/Size" << "[1]" << invalid << "Arguments[1].Size must be";
    QTest::newRow("memory word") << "/KernelSpecification/Arguments/1/MemoryType" << "\"Heap\"" << invalid << "Arguments[1].MemoryType is \"Heap\"";
    QTest::newRow("argument twice") << "/KernelSpecification/Arguments/1/Name" << "\"x\"" << invalid << "\"x\" is given twice";
    QTest::newRow("problem size") << "/KernelSpecification/ProblemSize" << "[1,2,3,4]" << invalid << "at most three";
    QTest::newRow("size is parameter") << "/Warpwright/Sizes" << "{\"TILE\": 3}" << invalid << "tuning parameter as well";
    QTest::newRow("workload size") << "/Warpwright/Workloads/0/Sizes" << "{\"NN\": 3}" << invalid << "did you mean \"N\"";
    QTest::newRow("workload type") << "/Warpwright/Workloads/0/Weight" << "\"heavy\"" << invalid << "Workloads[0].Weight must be a number";
    QTest::newRow("reference input") << "/Warpwright/Reference/Inputs" << "[\"z\"]" << invalid << "no argument or size \"z\"";
    QTest::newRow("scalar of a vector") << "/Warpwright/Scalars" << "{\"x\": 1}" << invalid << "no Scalar";
    QTest::newRow("unknown parameter") << "/Warpwright/Parameters" << "{\"TILEE\": {}}" << invalid << "did you mean \"TILE\"";
    QTest::newRow("newer version") << "/Warpwright/Version" << "2" << invalid << "version 1";
    QTest::newRow("limit") << "/Warpwright/Limits/TrialSeconds" << "0" << invalid << "above 0";
    QTest::newRow("cpu workload") << "/Warpwright/CpuWorkload" << "\"tune\"" << invalid << "did you mean \"tuned\"";
}

void TestSpec::refuses() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(int, code);
    QFETCH(QString, says);
    Json document = smallDocument();
    document[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    const auto spec = parsed(document);
    COMPARE_ERR(spec, static_cast<ErrorCode>(code));
    const QString text = QString::fromStdString(spec.error().toString());
    QVERIFY2(text.contains(says), qPrintable(text));
    QVERIFY2(text.contains("small.json"), qPrintable(text));
}

void TestSpec::namesNearestKeys() {
    Json document = smallDocument();
    document["Warpwright"]["Tolerence"] = Json::object();
    const auto spec = parsed(document);
    VERIFY_OK(spec);
    QCOMPARE(spec->notes.size(), 1u);
    QVERIFY2(spec->notes[0].find("\"Tolerance\"") != std::string::npos, spec->notes[0].c_str());
}

void TestSpec::acceptsOldSpellings() {
    const auto spec = parsed(Json::parse(R"j({
      "General": {"BenchmarkName": "old"}, "BenchmarkConfig": {"a": 1}, "verification": {},
      "configuration_space": {"tuning_parameters": [{"name": "B", "type": "boolean", "default": [true]}], "constraints": ["B or not B"]},
      "kernelSpecification": {"kernelName": "k", "compilerOptions": "", "blockSize": {"X": 32, "Y": 1}, "gridSize": {"X": "8"},
        "arguments": [{"Name": "a", "Type": "double", "memoryType": "vector", "length": 5, "accessType": "ReadWrite", "fillType": "uninitialized"},
                      {"Name": "c", "Type": "float", "MemoryType": "Vector", "MemType": "Constant", "Size": 9}]}})j"));
    VERIFY_OK(spec);
    QCOMPARE(spec->name, std::string("old"));
    QCOMPARE(spec->parameters[0].values.size(), 2u);
    QCOMPARE(spec->parameters[0].defaultIndex, 1u);
    QVERIFY(spec->parameters[0].scale == space::Scale::Boolean);
    QCOMPARE(spec->conditions.size(), 1u);
    QVERIFY(spec->compilerOptions.empty());
    QCOMPARE(spec->localSize[0]->text(), std::string("32"));
    QVERIFY(spec->arguments[0].output);
    QVERIFY(spec->arguments[1].memory == MemoryKind::Symbol);
}

static std::string withTexture(const std::string& argument) {
    return R"j({"ConfigurationSpace": {"TuningParameters": [{"Name": "B", "Values": "[32]"}]}, "Warpwright": {"Version": 1, "Sizes": {"n": 20}},
      "KernelSpecification": {"KernelName": "k", "KernelFile": "k.cu", "LocalSize": {"X": "B"}, "ProblemSize": ["n"],
        "Arguments": [{"Name": "y", "Type": "float", "MemoryType": "Vector", "Size": "n", "AccessType": "WriteOnly"}, )j" + argument + "]}}";
}

void TestSpec::textures() {
    const auto spec = parsed(Json::parse(withTexture(R"j({"Name": "t", "Type": "uchar4", "MemoryType": "Texture", "Size": ["n", "n // 2", 3],
        "Texture": {"Filter": "Linear", "Address": "Mirror", "Normalized": true, "Read": "NormalizedFloat"}, "FillType": "Random", "FillValue": 255})j")));
    VERIFY_OK(spec);
    const auto again = parsed(toT1(*spec));
    VERIFY_OK(again);
    for (const auto* one : {&*spec, &*again}) {
        const auto& argument = one->arguments[1];
        QVERIFY(argument.memory == MemoryKind::Texture && argument.access == Access::ReadOnly && !argument.output);
        QVERIFY((argument.sampling == TextureSampling{TextureFilter::Linear, TextureAddress::Mirror, TextureRead::NormalizedFloat, true}));
        const auto constants = constantsFor(*one, one->workloads[0], nullptr);
        VERIFY_OK(constants);
        expr::Scope scope(&*constants);
        scope.set("B", expr::Value(32));
        const auto launch = resolveLaunch(*one, scope, one->workloads[0]);
        VERIFY_OK(launch);
        QVERIFY((launch->arguments[1].extents == TextureExtents{20, 10, 3}));
        QCOMPARE(launch->arguments[1].elements, std::uint64_t{2400});
        QCOMPARE(launch->arguments[1].components, 4);
    }
    const auto linear = parsed(Json::parse(withTexture(R"j({"Name": "t", "Type": "float", "MemoryType": "Texture", "Size": "n * n"})j")));
    VERIFY_OK(linear);
    QVERIFY(linear->arguments[1].extents.empty());
    QCOMPARE(toT1(*linear)["KernelSpecification"]["Arguments"][1]["Size"].get<std::string>(), std::string("n * n"));
}

void TestSpec::refusesTextures_data() {
    QTest::addColumn<QString>("keys");
    QTest::addColumn<QString>("message");
    QTest::newRow("double") << R"("Type": "double", "Size": [8])" << "texels are float or integers of up to 32 bits";
    QTest::newRow("three components") << R"("Type": "float3", "Size": [8])" << "vectors of 2 or 4, not \"float3\"";
    QTest::newRow("output") << R"("Type": "float", "Size": [8], "AccessType": "ReadWrite")" << "a texture is read only";
    QTest::newRow("filtered integers") << R"("Type": "int", "Size": [8], "Texture": {"Filter": "Linear"})" << "linear filtering gives floats";
    QTest::newRow("wrap") << R"("Type": "float", "Size": [8], "Texture": {"Address": "Wrap"})" << "need Normalized coordinates";
    QTest::newRow("normalised floats") << R"("Type": "float", "Size": [8], "Texture": {"Read": "NormalizedFloat"})" << "is for integers of 8 and 16 bits";
    QTest::newRow("filtered memory") << R"("Type": "float", "Size": 8, "Texture": {"Filter": "Linear"})" << "write Size as a list";
    QTest::newRow("four axes") << R"("Type": "float", "Size": [8, 8, 8, 8])" << "one to three sizes";
    QTest::newRow("word") << R"("Type": "float", "Size": [8], "Texture": {"Filter": "Cubic"})" << "it must be one of Point, Linear";
}

void TestSpec::refusesTextures() {
    QFETCH(QString, keys);
    QFETCH(QString, message);
    const auto spec = parsed(Json::parse(withTexture(R"({"Name": "t", "MemoryType": "Texture", )" + keys.toStdString() + "}")));
    QVERIFY(!spec);
    QVERIFY2(QString::fromStdString(spec.error().message).contains(message), spec.error().message.c_str());
}

void TestSpec::readsDomains_data() {
    QTest::addColumn<QString>("values");
    QTest::addColumn<QString>("shown");
    QTest::addColumn<int>("scale");
    QTest::newRow("list") << "\"[16, 32, 64]\"" << "16 32 64 " << static_cast<int>(space::Scale::Log2);
    QTest::newRow("comprehension") << "\"[16*i for i in range(1,4)]\"" << "16 32 48 " << static_cast<int>(space::Scale::Ordinal);
    QTest::newRow("concatenation") << "\"[1, 2] + list(range(5, 7))\"" << "1 2 5 6 " << static_cast<int>(space::Scale::Ordinal);
    QTest::newRow("json") << "[1, 2.5, true]" << "1 2.5 " << static_cast<int>(space::Scale::Ordinal);
    QTest::newRow("strings") << "[\"fp16\", \"bf16\"]" << "'fp16' 'bf16' " << static_cast<int>(space::Scale::Categorical);
    QTest::newRow("nested") << "[[64, 64], [128, 64]]" << "(64, 64) (128, 64) " << static_cast<int>(space::Scale::Categorical);
    QTest::newRow("tuples") << "\"[(64, 64), (128, 64)]\"" << "(64, 64) (128, 64) " << static_cast<int>(space::Scale::Categorical);
    QTest::newRow("switch") << "\"[0, 1]\"" << "0 1 " << static_cast<int>(space::Scale::Boolean);
    QTest::newRow("one number") << "7" << "7 " << static_cast<int>(space::Scale::Ordinal);
    QTest::newRow("twice") << "[4, 4, 8]" << "4 8 " << static_cast<int>(space::Scale::Ordinal);
}

void TestSpec::readsDomains() {
    QFETCH(QString, values);
    QFETCH(QString, shown);
    QFETCH(int, scale);
    const auto spec = parse("{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"P\", \"Type\": \"string\", \"Values\": " + values.toStdString() + "}]}}", "s.json");
    VERIFY_OK(spec);
    QString text;
    for (const auto& value : spec->parameters[0].values) text += QString::fromStdString(value.repr()) + " ";
    QCOMPARE(text, shown);
    QCOMPARE(static_cast<int>(spec->parameters[0].scale), scale);
    VERIFY_OK(parse(toT1(*spec).dump(), "s.json"));
}

void TestSpec::namesBrokenJson() {
    const auto spec = parse("{\n  \"ConfigurationSpace\": {\n    oops\n}}", "broken.json");
    COMPARE_ERR(spec, ErrorCode::ParseError);
    QVERIFY2(spec.error().message.find("line 3, column 5") != std::string::npos, spec.error().message.c_str());
    COMPARE_ERR(load("/nowhere/at/all.json"), ErrorCode::NotFound);
    COMPARE_ERR(parse("[1, 2]", "list.json"), ErrorCode::InvalidSpec);
    COMPARE_ERR(parse("", "empty.json"), ErrorCode::ParseError);
}

void TestSpec::findsTheSpecOfAFolder() {
    QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    COMPARE_ERR(load(path), ErrorCode::NotFound);
    std::ofstream(path / "a.json") << smallDocument().dump();
    const auto only = load(path);
    VERIFY_OK(only);
    QCOMPARE(only->file.filename().string(), std::string("a.json"));
    std::ofstream(path / "b.json") << smallDocument().dump();
    const auto several = load(path);
    COMPARE_ERR(several, ErrorCode::InvalidSpec);
    QVERIFY2(several.error().message.find("a.json, b.json") != std::string::npos, several.error().message.c_str());
    std::ofstream(path / "spec.json") << smallDocument().dump();
    VERIFY_OK(load(path));
}

void TestSpec::saysWhyItCannotBeTuned_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("says");
    QTest::newRow("fine") << "/General" << "{}" << "";
    QTest::newRow("language") << "/KernelSpecification/Language" << "\"OpenCL\"" << "OpenCL";
    QTest::newRow("file") << "/KernelSpecification/KernelFile" << "\"gone.cu\"" << "gone.cu";
    QTest::newRow("block") << "/KernelSpecification/LocalSize" << "null" << "LocalSize.X is missing";
    QTest::newRow("grid") << "/KernelSpecification/ProblemSize" << "null" << "the grid is missing";
    QTest::newRow("arguments") << "/KernelSpecification/ReferenceArguments" << "[]" << "";
    QTest::newRow("struct") << "/KernelSpecification/Arguments/0/Type" << "\"custom\"" << "no scalar or vector type";
    QTest::newRow("foreign code") << "/KernelSpecification/Arguments/0" << R"j({"Name":"x","Type":"float","MemoryType":"Vector","Size":1,"FillType":"Generator","DataSource":"for (int j;;) {}"})j" << "foreign code";
    QTest::newRow("own generator") << "/KernelSpecification/Arguments/0" << R"j({"Name":"x","Type":"float","MemoryType":"Vector","Size":1,"FillType":"Generator","DataSource":"2 * i + 3"})j" << "";
    QTest::newRow("script") << "/KernelSpecification/Arguments/0" << R"j({"Name":"x","Type":"float","MemoryType":"Vector","Size":1,"FillType":"Script","DataSource":"make.py"})j" << "script";
    QTest::newRow("outside") << "/KernelSpecification/Arguments/0" << R"j({"Name":"x","Type":"float","MemoryType":"Vector","Size":1,"FillType":"BinaryRaw","DataSource":"../../etc/passwd"})j" << "not inside";
    QTest::newRow("no output") << "/KernelSpecification/Arguments/1/Output" << "0" << "no output";
}

void TestSpec::saysWhyItCannotBeTuned() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, says);
    QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    std::ofstream(path / "k.cu") << "__global__ void k(const float4* x, float* y, int n) {}\n";
    Json document = smallDocument();
    document[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    if (says == "no output") document["KernelSpecification"]["Arguments"][1]["AccessType"] = "ReadOnly";
    const auto spec = parse(document.dump(), path / "small.json");
    VERIFY_OK(spec);
    if (says == "no output") says = "no argument is an output";
    const auto tunable = checkTunable(*spec);
    if (says.isEmpty()) {
        VERIFY_OK(tunable);
    } else {
        QVERIFY(!tunable);
        const QString text = QString::fromStdString(tunable.error().toString());
        QVERIFY2(text.contains(says), qPrintable(text));
    }
}

void TestSpec::loadsForeignFiles_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("line");
    const QDir folder(dataFolder() + "/specs");
    const auto files = dataFolder().isEmpty() ? QStringList{} : folder.entryList({"*.json"}, QDir::Files, QDir::Name);
    if (files.isEmpty()) QTest::newRow("none") << QString() << 0;
    for (const auto& file : files) {
        const int line = file == "bat-Scan.json" ? 78 : file == "bat-Sort.json" ? 92 : 0;
        QTest::newRow(qPrintable(file)) << folder.filePath(file) << line;
    }
}

void TestSpec::loadsForeignFiles() {
    QFETCH(QString, file);
    QFETCH(int, line);
    if (file.isEmpty()) QSKIP("WARPWRIGHT_DATA is not set to a folder with specs/");
    const auto spec = load(file.toStdString());
    if (line != 0) {
        COMPARE_ERR(spec, ErrorCode::ParseError);
        QVERIFY2(spec.error().message.find("line " + std::to_string(line)) != std::string::npos, spec.error().message.c_str());
        return;
    }
    VERIFY_OK(spec);
    const Json written = toT1(*spec);
    const auto again = parse(written.dump(), spec->file);
    VERIFY_OK(again);
    QCOMPARE(toT1(*again).dump(1), written.dump(1));
}

void TestSpec::countsForeignSpaces_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("valid");
    for (const auto& [name, valid] : {std::pair{"hub-convolution_milo", 4362.0}, {"hub-dedispersion_milo", 11130.0}, {"hub-gemm_milo", 116928.0},
                                      {"bat-GEMM", 10312.0}, {"bat-convolution", 6768.0}, {"bat-pnpoly", 4092.0}, {"bat-MD5Hash", 165888.0},
                                      {"ktt-coulomb3d", 210.0}, {"large-stencil_22m", 197560.0}, {"large-huge_1e12", 20258156432.0}}) {
        QTest::newRow(name) << QString(name) << valid;
    }
}

void TestSpec::countsForeignSpaces() {
    QFETCH(QString, name);
    QFETCH(double, valid);
    if (dataFolder().isEmpty()) QSKIP("WARPWRIGHT_DATA is not set to a folder with specs/");
    const auto spec = load((dataFolder() + "/specs/" + name + ".json").toStdString());
    VERIFY_OK(spec);
    const auto space = makeSpace(*spec, spec->workloads.front(), nullptr);
    VERIFY_OK(space);
    QVERIFY(std::abs(space->countValid().value / valid - 1) < (name == "large-huge_1e12" ? 0.01 : 1e-12));
}

QTEST_APPLESS_MAIN(TestSpec)
#include "tst_spec.moc"
