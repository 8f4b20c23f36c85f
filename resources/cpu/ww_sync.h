// SPDX-License-Identifier: Apache-2.0
// Barriers and warp operations. Each marks the module as one that needs fibers, and puts its own threadIdx back afterwards:
// other threads of the block have run on the same OS thread meanwhile.
#pragma once

// An absolute symbol instead of a reference: it is there exactly when some emitted code synchronises, and needs no linking.
#define WW_MARK_SYNC() __asm__ volatile(".globl ww_uses_sync\n\t.set ww_uses_sync, 1" ::: "memory")

// Word by word: a wide load of words that were just stored one by one would stall.
#define WW_SAVE_THREAD()                                                  \
    unsigned ww_x = threadIdx.x, ww_y = threadIdx.y, ww_z = threadIdx.z; \
    __asm__("" : "+r"(ww_x), "+r"(ww_y), "+r"(ww_z))
#define WW_RESTORE_THREAD() (threadIdx.x = ww_x, threadIdx.y = ww_y, threadIdx.z = ww_z)

WW_INLINE int ww_barrier(int kind, int predicate, int line) {
    WW_MARK_SYNC();
    WW_SAVE_THREAD();
    const int result = ww_runtime->barrier(kind, predicate, line);
    WW_RESTORE_THREAD();
    return result;
}

WW_INLINE void __syncthreads(int line = __builtin_LINE()) { ww_barrier(WwPlain, 0, line); }
WW_INLINE int __syncthreads_and(int predicate, int line = __builtin_LINE()) { return ww_barrier(WwAnd, predicate != 0, line); }
WW_INLINE int __syncthreads_or(int predicate, int line = __builtin_LINE()) { return ww_barrier(WwOr, predicate != 0, line); }
WW_INLINE int __syncthreads_count(int predicate, int line = __builtin_LINE()) { return ww_barrier(WwCount, predicate != 0, line); }

WW_INLINE unsigned long long ww_warp(int kind, unsigned mask, unsigned long long value, int operand, int width, int line) {
    WW_MARK_SYNC();
    WW_SAVE_THREAD();
    const WwWarpCall call = {kind, mask, value, operand, width, line};
    const unsigned long long result = ww_runtime->warp(&call);
    WW_RESTORE_THREAD();
    return result;
}

/// Carries any type of up to 8 bytes through a warp operation.
template <typename T>
WW_INLINE T ww_exchange(int kind, unsigned mask, T value, int operand, int width, int line) {
    static_assert(sizeof(T) <= 8, "warp shuffles carry values of up to 8 bytes");
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof(T));
    bits = ww_warp(kind, mask, bits, operand, width, line);
    memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    return value;
}

template <typename T>
WW_INLINE T __shfl_sync(unsigned mask, T value, int lane, int width = 32, int line = __builtin_LINE()) {
    return ww_exchange(WwShuffle, mask, value, lane, width, line);
}
template <typename T>
WW_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) {
    return ww_exchange(WwShuffleUp, mask, value, static_cast<int>(delta), width, line);
}
template <typename T>
WW_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) {
    return ww_exchange(WwShuffleDown, mask, value, static_cast<int>(delta), width, line);
}
template <typename T>
WW_INLINE T __shfl_xor_sync(unsigned mask, T value, int laneMask, int width = 32, int line = __builtin_LINE()) {
    return ww_exchange(WwShuffleXor, mask, value, laneMask, width, line);
}

WW_INLINE int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
    return static_cast<int>(ww_warp(WwVoteAll, mask, predicate != 0, 0, 32, line));
}
WW_INLINE int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
    return static_cast<int>(ww_warp(WwVoteAny, mask, predicate != 0, 0, 32, line));
}
WW_INLINE unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
    return static_cast<unsigned>(ww_warp(WwBallot, mask, predicate != 0, 0, 32, line));
}
template <typename T>
WW_INLINE unsigned __match_any_sync(unsigned mask, T value, int line = __builtin_LINE()) {
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return static_cast<unsigned>(ww_warp(WwMatchAny, mask, bits, 0, 32, line));
}
template <typename T>
WW_INLINE unsigned __match_all_sync(unsigned mask, T value, int* predicate, int line = __builtin_LINE()) {
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof(T));
    const unsigned same = static_cast<unsigned>(ww_warp(WwMatchAll, mask, bits, 0, 32, line));
    *predicate = same != 0;
    return same;
}
WW_INLINE unsigned __activemask(int line = __builtin_LINE()) { return static_cast<unsigned>(ww_warp(WwActiveMask, 0, 0, 0, 32, line)); }
WW_INLINE void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) { ww_warp(WwSyncWarp, mask, 0, 0, 32, line); }

#define WW_REDUCE(name, T, kind)                                                                       \
    WW_INLINE T name(unsigned mask, T value, int line = __builtin_LINE()) {                            \
        return static_cast<T>(ww_warp(kind, mask, static_cast<unsigned>(value), 0, 32, line));         \
    }
WW_REDUCE(__reduce_add_sync, unsigned, WwReduceAdd)
WW_REDUCE(__reduce_add_sync, int, WwReduceAdd)
WW_REDUCE(__reduce_min_sync, unsigned, WwReduceMinUnsigned)
WW_REDUCE(__reduce_min_sync, int, WwReduceMinSigned)
WW_REDUCE(__reduce_max_sync, unsigned, WwReduceMaxUnsigned)
WW_REDUCE(__reduce_max_sync, int, WwReduceMaxSigned)
WW_REDUCE(__reduce_and_sync, unsigned, WwReduceAnd)
WW_REDUCE(__reduce_or_sync, unsigned, WwReduceOr)
WW_REDUCE(__reduce_xor_sync, unsigned, WwReduceXor)
#undef WW_REDUCE

WW_INLINE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
WW_INLINE void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
WW_INLINE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
