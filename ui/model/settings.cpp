// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/settings.h"

#include <QSettings>
#include <QStandardPaths>
#include <QStringBuilder>

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

/// Bumped when docks are added or renamed: an older layout is then dropped.
constexpr int kLayoutVersion = 1;
constexpr int kMostRecent = 8;

}  // namespace

Settings::Settings(const QString& file)
    : m_store(std::make_unique<QSettings>(
          file.isEmpty() ? QString(QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) % u"/warpwright/window.ini") : file,
          QSettings::IniFormat)) {}

Settings::~Settings() = default;

QString Settings::theme() const { return m_store->value(u"look/theme"_s, u"system"_s).toString(); }
void Settings::setTheme(const QString& word) { m_store->setValue(u"look/theme"_s, word); }
QString Settings::language() const { return m_store->value(u"look/language"_s).toString(); }
void Settings::setLanguage(const QString& code) { m_store->setValue(u"look/language"_s, code); }
QString Settings::device() const { return m_store->value(u"session/device"_s, u"auto"_s).toString(); }
void Settings::setDevice(const QString& word) { m_store->setValue(u"session/device"_s, word); }
int Settings::trials() const { return qBound(1, m_store->value(u"session/trials"_s, 200).toInt(), 1000000); }
void Settings::setTrials(int trials) { m_store->setValue(u"session/trials"_s, trials); }
QString Settings::lastFolder() const { return m_store->value(u"files/folder"_s).toString(); }
void Settings::setLastFolder(const QString& folder) { m_store->setValue(u"files/folder"_s, folder); }
QStringList Settings::recent() const { return m_store->value(u"files/recent"_s).toStringList(); }

void Settings::addRecent(const QString& path) {
    QStringList paths = recent();
    paths.removeAll(path);
    paths.prepend(path);
    m_store->setValue(u"files/recent"_s, QStringList(paths.mid(0, kMostRecent)));
}

QByteArray Settings::geometry() const { return m_store->value(u"window/geometry"_s).toByteArray(); }

QByteArray Settings::layout() const {
    if (m_store->value(u"window/version"_s).toInt() != kLayoutVersion) return {};
    return m_store->value(u"window/layout"_s).toByteArray();
}

void Settings::setWindow(const QByteArray& geometry, const QByteArray& layout) {
    m_store->setValue(u"window/version"_s, kLayoutVersion);
    m_store->setValue(u"window/geometry"_s, geometry);
    m_store->setValue(u"window/layout"_s, layout);
}

void Settings::forgetLayout() {
    m_store->remove(u"window/layout"_s);
}

}  // namespace ww::ui
