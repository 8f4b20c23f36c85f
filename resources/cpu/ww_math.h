// SPDX-License-Identifier: Apache-2.0
// CUDA's math functions that C++ does not have, and faster forms of some that it has.
#pragma once

// libm's fmaxf is a call; this form vectorises and treats NaN the same way.
#define WW_MIN_MAX(T)                                                                       \
    WW_INLINE T ww_fmax(T a, T b) { return (a > b || b != b) ? a : b; }                     \
    WW_INLINE T ww_fmin(T a, T b) { return (a < b || b != b) ? a : b; }                     \
    WW_INLINE T max(T a, T b) { return ww_fmax(a, b); }                                     \
    WW_INLINE T min(T a, T b) { return ww_fmin(a, b); }
WW_MIN_MAX(float)
WW_MIN_MAX(double)
#undef WW_MIN_MAX
WW_INLINE double ww_fmax(float a, double b) { return ww_fmax(static_cast<double>(a), b); }
WW_INLINE double ww_fmax(double a, float b) { return ww_fmax(a, static_cast<double>(b)); }
WW_INLINE double ww_fmin(float a, double b) { return ww_fmin(static_cast<double>(a), b); }
WW_INLINE double ww_fmin(double a, float b) { return ww_fmin(a, static_cast<double>(b)); }
WW_INLINE float ww_fmaxf(float a, float b) { return ww_fmax(a, b); }
WW_INLINE float ww_fminf(float a, float b) { return ww_fmin(a, b); }
#define fmaxf ww_fmaxf
#define fminf ww_fminf
#define fmax ww_fmax
#define fmin ww_fmin
namespace std {
using ::ww_fmax;
using ::ww_fmaxf;
using ::ww_fmin;
using ::ww_fminf;
}

#define WW_MIN_MAX(R, A, B)                                                                                                   \
    WW_INLINE R max(A a, B b) { return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); }       \
    WW_INLINE R min(A a, B b) { return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); }
WW_MIN_MAX(int, int, int)
WW_MIN_MAX(unsigned, unsigned, unsigned)
WW_MIN_MAX(unsigned, int, unsigned)
WW_MIN_MAX(unsigned, unsigned, int)
WW_MIN_MAX(long, long, long)
WW_MIN_MAX(unsigned long, unsigned long, unsigned long)
WW_MIN_MAX(unsigned long, long, unsigned long)
WW_MIN_MAX(unsigned long, unsigned long, long)
WW_MIN_MAX(long long, long long, long long)
WW_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
WW_MIN_MAX(unsigned long long, long long, unsigned long long)
WW_MIN_MAX(unsigned long long, unsigned long long, long long)
WW_MIN_MAX(double, float, double)
WW_MIN_MAX(double, double, float)
#undef WW_MIN_MAX
WW_INLINE unsigned umin(unsigned a, unsigned b) { return min(a, b); }
WW_INLINE unsigned umax(unsigned a, unsigned b) { return max(a, b); }

WW_INLINE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
WW_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }
WW_INLINE float rsqrt(float x) { return rsqrtf(x); }
WW_INLINE float rcbrtf(float x) { return 1.0f / cbrtf(x); }
WW_INLINE float sinpif(float x) { return static_cast<float>(sin(M_PI * static_cast<double>(x))); }
WW_INLINE float cospif(float x) { return static_cast<float>(cos(M_PI * static_cast<double>(x))); }
WW_INLINE void sincospif(float x, float* s, float* c) { *s = sinpif(x); *c = cospif(x); }
WW_INLINE float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678118654752f); }
WW_INLINE float erfcxf(float x) { return static_cast<float>(exp(static_cast<double>(x) * x) * erfc(static_cast<double>(x))); }
WW_INLINE float fdividef(float a, float b) { return a / b; }
WW_INLINE float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
WW_INLINE float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }

// Macros, because glibc declares functions of these names for itself.
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __tanhf tanhf
#define __sincosf sincosf
#define __powf powf
WW_INLINE float __fdividef(float a, float b) { return a / b; }
WW_INLINE float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
WW_INLINE float __fsqrt_rn(float x) { return sqrtf(x); }
WW_INLINE float __frcp_rn(float x) { return 1.0f / x; }
WW_INLINE float __fdiv_rn(float a, float b) { return a / b; }
WW_INLINE float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
// The _rn forms promise that nothing is contracted into them, so the result must pass through a barrier for the optimiser.
#define WW_ROUNDED(name, T, op)                                          \
    WW_INLINE T name(T a, T b) {                                         \
        T result = a op b;                                               \
        __asm__("" : "+x"(result));                                      \
        return result;                                                   \
    }
#if defined(__x86_64__)
WW_ROUNDED(__fadd_rn, float, +)
WW_ROUNDED(__fsub_rn, float, -)
WW_ROUNDED(__fmul_rn, float, *)
WW_ROUNDED(__dadd_rn, double, +)
WW_ROUNDED(__dsub_rn, double, -)
WW_ROUNDED(__dmul_rn, double, *)
#endif
#undef WW_ROUNDED
WW_INLINE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WW_INLINE float __fmaf_ieee_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WW_INLINE double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
WW_INLINE double __ddiv_rn(double a, double b) { return a / b; }
WW_INLINE double __dsqrt_rn(double x) { return sqrt(x); }

WW_INLINE int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
WW_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
WW_INLINE int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
WW_INLINE unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
WW_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
WW_INLINE long long __mul64hi(long long a, long long b) { return static_cast<long long>((static_cast<__int128>(a) * b) >> 64); }
WW_INLINE unsigned __sad(int a, int b, unsigned c) { return (a > b ? unsigned(a) - unsigned(b) : unsigned(b) - unsigned(a)) + c; }
WW_INLINE int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
WW_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
WW_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
WW_INLINE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
WW_INLINE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
WW_INLINE int __ffs(int x) { return __builtin_ffs(x); }
WW_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
WW_INLINE unsigned __brev(unsigned x) {
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(x);
}
WW_INLINE unsigned long long __brevll(unsigned long long x) {
    return (static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32) | __brev(static_cast<unsigned>(x >> 32));
}
WW_INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const unsigned long long bytes = (static_cast<unsigned long long>(b) << 32) | a;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned pick = (selector >> (4 * i)) & 0xf;
        unsigned byte = static_cast<unsigned>(bytes >> (8 * (pick & 7))) & 0xff;
        if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}
WW_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((((static_cast<unsigned long long>(high) << 32) | low) << (shift & 31)) >> 32);
}
WW_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32) | low) >> (shift & 31));
}
WW_INLINE int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 4; ++i) c += static_cast<signed char>(a >> (8 * i)) * static_cast<signed char>(b >> (8 * i));
    return c;
}

#define WW_CONVERT(name, From, To) \
    WW_INLINE To name(From x) { To result; static_assert(sizeof(From) == sizeof(To), ""); memcpy(&result, &x, sizeof x); return result; }
WW_CONVERT(__float_as_int, float, int)
WW_CONVERT(__float_as_uint, float, unsigned)
WW_CONVERT(__int_as_float, int, float)
WW_CONVERT(__uint_as_float, unsigned, float)
WW_CONVERT(__double_as_longlong, double, long long)
WW_CONVERT(__longlong_as_double, long long, double)
#undef WW_CONVERT
/// CUDA saturates out-of-range conversions and turns NaN into 0.
WW_INLINE int ww_to_int(float x) {
    return x != x ? 0 : x >= 2147483648.0f ? 2147483647 : x <= -2147483648.0f ? -2147483647 - 1 : static_cast<int>(x);
}
WW_INLINE int __float2int_rn(float x) { return ww_to_int(rintf(x)); }
WW_INLINE int __float2int_rz(float x) { return ww_to_int(x); }
WW_INLINE int __float2int_rd(float x) { return ww_to_int(floorf(x)); }
WW_INLINE int __float2int_ru(float x) { return ww_to_int(ceilf(x)); }
WW_INLINE unsigned __float2uint_rn(float x) { return x > 0.0f ? static_cast<unsigned>(static_cast<long long>(rintf(x))) : 0u; }
WW_INLINE unsigned __float2uint_rz(float x) { return x > 0.0f ? static_cast<unsigned>(static_cast<long long>(x)) : 0u; }
WW_INLINE float __int2float_rn(int x) { return static_cast<float>(x); }
WW_INLINE float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
WW_INLINE float __double2float_rn(double x) { return static_cast<float>(x); }
