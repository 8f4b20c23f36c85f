// SPDX-License-Identifier: Apache-2.0
#include "verify/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "verify/chunks.h"

namespace ww::verify {

namespace {

constexpr double kReferenceFactor = 10;
constexpr double kSpreadFactor = 3;

/// Bits of mantissa with the implicit one, and the exponent of the smallest subnormal.
struct FloatFormat {
    int precision = 24;
    int lowest = -149;
};

FloatFormat formatOf(DType type) noexcept {
    switch (type) {
    case DType::Half: return {11, -24};
    case DType::BFloat16: return {8, -133};
    case DType::Float64: return {53, -1074};
    default: return {24, -149};
    }
}

double roundTo(DType type, double value) noexcept {
    std::byte bytes[8];
    storeFromDouble(type, value, bytes);
    return loadAsDouble(type, bytes);
}

/// Half the distance between neighbours of `value` in the type; at 0 half the smallest subnormal.
double halfUlp(DType type, double value) noexcept {
    const FloatFormat format = formatOf(type);
    int exponent = std::numeric_limits<int>::min() / 2;
    if (value != 0.0) std::frexp(value, &exponent);
    return std::ldexp(0.5, std::max(exponent - format.precision, format.lowest));
}

/// The place of a float among all floats of its type, so that neighbours differ by 1 (also across 0).
std::int64_t ordinal(DType type, double value) noexcept {
    std::byte bytes[8]{};
    storeFromDouble(type, value, bytes);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeOf(type));
    const std::uint64_t sign = std::uint64_t{1} << (8 * sizeOf(type) - 1);
    return (bits & sign) != 0 ? -static_cast<std::int64_t>(bits & ~sign) : static_cast<std::int64_t>(bits);
}

double ulpDistance(DType type, double got, double want) noexcept {
    if (!isFloating(type)) return std::fabs(got - want);
    if (std::isnan(got) || std::isnan(want)) return std::numeric_limits<double>::quiet_NaN();
    return std::fabs(static_cast<double>(ordinal(type, got)) - static_cast<double>(ordinal(type, want)));
}

bool holdsPoison(std::span<const std::byte> element, std::byte poison) {
    return std::all_of(element.begin(), element.end(), [&](std::byte byte) { return byte == poison; });
}

/// JSON has no NaN or Inf; a silent null would hide what came.
Json number(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

std::string text(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", value);
    return buffer;
}

/// One element, in the type's C++ form where there is one: the switch over types stays outside of the loops.
template <DType kType> double load(const std::byte* at) noexcept {
    if constexpr (kType == DType::Float32) {
        float value;
        std::memcpy(&value, at, sizeof value);
        return value;
    } else {
        return loadAsDouble(kType, at);
    }
}

/// What one chunk of elements adds to a comparison.
struct Part {
    double largest = 0, squares = 0;
    std::uint64_t finite = 0;
    std::uint64_t failing = 0, nonFinite = 0, unwritten = 0;
    double errorSquares = 0, wantSquares = 0, maxAbsolute = 0;
    double worstExcess = 0, worstBound = 0;
    std::optional<WorstElement> worst;
};

/// Compares element by element and keeps the sums. `Want` gives element i of the reference as a double. Chunks are compared on
/// several threads and added up in order, so that the figures are the same on every machine.
template <DType kType, typename Want> class FloatComparison {
public:
    FloatComparison(const OutputCheck& check, std::span<const std::byte> got, Want want, OutputComparison& result)
        : m_check(check), m_got(got), m_want(want), m_result(result), m_parts((result.elements + kChunk - 1) / kChunk) {}

    void run() {
        measureReference();
        setTolerance();
        eachPart([this](Part& part, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                visit(i, part);
        });
        double errorSquares = 0, wantSquares = 0, worstExcess = 0;
        for (const Part& part : m_parts) {
            errorSquares += part.errorSquares;
            wantSquares += part.wantSquares;
            m_result.failing += part.failing;
            m_result.nonFinite += part.nonFinite;
            m_result.unwritten += part.unwritten;
            m_result.maxAbsolute = std::max(m_result.maxAbsolute, part.maxAbsolute);
            if (part.worstExcess <= worstExcess) continue;
            worstExcess = part.worstExcess;
            m_result.absoluteBound = part.worstBound;
            m_result.worst = part.worst;
        }
        m_result.relativeL2 = errorSquares == 0.0 ? 0.0 : std::sqrt(errorSquares) / std::sqrt(wantSquares);
        if (m_result.worst) m_result.worst->ulps = ulpDistance(kType, m_result.worst->got, m_result.worst->want);
        judge();
    }

private:
    template <typename F> void eachPart(F&& work) {
        forEachChunk(m_result.elements, [&](std::size_t begin, std::size_t end) { work(m_parts[begin / kChunk], begin, end); });
    }

    void measureReference() {
        eachPart([this](Part& part, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const double want = m_want(i);
                if (std::isfinite(want)) part.largest = std::max(part.largest, std::fabs(want));
            }
        });
        for (const Part& part : m_parts)
            m_largest = std::max(m_largest, part.largest);
        // Squares of float64 values overflow; everything is summed in units of the largest.
        m_unit = m_largest > 0.0 ? m_largest : 1.0;
        eachPart([this](Part& part, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const double want = m_want(i) / m_unit;
                if (!std::isfinite(want)) continue;
                part.squares += want * want;
                ++part.finite;
            }
        });
        double squares = 0;
        std::uint64_t finite = 0;
        for (const Part& part : m_parts) {
            squares += part.squares;
            finite += part.finite;
        }
        m_rms = finite > 0 ? m_unit * std::sqrt(squares / static_cast<double>(finite)) : 0.0;
    }

    void setTolerance() {
        const double given = m_check.tolerance.relative.value_or(defaultRelativeTolerance(kType));
        m_result.relativeTolerance = std::max(given, kSpreadFactor * m_check.relativeSpread);
        m_result.widened = m_result.relativeTolerance > given;
        // Half an ulp of a normal number is at most 2^-precision of it: a wider tolerance need not look.
        m_ulpMatters = m_result.relativeTolerance < std::ldexp(1.0, -formatOf(kType).precision);
    }

    [[nodiscard]] double boundFor(double want) const {
        const double size = std::fabs(want), relative = m_result.relativeTolerance;
        const double spread = kSpreadFactor * m_check.absoluteSpread;
        if (m_check.tolerance.absolute) return std::max(*m_check.tolerance.absolute + relative * size, spread);
        if (m_check.referenceError) return std::max(kReferenceFactor * std::max(*m_check.referenceError, halfUlp(kType, m_largest)), spread);
        double reference = relative * std::max(size, m_rms);
        const double smallest = m_ulpMatters ? halfUlp(kType, size) : m_smallestHalfUlp;
        reference = std::max(reference, smallest);
        return std::max(kReferenceFactor * reference, spread);
    }

    /// Elements that are right without being numbers take no part in the sums.
    [[nodiscard]] bool matchesNonFinite(double got, double want) const {
        if (std::isnan(want)) return m_check.nanMatches && std::isnan(got);
        if (std::isinf(want)) return got == want;
        return std::isinf(got) && roundTo(kType, want) == got;
    }

    void visit(std::uint64_t index, Part& part) const {
        const std::size_t width = sizeOf(kType);
        const double got = load<kType>(m_got.data() + index * width), want = m_want(index);
        if (!std::isfinite(got) || !std::isfinite(want)) {
            if (matchesNonFinite(got, want)) return;
            ++part.nonFinite;
            fail(index, part, got, want, std::numeric_limits<double>::infinity(), 0.0);
            return;
        }
        const double error = std::fabs(got - want), scaled = error / m_unit;
        part.errorSquares += scaled * scaled;
        part.wantSquares += (want / m_unit) * (want / m_unit);
        part.maxAbsolute = std::max(part.maxAbsolute, error);
        const double bound = boundFor(want);
        const double excess = error == 0.0 ? 0.0 : error / bound;
        if (!(error <= bound)) fail(index, part, got, want, excess, bound);
        else if (excess > part.worstExcess) keepWorst(index, part, got, want, excess, bound);
    }

    void fail(std::uint64_t index, Part& part, double got, double want, double excess, double bound) const {
        ++part.failing;
        const std::size_t width = sizeOf(kType);
        if (m_check.poison && holdsPoison(m_got.subspan(index * width, width), *m_check.poison)) ++part.unwritten;
        if (excess > part.worstExcess) keepWorst(index, part, got, want, excess, bound);
    }

    /// Worst is the element that is furthest outside its bound, not the one with the largest difference.
    static void keepWorst(std::uint64_t index, Part& part, double got, double want, double excess, double bound) {
        part.worstExcess = excess;
        part.worstBound = bound;
        part.worst = WorstElement{index, got, want, 0};
    }

    void judge() {
        // Written so that a NaN anywhere fails.
        const bool within = m_result.relativeL2 <= m_result.relativeTolerance;
        m_result.pass = within && m_result.failing == 0;
        // All-zero references have no relative error; the bound of each element decides alone, if the spec gave one.
        if (!within && m_largest == 0.0 && m_check.tolerance.absolute && m_result.failing == 0) m_result.pass = true;
        if (m_result.pass) return;
        m_result.reason = describe(within);
    }

    [[nodiscard]] std::string describe(bool within) const {
        const std::string of = " of " + std::to_string(m_result.elements) + " elements";
        std::string reason = m_result.name + ": ";
        if (m_result.unwritten > 0) reason += std::to_string(m_result.unwritten) + of + " were never written; ";
        else if (m_result.nonFinite > 0) reason += std::to_string(m_result.nonFinite) + of + " are NaN or Inf against the reference; ";
        else if (m_result.failing > 0) reason += std::to_string(m_result.failing) + of + " are outside their bound; ";
        if (!within) reason += "relative L2 error " + text(m_result.relativeL2) + " is above " + text(m_result.relativeTolerance) + "; ";
        if (m_result.worst) {
            const WorstElement& worst = *m_result.worst;
            reason += "worst [" + std::to_string(worst.index) + "]: got " + text(worst.got) + ", want " + text(worst.want);
            if (std::isfinite(worst.ulps)) reason += " (" + text(worst.ulps) + " ULP)";
        }
        return reason + describePrecision();
    }

    /// Float32 errors as large as the rounding of a 16-bit type, everywhere and never much larger: the work was done in that type.
    [[nodiscard]] std::string describePrecision() const {
        if (kType != DType::Float32 || m_result.nonFinite > 0 || !(m_result.relativeL2 > 1e-5 && m_result.relativeL2 < 1e-2)) return {};
        if (m_largest > 0 && m_result.maxAbsolute > 0.1 * m_largest) return {};
        return "; an error of this size is what half or bfloat16 arithmetic gives";
    }

    const OutputCheck& m_check;
    std::span<const std::byte> m_got;
    Want m_want;
    OutputComparison& m_result;
    std::vector<Part> m_parts;
    double m_largest = 0, m_unit = 1, m_rms = 0;
    const double m_smallestHalfUlp = halfUlp(kType, 0.0);
    bool m_ulpMatters = true;
};

template <typename Want> void compareFloats(const OutputCheck& check, std::span<const std::byte> got, Want want, OutputComparison& result) {
    switch (check.type) {
    case DType::Half: FloatComparison<DType::Half, Want>(check, got, want, result).run(); return;
    case DType::BFloat16: FloatComparison<DType::BFloat16, Want>(check, got, want, result).run(); return;
    case DType::Float64: FloatComparison<DType::Float64, Want>(check, got, want, result).run(); return;
    default: FloatComparison<DType::Float32, Want>(check, got, want, result).run(); return;
    }
}

/// Integers are exact unless the spec gives an Absolute tolerance or the kernel is nondeterministic by design.
template <typename Same, typename Want>
void compareIntegers(const OutputCheck& check, std::span<const std::byte> got, Same same, Want want, OutputComparison& result) {
    const std::size_t width = sizeOf(check.type);
    const double allowed = std::max(check.tolerance.absolute.value_or(0.0), kSpreadFactor * check.absoluteSpread);
    result.widened = check.absoluteSpread > 0.0;
    double errorSquares = 0, wantSquares = 0, worst = -1;
    for (std::uint64_t i = 0; i < result.elements; ++i) {
        const auto element = got.subspan(i * width, width);
        const double value = loadAsDouble(check.type, element.data()), expected = want(i);
        const double error = std::fabs(value - expected);
        wantSquares += expected * expected;
        if (same(i, element)) continue;
        errorSquares += error * error;
        result.maxAbsolute = std::max(result.maxAbsolute, error);
        if (error > worst) {
            worst = error;
            result.worst = WorstElement{i, value, expected, error};
        }
        if (allowed > 0.0 && error <= allowed) continue;
        ++result.failing;
        if (check.poison && holdsPoison(element, *check.poison)) ++result.unwritten;
    }
    result.absoluteBound = allowed;
    result.relativeL2 = errorSquares == 0.0 ? 0.0 : std::sqrt(errorSquares / wantSquares);
    result.pass = result.failing == 0;
    if (result.pass || !result.worst) return;
    result.reason = result.name + ": " + std::to_string(result.failing) + " of " + std::to_string(result.elements) + " elements differ" +
                    (result.unwritten > 0 ? " (" + std::to_string(result.unwritten) + " were never written)" : "") + "; worst [" +
                    std::to_string(result.worst->index) + "]: got " + text(result.worst->got) + ", want " + text(result.worst->want);
}

Result<OutputComparison> start(const OutputCheck& check, std::size_t gotBytes, std::size_t wantElements) {
    const std::size_t width = sizeOf(check.type);
    if (gotBytes != wantElements * width)
        return ww::fail(ErrorCode::Internal,
                        "the output has " + std::to_string(gotBytes / width) + " elements and the reference " +
                            std::to_string(wantElements),
                        "output " + check.name);
    OutputComparison result;
    result.name = check.name;
    result.type = check.type;
    result.elements = wantElements;
    return result;
}

} // namespace

Json OutputComparison::toJson() const {
    Json json{{"output", name},
              {"type", toString(type)},
              {"pass", pass},
              {"elements", elements},
              {"failing", failing},
              {"relative_l2", number(relativeL2)},
              {"relative_tolerance", relativeTolerance},
              {"max_abs", number(maxAbsolute)},
              {"bound", number(absoluteBound)}};
    if (nonFinite > 0) json["non_finite"] = nonFinite;
    if (unwritten > 0) json["unwritten"] = unwritten;
    if (widened) json["widened"] = true;
    if (worst)
        json["worst"] =
            Json{{"index", worst->index}, {"got", number(worst->got)}, {"want", number(worst->want)}, {"ulps", number(worst->ulps)}};
    if (!reason.empty()) json["reason"] = reason;
    return json;
}

double defaultRelativeTolerance(DType type) noexcept {
    switch (type) {
    case DType::Float64: return 1e-12;
    case DType::Float32: return 1e-5;
    case DType::Half: return 2e-3;
    case DType::BFloat16: return 1e-2;
    default: return 0.0;
    }
}

Result<OutputComparison> compareOutput(const OutputCheck& check, std::span<const std::byte> got, std::span<const double> want) {
    WW_TRY(result, start(check, got.size(), want.size()));
    const auto element = [want](std::uint64_t i) { return want[i]; };
    if (isFloating(check.type)) {
        compareFloats(check, got, element, result);
    } else {
        const auto same = [&](std::uint64_t i, std::span<const std::byte> bytes) {
            // Where both are exact in double; a Bool is any byte but 0.
            const double value = loadAsDouble(check.type, bytes.data());
            return check.type == DType::Bool ? (value != 0.0) == (want[i] != 0.0) : value == want[i];
        };
        compareIntegers(check, got, same, element, result);
    }
    return result;
}

Result<OutputComparison> compareOutput(const OutputCheck& check, std::span<const std::byte> got, std::span<const std::byte> want) {
    const std::size_t width = sizeOf(check.type);
    WW_TRY(result, start(check, got.size(), want.size() / width));
    const auto element = [&](std::uint64_t i) { return loadAsDouble(check.type, want.data() + i * width); };
    if (isFloating(check.type)) {
        compareFloats(check, got, element, result);
    } else {
        const auto same = [&](std::uint64_t i, std::span<const std::byte> bytes) {
            if (check.type == DType::Bool) return (bytes[0] != std::byte{0}) == (want[i] != std::byte{0});
            return std::memcmp(bytes.data(), want.data() + i * width, width) == 0;
        };
        compareIntegers(check, got, same, element, result);
    }
    return result;
}

Spread spreadBetween(DType type, std::span<const std::byte> first, std::span<const std::byte> second) {
    const std::size_t width = sizeOf(type), count = std::min(first.size(), second.size()) / width;
    double differences = 0, squares = 0;
    Spread spread;
    for (std::size_t i = 0; i < count; ++i) {
        const double a = loadAsDouble(type, first.data() + i * width), b = loadAsDouble(type, second.data() + i * width);
        if (!std::isfinite(a) || !std::isfinite(b)) continue;
        spread.absolute = std::max(spread.absolute, std::fabs(a - b));
        differences += (a - b) * (a - b);
        squares += a * a;
    }
    spread.relative =
        differences == 0.0 ? 0.0 : (squares > 0.0 ? std::sqrt(differences / squares) : std::numeric_limits<double>::infinity());
    return spread;
}

OutputCheck makeCheck(const spec::ResolvedArgument& argument, const spec::ToleranceSpec& tolerance) {
    OutputCheck check;
    check.name = argument.name;
    check.type = argument.type;
    check.tolerance = tolerance;
    check.nanMatches = tolerance.nanMatches;
    if (const auto own = tolerance.outputs.find(argument.name); own != tolerance.outputs.end()) {
        if (own->second.relative) check.tolerance.relative = own->second.relative;
        if (own->second.absolute) check.tolerance.absolute = own->second.absolute;
    }
    return check;
}

} // namespace ww::verify
