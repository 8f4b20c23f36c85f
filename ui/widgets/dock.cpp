// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/dock.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "style/theme.h"
#include "widgets/tab_strip.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kTitleHeight = 32;

/// QDockWidget asks a title bar for its size hint alone.
class TitleBar : public QWidget {
public:
    using QWidget::QWidget;
    QSize sizeHint() const override { return {120, kTitleHeight}; }
    QSize minimumSizeHint() const override { return {60, kTitleHeight}; }
};

}  // namespace

Dock::Dock(const QString& objectName, const QString& title, QWidget* content, std::function<int()> items, QWidget* parent)
    : QDockWidget(title, parent), m_items(std::move(items)) {
    setObjectName(objectName);
    setAccessibleName(title);
    auto* bar = new TitleBar(this);
    m_bar = new QHBoxLayout(bar);
    m_bar->setContentsMargins(12, 0, 12, 0);
    m_bar->setSpacing(12);
    m_title = new QLabel(title, bar);
    m_title->setFont(uiFont(kDensePixels, QFont::DemiBold));
    m_note = new QLabel(bar);
    m_note->setFont(uiFont(kDensePixels));
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_bar->addWidget(m_title);
    m_bar->addWidget(m_note, 1);
    setTitleBarWidget(bar);
    auto* frame = new QWidget(this);
    auto* layout = new QVBoxLayout(frame);
    layout->setContentsMargins(1, 1, 1, 5);
    layout->addWidget(content);
    setWidget(frame);
    recolour();
}

void Dock::setTabs(TabStrip* tabs) {
    m_title->hide();
    m_bar->insertWidget(0, tabs);
}

void Dock::setTitle(const QString& title) {
    m_title->setText(title);
}

void Dock::setNote(const QString& note) {
    m_note->setText(note);
    m_note->setToolTip(note);
}

void Dock::addTitleWidget(QWidget* widget) {
    m_bar->addWidget(widget);
}

void Dock::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.ground);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRect(1, kTitleHeight, width() - 2, 1), theme.line);
}

void Dock::changeEvent(QEvent* event) {
    QDockWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) recolour();
}

void Dock::recolour() {
    QPalette palette = m_note->palette();
    const QColor wanted = Theme::of(this).secondary;
    if (palette.color(QPalette::WindowText) == wanted) return;
    palette.setColor(QPalette::WindowText, wanted);
    m_note->setPalette(palette);
}

}  // namespace ww::ui
