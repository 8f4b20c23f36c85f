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
QByteArray hostileSource();
/// Its spec; `modes` is a list expression, `extra` more members of the Warpwright section (", ...").
QByteArray hostileSpec(const QByteArray& modes, const QByteArray& extra = {});

}  // namespace cli
