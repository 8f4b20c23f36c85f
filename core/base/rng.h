// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ww {

/// SplitMix64 (Steele, Lea, Flood 2014): small, and any element of the stream can be had by its index, so the engine and a
/// worker fill the same buffer from the same seed. Satisfies UniformRandomBitGenerator.
class SplitMix64 {
public:
    using result_type = std::uint64_t;

    explicit constexpr SplitMix64(std::uint64_t seed) noexcept : m_state(seed) {}

    /// Element `index` of the stream that starts at `seed`.
    [[nodiscard]] static constexpr std::uint64_t at(std::uint64_t seed, std::uint64_t index) noexcept {
        std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }

    constexpr std::uint64_t operator()() noexcept {
        const std::uint64_t value = at(m_state, 0);
        m_state += 0x9e3779b97f4a7c15ull;
        return value;
    }

    static constexpr std::uint64_t min() noexcept { return 0; }
    static constexpr std::uint64_t max() noexcept { return ~std::uint64_t{0}; }

    /// Uniform in [0, 1) with 53 bits.
    constexpr double uniform() noexcept { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

    /// Uniform in [0, bound), bound > 0, without modulo bias (rejection).
    constexpr std::uint64_t below(std::uint64_t bound) noexcept {
        const std::uint64_t limit = max() - (max() % bound + 1) % bound;
        for (;;) {
            const std::uint64_t value = (*this)();
            if (value <= limit) return value % bound;
        }
    }

private:
    std::uint64_t m_state;
};

/// Mixes a label into a seed, so that streams of one session do not overlap.
[[nodiscard]] constexpr std::uint64_t deriveSeed(std::uint64_t seed, std::uint64_t label) noexcept {
    return SplitMix64::at(seed ^ (label * 0xd6e8feb86659fd93ull), label);
}

/// A seed from the system's entropy.
[[nodiscard]] std::uint64_t drawSeed();

}  // namespace ww
