// SPDX-License-Identifier: Apache-2.0
#include "encode/state_table.h"

namespace ww::encode {

namespace {

/// GB/s of a double data rate bus; 0 where the device tells neither clock nor width.
double bandwidth(const View& v) {
    return 2.0 * real(v.device.memoryClockKHz) * real(v.device.memoryBusBits) / 8 / 1e6;
}

/// Tera multiply-adds per second at 128 lanes a processor, near enough on every architecture since Maxwell.
double multiplyAdds(const View& v) {
    return real(v.device.processors) * 128 * real(v.device.clockKHz) / 1e9;
}

}  // namespace

const std::vector<Row>& deviceRows() {
    static const std::vector<Row> rows{
        {"device.is_cpu", "device facts", "1 for the CPU",
         [](const View& v) { return v.device.kind == device::DeviceKind::Cpu ? 1.0 : 0.0; }},
        {"device.is_cuda", "device facts", "1 for CUDA",
         [](const View& v) { return v.device.kind == device::DeviceKind::Cuda ? 1.0 : 0.0; }},
        {"device.compute_capability", "device facts", "(major + minor / 10) / 16",
         [](const View& v) { return (v.device.ccMajor + v.device.ccMinor / 10.0) / 16; }},
        {"device.has_async_copy", "device facts", "1 from compute capability 8.0",
         [](const View& v) { return v.device.ccMajor >= 8 ? 1.0 : 0.0; }},
        {"device.has_tma", "device facts", "1 from compute capability 9.0",
         [](const View& v) { return v.device.ccMajor >= 9 ? 1.0 : 0.0; }},
        {"device.has_blackwell_tensor_cores", "device facts", "1 from compute capability 10.0",
         [](const View& v) { return v.device.ccMajor >= 10 ? 1.0 : 0.0; }},
        {"device.processors", "device facts", "log2(1 + x) / log2(257)",
         [](const View& v) { return logShare(real(v.device.processors), 256); }},
        {"device.max_threads_per_block", "device facts", "x / 1024",
         [](const View& v) { return real(v.device.maxThreadsPerBlock) / 1024; }},
        {"device.max_threads_per_processor", "device facts", "x / 2048",
         [](const View& v) { return real(v.device.maxThreadsPerProcessor) / 2048; }},
        {"device.max_blocks_per_processor", "device facts", "x / 64",
         [](const View& v) { return real(v.device.maxBlocksPerProcessor) / 64; }},
        {"device.max_block_z", "device facts", "x / 1024",
         [](const View& v) { return real(v.device.maxBlockZ) / 1024; }},
        {"device.max_grid_y", "device facts", "log2(1 + x) / 31",
         [](const View& v) { return logShare(real(v.device.maxGridY), 2147483647); }},
        {"device.warp_size", "device facts", "x / 64",
         [](const View& v) { return real(v.device.warpSize) / 64; }},
        {"device.shared_per_block", "device facts", "bytes / 262144",
         [](const View& v) { return real(v.device.sharedPerBlock) / 262144; }},
        {"device.shared_per_block_optin", "device facts", "bytes / 262144",
         [](const View& v) { return real(v.device.sharedPerBlockOptin) / 262144; }},
        {"device.shared_per_processor", "device facts", "bytes / 262144",
         [](const View& v) { return real(v.device.sharedPerProcessor) / 262144; }},
        {"device.shared_per_thread", "device facts", "x / (x + 64) bytes at full occupancy",
         [](const View& v) { return saturate(share(real(v.device.sharedPerProcessor), real(v.device.maxThreadsPerProcessor)), 64); }},
        {"device.registers_per_block", "device facts", "x / 131072",
         [](const View& v) { return real(v.device.registersPerBlock) / 131072; }},
        {"device.registers_per_processor", "device facts", "x / 131072",
         [](const View& v) { return real(v.device.registersPerProcessor) / 131072; }},
        {"device.registers_per_thread", "device facts", "x / (x + 32) at full occupancy",
         [](const View& v) { return saturate(share(real(v.device.registersPerProcessor), real(v.device.maxThreadsPerProcessor)), 32); }},
        {"device.l2_bytes", "device facts", "log2(1 + bytes) / 28",
         [](const View& v) { return logShare(real(v.device.l2Bytes), 268435455); }},
        {"device.l2_per_processor", "device facts", "x / (x + 1 MiB)",
         [](const View& v) { return saturate(share(real(v.device.l2Bytes), real(v.device.processors)), 1048576); }},
        {"device.memory_bytes", "device facts", "log2(1 + bytes) / 38",
         [](const View& v) { return logShare(real(v.device.memoryBytes), 274877906943.0); }},
        {"device.clock", "device facts", "kHz / 4,000,000",
         [](const View& v) { return real(v.device.clockKHz) / 4000000; }},
        {"device.memory_clock", "device facts", "kHz / 16,000,000",
         [](const View& v) { return real(v.device.memoryClockKHz) / 16000000; }},
        {"device.memory_bus", "device facts", "log2(1 + bits) / 13",
         [](const View& v) { return logShare(real(v.device.memoryBusBits), 8191); }},
        {"device.bandwidth", "device facts", "x / (x + 1000 GB/s), 2 x clock x bus",
         [](const View& v) { return saturate(bandwidth(v), 1000); }},
        {"device.peak_multiply_adds", "device facts", "x / (x + 20 T/s), processors x 128 x clock",
         [](const View& v) { return saturate(multiplyAdds(v), 20); }},
        {"device.balance", "device facts", "x / (x + 20), multiply-adds per byte",
         [](const View& v) { return saturate(share(1000 * multiplyAdds(v), bandwidth(v)), 20); }},
        {"device.resident_threads", "device facts", "log2(1 + x) / 20",
         [](const View& v) { return logShare(real(v.device.processors) * real(v.device.maxThreadsPerProcessor), 1048575); }},
        {"device.integrated", "device facts", "1 where memory is shared with the host",
         [](const View& v) { return v.device.integrated ? 1.0 : 0.0; }},
        {"device.laptop", "device facts", "1 for a laptop",
         [](const View& v) { return v.device.laptop ? 1.0 : 0.0; }},
    };
    return rows;
}

}  // namespace ww::encode
