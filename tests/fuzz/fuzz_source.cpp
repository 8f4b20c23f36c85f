// SPDX-License-Identifier: Apache-2.0
// The source model of any bytes: ranges lie inside the text, the defaults change nothing, an edit stays inside its range.
#include "fuzz.h"
#include "mutate/mutate.h"
#include "source/source_model.h"

using namespace ww;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 16384) return 0;
    const auto model = source::parseCuda(std::string(fuzz::asText(data, size)));
    if (!model) return 0;
    for (const auto& entry : model->entries) {
        fuzz::require(entry.range.begin <= entry.range.end && entry.range.end <= model->text.size(), "an entry lies in the text");
    }
    std::vector<mutate::Assignment> defaults;
    for (const auto& site : model->parameters) {
        fuzz::require(site.value.begin <= site.value.end && site.value.end <= model->text.size(), "a parameter's value lies in the text");
        if (!site.editable || !site.defaultValue) continue;
        defaults.push_back({site.name, *site.defaultValue});
        for (const auto& value : site.proposedValues) {
            const auto mutant = mutate::apply(*model, {{site.name, value}});
            if (!mutant || mutant->edits.empty()) continue;
            fuzz::require(mutant->edits.size() == 1 && mutant->edits[0].range == site.value, "only the value's own range is edited");
            fuzz::require(mutant->text.size() + mutant->edits[0].before.size() == model->text.size() + mutant->edits[0].after.size(),
                          "everything else stays");
        }
    }
    if (const auto same = mutate::apply(*model, defaults)) {
        fuzz::require(same->text == model->text, "assigning the defaults changes nothing");
    }
    return 0;
}
