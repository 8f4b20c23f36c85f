// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "worker/server.h"

namespace ww::worker {
namespace {

Json greeting(const Compilers& compilers) {
    Json found = Json::object(), missing = Json::object();
    if (compilers.cpu) found["cpu"] = compilers.cpu->version();
    else missing["cpu"] = compilers.cpuMissing;
    if (compilers.cuda) found["cuda"] = compilers.cuda->version();
    else missing["cuda"] = compilers.cudaMissing;
    return Json{{"role", "compile"}, {"compilers", std::move(found)}, {"missing", std::move(missing)}};
}

Result<compile::CompileResult> compileOne(const Json& body, Compilers& compilers) {
    const Json* given = member(body, "request");
    if (given == nullptr) return fail(ErrorCode::WorkerFailed, "a compile message without a request");
    WW_TRY(request, compile::CompileRequest::fromJson(*given));
    const bool cuda = request.target == compile::Target::Cuda;
    auto& compiler = cuda ? compilers.cuda : compilers.cpu;
    if (!compiler) return fail(ErrorCode::EnvironmentMissing, cuda ? compilers.cudaMissing : compilers.cpuMissing);
    const auto start = std::chrono::steady_clock::now();
    auto result = compiler->compile(request);
    if (result && result->seconds == 0) result->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

}  // namespace

Result<void> serveCompiles(sandbox::Channel& channel, Compilers& compilers) {
    WW_CHECK(channel.greet(greeting(compilers)));
    for (;;) {
        WW_TRY(request, channel.receive());
        sandbox::Message answer;
        if (auto result = compileOne(request.body, compilers)) {
            answer.body["result"] = result->toJson();
            answer.attachment = std::move(result->object);
        } else {
            answer.body["error"] = sandbox::errorToJson(result.error());
        }
        WW_CHECK(channel.send(answer));
    }
}

}  // namespace ww::worker
