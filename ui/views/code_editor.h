// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <vector>

#include "views/qscintilla_qt.h"

class QsciLexer;

namespace ww::ui {

/// A read-only QScintilla in the cockpit's colours: C++ or a unified diff. Parameter values are boxed in place; what they are
/// now and at best stands after the end of their line, painted, so that the text itself stays the file's.
class CodeEditor : public QsciScintilla {
    Q_OBJECT
public:
    enum class Kind { Cpp, Diff };

    struct Badge {
        int line = 0;           ///< from 0
        QString now, best;      ///< empty: not shown
        bool changed = false;   ///< "now" differs from the text
    };

    CodeEditor(Kind kind, QWidget* parent);
    ~CodeEditor() override;

    /// Keeps the scroll position when only parts changed.
    void showText(const QString& text);
    void setValueRanges(const std::vector<std::pair<int, int>>& byteRanges);
    void setBadges(std::vector<Badge> badges);

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void recolour();
    void recolourCpp();
    void recolourDiff();

    Kind m_kind;
    QsciLexer* m_lexer;
    std::vector<Badge> m_badges;
    std::vector<std::pair<int, int>> m_ranges;
};

}  // namespace ww::ui
