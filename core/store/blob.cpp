// SPDX-License-Identifier: Apache-2.0
#include "store/blob.h"

#include <zstd.h>

#include <bit>
#include <cstring>

namespace ww::store {

static_assert(std::endian::native == std::endian::little, "samples are stored little-endian");

namespace {

constexpr int kLevel = 3;
/// No artifact of ours is larger; a damaged length must not ask for all memory.
constexpr unsigned long long kLargest = 1ull << 31;

} // namespace

std::string compress(std::string_view bytes) {
    std::string frame(ZSTD_compressBound(bytes.size()), '\0');
    const std::size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), kLevel);
    // The bound above is the one documented to suffice, so this cannot fail but for memory, which throws earlier.
    frame.resize(ZSTD_isError(size) != 0u ? 0 : size);
    return frame;
}

Result<std::string> decompress(std::string_view frame) {
    const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kLargest)
        return fail(ErrorCode::DatabaseCorrupt, "a stored blob is damaged; export what is left and start a new database with --db");
    std::string bytes(static_cast<std::size_t>(size), '\0');
    const std::size_t got = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
    if (ZSTD_isError(got) != 0u || got != bytes.size())
        return fail(ErrorCode::DatabaseCorrupt, "a stored blob is damaged; export what is left and start a new database with --db");
    return bytes;
}

std::string packSamples(const std::vector<double>& values) {
    return compress(std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)));
}

Result<std::vector<double>> unpackSamples(std::string_view frame) {
    WW_TRY(bytes, decompress(frame));
    std::vector<double> values(bytes.size() / sizeof(double));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
    return values;
}

} // namespace ww::store
