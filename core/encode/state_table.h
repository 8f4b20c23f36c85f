// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "encode/encode.h"

namespace ww::encode {

/// The inputs with what is absent filled in by empty objects, so that a row need not ask.
struct View {
    const Inputs& in;
    const source::SourceModel& source;
    const source::Entry& entry;
    const device::DeviceFacts& device;
    bool hasDevice = false;
    compile::CompileFacts compile;
    Launch launch;

    [[nodiscard]] double count(const char* name) const;
};

/// One row: how an element comes about. Its value may leave [0, 1] or be NaN; encode() mends that.
struct Row {
    std::string_view name, source, normaliser;
    double (*value)(const View&);
};

[[nodiscard]] const std::vector<Row>& syntaxRows();      ///< 32
[[nodiscard]] const std::vector<Row>& continuousRows();  ///< 64
[[nodiscard]] const std::vector<Row>& deviceRows();      ///< 32

/// x / (x + half): 0 at 0, 1/2 at `half`, towards 1. Negative (unknown) gives 0.
[[nodiscard]] inline double saturate(double x, double half) {
    if (!(x > 0)) return 0;
    return std::isinf(x) ? 1 : x / (x + half);
}
/// log2(1 + x) / log2(1 + top).
[[nodiscard]] inline double logShare(double x, double top) {
    return x > 0 ? std::log2(1 + x) / std::log2(1 + top) : 0;
}
[[nodiscard]] inline double real(std::int64_t x) {
    return static_cast<double>(x);
}
/// a / b, 0 where b is 0.
[[nodiscard]] inline double share(double a, double b) {
    return b > 0 ? a / b : 0;
}

}  // namespace ww::encode
