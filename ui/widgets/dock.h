// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <functional>

class QHBoxLayout;
class QLabel;

namespace ww::ui {

class TabStrip;

/// A dock as a quiet panel: rounded hairline, a 32 px title in sentence case with tabs where views alternate.
/// `items` counts what the dock shows (rows, points, lines); the screenshot's JSON tells it.
class Dock : public QDockWidget {
    Q_OBJECT
public:
    Dock(const QString& objectName, const QString& title, QWidget* content, std::function<int()> items, QWidget* parent = nullptr);

    [[nodiscard]] int items() const { return m_items(); }
    /// Tabs stand after the title; the first is the title itself.
    void setTabs(TabStrip* tabs);
    void setTitle(const QString& title);
    void setNote(const QString& note);   ///< secondary text beside the title
    void addTitleWidget(QWidget* widget);

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void recolour();

    std::function<int()> m_items;
    QLabel* m_title;
    QLabel* m_note;
    QHBoxLayout* m_bar;
};

}  // namespace ww::ui
