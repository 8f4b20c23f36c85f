// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// QScintilla's headers use Qt's keywords, which this project switches off (QT_NO_KEYWORDS): they are lent to it.
#define signals Q_SIGNALS
#define slots Q_SLOTS
#include <Qsci/qscilexercpp.h>
#include <Qsci/qscilexerdiff.h>
#include <Qsci/qsciscintilla.h>
#undef slots
#undef signals
