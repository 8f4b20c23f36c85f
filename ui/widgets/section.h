// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QVBoxLayout>
#include <QWidget>

namespace ww::ui {

/// A titled part of a dock: a 32 px head between hairlines, then its body.
class Section : public QWidget {
    Q_OBJECT
public:
    /// Without a title there is no head.
    Section(const QString& title, QWidget* parent);

    [[nodiscard]] QVBoxLayout* body() const { return m_body; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_headed;
    QVBoxLayout* m_body;
};

/// Text in the secondary colour that follows the theme.
class QuietLabel : public QLabel {
    Q_OBJECT
public:
    enum class Tone { Secondary, Plain, Good, Bad, Best };

    explicit QuietLabel(QWidget* parent, Tone tone = Tone::Secondary);
    void setTone(Tone tone);

protected:
    void changeEvent(QEvent* event) override;

private:
    void recolour();

    Tone m_tone;
};

}  // namespace ww::ui
