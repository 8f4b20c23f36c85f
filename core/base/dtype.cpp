// SPDX-License-Identifier: Apache-2.0
#include "base/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace ww {

std::string_view toString(DType type) noexcept {
    switch (type) {
    case DType::Bool: return "bool";
    case DType::Int8: return "int8";
    case DType::UInt8: return "uint8";
    case DType::Int16: return "int16";
    case DType::UInt16: return "uint16";
    case DType::Int32: return "int32";
    case DType::UInt32: return "uint32";
    case DType::Int64: return "int64";
    case DType::UInt64: return "uint64";
    case DType::Half: return "half";
    case DType::BFloat16: return "bfloat16";
    case DType::Float32: return "float32";
    case DType::Float64: return "float64";
    }
    return "float32";
}

std::optional<DType> dtypeFrom(std::string_view name) noexcept {
    static constexpr std::pair<std::string_view, DType> kNames[] = {
        {"bool", DType::Bool},
        {"int8", DType::Int8}, {"int8_t", DType::Int8}, {"char", DType::Int8}, {"signed char", DType::Int8},
        {"uint8", DType::UInt8}, {"uint8_t", DType::UInt8}, {"uchar", DType::UInt8}, {"unsigned char", DType::UInt8},
        {"int16", DType::Int16}, {"int16_t", DType::Int16}, {"short", DType::Int16},
        {"uint16", DType::UInt16}, {"uint16_t", DType::UInt16}, {"ushort", DType::UInt16}, {"unsigned short", DType::UInt16},
        {"int32", DType::Int32}, {"int32_t", DType::Int32}, {"int", DType::Int32}, {"signed int", DType::Int32}, {"signed", DType::Int32},
        {"uint32", DType::UInt32}, {"uint32_t", DType::UInt32}, {"uint", DType::UInt32}, {"unsigned int", DType::UInt32}, {"unsigned", DType::UInt32},
        {"int64", DType::Int64}, {"int64_t", DType::Int64}, {"long", DType::Int64}, {"long long", DType::Int64}, {"ptrdiff_t", DType::Int64},
        {"uint64", DType::UInt64}, {"uint64_t", DType::UInt64}, {"unsigned long", DType::UInt64}, {"unsigned long long", DType::UInt64}, {"size_t", DType::UInt64},
        {"half", DType::Half}, {"__half", DType::Half}, {"float16", DType::Half}, {"fp16", DType::Half},
        {"bfloat16", DType::BFloat16}, {"__nv_bfloat16", DType::BFloat16}, {"nv_bfloat16", DType::BFloat16}, {"bf16", DType::BFloat16},
        {"float", DType::Float32}, {"float32", DType::Float32}, {"fp32", DType::Float32},
        {"double", DType::Float64}, {"float64", DType::Float64}, {"fp64", DType::Float64},
    };
    const auto* found = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& entry) { return entry.first == name; });
    if (found == std::end(kNames)) return std::nullopt;
    return found->second;
}

std::size_t sizeOf(DType type) noexcept {
    switch (type) {
    case DType::Bool:
    case DType::Int8:
    case DType::UInt8: return 1;
    case DType::Int16:
    case DType::UInt16:
    case DType::Half:
    case DType::BFloat16: return 2;
    case DType::Int32:
    case DType::UInt32:
    case DType::Float32: return 4;
    case DType::Int64:
    case DType::UInt64:
    case DType::Float64: return 8;
    }
    return 4;
}

bool isFloating(DType type) noexcept {
    return type == DType::Half || type == DType::BFloat16 || type == DType::Float32 || type == DType::Float64;
}

bool isSigned(DType type) noexcept {
    return isFloating(type) || type == DType::Int8 || type == DType::Int16 || type == DType::Int32 || type == DType::Int64;
}

namespace {

float halfToFloat(std::uint16_t bits) noexcept {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const int exponent = (bits >> 10) & 0x1f;
    const std::uint32_t mantissa = bits & 0x3ffu;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
    if (exponent == 0) {  // zero and subnormals
        const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
        return sign != 0 ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | (static_cast<std::uint32_t>(exponent + 112) << 23) | (mantissa << 13));
}

std::uint16_t doubleToHalf(double value) noexcept {
    const std::uint16_t sign = std::signbit(value) ? 0x8000u : 0u;
    if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00u);
    const double magnitude = std::fabs(value);
    if (magnitude == 0.0) return sign;
    if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00u);
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    // One unit in the last place at this magnitude; nearbyint rounds half to even in the default mode.
    const int ulpExponent = std::max(exponent - 11, -24);
    const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -ulpExponent)));
    if (ulpExponent == -24) return static_cast<std::uint16_t>(sign | steps);
    // A carry out of the mantissa moves into the exponent by itself.
    return static_cast<std::uint16_t>(sign + (static_cast<std::uint32_t>(ulpExponent + 24) << 10) + steps);
}

std::uint16_t doubleToBFloat16(double value) noexcept {
    if (std::isnan(value)) return 0x7fc0u;
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

template <typename T>
T read(const std::byte* at) noexcept {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <typename T>
void write(std::byte* at, T value) noexcept {
    std::memcpy(at, &value, sizeof value);
}

template <typename T>
T saturate(double value) noexcept {
    if (std::isnan(value)) return T{0};
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const double high = static_cast<double>(std::numeric_limits<T>::max());
    if (value <= low) return std::numeric_limits<T>::min();
    if (value >= high) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
}

}  // namespace

double loadAsDouble(DType type, const std::byte* at) noexcept {
    switch (type) {
    case DType::Bool:
    case DType::UInt8: return read<std::uint8_t>(at);
    case DType::Int8: return read<std::int8_t>(at);
    case DType::Int16: return read<std::int16_t>(at);
    case DType::UInt16: return read<std::uint16_t>(at);
    case DType::Int32: return read<std::int32_t>(at);
    case DType::UInt32: return read<std::uint32_t>(at);
    case DType::Int64: return static_cast<double>(read<std::int64_t>(at));
    case DType::UInt64: return static_cast<double>(read<std::uint64_t>(at));
    case DType::Half: return halfToFloat(read<std::uint16_t>(at));
    case DType::BFloat16: return std::bit_cast<float>(static_cast<std::uint32_t>(read<std::uint16_t>(at)) << 16);
    case DType::Float32: return read<float>(at);
    case DType::Float64: return read<double>(at);
    }
    return 0.0;
}

void storeFromDouble(DType type, double value, std::byte* at) noexcept {
    switch (type) {
    case DType::Bool: write<std::uint8_t>(at, value != 0.0); return;
    case DType::UInt8: write(at, saturate<std::uint8_t>(value)); return;
    case DType::Int8: write(at, saturate<std::int8_t>(value)); return;
    case DType::Int16: write(at, saturate<std::int16_t>(value)); return;
    case DType::UInt16: write(at, saturate<std::uint16_t>(value)); return;
    case DType::Int32: write(at, saturate<std::int32_t>(value)); return;
    case DType::UInt32: write(at, saturate<std::uint32_t>(value)); return;
    case DType::Int64: write(at, saturate<std::int64_t>(value)); return;
    case DType::UInt64: write(at, saturate<std::uint64_t>(value)); return;
    case DType::Half: write(at, doubleToHalf(value)); return;
    case DType::BFloat16: write(at, doubleToBFloat16(value)); return;
    case DType::Float32: write(at, static_cast<float>(value)); return;
    case DType::Float64: write(at, value); return;
    }
}

}  // namespace ww
