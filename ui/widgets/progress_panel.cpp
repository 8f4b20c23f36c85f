// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/progress_panel.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QSignalBlocker>
#include <QSpinBox>

#include "style/theme.h"
#include "widgets/section.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kBar = 5;
}

ProgressPanel::ProgressPanel(QWidget* parent)
    : QWidget(parent),
      m_before(new QuietLabel(this, QuietLabel::Tone::Plain)),
      m_after(new QuietLabel(this, QuietLabel::Tone::Plain)),
      m_remaining(new QuietLabel(this)),
      m_budget(new QSpinBox(this)) {
    setObjectName(u"progress"_s);
    for (auto* label : {m_before, m_after, m_remaining}) label->setFont(uiFont(kSmallPixels));
    m_budget->setObjectName(u"budget"_s);
    m_budget->setAccessibleName(tr("Budget in trials"));
    m_budget->setToolTip(tr("Trials this session may take in all; may be changed while it runs"));
    m_budget->setRange(1, 1000000);
    m_budget->setValue(200);
    m_budget->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_budget->setKeyboardTracking(false);
    m_budget->setFont(monoFont(kSmallPixels));
    m_budget->setAlignment(Qt::AlignCenter);
    m_budget->setFixedSize(QFontMetrics(monoFont(kSmallPixels)).horizontalAdvance(u"00000"_s) + 16, 22);
    m_budget->setGroupSeparatorShown(false);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, kBar + 4);
    layout->setSpacing(5);
    layout->addWidget(m_before);
    layout->addWidget(m_budget);
    layout->addWidget(m_after);
    layout->addStretch(1);
    layout->addWidget(m_remaining);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setMinimumWidth(215);
    setMaximumWidth(250);
    connect(m_budget, &QSpinBox::valueChanged, this, [this](int value) {
        update();
        Q_EMIT budgetChosen(value);
    });
    set(0, {});
}

void ProgressPanel::set(int done, const QString& remaining) {
    m_done = done;
    m_before->setText(tr("%1 of").arg(done));
    m_after->setText(tr("trials"));
    m_remaining->setText(remaining);
    setAccessibleName(tr("Progress"));
    setAccessibleDescription(tr("%1 of %2 trials").arg(done).arg(budget()));
    update();
}

int ProgressPanel::budget() const {
    return m_budget->value();
}

void ProgressPanel::setBudget(int trials) {
    const QSignalBlocker quiet(m_budget);
    m_budget->setValue(trials);
    update();
}

void ProgressPanel::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF track(0, height() - kBar, width(), kBar);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(track, kBar / 2.0, kBar / 2.0);
    const double share = qMin(1.0, static_cast<double>(m_done) / qMax(1, budget()));
    if (share <= 0) return;
    painter.setBrush(theme.teal);
    painter.drawRoundedRect(QRectF(track.left(), track.top(), qMax<qreal>(kBar, track.width() * share), kBar), kBar / 2.0, kBar / 2.0);
}

}  // namespace ww::ui
