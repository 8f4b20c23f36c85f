// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device_facts.h"
#include "device/device.h"
#include "diagnose/catalogue.h"
#include "profile/measurements.h"
#include "profile/occupancy.h"
#include "profile/roofline.h"

namespace ww::profile {

/// What the rules look at. Plain references; nothing is kept.
struct Evidence {
    const Measurements& values;
    const device::DeviceFacts& device;
    device::LaunchShape shape;
    std::optional<Occupancy> occupancy;
    std::optional<Roofline> roofline;
};

/// Something that holds the kernel back. The diagnosis' captures are the figures behind it; bottleneckCatalogue() makes the
/// sentence and the remedy, in both languages.
struct Bottleneck {
    diagnose::Diagnosis what;
    double weight = 0; ///< 0 to 1: how much of the kernel it may be; the list is sorted by it
};

/// One function per rule; each says nothing where its figures are missing.
[[nodiscard]] std::optional<Bottleneck> memoryBound(const Evidence& evidence);
[[nodiscard]] std::optional<Bottleneck> cacheBound(const Evidence& evidence);
[[nodiscard]] std::optional<Bottleneck> computeBound(const Evidence& evidence);
[[nodiscard]] std::optional<Bottleneck> latencyBound(const Evidence& evidence);
[[nodiscard]] std::optional<Bottleneck> occupancyLimited(const Evidence& evidence); ///< register, shared memory or block limited
[[nodiscard]] std::optional<Bottleneck> spilling(const Evidence& evidence);
[[nodiscard]] std::optional<Bottleneck> bankConflicts(const Evidence& evidence);
[[nodiscard]] std::optional<Bottleneck> uncoalesced(const Evidence& evidence);
[[nodiscard]] std::optional<Bottleneck> divergent(const Evidence& evidence);
[[nodiscard]] std::optional<Bottleneck> barrierBound(const Evidence& evidence);
[[nodiscard]] std::optional<Bottleneck> gridTooSmall(const Evidence& evidence);
[[nodiscard]] std::optional<Bottleneck> tailEffect(const Evidence& evidence);
[[nodiscard]] std::optional<Bottleneck> launchBound(const Evidence& evidence);

/// All that apply, the weightiest first.
[[nodiscard]] std::vector<Bottleneck> findBottlenecks(const Evidence& evidence);

/// resources/diagnoses/bottlenecks.json, part of the program.
[[nodiscard]] const diagnose::Catalogue& bottleneckCatalogue();

} // namespace ww::profile
