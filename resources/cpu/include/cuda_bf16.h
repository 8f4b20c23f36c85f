// SPDX-License-Identifier: Apache-2.0
// bfloat16: the upper half of a float, rounded to nearest even after each operation.
#pragma once

struct __nv_bfloat16 {
    unsigned short bits;
    __nv_bfloat16() = default;
    __nv_bfloat16(float x) {
        unsigned word;
        memcpy(&word, &x, sizeof word);
        bits = static_cast<unsigned short>(x != x ? 0x7fffu : (word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
    }
    operator float() const {
        const unsigned word = static_cast<unsigned>(bits) << 16;
        float x;
        memcpy(&x, &word, sizeof x);
        return x;
    }
    __nv_bfloat16& operator+=(__nv_bfloat16 b) { return *this = __nv_bfloat16(float(*this) + float(b)); }
    __nv_bfloat16& operator-=(__nv_bfloat16 b) { return *this = __nv_bfloat16(float(*this) - float(b)); }
    __nv_bfloat16& operator*=(__nv_bfloat16 b) { return *this = __nv_bfloat16(float(*this) * float(b)); }
    __nv_bfloat16& operator/=(__nv_bfloat16 b) { return *this = __nv_bfloat16(float(*this) / float(b)); }
};
using nv_bfloat16 = __nv_bfloat16;
struct __attribute__((aligned(4))) __nv_bfloat162 { __nv_bfloat16 x, y; };
using nv_bfloat162 = __nv_bfloat162;

WW_INLINE __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return a += b; }
WW_INLINE __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return a -= b; }
WW_INLINE __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return a *= b; }
WW_INLINE __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return a /= b; }
WW_INLINE __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
WW_INLINE __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
WW_INLINE float __bfloat162float(__nv_bfloat16 x) { return float(x); }
WW_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__nv_bfloat16(x), __nv_bfloat16(y)}; }
WW_INLINE float2 __bfloat1622float2(__nv_bfloat162 v) { return {float(v.x), float(v.y)}; }
WW_INLINE __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
WW_INLINE __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
WW_INLINE __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
WW_INLINE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    return __nv_bfloat16(__builtin_fmaf(float(a), float(b), float(c)));
}
WW_INLINE __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(fmaxf(float(a), float(b))); }
