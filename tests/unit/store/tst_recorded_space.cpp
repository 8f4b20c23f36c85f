// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <QTemporaryDir>

#include "base/file.h"
#include "result_test.h"
#include "store/recorded_space.h"

using namespace ww;
using store::RecordedSpace;

namespace {

const std::string kHead = R"({"device_name": "GPU", "kernel_name": "k", "tune_params_keys": ["B", "S"], "tune_params": {"B": [32, 64, 128], "S": ["x", "y"]}, "cache": {)";
const std::string kFast = R"("32,x": {"B": 32, "S": "x", "time": 1.5, "times": [1.4, 1.6], "compile_time": 900.0, "regs": 40, "shared_bytes": 2048})";
const std::string kBroken = R"("64,x": {"B": 64, "S": "x", "time": "CompilationFailedConfig"})";
const std::string kOdd = R"("64,y": {"B": 64, "S": "y", "time": "MeltedConfig"})";

}  // namespace

class TestRecordedSpace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsOutcomesAndFacts();
    void bracesMayBeMissing_data();
    void bracesMayBeMissing();
    void readsGzip();
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();
};

void TestRecordedSpace::readsOutcomesAndFacts() {
    const auto recorded = RecordedSpace::parse(kHead + kFast + "," + kBroken + "," + kOdd + "}}", "k.json");
    VERIFY_OK(recorded);
    QCOMPARE(recorded->kernel(), std::string("k"));
    QCOMPARE(recorded->device(), std::string("GPU"));
    QCOMPARE(recorded->trials().size(), std::size_t{3});
    QCOMPARE(recorded->bestTime(), std::optional(1.5));
    const auto& fast = recorded->trials()[0];
    QVERIFY(fast.status == TrialStatus::Ok);
    QCOMPARE(fast.times.size(), std::size_t{2});
    QCOMPARE(fast.compileTime, std::optional(900.0));
    QCOMPARE(fast.registers, std::optional(40.0));
    QCOMPARE(fast.sharedBytes, std::optional(2048.0));
    QVERIFY(!fast.verificationTime);
    QVERIFY(recorded->trials()[1].status == TrialStatus::CompileError);
    QVERIFY(!recorded->trials()[1].time);
    // A failure of another tool's making is one all the same, and keeps its name.
    QVERIFY(recorded->trials()[2].status == TrialStatus::RuntimeError);
    QCOMPARE(recorded->trials()[2].failure, std::string("MeltedConfig"));
    QCOMPARE(recorded->find(fast.configuration), &recorded->trials()[0]);
    QVERIFY(recorded->find(space::Configuration{{2, 1}}) == nullptr);
    QVERIFY(recorded->space().parameters()[0].scale == space::Scale::Log2);
    QVERIFY(recorded->space().parameters()[1].scale == space::Scale::Categorical);
}

void TestRecordedSpace::bracesMayBeMissing_data() {
    QTest::addColumn<QString>("end");
    for (const char* end : {"}}", "}", "", ",", ",\n", "}\n", "\n"}) QTest::newRow(("end " + QByteArray(end).toHex()).constData()) << QString(end);
}

void TestRecordedSpace::bracesMayBeMissing() {
    QFETCH(QString, end);
    const auto recorded = RecordedSpace::parse(kHead + kFast + "," + kBroken + end.toStdString(), "k.json");
    VERIFY_OK(recorded);
    QCOMPARE(recorded->trials().size(), std::size_t{2});
}

void TestRecordedSpace::readsGzip() {
    const QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "k.json.gz";
    const std::string text = kHead + kFast + "}}";
    gzFile file = gzopen(path.c_str(), "wb");
    QCOMPARE(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
    gzclose(file);
    const auto recorded = RecordedSpace::read(path);
    VERIFY_OK(recorded);
    QCOMPARE(recorded->trials().size(), std::size_t{1});
    const auto whole = readFile(path);
    VERIFY_OK(whole);
    VERIFY_OK(writeFileAtomically(path, whole->substr(0, whole->size() - 6)));
    COMPARE_ERR(RecordedSpace::read(path), ErrorCode::ParseError);
    COMPARE_ERR(RecordedSpace::read(path.parent_path() / "none.json"), ErrorCode::NotFound);
}

void TestRecordedSpace::saysWhatIsWrong_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& text, ErrorCode code, const char* words) {
        QTest::newRow(name) << QString::fromStdString(text) << static_cast<int>(code) << words;
    };
    row("empty", "", ErrorCode::ParseError, "line 1");
    row("half an entry", kHead + R"("32,x": {"B": 32, "S)", ErrorCode::ParseError, "line 1");
    row("no cache file", "{}", ErrorCode::InvalidSpec, "tune_params");
    row("no cache", R"({"tune_params_keys": ["B"], "tune_params": {"B": [1]}})", ErrorCode::InvalidSpec, "cache");
    row("no domain", R"({"tune_params_keys": ["B"], "tune_params": {}, "cache": {}})", ErrorCode::InvalidSpec, "\"B\"");
    row("value outside", kHead + R"("1,x": {"B": 1, "S": "x", "time": 2}}})", ErrorCode::InvalidSpec, "B = 1");
    row("no value", kHead + R"("1,x": {"B": 32, "time": 2}}})", ErrorCode::InvalidSpec, "no value for S");
    row("no time", kHead + R"("32,x": {"B": 32, "S": "x"}}})", ErrorCode::InvalidSpec, "time");
    row("twice", kHead + kFast + R"(, "again": {"B": 32, "S": "x", "time": 1}}})", ErrorCode::InvalidSpec, "twice");
}

void TestRecordedSpace::saysWhatIsWrong() {
    QFETCH(QString, text);
    QFETCH(int, code);
    QFETCH(QString, words);
    const auto recorded = RecordedSpace::parse(text.toStdString(), "k.json");
    COMPARE_ERR(recorded, static_cast<ErrorCode>(code));
    QVERIFY2(QString::fromStdString(recorded.error().toString()).contains(words), recorded.error().toString().c_str());
}

QTEST_GUILESS_MAIN(TestRecordedSpace)
#include "tst_recorded_space.moc"
