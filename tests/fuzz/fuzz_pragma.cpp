// SPDX-License-Identifier: Apache-2.0
// kernel_launcher's annotations in any text: they are read or refused with a place.
#include "fuzz.h"
#include "source/source_model.h"
#include "spec/pragma.h"

using namespace ww;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 16384) return 0;
    const auto model = source::parseCuda(std::string(fuzz::asText(data, size)));
    if (!model) return 0;
    const auto kernel = spec::readPragmas(*model);
    if (!kernel) {
        fuzz::require(!kernel.error().message.empty(), "an error says what is wrong");
        return 0;
    }
    if (!*kernel) return 0;
    fuzz::require((*kernel)->entry < model->entries.size(), "an annotation belongs to an entry");
    for (const auto& parameter : (*kernel)->parameters) {
        fuzz::require(parameter.defaultIndex < parameter.values.size(), "a default is one of the values");
    }
    return 0;
}
