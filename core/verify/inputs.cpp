// SPDX-License-Identifier: Apache-2.0
#include "verify/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "base/hash.h"
#include "base/rng.h"
#include "expr/expression.h"
#include "verify/chunks.h"

namespace ww::verify {

namespace {

using spec::ResolvedArgument;

/// Uniform in [0, 1) with 53 bits.
double unit(std::uint64_t bits) noexcept { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

/// Calls `use(T{})` with the C++ type of an integer DType.
template <typename F> void withIntegerType(DType type, F&& use) {
    switch (type) {
    case DType::Bool:
    case DType::UInt8: use(std::uint8_t{}); return;
    case DType::Int8: use(std::int8_t{}); return;
    case DType::Int16: use(std::int16_t{}); return;
    case DType::UInt16: use(std::uint16_t{}); return;
    case DType::Int32: use(std::int32_t{}); return;
    case DType::UInt32: use(std::uint32_t{}); return;
    case DType::Int64: use(std::int64_t{}); return;
    case DType::UInt64: use(std::uint64_t{}); return;
    case DType::Float32:
    case DType::Float64:
    case DType::Half:
    case DType::BFloat16: return;
    }
}

/// Uniform in [0, range) by multiplying high parts (Lemire 2019); the bias of range / 2^64 does not matter for test data.
std::uint64_t scaleDown(std::uint64_t bits, std::uint64_t range) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits) * range) >> 64);
}

template <typename T> void fillRandomIntegers(std::uint64_t stream, double bound, std::span<std::byte> out) {
    // Half the range of 64-bit types is plenty and keeps the arithmetic free of overflow.
    const double largest = std::min(static_cast<double>(std::numeric_limits<T>::max()), 0x1.0p62);
    const auto limit = static_cast<std::int64_t>(std::min(std::floor(bound), largest));
    const std::int64_t low = std::is_signed_v<T> ? -limit : 0;
    const auto range = static_cast<std::uint64_t>(limit - low) + 1;
    const std::size_t count = out.size() / sizeof(T);
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<T>(low + static_cast<std::int64_t>(scaleDown(SplitMix64::at(stream, i), range)));
        std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
    }
}

constexpr std::size_t kBlock = 256; ///< elements that share a magnitude in BlockUnique
constexpr std::uint64_t kSignStream = 0x5167;

/// Element i of a family, for a bound above 0. `small` types have a range that Large must not leave by itself.
double drawFloat(spec::InputFamily family, std::uint64_t stream, std::size_t i, double bound, bool small) noexcept {
    const std::uint64_t bits = SplitMix64::at(stream, i);
    const double signedUnit = 2.0 * unit(bits) - 1.0;
    switch (family) {
    case spec::InputFamily::Uniform: break;
    case spec::InputFamily::HeavyTailed: {
        const double square = signedUnit * signedUnit, fourth = square * square;
        return bound * fourth * fourth * signedUnit;
    }
    case spec::InputFamily::BlockUnique: {
        const double block = 2.0 * unit(SplitMix64::at(~stream, i / kBlock)) - 1.0;
        return bound * block * (0.5 + 0.5 * unit(bits));
    }
    case spec::InputFamily::ExactIntegers: return (bits >> 63) != 0 ? std::min(1.0, std::exp2(std::floor(std::log2(bound)))) : 0.0;
    case spec::InputFamily::Large: return bound * (small ? 512.0 : 4096.0) * (0.5 + 0.5 * unit(bits));
    case spec::InputFamily::Tiny: return bound * (small ? 0x1p-8 : 0x1p-20) * signedUnit;
    }
    return signedUnit * bound;
}

void fillRandomFloats(const ResolvedArgument& argument, std::uint64_t stream, double bound, std::span<std::byte> out) {
    const std::size_t width = sizeOf(argument.type);
    const bool small = argument.type == DType::Half;
    const std::uint64_t signs = deriveSeed(stream, kSignStream);
    forEachChunk(argument.elements, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            double value = drawFloat(argument.family, stream, i, bound, small);
            if (argument.nudge != 0.0) value += (SplitMix64::at(signs, i) >> 63) != 0 ? argument.nudge : -argument.nudge;
            if (argument.type == DType::Float32) {
                const auto single = static_cast<float>(value);
                std::memcpy(out.data() + i * sizeof single, &single, sizeof single);
            } else {
                storeFromDouble(argument.type, value, out.data() + i * width);
            }
        }
    });
}

void fillRandom(const ResolvedArgument& argument, std::uint64_t stream, std::span<std::byte> out) {
    const double bound = argument.fillValue == 0.0 ? 1.0 : std::fabs(argument.fillValue);
    if (argument.type == DType::Bool) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<std::byte>(SplitMix64::at(stream, i) >> 63);
        return;
    }
    if (isFloating(argument.type)) return fillRandomFloats(argument, stream, bound, out);
    withIntegerType(argument.type, [&]<typename T>(T) { fillRandomIntegers<T>(stream, bound, out); });
}

void fillConstant(const ResolvedArgument& argument, std::span<std::byte> out) {
    const std::size_t width = sizeOf(argument.type);
    if (out.size() < width) return;
    storeFromDouble(argument.type, argument.fillValue, out.data());
    // Doubles what is filled until all is.
    for (std::size_t filled = width; filled < out.size();) {
        const std::size_t step = std::min(filled, out.size() - filled);
        std::memcpy(out.data() + filled, out.data(), step);
        filled += step;
    }
}

/// Stores a number of the expression language; 64-bit integers keep all their bits.
bool storeValue(DType type, const expr::Value& value, std::byte* at) {
    if (!value.isNumber()) return false;
    if (type == DType::Int64 && !value.isFloat()) {
        const std::int64_t whole = value.asInt();
        std::memcpy(at, &whole, sizeof whole);
    } else {
        storeFromDouble(type, value.asDouble(), at);
    }
    return true;
}

Result<void> fillGenerated(const ResolvedArgument& argument, std::span<std::byte> out) {
    WW_TRY(expression, expr::Expression::parse(argument.generator));
    expr::Scope scope;
    const std::size_t width = sizeOf(argument.type);
    for (std::size_t i = 0; i < argument.elements; ++i) {
        scope.set("i", expr::Value(static_cast<std::int64_t>(i)));
        auto value = expression.evaluate(scope);
        const std::string place = "argument " + argument.name + ", Generator '" + argument.generator + "', i = " + std::to_string(i);
        if (!value) return fail(ErrorCode::InvalidSpec, value.error().message, place);
        if (!storeValue(argument.type, *value, out.data() + i * width))
            return fail(ErrorCode::InvalidSpec, "the generator gives " + value->repr() + ", which is no number", place);
    }
    return {};
}

Result<void> copyData(const ResolvedArgument& argument, std::span<std::byte> out, std::span<const std::byte> data) {
    if (data.size() < out.size())
        return fail(ErrorCode::InvalidSpec,
                    "the data file holds " + std::to_string(data.size()) + " bytes, but the argument needs " + std::to_string(out.size()) +
                        "; give a longer file or a smaller Size",
                    "argument " + argument.name + ", " + argument.dataFile);
    if (!out.empty()) std::memcpy(out.data(), data.data(), out.size());
    return {};
}

} // namespace

std::uint64_t argumentSeed(std::uint64_t seed, std::string_view name) noexcept { return deriveSeed(seed, nameHash(name)); }

Result<void> fillArgument(const ResolvedArgument& argument, std::uint64_t seed, std::span<std::byte> out, std::span<const std::byte> data) {
    if (out.size() != argument.bytes())
        return fail(ErrorCode::Internal,
                    "buffer of " + std::to_string(out.size()) + " bytes for an argument of " + std::to_string(argument.bytes()),
                    "argument " + argument.name);
    switch (argument.fill) {
    case spec::Fill::Constant: fillConstant(argument, out); return {};
    case spec::Fill::Random: fillRandom(argument, argumentSeed(seed, argument.name), out); return {};
    case spec::Fill::BinaryRaw: return copyData(argument, out, data);
    case spec::Fill::Generator: return fillGenerated(argument, out);
    case spec::Fill::Script: break;
    }
    return fail(ErrorCode::Unsupported,
                "FillType Script runs foreign code and is not supported; use Random, Constant, BinaryRaw or a "
                "Generator expression in i",
                "argument " + argument.name);
}

Result<device::ScalarArgument> scalarBytes(const ResolvedArgument& argument) {
    const std::string place = "scalar argument " + argument.name;
    if (!argument.scalar.isNumber())
        return fail(ErrorCode::InvalidSpec,
                    "its value is " + argument.scalar.repr() +
                        ", which is no number; give it a FillValue or an "
                        "entry in Warpwright.Scalars",
                    place);
    device::ScalarArgument scalar;
    scalar.size = sizeOf(argument.type);
    storeValue(argument.type, argument.scalar, scalar.bytes.data());
    if (!isFloating(argument.type) && argument.type != DType::Bool) {
        // Integers saturate when stored; what does not come back was out of range or had a fraction.
        const double wanted = argument.scalar.asDouble();
        if (loadAsDouble(argument.type, scalar.bytes.data()) != wanted)
            return fail(ErrorCode::InvalidSpec,
                        "the value " + argument.scalar.repr() + " does not fit into " + std::string(toString(argument.type)), place);
    }
    return scalar;
}

} // namespace ww::verify
