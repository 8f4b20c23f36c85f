// SPDX-License-Identifier: Apache-2.0
// Makes CUDA C++ compile as host C++ for the CPU device. Included before the kernel's own text; C++17, g++ and clang++.
//
// threadIdx and its kin are thread-local variables of the module whose address is never taken: the compiler then knows that no
// store through a kernel's pointer can change them, which is what lets it vectorise over threadIdx.x.
#pragma once

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>

#include "ww_abi.h"

#define WARPWRIGHT_CPU 1
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDA_VERSION 13000
#define CUDART_VERSION 13000

#define __global__
#define __device__
#define __host__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
// One copy per OS thread: a block never leaves its thread. At block scope thread_local implies static.
#define __shared__ thread_local
#if defined(__clang__)
#define __constant__
#define WW_EXPORT extern "C" __attribute__((visibility("default"), used))
#else
#define __constant__ __attribute__((externally_visible))
#define WW_EXPORT extern "C" __attribute__((visibility("default"), externally_visible, used))
#endif
#define WW_INLINE static inline __attribute__((always_inline, unused))

#include "ww_vector.h"

/// Its initial values keep it apart from the kernel's shared memory, which has none.
struct WwThreadState {
    uint3 threadIdx{}, blockIdx{};
    dim3 blockDim, gridDim;
    void* shared = nullptr;
};
static thread_local WwThreadState ww_state{};  // constant-initialised: no guard at each use
#define threadIdx ww_state.threadIdx
#define blockIdx ww_state.blockIdx
#define blockDim ww_state.blockDim
#define gridDim ww_state.gridDim
static const WwRuntime* ww_runtime;
static constexpr int warpSize = 32;

/// What `extern __shared__ T name[]` is rewritten to: converts to a pointer to anything.
struct WwDynamicShared {
    template <typename T>
    operator T*() const { return static_cast<T*>(ww_state.shared); }
};

// At namespace scope such a pointer is initialised once for each thread: poisoning thread-local storage would destroy it. An
// absolute symbol tells the loader.
#define WW_MARK_SHARED_POINTER __asm__(".globl ww_shared_pointers\n\t.set ww_shared_pointers, 1");

#include "ww_sync.h"
#include "ww_math.h"
#include "ww_atomic.h"

/// ---- printf, assert, trap ----

static __attribute__((noinline, format(printf, 1, 2), unused)) int ww_print(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    ww_runtime->print(format, arguments);
    va_end(arguments);
    return 0;
}
#define printf ww_print
namespace std {
using ::ww_print;
}

[[noreturn]] static __attribute__((noinline, cold, unused)) void ww_fail(int failure, const char* text, const char* file, int line,
                                                                         unsigned x, unsigned y, unsigned z) {
    const unsigned thread[3] = {x, y, z};
    ww_runtime->fail(failure, text, file, line, thread);
    __builtin_unreachable();
}
#define WW_FAIL(failure, text) ww_fail(failure, text, __FILE__, __LINE__, threadIdx.x, threadIdx.y, threadIdx.z)
#define __trap() WW_FAIL(WwTrap, "__trap()")
#define __brkpt() WW_FAIL(WwTrap, "__brkpt()")
#include "include/assert.h"
#include "ww_texture.h"

/// ---- clocks ----

WW_INLINE long long clock64() {
#if defined(__x86_64__)
    return static_cast<long long>(__builtin_ia32_rdtsc());
#else
    return static_cast<long long>(__builtin_readcyclecounter());
#endif
}
// The C library's clock() is declared before the name is taken, so that headers which come later find it done.
#include <ctime>
WW_INLINE int ww_clock() { return static_cast<int>(clock64()); }
#define clock ww_clock
WW_INLINE void __nanosleep(unsigned) {}

/// ---- the launcher ----

template <typename T>
struct WwArgument {
    using Type = typename std::remove_cv<T>::type;
};

/// Runs the threads [first, last) of a block. Fibers come with one thread, the plain loop with all of them.
template <typename... A>
WW_INLINE void ww_threads(void (*kernel)(A...), const WwBlock* block, typename WwArgument<A>::Type... values) {
    blockIdx = uint3{block->index[0], block->index[1], block->index[2]};
    blockDim = dim3(block->block[0], block->block[1], block->block[2]);
    gridDim = dim3(block->grid[0], block->grid[1], block->grid[2]);
    ww_state.shared = block->shared;
    const unsigned x0 = block->first[0], x1 = block->last[0];
    const unsigned y0 = block->first[1], y1 = block->last[1];
    const unsigned z0 = block->first[2], z1 = block->last[2];
    for (unsigned z = z0; z < z1; ++z) {
        for (unsigned y = y0; y < y1; ++y) {
            for (unsigned x = x0; x < x1; ++x) {
                threadIdx.x = x;
                threadIdx.y = y;
                threadIdx.z = z;
                kernel(values...);
            }
        }
    }
}

template <size_t... I>
struct WwIndices {};
template <size_t N, size_t... I>
struct WwMakeIndices : WwMakeIndices<N - 1, N - 1, I...> {};
template <size_t... I>
struct WwMakeIndices<0, I...> {
    using Type = WwIndices<I...>;
};

template <typename... A, size_t... I>
WW_INLINE void ww_unpack(void (*kernel)(A...), const WwBlock* block, void* const* arguments, WwIndices<I...>) {
    ww_threads<A...>(kernel, block, *static_cast<typename WwArgument<A>::Type*>(arguments[I])...);
}

template <typename... A>
WW_INLINE void ww_call(void (*kernel)(A...), const WwBlock* block, void* const* arguments) {
    ww_unpack<A...>(kernel, block, arguments, typename WwMakeIndices<sizeof...(A)>::Type{});
}

template <typename F>
struct WwSignature;
template <typename... A>
struct WwSignature<void (*)(A...)> {
    static constexpr int kCount = sizeof...(A);
    static constexpr unsigned kBytes[sizeof...(A) + 1] = {sizeof(typename WwArgument<A>::Type)..., 0};
};
template <typename... A>
WW_INLINE constexpr WwSignature<void (*)(A...)> ww_signature(void (*)(A...)) { return {}; }

static void ww_bind(const WwRuntime* runtime) { ww_runtime = runtime; }

/// A variable as the host sees it. Writing needs storage that may change.
template <typename T>
WW_INLINE constexpr WwSymbol ww_symbol(const char* name, T& variable) {
    static_assert(!std::is_const<typename std::remove_all_extents<T>::type>::value, "a Symbol argument cannot be a const variable");
    return {name, &variable, sizeof(T)};
}
#define WW_SYMBOL(...) ww_symbol(#__VA_ARGS__, __VA_ARGS__)
// Part of an exported object, so that the compiler must expect others to change what it points to.
#define WW_SYMBOLS(...) WW_EXPORT const WwSymbol ww_symbols[] = {__VA_ARGS__};

// The generated launcher uses it with the entry, cast to the asked overload where there are several.
#define WW_LAUNCHER(...)                                                                                                        \
    static void ww_run(const WwBlock* ww_block, void* const* ww_arguments) { ww_call(__VA_ARGS__, ww_block, ww_arguments); }    \
    using WwEntrySignature = decltype(ww_signature(__VA_ARGS__));                                                               \
    WW_EXPORT const WwModule ww_module = {WW_ABI_VERSION, WwEntrySignature::kCount, WwEntrySignature::kBytes, ww_bind, ww_run, ww_symbols}
