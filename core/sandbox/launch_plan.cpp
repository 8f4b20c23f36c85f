// SPDX-License-Identifier: Apache-2.0
#include "sandbox/launch_plan.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/file.h"
#include "sandbox/bubblewrap.h"
#include "sandbox/counter_permission.h"
#include "sandbox/staging.h"

namespace ww::sandbox {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kTemporaryBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kFileBytes = std::uint64_t{512} << 20;
constexpr std::uint64_t kOpenFiles = 1024;
/// Compilers start a handful of processes, the CUDA driver and the CPU device some threads per core.
constexpr std::uint64_t kProcesses = 256;

const char* variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

bool isCuda(const WorkerOptions& options) {
    return options.role != Role::Compile && options.device.starts_with("cuda");
}

Result<void> checkDevice(const WorkerOptions& options) {
    if (options.role == Role::Compile || (options.role == Role::Device && options.device == "cpu")) return {};
    constexpr std::string_view kPrefix = "cuda:";
    const std::string_view name = options.device;
    int index = -1;
    if (name.starts_with(kPrefix)) {
        const auto parsed = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), index);
        if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) index = -1;
    }
    if (index >= 0) return {};
    return fail(ErrorCode::InvalidArgument, "\"" + options.device + "\" is no device of a " + std::string(toString(options.role)) + " worker; use " +
                                                (options.role == Role::Profile ? "cuda:N" : "cpu or cuda:N"));
}

Result<fs::path> findProgram(const WorkerOptions& options) {
    fs::path program = options.program;
    if (program.empty()) {
        program = executableFolder() / "warpwright-worker";
        const char* bin = variable("WARPWRIGHT_BIN");
        if (::access(program.c_str(), X_OK) != 0 && bin != nullptr) program = fs::path(bin) / "warpwright-worker";
    }
    if (::access(program.c_str(), X_OK) != 0) {
        return fail(ErrorCode::EnvironmentMissing,
                    std::string("the worker program is missing (") + std::strerror(errno) + "); build it with ./run.sh --build-only",
                    program.string());
    }
    std::error_code failed;
    const fs::path real = fs::canonical(program, failed);
    return failed ? program : real;
}

/// Threads and processes that this user has now: RLIMIT_NPROC counts them too where there is no uid of our own.
std::uint64_t tasksOfThisUser() {
    std::uint64_t tasks = 0;
    DIR* processes = ::opendir("/proc");
    if (processes == nullptr) return 0;
    while (const dirent* entry = ::readdir(processes)) {
        struct stat facts{};
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        const std::string folder = std::string("/proc/") + entry->d_name + "/task";
        // The links of task/ are one per thread and the two of every folder.
        if (::stat(folder.c_str(), &facts) == 0 && facts.st_uid == ::getuid()) tasks += facts.st_nlink - 2;
    }
    ::closedir(processes);
    return tasks;
}

/// A uid that nothing else runs under, so that the limit on processes counts this worker alone. Debian leaves 65000 to 65533
/// unassigned. Two workers on one uid would share the limit, no more.
uid_t pickUid() {
    static std::atomic<unsigned> counter{0};
    return 65000 + (static_cast<unsigned>(::getpid()) * 31u + counter++) % 500u;
}

bool reachableByOthers(const fs::path& path) {
    for (fs::path at = path; at.has_relative_path(); at = at.parent_path()) {
        struct stat facts{};
        if (::stat(at.c_str(), &facts) == 0 && (facts.st_mode & S_IXOTH) == 0) return false;
    }
    return true;
}

std::vector<fs::path> foldersOf(const char* list) {
    std::vector<fs::path> folders;
    std::string_view rest = list != nullptr ? list : "";
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(':'));
        if (one.starts_with('/')) folders.emplace_back(one);
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    }
    return folders;
}

View viewFor(const WorkerOptions& options, const fs::path& program) {
    View view;
    view.temporaryBytes = kTemporaryBytes;
    view.wholeSys = isCuda(options);
    view.readable = {program.parent_path(), resourceRoot() / "resources" / "cpu"};
    for (const auto& folder : foldersOf(variable("LD_LIBRARY_PATH"))) view.readable.push_back(folder);
    for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT"}) {
        if (const char* folder = variable(name)) view.readable.emplace_back(folder);
    }
    // A compiler that lives outside /usr needs the folder above its bin/.
    if (const char* compiler = variable("CXX"); compiler != nullptr && *compiler == '/') {
        view.readable.push_back(fs::path(compiler).parent_path().parent_path());
    }
    view.readable.insert(view.readable.end(), {"/opt/cuda", "/etc/ld.so.conf.d"});
    view.readable.insert(view.readable.end(), options.readable.begin(), options.readable.end());
    std::erase_if(view.readable, [](const fs::path& folder) { return !folder.is_absolute() || folder.string().starts_with("/usr/"); });
    if (isCuda(options)) {
        const std::string node = "/dev/nvidia" + options.device.substr(options.device.find(':') + 1);
        // The driver counts devices in its own order (CUDA_VISIBLE_DEVICES, MIG): all GPU nodes that exist are given.
        view.devices = {node, "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-caps", "/dev/dxg"};
        for (int i = 0; i < 32; ++i) view.devices.emplace_back("/dev/nvidia" + std::to_string(i));
    }
    std::ranges::sort(view.readable);
    view.readable.erase(std::ranges::unique(view.readable).begin(), view.readable.end());
    std::ranges::sort(view.devices);
    view.devices.erase(std::ranges::unique(view.devices).begin(), view.devices.end());
    return view;
}

std::vector<std::string> environmentFor(const fs::path& temporary) {
    std::vector<std::string> environment{"LC_ALL=C.UTF-8", "HOME=" + temporary.string(), "TMPDIR=" + temporary.string(),
                                         "CUDA_CACHE_DISABLE=1", "CCACHE_DISABLE=1"};
    for (const char* name : {"PATH", "LD_LIBRARY_PATH", "CXX", "CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT", "CUDA_VISIBLE_DEVICES",
                             "CUDA_DEVICE_ORDER", "CUDA_MODULE_LOADING", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"}) {
        if (const char* value = variable(name)) environment.push_back(std::string(name) + "=" + value);
    }
    environment.push_back("WARPWRIGHT_ROOT=" + resourceRoot().string());
    return environment;
}

/// Folders of engines that were killed are removed here, by the next one that starts a worker of this kind.
void removeStale(const fs::path& parent) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(parent, ignored)) {
        int owner = 0;
        const std::string name = entry.path().filename();
        if (std::sscanf(name.c_str(), "warpwright-worker-%d-", &owner) != 1 || owner <= 0) continue;
        if (::kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
    }
}

Result<fs::path> makeScratch(uid_t owner) {
    std::error_code ignored;
    const fs::path parent = fs::temp_directory_path(ignored);
    removeStale(parent);
    std::string pattern = (parent / ("warpwright-worker-" + std::to_string(::getpid()) + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr || (owner != 0 && ::chown(pattern.c_str(), owner, owner) != 0)) {
        return fail(ErrorCode::WorkerFailed, std::string("no folder for a worker's temporary files: ") + std::strerror(errno), pattern);
    }
    return fs::path(pattern);
}

void addLimits(SpawnPlan& spawn, const WorkerOptions& options, bool ownUid) {
    spawn.fileBytes = kFileBytes;
    spawn.openFiles = kOpenFiles;
    spawn.processes = kProcesses + (ownUid ? 0 : tasksOfThisUser());
    // The CUDA driver reserves address ranges far beyond any memory.
    spawn.addressSpaceBytes = isCuda(options) ? 0 : options.memoryBytes;
    spawn.cores = options.cores;
}

/// A worker that gives up root can no longer read root's private folders: it gets copies of those that were asked for.
Result<void> stagePrivateFolders(const WorkerOptions& options, LaunchPlan& plan, View& view) {
    for (const auto& folder : options.readable) {
        if (exposesHome(folder) || openToEveryone(folder)) continue;
        if (plan.scratch.empty()) {
            WW_TRY(scratch, makeScratch(0));
            plan.scratch = scratch;
        }
        const fs::path copy = plan.scratch / std::to_string(view.copies.size());
        if (auto copied = copyForEveryone(folder, copy); !copied) {
            std::error_code ignored;
            fs::remove_all(plan.scratch, ignored);
            return copied;
        }
        view.copies.emplace(folder, copy);
    }
    return {};
}

}  // namespace

std::string_view toString(Role role) noexcept {
    switch (role) {
    case Role::Compile: return "compile";
    case Role::Device: return "device";
    case Role::Profile: break;
    }
    return "profile";
}

Result<LaunchPlan> planLaunch(const WorkerOptions& options) {
    WW_CHECK(checkDevice(options));
    LaunchPlan plan;
    WW_TRY(program, findProgram(options));
    plan.program = program;
    const bool wrapped = options.level == Level::Bubblewrap && options.role != Role::Profile;
    if (wrapped && availability().level != Level::Bubblewrap) return fail(ErrorCode::SandboxUnavailable, availability().reason);

    View view = viewFor(options, program);
    // Without mounts of our own an unprivileged worker must be able to walk to what it needs.
    const bool reachable = reachableByOthers(program) && reachableByOthers(resourceRoot()) &&
                           std::ranges::all_of(options.readable, &reachableByOthers);
    const bool needsRoot = options.role == Role::Profile && countersNeedAdmin();
    const uid_t uid = ::geteuid() == 0 && (wrapped || reachable) && !needsRoot ? pickUid() : 0;
    if (wrapped) {
        if (uid != 0) WW_CHECK(stagePrivateFolders(options, plan, view));
        plan.spawn.arguments = bubblewrapArguments(findBubblewrap(), availability().version, view);
    } else {
        WW_TRY(scratch, makeScratch(uid));
        plan.scratch = scratch;
    }
    plan.spawn.environment = environmentFor(wrapped ? fs::path("/tmp") : plan.scratch);
    auto& arguments = plan.spawn.arguments;
    arguments.insert(arguments.end(), {program.string(), "--role", std::string(toString(options.role))});
    if (options.role != Role::Compile) arguments.insert(arguments.end(), {"--device", options.device});
    arguments.insert(arguments.end(), {"--arena-fd", std::to_string(kArenaFd), "--sandbox", std::string(toString(wrapped ? Level::Bubblewrap : Level::None)),
                                       "--drop-to", std::to_string(uid)});
    addLimits(plan.spawn, options, uid != 0);
    return plan;
}

}  // namespace ww::sandbox
