// SPDX-License-Identifier: Apache-2.0
// What a worker may send: frames in pieces of any size, then every message's fields. Nothing here is trusted.
#include <algorithm>
#include <span>

#include "bench/measurement.h"
#include "compile/compile.h"
#include "device/device_facts.h"
#include "fuzz.h"
#include "sandbox/frame.h"
#include "worker/messages.h"

using namespace ww;

namespace {

void readBody(const Json& body) {
    (void)worker::launchFromJson(body).has_value();
    (void)worker::shapeFromJson(body).has_value();
    (void)worker::outcomeFromJson(body).has_value();
    (void)worker::functionFactsFromJson(body).has_value();
    (void)compile::CompileRequest::fromJson(body).has_value();
    (void)compile::CompileResult::fromJson(body).has_value();
    (void)device::DeviceFacts::fromJson(body).has_value();
    (void)bench::PairedSamples::fromJson(body).launchesPerSample;
    (void)bench::BenchOptions::fromJson(body).maxSamples;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1 || size > 65536) return 0;
    // The first byte says how the stream is cut.
    const std::size_t piece = 1 + data[0];
    const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
    sandbox::FrameReader reader;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        reader.feed(bytes.subspan(at, std::min(piece, bytes.size() - at)));
        for (;;) {
            auto message = reader.next();
            if (!message) return 0;  // the stream is lost
            if (!*message) break;
            readBody((*message)->body);
            const auto head = sandbox::encodeFrameHead(**message);
            fuzz::require(head.has_value(), "a message that came in can go out");
        }
    }
    return 0;
}
