// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ww::source {

/// Bytes [begin, end) of the source text.
struct ByteRange {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool operator==(const ByteRange&) const = default;
};

enum class AccessKind { Load, Store, Atomic };

/// How the threads of a warp (the elements of a Triton block) lie in memory, judged from the address alone; a mask changes nothing.
enum class Pattern { Broadcast, Coalesced, Strided, Scattered };

enum class MemorySpace { Global, Shared, Local, Constant, Texture };

[[nodiscard]] std::string_view toString(AccessKind kind) noexcept;
[[nodiscard]] std::string_view toString(Pattern pattern) noexcept;
[[nodiscard]] std::string_view toString(MemorySpace space) noexcept;

/// One place in the text that reads or writes memory. `a[i] += x` is a load and a store.
struct MemoryAccess {
    AccessKind kind = AccessKind::Load;
    MemorySpace space = MemorySpace::Global;
    Pattern pattern = Pattern::Scattered;
    std::string object;                  ///< array or pointer; empty where the address has no name
    std::string address;                 ///< as written, shortened
    std::optional<std::int64_t> stride;  ///< elements from one thread to the next, where constant; 1 for coalesced
    std::string strideText;              ///< factor as written where the stride is no constant: "n", "stride_am"
    std::string elementType;             ///< "float4", "half"; empty where unknown
    int vectorWidth = 1;                 ///< elements moved at once: 4 for float4
    int bytes = 0;                       ///< of the whole access per thread; 0 where the type is unknown
    bool masked = false;                 ///< Triton: given a mask
    std::string hint;                    ///< "__ldg", "evict_last", "other=0.0", ...; how it was asked for
    int loopDepth = 0;
    int line = 1;
};

/// A `__shared__` declaration.
struct SharedArray {
    std::string name;
    std::string elementType;
    std::vector<std::string> extents;  ///< expressions as written, outermost first; empty for extern
    bool dynamic = false;
    int line = 1;
    /// Bytes in the expression language (core/expr) over the file's parameters; empty for dynamic ones and where it cannot be told.
    std::string bytes;
    std::string whyNot;                ///< why `bytes` is empty
};

enum class LoopKind { For, While, DoWhile, ForEach };

[[nodiscard]] std::string_view toString(LoopKind kind) noexcept;

struct Loop {
    LoopKind kind = LoopKind::For;
    std::string variable;                   ///< induction variable; may be empty
    std::string condition;                  ///< as written
    std::string trips;                      ///< iterations, in the expression language over parameters; empty where unknown
    std::optional<std::int64_t> tripCount;  ///< its value for the defaults
    std::string unroll;                     ///< "full", "4", "1"; empty without a pragma
    bool threadDependent = false;           ///< threads of a block may leave at different times
    int depth = 1;                          ///< 1 for an outermost loop
    int line = 1;
};

struct Branch {
    std::string kind;        ///< "if", "switch", "?:", "elif"
    std::string condition;   ///< as written, shortened
    bool threadDependent = false;  ///< the condition depends on the thread
    bool divergent = false;        ///< and so on the thread within its warp: threadIdx.x / 32 == 0 does not
    int depth = 1;           ///< nesting among branches
    int line = 1;
};

enum class OperationKind {
    Barrier, WarpSync, GridSync, ClusterSync, Mbarrier, Fence, Shuffle, Vote, Reduction, Atomic, MatrixMultiply, WarpgroupMultiply,
    TensorMemory, AsyncCopy, Math, FastMath,
};

[[nodiscard]] std::string_view toString(OperationKind kind) noexcept;

/// A call or PTX instruction with a meaning of its own to the hardware.
struct Operation {
    OperationKind kind = OperationKind::Barrier;
    std::string name;        ///< "__syncthreads", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
    bool divergent = false;  ///< inside a branch or loop whose condition depends on the thread
    int loopDepth = 0;
    int line = 1;
};

struct InlinePtx {
    std::vector<std::string> instructions;  ///< opcodes in order
    int line = 1;
};

struct Lambda {
    std::string name;      ///< of the variable that holds it; may be empty
    std::string captures;  ///< "[&]"
    int line = 1;
};

/// What one kernel or device function does, in document order.
struct FunctionModel {
    std::string name;
    bool entry = false;
    ByteRange range;
    int line = 1;
    std::vector<MemoryAccess> accesses;
    std::vector<SharedArray> sharedArrays;
    std::vector<Loop> loops;
    std::vector<Branch> branches;
    std::vector<Operation> operations;
    std::vector<InlinePtx> inlinePtx;
    std::vector<Lambda> lambdas;
    std::vector<std::string> calls;  ///< device functions of the same file, each once
};

/// Storage at file scope, and texture and surface objects among a kernel's arguments.
struct MemoryObject {
    std::string kind;                  ///< "constant", "device", "managed", "texture", "surface"
    std::string name;
    std::string type;
    std::vector<std::string> extents;
    std::string bytes;                 ///< as SharedArray::bytes
    int line = 1;
};

}  // namespace ww::source
