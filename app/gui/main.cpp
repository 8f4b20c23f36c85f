// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QIcon>
#include <QTimer>
#include <cstdio>

#include "base/file.h"
#include "bridge/engine_controller.h"
#include "bridge/text.h"
#include "language.h"
#include "main_window.h"
#include "options.h"
#include "screenshot.h"
#include "style/theme.h"

namespace {

using namespace ww;
using namespace Qt::StringLiterals;

/// Long enough for the last queued redraws; the session itself is over by then.
constexpr int kSettleMs = 150;

void complain(const QString& message) {
    std::fprintf(stderr, "warpwright: %s\n", qPrintable(message));
}

/// Takes the picture where one is asked for, then quits where that is asked for.
void finish(ui::MainWindow& window, const gui::Options& options, const QString& language, bool ok, const QString& message) {
    int code = ok ? 0 : 1;
    if (!ok) complain(message.isEmpty() ? u"the session failed"_s : message);
    if (!options.screenshot.isEmpty()) {
        if (const auto written = ui::takeScreenshot(window, options.screenshot, language); !written) {
            complain(ui::toQt(written.error().toString()));
            code = 1;
        }
    }
    if (options.quitWhenDone) QCoreApplication::exit(code);
}

void begin(ui::MainWindow& window, const gui::Options& options, const QString& language) {
    const auto finishLater = [&window, options, language](bool ok, const QString& message) {
        QTimer::singleShot(kSettleMs, &window, [&window, options, language, ok, message] { finish(window, options, language, ok, message); });
    };
    QObject::connect(&window, &ui::MainWindow::sessionFinished, &window, finishLater);
    QObject::connect(&window, &ui::MainWindow::openFailed, &window, [finishLater](const QString& message) { finishLater(false, message); });
    if (!options.start) QObject::connect(&window, &ui::MainWindow::opened, &window, [finishLater] { finishLater(true, {}); });
    if (!options.storedSession.isEmpty()) window.openStored(ui::toQt(options.session.database.string()), options.storedSession);
    else if (!options.open.isEmpty()) window.openKernel(options.open, options.start);
    else if (!options.screenshot.isEmpty() || options.quitWhenDone) finishLater(true, {});
}

}  // namespace

int main(int argc, char** argv) {
    gui::Parsed parsed = gui::parseOptions(argc, argv);
    if (parsed.leave) return parsed.exitCode;
    gui::Options& options = parsed.options;

    QApplication application(argc, argv);
    QApplication::setApplicationName(u"warpwright"_s);
    QApplication::setApplicationDisplayName(u"Warpwright"_s);
    QApplication::setApplicationVersion(QString::fromUtf8(WW_VERSION));
    QApplication::setDesktopFileName(u"warpwright"_s);
    QApplication::setWindowIcon(QIcon(u":/icons/warpwright.svg"_s));

    auto settings = std::make_shared<ui::Settings>();
    const QString language = ui::resolveLanguage(options.language.isEmpty() ? settings->language() : options.language);
    ui::installLanguage(application, language);
    ui::applyTheme(options.theme.value_or(ui::themeFrom(settings->theme())));

    // A picture shows the program as it comes, not as somebody left it.
    const bool remember = options.screenshot.isEmpty();
    if (remember && !options.trialsGiven) options.session.trials = settings->trials();
    if (remember && !options.deviceGiven) options.session.device = ui::fromQt(settings->device());

    ui::EngineController control;
    ui::MainWindow window(&control, settings, {options.session, ui::toQt(resourceRoot().string()), remember});
    if (options.windowSize) window.resize(*options.windowSize);
    window.show();
    control.listDevices();
    begin(window, options, language);
    return QApplication::exec();
}
