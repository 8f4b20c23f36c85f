// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QProcess>
#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

namespace cli {

struct Run {
    int exitCode = -1;
    QByteArray out, err;
    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

inline QString program() { return qEnvironmentVariable("WARPWRIGHT_BIN") + QStringLiteral("/warpwright-cli"); }

/// Runs warpwright-cli to its end (at most ten minutes, for loaded machines).
inline Run run(const QStringList& arguments, const QProcessEnvironment& environment = QProcessEnvironment::systemEnvironment()) {
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(program(), arguments);
    Run result;
    if (!process.waitForFinished(600'000)) {
        process.kill();
        process.waitForFinished();
        result.err = "did not end";
        return result;
    }
    result.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    result.out = process.readAllStandardOutput();
    result.err = process.readAllStandardError();
    return result;
}

inline void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    file.write(bytes);
}

/// First column of the first row of a query on a database, as text.
inline QByteArray query(const QString& database, const char* sql) {
    sqlite3* handle = nullptr;
    QByteArray answer;
    if (sqlite3_open_v2(QFile::encodeName(database).constData(), &handle, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK) {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(handle, sql, -1, &statement, nullptr) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
            answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
        }
        sqlite3_finalize(statement);
    }
    sqlite3_close(handle);
    return answer;
}

/// A kernel that is cheap everywhere: y = 2 x, with a block size and a switch that breaks it in several ways.
inline QByteArray hostileSource() {
    return R"(#ifndef MODE
#define MODE 0
#endif
#ifndef TILE
#define TILE 64
#endif
extern "C" int printf(const char*, ...);
extern "C" void exit(int);
extern "C" void* malloc(unsigned long);
extern "C" __global__ void scale(const float* x, float* y, int n) {
    int i = blockIdx.x * TILE + threadIdx.x;
#if MODE == 1
    if (i < n - n % 64) y[i] = 2.0f * x[i];
#elif MODE == 2
    volatile int spin = 1;
    while (spin) {}
#elif MODE == 3
    if (i < n) y[i + 1000000000] = 2.0f * x[i];
#elif MODE == 4
    exit(0);
#elif MODE == 5
    if (i < n) y[i] += 2.0f * x[i];
#elif MODE == 6
    for (;;) printf("no end of %d\n", i);
#elif MODE == 7
    volatile char* p = (volatile char*)malloc(1ul << 33);
    for (unsigned long k = 0; k < (1ul << 33); k += 4096) p[k] = 1;
    if (i < n) y[i] = 2.0f * x[i];
#elif MODE == 8
    if (i <= n) y[i] = i < n ? 2.0f * x[i] : 1.0f;
#elif MODE == 9
    if (i < n) y[i] = 2.0f * x[i];
    ((float*)x)[0] = 3.0f;
#elif MODE == 10
    this does not compile
#else
    if (i < n) y[i] = 2.0f * x[i];
#endif
}
)";
}

inline QByteArray hostileSpec(const QByteArray& modes, const QByteArray& extra = {}) {
    return QByteArray(R"({"General": {"BenchmarkName": "hostile"},
 "ConfigurationSpace": {"TuningParameters": [
   {"Name": "MODE", "Type": "int", "Values": ")") + modes + R"(", "Default": 0},
   {"Name": "TILE", "Type": "int", "Values": "[64, 128]", "Default": 64}], "Conditions": []},
 "KernelSpecification": {"Language": "CUDA", "KernelName": "scale", "KernelFile": "hostile.cu", "GlobalSizeType": "CUDA",
   "ProblemSize": [20003], "LocalSize": {"X": "TILE"}, "GridDivX": ["TILE"],
   "Arguments": [
    {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 20003, "FillType": "Random", "FillValue": 1.0},
    {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 20003, "FillType": "Constant", "FillValue": 0.0},
    {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 20003}]},
 "Warpwright": {"Version": 1, "Limits": {"TrialSeconds": 4})" + extra + "}}\n";
}

}  // namespace cli
