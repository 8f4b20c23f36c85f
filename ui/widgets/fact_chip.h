// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace ww::ui {

/// A short fact on a raised plate; hidden while it has none.
class FactChip : public QWidget {
    Q_OBJECT
public:
    explicit FactChip(QWidget* parent);

    void setText(const QString& text);
    [[nodiscard]] const QString& text() const { return m_text; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
};

}  // namespace ww::ui
