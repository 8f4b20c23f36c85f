// SPDX-License-Identifier: Apache-2.0
#include "compile/toolkit.h"

#include <algorithm>
#include <cstdlib>

namespace ww::compile {
namespace fs = std::filesystem;

namespace {

// The typedefs are those of cuda/std/cstdint, so that both can be included.
constexpr const char* kIntegers = R"(#pragma once
#include <cuda/std/cstdint>
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
}
)";

constexpr const char* kSizes = R"(#pragma once
namespace std { using ::size_t; using ::ptrdiff_t; }
)";

constexpr const char* kLimits = R"(#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
)";

constexpr const char* kFloats = R"(#pragma once
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_EPSILON 1.19209290e-7F
#define FLT_MIN 1.17549435e-38F
#define FLT_MAX 3.40282347e+38F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
)";

constexpr const char* kMath = R"(#pragma once
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#endif
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::pow; using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p;
using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2; using ::sinh; using ::cosh; using ::tanh; using ::floor; using ::ceil;
using ::round; using ::trunc; using ::rint; using ::fmod; using ::fma; using ::fmax; using ::fmin; using ::hypot; using ::isnan; using ::isinf; using ::isfinite;
using ::erf; using ::erfc; using ::lgamma; using ::tgamma; using ::ldexp; using ::copysign;
}
)";

constexpr const char* kAlgorithm = R"(#pragma once
namespace std {
template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> __host__ __device__ constexpr void swap(T& a, T& b) { T kept = static_cast<T&&>(a); a = static_cast<T&&>(b); b = static_cast<T&&>(kept); }
}
)";

/// printf, assert, malloc, memcpy and memset are there without any header.
constexpr const char* kBuiltIn = "#pragma once\n";

std::string fromCuda(const char* name) {
    return std::string("#pragma once\n#include <cuda/std/") + name + ">\nnamespace std { using namespace ::cuda::std; }\n";
}

}  // namespace

std::vector<fs::path> toolkitFolders() {
    std::vector<fs::path> folders;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT"}) {
        if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') folders.emplace_back(value);
    }
    folders.emplace_back("/usr/local/cuda");
    folders.emplace_back("/opt/cuda");
    std::vector<fs::path> found;
    for (const auto& folder : folders) {
        std::error_code failed;
        if (fs::is_directory(folder, failed)) found.push_back(folder);
    }
    return found;
}

std::vector<fs::path> toolkitIncludeFolders() {
    std::error_code failed;
    for (const auto& root : toolkitFolders()) {
        if (!fs::exists(root / "include" / "cuda_runtime.h", failed)) continue;
        std::vector<fs::path> found{root / "include"};
        if (fs::is_directory(root / "include" / "cccl", failed)) found.push_back(root / "include" / "cccl");
        return found;
    }
    return {};
}

const std::vector<ServedHeader>& servedHeaders() {
    static const std::vector<std::string> kStandard = [] {
        std::vector<std::string> texts;
        for (const char* name : {"type_traits", "limits", "utility", "tuple", "array", "complex", "functional", "initializer_list"}) texts.push_back(fromCuda(name));
        return texts;
    }();
    static const std::vector<ServedHeader> kHeaders{
        {"cstdint", kIntegers},   {"stdint.h", kIntegers},  {"inttypes.h", kIntegers}, {"cinttypes", kIntegers}, {"cstddef", kSizes},     {"stddef.h", kSizes},
        {"climits", kLimits},     {"limits.h", kLimits},    {"cfloat", kFloats},       {"float.h", kFloats},     {"cmath", kMath},        {"math.h", kMath},
        {"algorithm", kAlgorithm}, {"cstdio", kBuiltIn},    {"stdio.h", kBuiltIn},     {"cassert", kBuiltIn},    {"assert.h", kBuiltIn},  {"cstring", kBuiltIn},
        {"string.h", kBuiltIn},   {"stdbool.h", kBuiltIn},  {"cstdlib", kBuiltIn},     {"stdlib.h", kBuiltIn},
        {"type_traits", kStandard[0].c_str()}, {"limits", kStandard[1].c_str()},  {"utility", kStandard[2].c_str()},    {"tuple", kStandard[3].c_str()},
        {"array", kStandard[4].c_str()},       {"complex", kStandard[5].c_str()}, {"functional", kStandard[6].c_str()}, {"initializer_list", kStandard[7].c_str()}};
    return kHeaders;
}

bool isServedHeader(std::string_view name) {
    return std::any_of(servedHeaders().begin(), servedHeaders().end(), [name](const ServedHeader& header) { return name == header.name; });
}

}  // namespace ww::compile
