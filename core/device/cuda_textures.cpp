// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_textures.h"

#include <algorithm>

namespace ww::device {
namespace {

CUarray_format formatOf(DType type) {
    switch (type) {
    case DType::Int8: return CU_AD_FORMAT_SIGNED_INT8;
    case DType::UInt8: return CU_AD_FORMAT_UNSIGNED_INT8;
    case DType::Int16: return CU_AD_FORMAT_SIGNED_INT16;
    case DType::UInt16: return CU_AD_FORMAT_UNSIGNED_INT16;
    case DType::Int32: return CU_AD_FORMAT_SIGNED_INT32;
    case DType::UInt32: return CU_AD_FORMAT_UNSIGNED_INT32;
    default: return CU_AD_FORMAT_FLOAT;
    }
}

CUaddress_mode addressOf(TextureAddress address) {
    switch (address) {
    case TextureAddress::Clamp: return CU_TR_ADDRESS_MODE_CLAMP;
    case TextureAddress::Wrap: return CU_TR_ADDRESS_MODE_WRAP;
    case TextureAddress::Mirror: return CU_TR_ADDRESS_MODE_MIRROR;
    case TextureAddress::Border: return CU_TR_ADDRESS_MODE_BORDER;
    }
    return CU_TR_ADDRESS_MODE_CLAMP;
}

CUDA_TEXTURE_DESC samplingOf(const TextureArgument& argument) {
    CUDA_TEXTURE_DESC texture{};
    // Beyond its dimensions a texture is read at 0, half way to the border: there only clamping gives the texel itself.
    for (std::size_t axis = 0; axis < argument.extents.size(); ++axis) {
        texture.addressMode[axis] = argument.extents[axis] > 0 ? addressOf(argument.sampling.address) : CU_TR_ADDRESS_MODE_CLAMP;
    }
    texture.filterMode = argument.sampling.filter == TextureFilter::Linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    if (argument.sampling.normalized) texture.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    if (!isFloating(argument.type) && argument.sampling.read == TextureRead::Element) texture.flags |= CU_TRSF_READ_AS_INTEGER;
    return texture;
}

CUDA_RESOURCE_DESC linearMemory(const TextureArgument& argument, CUdeviceptr texels) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = texels;
    resource.res.linear.format = formatOf(argument.type);
    resource.res.linear.numChannels = static_cast<unsigned>(argument.components);
    resource.res.linear.sizeInBytes = argument.texels * argument.texelBytes();
    return resource;
}

}  // namespace

CudaTextures::~CudaTextures() {
    for (const Texture& texture : m_textures) destroy(texture);
}

CUresult CudaTextures::create(Texture& texture, CUdeviceptr texels) const {
    const TextureArgument& argument = texture.argument;
    CUDA_RESOURCE_DESC resource{};
    if (argument.extents[0] == 0) {
        resource = linearMemory(argument, texels);
    } else {
        CUDA_ARRAY3D_DESCRIPTOR shape{};
        shape.Width = argument.extents[0];
        shape.Height = argument.extents[1];
        shape.Depth = argument.extents[2];
        shape.Format = formatOf(argument.type);
        shape.NumChannels = static_cast<unsigned>(argument.components);
        if (const CUresult result = m_driver.cuArray3DCreate_(&texture.array, &shape); result != CUDA_SUCCESS) return result;
        resource.resType = CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = texture.array;
    }
    const CUDA_TEXTURE_DESC sampling = samplingOf(argument);
    return m_driver.cuTexObjectCreate_(&texture.object, &resource, &sampling, nullptr);
}

CUresult CudaTextures::fill(const Texture& texture, CUdeviceptr texels, CUstream stream) const {
    if (texture.array == nullptr) return CUDA_SUCCESS;
    const TextureArgument& argument = texture.argument;
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = texels;
    copy.srcPitch = argument.extents[0] * argument.texelBytes();
    copy.srcHeight = std::max(1U, argument.extents[1]);
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = texture.array;
    copy.WidthInBytes = copy.srcPitch;
    copy.Height = copy.srcHeight;
    copy.Depth = std::max(1U, argument.extents[2]);
    return m_driver.cuMemcpy3DAsync_(&copy, stream);
}

CUresult CudaTextures::bind(const TextureArgument& argument, CUdeviceptr texels, CUstream stream) {
    auto found = std::find_if(m_textures.begin(), m_textures.end(), [&](const Texture& texture) { return texture.argument == argument; });
    if (found == m_textures.end()) {
        Texture texture;
        texture.argument = argument;
        if (const CUresult result = create(texture, texels); result != CUDA_SUCCESS) {
            destroy(texture);
            return result;
        }
        if (texture.array != nullptr) m_bytes += static_cast<std::int64_t>(argument.texels * argument.texelBytes());
        found = m_textures.insert(m_textures.end(), texture);
    }
    return fill(*found, texels, stream);
}

CUtexObject CudaTextures::find(const TextureArgument& argument) const noexcept {
    const auto found = std::find_if(m_textures.begin(), m_textures.end(), [&](const Texture& texture) { return texture.argument == argument; });
    return found == m_textures.end() ? 0 : found->object;
}

void CudaTextures::release(BufferId buffer) {
    std::erase_if(m_textures, [&](const Texture& texture) {
        if (texture.argument.buffer != buffer) return false;
        if (texture.array != nullptr) m_bytes -= static_cast<std::int64_t>(texture.argument.texels * texture.argument.texelBytes());
        destroy(texture);
        return true;
    });
}

void CudaTextures::destroy(const Texture& texture) {
    // Failures here mean a poisoned context; the process ends soon and the driver cleans up.
    if (texture.object != 0) (void)m_driver.cuTexObjectDestroy_(texture.object);
    if (texture.array != nullptr) (void)m_driver.cuArrayDestroy_(texture.array);
}

}  // namespace ww::device
