// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/banner.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStringBuilder>

#include "bridge/text.h"
#include "style/theme.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

Banner::Banner(QWidget* parent) : QWidget(parent), m_title(new QLabel(this)), m_text(new QLabel(this)) {
    setObjectName(u"banner"_s);
    m_title->setFont(uiFont(kTextPixels, QFont::DemiBold));
    m_text->setFont(uiFont(kDensePixels));
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* close = new QPushButton(tr("Close"), this);
    close->setObjectName(u"closeBanner"_s);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(16, 8, 12, 8);
    layout->setSpacing(12);
    layout->addWidget(m_title);
    layout->addWidget(m_text, 1);
    layout->addWidget(close);
    connect(close, &QPushButton::clicked, this, &QWidget::hide);
    hide();
}

void Banner::showError(const Error& error) {
    QString text = toQt(error.message);
    if (!error.context.empty()) text = toQt(error.context) % u": "_s % text;
    show(errorTitle(error.code), text, true);
}

void Banner::showNote(const QString& title, const QString& text) {
    show(title, text, false);
}

void Banner::show(const QString& title, const QString& text, bool bad) {
    m_bad = bad;
    m_title->setText((bad ? u"✕ "_s : QString()) % title);
    m_text->setText(text);
    setAccessibleName(title);
    setAccessibleDescription(text);
    setVisible(true);
    update();
}

QString Banner::title() const { return m_title->text(); }
QString Banner::message() const { return m_text->text(); }

void Banner::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    const QColor tone = m_bad ? theme.red : theme.blue;
    painter.fillRect(rect(), mixed(tone, theme.panel, 0.12));
    painter.fillRect(QRect(0, 0, 3, height()), tone);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
}

void Banner::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) hide();
    else QWidget::keyPressEvent(event);
}

}  // namespace ww::ui
