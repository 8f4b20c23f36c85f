// SPDX-License-Identifier: GPL-3.0-or-later
// Two figures of the window: how long until it is visible, and how late the event loop runs while trials of a session arrive at
// 50 a second (a 1 ms heartbeat notes its own lateness).
// usage: window_bench [DATABASE [SESSION]]; without a database, the tests' constructed session.
#include <QApplication>
#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>
#include <cstdio>

#include "fake_control.h"
#include "main_window.h"
#include "sample_data.h"
#include "store/trial_log.h"
#include "style/theme.h"

using namespace ww;

namespace {

constexpr int kTrialEveryMs = 20;
constexpr int kSeconds = 20;
constexpr int kBatchMs = 60;  // the bridge hands events over in batches

/// Tells when a widget has painted for the first time.
class FirstPaint : public QObject {
public:
    using QObject::QObject;
    bool seen = false;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        seen = seen || event->type() == QEvent::Paint;
        return QObject::eventFilter(watched, event);
    }
};

struct Feed {
    ui::EventBatch begin;
    std::vector<std::shared_ptr<const store::TrialRecord>> trials;
};

Feed load(int argc, char** argv) {
    Feed feed;
    if (argc > 1) {
        if (auto log = store::TrialLogReader::open(argv[1])) {
            const auto id = (*log)->resolve(argc > 2 ? argv[2] : "last");
            auto session = id ? (*log)->session(*id) : Result<store::SessionRecord>(fail(id.error()));
            auto trials = id ? (*log)->trials(*id) : Result<std::vector<store::TrialRecord>>(fail(id.error()));
            if (session && trials) {
                feed.begin = sample::running(0, 1000);
                for (auto& event : feed.begin) {
                    if (auto* started = std::get_if<engine::SessionStarted>(&event)) started->session = *session;
                }
                for (auto& trial : *trials) feed.trials.push_back(std::make_shared<const store::TrialRecord>(std::move(trial)));
                return feed;
            }
        }
        std::fprintf(stderr, "no session could be read from %s; using the constructed one\n", argv[1]);
    }
    feed.begin = sample::running(0, 1000);
    for (int number = 1; number <= 200; ++number) feed.trials.push_back(sample::trial(number));
    return feed;
}

}  // namespace

int main(int argc, char** argv) {
    QElapsedTimer sinceStart;
    sinceStart.start();
    QApplication application(argc, argv);
    ui::applyTheme(ui::themeFrom(QStringLiteral("dark")));
    FakeControl control;
    FirstPaint painted;
    auto settings = std::make_shared<ui::Settings>();
    ui::MainWindow window(&control, settings, {{}, QString(), false});
    window.installEventFilter(&painted);
    window.resize(1600, 1000);
    window.show();
    while (!painted.seen && sinceStart.elapsed() < 10'000) QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    std::printf("window painted %.0f ms after main() (target: under 1000 ms)\n", static_cast<double>(sinceStart.nsecsElapsed()) * 1e-6);

    const Feed feed = load(argc, argv);
    control.become(ui::SessionControl::State::Running);
    Q_EMIT control.eventsArrived(feed.begin);

    std::vector<double> lateMs;
    QElapsedTimer beat;
    QTimer heartbeat;
    heartbeat.setTimerType(Qt::PreciseTimer);
    QObject::connect(&heartbeat, &QTimer::timeout, [&] {
        lateMs.push_back(std::max(0.0, static_cast<double>(beat.nsecsElapsed()) * 1e-6 - 1.0));
        beat.restart();
    });
    int number = 0;
    engine::Progress progress = std::get<engine::Progress>(sample::running(0, 1000).back());
    QTimer arrivals;
    QObject::connect(&arrivals, &QTimer::timeout, [&] {
        ui::EventBatch batch;
        for (int i = 0; i < kBatchMs / kTrialEveryMs; ++i) {
            auto next = std::make_shared<store::TrialRecord>(*feed.trials[static_cast<std::size_t>(number) % feed.trials.size()]);
            next->number = ++number;
            batch.push_back(engine::StageChanged{engine::Stage::Benchmarking, number, {}});
            batch.push_back(engine::TrialFinished{std::move(next)});
        }
        batch.push_back(progress);
        progress.trials = number;
        Q_EMIT control.eventsArrived(batch);
    });
    QTimer::singleShot(kSeconds * 1000, &application, [] { QCoreApplication::exit(0); });  // quit() would ask the running window first
    beat.start();
    heartbeat.start(1);
    arrivals.start(kBatchMs);
    QApplication::exec();

    std::sort(lateMs.begin(), lateMs.end());
    const auto at = [&](double share) { return lateMs[static_cast<std::size_t>(share * static_cast<double>(lateMs.size() - 1))]; };
    std::printf("%d trials in %d s, %zu heartbeats: event loop late by median %.2f ms, 99th percentile %.2f ms, largest %.1f ms (target: 99th percentile under 16 ms)\n",
                number, kSeconds, lateMs.size(), at(0.5), at(0.99), lateMs.back());
    return 0;
}
