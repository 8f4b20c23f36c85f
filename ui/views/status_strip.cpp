// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/status_strip.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QPainter>
#include <QStringBuilder>

#include "bridge/text.h"
#include "style/theme.h"
#include "widgets/section.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

StatusStrip::StatusStrip(SessionModel* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_stage(new QuietLabel(this, QuietLabel::Tone::Plain)),
      m_rate(new QuietLabel(this)),
      m_sandbox(new QuietLabel(this, QuietLabel::Tone::Good)) {
    setObjectName(u"status"_s);
    setFixedHeight(30);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 0, 12, 0);
    layout->setSpacing(16);
    for (auto* label : {m_stage, m_rate, m_sandbox}) label->setFont(uiFont(kSmallPixels));
    m_stage->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_sandbox->setObjectName(u"sandbox"_s);
    layout->addWidget(m_stage, 1);
    layout->addWidget(m_rate);
    layout->addWidget(m_sandbox);
    for (const auto signal : {&SessionModel::restarted, &SessionModel::progressChanged, &SessionModel::runningChanged, &SessionModel::sessionEnded}) {
        connect(session, signal, this, &StatusStrip::refresh);
    }
    refresh();
}

void StatusStrip::refresh() {
    m_stage->setText(stageText());
    const auto& progress = m_session->progress();
    const QLocale locale;
    QStringList parts;
    if (progress.trialsPerMinute > 0) parts.append(tr("%1 trials/min").arg(locale.toString(progress.trialsPerMinute, 'f', progress.trialsPerMinute < 10 ? 1 : 0)));
    if (progress.deviceSeconds > 0) parts.append(tr("device %1").arg(durationText(progress.deviceSeconds)));
    if (progress.compileSeconds > 0) parts.append(tr("compile %1").arg(durationText(progress.compileSeconds)));
    if (width() < 1500 && m_session->session().noiseFloor > 0) {
        parts.append(tr("noise floor %1 %").arg(locale.toString(m_session->session().noiseFloor * 100, 'f', 2)));
    }
    m_rate->setText(parts.join(u" · "_s));
    const QString sandbox = sandboxText();
    m_sandbox->setText(sandbox);
    m_sandbox->setTone(toQt(m_session->session().sandbox).startsWith(u"none"_s) ? QuietLabel::Tone::Bad : QuietLabel::Tone::Good);
    m_sandbox->setToolTip(toQt(m_session->session().sandbox));
}

QString StatusStrip::sandboxText() const {
    const QString level = toQt(m_session->session().sandbox);
    if (level.isEmpty()) return {};
    if (!level.startsWith(u"none"_s)) return tr("● sandbox on");
    QString reason;
    if (const qsizetype open = level.indexOf(u'('); open >= 0) reason = level.mid(open + 1).chopped(1);
    if (const Json* found = member(m_session->session().facts, "sandbox"); reason.isEmpty() && found != nullptr) reason = valueText(*found);
    return reason.isEmpty() ? tr("✕ no sandbox") : tr("✕ no sandbox: %1").arg(reason);
}

QString StatusStrip::stageText() const {
    if (m_session->origin() == SessionModel::Origin::Stored) {
        const auto& session = m_session->session();
        return tr("Stored session %1, %2").arg(session.id).arg(toQt(session.startedAt).left(16).replace(u'T', u' '));
    }
    const int trial = m_session->runningTrial();
    switch (m_session->stage()) {
    case engine::Stage::Starting: return tr("Starting the workers");
    case engine::Stage::Baseline: return tr("Measuring the baseline");
    case engine::Stage::Proposing: return tr("Choosing the next configuration");
    case engine::Stage::Compiling: return tr("Trial %1: compiling").arg(trial);
    case engine::Stage::Verifying: return tr("Trial %1: checking the result").arg(trial);
    case engine::Stage::Benchmarking: return tr("Trial %1: timing").arg(trial);
    case engine::Stage::Learning: return tr("Trial %1: learning").arg(trial);
    case engine::Stage::Storing: return tr("Trial %1: storing").arg(trial);
    case engine::Stage::Finalists: return tr("Measuring the best again in a fresh process");
    case engine::Stage::Done: {
        const auto& ended = m_session->ended();
        if (ended && ended->status == store::SessionStatus::Failed) return tr("The session failed; its trials are stored");
        if (ended && ended->status == store::SessionStatus::Interrupted) return tr("Stopped and saved; it can be resumed");
        return tr("Finished and saved");
    }
    case engine::Stage::Idle: break;
    }
    return m_session->origin() == SessionModel::Origin::Task ? tr("Ready. Start tunes this kernel; pins and bans may be set while it runs.") : QString();
}

void StatusStrip::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.panel);
    painter.fillRect(QRect(0, 0, width(), 1), theme.line);
}

}  // namespace ww::ui
