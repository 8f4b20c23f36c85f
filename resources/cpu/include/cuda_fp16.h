// SPDX-License-Identifier: Apache-2.0
// Half precision on the host compiler's _Float16; ww_narrow.h has what both 16-bit types share.
#pragma once
#include "../ww_narrow.h"

struct __half_raw {
    unsigned short x;
};
struct __half {
    _Float16 value;
    __half() = default;
    constexpr __half(_Float16 x) : value(x) {}
    constexpr __half(float x) : value(static_cast<_Float16>(x)) {}
    __half(double x) : value(static_cast<_Float16>(ww_narrow_odd(x))) {}
    constexpr __half(int x) : value(static_cast<_Float16>(x)) {}
    constexpr __half(unsigned x) : value(static_cast<_Float16>(x)) {}
    constexpr __half(long x) : value(static_cast<_Float16>(x)) {}
    constexpr __half(unsigned long x) : value(static_cast<_Float16>(x)) {}
    constexpr __half(long long x) : value(static_cast<_Float16>(x)) {}
    constexpr __half(unsigned long long x) : value(static_cast<_Float16>(x)) {}
    constexpr __half(short x) : value(static_cast<_Float16>(x)) {}
    constexpr __half(unsigned short x) : value(static_cast<_Float16>(x)) {}
    __half(__half_raw raw) { memcpy(&value, &raw, sizeof value); }
    constexpr operator float() const { return static_cast<float>(value); }
    operator __half_raw() const { __half_raw raw; memcpy(&raw, &value, sizeof raw); return raw; }
    static __half flipped(__half a, unsigned short mask) { __half_raw raw = a; raw.x ^= mask; return raw; }
    static __half cleared(__half a, unsigned short mask) { __half_raw raw = a; raw.x &= static_cast<unsigned short>(~mask); return raw; }
};
using half = __half;
using nv_half = __half;
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    constexpr __half2(__half a, __half b) : x(a), y(b) {}
};
using half2 = __half2;
using nv_half2 = __half2;

WW_NARROW(__half, __half2)

WW_INLINE __half __float2half(float x) { return __half(x); }
WW_INLINE __half __float2half_rn(float x) { return __half(x); }
WW_INLINE __half __float2half_rd(float x) { return ww_narrow_down<__half>(x); }
WW_INLINE __half __float2half_ru(float x) { return ww_narrow_up<__half>(x); }
WW_INLINE __half __float2half_rz(float x) { return ww_narrow_zero<__half>(x); }
WW_INLINE __half __double2half(double x) { return __half(x); }
WW_INLINE float __half2float(__half x) { return float(x); }
#define WW_HALF_FROM(name, T)                                                      \
    WW_INLINE __half __##name##2half_rn(T x) { return __half(x); }                 \
    WW_INLINE __half __##name##2half_rz(T x) { return ww_narrow_zero<__half>(ww_narrow_odd(static_cast<double>(x))); } \
    WW_INLINE __half __##name##2half_rd(T x) { return ww_narrow_down<__half>(ww_narrow_odd(static_cast<double>(x))); } \
    WW_INLINE __half __##name##2half_ru(T x) { return ww_narrow_up<__half>(ww_narrow_odd(static_cast<double>(x))); }
WW_HALF_FROM(int, int)
WW_HALF_FROM(uint, unsigned)
WW_HALF_FROM(short, short)
WW_HALF_FROM(ushort, unsigned short)
WW_HALF_FROM(ll, long long)
WW_HALF_FROM(ull, unsigned long long)
#undef WW_HALF_FROM
WW_INLINE int __half2int_rn(__half x) { return ww_to_int(rintf(float(x))); }
WW_INLINE int __half2int_rz(__half x) { return ww_to_int(float(x)); }
WW_INLINE int __half2int_rd(__half x) { return ww_to_int(floorf(float(x))); }
WW_INLINE int __half2int_ru(__half x) { return ww_to_int(ceilf(float(x))); }
WW_INLINE unsigned __half2uint_rn(__half x) { return __float2uint_rn(float(x)); }
WW_INLINE unsigned __half2uint_rz(__half x) { return __float2uint_rz(float(x)); }
WW_INLINE unsigned short __half_as_ushort(__half x) { return static_cast<__half_raw>(x).x; }
WW_INLINE short __half_as_short(__half x) { return static_cast<short>(static_cast<__half_raw>(x).x); }
WW_INLINE __half __ushort_as_half(unsigned short x) { return __half(__half_raw{x}); }
WW_INLINE __half __short_as_half(short x) { return __half(__half_raw{static_cast<unsigned short>(x)}); }

WW_INLINE __half2 make_half2(__half x, __half y) { return {x, y}; }
WW_INLINE __half2 __halves2half2(__half x, __half y) { return {x, y}; }
WW_INLINE __half2 __half2half2(__half x) { return {x, x}; }
WW_INLINE __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
WW_INLINE __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
WW_INLINE __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
WW_INLINE float2 __half22float2(__half2 v) { return {float(v.x), float(v.y)}; }
WW_INLINE __half __low2half(__half2 v) { return v.x; }
WW_INLINE __half __high2half(__half2 v) { return v.y; }
WW_INLINE __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
WW_INLINE __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
WW_INLINE __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
WW_INLINE __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
WW_INLINE __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
