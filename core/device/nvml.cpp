// SPDX-License-Identifier: Apache-2.0
#include "device/nvml.h"

#include <dlfcn.h>

#include <array>

namespace ww::device {
namespace {

// The part of NVML's stable interface that is used here; its header is not needed for building.
using Handle = struct nvmlDevice_st*;
using Status = int;
constexpr Status kSuccess = 0, kInsufficientSize = 7;
constexpr int kGpuTemperature = 0, kSlowdownThreshold = 1;
constexpr int kSmClock = 1, kMemoryClock = 2;
constexpr int kNearC = 3;

struct Reason {
    std::uint64_t bits;
    const char* words;
    bool heat;
};
constexpr std::array<Reason, 4> kReasons{{{0x20, "software thermal slowdown", true},
                                          {0x48, "hardware slowdown", true},
                                          {0x80, "power brake", false},
                                          {0x04, "power cap", false}}};

struct Library {
    Status (*init)() = nullptr;
    Status (*handleByUuid)(const char*, Handle*) = nullptr;
    const char* (*errorString)(Status) = nullptr;
    Status (*driverVersion)(char*, unsigned) = nullptr;
    Status (*power)(Handle, unsigned*) = nullptr;
    Status (*powerLimit)(Handle, unsigned*) = nullptr;
    Status (*energy)(Handle, unsigned long long*) = nullptr;
    Status (*temperature)(Handle, int, unsigned*) = nullptr;
    Status (*threshold)(Handle, int, unsigned*) = nullptr;
    Status (*clock)(Handle, int, unsigned*) = nullptr;
    Status (*maxClock)(Handle, int, unsigned*) = nullptr;
    Status (*throttle)(Handle, unsigned long long*) = nullptr;
    Status (*computeProcesses)(Handle, unsigned*, void*) = nullptr;
    Status (*graphicsProcesses)(Handle, unsigned*, void*) = nullptr;
    Status (*display)(Handle, int*) = nullptr;
    Status (*persistence)(Handle, int*) = nullptr;
    Status (*ecc)(Handle, int*, int*) = nullptr;
    Status (*mig)(Handle, unsigned*, unsigned*) = nullptr;
};

template <typename F>
void find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(::dlsym(library, name));
}

Result<Library> load() {
    void* file = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (file == nullptr) return fail(ErrorCode::EnvironmentMissing, "the driver's NVML (libnvidia-ml.so.1) is not on this machine: the GPU's clocks and power are not known");
    Library library;
    find(file, "nvmlInit_v2", library.init);
    find(file, "nvmlDeviceGetHandleByUUID", library.handleByUuid);
    find(file, "nvmlErrorString", library.errorString);
    find(file, "nvmlSystemGetDriverVersion", library.driverVersion);
    find(file, "nvmlDeviceGetPowerUsage", library.power);
    find(file, "nvmlDeviceGetPowerManagementLimit", library.powerLimit);
    find(file, "nvmlDeviceGetTotalEnergyConsumption", library.energy);
    find(file, "nvmlDeviceGetTemperature", library.temperature);
    find(file, "nvmlDeviceGetTemperatureThreshold", library.threshold);
    find(file, "nvmlDeviceGetClockInfo", library.clock);
    find(file, "nvmlDeviceGetMaxClockInfo", library.maxClock);
    find(file, "nvmlDeviceGetCurrentClocksThrottleReasons", library.throttle);
    find(file, "nvmlDeviceGetComputeRunningProcesses_v3", library.computeProcesses);
    find(file, "nvmlDeviceGetGraphicsRunningProcesses_v3", library.graphicsProcesses);
    find(file, "nvmlDeviceGetDisplayActive", library.display);
    find(file, "nvmlDeviceGetPersistenceMode", library.persistence);
    find(file, "nvmlDeviceGetEccMode", library.ecc);
    find(file, "nvmlDeviceGetMigMode", library.mig);
    if (library.init == nullptr || library.handleByUuid == nullptr || library.errorString == nullptr) {
        return fail(ErrorCode::EnvironmentMissing, "this driver's NVML is too old: update the driver to see clocks and power");
    }
    if (const Status status = library.init(); status != kSuccess) {
        return fail(ErrorCode::EnvironmentMissing, std::string("NVML could not start: ") + library.errorString(status));
    }
    return library;
}

/// Calls a reader of one figure, if the library has it.
template <typename Raw, typename F, typename... Before>
std::optional<Raw> ask(F function, Before... before) {
    Raw value{};
    if (function == nullptr || function(before..., &value) != kSuccess) return std::nullopt;
    return value;
}

template <typename To, typename Raw>
std::optional<To> as(const std::optional<Raw>& value, double scale = 1.0) {
    if (!value) return std::nullopt;
    if constexpr (std::is_same_v<To, bool>) return *value != 0;
    else return static_cast<To>(static_cast<double>(*value) * scale);
}

class OpenNvml final : public Nvml {
public:
    OpenNvml(const Library& library, Handle device) : m_library(library), m_device(device) {}

    GpuState read() const override {
        GpuState state;
        state.powerWatts = as<double>(ask<unsigned>(m_library.power, m_device), 1e-3);
        state.powerLimitWatts = as<double>(ask<unsigned>(m_library.powerLimit, m_device), 1e-3);
        state.energyJoules = as<double>(ask<unsigned long long>(m_library.energy, m_device), 1e-3);
        state.temperatureC = as<int>(ask<unsigned>(m_library.temperature, m_device, kGpuTemperature));
        state.slowdownTemperatureC = as<int>(ask<unsigned>(m_library.threshold, m_device, kSlowdownThreshold));
        state.clockMHz = as<int>(ask<unsigned>(m_library.clock, m_device, kSmClock));
        state.maxClockMHz = as<int>(ask<unsigned>(m_library.maxClock, m_device, kSmClock));
        state.memoryClockMHz = as<int>(ask<unsigned>(m_library.clock, m_device, kMemoryClock));
        if (const auto reasons = ask<unsigned long long>(m_library.throttle, m_device)) state.throttleReasons = *reasons;
        state.otherProcesses = processes();
        state.displayActive = as<bool>(ask<int>(m_library.display, m_device));
        state.persistence = as<bool>(ask<int>(m_library.persistence, m_device));
        int current = 0, pending = 0;
        if (m_library.ecc != nullptr && m_library.ecc(m_device, &current, &pending) == kSuccess) state.ecc = current != 0;
        unsigned mig = 0, migPending = 0;
        if (m_library.mig != nullptr && m_library.mig(m_device, &mig, &migPending) == kSuccess) state.mig = mig != 0;
        std::array<char, 96> version{};
        if (m_library.driverVersion != nullptr && m_library.driverVersion(version.data(), version.size()) == kSuccess) state.driver = version.data();
        return state;
    }

private:
    /// A count of 0 asks for the number alone.
    static std::optional<int> count(Status (*function)(Handle, unsigned*, void*), Handle device) {
        unsigned number = 0;
        if (function == nullptr) return std::nullopt;
        const Status status = function(device, &number, nullptr);
        if (status != kSuccess && status != kInsufficientSize) return std::nullopt;
        return static_cast<int>(number);
    }

    std::optional<int> processes() const {
        const auto compute = count(m_library.computeProcesses, m_device), graphics = count(m_library.graphicsProcesses, m_device);
        if (!compute && !graphics) return std::nullopt;
        return compute.value_or(0) + graphics.value_or(0);
    }

    Library m_library;
    Handle m_device;
};

}  // namespace

std::vector<std::string> GpuState::throttling() const {
    std::vector<std::string> words;
    for (const Reason& reason : kReasons) {
        if ((throttleReasons.value_or(0) & reason.bits) != 0) words.emplace_back(reason.words);
    }
    return words;
}

bool GpuState::nearItsLimit() const noexcept {
    for (const Reason& reason : kReasons) {
        if (reason.heat && (throttleReasons.value_or(0) & reason.bits) != 0) return true;
    }
    return temperatureC && slowdownTemperatureC && *temperatureC + kNearC >= *slowdownTemperatureC;
}

Json GpuState::toJson() const {
    Json json = Json::object();
    const auto put = [&](const char* name, const auto& value) {
        if (value) json[name] = *value;
    };
    put("power_watts", powerWatts);
    put("power_limit_watts", powerLimitWatts);
    put("temperature_c", temperatureC);
    put("slowdown_temperature_c", slowdownTemperatureC);
    put("clock_mhz", clockMHz);
    put("max_clock_mhz", maxClockMHz);
    put("memory_clock_mhz", memoryClockMHz);
    put("throttle_reasons", throttleReasons);
    put("other_processes", otherProcesses);
    put("display_active", displayActive);
    put("persistence", persistence);
    put("ecc", ecc);
    put("mig", mig);
    if (!driver.empty()) json["driver"] = driver;
    if (throttleReasons) json["throttling"] = throttling();
    return json;
}

std::vector<std::string> warningsFor(const GpuState& state, bool laptop) {
    std::vector<std::string> warnings;
    if (const auto reasons = state.throttling(); !reasons.empty()) {
        std::string text = "the GPU is throttling (";
        for (std::size_t i = 0; i < reasons.size(); ++i) text += (i == 0 ? "" : ", ") + reasons[i];
        warnings.push_back(text + "): times taken now are those of a slower GPU; let it cool, or see to its power");
    }
    if (state.otherProcesses.value_or(0) > 0) {
        warnings.push_back(std::to_string(*state.otherProcesses) + (*state.otherProcesses == 1 ? " other process uses" : " other processes use") +
                           " this GPU: times will scatter, and may be wrong while it works; end them where you can");
    }
    if (state.displayActive.value_or(false)) {
        warnings.emplace_back("a display is attached to this GPU: drawing disturbs times, and long launches may be killed; another GPU would do better");
    }
    if (laptop) warnings.emplace_back("this is a laptop's GPU: its clocks follow heat and battery; plug it in, and expect a higher noise floor");
    return warnings;
}

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& uuid) {
    static const Result<Library> library = load();
    if (!library) return fail(library.error());
    Handle device = nullptr;
    if (const Status status = library->handleByUuid(uuid.c_str(), &device); status != kSuccess) {
        return fail(ErrorCode::EnvironmentMissing, std::string("NVML does not know the GPU ") + uuid + ": " + library->errorString(status));
    }
    return std::unique_ptr<Nvml>(std::make_unique<OpenNvml>(*library, device));
}

}  // namespace ww::device
