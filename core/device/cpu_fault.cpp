// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_fault.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <mutex>

#include "device/cpu_block.h"
#include "device/cpu_exit_codes.h"

namespace ww::device {

namespace {

constexpr std::size_t kSignalStackBytes = std::size_t{64} << 10;

int exitCodeFor(int signal, bool overflow) {
    if (overflow) return kExitStackOverflow;
    switch (signal) {
    case SIGBUS: return kExitBusError;
    case SIGFPE: return kExitArithmeticFault;
    case SIGILL: return kExitIllegalInstruction;
    case SIGABRT: return kExitAborted;
    default: return kExitSegmentationFault;
    }
}

/// snprintf is not on the list of async-signal-safe functions; with integers and plain strings glibc's neither allocates nor
/// locks, and the process ends here in any case.
void onFault(int signal, siginfo_t* info, void*) {
    const BlockRunner* runner = BlockRunner::current();
    if (runner == nullptr) {
        ::signal(signal, SIG_DFL);
        ::raise(signal);
        return;
    }
    const bool memory = signal == SIGSEGV || signal == SIGBUS;
    const int code = exitCodeFor(signal, memory && runner->inGuard(info->si_addr));
    const auto place = runner->place();
    char thread[64] = "";
    if (place.threadKnown) {
        std::snprintf(thread, sizeof thread, ", thread (%u,%u,%u)", place.thread[0], place.thread[1], place.thread[2]);
    }
    char address[40] = "";
    if (memory) std::snprintf(address, sizeof address, " at address %p", info->si_addr);
    char line[256];
    const std::string_view what = describeCpuExit(code);
    const int length = std::snprintf(line, sizeof line, "%.*s%s, block (%u,%u,%u)%s\n", static_cast<int>(what.size()), what.data(),
                                     address, place.block[0], place.block[1], place.block[2], thread);
    if (length > 0) {
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line, static_cast<std::size_t>(length));
    }
    ::_exit(code);
}

}  // namespace

void installFaultHandlers() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action {};
        action.sa_sigaction = &onFault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
    });
}

SignalStack::SignalStack() {
    void* memory = ::mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    m_memory = memory;
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = kSignalStackBytes;
    ::sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
    if (m_memory == nullptr) return;
    stack_t stack{};
    stack.ss_flags = SS_DISABLE;
    ::sigaltstack(&stack, nullptr);
    ::munmap(m_memory, kSignalStackBytes);
}

}  // namespace ww::device
