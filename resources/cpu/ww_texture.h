// SPDX-License-Identifier: Apache-2.0
// Texture objects: a cudaTextureObject_t is the address of a WwTexture over linear memory. Filtering follows the CUDA
// Programming Guide: a texel's centre is at i + 0.5, and the weights between two texels have 8 bits of fraction.
#pragma once

using cudaTextureObject_t = unsigned long long;

template <typename T>
struct WwTexel {
    using Component = T;
    static constexpr int kCount = 1;
};
#define WW_TEXELS(name, T)                                                                        \
    template <> struct WwTexel<name##1> { using Component = T; static constexpr int kCount = 1; }; \
    template <> struct WwTexel<name##2> { using Component = T; static constexpr int kCount = 2; }; \
    template <> struct WwTexel<name##4> { using Component = T; static constexpr int kCount = 4; };
WW_TEXELS(char, signed char)
WW_TEXELS(uchar, unsigned char)
WW_TEXELS(short, short)
WW_TEXELS(ushort, unsigned short)
WW_TEXELS(int, int)
WW_TEXELS(uint, unsigned int)
WW_TEXELS(float, float)
#undef WW_TEXELS

/// Where in the source a texture is read, for messages.
struct WwPlace {
    const char* file;
    int line;
};
#define WW_HERE WwPlace place = {__builtin_FILE(), __builtin_LINE()}

[[noreturn]] static __attribute__((noinline, cold, unused)) void ww_refuse_texture(const char* why, WwPlace place, unsigned x, unsigned y, unsigned z) {
    ww_fail(WwBadTexture, why, place.file, place.line, x, y, z);
}

/// The texture behind an object, which must hold what the kernel asks for: on a GPU it would silently get other bits.
template <typename T>
static inline const WwTexture& ww_texture_of(cudaTextureObject_t object, int dimensions, WwPlace place) {
    using Component = typename WwTexel<T>::Component;
    const WwTexture* const texture = reinterpret_cast<const WwTexture*>(object);
    const char* why = nullptr;
    if (object == 0 || object % alignof(WwTexture) != 0 || texture->mark != WW_TEXTURE_MARK) {
        why = "this argument of the kernel is no texture; give it MemoryType Texture in the spec";
    } else if (texture->dimensions != dimensions) {
        why = dimensions == 0 ? "tex1Dfetch reads linear memory: give the texture's Size as one number"
                              : "the texture has other dimensions than this function reads: tex1D takes a Size of [w], tex2D of [w, h], tex3D of [w, h, d]";
    } else if (texture->components != WwTexel<T>::kCount) {
        why = "the texture's texels have another number of components than the type that is read";
    } else if (texture->normalizedRead != 0 ? !std::is_same<Component, float>::value
                                            : texture->bytes != static_cast<int>(sizeof(Component)) ||
                                                  (texture->kind == WwTexelFloat) != std::is_floating_point<Component>::value ||
                                                  (texture->kind == WwTexelSigned) != (std::is_signed<Component>::value && !std::is_floating_point<Component>::value)) {
        why = "the texture's texels have another type than the one that is read";
    }
    if (why != nullptr) ww_refuse_texture(why, place, threadIdx.x, threadIdx.y, threadIdx.z);
    return *texture;
}

/// An integer as CUDA's normalised float: [0, 1], or [-1, 1] for signed ones, whose lowest two values are both -1.
WW_INLINE float ww_normalized(const WwTexture& texture, const unsigned char* at) {
    if (texture.kind == WwTexelUnsigned) {
        if (texture.bytes == 1) return static_cast<float>(*at) / 255.0f;
        unsigned short wide;
        memcpy(&wide, at, sizeof wide);
        return static_cast<float>(wide) / 65535.0f;
    }
    short wide = static_cast<signed char>(*at);
    if (texture.bytes == 2) memcpy(&wide, at, sizeof wide);
    return fmaxf(static_cast<float>(wide) / (texture.bytes == 1 ? 127.0f : 32767.0f), -1.0f);
}

/// A texel inside of the texture.
template <typename T>
static inline T ww_texel(const WwTexture& texture, unsigned long long index) {
    T value;
    const unsigned char* const at = static_cast<const unsigned char*>(texture.texels) + index * static_cast<unsigned>(texture.bytes * texture.components);
    if constexpr (std::is_same<typename WwTexel<T>::Component, float>::value) {
        if (texture.normalizedRead != 0) {
            float components[WwTexel<T>::kCount];
            for (int c = 0; c < WwTexel<T>::kCount; ++c) components[c] = ww_normalized(texture, at + c * texture.bytes);
            memcpy(&value, components, sizeof value);
            return value;
        }
    }
    memcpy(&value, at, sizeof value);
    return value;
}

/// A coordinate in texels, periodic ones brought into the texture; kept within what an int holds. NaN counts as far left.
WW_INLINE float ww_texel_position(const WwTexture& texture, float x, int axis) {
    const float extent = static_cast<float>(texture.extents[axis]);
    if (texture.normalized != 0) {
        if (texture.address == WwWrap) x -= floorf(x);
        if (texture.address == WwMirror) x -= 2.0f * floorf(0.5f * x);  // there and back; texels are mirrored, not places
        x *= extent;
    }
    return fminf(fmaxf(x, -2.0f), 2.0f * extent + 2.0f);
}

/// The texel that stands at place i of an axis; -1 for the border, which is 0.
WW_INLINE int ww_texel_index(const WwTexture& texture, int i, int axis) {
    const int extent = static_cast<int>(texture.extents[axis]);
    if (i >= 0 && i < extent) return i;
    if (texture.address == WwBorder) return -1;
    if (texture.address == WwWrap) return (i % extent + extent) % extent;
    if (texture.address == WwMirror && i >= extent) return i < 2 * extent ? 2 * extent - 1 - i : 0;
    return i < 0 ? 0 : extent - 1;
}

/// The two texels around a coordinate, and the second one's weight.
struct WwNeighbours {
    int at[2];
    float weight;
};
WW_INLINE WwNeighbours ww_neighbours(const WwTexture& texture, float x, int axis) {
    const float position = ww_texel_position(texture, x, axis);
    if (texture.linear == 0) return {{ww_texel_index(texture, static_cast<int>(floorf(position)), axis), 0}, 0.0f};
    const int fixed = static_cast<int>(rintf(position * 256.0f)) - 128;
    const int first = fixed >> 8;
    return {{ww_texel_index(texture, first, axis), ww_texel_index(texture, first + 1, axis)}, static_cast<float>(fixed & 255) / 256.0f};
}

template <int Dimensions, typename T>
static inline T ww_sample(cudaTextureObject_t object, const float (&coordinates)[Dimensions], WwPlace place) {
    const WwTexture& texture = ww_texture_of<T>(object, Dimensions, place);
    WwNeighbours near[Dimensions];
    for (int axis = 0; axis < Dimensions; ++axis) near[axis] = ww_neighbours(texture, coordinates[axis], axis);
    const auto corner = [&](int which) {  // bit `axis` of `which` chooses the second texel along that axis
        unsigned long long index = 0;
        for (int axis = Dimensions - 1; axis >= 0; --axis) {
            const int at = near[axis].at[which >> axis & 1];
            if (at < 0) return T{};
            index = index * texture.extents[axis] + static_cast<unsigned>(at);
        }
        return ww_texel<T>(texture, index);
    };
    if constexpr (std::is_same<typename WwTexel<T>::Component, float>::value) {
        if (texture.linear != 0) {
            float sum[WwTexel<T>::kCount] = {};
            for (int which = 0; which < 1 << Dimensions; ++which) {
                float weight = 1.0f;
                for (int axis = 0; axis < Dimensions; ++axis) weight *= (which >> axis & 1) != 0 ? near[axis].weight : 1.0f - near[axis].weight;
                if (weight == 0.0f) continue;  // what lies there may be infinite
                const T texel = corner(which);
                float components[WwTexel<T>::kCount];
                memcpy(components, &texel, sizeof components);
                for (int c = 0; c < WwTexel<T>::kCount; ++c) sum[c] += weight * components[c];
            }
            T value;
            memcpy(&value, sum, sizeof value);
            return value;
        }
    }
    return corner(0);
}

template <typename T>
WW_INLINE T tex1Dfetch(cudaTextureObject_t object, int x, WW_HERE) {
    const WwTexture& texture = ww_texture_of<T>(object, 0, place);
    return x < 0 || static_cast<unsigned long long>(x) >= texture.texelCount ? T{} : ww_texel<T>(texture, static_cast<unsigned>(x));
}
template <typename T>
WW_INLINE T tex1D(cudaTextureObject_t object, float x, WW_HERE) { return ww_sample<1, T>(object, {x}, place); }
template <typename T>
WW_INLINE T tex2D(cudaTextureObject_t object, float x, float y, WW_HERE) { return ww_sample<2, T>(object, {x, y}, place); }
template <typename T>
WW_INLINE T tex3D(cudaTextureObject_t object, float x, float y, float z, WW_HERE) { return ww_sample<3, T>(object, {x, y, z}, place); }

template <typename T>
WW_INLINE void tex1Dfetch(T* value, cudaTextureObject_t object, int x, WW_HERE) { *value = tex1Dfetch<T>(object, x, place); }
template <typename T>
WW_INLINE void tex1D(T* value, cudaTextureObject_t object, float x, WW_HERE) { *value = tex1D<T>(object, x, place); }
template <typename T>
WW_INLINE void tex2D(T* value, cudaTextureObject_t object, float x, float y, WW_HERE) { *value = tex2D<T>(object, x, y, place); }
template <typename T>
WW_INLINE void tex3D(T* value, cudaTextureObject_t object, float x, float y, float z, WW_HERE) { *value = tex3D<T>(object, x, y, z, place); }
#undef WW_HERE
