// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/trial_delegate.h"

#include <QPainter>

#include "model/trials_model.h"
#include "style/theme.h"

namespace ww::ui {

namespace {

QColor toneColor(TrialsModel::Tone tone, const Theme& theme) {
    switch (tone) {
    case TrialsModel::Tone::Good: return theme.teal;
    case TrialsModel::Tone::Bad: return theme.red;
    case TrialsModel::Tone::Best: return theme.gold;
    case TrialsModel::Tone::Neutral: break;
    }
    return theme.blue;
}

}  // namespace

void TrialDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = Theme::of(option.palette);
    const auto tone = static_cast<TrialsModel::Tone>(index.data(TrialsModel::ToneRole).toInt());
    painter->save();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    if (selected) painter->fillRect(option.rect, option.palette.highlight());
    else if (index.row() % 2 == 1) painter->fillRect(option.rect, mixed(theme.raised, theme.panel, 0.6));
    if (index.column() == TrialsModel::Number && tone == TrialsModel::Tone::Best) {
        painter->fillRect(QRect(option.rect.left(), option.rect.top(), 3, option.rect.height()), theme.gold);
    }
    const QRect area = option.rect.adjusted(10, 0, -10, 0);
    const QString text = index.data(Qt::DisplayRole).toString();
    if (index.data(TrialsModel::BadgeRole).toBool()) {
        const QColor color = toneColor(tone, theme);
        const QFont face = tone == TrialsModel::Tone::Bad ? monoFont(kSmallPixels) : uiFont(kSmallPixels, QFont::DemiBold);
        const QFontMetrics metrics(face);
        const QString fitted = metrics.elidedText(text, Qt::ElideRight, area.width() - 12);
        QRectF badge(area.left(), 0, metrics.horizontalAdvance(fitted) + 12, 18);
        badge.moveCenter(QPointF(badge.center().x(), option.rect.center().y() + 0.5));
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(mixed(color, theme.panel, theme.dark ? 0.22 : 0.18));
        painter->drawRoundedRect(badge, 4, 4);
        painter->setFont(face);
        painter->setPen(theme.dark ? color : mixed(color, theme.text, 0.85));
        painter->drawText(badge, Qt::AlignCenter, fitted);
    } else {
        const QFont face = monoFont(kDensePixels, tone == TrialsModel::Tone::Best && index.column() == TrialsModel::Ratio ? QFont::DemiBold : QFont::Normal);
        painter->setFont(face);
        QColor color = theme.text;
        if (index.column() == TrialsModel::Ratio && tone == TrialsModel::Tone::Best) color = theme.gold;
        if (index.column() == TrialsModel::HalfWidth || text == QString(QChar(0x2014))) color = theme.secondary;
        painter->setPen(color);
        const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
        painter->drawText(area, static_cast<int>(alignment), QFontMetrics(face).elidedText(text, Qt::ElideRight, area.width()));
    }
    painter->restore();
}

QSize TrialDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    const QFontMetrics metrics(monoFont());
    return {metrics.horizontalAdvance(index.data(Qt::DisplayRole).toString()) + 20, 26};
}

}  // namespace ww::ui
