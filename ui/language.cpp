// SPDX-License-Identifier: GPL-3.0-or-later
#include "language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QStringBuilder>
#include <QTranslator>

namespace ww::ui {

using namespace Qt::StringLiterals;

QString resolveLanguage(const QString& wanted) {
    if (wanted == u"en" || wanted == u"zh_CN") return wanted;
    return QLocale::system().language() == QLocale::Chinese && wanted.isEmpty() ? u"zh_CN"_s : u"en"_s;
}

void installLanguage(QCoreApplication& application, const QString& code) {
    for (auto* old : application.findChildren<QTranslator*>(QString(), Qt::FindDirectChildrenOnly)) {
        QCoreApplication::removeTranslator(old);
        delete old;
    }
    QLocale::setDefault(code == u"zh_CN" ? QLocale(QLocale::Chinese, QLocale::China) : QLocale(QLocale::English, QLocale::UnitedStates));
    auto* qt = new QTranslator(&application);
    if (code != u"en" && qt->load(u"qtbase_"_s % code, QLibraryInfo::path(QLibraryInfo::TranslationsPath))) QCoreApplication::installTranslator(qt);
    auto* ours = new QTranslator(&application);
    if (ours->load(u":/i18n/warpwright_"_s % code % u".qm"_s)) QCoreApplication::installTranslator(ours);
}

}  // namespace ww::ui
