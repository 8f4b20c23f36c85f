// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QTemporaryDir>
#include <cmath>
#include <limits>
#include <vector>

#include "base/dtype.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/trial_status.h"
#include "base/units.h"
#include "result_test.h"

using namespace ww;

class TestBase : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void jsonErrorsNameThePlace_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("place");
        QTest::newRow("missing comma") << QByteArray("{\n  \"a\": 1\n  \"b\": 2\n}") << QByteArray("line 3, column 5");
        QTest::newRow("cut off") << QByteArray("{\"a\": [1, 2") << QByteArray("line 1, column 12");
        QTest::newRow("empty") << QByteArray("") << QByteArray("line 1, column 1");
    }
    void jsonErrorsNameThePlace() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, place);
        const auto parsed = parseJson(text.toStdString(), "spec.json");
        COMPARE_ERR(parsed, ErrorCode::ParseError);
        QVERIFY2(parsed.error().message.find(place.toStdString()) != std::string::npos, parsed.error().message.c_str());
        QCOMPARE(parsed.error().context, std::string("spec.json"));
    }

    void wrongTypesNameTheKey() {
        const Json object = *parseJson(R"({"n": "x", "s": 3, "ok": 4})");
        const auto number = optionalInteger(object, "n");
        COMPARE_ERR(number, ErrorCode::InvalidSpec);
        QVERIFY(number.error().message.find("\"n\"") != std::string::npos);
        COMPARE_ERR(optionalString(object, "s"), ErrorCode::InvalidSpec);
        QCOMPARE(**optionalInteger(object, "ok"), std::int64_t{4});
        QVERIFY(!optionalInteger(object, "absent")->has_value());
    }

    void filesThatCannotBeRead() {
        QTemporaryDir folder;
        const std::filesystem::path base = folder.path().toStdString();
        COMPARE_ERR(readFile(base / "absent.cu"), ErrorCode::NotFound);
        COMPARE_ERR(readFile(base), ErrorCode::Unreadable);
        VERIFY_OK(writeFileAtomically(base / "a.txt", "one"));
        VERIFY_OK(writeFileAtomically(base / "a.txt", "two"));
        QCOMPARE(*readFile(base / "a.txt"), std::string("two"));
        COMPARE_ERR(readFile(base / "a.txt", 2), ErrorCode::Unreadable);
        COMPARE_ERR(writeFileAtomically(base / "no" / "such" / "folder.txt", "x"), ErrorCode::Unreadable);
        QCOMPARE(std::distance(std::filesystem::directory_iterator(base), std::filesystem::directory_iterator()), std::ptrdiff_t{1});
    }

    void halvesRoundToNearestEven_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<int>("bits");
        QTest::newRow("zero") << 0.0 << 0x0000;
        QTest::newRow("minus zero") << -0.0 << 0x8000;
        QTest::newRow("one") << 1.0 << 0x3c00;
        QTest::newRow("largest") << 65504.0 << 0x7bff;
        QTest::newRow("just below the tie to infinity") << 65519.9 << 0x7bff;
        QTest::newRow("the tie goes to infinity") << 65520.0 << 0x7c00;
        QTest::newRow("smallest subnormal") << std::ldexp(1.0, -24) << 0x0001;
        QTest::newRow("half of it ties to zero") << std::ldexp(1.0, -25) << 0x0000;
        QTest::newRow("largest subnormal") << std::ldexp(1023.0, -24) << 0x03ff;
        QTest::newRow("smallest normal") << std::ldexp(1.0, -14) << 0x0400;
        QTest::newRow("tie to even, down") << 1.0 + std::ldexp(1.0, -11) << 0x3c00;
        QTest::newRow("tie to even, up") << 1.0 + 3 * std::ldexp(1.0, -11) << 0x3c02;
        QTest::newRow("carry into the exponent") << 2.0 - std::ldexp(1.0, -12) << 0x4000;
        QTest::newRow("infinity") << std::numeric_limits<double>::infinity() << 0x7c00;
    }
    void halvesRoundToNearestEven() {
        QFETCH(double, value);
        QFETCH(int, bits);
        std::uint16_t stored = 0;
        storeFromDouble(DType::Half, value, reinterpret_cast<std::byte*>(&stored));
        QCOMPARE(static_cast<int>(stored), bits);
    }

    void everyHalfSurvivesARoundTrip() {
        for (int bits = 0; bits < 0x10000; ++bits) {
            const auto half = static_cast<std::uint16_t>(bits);
            const double value = loadAsDouble(DType::Half, reinterpret_cast<const std::byte*>(&half));
            if (std::isnan(value)) continue;
            std::uint16_t again = 0;
            storeFromDouble(DType::Half, value, reinterpret_cast<std::byte*>(&again));
            QCOMPARE(again, half);
        }
    }

    void everyBFloat16SurvivesARoundTrip() {
        for (int bits = 0; bits < 0x10000; ++bits) {
            const auto stored = static_cast<std::uint16_t>(bits);
            const double value = loadAsDouble(DType::BFloat16, reinterpret_cast<const std::byte*>(&stored));
            if (std::isnan(value)) continue;
            std::uint16_t again = 0;
            storeFromDouble(DType::BFloat16, value, reinterpret_cast<std::byte*>(&again));
            QCOMPARE(again, stored);
        }
    }

    void integersSaturate() {
        std::int8_t small = 0;
        storeFromDouble(DType::Int8, 1e9, reinterpret_cast<std::byte*>(&small));
        QCOMPARE(static_cast<int>(small), 127);
        std::uint64_t big = 0;
        storeFromDouble(DType::UInt64, -5.0, reinterpret_cast<std::byte*>(&big));
        QCOMPARE(big, std::uint64_t{0});
        storeFromDouble(DType::UInt64, 1e30, reinterpret_cast<std::byte*>(&big));
        QCOMPARE(big, std::numeric_limits<std::uint64_t>::max());
    }

    void randomStreamsAreAddressable() {
        SplitMix64 stream(42);
        for (std::uint64_t i = 0; i < 100; ++i) QCOMPARE(stream(), SplitMix64::at(42, i));
        SplitMix64 bounded(7);
        std::vector<int> counts(3);
        for (int i = 0; i < 3000; ++i) ++counts[bounded.below(3)];
        for (const int count : counts) QVERIFY(count > 850 && count < 1150);
        QVERIFY(deriveSeed(1, 1) != deriveSeed(1, 2));
    }

    void wordsOfStatusesRoundTrip() {
        for (const auto status : kAllTrialStatuses) QVERIFY(trialStatusFrom(toString(status)) == status);
        QVERIFY(!trialStatusFrom("fine").has_value());
        QVERIFY(verdictFrom("FASTER") == Verdict::Faster);
    }

    void figuresFitTheirUnits() {
        QCOMPARE(formatTimeNs(812), std::string("812 ns"));
        QCOMPARE(formatTimeNs(4310), std::string("4.31 us"));
        QCOMPARE(formatTimeNs(12.04e6), std::string("12.0 ms"));
        QCOMPARE(formatTimeNs(999.96e3), std::string("1.00 ms"));
        QCOMPARE(formatBytes(49152), std::string("48.0 KiB"));
        QCOMPARE(formatDuration(192), std::string("3 min 12 s"));
    }

    void jsonThatNestsTooDeep() {
        const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
        VERIFY_OK(parseJson(nested(400)));
        VERIFY_OK(parseJson("[\"" + std::string(5000, '[') + "\"]"));
        COMPARE_ERR(parseJson(nested(100'000)), ErrorCode::ParseError);
    }

    void hashesAreStable() {
        QCOMPARE(contentHash("").size(), std::size_t{32});
        QVERIFY(contentHash("a") != contentHash("b"));
        QCOMPARE(contentHash("a"), contentHash("a"));
    }
};

QTEST_GUILESS_MAIN(TestBase)
#include "tst_base.moc"
