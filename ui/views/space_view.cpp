// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/space_view.h"

#include <QStringBuilder>
#include <QVBoxLayout>

#include "bridge/text.h"
#include "views/constraint_list.h"
#include "views/parameter_row.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

SpaceView::SpaceView(SessionModel* session, QWidget* parent)
    : QWidget(parent), m_session(session), m_scroll(new QScrollArea(this)), m_constraints(new ConstraintList(session, this)) {
    m_scroll->setObjectName(u"parameters"_s);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setBackgroundRole(QPalette::Base);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_scroll, 1);
    layout->addWidget(m_constraints);
    connect(session, &SessionModel::restarted, this, &SpaceView::rebuild);
    for (const auto signal : {&SessionModel::steeringChanged, &SessionModel::runningChanged, &SessionModel::probabilitiesChanged,
                              &SessionModel::bestChanged}) {
        connect(session, signal, this, &SpaceView::refresh);
    }
    connect(session, &SessionModel::trialsAdded, this, [this] { Q_EMIT noteChanged(note()); });
    rebuild();
}

void SpaceView::rebuild() {
    m_rows.clear();
    const Json* valid = member(m_session->session().facts, "valid");
    const Json* exact = member(m_session->session().facts, "valid_exact");
    m_valid = valid != nullptr && valid->is_number() ? valid->get<double>() : -1;
    m_exact = exact == nullptr || !exact->is_boolean() || exact->get<bool>();
    m_content = new QWidget;
    m_content->setAutoFillBackground(false);
    auto* layout = new QVBoxLayout(m_content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (int p = 0; p < static_cast<int>(m_session->parameters().size()); ++p) {
        auto* row = new ParameterRow(m_session, p, m_content);
        connect(row, &ParameterRow::pinToggled, this, &SpaceView::askPin);
        connect(row, &ParameterRow::banToggled, this, &SpaceView::askBan);
        layout->addWidget(row);
        m_rows.push_back(row);
    }
    layout->addStretch(1);
    m_scroll->setWidget(m_content);
    m_content->setAutoFillBackground(false);
    Q_EMIT noteChanged(note());
}

void SpaceView::refresh() {
    for (auto* row : m_rows) row->refresh();
}

QString SpaceView::note() const {
    if (m_session->parameters().empty()) return {};
    QStringList parts{tr("%1 combinations").arg(countText(m_session->combinations()))};
    if (m_valid >= 0) parts.append((m_exact ? tr("%1 valid") : tr("about %1 valid")).arg(countText(m_valid)));
    if (!m_session->trials().empty()) parts.append(tr("%1 tried").arg(countText(static_cast<double>(m_session->trials().size()))));
    return parts.join(u" · "_s);
}

void SpaceView::askPin(int parameter, int value) {
    if (m_session->pinnedValue(parameter) == value) Q_EMIT unpinAsked(parameter);
    else Q_EMIT pinAsked(parameter, value);
}

void SpaceView::askBan(int parameter, int value) {
    if (m_session->isBanned(parameter, value)) Q_EMIT unbanAsked(parameter, value);
    else Q_EMIT banAsked(parameter, value);
}

}  // namespace ww::ui
