// SPDX-License-Identifier: Apache-2.0
// Atomics and cache-hinted loads and stores. Blocks run on several cores at once, so these are real atomic operations.
#pragma once

template <typename T>
struct WwBits {
    using Type = typename std::conditional<sizeof(T) == 8, unsigned long long,
                                           typename std::conditional<sizeof(T) == 4, unsigned, unsigned short>::type>::type;
};

/// Replaces *address by change(*address) and returns the old value.
template <typename T, typename F>
WW_INLINE T ww_update(T* address, F change) {
    using Bits = typename WwBits<T>::Type;
    Bits* const cell = reinterpret_cast<Bits*>(address);
    Bits seen = __atomic_load_n(cell, __ATOMIC_RELAXED);
    for (;;) {
        T before;
        memcpy(static_cast<void*>(&before), &seen, sizeof(T));
        const T after = change(before);
        Bits wanted;
        memcpy(&wanted, &after, sizeof(T));
        if (__atomic_compare_exchange_n(cell, &seen, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return before;
    }
}

#define WW_ATOMIC_INTEGER(T)                                                                                                   \
    WW_INLINE T atomicAdd(T* address, T value) { return __atomic_fetch_add(address, value, __ATOMIC_RELAXED); }                \
    WW_INLINE T atomicExch(T* address, T value) { return __atomic_exchange_n(address, value, __ATOMIC_RELAXED); }              \
    WW_INLINE T atomicAnd(T* address, T value) { return __atomic_fetch_and(address, value, __ATOMIC_RELAXED); }                \
    WW_INLINE T atomicOr(T* address, T value) { return __atomic_fetch_or(address, value, __ATOMIC_RELAXED); }                  \
    WW_INLINE T atomicXor(T* address, T value) { return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED); }                \
    WW_INLINE T atomicMin(T* address, T value) { return ww_update(address, [value](T old) { return old < value ? old : value; }); } \
    WW_INLINE T atomicMax(T* address, T value) { return ww_update(address, [value](T old) { return old > value ? old : value; }); } \
    WW_INLINE T atomicCAS(T* address, T compare, T value) {                                                                    \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                      \
        return compare;                                                                                                        \
    }
WW_ATOMIC_INTEGER(int)
WW_ATOMIC_INTEGER(unsigned)
WW_ATOMIC_INTEGER(long long)
WW_ATOMIC_INTEGER(unsigned long long)
WW_ATOMIC_INTEGER(unsigned long)
#undef WW_ATOMIC_INTEGER

WW_INLINE int atomicSub(int* address, int value) { return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED); }
WW_INLINE unsigned atomicSub(unsigned* address, unsigned value) { return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED); }
WW_INLINE unsigned atomicInc(unsigned* address, unsigned limit) {
    return ww_update(address, [limit](unsigned old) { return old >= limit ? 0u : old + 1; });
}
WW_INLINE unsigned atomicDec(unsigned* address, unsigned limit) {
    return ww_update(address, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}
WW_INLINE unsigned short atomicCAS(unsigned short* address, unsigned short compare, unsigned short value) {
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return compare;
}
WW_INLINE float atomicAdd(float* address, float value) { return ww_update(address, [value](float old) { return old + value; }); }
WW_INLINE double atomicAdd(double* address, double value) { return ww_update(address, [value](double old) { return old + value; }); }
WW_INLINE float atomicExch(float* address, float value) { return ww_update(address, [value](float) { return value; }); }

// The scoped forms: a block's scope and the system's are the same machine here.
#define WW_SCOPED(name)                                                                                                        \
    template <typename T> WW_INLINE T name##_block(T* address, typename WwSame<T>::Type value) { return name(address, value); }  \
    template <typename T> WW_INLINE T name##_system(T* address, typename WwSame<T>::Type value) { return name(address, value); }
template <typename T>
struct WwSame {
    using Type = T;
};
WW_SCOPED(atomicAdd)
WW_SCOPED(atomicMin)
WW_SCOPED(atomicMax)
WW_SCOPED(atomicExch)
WW_SCOPED(atomicAnd)
WW_SCOPED(atomicOr)
WW_SCOPED(atomicXor)
#undef WW_SCOPED

// Cache hints mean nothing here.
#define WW_LOAD(name) template <typename T> WW_INLINE T name(const T* address) { return *address; }
#define WW_STORE(name) template <typename T> WW_INLINE void name(T* address, typename WwSame<T>::Type value) { *address = value; }
WW_LOAD(__ldg)
WW_LOAD(__ldcg)
WW_LOAD(__ldca)
WW_LOAD(__ldcs)
WW_LOAD(__ldlu)
WW_LOAD(__ldcv)
WW_STORE(__stwb)
WW_STORE(__stcg)
WW_STORE(__stcs)
WW_STORE(__stwt)
#undef WW_LOAD
#undef WW_STORE
