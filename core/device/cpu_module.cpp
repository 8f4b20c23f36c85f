// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_module.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace ww::device {

namespace {

/// Bytes of thread-local storage of a 64-bit ELF image: the kernel's static shared memory and our own state.
std::int64_t threadLocalBytes(std::span<const std::byte> image) {
    Elf64_Ehdr header;
    if (image.size() < sizeof header) return 0;
    std::memcpy(&header, image.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Elf64_Phdr)) return 0;
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
        const std::size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
        Elf64_Phdr program;
        if (at + sizeof program > image.size()) return 0;
        std::memcpy(&program, image.data() + at, sizeof program);
        if (program.p_type == PT_TLS) return static_cast<std::int64_t>(program.p_memsz);
    }
    return 0;
}

bool writeAll(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

/// The object has no file of its own: candidates come and go, and the sandbox's /tmp may be small or noexec. `fd` stays open
/// as long as the object is loaded: the loader takes an equal path for an equal object.
void* openFromMemory(std::span<const std::byte> image, int& fd, std::string& why) {
    fd = ::memfd_create("kernel", MFD_CLOEXEC);
    if (fd < 0 || !writeAll(fd, image)) {
        why = std::string("cannot place the module in memory: ") + std::strerror(errno);
        return nullptr;
    }
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* words = ::dlerror();
        why = words != nullptr ? words : "dlopen failed";
    }
    return handle;
}

}  // namespace

Result<CpuModule> CpuModule::open(std::span<const std::byte> image, const std::string& symbol, const WwRuntime& runtime) {
    std::string why;
    CpuModule module;
    module.m_handle = openFromMemory(image, module.m_fd, why);
    if (module.m_handle == nullptr) return fail(ErrorCode::Unsupported, "the compiled kernel cannot be loaded: " + why);
    module.m_entry = static_cast<const WwModule*>(::dlsym(module.m_handle, symbol.c_str()));
    if (module.m_entry == nullptr) {
        return fail(ErrorCode::Unsupported, "the compiled kernel has no launcher named " + symbol + "; compile it for the CPU device");
    }
    if (module.m_entry->version != WW_ABI_VERSION) {
        return fail(ErrorCode::Unsupported, "the compiled kernel is of another program version; compile it again");
    }
    module.m_entry->bind(&runtime);
    ::dlerror();
    ::dlsym(module.m_handle, "ww_uses_sync");  // absolute symbol: its value says nothing, its presence does
    module.m_usesSync = ::dlerror() == nullptr;
    // Alignment padding may add a few bytes to what the kernel declares.
    module.m_staticSharedBytes = std::max<std::int64_t>(0, threadLocalBytes(image) - module.m_entry->stateBytes);
    return module;
}

const WwSymbol* CpuModule::findSymbol(std::string_view name) const noexcept {
    for (const WwSymbol* symbol = m_entry->symbols; symbol->name != nullptr; ++symbol) {
        if (name == symbol->name) return symbol;
    }
    return nullptr;
}

CpuModule::CpuModule(CpuModule&& other) noexcept
    : m_handle(std::exchange(other.m_handle, nullptr)), m_fd(std::exchange(other.m_fd, -1)), m_entry(other.m_entry), m_usesSync(other.m_usesSync),
      m_staticSharedBytes(other.m_staticSharedBytes) {}

CpuModule& CpuModule::operator=(CpuModule&& other) noexcept {
    std::swap(m_handle, other.m_handle);
    std::swap(m_fd, other.m_fd);
    std::swap(m_entry, other.m_entry);
    std::swap(m_usesSync, other.m_usesSync);
    std::swap(m_staticSharedBytes, other.m_staticSharedBytes);
    return *this;
}

CpuModule::~CpuModule() {
    if (m_handle != nullptr) ::dlclose(m_handle);
    if (m_fd >= 0) ::close(m_fd);
}

}  // namespace ww::device
