// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/parameter_row.h"

#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QStringBuilder>
#include <QToolTip>
#include <QVBoxLayout>

#include "bridge/text.h"
#include "style/theme.h"
#include "widgets/density_strip.h"
#include "widgets/flow_layout.h"
#include "widgets/section.h"
#include "widgets/value_chip.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

ParameterRow::ParameterRow(SessionModel* session, int parameter, QWidget* parent)
    : QWidget(parent), m_session(session), m_parameter(parameter), m_name(new QLabel(this)), m_note(new QuietLabel(this)) {
    const auto& info = session->parameters()[static_cast<std::size_t>(parameter)];
    setObjectName(u"parameter_"_s % info.name);
    setAccessibleName(info.title());
    setAccessibleDescription(info.effect);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 9);
    layout->setSpacing(6);
    auto* head = new QHBoxLayout;
    m_name->setText(info.name);
    m_name->setFont(monoFont());
    m_note->setFont(uiFont(kSmallPixels));
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    head->addWidget(m_name);
    head->addWidget(m_note, 1);
    layout->addLayout(head);
    if (info.values.size() > kMostChips) {
        m_strip = new DensityStrip(info.values, this);
        layout->addWidget(m_strip);
        connect(m_strip, &DensityStrip::pinToggled, this, [this](int value) { Q_EMIT pinToggled(m_parameter, value); });
        connect(m_strip, &DensityStrip::banToggled, this, [this](int value) { Q_EMIT banToggled(m_parameter, value); });
        connect(m_strip, &DensityStrip::cursorMoved, this, [this](int value) { m_strip->setToolTip(toolTipFor(value)); });
    } else {
        auto* flow = new FlowLayout(nullptr, 5, 6);
        for (int value = 0; value < info.values.size(); ++value) {
            auto* chip = new ValueChip(info.values[value], this);
            chip->setObjectName(u"chip_"_s % info.name % u'_' % info.values[value]);
            chip->installEventFilter(this);
            flow->addWidget(chip);
            m_chips.push_back(chip);
            connect(chip, &ValueChip::pinToggled, this, [this, value] { Q_EMIT pinToggled(m_parameter, value); });
            connect(chip, &ValueChip::banToggled, this, [this, value] { Q_EMIT banToggled(m_parameter, value); });
        }
        layout->addLayout(flow);
    }
    refresh();
}

void ParameterRow::refresh() {
    const auto p = static_cast<std::size_t>(m_parameter);
    const auto& info = m_session->parameters()[p];
    const auto& running = m_session->runningValues();
    const auto best = m_session->bestValues();
    const int pinned = m_session->pinnedValue(m_parameter);
    const auto& probabilities = m_session->probabilities();
    std::vector<ValueChip::State> states(static_cast<std::size_t>(info.values.size()));
    for (std::size_t v = 0; v < states.size(); ++v) {
        const int value = static_cast<int>(v);
        auto& state = states[v];
        state.running = p < running.size() && running[p] == value;
        state.best = p < best.size() && best[p] == value;
        state.banned = m_session->isBanned(m_parameter, value);
        state.pinned = pinned == value;
        state.excluded = pinned >= 0 && pinned != value;
        if (p < probabilities.size() && v < probabilities[p].size()) state.probability = probabilities[p][v];
    }
    for (std::size_t v = 0; v < m_chips.size(); ++v) m_chips[v]->setState(states[v]);
    if (m_strip != nullptr) m_strip->setStates(std::move(states));
    m_note->setTone(pinned >= 0 ? QuietLabel::Tone::Best : QuietLabel::Tone::Secondary);
    m_note->setText(pinned >= 0 ? tr("pinned to %1").arg(info.values[pinned]) : info.label);
}

QString ParameterRow::toolTipFor(int value) const {
    const auto& info = m_session->parameters()[static_cast<std::size_t>(m_parameter)];
    QString text = u"<p><b>"_s % info.name.toHtmlEscaped() % u" = "_s % info.values[value].toHtmlEscaped() % u"</b>"_s;
    if (!info.effect.isEmpty()) text += u"<br>"_s % info.effect.toHtmlEscaped();
    const auto median = m_session->marginalMedianNs(m_parameter, value);
    text += u"<br>"_s % (median ? tr("Median time of the trials with it: %1").arg(timeText(*median)) : tr("No correct trial with it yet"));
    text += u"<br>"_s % tr("Click pins, Alt+click bans (Space, Delete)") % u"</p>"_s;
    return text;
}

bool ParameterRow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        for (std::size_t v = 0; v < m_chips.size(); ++v) {
            if (m_chips[v] == watched) QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), toolTipFor(static_cast<int>(v)), m_chips[v]);
        }
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void ParameterRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::of(this).line);
}

}  // namespace ww::ui
