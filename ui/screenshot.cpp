// SPDX-License-Identifier: GPL-3.0-or-later
#include "screenshot.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QStringBuilder>

#include "base/file.h"
#include "bridge/text.h"
#include "main_window.h"
#include "style/theme.h"
#include "widgets/dock.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

Json describeWindow(const MainWindow& window, const QString& language) {
    Json json;
    json["language"] = fromQt(language);
    json["theme"] = fromQt(currentThemeWord());
    json["size"] = {{"width", window.width()}, {"height", window.height()}};
    json["docks"] = Json::array();
    for (const auto* dock : window.docks()) {
        json["docks"].push_back({{"objectName", fromQt(dock->objectName())},
                                 {"title", fromQt(dock->windowTitle())},
                                 {"visible", dock->isVisible()},
                                 {"items", dock->items()}});
    }
    return json;
}

Result<void> takeScreenshot(MainWindow& window, const QString& file, const QString& language) {
    window.drawPending();
    QImage image(window.size(), QImage::Format_RGB32);
    image.setDevicePixelRatio(1);
    window.render(&image);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG")) return fail(ErrorCode::Internal, "the picture could not be encoded as PNG; Qt's PNG support is missing");
    WW_CHECK(writeFileAtomically(fromQt(file), std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size()))));
    return writeFileAtomically(fromQt(QString(file % u".json"_s)), describeWindow(window, language).dump(2) + "\n");
}

}  // namespace ww::ui
