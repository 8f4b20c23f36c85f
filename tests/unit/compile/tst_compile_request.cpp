// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>

#include "base/file.h"
#include "compile/compile.h"
#include "result_test.h"

using ww::compile::CompileFacts;
using ww::compile::CompileRequest;
using ww::compile::CompileResult;
using ww::compile::Target;

namespace {

CompileRequest sample() {
    CompileRequest request;
    request.target = Target::Cpu;
    request.source = "__global__ void k(int* p) { p[0] = N; }\n";
    request.fileName = "k.cu";
    request.entry = "ns::k";
    request.templateArguments = {"float", "16"};
    request.argumentTypes = {"int*"};
    request.defines = {{"N", "4"}, {"EMPTY", ""}};
    request.options = {"--use_fast_math"};
    request.includeFolders = {"/some/folder"};
    request.sanitize = true;
    request.deadlineSeconds = 12.5;
    return request;
}

}  // namespace

class TestCompileRequest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void requestSurvivesJson() {
        const CompileRequest request = sample();
        const auto back = CompileRequest::fromJson(request.toJson());
        VERIFY_OK(back);
        QCOMPARE(back->toJson().dump(), request.toJson().dump());
        QCOMPARE(back->key("v"), request.key("v"));
        QCOMPARE(back->defines.size(), std::size_t{2});
        QCOMPARE(back->deadlineSeconds, 12.5);
    }

    void brokenRequestIsAnError() {
        COMPARE_ERR(CompileRequest::fromJson(ww::Json{{"target", "gpu"}}), ww::ErrorCode::InvalidArgument);
        COMPARE_ERR(CompileRequest::fromJson(ww::Json{{"target", "cpu"}}), ww::ErrorCode::InvalidArgument);
        COMPARE_ERR(CompileRequest::fromJson(ww::Json{{"target", "cpu"}, {"entry", "k"}, {"options", 3}}), ww::ErrorCode::InvalidArgument);
    }

    void keyDependsOnEverything() {
        const std::string key = sample().key("v1");
        QVERIFY(key != sample().key("v2"));
        const auto changed = [&](auto change) {
            CompileRequest request = sample();
            change(request);
            return request.key("v1") != key;
        };
        QVERIFY(changed([](auto& r) { r.target = Target::Cuda; }));
        QVERIFY(changed([](auto& r) { r.architecture = "sm_90"; }));
        QVERIFY(changed([](auto& r) { r.source += " "; }));
        QVERIFY(changed([](auto& r) { r.entry = "k"; }));
        QVERIFY(changed([](auto& r) { r.templateArguments = {"float16"}; }));
        QVERIFY(changed([](auto& r) { r.defines[0].second = "8"; }));
        QVERIFY(changed([](auto& r) { r.options.clear(); }));
        QVERIFY(changed([](auto& r) { r.includeFolders.clear(); }));
        QVERIFY(changed([](auto& r) { r.sanitize = false; }));
        QVERIFY(!changed([](auto& r) { r.deadlineSeconds = 1; }));
    }

    void keyDependsOnIncludedHeaders() {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        VERIFY_OK(ww::writeFileAtomically(path + "/inner.h", "#define A 1\n"));
        VERIFY_OK(ww::writeFileAtomically(path + "/outer.h", "#include \"inner.h\"\n"));
        CompileRequest request = sample();
        request.source = "  #  include \"outer.h\"\n__global__ void k() {}\n";
        request.includeFolders = {path};
        const std::string before = request.key("v");
        QCOMPARE(request.key("v"), before);
        VERIFY_OK(ww::writeFileAtomically(path + "/inner.h", "#define A 2\n"));
        QVERIFY(request.key("v") != before);
    }

    void resultSurvivesJson() {
        CompileResult result;
        result.status = ww::TrialStatus::ResourceError;
        result.entry = "_Z1k";
        result.log = "too much";
        result.objectHash = "abc";
        result.facts.registers = 42;
        result.seconds = 0.5;
        const auto back = CompileResult::fromJson(result.toJson());
        VERIFY_OK(back);
        QCOMPARE(back->toJson().dump(), result.toJson().dump());
        QCOMPARE(back->facts.registers, 42);
        QCOMPARE(back->facts.stackBytes, -1);
        COMPARE_ERR(CompileResult::fromJson(ww::Json{{"status", "fine"}}), ww::ErrorCode::InvalidArgument);
    }
};

QTEST_GUILESS_MAIN(TestCompileRequest)
#include "tst_compile_request.moc"
