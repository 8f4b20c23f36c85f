// SPDX-License-Identifier: Apache-2.0
#include "device/device_facts.h"

#include <array>
#include <functional>

namespace ww::device {

namespace {

struct Fact {
    const char* name;
    std::int64_t (*value)(const DeviceFacts&);
};

using D = const DeviceFacts&;

constexpr std::array kFacts{
    Fact{"max_threads_per_block", [](D d) { return d.maxThreadsPerBlock; }},
    Fact{"max_block_x", [](D d) { return d.maxBlockX; }},
    Fact{"max_block_y", [](D d) { return d.maxBlockY; }},
    Fact{"max_block_z", [](D d) { return d.maxBlockZ; }},
    Fact{"max_grid_x", [](D d) { return d.maxGridX; }},
    Fact{"max_grid_y", [](D d) { return d.maxGridY; }},
    Fact{"max_grid_z", [](D d) { return d.maxGridZ; }},
    Fact{"warp_size", [](D d) { return d.warpSize; }},
    Fact{"smem_per_block", [](D d) { return d.sharedPerBlock; }},
    Fact{"smem_per_block_optin", [](D d) { return d.sharedPerBlockOptin; }},
    Fact{"smem_per_sm", [](D d) { return d.sharedPerProcessor; }},
    Fact{"regs_per_block", [](D d) { return d.registersPerBlock; }},
    Fact{"regs_per_sm", [](D d) { return d.registersPerProcessor; }},
    Fact{"max_threads_per_sm", [](D d) { return d.maxThreadsPerProcessor; }},
    Fact{"max_blocks_per_sm", [](D d) { return d.maxBlocksPerProcessor; }},
    Fact{"sm_count", [](D d) { return std::int64_t{d.processors}; }},
    Fact{"cc_major", [](D d) { return std::int64_t{d.ccMajor}; }},
    Fact{"cc_minor", [](D d) { return std::int64_t{d.ccMinor}; }},
    Fact{"cc", [](D d) { return std::int64_t{d.ccMajor} * 10 + d.ccMinor; }},
    Fact{"l2_bytes", [](D d) { return d.l2Bytes; }},
    Fact{"memory_bytes", [](D d) { return d.memoryBytes; }},
    Fact{"is_cpu", [](D d) { return std::int64_t{d.kind == DeviceKind::Cpu ? 1 : 0}; }},
};

/// Visits every stored member with its JSON key; `visit` is called with (key, member).
template <typename Facts, typename F>
void forEachMember(Facts& facts, F&& visit) {
    visit("name", facts.name);
    visit("uuid", facts.uuid);
    visit("architecture", facts.architecture);
    visit("driver", facts.driver);
    visit("index", facts.index);
    visit("cc_major", facts.ccMajor);
    visit("cc_minor", facts.ccMinor);
    visit("processors", facts.processors);
    visit("max_threads_per_block", facts.maxThreadsPerBlock);
    visit("max_threads_per_processor", facts.maxThreadsPerProcessor);
    visit("max_blocks_per_processor", facts.maxBlocksPerProcessor);
    visit("max_block_x", facts.maxBlockX);
    visit("max_block_y", facts.maxBlockY);
    visit("max_block_z", facts.maxBlockZ);
    visit("max_grid_x", facts.maxGridX);
    visit("max_grid_y", facts.maxGridY);
    visit("max_grid_z", facts.maxGridZ);
    visit("warp_size", facts.warpSize);
    visit("shared_per_block", facts.sharedPerBlock);
    visit("shared_per_block_optin", facts.sharedPerBlockOptin);
    visit("shared_per_processor", facts.sharedPerProcessor);
    visit("registers_per_block", facts.registersPerBlock);
    visit("registers_per_processor", facts.registersPerProcessor);
    visit("l2_bytes", facts.l2Bytes);
    visit("memory_bytes", facts.memoryBytes);
    visit("clock_khz", facts.clockKHz);
    visit("memory_clock_khz", facts.memoryClockKHz);
    visit("memory_bus_bits", facts.memoryBusBits);
    visit("integrated", facts.integrated);
    visit("laptop", facts.laptop);
}

}  // namespace

std::string_view toString(DeviceKind kind) noexcept {
    return kind == DeviceKind::Cpu ? "cpu" : "cuda";
}

void DeviceFacts::addTo(expr::Scope& scope) const {
    for (const Fact& fact : kFacts) scope.set(fact.name, expr::Value(fact.value(*this)));
}

std::vector<std::string> DeviceFacts::factNames() {
    std::vector<std::string> names;
    for (const Fact& fact : kFacts) names.emplace_back(fact.name);
    return names;
}

Json DeviceFacts::toJson() const {
    Json json = {{"kind", device::toString(kind)}};
    forEachMember(*this, [&](const char* key, const auto& value) { json[key] = value; });
    return json;
}

Result<DeviceFacts> DeviceFacts::fromJson(const Json& json) {
    DeviceFacts facts;
    WW_TRY(kind, optionalString(json, "kind"));
    if (kind == "cuda") {
        facts.kind = DeviceKind::Cuda;
    } else if (kind != "cpu") {
        return fail(ErrorCode::InvalidArgument, "device facts need \"kind\" to be \"cpu\" or \"cuda\"");
    }
    try {
        forEachMember(facts, [&](const char* key, auto& value) {
            if (const Json* stored = member(json, key); stored != nullptr) stored->get_to(value);
        });
    } catch (const Json::exception& broken) {
        return fail(ErrorCode::InvalidArgument, std::string("device facts with a member of the wrong type: ") + broken.what());
    }
    return facts;
}

}  // namespace ww::device
