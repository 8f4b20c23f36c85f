// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "device/cuda_driver.h"

namespace ww::device {

/// Two small kernels of our own beside the candidates': one holds the stream back for a moment and reads the SM clock meanwhile,
/// one digests memory where it lies. A driver that cannot load them costs these figures, never the session. One thread: the device's.
class CudaInstruments {
public:
    explicit CudaInstruments(const CudaDriver& driver) : m_driver(driver) {}
    ~CudaInstruments();
    CudaInstruments(const CudaInstruments&) = delete;
    CudaInstruments& operator=(const CudaInstruments&) = delete;

    /// Needs the current context. False where the kernels cannot be had.
    bool open();
    [[nodiscard]] bool usable() const noexcept { return m_pace != nullptr; }

    /// Occupies the stream for about `ns`, so that what is queued behind it starts without waiting for the host.
    [[nodiscard]] CUresult pace(CUstream stream, std::uint64_t ns) const;
    /// SM clock during the last pace() (MHz), after the stream was waited for; 0 where it cannot be told.
    [[nodiscard]] double clockMHz() const;
    /// Order-sensitive digest of `words` 32-bit words; nullopt where it failed.
    [[nodiscard]] std::optional<std::uint64_t> digest(CUstream stream, CUdeviceptr address, std::uint64_t words, unsigned blocks) const;

private:
    const CudaDriver& m_driver;
    CUmodule m_module = nullptr;
    CUfunction m_pace = nullptr, m_digest = nullptr;
    CUdeviceptr m_results = 0;      ///< three 64-bit words: cycles, nanoseconds, digest
};

}  // namespace ww::device
