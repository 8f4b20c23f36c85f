// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_module.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>
#include <vector>

namespace ww::device {

namespace {

/// Thread-local storage of a 64-bit ELF image: the kernel's static shared memory and our own state. Zeros where there is none.
struct ThreadLocals {
    std::size_t header = 0;  ///< where the image describes it
    Elf64_Phdr program{};
};

ThreadLocals threadLocals(std::span<const std::byte> image) {
    Elf64_Ehdr header;
    if (image.size() < sizeof header) return {};
    std::memcpy(&header, image.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Elf64_Phdr)) return {};
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
        ThreadLocals locals;
        locals.header = header.e_phoff + i * sizeof(Elf64_Phdr);
        if (locals.header + sizeof locals.program > image.size()) return {};
        std::memcpy(&locals.program, image.data() + locals.header, sizeof locals.program);
        if (locals.program.p_type == PT_TLS) return locals;
    }
    return {};
}

/// The image with a guard behind its thread-local storage: the loader reserves what the program header says.
std::vector<std::byte> guarded(std::span<const std::byte> image, const ThreadLocals& locals) {
    std::vector<std::byte> copy(image.begin(), image.end());
    if (locals.header == 0) return copy;
    Elf64_Phdr program = locals.program;
    program.p_memsz += kSharedGuardBytes;
    std::memcpy(copy.data() + locals.header, &program, sizeof program);
    return copy;
}

/// The loader's own way to a thread's copy of a module's storage, which it makes where there is none yet.
struct ThreadLocalIndex {
    std::size_t module, offset;
};
extern "C" void* __tls_get_addr(ThreadLocalIndex*);

bool has(void* handle, const char* absoluteSymbol) {
    ::dlerror();
    ::dlsym(handle, absoluteSymbol);  // its value says nothing, its presence does
    return ::dlerror() == nullptr;
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
    const ThreadLocals locals = threadLocals(image);
    module.m_handle = openFromMemory(guarded(image, locals), module.m_fd, why);
    if (module.m_handle == nullptr) return fail(ErrorCode::Unsupported, "the compiled kernel cannot be loaded: " + why);
    module.m_entry = static_cast<const WwModule*>(::dlsym(module.m_handle, symbol.c_str()));
    if (module.m_entry == nullptr) {
        return fail(ErrorCode::Unsupported, "the compiled kernel has no launcher named " + symbol + "; compile it for the CPU device");
    }
    if (module.m_entry->version != WW_ABI_VERSION) {
        return fail(ErrorCode::Unsupported, "the compiled kernel is of another program version; compile it again");
    }
    module.m_entry->bind(&runtime);
    module.m_usesSync = has(module.m_handle, "ww_uses_sync");
    module.m_threadLocalBytes = locals.program.p_memsz;
    module.m_initialisedBytes = locals.program.p_filesz;
    module.m_poisonable = !has(module.m_handle, "ww_shared_pointers");
    return module;
}

const WwSymbol* CpuModule::findSymbol(std::string_view name) const noexcept {
    for (const WwSymbol* symbol = m_entry->symbols; symbol->name != nullptr; ++symbol) {
        if (name == symbol->name) return symbol;
    }
    return nullptr;
}

CheckedShared::Area CpuModule::staticShared() const {
    ThreadLocalIndex index{0, 0};
    if (m_threadLocalBytes == 0 || ::dlinfo(m_handle, RTLD_DI_TLS_MODID, &index.module) != 0) return {};
    auto* const base = static_cast<std::byte*>(__tls_get_addr(&index));
    CheckedShared::Area area;
    if (m_poisonable) area.memory = {base + m_initialisedBytes, m_threadLocalBytes - m_initialisedBytes};
    area.guard = {base + m_threadLocalBytes, kSharedGuardBytes};
    return area;
}

CpuModule::CpuModule(CpuModule&& other) noexcept
    : m_handle(std::exchange(other.m_handle, nullptr)), m_fd(std::exchange(other.m_fd, -1)), m_entry(other.m_entry), m_usesSync(other.m_usesSync),
      m_threadLocalBytes(other.m_threadLocalBytes), m_initialisedBytes(other.m_initialisedBytes),
      m_poisonable(other.m_poisonable) {}

CpuModule& CpuModule::operator=(CpuModule&& other) noexcept {
    std::swap(m_handle, other.m_handle);
    std::swap(m_fd, other.m_fd);
    std::swap(m_entry, other.m_entry);
    std::swap(m_usesSync, other.m_usesSync);
    std::swap(m_threadLocalBytes, other.m_threadLocalBytes);
    std::swap(m_initialisedBytes, other.m_initialisedBytes);
    std::swap(m_poisonable, other.m_poisonable);
    return *this;
}

CpuModule::~CpuModule() {
    if (m_handle != nullptr) ::dlclose(m_handle);
    if (m_fd >= 0) ::close(m_fd);
}

}  // namespace ww::device
