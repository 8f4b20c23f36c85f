// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/best_figure.h"

#include <QPainter>
#include <QStringBuilder>

#include "bridge/text.h"
#include "style/theme.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {
QFont figureFont() {
    return uiFont(24, QFont::DemiBold);
}
}  // namespace

BestFigure::BestFigure(QWidget* parent) : QWidget(parent) {
    setObjectName(u"bestFigure"_s);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    set({});
}

void BestFigure::set(const BestInfo& best) {
    m_best = best;
    if (!best.known) {
        m_figure = QString(kDash);
        m_caption = tr("best ratio");
        m_detail = tr("no correct trial yet");
    } else {
        m_figure = ratioText(best.ratio);
        m_caption = best.verified ? tr("verified best") : tr("best so far");
        const QString trial = best.trial > 0 ? tr("trial %1").arg(best.trial) : QString();
        m_detail = best.interval ? QString(ratioInterval(*best.interval) % (trial.isEmpty() ? QString() : QString(u", "_s % trial))) : trial;
    }
    setAccessibleName(m_caption);
    setAccessibleDescription(m_figure % u' ' % m_detail);
    QString tip = tr("Baseline time divided by this configuration's time, with its 95 % interval.");
    if (best.timeNs) tip += u'\n' % tr("Median time %1").arg(timeText(*best.timeNs));
    tip += u'\n' % (best.verified ? tr("Measured again in a fresh process, interleaved with the baseline.")
                                  : tr("Will be measured again in a fresh process when the session ends."));
    setToolTip(best.known ? tip : QString());
    updateGeometry();
    update();
}

QSize BestFigure::sizeHint() const {
    const QFontMetrics small(uiFont(kSmallPixels));
    const int words = qMax(small.horizontalAdvance(m_caption), small.horizontalAdvance(m_detail));
    return {QFontMetrics(figureFont()).horizontalAdvance(m_figure) + 12 + words + 2, 36};
}

void BestFigure::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    const int figure = QFontMetrics(figureFont()).horizontalAdvance(m_figure);
    painter.setFont(figureFont());
    painter.setPen(m_best.known ? theme.gold : theme.secondary);
    painter.drawText(QRect(0, 0, figure + 2, height()), Qt::AlignVCenter | Qt::AlignLeft, m_figure);
    painter.setFont(uiFont(kSmallPixels));
    painter.setPen(theme.secondary);
    const QRect words(figure + 12, 0, width() - figure - 12, height() / 2);
    painter.drawText(words, Qt::AlignBottom | Qt::AlignLeft, m_caption);
    painter.drawText(words.translated(0, height() / 2), Qt::AlignTop | Qt::AlignLeft, m_detail);
}

}  // namespace ww::ui
