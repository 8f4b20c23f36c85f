// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// QCustomPlot's header uses Qt's keywords, which this project switches off (QT_NO_KEYWORDS, QT_NO_FOREACH): they are lent to it.
#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit
#define foreach(variable, container) for (variable : container)
#include <qcustomplot.h>
#undef foreach
#undef emit
#undef slots
#undef signals
