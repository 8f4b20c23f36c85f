// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/dtype.h"
#include "base/json.h"
#include "base/result.h"
#include "spec/spec.h"

namespace ww::verify {

/// How one output is to be judged.
struct OutputCheck {
    std::string name;
    DType type = DType::Float32;
    spec::Tolerance tolerance; ///< the spec's own figures win over the defaults
    bool nanMatches = false;   ///< NaN equals NaN at the same place; else every NaN fails
    /// Kernels that are nondeterministic by design: the spread between their own runs. Tolerances widen to 3 times this.
    double relativeSpread = 0; ///< relative L2
    double absoluteSpread = 0; ///< largest difference of an element
    /// Largest error of the reference evaluated in this type on the same inputs, where the caller has it.
    std::optional<double> referenceError;
    std::optional<std::byte> poison; ///< the byte the output was poisoned with, to count what was never written
};

/// An element and how far it is off. `ulps` is the distance in representable values of the type (integers: the difference).
struct WorstElement {
    std::uint64_t index = 0;
    double got = 0, want = 0;
    double ulps = 0;
};

struct OutputComparison {
    std::string name;
    DType type = DType::Float32;
    bool pass = false;
    std::string reason; ///< empty when it passes
    std::uint64_t elements = 0;
    std::uint64_t failing = 0;   ///< elements outside their bound
    std::uint64_t nonFinite = 0; ///< of these: NaN or Inf where none may be, or the wrong one
    std::uint64_t unwritten = 0; ///< of these: still holding the poison
    double relativeL2 = 0, maxAbsolute = 0;
    double relativeTolerance = 0;      ///< applied
    double absoluteBound = 0;          ///< applied to the worst element
    bool widened = false;              ///< by the run-to-run spread
    std::optional<WorstElement> worst; ///< none for an empty output or one without any difference
    [[nodiscard]] Json toJson() const;
};

/// The default relative L2 of SPEC.md; 0 for integers (exact).
[[nodiscard]] double defaultRelativeTolerance(DType type) noexcept;

/// Compares against a float64 reference (TorchScript).
///
/// Floats pass when the relative L2 is within its tolerance T and every element within its own bound:
///  - spec gives Absolute A: |got - want| <= A + T |want| (the rule of allclose);
///  - the caller gives referenceError E: <= 10 max(E, half an ulp of the largest |want|), SPEC.md's rule as written;
///  - else: <= 10 max(T max(|want|, rms(want)), half an ulp of |want|). An evaluation in the type whose errors spread evenly
///    and reach T in L2 has an error of T rms(want) in a typical element, and T |want| in a large one; 10 times that is
///    far outside what rounding does, and one wrong element among millions, which L2 would average away, is caught.
/// Half an ulp: where the result is right but for its rounding to the type, it passes.
/// NaN and Inf: want Inf needs the same Inf; want NaN needs NaN under nanMatches and fails otherwise; a finite want that the
/// type cannot hold may come as the Inf it rounds to; any other NaN or Inf fails. Integers must be equal. An output
/// of no elements passes. Errors: Internal (the lengths disagree).
[[nodiscard]] Result<OutputComparison> compareOutput(const OutputCheck& check, std::span<const std::byte> got,
                                                     std::span<const double> want);

/// Compares against the output of a reference kernel in the same type; 64-bit integers are compared with all their bits.
[[nodiscard]] Result<OutputComparison> compareOutput(const OutputCheck& check, std::span<const std::byte> got,
                                                     std::span<const std::byte> want);

/// Largest and relative L2 difference between two runs of one kernel, for OutputCheck's spread.
struct Spread {
    double relative = 0, absolute = 0;
};
[[nodiscard]] Spread spreadBetween(DType type, std::span<const std::byte> first, std::span<const std::byte> second);

/// The check of one output under a spec's tolerances: its own entry wins over the general one.
[[nodiscard]] OutputCheck makeCheck(const spec::ResolvedArgument& argument, const spec::ToleranceSpec& tolerance);

} // namespace ww::verify
