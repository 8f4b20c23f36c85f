// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>

#include "base/rng.h"
#include "result_test.h"
#include "verify/compare.h"

using namespace ww;
using namespace ww::verify;

namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

std::vector<std::byte> packed(DType type, const std::vector<double>& values) {
    std::vector<std::byte> bytes(values.size() * sizeOf(type));
    for (std::size_t i = 0; i < values.size(); ++i)
        storeFromDouble(type, values[i], bytes.data() + i * sizeOf(type));
    return bytes;
}

OutputCheck checkOf(DType type) {
    OutputCheck check;
    check.name = "y";
    check.type = type;
    return check;
}

OutputComparison compared(const OutputCheck& check, const std::vector<double>& got, const std::vector<double>& want) {
    auto result = compareOutput(check, packed(check.type, got), want);
    if (!result) qFatal("%s", result.error().toString().c_str());
    return *result;
}

/// Values spread around 0 like the results of a product of random matrices.
std::vector<double> spreadValues(std::size_t count, double scale = 10) {
    SplitMix64 random(5);
    std::vector<double> values(count);
    for (double& value : values)
        value = scale * (random.uniform() + random.uniform() - 1);
    return values;
}

} // namespace

class TestCompare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void roundingPasses_data();
    void roundingPasses();
    void accumulatedRoundingPasses();
    void lowerPrecisionFails();
    void oneWrongElementAmongMany();
    void nearZeroByCancellation();
    void nonFinite_data();
    void nonFinite();
    void integersAreExact();
    void wideIntegersKeepAllBits();
    void ownTolerancesWin();
    void spreadWidens();
    void referenceErrorBounds();
    void zeroReference();
    void unwrittenIsToldApart();
    void emptyPasses();
    void lengthsMustAgree();
    void hugeValuesDoNotOverflow();
    void ulps();
    void jsonHoldsNoNull();
};

void TestCompare::roundingPasses_data() {
    QTest::addColumn<int>("type");
    for (const DType type : {DType::Half, DType::BFloat16, DType::Float32, DType::Float64})
        QTest::newRow(std::string(toString(type)).c_str()) << static_cast<int>(type);
}

void TestCompare::roundingPasses() {
    QFETCH(int, type);
    const auto kind = static_cast<DType>(type);
    const std::vector<double> want = spreadValues(5000);
    const OutputComparison result = compared(checkOf(kind), want, want);
    QVERIFY2(result.pass, result.reason.c_str());
    QVERIFY(result.relativeL2 <= defaultRelativeTolerance(kind));
    QCOMPARE(result.failing, std::uint64_t{0});
    if (kind != DType::Float64) QVERIFY(result.worst && result.worst->ulps <= 1);
}

void TestCompare::accumulatedRoundingPasses() {
    // A float32 sum of 4096 products against float64: what an honest kernel does.
    SplitMix64 random(2);
    std::vector<double> got, want;
    for (int row = 0; row < 200; ++row) {
        float sum = 0;
        double exact = 0;
        for (int k = 0; k < 4096; ++k) {
            const auto a = static_cast<float>(2 * random.uniform() - 1), b = static_cast<float>(2 * random.uniform() - 1);
            sum += a * b;
            exact += static_cast<double>(a) * b;
        }
        got.push_back(sum);
        want.push_back(exact);
    }
    const OutputComparison result = compared(checkOf(DType::Float32), got, want);
    QVERIFY2(result.pass, result.reason.c_str());
    QVERIFY(result.relativeL2 > 0);
}

void TestCompare::lowerPrecisionFails() {
    const std::vector<double> want = spreadValues(1000);
    std::vector<double> got = want;
    for (double& value : got) {
        std::byte half[2];
        storeFromDouble(DType::Half, value, half);
        value = loadAsDouble(DType::Half, half);
    }
    const OutputComparison result = compared(checkOf(DType::Float32), got, want);
    QVERIFY(!result.pass);
    QVERIFY(result.relativeL2 > 1e-5);
    QVERIFY(result.reason.find("relative L2") != std::string::npos);
}

void TestCompare::oneWrongElementAmongMany() {
    const std::vector<double> want = spreadValues(1000000);
    std::vector<double> got = want;
    got[777777] += 0.005; // relative L2 of 1e-6: L2 alone would let it pass
    const OutputComparison result = compared(checkOf(DType::Float32), got, want);
    QVERIFY(result.relativeL2 < 1e-5);
    QVERIFY(!result.pass);
    QCOMPARE(result.failing, std::uint64_t{1});
    QCOMPARE(result.worst->index, std::uint64_t{777777});
    QCOMPARE(result.worst->want, want[777777]);
    QVERIFY(result.reason.find("[777777]") != std::string::npos);
}

void TestCompare::nearZeroByCancellation() {
    std::vector<double> want = spreadValues(1000), got = want;
    want[10] = 1e-9;
    got[10] = 3e-5; // the rounding of terms around 10 that cancel
    QVERIFY(compared(checkOf(DType::Float32), got, want).pass);
    got[10] = 1e-2;
    QVERIFY(!compared(checkOf(DType::Float32), got, want).pass);
}

void TestCompare::nonFinite_data() {
    QTest::addColumn<double>("got");
    QTest::addColumn<double>("want");
    QTest::addColumn<bool>("match");
    QTest::addColumn<bool>("pass");
    QTest::newRow("NaN for a number") << kNaN << 1.0 << false << false;
    QTest::newRow("NaN for a number, match") << kNaN << 1.0 << true << false;
    QTest::newRow("NaN for NaN") << kNaN << kNaN << false << false;
    QTest::newRow("NaN for NaN, match") << kNaN << kNaN << true << true;
    QTest::newRow("anything for NaN") << 1.0 << kNaN << false << false;
    QTest::newRow("anything for NaN, match") << 1.0 << kNaN << true << false;
    QTest::newRow("Inf for Inf") << kInf << kInf << false << true;
    QTest::newRow("Inf of the wrong sign") << -kInf << kInf << true << false;
    QTest::newRow("Inf for a number") << kInf << 1.0 << true << false;
    QTest::newRow("number for Inf") << 60000.0 << kInf << true << false;
    QTest::newRow("NaN for Inf") << kNaN << kInf << true << false;
    QTest::newRow("overflow the type cannot avoid") << kInf << 70000.0 << false << true;
    QTest::newRow("overflow of the wrong sign") << -kInf << 70000.0 << false << false;
    QTest::newRow("largest number near the overflow") << 65504.0 << 65519.0 << false << true;
}

void TestCompare::nonFinite() {
    QFETCH(double, got);
    QFETCH(double, want);
    QFETCH(bool, match);
    QFETCH(bool, pass);
    OutputCheck check = checkOf(DType::Half);
    check.nanMatches = match;
    const OutputComparison result = compared(check, {1.0, got, 2.0}, {1.0, want, 2.0});
    QVERIFY2(result.pass == pass, result.reason.c_str());
    QCOMPARE(result.reason.empty(), pass);
    QCOMPARE(result.failing, std::uint64_t{pass ? 0u : 1u});
}

void TestCompare::integersAreExact() {
    for (const DType type :
         {DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32, DType::UInt32, DType::Int64, DType::UInt64}) {
        QVERIFY(compared(checkOf(type), {1, 2, 100}, {1, 2, 100}).pass);
        const OutputComparison result = compared(checkOf(type), {1, 2, 101}, {1, 2, 100});
        QVERIFY(!result.pass);
        QCOMPARE(result.worst->index, std::uint64_t{2});
        QCOMPARE(result.maxAbsolute, 1.0);
    }
    QVERIFY(compared(checkOf(DType::Bool), {1, 0}, {5, 0}).pass);
    QVERIFY(!compared(checkOf(DType::Bool), {1, 0}, {1, 1}).pass);
    QVERIFY(!compared(checkOf(DType::Int32), {0}, {kNaN}).pass);
    OutputCheck loose = checkOf(DType::Int32);
    loose.tolerance.absolute = 1;
    QVERIFY(compared(loose, {1, 3}, {1, 2}).pass);
}

void TestCompare::wideIntegersKeepAllBits() {
    const std::int64_t wanted[2] = {9007199254740993, 5}, wrong[2] = {9007199254740992, 5};
    const auto bytesOf = [](const std::int64_t(&values)[2]) { return std::as_bytes(std::span(values)); };
    auto same = compareOutput(checkOf(DType::Int64), bytesOf(wanted), bytesOf(wanted));
    VERIFY_OK(same);
    QVERIFY(same->pass);
    auto other = compareOutput(checkOf(DType::Int64), bytesOf(wrong), bytesOf(wanted));
    VERIFY_OK(other);
    QVERIFY(!other->pass);
    QCOMPARE(other->failing, std::uint64_t{1});
}

void TestCompare::ownTolerancesWin() {
    const std::vector<double> want(100, 1.0), off(100, 1.001);
    OutputCheck check = checkOf(DType::Float32);
    QVERIFY(!compared(check, off, want).pass);
    check.tolerance.relative = 1e-2;
    QVERIFY(compared(check, off, want).pass);
    check.tolerance.absolute = 1e-6;
    QVERIFY(compared(check, off, want).pass);
    check.tolerance.relative = 1e-5;
    QVERIFY(!compared(check, off, want).pass);
    spec::ToleranceSpec spec;
    spec.relative = 1e-3;
    spec.absolute = 1e-4;
    spec.outputs["y"].relative = 1e-1;
    spec.nanMatches = true;
    spec::ResolvedArgument argument;
    argument.name = "y";
    OutputCheck made = makeCheck(argument, spec);
    QCOMPARE(*made.tolerance.relative, 1e-1);
    QCOMPARE(*made.tolerance.absolute, 1e-4);
    QVERIFY(made.nanMatches);
    argument.name = "z";
    QCOMPARE(*makeCheck(argument, spec).tolerance.relative, 1e-3);
}

void TestCompare::spreadWidens() {
    const std::vector<double> want = spreadValues(200);
    std::vector<double> first = want, second = want;
    for (std::size_t i = 0; i < want.size(); ++i) {
        first[i] += 1e-3;
        second[i] -= 1e-3;
    }
    const Spread spread = spreadBetween(DType::Float32, packed(DType::Float32, first), packed(DType::Float32, second));
    QVERIFY(std::fabs(spread.absolute - 2e-3) < 1e-5);
    OutputCheck check = checkOf(DType::Float32);
    QVERIFY(!compared(check, first, want).pass);
    check.relativeSpread = spread.relative;
    check.absoluteSpread = spread.absolute;
    const OutputComparison result = compared(check, first, want);
    QVERIFY2(result.pass, result.reason.c_str());
    QVERIFY(result.widened);
    QVERIFY(result.toJson().at("widened").get<bool>());
}

void TestCompare::referenceErrorBounds() {
    const std::vector<double> want = spreadValues(10000);
    std::vector<double> got = want;
    got[3] += 5e-4;
    OutputCheck check = checkOf(DType::Float32);
    check.referenceError = 1e-4;
    QVERIFY(compared(check, got, want).pass);
    check.referenceError = 1e-5;
    QVERIFY(!compared(check, got, want).pass);
    // A reference without any error of its own still allows the rounding of the result.
    check.referenceError = 0;
    QVERIFY(compared(check, want, want).pass);
}

void TestCompare::zeroReference() {
    OutputCheck check = checkOf(DType::Float32);
    QVERIFY(compared(check, {0, 0, -0.0}, {0, 0, 0}).pass);
    const OutputComparison tiny = compared(check, {0, 1e-6, 0}, {0, 0, 0});
    QVERIFY(!tiny.pass);
    check.tolerance.absolute = 1e-5;
    QVERIFY(compared(check, {0, 1e-6, 0}, {0, 0, 0}).pass);
}

void TestCompare::unwrittenIsToldApart() {
    OutputCheck check = checkOf(DType::Int32);
    check.poison = std::byte{0xff};
    // -1 is the poison; where it is the right answer nothing is missing.
    const OutputComparison result = compared(check, {-1, -1, 7}, {-1, 5, 8});
    QCOMPARE(result.failing, std::uint64_t{2});
    QCOMPARE(result.unwritten, std::uint64_t{1});
    OutputCheck real = checkOf(DType::Float32);
    real.poison = std::byte{0xff};
    const std::vector<std::byte> untouched(12, std::byte{0xff});
    auto compared = compareOutput(real, untouched, std::vector<double>{1, 2, 3});
    VERIFY_OK(compared);
    QCOMPARE(compared->unwritten, std::uint64_t{3});
    QVERIFY(compared->reason.find("never written") != std::string::npos);
}

void TestCompare::emptyPasses() {
    for (const DType type : {DType::Float32, DType::Int32}) {
        const OutputComparison result = compared(checkOf(type), {}, {});
        QVERIFY(result.pass && !result.worst);
    }
}

void TestCompare::lengthsMustAgree() {
    const std::vector<std::byte> bytes(8);
    COMPARE_ERR(compareOutput(checkOf(DType::Float32), bytes, std::vector<double>{1}), ErrorCode::Internal);
    COMPARE_ERR(compareOutput(checkOf(DType::Float32), std::span(bytes).first(7), std::vector<double>{1, 2}), ErrorCode::Internal);
}

void TestCompare::hugeValuesDoNotOverflow() {
    const std::vector<double> want{1e300, -1e300, 1e290};
    QVERIFY(compared(checkOf(DType::Float64), want, want).pass);
    QVERIFY(!compared(checkOf(DType::Float64), {1e300, -1.1e300, 1e290}, want).pass);
    QVERIFY(!compared(checkOf(DType::Float64), {1.7e308, 0, 0}, {-1.7e308, 0, 0}).pass);
}

void TestCompare::ulps() {
    const float one = 1.0f, next = std::nextafter(one, 2.0f), below = std::nextafter(0.0f, -1.0f), above = std::nextafter(0.0f, 1.0f);
    OutputCheck check = checkOf(DType::Float32);
    check.tolerance.relative = check.tolerance.absolute = 0.0;
    QCOMPARE(compared(check, {next}, {one}).worst->ulps, 1.0);
    QCOMPARE(compared(check, {below}, {above}).worst->ulps, 2.0);
    QCOMPARE(compared(checkOf(DType::Half), {2.0}, {1.0}).worst->ulps, 1024.0);
}

void TestCompare::jsonHoldsNoNull() {
    const Json json = compared(checkOf(DType::Float32), {kNaN, kInf}, {1, 2}).toJson();
    QCOMPARE(json.at("worst").at("got").get<std::string>(), std::string("nan"));
    QCOMPARE(json.at("pass").get<bool>(), false);
    QCOMPARE(json.at("non_finite").get<int>(), 2);
    QVERIFY(json.dump().find("null") == std::string::npos);
}

QTEST_APPLESS_MAIN(TestCompare)
#include "tst_compare.moc"
