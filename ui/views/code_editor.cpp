// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/code_editor.h"


#include <QEvent>
#include <QPainter>
#include <QScrollBar>

#include "style/theme.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kValueIndicator = 8;

/// QScintilla takes fonts by points alone.
QFont codeFont(const QWidget* widget, int pixels) {
    QFont font = monoFont(pixels);
    font.setPointSizeF(pixels * 72.0 / qMax(1, widget->logicalDpiY()));
    return font;
}

/// The C++ lexer with CUDA's words as the second keyword set.
class CudaLexer : public QsciLexerCPP {
public:
    explicit CudaLexer(QObject* parent) : QsciLexerCPP(parent) {}
    const char* keywords(int set) const override {
        if (set == 2) {
            return "__global__ __device__ __host__ __shared__ __constant__ __launch_bounds__ __restrict__ __syncthreads __syncwarp __ldg "
                   "__forceinline__ threadIdx blockIdx blockDim gridDim warpSize float2 float4 int2 int4 half bfloat16 dim3 size_t";
        }
        return QsciLexerCPP::keywords(set);
    }
};

}  // namespace

CodeEditor::CodeEditor(Kind kind, QWidget* parent) : QsciScintilla(parent), m_kind(kind) {
    if (kind == Kind::Cpp) m_lexer = new CudaLexer(this);
    else m_lexer = new QsciLexerDiff(this);
    setReadOnly(true);
    setFrameShape(QFrame::NoFrame);
    setUtf8(true);
    setWrapMode(WrapNone);
    setCaretWidth(0);
    setMarginType(0, kind == Kind::Cpp ? NumberMargin : TextMargin);
    setMarginWidth(1, 0);
    SendScintilla(SCI_SETMARGINLEFT, 0, 10);
    setMarginLineNumbers(0, kind == Kind::Cpp);
    setFolding(NoFoldStyle);
    SendScintilla(SCI_SETSCROLLWIDTHTRACKING, 1);
    SendScintilla(SCI_SETSCROLLWIDTH, 1);
    SendScintilla(SCI_SETEXTRAASCENT, 2);
    SendScintilla(SCI_SETEXTRADESCENT, 2);
    indicatorDefine(StraightBoxIndicator, kValueIndicator);
    setLexer(m_lexer);
    recolour();
}

CodeEditor::~CodeEditor() {
    // The base class reaches for its lexer while it dies; ours is a child and dies first.
    setLexer(nullptr);
}

void CodeEditor::showText(const QString& shown) {
    if (text() == shown) return;
    const int line = firstVisibleLine();
    setText(shown);
    setFirstVisibleLine(line);
    const int digits = QString::number(qMax(100, lines())).size();
    setMarginWidth(0, m_kind == Kind::Cpp ? QFontMetrics(monoFont()).horizontalAdvance(u'0') * (digits + 2) : 12);
    setValueRanges(m_ranges);
}

void CodeEditor::setValueRanges(const std::vector<std::pair<int, int>>& byteRanges) {
    m_ranges = byteRanges;
    SendScintilla(SCI_SETINDICATORCURRENT, kValueIndicator);
    SendScintilla(SCI_INDICATORCLEARRANGE, 0, SendScintilla(SCI_GETLENGTH));
    for (const auto& [begin, end] : m_ranges) {
        if (begin >= 0 && end > begin && end <= SendScintilla(SCI_GETLENGTH)) SendScintilla(SCI_INDICATORFILLRANGE, begin, end - begin);
    }
}

void CodeEditor::setBadges(std::vector<Badge> badges) {
    m_badges = std::move(badges);
    viewport()->update();
}

void CodeEditor::paintEvent(QPaintEvent* event) {
    QsciScintilla::paintEvent(event);
    if (m_badges.empty()) return;
    const Theme& theme = Theme::of(this);
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const QFont face = monoFont(kSmallPixels);
    const QFontMetrics metrics(face);
    painter.setFont(face);
    const int lineHeight = static_cast<int>(SendScintilla(SCI_TEXTHEIGHT, 0));
    for (const auto& badge : m_badges) {
        const long end = SendScintilla(SCI_GETLINEENDPOSITION, badge.line);
        const int x = static_cast<int>(SendScintilla(SCI_POINTXFROMPOSITION, 0, end)) + 16;
        const int y = static_cast<int>(SendScintilla(SCI_POINTYFROMPOSITION, 0, end));
        if (y + lineHeight < 0 || y > viewport()->height()) continue;
        int left = x;
        const auto pill = [&](const QString& text, const QColor& tone, bool filled) {
            const QRectF area(left, y + 1.5, metrics.horizontalAdvance(text) + 12, lineHeight - 3);
            painter.setPen(QPen(mixed(tone, theme.panel, 0.6), 1));
            painter.setBrush(filled ? mixed(tone, theme.panel, 0.2) : theme.panel);
            painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
            painter.setPen(tone);
            painter.drawText(area, Qt::AlignCenter, text);
            left += static_cast<int>(area.width()) + 6;
        };
        if (!badge.now.isEmpty()) pill(badge.now, badge.changed ? theme.teal : theme.secondary, badge.changed);
        if (!badge.best.isEmpty()) pill(badge.best, theme.gold, false);
    }
}

void CodeEditor::changeEvent(QEvent* event) {
    QsciScintilla::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) recolour();
}

void CodeEditor::recolour() {
    const Theme& theme = Theme::of(this);
    m_lexer->setDefaultFont(codeFont(this, kDensePixels));
    m_lexer->setFont(codeFont(this, kDensePixels));
    m_lexer->setDefaultColor(theme.text);
    m_lexer->setColor(theme.text);
    m_lexer->setDefaultPaper(theme.panel);
    m_lexer->setPaper(theme.panel);
    if (m_kind == Kind::Cpp) recolourCpp();
    else recolourDiff();
    setMarginsFont(codeFont(this, kSmallPixels));
    setMarginsBackgroundColor(theme.panel);
    setMarginsForegroundColor(mixed(theme.secondary, theme.panel, 0.7));
    setSelectionBackgroundColor(mixed(theme.teal, theme.panel, 0.3));
    resetSelectionForegroundColor();
    setIndicatorForegroundColor(theme.teal, kValueIndicator);
    SendScintilla(SCI_INDICSETALPHA, kValueIndicator, 36);
    SendScintilla(SCI_INDICSETOUTLINEALPHA, kValueIndicator, 110);
}

void CodeEditor::recolourCpp() {
    const Theme& theme = Theme::of(this);
    const QColor quiet = mixed(theme.secondary, theme.panel, 0.9);
    const QColor preprocessor = theme.dark ? QColor(0xc5, 0x86, 0xd6) : QColor(0x8a, 0x3a, 0x9e);
    for (const int style : {QsciLexerCPP::Comment, QsciLexerCPP::CommentLine, QsciLexerCPP::CommentDoc, QsciLexerCPP::CommentLineDoc}) {
        m_lexer->setColor(quiet, style);
    }
    m_lexer->setColor(theme.blue, QsciLexerCPP::Keyword);
    m_lexer->setColor(theme.blue, QsciLexerCPP::KeywordSet2);
    m_lexer->setColor(preprocessor, QsciLexerCPP::PreProcessor);
    m_lexer->setColor(mixed(theme.blue, theme.text, 0.35), QsciLexerCPP::Number);
    m_lexer->setColor(mixed(theme.blue, theme.text, 0.35), QsciLexerCPP::DoubleQuotedString);
}

void CodeEditor::recolourDiff() {
    const Theme& theme = Theme::of(this);
    m_lexer->setColor(theme.secondary, QsciLexerDiff::Header);
    m_lexer->setColor(theme.secondary, QsciLexerDiff::Position);
    m_lexer->setColor(theme.secondary, QsciLexerDiff::Command);
    m_lexer->setColor(theme.red, QsciLexerDiff::LineRemoved);
    m_lexer->setColor(theme.teal, QsciLexerDiff::LineAdded);
}

}  // namespace ww::ui
