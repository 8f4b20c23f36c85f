// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <memory>

class QSettings;

namespace ww::ui {

/// What the window remembers, typed; an ini file with an injectable path. No run data here. GUI thread.
class Settings {
public:
    /// An empty path takes $XDG_CONFIG_HOME/warpwright/window.ini.
    explicit Settings(const QString& file = {});
    ~Settings();

    [[nodiscard]] QString theme() const;
    void setTheme(const QString& word);
    [[nodiscard]] QString language() const;     ///< "" = the system's
    void setLanguage(const QString& code);
    [[nodiscard]] QString device() const;
    void setDevice(const QString& word);
    [[nodiscard]] int trials() const;
    void setTrials(int trials);
    [[nodiscard]] QString lastFolder() const;
    void setLastFolder(const QString& folder);
    [[nodiscard]] QStringList recent() const;   ///< kernels opened, newest first
    void addRecent(const QString& path);
    [[nodiscard]] QByteArray geometry() const;
    /// The docks' places; empty when they were saved by another layout version.
    [[nodiscard]] QByteArray layout() const;
    void setWindow(const QByteArray& geometry, const QByteArray& layout);
    void forgetLayout();

private:
    std::unique_ptr<QSettings> m_store;
};

}  // namespace ww::ui
