// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace ww {
namespace {

std::string threeDigits(double value, const char* unit) {
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    char text[64];
    std::snprintf(text, sizeof text, "%.*f %s", decimals, value, unit);
    return text;
}

}  // namespace

std::string formatTimeNs(double ns) {
    const double magnitude = std::fabs(ns);
    if (magnitude < 999.5) return std::to_string(std::lround(ns)) + " ns";
    if (magnitude < 999.5e3) return threeDigits(ns / 1e3, "us");
    if (magnitude < 999.5e6) return threeDigits(ns / 1e6, "ms");
    return threeDigits(ns / 1e9, "s");
}

std::string formatBytes(std::uint64_t bytes) {
    if (bytes < 1024) return std::to_string(bytes) + " B";
    const double value = static_cast<double>(bytes);
    if (value < 1023.5 * 1024) return threeDigits(value / 1024, "KiB");
    if (value < 1023.5 * 1024 * 1024) return threeDigits(value / (1024 * 1024), "MiB");
    return threeDigits(value / (1024.0 * 1024 * 1024), "GiB");
}

std::string formatDuration(double seconds) {
    const auto whole = static_cast<long long>(std::llround(std::fmax(seconds, 0.0)));
    char text[64];
    if (whole < 60) std::snprintf(text, sizeof text, "%lld s", whole);
    else if (whole < 3600) std::snprintf(text, sizeof text, "%lld min %02lld s", whole / 60, whole % 60);
    else std::snprintf(text, sizeof text, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
    return text;
}

std::string utcNow() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[96];
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                  parts.tm_hour, parts.tm_min, parts.tm_sec, static_cast<int>(millis));
    return text;
}

std::int64_t monotonicNs() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace ww
