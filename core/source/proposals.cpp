// SPDX-License-Identifier: Apache-2.0
#include "source/proposals.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdint>
#include <initializer_list>
#include <set>

namespace ww::source {
namespace {

/// Above this an integer is a problem size or a table's length rather than a tile.
constexpr std::int64_t kLargestTile = 4096;

/// Lower case without underscores: WARP_SIZE, warpSize and kWarpSize compare alike.
std::string folded(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return out;
}

bool containsAny(const std::string& name, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

std::vector<expr::Value> ascending(const std::set<std::int64_t>& numbers) {
    std::vector<expr::Value> values;
    for (const std::int64_t number : numbers) values.emplace_back(number);
    return values;
}

Proposal proposeInteger(const std::string& name, std::int64_t value) {
    const bool factor = containsAny(name, {"unroll", "vec", "items", "stage", "coars", "perthread", "ilp", "work"});
    const bool threads = containsAny(name, {"block", "thread", "tpb", "bdim", "nthr", "workgroup"});
    if ((value == 0 || value == 1) && !(value == 1 && (factor || threads))) return {ascending({0, 1}), {}, true};
    if (value < 1) return {{}, "no domain can be guessed for a negative value; give one in the spec", true};
    if (value > kLargestTile) return {{}, "a value this large looks like a problem size; give a domain in the spec if it is none", true};
    if (!std::has_single_bit(static_cast<std::uint64_t>(value))) {
        if (value <= 12) return {ascending({1, 2, 4, 8, value}), {}, true};
        return {{}, "no domain can be guessed for a value that is neither small nor a power of two; give one in the spec", true};
    }
    std::int64_t low = std::max<std::int64_t>(1, value / 4);
    std::int64_t high = factor && value <= 8 ? std::max<std::int64_t>(8, value) : value * 4;
    if (threads && !factor && value >= 32 && value <= 1024) {
        low = std::max<std::int64_t>(low, 32);
        high = std::min<std::int64_t>(high, 1024);
    }
    if (factor && value <= 8) low = 1;
    std::set<std::int64_t> numbers;
    for (std::int64_t number = low; number <= high; number *= 2) numbers.insert(number);
    return {ascending(numbers), {}, true};
}

}  // namespace

Proposal propose(std::string_view name, const expr::Value& value, std::string_view text) {
    const std::string plain = folded(name);
    if (value.isBool()) return {{expr::Value(false), expr::Value(true)}, {}, true};
    if (value.isFloat()) return {{}, "no domain can be guessed for a floating-point constant; give one in the spec", true};
    if (!value.isInt()) return {{}, "no domain can be guessed for this kind of value; give one in the spec", true};
    const std::int64_t number = value.asInt();
    const bool warpName = containsAny(plain, {"warpsize", "warpsz", "threadsperwarp", "lanesperwarp", "warplanes", "wavefrontsize"}) ||
                          plain == "warp" || plain == "kwarp";
    if (warpName && number == 32) return {{}, "a warp has 32 threads on every NVIDIA GPU; this is a fact, not a choice", false};
    if (containsAny(plain, {"version"})) return {{}, "a version number is no tuning parameter", false};
    const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (containsAny(plain, {"mask"}) || (hexadecimal && number > 0xFF)) return {{}, "a bit mask is no tuning parameter", false};
    return proposeInteger(plain, number);
}

}  // namespace ww::source
