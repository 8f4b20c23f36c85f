// SPDX-License-Identifier: Apache-2.0
// Cooperative groups within a block: thread_block, tiles of up to 32 threads, coalesced groups. Grids and clusters are refused
// before the compile (core/source/cpu_gaps.cpp).
#pragma once

namespace cooperative_groups {

WW_INLINE unsigned ww_rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
WW_INLINE unsigned ww_block_threads() { return blockDim.x * blockDim.y * blockDim.z; }

class thread_block {
public:
    static __forceinline__ void sync(int line = __builtin_LINE()) { ww_barrier(WwPlain, 0, line); }
    static __forceinline__ unsigned thread_rank() { return ww_rank_in_block(); }
    static __forceinline__ unsigned size() { return ww_block_threads(); }
    static __forceinline__ unsigned num_threads() { return ww_block_threads(); }
    static __forceinline__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static __forceinline__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static __forceinline__ dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static __forceinline__ dim3 dim_threads() { return group_dim(); }
};
WW_INLINE thread_block this_thread_block() { return {}; }

/// Some lanes of one warp; what tiles and coalesced groups share.
class ww_lanes {
public:
    ww_lanes(unsigned mask, unsigned rank, unsigned size) : m_mask(mask), m_rank(rank), m_size(size) {}
    __forceinline__ unsigned thread_rank() const { return m_rank; }
    __forceinline__ unsigned size() const { return m_size; }
    __forceinline__ unsigned num_threads() const { return m_size; }
    __forceinline__ void sync(int line = __builtin_LINE()) const { __syncwarp(m_mask, line); }
    template <typename T>
    __forceinline__ T shfl(T value, int from, int line = __builtin_LINE()) const { return __shfl_sync(m_mask, value, lane(static_cast<unsigned>(from) % m_size), 32, line); }
    template <typename T>
    __forceinline__ T shfl_up(T value, unsigned delta, int line = __builtin_LINE()) const {
        return __shfl_sync(m_mask, value, lane(m_rank >= delta ? m_rank - delta : m_rank), 32, line);
    }
    template <typename T>
    __forceinline__ T shfl_down(T value, unsigned delta, int line = __builtin_LINE()) const {
        return __shfl_sync(m_mask, value, lane(m_rank + delta < m_size ? m_rank + delta : m_rank), 32, line);
    }
    template <typename T>
    __forceinline__ T shfl_xor(T value, unsigned mask, int line = __builtin_LINE()) const {
        return __shfl_sync(m_mask, value, lane((m_rank ^ mask) < m_size ? m_rank ^ mask : m_rank), 32, line);
    }
    __forceinline__ int any(int predicate, int line = __builtin_LINE()) const { return __any_sync(m_mask, predicate, line); }
    __forceinline__ int all(int predicate, int line = __builtin_LINE()) const { return __all_sync(m_mask, predicate, line); }
    __forceinline__ unsigned ballot(int predicate, int line = __builtin_LINE()) const { return packed(__ballot_sync(m_mask, predicate, line)); }
    template <typename T>
    __forceinline__ unsigned match_any(T value, int line = __builtin_LINE()) const { return packed(__match_any_sync(m_mask, value, line)); }
    template <typename T>
    __forceinline__ unsigned match_all(T value, int& predicate, int line = __builtin_LINE()) const { return packed(__match_all_sync(m_mask, value, &predicate, line)); }

protected:
    /// The warp's lane of the group's `rank`-th thread.
    __forceinline__ int lane(unsigned rank) const {
        unsigned rest = m_mask;
        for (; rank > 0; --rank) rest &= rest - 1;
        return __ffs(static_cast<int>(rest)) - 1;
    }
    /// Bits by lane to bits by rank.
    __forceinline__ unsigned packed(unsigned lanes) const {
        unsigned result = 0, rank = 0;
        for (unsigned rest = m_mask; rest != 0; rest &= rest - 1, ++rank) result |= ((lanes & rest & (0u - rest)) != 0 ? 1u : 0u) << rank;
        return result;
    }
    unsigned m_mask, m_rank, m_size;
};

template <unsigned Size, typename Parent = void>
class thread_block_tile : public ww_lanes {
public:
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads on the CPU device");
    thread_block_tile() : ww_lanes(mask(), ww_rank_in_block() % Size, Size) {}
    template <typename Other>
    thread_block_tile(const thread_block_tile<Size, Other>&) : thread_block_tile() {}
    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    static __forceinline__ unsigned meta_group_rank() { return ww_rank_in_block() / Size; }
    static __forceinline__ unsigned meta_group_size() { return (ww_block_threads() + Size - 1) / Size; }

private:
    static __forceinline__ unsigned mask() {
        if (Size == 32) return 0xffffffffu;
        return ((1u << (Size % 32)) - 1u) << (ww_rank_in_block() % 32 / Size * Size);
    }
};
template <unsigned Size, typename Group>
WW_INLINE thread_block_tile<Size, Group> tiled_partition(const Group&) { return {}; }

class coalesced_group : public ww_lanes {
public:
    explicit coalesced_group(unsigned mask) : ww_lanes(mask, static_cast<unsigned>(__popc(mask & ((1u << (ww_rank_in_block() % 32)) - 1u))), static_cast<unsigned>(__popc(mask))) {}
};
WW_INLINE coalesced_group coalesced_threads(int line = __builtin_LINE()) { return coalesced_group(__activemask(line)); }

template <typename T>
struct plus {
    __forceinline__ T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {
    __forceinline__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
    __forceinline__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
    __forceinline__ T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
    __forceinline__ T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
    __forceinline__ T operator()(T a, T b) const { return a ^ b; }
};

/// Every thread gets the result, combined as a tree where the size is a power of two.
template <typename Group, typename T, typename Op>
WW_INLINE T reduce(const Group& group, T value, Op op, int line = __builtin_LINE()) {
    const unsigned size = group.size();
    if ((size & (size - 1)) == 0) {
        for (unsigned step = size / 2; step > 0; step /= 2) value = op(value, group.shfl_xor(value, step, line));
        return value;
    }
    T result = group.shfl(value, 0, line);
    for (unsigned rank = 1; rank < size; ++rank) result = op(result, group.shfl(value, static_cast<int>(rank), line));
    return result;
}
template <typename Group, typename T, typename Op>
WW_INLINE T inclusive_scan(const Group& group, T value, Op op, int line = __builtin_LINE()) {
    for (unsigned step = 1; step < group.size(); step *= 2) {
        const T before = group.shfl_up(value, step, line);
        if (group.thread_rank() >= step) value = op(before, value);
    }
    return value;
}

template <typename Group>
WW_INLINE void sync(const Group& group, int line = __builtin_LINE()) { group.sync(line); }

/// Each thread copies its share at once; wait() makes all shares visible.
template <typename Group, typename T>
WW_INLINE void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
    const size_t size = group.size(), rank = group.thread_rank();
    const size_t share = (bytes + size - 1) / size, first = rank * share;
    if (first < bytes) memcpy(reinterpret_cast<char*>(to) + first, reinterpret_cast<const char*>(from) + first, first + share < bytes ? share : bytes - first);
}
template <typename Group>
WW_INLINE void wait(const Group& group, int line = __builtin_LINE()) { group.sync(line); }
template <unsigned Stages, typename Group>
WW_INLINE void wait_prior(const Group& group, int line = __builtin_LINE()) { group.sync(line); }

}  // namespace cooperative_groups
