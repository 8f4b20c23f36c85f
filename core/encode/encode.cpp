// SPDX-License-Identifier: Apache-2.0
#include "encode/encode.h"

#include <algorithm>
#include <cassert>

#include "encode/state_table.h"

namespace ww::encode {

namespace {

float unit(double value) {
    // The comparison is false for NaN, which so becomes 0 like everything below it.
    return value > 0 ? static_cast<float>(std::min(value, 1.0)) : 0.0f;
}

const source::Entry& entryOf(const Inputs& inputs, const source::Entry& none) {
    if (!inputs.source || inputs.source->entries.empty()) return none;
    const source::Entry* named = inputs.entry.empty() ? nullptr : inputs.source->findEntry(inputs.entry);
    return named ? *named : inputs.source->entries.front();
}

std::vector<const Row*> allRows() {
    std::vector<const Row*> rows;
    for (const std::vector<Row>* part : {&syntaxRows(), &continuousRows(), &deviceRows()})
        for (const Row& row : *part) rows.push_back(&row);
    assert(rows.size() == kStateSize);
    return rows;
}

}  // namespace

double View::count(const char* name) const {
    const auto found = source.counts.byName.find(name);
    return found != source.counts.byName.end() ? found->second : 0;
}

const std::array<Element, kStateSize>& elements() {
    static const std::array<Element, kStateSize> table = [] {
        std::array<Element, kStateSize> result{};
        const std::vector<const Row*> rows = allRows();
        for (std::size_t i = 0; i < kStateSize; ++i) result[i] = {i, rows[i]->name, rows[i]->source, rows[i]->normaliser};
        return result;
    }();
    return table;
}

StateVector encode(const Inputs& inputs) {
    static const source::SourceModel noSource;
    static const source::Entry noEntry;
    static const device::DeviceFacts noDevice;
    static const std::vector<const Row*> rows = allRows();
    const View view{inputs,
                    inputs.source ? *inputs.source : noSource,
                    entryOf(inputs, noEntry),
                    inputs.device ? *inputs.device : noDevice,
                    inputs.device != nullptr,
                    inputs.compile.value_or(compile::CompileFacts{}),
                    inputs.launch.value_or(Launch{})};
    StateVector state{};
    const std::size_t end = inputs.device ? kStateSize : kStateSize - deviceRows().size();
    for (std::size_t i = 0; i < end; ++i) state[i] = unit(rows[i]->value(view));
    return state;
}

}  // namespace ww::encode
