// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <set>

#include "base/dtype.h"
#include "base/rng.h"
#include "result_test.h"
#include "verify/inputs.h"

using namespace ww;

namespace {

spec::ResolvedArgument argumentOf(DType type, spec::Fill fill, double value, std::uint64_t elements) {
    spec::ResolvedArgument argument;
    argument.name = "x";
    argument.type = type;
    argument.fill = fill;
    argument.fillValue = value;
    argument.elements = elements;
    return argument;
}

std::vector<std::byte> filled(const spec::ResolvedArgument& argument, std::uint64_t seed) {
    std::vector<std::byte> bytes(argument.bytes());
    auto done = verify::fillArgument(argument, seed, bytes);
    if (!done) qFatal("%s", done.error().toString().c_str());
    return bytes;
}

} // namespace

class TestInputs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTypeFills_data();
    void everyTypeFills();
    void sameSeedSameBytes();
    void anyElementByItsIndex();
    void integerEndsAreReached();
    void dataFiles();
    void generators();
    void generatorErrorsNameThePlace();
    void scriptIsRefused();
    void wrongLengthIsOurFault();
    void scalars_data();
    void scalars();
    void badScalars();
};

void TestInputs::everyTypeFills_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<double>("fillValue");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    const auto row = [](const char* name, DType type, double value, double low, double high) {
        QTest::newRow(name) << static_cast<int>(type) << value << low << high;
    };
    row("float32", DType::Float32, 2.5, -2.5, 2.5);
    row("float32, 0 means 1", DType::Float32, 0, -1, 1);
    row("float64", DType::Float64, 1e6, -1e6, 1e6);
    row("half", DType::Half, 1, -1, 1);
    row("bfloat16", DType::BFloat16, 1, -1, 1);
    row("int32", DType::Int32, 100, -100, 100);
    row("uint32", DType::UInt32, 100, 0, 100);
    row("int8 cut to its range", DType::Int8, 1e9, -127, 127);
    row("uint8", DType::UInt8, 1e9, 0, 255);
    row("int16", DType::Int16, 9, -9, 9);
    row("uint16", DType::UInt16, 9, 0, 9);
    row("int64", DType::Int64, 1e12, -1e12, 1e12);
    row("uint64, enormous", DType::UInt64, 1e30, 0, 0x1.0p62);
    row("bool", DType::Bool, 1, 0, 1);
}

void TestInputs::everyTypeFills() {
    QFETCH(int, type);
    QFETCH(double, fillValue);
    QFETCH(double, low);
    QFETCH(double, high);
    const auto kind = static_cast<DType>(type);
    constexpr std::size_t kCount = 5000;
    const auto bytes = filled(argumentOf(kind, spec::Fill::Random, fillValue, kCount), 4);
    double sum = 0, least = 1e300, most = -1e300;
    for (std::size_t i = 0; i < kCount; ++i) {
        const double value = loadAsDouble(kind, bytes.data() + i * sizeOf(kind));
        sum += value;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    const double span = high - low;
    QVERIFY(least >= low && most <= high);
    QVERIFY(least <= low + 0.05 * span && most >= high - 0.05 * span);
    QVERIFY(std::fabs(sum / kCount - 0.5 * (low + high)) < 0.03 * span);
}

void TestInputs::sameSeedSameBytes() {
    const auto argument = argumentOf(DType::Float32, spec::Fill::Random, 1, 1000);
    QVERIFY(filled(argument, 7) == filled(argument, 7));
    QVERIFY(filled(argument, 7) != filled(argument, 8));
    auto other = argument;
    other.name = "y";
    QVERIFY(filled(argument, 7) != filled(other, 7));
    // A longer buffer starts with the same values.
    auto longer = argument;
    longer.elements = 2000;
    const auto all = filled(longer, 7);
    QVERIFY(std::equal(all.begin(), all.begin() + 4000, filled(argument, 7).begin()));
}

void TestInputs::anyElementByItsIndex() {
    const auto bytes = filled(argumentOf(DType::Float64, spec::Fill::Random, 1, 100), 9);
    const double unit = static_cast<double>(SplitMix64::at(verify::argumentSeed(9, "x"), 42) >> 11) * 0x1.0p-53;
    QCOMPARE(loadAsDouble(DType::Float64, bytes.data() + 42 * 8), 2.0 * unit - 1.0);
}

void TestInputs::integerEndsAreReached() {
    std::set<double> seen;
    const auto bytes = filled(argumentOf(DType::Int32, spec::Fill::Random, 2, 500), 1);
    for (std::size_t i = 0; i < 500; ++i)
        seen.insert(loadAsDouble(DType::Int32, bytes.data() + 4 * i));
    QVERIFY((seen == std::set<double>{-2, -1, 0, 1, 2}));
}

void TestInputs::dataFiles() {
    const auto argument = argumentOf(DType::UInt8, spec::Fill::BinaryRaw, 0, 3);
    const std::vector<std::byte> data{std::byte{7}, std::byte{8}, std::byte{9}, std::byte{10}};
    std::vector<std::byte> out(3);
    VERIFY_OK(verify::fillArgument(argument, 1, out, data));
    QVERIFY(out[2] == std::byte{9});
    auto tooShort = verify::fillArgument(argument, 1, out, std::span(data).first(2));
    COMPARE_ERR(tooShort, ErrorCode::InvalidSpec);
    QVERIFY(tooShort.error().toString().find("2 bytes") != std::string::npos);
}

void TestInputs::generators() {
    auto argument = argumentOf(DType::Int64, spec::Fill::Generator, 0, 4);
    argument.generator = "i * i + 9007199254740993"; // 2^53 + 1: a double would lose the last bit
    const auto bytes = filled(argument, 1);
    std::int64_t value = 0;
    std::memcpy(&value, bytes.data() + 16, sizeof value);
    QCOMPARE(value, std::int64_t{9007199254740997});
    argument.type = DType::Float32;
    argument.generator = "i / 4";
    QCOMPARE(loadAsDouble(DType::Float32, filled(argument, 1).data() + 12), 0.75);
}

void TestInputs::generatorErrorsNameThePlace() {
    auto argument = argumentOf(DType::Float32, spec::Fill::Generator, 0, 4);
    std::vector<std::byte> out(16);
    argument.generator = "1 // (i - 2)";
    auto division = verify::fillArgument(argument, 1, out);
    COMPARE_ERR(division, ErrorCode::InvalidSpec);
    QVERIFY2(division.error().toString().find("i = 2") != std::string::npos, division.error().toString().c_str());
    argument.generator = "'text'";
    COMPARE_ERR(verify::fillArgument(argument, 1, out), ErrorCode::InvalidSpec);
    argument.generator = "import os";
    COMPARE_ERR(verify::fillArgument(argument, 1, out), ErrorCode::InvalidExpression);
}

void TestInputs::scriptIsRefused() {
    std::vector<std::byte> out(4);
    auto refused = verify::fillArgument(argumentOf(DType::Float32, spec::Fill::Script, 0, 1), 1, out);
    COMPARE_ERR(refused, ErrorCode::Unsupported);
}

void TestInputs::wrongLengthIsOurFault() {
    std::vector<std::byte> out(5);
    COMPARE_ERR(verify::fillArgument(argumentOf(DType::Float32, spec::Fill::Constant, 0, 1), 1, out), ErrorCode::Internal);
    out.clear();
    for (const spec::Fill fill : {spec::Fill::Constant, spec::Fill::Random})
        VERIFY_OK(verify::fillArgument(argumentOf(DType::Float32, fill, 3, 0), 1, out));
    const auto constant = filled(argumentOf(DType::Half, spec::Fill::Constant, 1.5, 7), 1);
    for (std::size_t i = 0; i < 7; ++i)
        QCOMPARE(loadAsDouble(DType::Half, constant.data() + 2 * i), 1.5);
}

void TestInputs::scalars_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<double>("value");
    QTest::newRow("int32") << static_cast<int>(DType::Int32) << 2000000000.0;
    QTest::newRow("uint8") << static_cast<int>(DType::UInt8) << 255.0;
    QTest::newRow("float32") << static_cast<int>(DType::Float32) << 0.5;
    QTest::newRow("half") << static_cast<int>(DType::Half) << -2.0;
    QTest::newRow("bool") << static_cast<int>(DType::Bool) << 1.0;
}

void TestInputs::scalars() {
    QFETCH(int, type);
    QFETCH(double, value);
    spec::ResolvedArgument argument;
    argument.type = static_cast<DType>(type);
    argument.scalar = expr::Value(value);
    auto bytes = verify::scalarBytes(argument);
    VERIFY_OK(bytes);
    QCOMPARE(bytes->size, sizeOf(argument.type));
    QCOMPARE(loadAsDouble(argument.type, bytes->bytes.data()), value);
}

void TestInputs::badScalars() {
    spec::ResolvedArgument argument;
    argument.name = "n";
    argument.type = DType::Int32;
    for (const expr::Value& value : {expr::Value(std::int64_t{3000000000}), expr::Value(1.5), expr::Value("many"), expr::Value()}) {
        argument.scalar = value;
        COMPARE_ERR(verify::scalarBytes(argument), ErrorCode::InvalidSpec);
    }
    argument.type = DType::Int64;
    argument.scalar = expr::Value(std::int64_t{9007199254740993});
    auto bytes = verify::scalarBytes(argument);
    VERIFY_OK(bytes);
    std::int64_t value = 0;
    std::memcpy(&value, bytes->bytes.data(), sizeof value);
    QCOMPARE(value, std::int64_t{9007199254740993});
}

QTEST_APPLESS_MAIN(TestInputs)
#include "tst_inputs.moc"
