// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "device/cuda_driver.h"
#include "device/device.h"

namespace ww::device {

/// Texture objects on one CUDA context, kept as long as the buffers that they show. One thread: the device's.
class CudaTextures {
public:
    explicit CudaTextures(const CudaDriver& driver) : m_driver(driver) {}
    ~CudaTextures();
    CudaTextures(const CudaTextures&) = delete;
    CudaTextures& operator=(const CudaTextures&) = delete;

    /// Makes the object for `argument`, whose texels lie at `texels`; an array gets their present values on `stream`.
    [[nodiscard]] CUresult bind(const TextureArgument& argument, CUdeviceptr texels, CUstream stream);
    /// The object that bind() made; 0 where there is none.
    [[nodiscard]] CUtexObject find(const TextureArgument& argument) const noexcept;
    void release(BufferId buffer);
    /// Of arrays, rounded down: the driver pads them.
    [[nodiscard]] std::int64_t bytes() const noexcept { return m_bytes; }

private:
    struct Texture {
        TextureArgument argument;
        CUarray array = nullptr;  ///< none for linear memory
        CUtexObject object = 0;
    };

    [[nodiscard]] CUresult create(Texture& texture, CUdeviceptr texels) const;
    [[nodiscard]] CUresult fill(const Texture& texture, CUdeviceptr texels, CUstream stream) const;
    void destroy(const Texture& texture);

    const CudaDriver& m_driver;
    std::vector<Texture> m_textures;
    std::int64_t m_bytes = 0;
};

}  // namespace ww::device
