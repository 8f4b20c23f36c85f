// SPDX-License-Identifier: Apache-2.0
// Half precision on the host compiler's _Float16: each operation rounds to half, as on a GPU.
#pragma once

struct __half {
    _Float16 value;
    __half() = default;
    __half(float x) : value(static_cast<_Float16>(x)) {}
    __half(double x) : value(static_cast<_Float16>(x)) {}
    __half(int x) : value(static_cast<_Float16>(x)) {}
    __half(unsigned x) : value(static_cast<_Float16>(x)) {}
    operator float() const { return static_cast<float>(value); }
    __half& operator+=(__half b) { value = static_cast<_Float16>(value + b.value); return *this; }
    __half& operator-=(__half b) { value = static_cast<_Float16>(value - b.value); return *this; }
    __half& operator*=(__half b) { value = static_cast<_Float16>(value * b.value); return *this; }
    __half& operator/=(__half b) { value = static_cast<_Float16>(value / b.value); return *this; }
};
using half = __half;
struct __attribute__((aligned(4))) __half2 { __half x, y; };
using half2 = __half2;

WW_INLINE __half operator+(__half a, __half b) { return a += b; }
WW_INLINE __half operator-(__half a, __half b) { return a -= b; }
WW_INLINE __half operator*(__half a, __half b) { return a *= b; }
WW_INLINE __half operator/(__half a, __half b) { return a /= b; }
WW_INLINE __half operator-(__half a) { a.value = -a.value; return a; }
WW_INLINE bool operator<(__half a, __half b) { return a.value < b.value; }
WW_INLINE bool operator>(__half a, __half b) { return a.value > b.value; }
WW_INLINE bool operator<=(__half a, __half b) { return a.value <= b.value; }
WW_INLINE bool operator>=(__half a, __half b) { return a.value >= b.value; }
WW_INLINE bool operator==(__half a, __half b) { return a.value == b.value; }
WW_INLINE bool operator!=(__half a, __half b) { return a.value != b.value; }

WW_INLINE __half __float2half(float x) { return __half(x); }
WW_INLINE __half __float2half_rn(float x) { return __half(x); }
WW_INLINE __half __double2half(double x) { return __half(x); }
WW_INLINE float __half2float(__half x) { return static_cast<float>(x.value); }
WW_INLINE __half __int2half_rn(int x) { return __half(x); }
WW_INLINE int __half2int_rn(__half x) { return static_cast<int>(rintf(__half2float(x))); }
WW_INLINE __half __hadd(__half a, __half b) { return a + b; }
WW_INLINE __half __hsub(__half a, __half b) { return a - b; }
WW_INLINE __half __hmul(__half a, __half b) { return a * b; }
WW_INLINE __half __hdiv(__half a, __half b) { return a / b; }
WW_INLINE __half __hneg(__half a) { return -a; }
WW_INLINE __half __habs(__half a) { return a < __half(0.0f) ? -a : a; }
/// The product of two halves is exact in float; rounding the sum once more can differ from a true fma in the last bit.
WW_INLINE __half __hfma(__half a, __half b, __half c) { return __half(__builtin_fmaf(float(a), float(b), float(c))); }
WW_INLINE __half __hmax(__half a, __half b) { return __half(fmaxf(float(a), float(b))); }
WW_INLINE __half __hmin(__half a, __half b) { return __half(fminf(float(a), float(b))); }
WW_INLINE bool __hlt(__half a, __half b) { return a < b; }
WW_INLINE bool __hgt(__half a, __half b) { return a > b; }
WW_INLINE bool __hle(__half a, __half b) { return a <= b; }
WW_INLINE bool __hge(__half a, __half b) { return a >= b; }
WW_INLINE bool __heq(__half a, __half b) { return a == b; }
WW_INLINE bool __hisnan(__half a) { return a.value != a.value; }
WW_INLINE __half hexp(__half a) { return __half(expf(float(a))); }
WW_INLINE __half hlog(__half a) { return __half(logf(float(a))); }
WW_INLINE __half hsqrt(__half a) { return __half(sqrtf(float(a))); }
WW_INLINE __half hrsqrt(__half a) { return __half(rsqrtf(float(a))); }
WW_INLINE __half hrcp(__half a) { return __half(1.0f / float(a)); }

WW_INLINE __half2 make_half2(__half x, __half y) { return {x, y}; }
WW_INLINE __half2 __halves2half2(__half x, __half y) { return {x, y}; }
WW_INLINE __half2 __half2half2(__half x) { return {x, x}; }
WW_INLINE __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
WW_INLINE __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
WW_INLINE __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
WW_INLINE float2 __half22float2(__half2 v) { return {float(v.x), float(v.y)}; }
WW_INLINE __half __low2half(__half2 v) { return v.x; }
WW_INLINE __half __high2half(__half2 v) { return v.y; }
WW_INLINE float __low2float(__half2 v) { return float(v.x); }
WW_INLINE float __high2float(__half2 v) { return float(v.y); }
WW_INLINE __half2 __hadd2(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
WW_INLINE __half2 __hsub2(__half2 a, __half2 b) { return {a.x - b.x, a.y - b.y}; }
WW_INLINE __half2 __hmul2(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
WW_INLINE __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
WW_INLINE __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
WW_INLINE __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
WW_INLINE __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
WW_INLINE __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }
WW_INLINE __half atomicAdd(__half* address, __half value) { return ww_update(address, [value](__half old) { return old + value; }); }
