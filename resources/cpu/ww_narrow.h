// SPDX-License-Identifier: Apache-2.0
// The 16-bit floating types. An operation is computed in a wider type that holds enough bits for a single rounding to nearest
// even to be exact: + - * / in float (24 >= 2 * 11 + 2 bits; products of bfloat16 below 2^-126 excepted), fused multiply-add and
// mathematical functions in double, which is rounded to odd first.
// The functions of both types come from one list, WW_NARROW; cuda_fp16.h and cuda_bf16.h only say how to convert.
#pragma once

WW_INLINE unsigned ww_float_bits(float x) { unsigned bits; memcpy(&bits, &x, sizeof bits); return bits; }
WW_INLINE float ww_bits_float(unsigned bits) { float x; memcpy(&x, &bits, sizeof x); return x; }

/// a * b + c with the last bit set where the double is not exact ("round to odd"), so that rounding it to fewer bits is right.
WW_INLINE double ww_fma_odd(double a, double b, double c) {
    const double product = a * b;  // exact: at most 22 bits
    const double sum = product + c;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (c - part);
    if (error == 0 || !(__builtin_fabs(sum) <= DBL_MAX)) return sum;
    unsigned long long bits;
    memcpy(&bits, &sum, sizeof bits);
    if ((bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : -1ull;
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return odd;
}

/// A float that rounds to the same narrow value as the double does: truncated, with the last bit telling of what was cut off.
WW_INLINE float ww_narrow_odd(double x) {
    float near = static_cast<float>(x);
    if (static_cast<double>(near) == x || x != x || !(__builtin_fabsf(near) <= FLT_MAX)) return near;
    unsigned bits = ww_float_bits(near);
    if (__builtin_fabs(static_cast<double>(near)) > __builtin_fabs(x)) --bits;
    return ww_bits_float(bits | 1u);
}

/// The next narrow value towards an infinity or zero, where rounding to nearest went the other way. `step` counts in units in the
/// last place away from zero; crossing zero gives the smallest value of the other sign.
template <typename T>
WW_INLINE T ww_narrow_step(T x, bool up) {
    unsigned short bits;
    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7fff) == 0) bits = up ? 1 : 0x8001;
    else bits = static_cast<unsigned short>(((bits & 0x8000) == 0) == up ? bits + 1 : bits - 1);
    memcpy(static_cast<void*>(&x), &bits, sizeof bits);
    return x;
}
template <typename T>
WW_INLINE T ww_narrow_down(float x) {
    const T near = T(x);
    return float(near) > x ? ww_narrow_step(near, false) : near;
}
template <typename T>
WW_INLINE T ww_narrow_up(float x) {
    const T near = T(x);
    return float(near) < x ? ww_narrow_step(near, true) : near;
}
template <typename T>
WW_INLINE T ww_narrow_zero(float x) {
    return x < 0 ? ww_narrow_up<T>(x) : ww_narrow_down<T>(x);
}

#define WW_NARROW(T, T2)                                                                                                        \
    WW_INLINE T operator+(T a, T b) { return T(float(a) + float(b)); }                                                          \
    WW_INLINE T operator-(T a, T b) { return T(float(a) - float(b)); }                                                          \
    WW_INLINE T operator*(T a, T b) { return T(float(a) * float(b)); }                                                          \
    WW_INLINE T operator/(T a, T b) { return T(float(a) / float(b)); }                                                          \
    WW_INLINE T operator+(T a) { return a; }                                                                                    \
    WW_INLINE T operator-(T a) { return T::flipped(a, 0x8000); }                                                                \
    WW_INLINE T& operator+=(T& a, T b) { return a = a + b; }                                                                    \
    WW_INLINE T& operator-=(T& a, T b) { return a = a - b; }                                                                    \
    WW_INLINE T& operator*=(T& a, T b) { return a = a * b; }                                                                    \
    WW_INLINE T& operator/=(T& a, T b) { return a = a / b; }                                                                    \
    WW_INLINE T& operator++(T& a) { return a = a + T(1.0f); }                                                                   \
    WW_INLINE T& operator--(T& a) { return a = a - T(1.0f); }                                                                   \
    WW_NARROW_COMPARE(T, T2, ==, eq)                                                                                            \
    WW_NARROW_COMPARE(T, T2, !=, ne)                                                                                            \
    WW_NARROW_COMPARE(T, T2, <, lt)                                                                                             \
    WW_NARROW_COMPARE(T, T2, <=, le)                                                                                            \
    WW_NARROW_COMPARE(T, T2, >, gt)                                                                                             \
    WW_NARROW_COMPARE(T, T2, >=, ge)                                                                                            \
    WW_INLINE T __hadd(T a, T b) { return a + b; }                                                                              \
    WW_INLINE T __hsub(T a, T b) { return a - b; }                                                                              \
    WW_INLINE T __hmul(T a, T b) { return a * b; }                                                                              \
    WW_INLINE T __hadd_rn(T a, T b) { return a + b; }                                                                           \
    WW_INLINE T __hsub_rn(T a, T b) { return a - b; }                                                                           \
    WW_INLINE T __hmul_rn(T a, T b) { return a * b; }                                                                           \
    WW_INLINE T __hdiv(T a, T b) { return a / b; }                                                                              \
    WW_INLINE T __hneg(T a) { return -a; }                                                                                      \
    WW_INLINE T __habs(T a) { return T::cleared(a, 0x8000); }                                                                   \
    WW_INLINE T ww_saturated(T a) { return a > T(0.0f) ? (a < T(1.0f) ? a : T(1.0f)) : T(0.0f); }                               \
    WW_INLINE T __hadd_sat(T a, T b) { return ww_saturated(a + b); }                                                            \
    WW_INLINE T __hsub_sat(T a, T b) { return ww_saturated(a - b); }                                                            \
    WW_INLINE T __hmul_sat(T a, T b) { return ww_saturated(a * b); }                                                            \
    WW_INLINE T __hfma(T a, T b, T c) { return T(ww_narrow_odd(ww_fma_odd(float(a), float(b), float(c)))); }                    \
    WW_INLINE T __hfma_sat(T a, T b, T c) { return ww_saturated(__hfma(a, b, c)); }                                             \
    WW_INLINE T __hfma_relu(T a, T b, T c) { const T r = __hfma(a, b, c); return r < T(0.0f) ? T(0.0f) : r; }                   \
    WW_INLINE bool __hisnan(T a) { return float(a) != float(a); }                                                               \
    WW_INLINE int __hisinf(T a) { return float(a) == INFINITY ? 1 : float(a) == -INFINITY ? -1 : 0; }                           \
    WW_INLINE T __hmax(T a, T b) { return __hisnan(a) ? b : __hisnan(b) ? a : a > b ? a : b; }                                  \
    WW_INLINE T __hmin(T a, T b) { return __hisnan(a) ? b : __hisnan(b) ? a : a < b ? a : b; }                                  \
    WW_INLINE T __hmax_nan(T a, T b) { return __hisnan(a) ? a : __hisnan(b) ? b : a > b ? a : b; }                              \
    WW_INLINE T __hmin_nan(T a, T b) { return __hisnan(a) ? a : __hisnan(b) ? b : a < b ? a : b; }                              \
    WW_NARROW_MATH(T, T2, hexp, exp)                                                                                            \
    WW_NARROW_MATH(T, T2, hexp2, exp2)                                                                                          \
    WW_NARROW_MATH(T, T2, hexp10, exp10)                                                                                        \
    WW_NARROW_MATH(T, T2, hlog, log)                                                                                            \
    WW_NARROW_MATH(T, T2, hlog2, log2)                                                                                          \
    WW_NARROW_MATH(T, T2, hlog10, log10)                                                                                        \
    WW_NARROW_MATH(T, T2, hsin, sin)                                                                                            \
    WW_NARROW_MATH(T, T2, hcos, cos)                                                                                            \
    WW_NARROW_MATH(T, T2, htanh, tanh)                                                                                          \
    WW_NARROW_MATH(T, T2, hsqrt, sqrt)                                                                                          \
    WW_NARROW_MATH(T, T2, hrsqrt, 1.0 / sqrt)                                                                                   \
    WW_NARROW_MATH(T, T2, hrcp, 1.0 / )                                                                                         \
    WW_NARROW_MATH(T, T2, hfloor, floor)                                                                                        \
    WW_NARROW_MATH(T, T2, hceil, ceil)                                                                                          \
    WW_NARROW_MATH(T, T2, hrint, rint)                                                                                          \
    WW_NARROW_MATH(T, T2, htrunc, trunc)                                                                                        \
    WW_NARROW_PAIR(T, T2, __hadd2, a.x + b.x, a.y + b.y)                                                                        \
    WW_NARROW_PAIR(T, T2, __hsub2, a.x - b.x, a.y - b.y)                                                                        \
    WW_NARROW_PAIR(T, T2, __hmul2, a.x * b.x, a.y * b.y)                                                                        \
    WW_NARROW_PAIR(T, T2, __hadd2_rn, a.x + b.x, a.y + b.y)                                                                     \
    WW_NARROW_PAIR(T, T2, __hsub2_rn, a.x - b.x, a.y - b.y)                                                                     \
    WW_NARROW_PAIR(T, T2, __hmul2_rn, a.x * b.x, a.y * b.y)                                                                     \
    WW_NARROW_PAIR(T, T2, __hadd2_sat, __hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y))                                              \
    WW_NARROW_PAIR(T, T2, __hsub2_sat, __hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y))                                              \
    WW_NARROW_PAIR(T, T2, __hmul2_sat, __hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y))                                              \
    WW_NARROW_PAIR(T, T2, __h2div, a.x / b.x, a.y / b.y)                                                                        \
    WW_NARROW_PAIR(T, T2, __hmax2, __hmax(a.x, b.x), __hmax(a.y, b.y))                                                          \
    WW_NARROW_PAIR(T, T2, __hmin2, __hmin(a.x, b.x), __hmin(a.y, b.y))                                                          \
    WW_NARROW_PAIR(T, T2, __hmax2_nan, __hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y))                                              \
    WW_NARROW_PAIR(T, T2, __hmin2_nan, __hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y))                                              \
    WW_NARROW_PAIR(T, T2, operator+, a.x + b.x, a.y + b.y)                                                                      \
    WW_NARROW_PAIR(T, T2, operator-, a.x - b.x, a.y - b.y)                                                                      \
    WW_NARROW_PAIR(T, T2, operator*, a.x * b.x, a.y * b.y)                                                                      \
    WW_NARROW_PAIR(T, T2, operator/, a.x / b.x, a.y / b.y)                                                                      \
    WW_INLINE T2& operator+=(T2& a, T2 b) { return a = a + b; }                                                                 \
    WW_INLINE T2& operator-=(T2& a, T2 b) { return a = a - b; }                                                                 \
    WW_INLINE T2& operator*=(T2& a, T2 b) { return a = a * b; }                                                                 \
    WW_INLINE T2& operator/=(T2& a, T2 b) { return a = a / b; }                                                                 \
    WW_INLINE T2 operator-(T2 a) { return {-a.x, -a.y}; }                                                                       \
    WW_INLINE bool operator==(T2 a, T2 b) { return a.x == b.x && a.y == b.y; }                                                  \
    WW_INLINE bool operator!=(T2 a, T2 b) { return a.x != b.x || a.y != b.y; }                                                  \
    WW_INLINE T2 __hneg2(T2 a) { return {-a.x, -a.y}; }                                                                         \
    WW_INLINE T2 __habs2(T2 a) { return {__habs(a.x), __habs(a.y)}; }                                                           \
    WW_INLINE T2 __hisnan2(T2 a) { return {T(__hisnan(a.x) ? 1.0f : 0.0f), T(__hisnan(a.y) ? 1.0f : 0.0f)}; }                   \
    WW_INLINE T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }                           \
    WW_INLINE T2 __hfma2_sat(T2 a, T2 b, T2 c) { return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)}; }               \
    WW_INLINE T2 __hfma2_relu(T2 a, T2 b, T2 c) { return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)}; }            \
    WW_INLINE float __low2float(T2 v) { return float(v.x); }                                                                    \
    WW_INLINE float __high2float(T2 v) { return float(v.y); }                                                                   \
    WW_INLINE T atomicAdd(T* address, T value) { return ww_update(address, [value](T old) { return old + value; }); }           \
    WW_INLINE T2 atomicAdd(T2* address, T2 value) { return ww_update(address, [value](T2 old) { return old + value; }); }

/// Comparisons: false with a NaN, true in the unordered forms.
#define WW_NARROW_COMPARE(T, T2, op, name)                                                                                      \
    WW_INLINE bool operator op(T a, T b) { return float(a) op float(b); }                                                       \
    WW_INLINE bool ww_##name(T a, T b) { return !(float(a) != float(a)) && !(float(b) != float(b)) && float(a) op float(b); }   \
    WW_INLINE bool ww_##name##u(T a, T b) { return float(a) != float(a) || float(b) != float(b) || float(a) op float(b); }      \
    WW_INLINE bool __h##name(T a, T b) { return ww_##name(a, b); }                                                              \
    WW_INLINE bool __h##name##u(T a, T b) { return ww_##name##u(a, b); }                                                        \
    WW_INLINE T2 __h##name##2(T2 a, T2 b) { return {T(ww_##name(a.x, b.x) ? 1.0f : 0.0f), T(ww_##name(a.y, b.y) ? 1.0f : 0.0f)}; } \
    WW_INLINE bool __hb##name##2(T2 a, T2 b) { return ww_##name(a.x, b.x) && ww_##name(a.y, b.y); }                             \
    WW_INLINE bool __hb##name##u2(T2 a, T2 b) { return ww_##name##u(a.x, b.x) && ww_##name##u(a.y, b.y); }

#define WW_NARROW_MATH(T, T2, name, call)                                                                                       \
    WW_INLINE T name(T a) { return T(ww_narrow_odd(call(static_cast<double>(float(a))))); }                                     \
    WW_INLINE T2 WW_NARROW_TWO(name)(T2 a) { return {name(a.x), name(a.y)}; }
#define WW_NARROW_TWO(name) WW_NARROW_TWO_##name
#define WW_NARROW_TWO_hexp h2exp
#define WW_NARROW_TWO_hexp2 h2exp2
#define WW_NARROW_TWO_hexp10 h2exp10
#define WW_NARROW_TWO_hlog h2log
#define WW_NARROW_TWO_hlog2 h2log2
#define WW_NARROW_TWO_hlog10 h2log10
#define WW_NARROW_TWO_hsin h2sin
#define WW_NARROW_TWO_hcos h2cos
#define WW_NARROW_TWO_htanh h2tanh
#define WW_NARROW_TWO_hsqrt h2sqrt
#define WW_NARROW_TWO_hrsqrt h2rsqrt
#define WW_NARROW_TWO_hrcp h2rcp
#define WW_NARROW_TWO_hfloor h2floor
#define WW_NARROW_TWO_hceil h2ceil
#define WW_NARROW_TWO_hrint h2rint
#define WW_NARROW_TWO_htrunc h2trunc

#define WW_NARROW_PAIR(T, T2, name, first, second)                                                                              \
    WW_INLINE T2 name(T2 a, T2 b) { return {first, second}; }
