// SPDX-License-Identifier: Apache-2.0
// Launches one configuration of a spec some times, in this very process, for a profiler that wants to attach: `ncu launch_kernel SPEC`.
// The workers cannot serve for that: they pass none of a profiler's variables on and allow it no socket.
#include <cstdio>
#include <cstdlib>

#include "base/file.h"
#include "engine/candidate.h"
#include "verify/launch_buffers.h"

using namespace ww;

namespace {

Result<void> launchAll(const char* spec, const char* configuration, int launches, std::uint64_t seed, const char* workload) {
    WW_TRY(facts, engine::findDevice("cuda"));
    WW_TRY(task, engine::loadTask(spec, facts, workload));
    WW_TRY(parsed, task.space.parse(configuration, task.space.defaultConfiguration()));
    WW_TRY(candidate, engine::makeCandidate(task, parsed));
    WW_TRY(compiler, compile::makeNvrtcCompiler());
    WW_TRY(object, compiler->compile(candidate.request));
    if (object.status != TrialStatus::Ok) return fail(ErrorCode::InvalidArgument, object.log);
    WW_TRY(launch, engine::launchFor(task, parsed, task.workload));
    WW_TRY(device, device::makeCudaDevice(facts.index));
    WW_TRY(loaded, device->load({object.object, object.entry, object.symbols}, engine::shapeOf(launch)));
    if (loaded.outcome.status != TrialStatus::Ok) return fail(ErrorCode::InvalidArgument, loaded.outcome.message);
    verify::LaunchBuffers buffers(*device);
    std::string file;
    WW_CHECK(buffers.prepare(launch, seed, 0, [&file](const spec::ResolvedArgument& argument) -> Result<std::span<const std::byte>> {
        WW_TRY(bytes, readFile(argument.dataFile));
        file = std::move(bytes);
        return std::as_bytes(std::span(file.data(), file.size()));
    }));
    for (int i = 0; i < launches; ++i) {
        WW_CHECK(buffers.restore());
        if (const auto outcome = device->run(buffers.launch(loaded.id)); outcome.status != TrialStatus::Ok) {
            return fail(ErrorCode::WorkerFailed, outcome.message);
        }
    }
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: launch_kernel SPEC [P=V,..] [LAUNCHES] [SEED] [WORKLOAD]\n", stderr);
        return 2;
    }
    const auto done = launchAll(argv[1], argc > 2 ? argv[2] : "", argc > 3 ? std::atoi(argv[3]) : 10, argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1,
                                argc > 5 ? argv[5] : "");
    if (done) return 0;
    std::fprintf(stderr, "launch_kernel: %s\n", done.error().toString().c_str());
    return exitCodeFor(done.error().code);
}
