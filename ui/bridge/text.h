// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "base/trial_status.h"

namespace ww::ui {

/// Conversions between the core's UTF-8 and the window's QString, and the words for the core's codes. Pure functions.
[[nodiscard]] QString toQt(std::string_view text);
[[nodiscard]] std::string fromQt(const QString& text);

/// A parameter's value as it would stand in the source: 64, true, fp16, 64x64.
[[nodiscard]] QString valueText(const Json& value);
/// "64·128·4": the values alone, in parameter order; for tables whose columns are narrow.
[[nodiscard]] QString configurationText(const Json& config);
/// "TILE = 64, VEC = 4"
[[nodiscard]] QString configurationSentence(const Json& config);

[[nodiscard]] QString timeText(double ns);                       ///< "412 us"
[[nodiscard]] QString ratioText(double ratio, int digits = 2);   ///< "2.31×"
[[nodiscard]] QString ratioInterval(const Interval& interval);   ///< "2.27 – 2.35"
/// Half width of an interval relative to its value: "±0.3 %".
[[nodiscard]] QString relativeHalfWidth(const Interval& interval, double value);
[[nodiscard]] QString durationText(double seconds);              ///< in the window's language
[[nodiscard]] QString countText(double count);                   ///< digits grouped by the locale
inline const QChar kDash(0x2014);                                ///< shown where there is no value, never 0

/// "wrong_result": the log's word, which tables show; statusTitle says it in the user's language.
[[nodiscard]] QString statusWord(TrialStatus status);
[[nodiscard]] QString statusTitle(TrialStatus status);
[[nodiscard]] QString verdictTitle(Verdict verdict);
/// A short translated title for an engine error; its message is shown beside it.
[[nodiscard]] QString errorTitle(ErrorCode code);
/// What an event was, for the marks of the curves: "pin TILE=64".
[[nodiscard]] QString eventLabel(std::string_view kind, const Json& data);

}  // namespace ww::ui
