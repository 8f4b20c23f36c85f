// SPDX-License-Identifier: Apache-2.0
#include "profile/cache_reader.h"

#include <algorithm>

#include "device/cuda_driver.h"

namespace ww::profile {
namespace {

/// A grid-stride loop over 16-byte words. The sum is stored only if it is a value that zeroed memory cannot give, so nothing is written,
/// and the compiler cannot leave the reads out. The oldest target of our toolkits: the driver makes it fit the device.
constexpr const char* kPtx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry ww_read_all(.param .u64 base, .param .u64 words)
{
    .reg .pred %p<3>;
    .reg .b32 %r<12>;
    .reg .b64 %d<10>;
    ld.param.u64 %d1, [base];
    ld.param.u64 %d2, [words];
    cvta.to.global.u64 %d1, %d1;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mov.u32 %r4, %nctaid.x;
    mul.wide.u32 %d3, %r1, %r2;
    cvt.u64.u32 %d4, %r3;
    add.u64 %d3, %d3, %d4;
    mul.wide.u32 %d5, %r4, %r2;
    mov.u32 %r5, 0;
loop:
    setp.ge.u64 %p1, %d3, %d2;
    @%p1 bra done;
    shl.b64 %d6, %d3, 4;
    add.u64 %d7, %d1, %d6;
    ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%d7];
    or.b32 %r6, %r6, %r7;
    or.b32 %r8, %r8, %r9;
    or.b32 %r6, %r6, %r8;
    or.b32 %r5, %r5, %r6;
    add.u64 %d3, %d3, %d5;
    bra loop;
done:
    setp.eq.u32 %p2, %r5, 0;
    @%p2 bra end;
    st.global.u32 [%d1], %r5;
end:
    ret;
}
)";

/// The L2 of recent chips keeps dirty lines through a single sweep of twice its size: 20 MB of them on an H200, which then count as
/// traffic of the kernel.
constexpr std::int64_t kTimesL2 = 8;
constexpr std::uint64_t kWordBytes = 16;
constexpr unsigned kThreads = 256;

class PtxCacheReader final : public CacheReader {
public:
    PtxCacheReader(const device::CudaDriver& driver, const device::DeviceFacts& facts)
        : m_driver(driver), m_blocks(static_cast<unsigned>(std::max(1, facts.processors)) * 8),
          m_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(kTimesL2 * facts.l2Bytes, std::int64_t{8} << 20)) / kWordBytes * kWordBytes) {}
    ~PtxCacheReader() override {
        if (m_memory != 0) (void)m_driver.cuMemFree_(m_memory);
        if (m_module != nullptr) (void)m_driver.cuModuleUnload_(m_module);
    }

    Result<void> open() {
        WW_CHECK(m_driver.check(m_driver.cuModuleLoadDataEx_(&m_module, kPtx, 0, nullptr, nullptr), "loading the reader of the caches"));
        WW_CHECK(m_driver.check(m_driver.cuModuleGetFunction_(&m_function, m_module, "ww_read_all"), "cuModuleGetFunction"));
        WW_CHECK(m_driver.check(m_driver.cuMemAlloc_(&m_memory, m_bytes), "cuMemAlloc of the flush buffer"));
        WW_CHECK(m_driver.check(m_driver.cuMemsetD8_(m_memory, 0, m_bytes), "cuMemsetD8"));
        return flush();
    }

    Result<void> flush() override {
        std::uint64_t words = m_bytes / kWordBytes;
        void* parameters[] = {&m_memory, &words};
        WW_CHECK(m_driver.check(m_driver.cuLaunchKernel_(m_function, m_blocks, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr),
                                "flushing the caches"));
        return m_driver.check(m_driver.cuCtxSynchronize_(), "flushing the caches");
    }

private:
    const device::CudaDriver& m_driver;
    unsigned m_blocks;
    std::uint64_t m_bytes;
    CUmodule m_module = nullptr;
    CUfunction m_function = nullptr;
    CUdeviceptr m_memory = 0;
};

} // namespace

Result<std::unique_ptr<CacheReader>> CacheReader::make(const device::DeviceFacts& facts) {
    WW_TRY(driver, device::CudaDriver::open());
    auto reader = std::make_unique<PtxCacheReader>(*driver, facts);
    WW_CHECK(reader->open());
    return std::unique_ptr<CacheReader>(std::move(reader));
}

} // namespace ww::profile
