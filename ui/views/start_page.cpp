// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start_page.h"

#include <QDir>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStringBuilder>
#include <QVBoxLayout>
#include <algorithm>

#include "base/file.h"
#include "bridge/text.h"
#include "style/theme.h"
#include "views/kernel_card.h"
#include "widgets/section.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

QString specOf(const QDir& folder) {
    if (folder.exists(u"spec.json"_s)) return folder.filePath(u"spec.json"_s);
    const QStringList specs = folder.entryList({u"*.json"_s}, QDir::Files);
    return specs.size() == 1 ? folder.filePath(specs.first()) : QString();
}

}  // namespace

std::vector<StartPage::BundledKernel> StartPage::findKernels(const QString& root) {
    std::vector<BundledKernel> kernels;
    const QDir folder(root % u"/kernels"_s);
    for (const QString& name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
        const QString spec = specOf(QDir(folder.filePath(name)));
        if (spec.isEmpty()) continue;
        const auto text = readFile(fromQt(spec), std::size_t{1} << 20);
        if (!text) continue;
        const auto json = parseJson(*text, fromQt(spec));
        if (!json) continue;
        BundledKernel kernel{name, name, {}, folder.filePath(name)};
        if (const Json* ours = member(*json, "Warpwright"); ours != nullptr) {
            if (const Json* title = member(*ours, "Title")) kernel.title = valueText(*title);
            if (const Json* about = member(*ours, "About")) kernel.about = valueText(*about);
        }
        kernels.push_back(kernel);
    }
    // gemm shows most, so it leads.
    std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return (a.name == u"gemm") > (b.name == u"gemm"); });
    return kernels;
}

StartPage::StartPage(std::vector<BundledKernel> kernels, QWidget* parent) : QWidget(parent) {
    setObjectName(u"startPage"_s);
    auto* outer = new QVBoxLayout(this);
    outer->addStretch(2);
    auto* middle = new QWidget(this);
    middle->setMaximumWidth(900);
    auto* layout = new QVBoxLayout(middle);
    layout->setSpacing(8);
    auto* title = new QLabel(tr("Make a GPU kernel faster, and see why"), middle);
    title->setFont(uiFont(24, QFont::DemiBold));
    layout->addWidget(title);
    auto* lead = new QuietLabel(middle);
    lead->setWordWrap(true);
    lead->setText(tr("Warpwright compiles variants of a kernel in a sandbox, checks each result, times it against the original on "
                     "this machine, and learns which settings pay. Nothing of your file is changed."));
    layout->addWidget(lead);
    layout->addSpacing(16);
    auto* buttons = new QHBoxLayout;
    if (!kernels.empty()) {
        auto* tune = new QPushButton(tr("Tune %1").arg(kernels.front().name), middle);
        tune->setObjectName(u"tuneButton"_s);
        tune->setDefault(true);
        tune->setMinimumWidth(120);
        const QString path = kernels.front().path;
        connect(tune, &QPushButton::clicked, this, [this, path] { Q_EMIT tuneAsked(path); });
        buttons->addWidget(tune);
    }
    auto* open = new QPushButton(tr("Open a kernel…"), middle);
    open->setObjectName(u"openButton"_s);
    auto* database = new QPushButton(tr("Look at a stored session…"), middle);
    database->setObjectName(u"openDatabaseButton"_s);
    connect(open, &QPushButton::clicked, this, &StartPage::openFileAsked);
    connect(database, &QPushButton::clicked, this, &StartPage::openDatabaseAsked);
    for (auto* button : {open, database}) {
        button->setAutoDefault(false);
        buttons->addWidget(button);
    }
    buttons->addStretch(1);
    layout->addLayout(buttons);
    layout->addSpacing(24);
    if (!kernels.empty()) {
        auto* caption = new QLabel(tr("Kernels that come with it"), middle);
        caption->setFont(uiFont(kDensePixels, QFont::DemiBold));
        layout->addWidget(caption);
        auto* cards = new QGridLayout;
        cards->setSpacing(8);
        for (int i = 0; i < static_cast<int>(kernels.size()); ++i) {
            const auto& kernel = kernels[static_cast<std::size_t>(i)];
            auto* card = new KernelCard(kernel.name, kernel.title, kernel.about, middle);
            card->setObjectName(u"card_"_s % kernel.name);
            connect(card, &QAbstractButton::clicked, this, [this, path = kernel.path] { Q_EMIT openAsked(path); });
            cards->addWidget(card, i / 3, i % 3);
        }
        layout->addLayout(cards);
    }
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(middle, 8);
    row->addStretch(1);
    outer->addLayout(row);
    outer->addStretch(3);
}

void StartPage::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), Theme::of(this).ground);
}

}  // namespace ww::ui
