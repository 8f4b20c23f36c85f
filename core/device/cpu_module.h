// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "device/cpu_shared.h"
#include "ww_abi.h"

namespace ww::device {

/// A shared object of the host compiler, opened in this process. Move-only; closes it at the end.
class CpuModule {
public:
    /// Errors: Unsupported with the loader's words, or where the object is not ours or of another version.
    [[nodiscard]] static Result<CpuModule> open(std::span<const std::byte> image, const std::string& symbol, const WwRuntime& runtime);
    CpuModule(CpuModule&& other) noexcept;
    CpuModule& operator=(CpuModule&& other) noexcept;
    ~CpuModule();

    [[nodiscard]] const WwModule& entry() const noexcept { return *m_entry; }
    /// Whether any code in it synchronises threads.
    [[nodiscard]] bool usesSync() const noexcept { return m_usesSync; }
    /// Where a variable lives; nullptr where the module does not export it.
    [[nodiscard]] const WwSymbol* findSymbol(std::string_view name) const noexcept;
    /// Alignment padding may add a few bytes to what the kernel declares.
    [[nodiscard]] std::int64_t staticSharedBytes() const noexcept { return static_cast<std::int64_t>(m_threadLocalBytes - m_initialisedBytes); }
    /// The calling thread's static shared memory and the guard behind it. The memory is empty where it cannot be told from our own.
    [[nodiscard]] CheckedShared::Area staticShared() const;

private:
    CpuModule() = default;
    void* m_handle = nullptr;
    int m_fd = -1;
    const WwModule* m_entry = nullptr;
    bool m_usesSync = false;
    std::size_t m_threadLocalBytes = 0;  // without the guard
    std::size_t m_initialisedBytes = 0;  // the first of these: the module's own state, which alone has initial values
    bool m_poisonable = false;
};

}  // namespace ww::device
