// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "base/error.h"

class QLabel;

namespace ww::ui {

/// A calm line above the docks: an error with what to do about it, or a note. Stays until closed or replaced.
class Banner : public QWidget {
    Q_OBJECT
public:
    explicit Banner(QWidget* parent);

    void showError(const Error& error);
    void showNote(const QString& title, const QString& text);
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString message() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void show(const QString& title, const QString& text, bool bad);

    bool m_bad = false;
    QLabel *m_title, *m_text;
};

}  // namespace ww::ui
