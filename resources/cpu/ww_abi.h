// SPDX-License-Identifier: Apache-2.0
// What a compiled CPU module and core/device/cpu_*.cpp agree on. Both sides include this file; plain C layout, C++17.
#pragma once

#include <cstdarg>

#define WW_ABI_VERSION 3

extern "C" {

/// One call of a module: the threads [first, last) of one block.
struct WwBlock {
    unsigned grid[3];
    unsigned block[3];
    unsigned index[3];
    unsigned first[3];
    unsigned last[3];
    void* shared;  ///< dynamic shared memory; the same address for the life of an OS thread
};

enum WwFailure { WwAssertion = 1, WwTrap = 2, WwOutOfMemory = 3, WwBadTexture = 4 };

enum WwBarrierKind { WwPlain = 0, WwAnd = 1, WwOr = 2, WwCount = 3 };

enum WwWarpKind {
    WwShuffle = 0, WwShuffleUp, WwShuffleDown, WwShuffleXor,
    WwVoteAll, WwVoteAny, WwBallot, WwMatchAny, WwMatchAll, WwSyncWarp, WwActiveMask,
    WwReduceAdd, WwReduceMinSigned, WwReduceMaxSigned, WwReduceMinUnsigned, WwReduceMaxUnsigned, WwReduceAnd, WwReduceOr, WwReduceXor
};

/// One lane's part in a warp operation.
struct WwWarpCall {
    int kind;
    unsigned mask;
    unsigned long long value;
    int operand;  ///< source lane, delta or lane mask
    int width;
    int line;
};

/// What the process gives to a module when it loads it. The first two switch fibers; code that calls them also defines the
/// absolute symbol ww_uses_sync, which is how the loader knows that fibers are needed.
struct WwRuntime {
    int version;
    int (*barrier)(int kind, int predicate, int line);
    unsigned long long (*warp)(const WwWarpCall* call);
    unsigned (*lane)(void);
    void (*print)(const char* format, std::va_list arguments);
    void (*fail)(int failure, const char* text, const char* file, int line, const unsigned* thread);  ///< does not return
};

#define WW_TEXTURE_MARK 0x5754455854555245ull

enum WwTexelKind { WwTexelFloat = 0, WwTexelSigned, WwTexelUnsigned };
enum WwAddress { WwClamp = 0, WwWrap, WwMirror, WwBorder };

/// What a texture object points to.
struct WwTexture {
    unsigned long long mark;  ///< WW_TEXTURE_MARK
    const void* texels;       ///< x fastest
    unsigned long long texelCount;
    unsigned extents[3];      ///< in texels; 1 beyond the dimensions
    int dimensions;           ///< 0: linear memory, for tex1Dfetch
    int kind, bytes, components;  ///< bytes of one component
    int linear, address, normalized, normalizedRead;
};

/// A variable of the module that the host writes or reads; the table ends with a null name.
struct WwSymbol {
    const char* name;
    void* address;
    unsigned long long bytes;
};

/// What a module exports as ww_module.
struct WwModule {
    int version;
    int argumentCount;
    const unsigned* argumentBytes;
    void (*bind)(const WwRuntime* runtime);
    void (*run)(const WwBlock* block, void* const* arguments);
    const WwSymbol* symbols;
};
}
