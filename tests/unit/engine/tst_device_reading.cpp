// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QtTest>

#include "base/file.h"
#include "engine/device_reading.h"
#include "engine/trial_diagnosis.h"
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
        for (const char* says : {"lines 2, 12-14 (#include <vector>, main) are host code", "helper() has no __device__", "line 1 includes \"tiles.cuh\": ",
                                 "(the kernel's folder)", "line 3 includes \"absent.h\", which is not in", "line 4 asks for the macro WIDTH, which nothing defines: it counts as 0",
                                 "line 8 asks for the macro FAST, which nothing defines: it counts as undefined"}) {
            QVERIFY2(told.contains(QString::fromUtf8(says)), qPrintable(told));
        }
        QVERIFY2(!told.contains(QStringLiteral("FROM_HEADER")), qPrintable(told));
        QCOMPARE(reading->includes.size(), std::size_t{3});
        QVERIFY(reading->text.text.find("absent.h") == std::string::npos && reading->text.text.find("tiles.cuh") != std::string::npos);
    }

    /// A header reaches the compilers as it is.
    void tellsHeadersThatCompilersCannotRead_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("says");  // empty: nothing
        QTest::newRow("ASCII") << QByteArray("int a;\n") << QByteArray();
        QTest::newRow("UTF-8") << QByteArray("// \xc3\xa4\r\n") << QByteArray();
        QTest::newRow("UTF-16") << QByteArray("\xff\xfei\0n\0t\0\n\0", 10) << QByteArray("odd.cuh is utf-16le");
        QTest::newRow("mark") << QByteArray("\xef\xbb\xbfint a;\n") << QByteArray("odd.cuh is utf-8, byte order mark");
        QTest::newRow("Latin-1") << QByteArray("// \xe4\n") << QByteArray("odd.cuh is latin-1");
        QTest::newRow("lone CR") << QByteArray("int a;\rint b;\r") << QByteArray("odd.cuh is utf-8, CR line ends");
        QTest::newRow("no text") << QByteArray("ab\0cdefg\n", 9) << QByteArray("odd.cuh is no text");
    }
    void tellsHeadersThatCompilersCannotRead() {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, says);
        header("odd.cuh", bytes.toStdString());
        const auto reading = read("#include \"odd.cuh\"\n__global__ void k(int* a) { a[0] = 1; }\n");
        VERIFY_OK(reading);
        const QString told = joined(*reading);
        QVERIFY2(says.isEmpty() ? !told.contains(QStringLiteral("odd.cuh is ")) : told.contains(QString::fromUtf8(says)), qPrintable(told));
    }

    void findsTheUsersHeaders() {
        header("tiles.cuh", "#include \"absent_inside.h\"\n");
        const auto headers = userHeaders("#include \"tiles.cuh\"\n#include \"absent.h\"\n#include <vector>\n#include <elsewhere.h>\n", m_folder.path().toStdString(), {},
                                         device::DeviceKind::Cpu);
        QCOMPARE(headers.found, (std::vector{std::filesystem::path(m_folder.path().toStdString()) / "tiles.cuh"}));
        QCOMPARE(headers.leftOut, (std::vector<std::string>{"\"absent.h\""}));
    }

    void namesFileAndLeftOutHeaders() {
        header("tiles.cuh", "int bad() {\n  return oops;\n}\n");
        store::SessionRecord session;
        session.sourcePath = m_folder.path().toStdString() + "/kernel.cu";
        session.sourceText = "#include \"tiles.cuh\"\n#include \"absent.h\"\n__global__ void k(int* a) { a[0] = bad(); }\n";
        session.device = {{"kind", "cpu"}};
        session.specJson = {{"KernelSpecification", {{"Arguments", {{{"Name", "table"}, {"MemoryType", "Symbol"}}}}}}};
        store::TrialRecord trial;
        trial.status = TrialStatus::CompileError;
        trial.log = m_folder.path().toStdString() + "/tiles.cuh:2:10: error: 'oops' was not declared in this scope\n";
        const auto found = diagnosisOf(session, trial);
        QVERIFY(found.has_value());
        QCOMPARE(found->place(), std::string("tiles.cuh, line 2"));
        QCOMPARE(found->captures.at("left_out"), std::string("\"absent.h\""));
        trial.log = "<launcher>:1:22: error: 'table' was not declared in this scope\n";
        QCOMPARE(diagnosisOf(session, trial)->id, std::string("symbol-missing"));
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
