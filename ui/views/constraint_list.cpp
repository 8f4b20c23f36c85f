// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/constraint_list.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStringBuilder>
#include <QToolTip>
#include <algorithm>

#include "bridge/text.h"
#include "style/theme.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kHead = 32;
constexpr int kLine = 22;
constexpr int kMost = 6;
}  // namespace

ConstraintList::ConstraintList(SessionModel* session, QWidget* parent) : QWidget(parent), m_session(session) {
    setObjectName(u"constraints"_s);
    setAccessibleName(tr("Constraints"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(session, &SessionModel::restarted, this, &ConstraintList::refresh);
    connect(session, &SessionModel::rejectionsChanged, this, &ConstraintList::refresh);
    refresh();
}

void ConstraintList::refresh() {
    m_sorted = m_session->constraints();
    // A built-in rule that refuses nothing is no news; the others come by what they refuse.
    std::erase_if(m_sorted, [](const ConstraintInfo& c) { return c.refused == 0 && c.id.startsWith(u"rule:"); });
    std::stable_sort(m_sorted.begin(), m_sorted.end(), [](const auto& a, const auto& b) {
        return a.refused > b.refused;
    });
    QStringList lines;
    for (const auto& each : m_sorted) lines.append(each.sentence % u": "_s % QString::number(each.refused));
    setAccessibleDescription(lines.join(u"; "_s));
    updateGeometry();
    update();
}

int ConstraintList::shown() const {
    return qMin(kMost, static_cast<int>(m_sorted.size()));
}

QSize ConstraintList::sizeHint() const {
    if (m_sorted.empty()) return {200, 0};
    return {200, kHead + 6 + kLine * shown() + 6};
}

void ConstraintList::paintEvent(QPaintEvent*) {
    if (m_sorted.empty()) return;
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.fillRect(QRect(0, 0, width(), 1), theme.line);
    painter.fillRect(QRect(0, kHead, width(), 1), theme.line);
    const QRect head(12, 0, width() - 24, kHead);
    painter.setFont(uiFont(kDensePixels, QFont::DemiBold));
    painter.setPen(theme.text);
    painter.drawText(head, Qt::AlignVCenter | Qt::AlignLeft, tr("Constraints"));
    painter.setFont(uiFont(kSmallPixels));
    painter.setPen(theme.secondary);
    painter.drawText(head, Qt::AlignVCenter | Qt::AlignRight, tr("combinations refused"));
    const QFont mono = monoFont(kSmallPixels);
    painter.setFont(mono);
    const QFontMetrics metrics(mono);
    for (int i = 0; i < shown(); ++i) {
        const auto& each = m_sorted[static_cast<std::size_t>(i)];
        const QRect line(12, kHead + 6 + i * kLine, width() - 24, kLine);
        const QString count = countText(static_cast<double>(each.refused));
        const int room = line.width() - metrics.horizontalAdvance(count) - 12;
        painter.setPen(each.refused > 0 ? theme.text : theme.secondary);
        const QString text = each.text.isEmpty() ? each.sentence : each.text;
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, metrics.elidedText(text, Qt::ElideRight, room));
        painter.setPen(theme.secondary);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, count);
    }
}

bool ConstraintList::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int index = (help->pos().y() - kHead - 6) / kLine;
        if (help->pos().y() < kHead || index >= shown()) {
            QStringList rest;
            for (const auto& each : m_sorted) rest.append(each.sentence % u"  "_s % countText(static_cast<double>(each.refused)));
            QToolTip::showText(help->globalPos(), rest.join(u'\n'), this);
        } else {
            const auto& each = m_sorted[static_cast<std::size_t>(index)];
            QToolTip::showText(help->globalPos(), each.sentence % u'\n' % each.text, this);
        }
        return true;
    }
    return QWidget::event(event);
}

}  // namespace ww::ui
