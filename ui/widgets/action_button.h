// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>

class QAction;

namespace ww::ui {

/// A button for one action, with a painted glyph before its word: play, pause, step or stop, named by the action's data
/// ('>', 'p', 's', 'x').
class ActionButton : public QPushButton {
    Q_OBJECT
public:
    explicit ActionButton(QWidget* parent);

    void setAction(QAction* action);
    void refresh() { if (m_action != nullptr) follow(); }   ///< after setDefault(), which has no signal

protected:
    void changeEvent(QEvent* event) override;

private:
    void follow();

    QAction* m_action = nullptr;
};

}  // namespace ww::ui
