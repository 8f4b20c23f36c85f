// SPDX-License-Identifier: Apache-2.0
// A worker that does what a bad candidate may do, on request: {"do": "crash"}.
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sandbox/channel.h"

using namespace ww;
namespace fs = std::filesystem;

namespace {

std::size_t entries(const char* folder) {
    std::error_code failed;
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder, failed)) ++count;
    return count;
}

std::size_t processes() {
    std::error_code failed;
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator("/proc", failed)) count += std::isdigit(entry.path().filename().string()[0]) != 0;
    return count;
}

std::vector<std::string> interfaces() {
    std::ifstream table("/proc/net/dev");
    std::vector<std::string> names;
    for (std::string line; std::getline(table, line);) {
        if (const auto colon = line.find(':'); colon != std::string::npos) {
            names.push_back(line.substr(line.find_first_not_of(' '), colon - line.find_first_not_of(' ')));
        }
    }
    return names;
}

/// What this process can see and do.
Json look(const Json& request) {
    Json seen;
    seen["uid"] = ::getuid();
    seen["processes"] = processes();
    seen["interfaces"] = interfaces();
    seen["home"] = entries(request.value("home", "/root").c_str());
    seen["secret"] = ::access(request.value("secret", "/nothing").c_str(), F_OK) == 0;
    seen["shared"] = ::access(request.value("shared", "/nothing").c_str(), R_OK) == 0;
    seen["socket"] = ::socket(AF_INET, SOCK_STREAM, 0) >= 0;
    seen["ptrace"] = ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0;
    seen["rootWritable"] = ::access("/usr", W_OK) == 0 || ::access("/", W_OK) == 0;
    const fs::path temporary = fs::temp_directory_path();
    seen["temporaryWritable"] = static_cast<bool>(std::ofstream(temporary / "file") << "text" << std::flush);
    seen["environment"] = Json::array();
    for (char** variable = environ; *variable != nullptr; ++variable) seen["environment"].push_back(*variable);
    return seen;
}

/// Forks without end; says how many it got before the system refused.
Json forkBomb() {
    int made = 0;
    while (made < 20000) {
        const pid_t child = ::fork();
        if (child == 0) {
            for (;;) ::pause();
        }
        if (child < 0) break;
        ++made;
    }
    return Json{{"made", made}, {"refused", made < 20000}};
}

Json hogMemory() {
    std::vector<void*> blocks;
    for (int i = 0; i < 64; ++i) {
        void* block = std::malloc(std::size_t{64} << 20);
        if (block == nullptr) return Json{{"blocks", i}};
        std::memset(block, 1, std::size_t{64} << 20);
        blocks.push_back(block);
    }
    return Json{{"blocks", 64}};
}

[[noreturn]] void printForEver() {
    for (;;) std::fputs("all work and no play makes a dull kernel\n", stdout);
}

Json serve(const Json& request, sandbox::Channel& channel) {
    const std::string what = request.value("do", "");
    if (what == "look") return look(request);
    if (what == "fork") return forkBomb();
    if (what == "hog") return hogMemory();
    if (what == "print") std::printf("said: %s\n", request.value("text", "").c_str());
    if (what == "printForEver") printForEver();
    if (what == "exit") std::_Exit(request.value("code", 0));
    if (what == "crash") ::raise(SIGSEGV);
    if (what == "spin") {
        volatile int never = 0;
        while (never == 0) {
        }
    }
    if (what == "child") {
        // A compiler of its own, so to speak: it would live on if nobody took care.
        const pid_t child = ::fork();
        if (child == 0) {
            for (;;) ::pause();
        }
        return Json{{"child", child}};
    }
    if (what == "garbage") {
        const char noise[] = "this is no frame at all, whatever its length says";
        for (int fd = 100; fd < 1024; ++fd) {
            if (::send(fd, noise, sizeof noise, MSG_NOSIGNAL) > 0) break;
        }
        for (;;) ::pause();
    }
    if (what == "fill") {
        auto bytes = channel.arena(request.value("bytes", std::size_t{0}));
        if (!bytes) return Json{{"error", bytes.error().message}};
        std::ranges::fill(*bytes, std::byte{0x5a});
    }
    return Json{{"echo", request}};
}

}  // namespace

int main(int argc, char** argv) {
    sandbox::Confinement wanted;
    int arena = -1;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i], value = argv[i + 1];
        if (name == "--drop-to") wanted.dropTo = static_cast<uid_t>(std::stoul(value));
        if (name == "--sandbox") wanted.ownNamespaces = value == "bubblewrap";
        if (name == "--arena-fd") arena = std::stoi(value);
    }
    const auto confined = sandbox::confine(wanted);
    auto channel = sandbox::Channel::open(arena);
    if (!channel) return 2;
    if (!confined) return (*channel)->greetWith(confined.error()) ? 0 : 2;
    if (!(*channel)->greet(Json{{"role", "test"}})) return 2;
    for (;;) {
        auto request = (*channel)->receive();
        if (!request) return 0;
        sandbox::Message answer{serve(request->body, **channel), std::move(request->attachment)};
        if (!(*channel)->send(answer)) return 2;
    }
}
