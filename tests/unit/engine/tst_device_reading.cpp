// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QtTest>

#include "base/file.h"
#include "engine/device_reading.h"
#include "result_test.h"

using namespace ww;
using namespace ww::engine;

/// What is told of a source, and where parameters become macros.
class TestDeviceReading : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    Result<DeviceReading> read(const std::string& source, const std::vector<std::string>& parameters = {}) {
        spec::Spec spec;
        spec.kernelFile = std::filesystem::path(m_folder.path().toStdString()) / "kernel.cu";
        for (const auto& name : parameters) {
            space::Parameter parameter;
            parameter.name = name;
            parameter.site = space::Site::Define;
            spec.parameters.push_back(parameter);
        }
        WW_CHECK(writeFileAtomically(spec.kernelFile, source));
        WW_TRY(model, source::loadCuda(spec.kernelFile));
        device::DeviceFacts cpu;
        cpu.kind = device::DeviceKind::Cpu;
        return readForDevice(spec, model, cpu);
    }

    void header(const char* name, const std::string& text) {
        VERIFY_OK(writeFileAtomically(std::filesystem::path(m_folder.path().toStdString()) / name, text));
    }

    static QString joined(const DeviceReading& reading) {
        QString out;
        for (const auto& note : reading.notes) out += QString::fromStdString(note) + u'\n';
        return out;
    }

private Q_SLOTS:
    void tells() {
        header("tiles.cuh", "#pragma once\n#define FROM_HEADER 1\n");
        const auto reading = read("#include \"tiles.cuh\"\n#include <vector>\n#include \"absent.h\"\n#if WIDTH > 2\n#endif\n#ifdef FROM_HEADER\n#endif\n#ifdef FAST\n#endif\n"
                                  "int helper(int a) { return a; }\n__global__ void k(int* a) { a[0] = helper(1); }\nint main() {\n  return 0;\n}\n");
        VERIFY_OK(reading);
        const QString told = joined(*reading);
        for (const char* says : {"lines 2, 3, 12-14 (#include <vector>, #include \"absent.h\", main) are host code", "helper() has no __device__", "line 1 includes \"tiles.cuh\": ",
                                 "(the kernel's folder)", "line 3 includes \"absent.h\", which is not in", "line 4 asks for the macro WIDTH, which nothing defines: it counts as 0",
                                 "line 8 asks for the macro FAST, which nothing defines: it counts as undefined"}) {
            QVERIFY2(told.contains(QString::fromUtf8(says)), qPrintable(told));
        }
        QVERIFY2(!told.contains(QStringLiteral("FROM_HEADER")), qPrintable(told));
        QCOMPARE(reading->includes.size(), std::size_t{3});
        QVERIFY(reading->text.text.find("absent.h") == std::string::npos && reading->text.text.find("tiles.cuh") != std::string::npos);
    }

    void macros_data() {
        QTest::addColumn<QByteArray>("headerText");
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<int>("line");  // where the macro is defined; 0: refused
        const QByteArray kernel("__global__ void k(int* a) { a[0] = N; }\n");
        QTest::newRow("no header") << QByteArray() << kernel << 1;
        QTest::newRow("a header that does not know it") << QByteArray("int NN;\n") << "#include \"h.cuh\"\n" + kernel << 1;
        QTest::newRow("a header that wants it") << QByteArray("struct S { int a[N]; };\n") << "#include \"h.cuh\"\n" + kernel << 1;
        QTest::newRow("a template parameter in a header") << QByteArray("template <int N> struct S {};\n") << "// one\n#include \"h.cuh\"\n\n" + kernel << 3;
        QTest::newRow("a macro in a header") << QByteArray("#define N 4\n") << "#include \"h.cuh\"\n" + kernel << 2;
        QTest::newRow("wanted before the header") << QByteArray("template <int N> struct S {};\n") << "__device__ int early() { return N; }\n#include \"h.cuh\"\n" + kernel << 0;
    }

    void macros() {
        QFETCH(QByteArray, headerText);
        QFETCH(QByteArray, source);
        QFETCH(int, line);
        header("h.cuh", headerText.toStdString());
        const auto reading = read(source.toStdString(), {"N"});
        if (line == 0) {
            COMPARE_ERR(reading, ErrorCode::InvalidSpec);
            QVERIFY2(reading.error().toString().find("h.cuh, line 1") != std::string::npos && reading.error().toString().starts_with("parameter N"), reading.error().toString().c_str());
            return;
        }
        VERIFY_OK(reading);
        QCOMPARE(reading->defines.size(), std::size_t{1});
        QCOMPARE(reading->defines.front().line, line);
        QCOMPARE(std::count(source.begin(), source.begin() + static_cast<qsizetype>(reading->defines.front().offset), '\n'), line - 1);
    }
};

QTEST_GUILESS_MAIN(TestDeviceReading)
#include "tst_device_reading.moc"
