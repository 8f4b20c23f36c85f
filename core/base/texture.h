// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace ww {

enum class TextureFilter { Point, Linear };
enum class TextureAddress { Clamp, Wrap, Mirror, Border };  ///< of coordinates outside of the texture; Border reads 0
enum class TextureRead { Element, NormalizedFloat };        ///< NormalizedFloat: integers become floats in [0, 1] or [-1, 1]

/// How a texture object is read: the part of CUDA's texture descriptor that both devices have.
struct TextureSampling {
    TextureFilter filter = TextureFilter::Point;
    TextureAddress address = TextureAddress::Clamp;
    TextureRead read = TextureRead::Element;
    bool normalized = false;  ///< coordinates in [0, 1) instead of texels
    bool operator==(const TextureSampling&) const = default;
};

/// Width, height and depth in texels; 0 for an axis that the texture lacks. All 0: linear memory, for tex1Dfetch alone.
using TextureExtents = std::array<std::uint32_t, 3>;

}  // namespace ww
