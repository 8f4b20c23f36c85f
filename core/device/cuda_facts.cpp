// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_facts.h"

#include <cstdio>

#include "device/device.h"

namespace ww::device {
namespace {

std::string uuidText(const CUuuid& uuid) {
    std::string text = "GPU-";
    for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
        char pair[3];
        std::snprintf(pair, sizeof pair, "%02x", static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
        text += pair;
        if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
    }
    return text;
}

}  // namespace

DeviceFacts readCudaFacts(const CudaDriver& driver, int index) {
    DeviceFacts facts;
    facts.kind = DeviceKind::Cuda;
    facts.index = index;
    CUdevice device = 0;
    if (driver.cuDeviceGet_(&device, index) != CUDA_SUCCESS) return facts;
    char name[256] = {};
    (void)driver.cuDeviceGetName_(name, sizeof name, device);
    facts.name = name;
    facts.laptop = facts.name.find("Laptop") != std::string::npos || facts.name.find("Max-Q") != std::string::npos;
    CUuuid uuid{};
    if (driver.cuDeviceGetUuid_(&uuid, device) == CUDA_SUCCESS) facts.uuid = uuidText(uuid);
    std::size_t memory = 0;
    (void)driver.cuDeviceTotalMem_(&memory, device);
    facts.memoryBytes = static_cast<std::int64_t>(memory);
    int version = 0;
    (void)driver.cuDriverGetVersion_(&version);
    facts.driver = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);

    const auto read = [&](CUdevice_attribute attribute) {
        int value = 0;
        (void)driver.cuDeviceGetAttribute_(&value, attribute, device);
        return value;
    };
    facts.ccMajor = read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    facts.ccMinor = read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    // From 9.0 on the architecture-specific target exists; it alone allows wgmma.
    facts.architecture = "sm_" + std::to_string(facts.ccMajor) + std::to_string(facts.ccMinor) + (facts.ccMajor >= 9 ? "a" : "");
    facts.processors = read(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    facts.maxThreadsPerBlock = read(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    facts.maxThreadsPerProcessor = read(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    facts.maxBlocksPerProcessor = read(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    facts.maxBlockX = read(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
    facts.maxBlockY = read(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
    facts.maxBlockZ = read(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
    facts.maxGridX = read(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
    facts.maxGridY = read(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
    facts.maxGridZ = read(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
    facts.warpSize = read(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    facts.sharedPerBlock = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    facts.sharedPerBlockOptin = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    facts.sharedPerProcessor = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    facts.registersPerBlock = read(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    facts.registersPerProcessor = read(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    facts.l2Bytes = read(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    facts.clockKHz = read(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    facts.memoryClockKHz = read(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    facts.memoryBusBits = read(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    facts.integrated = read(CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
    return facts;
}

std::vector<DeviceFacts> listCudaDevices() {
    std::vector<DeviceFacts> devices;
    const auto driver = CudaDriver::open();
    if (!driver) return devices;
    int count = 0;
    if ((*driver)->cuDeviceGetCount_(&count) != CUDA_SUCCESS) return devices;
    for (int index = 0; index < count; ++index) devices.push_back(readCudaFacts(**driver, index));
    return devices;
}

}  // namespace ww::device
