/* SPDX-License-Identifier: Apache-2.0
 * The grammars are of ABI 14, but their generated tables are written for a newer parser.h than Debian's (0.20): three names
 * are missing there, and REDUCE takes its last two arguments by position. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <tree_sitter/parser.h>

typedef struct {
    int32_t start;
    int32_t end; /* inclusive */
} TSCharacterRange;

/* Whether the ascending, disjoint `ranges` hold `character`. */
static inline bool set_contains(const TSCharacterRange* ranges, uint32_t count, int32_t character) {
    uint32_t low = 0;
    while (low < count) {
        const uint32_t middle = low + (count - low) / 2;
        if (character > ranges[middle].end) low = middle + 1;
        else if (character < ranges[middle].start) count = middle;
        else return true;
    }
    return false;
}

/* Pairs of (character, next state), looked up in order. */
#define ADVANCE_MAP(...)                                                            \
    {                                                                               \
        static const uint16_t pairs[] = {__VA_ARGS__};                              \
        for (uint32_t i = 0; i < sizeof pairs / sizeof pairs[0]; i += 2) {          \
            if (pairs[i] == lookahead) {                                            \
                state = pairs[i + 1];                                               \
                goto next_state;                                                    \
            }                                                                       \
        }                                                                           \
    }

#undef REDUCE
#define REDUCE(symbol_, children_, precedence_, production_)                        \
    {{                                                                              \
        .reduce = {                                                                 \
            .type = TSParseActionTypeReduce,                                        \
            .symbol = symbol_,                                                      \
            .child_count = children_,                                               \
            .dynamic_precedence = precedence_,                                      \
            .production_id = production_,                                           \
        },                                                                          \
    }}
