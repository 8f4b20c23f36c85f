// SPDX-License-Identifier: Apache-2.0
// bfloat16: the upper half of a float, rounded to nearest even after each operation; ww_narrow.h has what both 16-bit types share.
#pragma once
#include "../ww_narrow.h"

struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __nv_bfloat16 {
    unsigned short bits;
    __nv_bfloat16() = default;
    __nv_bfloat16(float x) {
        const unsigned word = ww_float_bits(x);
        bits = static_cast<unsigned short>(x != x ? 0x7fffu : (word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
    }
    __nv_bfloat16(double x) : __nv_bfloat16(ww_narrow_odd(x)) {}
    __nv_bfloat16(int x) : __nv_bfloat16(static_cast<double>(x)) {}
    __nv_bfloat16(unsigned x) : __nv_bfloat16(static_cast<double>(x)) {}
    __nv_bfloat16(short x) : __nv_bfloat16(static_cast<float>(x)) {}
    __nv_bfloat16(unsigned short x) : __nv_bfloat16(static_cast<float>(x)) {}
    __nv_bfloat16(long x) : __nv_bfloat16(static_cast<double>(x)) {}
    __nv_bfloat16(unsigned long x) : __nv_bfloat16(static_cast<double>(x)) {}
    __nv_bfloat16(__nv_bfloat16_raw raw) : bits(raw.x) {}
    operator float() const { return ww_bits_float(static_cast<unsigned>(bits) << 16); }
    operator __nv_bfloat16_raw() const { return {bits}; }
    static __nv_bfloat16 flipped(__nv_bfloat16 a, unsigned short mask) { a.bits ^= mask; return a; }
    static __nv_bfloat16 cleared(__nv_bfloat16 a, unsigned short mask) { a.bits &= static_cast<unsigned short>(~mask); return a; }
};
using nv_bfloat16 = __nv_bfloat16;
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
using nv_bfloat162 = __nv_bfloat162;

WW_NARROW(__nv_bfloat16, __nv_bfloat162)

WW_INLINE __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
WW_INLINE __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
WW_INLINE __nv_bfloat16 __float2bfloat16_rd(float x) { return ww_narrow_down<__nv_bfloat16>(x); }
WW_INLINE __nv_bfloat16 __float2bfloat16_ru(float x) { return ww_narrow_up<__nv_bfloat16>(x); }
WW_INLINE __nv_bfloat16 __float2bfloat16_rz(float x) { return ww_narrow_zero<__nv_bfloat16>(x); }
WW_INLINE __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
WW_INLINE float __bfloat162float(__nv_bfloat16 x) { return float(x); }
WW_INLINE __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
WW_INLINE __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return __nv_bfloat16(x); }
WW_INLINE int __bfloat162int_rn(__nv_bfloat16 x) { return ww_to_int(rintf(float(x))); }
WW_INLINE int __bfloat162int_rz(__nv_bfloat16 x) { return ww_to_int(float(x)); }
WW_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
WW_INLINE short __bfloat16_as_short(__nv_bfloat16 x) { return static_cast<short>(x.bits); }
WW_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __nv_bfloat16(__nv_bfloat16_raw{x}); }
WW_INLINE __nv_bfloat16 __short_as_bfloat16(short x) { return __nv_bfloat16(__nv_bfloat16_raw{static_cast<unsigned short>(x)}); }
WW_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
WW_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
WW_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
WW_INLINE __nv_bfloat162 __float2bfloat162_rn(float x) { return {__nv_bfloat16(x), __nv_bfloat16(x)}; }
WW_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__nv_bfloat16(x), __nv_bfloat16(y)}; }
WW_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 v) { return {__nv_bfloat16(v.x), __nv_bfloat16(v.y)}; }
WW_INLINE float2 __bfloat1622float2(__nv_bfloat162 v) { return {float(v.x), float(v.y)}; }
WW_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
WW_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
WW_INLINE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return {v.x, v.x}; }
WW_INLINE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return {v.y, v.y}; }
WW_INLINE __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return {v.y, v.x}; }
