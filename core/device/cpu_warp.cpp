// SPDX-License-Identifier: Apache-2.0
// Warp operations of the CPU device, and the functions that modules call.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "device/cpu_block.h"

namespace ww::device {

namespace {

/// The lane whose value a shuffle of `lane` reads, or `lane` itself where CUDA gives the caller's own value.
unsigned shuffleSource(const WwWarpCall& call, unsigned lane) {
    const int width = call.width >= 1 && call.width <= 32 ? call.width : 32;
    const int segment = static_cast<int>(lane) & ~(width - 1);
    const int self = static_cast<int>(lane);
    int source = self;
    switch (call.kind) {
    case WwShuffle: source = segment + (call.operand & (width - 1)); break;
    case WwShuffleUp: source = self - call.operand >= segment ? self - call.operand : self; break;
    case WwShuffleDown: source = call.operand < width && self + call.operand < segment + width ? self + call.operand : self; break;
    case WwShuffleXor: source = (self ^ call.operand) < segment + width ? self ^ call.operand : self; break;
    default: break;
    }
    return static_cast<unsigned>(source) & 31u;
}

std::uint64_t reduce(int kind, std::uint64_t a, std::uint64_t b) {
    const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
    const auto sx = static_cast<std::int32_t>(x), sy = static_cast<std::int32_t>(y);
    switch (kind) {
    case WwReduceAdd: return static_cast<std::uint32_t>(x + y);
    case WwReduceMinSigned: return sx < sy ? x : y;
    case WwReduceMaxSigned: return sx > sy ? x : y;
    case WwReduceMinUnsigned: return x < y ? x : y;
    case WwReduceMaxUnsigned: return x > y ? x : y;
    case WwReduceAnd: return x & y;
    case WwReduceOr: return x | y;
    default: return x ^ y;
    }
}

template <typename F>
void forEachLane(std::uint32_t group, F&& visit) {
    for (; group != 0; group &= group - 1) visit(static_cast<unsigned>(std::countr_zero(group)));
}

}  // namespace

std::uint64_t BlockRunner::warpOperation(const WwWarpCall& call) {
    const unsigned warp = m_current / kWarp;
    const std::uint32_t bit = 1u << (m_current % kWarp);
    if (call.kind != WwActiveMask && (call.mask & bit) == 0) {
        recordFailure(TrialStatus::RuntimeError, "the warp operation in line " + std::to_string(call.line) +
                                                     " has a mask without the calling lane " + std::to_string(m_current % kWarp) +
                                                     ", in block " + blockText());
        leaveBlock();
    }
    Lane& lane = m_lanes[m_current];
    lane.call = call;
    m_inWarpOperation[warp] |= bit;
    if (call.kind == WwActiveMask || !tryCompleteWarp(warp, call)) {
        m_ready[warp] &= ~bit;
        // Who is active shows when no other lane of the warp can go on.
        if (m_ready[warp] == 0) releaseQuiescentWarps();
        if ((m_ready[warp] & bit) == 0) yieldFiber();
    }
    return lane.result;
}

/// Completes the operation of `call`'s group when all its living lanes have come; true when it did.
bool BlockRunner::tryCompleteWarp(unsigned warp, const WwWarpCall& call) {
    if (call.kind == WwActiveMask) return false;
    const std::uint32_t group = call.mask & m_aliveLanes[warp];
    if (group == 0 || (group & m_inWarpOperation[warp]) != group) return false;
    bool same = true;
    forEachLane(group, [&](unsigned lane) {
        const WwWarpCall& other = m_lanes[warp * kWarp + lane].call;
        same = same && other.kind == call.kind && other.mask == call.mask;
    });
    if (!same) return false;
    finishWarp(warp, group);
    return true;
}

/// Computes every lane's result and lets the group go on.
void BlockRunner::finishWarp(unsigned warp, std::uint32_t group) {
    Lane* const lanes = &m_lanes[warp * kWarp];
    const int kind = lanes[std::countr_zero(group)].call.kind;
    const std::uint64_t first = lanes[std::countr_zero(group)].call.value;
    std::uint64_t common = 0;
    bool equal = true;
    if (kind == WwBallot || kind == WwVoteAny || kind == WwVoteAll) {
        forEachLane(group, [&](unsigned lane) { common |= static_cast<std::uint64_t>(lanes[lane].call.value != 0) << lane; });
        if (kind == WwVoteAny) common = common != 0;
        if (kind == WwVoteAll) common = common == group;
    } else if (kind == WwMatchAll) {
        forEachLane(group, [&](unsigned lane) { equal = equal && lanes[lane].call.value == first; });
        common = equal ? group : 0;
    } else if (kind == WwActiveMask) {
        common = group;
    } else if (kind >= WwReduceAdd) {
        common = first;
        forEachLane(group & (group - 1), [&](unsigned lane) { common = reduce(kind, common, lanes[lane].call.value); });
    }
    forEachLane(group, [&](unsigned lane) {
        std::uint64_t result = common;
        if (kind <= WwShuffleXor) {
            // Reading a lane outside the group is undefined on a GPU; the caller's own value is as good as any.
            const unsigned source = shuffleSource(lanes[lane].call, lane);
            result = lanes[(group >> source & 1) != 0 ? source : lane].call.value;
        } else if (kind == WwMatchAny) {
            result = 0;
            forEachLane(group, [&](unsigned other) {
                if (lanes[other].call.value == lanes[lane].call.value) result |= std::uint64_t{1} << other;
            });
        }
        lanes[lane].result = result;
    });
    m_inWarpOperation[warp] &= ~group;
    m_ready[warp] |= group;
}

/// __activemask names the lanes that are at the same place together: it is answered once no lane of the warp can run.
bool BlockRunner::releaseQuiescentWarps() {
    bool released = false;
    for (unsigned warp = 0; warp * kWarp < m_threads; ++warp) {
        if (m_ready[warp] != 0) continue;
        std::uint32_t asking = 0;
        int line = 0;
        forEachLane(m_inWarpOperation[warp], [&](unsigned lane) {
            const WwWarpCall& call = m_lanes[warp * kWarp + lane].call;
            if (call.kind != WwActiveMask || (asking != 0 && call.line != line)) return;
            line = call.line;
            asking |= 1u << lane;
        });
        if (asking == 0) continue;
        finishWarp(warp, asking);
        released = true;
    }
    return released;
}

// ---- what modules call; the kernel runs on the OS thread of the current runner ----

const WwRuntime& BlockRunner::runtime() noexcept {
    static constexpr WwRuntime kRuntime{WW_ABI_VERSION, &onBarrier, &onWarp, &onLane, &onPrint, &onFail};
    return kRuntime;
}

unsigned long long BlockRunner::onWarp(const WwWarpCall* call) {
    return current()->warpOperation(*call);
}

unsigned BlockRunner::onLane() {
    return current()->m_current % kWarp;
}

void BlockRunner::onPrint(const char* format, std::va_list arguments) {
    CpuLaunch& launch = *current()->m_launch;
    char line[4096];
    const int length = std::vsnprintf(line, sizeof line, format, arguments);
    if (length < 0) return;
    const std::lock_guard lock(launch.mutex);
    const std::size_t bytes = std::min(static_cast<std::size_t>(length), sizeof line - 1);
    if (launch.printed.size() + bytes > kPrintBytes) {
        ++launch.printsDropped;
    } else {
        launch.printed.append(line, bytes);
    }
}

void BlockRunner::onFail(int failure, const char* text, const char* file, int line, const unsigned* thread) {
    BlockRunner& self = *current();
    {
        const std::string where = std::string(file) + ":" + std::to_string(line) + ": block " + self.blockText() + ", thread (" +
                                  std::to_string(thread[0]) + "," + std::to_string(thread[1]) + "," + std::to_string(thread[2]) + "): ";
        if (failure == WwAssertion) {
            self.recordFailure(TrialStatus::RuntimeError, where + "assertion `" + text + "` failed");
        } else if (failure == WwOutOfMemory) {
            self.recordFailure(TrialStatus::OutOfMemory, where + "out of memory");
        } else if (failure == WwBadTexture) {
            self.recordFailure(TrialStatus::RuntimeError, where + text);
        } else {
            self.recordFailure(TrialStatus::RuntimeError, where + text + " was executed");
        }
    }
    self.leaveBlock();
}

}  // namespace ww::device
