// SPDX-License-Identifier: Apache-2.0
#include "source/device_code.h"

namespace ww::source {

std::string_view toString(AccessKind kind) noexcept {
    switch (kind) {
        case AccessKind::Load: return "load";
        case AccessKind::Store: return "store";
        case AccessKind::Atomic: break;
    }
    return "atomic";
}

std::string_view toString(Pattern pattern) noexcept {
    switch (pattern) {
        case Pattern::Broadcast: return "broadcast";
        case Pattern::Coalesced: return "coalesced";
        case Pattern::Strided: return "strided";
        case Pattern::Scattered: break;
    }
    return "scattered";
}

std::string_view toString(MemorySpace space) noexcept {
    switch (space) {
        case MemorySpace::Global: return "global";
        case MemorySpace::Shared: return "shared";
        case MemorySpace::Local: return "local";
        case MemorySpace::Constant: return "constant";
        case MemorySpace::Texture: break;
    }
    return "texture";
}

std::string_view toString(LoopKind kind) noexcept {
    switch (kind) {
        case LoopKind::For: return "for";
        case LoopKind::While: return "while";
        case LoopKind::DoWhile: return "do";
        case LoopKind::ForEach: break;
    }
    return "for each";
}

std::string_view toString(OperationKind kind) noexcept {
    switch (kind) {
        case OperationKind::Barrier: return "barrier";
        case OperationKind::WarpSync: return "warp_sync";
        case OperationKind::GridSync: return "grid_sync";
        case OperationKind::ClusterSync: return "cluster_sync";
        case OperationKind::Mbarrier: return "mbarrier";
        case OperationKind::Fence: return "fence";
        case OperationKind::Shuffle: return "shuffle";
        case OperationKind::Vote: return "vote";
        case OperationKind::Reduction: return "reduction";
        case OperationKind::Atomic: return "atomic";
        case OperationKind::MatrixMultiply: return "mma";
        case OperationKind::WarpgroupMultiply: return "wgmma";
        case OperationKind::TensorMemory: return "tma";
        case OperationKind::AsyncCopy: return "async_copy";
        case OperationKind::Math: return "math";
        case OperationKind::FastMath: break;
    }
    return "fast_math";
}

}  // namespace ww::source
