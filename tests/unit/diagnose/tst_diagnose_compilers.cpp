// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QCoreApplication>
#include <QtCore/QTemporaryDir>

#include "compile/compile.h"
#include "result_test.h"
#include "samples.h"

using namespace ww;
using namespace ww::diagnose;
using namespace ww::test;

/// The samples' kernels again, through the compilers of this machine: their messages may have changed since.
class TestDiagnoseCompilers : public QObject {
    Q_OBJECT

    QTemporaryDir m_scratch;
    std::map<std::string, std::unique_ptr<compile::Compiler>> m_compilers;

private Q_SLOTS:
    void initTestCase() {
        if (auto nvrtc = compile::makeNvrtcCompiler()) m_compilers["nvrtc"] = std::move(*nvrtc);
        qputenv("CXX", "g++");
        if (auto host = compile::makeHostCompiler(m_scratch.path().toStdString())) m_compilers["gxx"] = std::move(*host);
        QVERIFY2(m_compilers.contains("gxx"), "g++ is missing, with which this test was built");
    }

    void diagnosesWhatTheCompilerSays_data() {
        QTest::addColumn<QByteArray>("sample");
        for (const auto& sample : readSamples()) {
            if (sample.value("live", false)) QTest::newRow(sample["name"].get<std::string>().c_str()) << QByteArray::fromStdString(sample.dump());
        }
    }
    void diagnosesWhatTheCompilerSays() {
        QFETCH(QByteArray, sample);
        const auto json = Json::parse(sample.toStdString());
        const std::string tool = json["tool"];
        if (!m_compilers.contains(tool)) QSKIP("NVRTC is not on this machine");
        compile::CompileRequest request;
        request.target = tool == "nvrtc" ? compile::Target::Cuda : compile::Target::Cpu;
        request.architecture = json.value("architecture", "sm_90a");
        request.source = json["source"];
        request.fileName = "kernel.cu";
        request.entry = "k";
        request.options = json.value("options", std::vector<std::string>{});
        const Json defines = json.value("defines", Json::object());
        for (const auto& [name, value] : defines.items()) request.defines.emplace_back(name, value.get<std::string>());
        const auto result = m_compilers[tool]->compile(request);
        VERIFY_OK(result);
        QVERIFY2(toString(result->status) == json["status"].get<std::string>(), result->log.c_str());
        const auto found = Catalogue::builtIn().match(result->status, result->log, contextOf(json));
        QVERIFY2(found.has_value(), result->log.c_str());
        QVERIFY2(found->id == json["id"].get<std::string>(), (found->id + "\n" + result->log).c_str());
        QCOMPARE(found->line, json["line"].get<int>());
    }
};

QTEST_GUILESS_MAIN(TestDiagnoseCompilers)
#include "tst_diagnose_compilers.moc"
