// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedWidget>
#include <QTabBar>

namespace ww::ui {

/// The tabs inside a dock's title: words, the current one underlined in teal. Switches the pages of a stack.
class TabStrip : public QTabBar {
    Q_OBJECT
public:
    explicit TabStrip(QStackedWidget* pages, QWidget* parent = nullptr);

protected:
    QSize tabSizeHint(int index) const override;
    QSize minimumTabSizeHint(int index) const override;
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace ww::ui
