// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kernel_card.h"

#include <QPainter>

#include "style/theme.h"

namespace ww::ui {

KernelCard::KernelCard(const QString& name, const QString& title, const QString& about, QWidget* parent)
    : QAbstractButton(parent), m_title(title), m_about(about) {
    setText(name);
    setAccessibleName(name);
    setAccessibleDescription(title);
    setToolTip(about);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize KernelCard::sizeHint() const {
    return {260, 118};
}

void KernelCard::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(hasFocus() ? theme.text : underMouse() ? theme.secondary : theme.line, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    const QRect area = rect().adjusted(16, 14, -16, -14);
    painter.setFont(monoFont(kTextPixels, QFont::DemiBold));
    painter.setPen(theme.text);
    painter.drawText(area, Qt::AlignTop | Qt::AlignLeft, text());
    painter.setFont(uiFont(kDensePixels));
    const QFontMetrics metrics(uiFont(kDensePixels));
    painter.drawText(area.adjusted(0, 24, 0, 0), Qt::AlignTop | Qt::AlignLeft, metrics.elidedText(m_title, Qt::ElideRight, area.width()));
    painter.setPen(theme.secondary);
    const QRect body = area.adjusted(0, 46, 0, 0);
    // Two lines of the sentence; the tooltip has it whole.
    QString about = m_about;
    while (about.size() > 8 && metrics.boundingRect(body, Qt::TextWordWrap, about).height() > metrics.lineSpacing() * 2 + 2) {
        about = about.left(about.lastIndexOf(u' ', about.size() - 3)).trimmed();
        about.append(QChar(0x2026));
    }
    painter.drawText(body, Qt::TextWordWrap | Qt::AlignTop, about);
}

}  // namespace ww::ui
