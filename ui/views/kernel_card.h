// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>

namespace ww::ui {

/// One bundled kernel on the start page: its name, title and a sentence; a click opens it.
class KernelCard : public QAbstractButton {
    Q_OBJECT
public:
    KernelCard(const QString& name, const QString& title, const QString& about, QWidget* parent);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_title, m_about;
};

}  // namespace ww::ui
