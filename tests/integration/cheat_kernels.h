// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtCore/QByteArray>

namespace cheats {

/// y[i] = sum of 64 values of row i of x, and one wrong way to do it for each MODE above 0.
QByteArray source();
/// Its spec: the reference is a kernel of its own, so that no LibTorch is needed.
QByteArray spec();
/// "constant": every output is 1; "independent": outputs that no input changes.
QByteArray degenerateSpec(const QByteArray& kind);

}  // namespace cheats
