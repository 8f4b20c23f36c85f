// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <vector>

class QPushButton;

namespace ww::ui {

/// What a first start shows: the bundled kernels and one primary button.
class StartPage : public QWidget {
    Q_OBJECT
public:
    struct BundledKernel {
        QString name, title, about, path;
    };

    StartPage(std::vector<BundledKernel> kernels, QWidget* parent);

    /// Reads name, title and sentence from the kernels' specs under `root`; a folder without a readable spec is left out.
    [[nodiscard]] static std::vector<BundledKernel> findKernels(const QString& root);

Q_SIGNALS:
    void tuneAsked(const QString& path);    ///< open and start
    void openAsked(const QString& path);    ///< open only
    void openFileAsked();
    void openDatabaseAsked();

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace ww::ui
