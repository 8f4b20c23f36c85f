// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_instruments.h"

#include <array>

namespace ww::device {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr unsigned kDigestThreads = 256;

// As PTX, since the device worker has no compiler. ww_pace starts at a tick of the global timer, whose step may be a microsecond,
// and ends at one. ww_digest adds up a hash of each word and its place, so that the order of the threads does not matter.
constexpr const char* kPtx = R"(
.version 7.0
.target sm_70
.address_size 64

.visible .entry ww_pace(.param .u64 results, .param .u64 duration)
{
    .reg .u64 %out, %wanted, %begin, %now, %first, %last, %passed;
    .reg .pred %again;
    ld.param.u64 %out, [results];
    ld.param.u64 %wanted, [duration];
    cvta.to.global.u64 %out, %out;
    mov.u64 %now, %globaltimer;
TICK:
    mov.u64 %begin, %globaltimer;
    setp.eq.u64 %again, %begin, %now;
    @%again bra TICK;
    mov.u64 %first, %clock64;
WAIT:
    mov.u64 %now, %globaltimer;
    mov.u64 %last, %clock64;
    sub.u64 %passed, %now, %begin;
    setp.lt.u64 %again, %passed, %wanted;
    @%again bra WAIT;
    sub.u64 %last, %last, %first;
    st.global.u64 [%out], %last;
    st.global.u64 [%out+8], %passed;
    ret;
}

.visible .entry ww_digest(.param .u64 data, .param .u64 words, .param .u64 result)
{
    .reg .u64 %in, %count, %out, %at, %step, %word, %key, %high, %sum, %address;
    .reg .u32 %thread, %size, %block, %blocks, %low, %stride;
    .reg .pred %end;
    ld.param.u64 %in, [data];
    ld.param.u64 %count, [words];
    ld.param.u64 %out, [result];
    cvta.to.global.u64 %in, %in;
    cvta.to.global.u64 %out, %out;
    mov.u32 %thread, %tid.x;
    mov.u32 %size, %ntid.x;
    mov.u32 %block, %ctaid.x;
    mov.u32 %blocks, %nctaid.x;
    mad.wide.u32 %at, %block, %size, 0;
    cvt.u64.u32 %word, %thread;
    add.u64 %at, %at, %word;
    mul.lo.u32 %stride, %size, %blocks;
    cvt.u64.u32 %step, %stride;
    mov.u64 %sum, 0;
NEXT:
    setp.ge.u64 %end, %at, %count;
    @%end bra DONE;
    shl.b64 %address, %at, 2;
    add.u64 %address, %in, %address;
    ld.global.u32 %low, [%address];
    cvt.u64.u32 %word, %low;
    mul.lo.u64 %key, %at, 0x9e3779b97f4a7c15;
    xor.b64 %word, %word, %key;
    mul.lo.u64 %word, %word, 0xff51afd7ed558ccd;
    shr.u64 %high, %word, 33;
    xor.b64 %word, %word, %high;
    mul.lo.u64 %word, %word, 0xc4ceb9fe1a85ec53;
    shr.u64 %high, %word, 29;
    xor.b64 %word, %word, %high;
    add.u64 %sum, %sum, %word;
    add.u64 %at, %at, %step;
    bra NEXT;
DONE:
    red.global.add.u64 [%out], %sum;
    ret;
}
)";

}  // namespace

CudaInstruments::~CudaInstruments() {
    if (m_results != 0) (void)m_driver.cuMemFree_(m_results);
    if (m_module != nullptr) (void)m_driver.cuModuleUnload_(m_module);
}

bool CudaInstruments::open() {
    const auto good = [](CUresult result) { return result == CUDA_SUCCESS; };
    if (!good(m_driver.cuModuleLoadDataEx_(&m_module, kPtx, 0, nullptr, nullptr))) return false;
    CUfunction pace = nullptr;
    if (!good(m_driver.cuModuleGetFunction_(&pace, m_module, "ww_pace")) ||
        !good(m_driver.cuModuleGetFunction_(&m_digest, m_module, "ww_digest")) || !good(m_driver.cuMemAlloc_(&m_results, 3 * kWord))) {
        return false;
    }
    m_pace = pace;
    return true;
}

CUresult CudaInstruments::pace(CUstream stream, std::uint64_t ns) const {
    CUdeviceptr results = m_results;
    std::array<void*, 2> parameters{&results, &ns};
    return m_driver.cuLaunchKernel_(m_pace, 1, 1, 1, 1, 1, 1, 0, stream, parameters.data(), nullptr);
}

double CudaInstruments::clockMHz() const {
    std::array<std::uint64_t, 2> read{};
    if (m_driver.cuMemcpyDtoH_(read.data(), m_results, sizeof read) != CUDA_SUCCESS || read[1] == 0) return 0;
    return 1e3 * static_cast<double>(read[0]) / static_cast<double>(read[1]);
}

std::optional<std::uint64_t> CudaInstruments::digest(CUstream stream, CUdeviceptr address, std::uint64_t words, unsigned blocks) const {
    CUdeviceptr result = m_results + 2 * kWord;
    std::array<void*, 3> parameters{&address, &words, &result};
    std::uint64_t digest = 0;
    const bool done =
        m_driver.cuMemsetD8Async_(result, 0, kWord, stream) == CUDA_SUCCESS &&
        m_driver.cuLaunchKernel_(m_digest, blocks, 1, 1, kDigestThreads, 1, 1, 0, stream, parameters.data(), nullptr) == CUDA_SUCCESS &&
        m_driver.cuStreamSynchronize_(stream) == CUDA_SUCCESS && m_driver.cuMemcpyDtoH_(&digest, result, kWord) == CUDA_SUCCESS;
    return done ? std::optional(digest) : std::nullopt;
}

}  // namespace ww::device
