// SPDX-License-Identifier: Apache-2.0
// CUDA's built-in vector types, with CUDA's alignments.
#pragma once

#define WW_VECTOR(name, T, align2, align4)                                                                     \
    struct name##1 { T x; };                                                                                   \
    struct __attribute__((aligned(align2))) name##2 { T x, y; };                                               \
    struct name##3 { T x, y, z; };                                                                             \
    struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; };                                         \
    static inline __attribute__((unused)) name##1 make_##name##1(T x) { return name##1{x}; }                   \
    static inline __attribute__((unused)) name##2 make_##name##2(T x, T y) { return name##2{x, y}; }           \
    static inline __attribute__((unused)) name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }   \
    static inline __attribute__((unused)) name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }

WW_VECTOR(char, signed char, 2, 4)
WW_VECTOR(uchar, unsigned char, 2, 4)
WW_VECTOR(short, short, 4, 8)
WW_VECTOR(ushort, unsigned short, 4, 8)
WW_VECTOR(int, int, 8, 16)
WW_VECTOR(uint, unsigned int, 8, 16)
WW_VECTOR(long, long, 16, 16)
WW_VECTOR(ulong, unsigned long, 16, 16)
WW_VECTOR(longlong, long long, 16, 16)
WW_VECTOR(ulonglong, unsigned long long, 16, 16)
WW_VECTOR(float, float, 8, 16)
WW_VECTOR(double, double, 16, 16)
#undef WW_VECTOR

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

using uchar = unsigned char;
