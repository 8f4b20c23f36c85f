// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>
#include <QList>

namespace ww::ui {

/// Items side by side, wrapped where the width ends.
class FlowLayout : public QLayout {
    Q_OBJECT
public:
    FlowLayout(QWidget* parent, int gapX, int gapY);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    int count() const override;
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    int place(const QRect& rect, bool apply) const;

    QList<QLayoutItem*> m_items;
    int m_gapX, m_gapY;
};

}  // namespace ww::ui
