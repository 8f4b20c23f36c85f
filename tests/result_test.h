// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtTest/QtTest>

#include "base/result.h"

/// Fails the test with the Error's own text.
#define VERIFY_OK(result)                                                                         \
    do {                                                                                          \
        const auto& checked = (result);                                                           \
        QVERIFY2(checked.has_value(), checked.has_value() ? "" : checked.error().toString().c_str()); \
    } while (false)

/// Expects an Error with this code; prints what came instead.
#define COMPARE_ERR(result, expected)                                                             \
    do {                                                                                          \
        const auto& checked = (result);                                                           \
        QVERIFY2(!checked.has_value(), "a value came where an error was expected");               \
        QVERIFY2(checked.error().code == (expected), checked.error().toString().c_str());         \
    } while (false)
