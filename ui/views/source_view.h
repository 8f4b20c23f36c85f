// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedWidget>

#include "model/session_model.h"

class QLabel;

namespace ww::ui {

class CodeEditor;

/// The kernel's text with each parameter's value boxed and told (now, best), and the diff of the shown candidate to it.
class SourceView : public QStackedWidget {
    Q_OBJECT
public:
    SourceView(SessionModel* session, QWidget* parent);

    [[nodiscard]] int items() const;            ///< lines shown
    [[nodiscard]] QString candidateText() const;///< the original with the shown candidate's values at their sites

private:
    void reload();
    void refresh();
    [[nodiscard]] QString diffText() const;

    SessionModel* m_session;
    CodeEditor* m_source;
    CodeEditor* m_diff;
    QLabel* m_noDiff;
    QStackedWidget* m_diffPages;
};

}  // namespace ww::ui
