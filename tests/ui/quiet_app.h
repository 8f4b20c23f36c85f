// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QStandardPaths>
#include <QStringList>
#include <QTest>

#include "language.h"
#include "style/theme.h"

/// Collects every Qt warning; a test fails when one was printed.
inline QStringList& qtWarnings() {
    static QStringList warnings;
    return warnings;
}

inline QtMessageHandler& previousHandler() {
    static QtMessageHandler handler = nullptr;
    return handler;
}

inline void collectWarnings(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    // The offscreen plugin says this of every window; it is not about us.
    if (message.contains(QLatin1String("does not support propagateSizeHints"))) return;
    if (type == QtWarningMsg || type == QtCriticalMsg) qtWarnings() << message;
    if (previousHandler() != nullptr) previousHandler()(type, context, message);
}

#define VERIFY_NO_WARNINGS() QVERIFY2(qtWarnings().isEmpty(), qPrintable(qtWarnings().join(QStringLiteral("\n"))))

/// main() of a window test: one QApplication in the cockpit's style, English, with warnings collected.
template <typename Test>
int runWindowTest(int argc, char** argv) {
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    ww::ui::installLanguage(application, QStringLiteral("en"));
    ww::ui::applyTheme(ww::ui::ThemeChoice::Dark);
    Test test;
    QTEST_SET_MAIN_SOURCE_PATH
    return QTest::qExec(&test, argc, argv);
}
