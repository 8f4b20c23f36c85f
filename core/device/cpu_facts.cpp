// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_facts.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/hash.h"
#include "device/device.h"

namespace ww::device {

namespace {

/// 99 KiB: what compute capability 8.6 and 8.9 allow a block with opting in.
constexpr std::int64_t kSharedPerBlockOptin = 101376;

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos ? std::string{} : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

int usableCores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

/// The largest cache of the first core, from sysfs ("32768K"), else glibc's figure.
std::int64_t lastLevelCacheBytes() {
    std::int64_t largest = 0;
    for (int index = 0; index < 8; ++index) {
        std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
        std::int64_t size = 0;
        char unit = 0;
        if (!(file >> size)) break;
        file >> unit;
        largest = std::max(largest, size * (unit == 'M' ? std::int64_t{1} << 20 : unit == 'K' ? 1024 : 1));
    }
    if (largest == 0) largest = std::max<std::int64_t>(0, ::sysconf(_SC_LEVEL3_CACHE_SIZE));
    if (largest == 0) largest = std::max<std::int64_t>(0, ::sysconf(_SC_LEVEL2_CACHE_SIZE));
    return largest;
}

}  // namespace

CpuInfo readCpuInfo() {
    CpuInfo info;
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;
        const std::string key = trimmed(line.substr(0, colon));
        const std::string value = trimmed(line.substr(colon + 1));
        if (info.model.empty() && (key == "model name" || key == "Processor" || key == "cpu model")) info.model = value;
        if (info.flags.empty() && (key == "flags" || key == "Features" || key == "isa")) info.flags = value;
        if (info.clockKHz == 0 && key == "cpu MHz") info.clockKHz = static_cast<std::int64_t>(std::strtod(value.c_str(), nullptr) * 1000);
    }
    if (info.model.empty()) info.model = "unknown CPU";
    info.cores = usableCores();
    info.lastLevelCacheBytes = lastLevelCacheBytes();
    info.memoryBytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
    return info;
}

DeviceFacts cpuFacts() {
    const CpuInfo info = readCpuInfo();
    DeviceFacts facts;
    facts.kind = DeviceKind::Cpu;
    facts.name = info.model + ", " + std::to_string(info.cores) + (info.cores == 1 ? " core" : " cores");
    facts.uuid = "CPU-" + contentHash(info.model + "\n" + std::to_string(info.cores) + "\n" + info.flags);
#if defined(__x86_64__)
    facts.architecture = "x86-64";
#elif defined(__aarch64__)
    facts.architecture = "aarch64";
#else
    facts.architecture = "host";
#endif
    facts.processors = info.cores;
    facts.sharedPerBlockOptin = kSharedPerBlockOptin;
    facts.l2Bytes = info.lastLevelCacheBytes;
    facts.memoryBytes = info.memoryBytes;
    facts.clockKHz = info.clockKHz;
    return facts;
}

}  // namespace ww::device
