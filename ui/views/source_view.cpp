// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/source_view.h"

#include <QLabel>
#include <algorithm>

#include "bridge/text.h"
#include "mutate/mutate.h"
#include "style/theme.h"
#include "views/code_editor.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

SourceView::SourceView(SessionModel* session, QWidget* parent)
    : QStackedWidget(parent),
      m_session(session),
      m_source(new CodeEditor(CodeEditor::Kind::Cpp, this)),
      m_diff(new CodeEditor(CodeEditor::Kind::Diff, this)),
      m_noDiff(new QLabel(this)),
      m_diffPages(new QStackedWidget(this)) {
    m_source->setObjectName(u"sourceText"_s);
    m_source->setAccessibleName(tr("Kernel source"));
    m_diff->setObjectName(u"sourceDiff"_s);
    m_diff->setAccessibleName(tr("Difference of the shown trial to the original"));
    m_noDiff->setAlignment(Qt::AlignCenter);
    m_noDiff->setWordWrap(true);
    m_diffPages->addWidget(m_diff);
    m_diffPages->addWidget(m_noDiff);
    addWidget(m_source);
    addWidget(m_diffPages);
    connect(session, &SessionModel::restarted, this, &SourceView::reload);
    connect(session, &SessionModel::runningChanged, this, &SourceView::refresh);
    connect(session, &SessionModel::bestChanged, this, &SourceView::refresh);
    connect(session, &SessionModel::selectionChanged, this, &SourceView::refresh);
    connect(this, &QStackedWidget::currentChanged, this, &SourceView::refresh);
    reload();
}

int SourceView::items() const {
    if (m_session->sourceText().isEmpty()) return 0;
    return currentIndex() == 0 ? m_source->lines() : qMax(1, m_diff->lines());
}

void SourceView::reload() {
    m_source->showText(m_session->sourceText());
    std::vector<std::pair<int, int>> ranges;
    for (const auto& site : m_session->sites()) {
        const auto& all = m_session->parameters();
        if (std::any_of(all.begin(), all.end(), [&site](const auto& p) { return p.name == site.name; })) ranges.emplace_back(site.begin, site.end);
    }
    m_source->setValueRanges(ranges);
    // The first parameter in view teaches more than a licence header.
    if (!m_session->sites().empty()) m_source->setFirstVisibleLine(qMax(0, m_session->sites().front().line - 3));
    refresh();
}

void SourceView::refresh() {
    const auto now = m_session->shownValues();
    const auto best = m_session->bestValues();
    const QByteArray original = m_session->sourceText().toUtf8();
    std::vector<CodeEditor::Badge> badges;
    for (const auto& site : m_session->sites()) {
        const auto& all = m_session->parameters();
        const auto found = std::find_if(all.begin(), all.end(), [&site](const auto& p) { return p.name == site.name; });
        if (found == all.end()) continue;
        const auto index = static_cast<std::size_t>(found - all.begin());
        const QString written = QString::fromUtf8(original.mid(site.begin, site.end - site.begin));
        CodeEditor::Badge badge{site.line - 1, {}, {}, false};
        if (index < now.size() && now[index] >= 0) {
            const QString& value = found->values[now[index]];
            badge.changed = value != written;
            badge.now = badge.changed ? tr("now %1").arg(value) : tr("as written");
        }
        if (index < best.size() && best[index] >= 0) badge.best = tr("best %1").arg(found->values[best[index]]);
        if (!badge.now.isEmpty() || !badge.best.isEmpty()) badges.push_back(badge);
    }
    m_source->setBadges(std::move(badges));
    if (currentIndex() != 1) return;
    const QString diff = diffText();
    m_diff->showText(diff);
    m_noDiff->setText(m_session->shownTrial() == nullptr && m_session->runningValues().empty()
                          ? tr("The difference of a trial to the original appears here once one runs.")
                          : tr("This trial runs the original as it is written."));
    m_diffPages->setCurrentIndex(diff.isEmpty() ? 1 : 0);
}

QString SourceView::candidateText() const {
    const auto values = m_session->shownValues();
    QByteArray text = m_session->sourceText().toUtf8();
    auto sites = m_session->sites();
    std::sort(sites.begin(), sites.end(), [](const auto& a, const auto& b) { return a.begin > b.begin; });
    for (const auto& site : sites) {
        const auto& all = m_session->parameters();
        const auto found = std::find_if(all.begin(), all.end(), [&site](const auto& p) { return p.name == site.name; });
        if (found == all.end()) continue;
        const auto index = static_cast<std::size_t>(found - all.begin());
        if (index >= values.size() || values[index] < 0) continue;
        text.replace(site.begin, site.end - site.begin, found->values[values[index]].toUtf8());
    }
    return QString::fromUtf8(text);
}

QString SourceView::diffText() const {
    const std::string name = m_session->session().sourcePath;
    const auto slash = name.find_last_of('/');
    const std::string file = slash == std::string::npos ? name : name.substr(slash + 1);
    return toQt(mutate::unifiedDiff(fromQt(m_session->sourceText()), fromQt(candidateText()), file, fromQt(tr("this trial"))));
}

}  // namespace ww::ui
