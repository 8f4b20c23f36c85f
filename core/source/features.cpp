// SPDX-License-Identifier: Apache-2.0
#include "source/features.h"

#include <algorithm>
#include <map>
#include <set>

namespace ww::source {
namespace {

using namespace std::string_view_literals;

constexpr int kMostPerId = 16;

/// Names whose occurrence in device code is the feature.
const std::map<std::string_view, std::string_view> kNames{
    {"asm"sv, "inline_ptx"sv}, {"__asm__"sv, "inline_ptx"sv}, {"__asm"sv, "inline_ptx"sv},
    {"nvcuda"sv, "mma"sv}, {"wmma"sv, "mma"sv}, {"mma_sync"sv, "mma"sv}, {"load_matrix_sync"sv, "mma"sv},
    {"memcpy_async"sv, "cp_async"sv}, {"this_grid"sv, "grid_sync"sv}, {"grid_group"sv, "grid_sync"sv},
    {"cudaGraphLaunch"sv, "dynamic_parallelism"sv}, {"cudaLaunchDevice"sv, "dynamic_parallelism"sv},
    {"this_cluster"sv, "cluster"sv}, {"cluster_group"sv, "cluster"sv},
    {"__syncwarp"sv, "syncwarp"sv}, {"__activemask"sv, "warp_vote"sv},
    {"__syncthreads"sv, "barrier"sv}, {"__syncthreads_count"sv, "barrier_vote"sv}, {"__syncthreads_and"sv, "barrier_vote"sv},
    {"__syncthreads_or"sv, "barrier_vote"sv}, {"this_thread_block"sv, "cooperative_groups"sv},
    {"cooperative_groups"sv, "cooperative_groups"sv}, {"tiled_partition"sv, "cooperative_groups"sv},
    {"coalesced_threads"sv, "cooperative_groups"sv}, {"__half"sv, "half"sv}, {"half"sv, "half"sv}, {"half2"sv, "half"sv},
    {"__half2"sv, "half"sv}, {"__nv_bfloat16"sv, "bfloat16"sv}, {"nv_bfloat16"sv, "bfloat16"sv}, {"bfloat16"sv, "bfloat16"sv},
    {"__nv_bfloat162"sv, "bfloat16"sv}, {"nv_bfloat162"sv, "bfloat16"sv}, {"printf"sv, "printf"sv}, {"assert"sv, "assert"sv},
    {"double"sv, "double"sv}, {"double2"sv, "double"sv}, {"__ldg"sv, "ldg"sv}, {"__trap"sv, "trap"sv}, {"clock"sv, "clock"sv},
    {"clock64"sv, "clock"sv}, {"__nanosleep"sv, "nanosleep"sv}, {"malloc"sv, "device_malloc"sv}, {"new"sv, "device_malloc"sv},
    {"__threadfence"sv, "threadfence"sv}, {"__threadfence_block"sv, "threadfence"sv}, {"__threadfence_system"sv, "threadfence"sv},
    {"volatile"sv, "volatile"sv}, {"atomic_ref"sv, "atomic"sv}, {"warpSize"sv, "warp_size"sv}, {"__dp4a"sv, "dp4a"sv},
    {"__dp2a"sv, "dp4a"sv}, {"goto"sv, "goto"sv}, {"__cvta_generic_to_shared"sv, "shared_address"sv}};

/// The same by prefix; the longest that fits counts.
const std::pair<std::string_view, std::string_view> kPrefixes[] = {
    {"__shfl"sv, "warp_shuffle"sv}, {"__ballot"sv, "warp_vote"sv}, {"__any"sv, "warp_vote"sv}, {"__all"sv, "warp_vote"sv},
    {"__match_"sv, "warp_vote"sv}, {"__reduce_"sv, "warp_reduce"sv}, {"atomic"sv, "atomic"sv}, {"__pipeline_"sv, "cp_async"sv},
    {"tex1D"sv, "texture"sv}, {"tex2D"sv, "texture"sv}, {"tex3D"sv, "texture"sv}, {"texCubemap"sv, "texture"sv},
    {"surf1D"sv, "surface"sv}, {"surf2D"sv, "surface"sv}, {"surf3D"sv, "surface"sv}, {"__nv_fp8"sv, "fp8"sv},
    {"__nv_fp4"sv, "fp4"sv}, {"cp_async_bulk"sv, "tma"sv}, {"SM90_TMA"sv, "tma"sv}, {"SM90_64x"sv, "wgmma"sv}};

/// Names that count anywhere in the file: they declare storage or types of the device.
const std::map<std::string_view, std::string_view> kAnywhere{
    {"__constant__"sv, "constant_memory"sv}, {"__managed__"sv, "managed"sv}, {"__launch_bounds__"sv, "launch_bounds"sv},
    {"cudaTextureObject_t"sv, "texture"sv}, {"cudaSurfaceObject_t"sv, "surface"sv}, {"CUtensorMap"sv, "tma"sv},
    {"__cluster_dims__"sv, "cluster"sv}, {"__grid_constant__"sv, "grid_constant"sv}, {"__maxnreg__"sv, "maxnreg"sv}};

const std::pair<std::string_view, std::string_view> kInstructions[] = {
    {"wgmma"sv, "wgmma"sv}, {"tcgen05"sv, "tcgen05"sv}, {"cp.async.bulk"sv, "tma"sv}, {"cp.async"sv, "cp_async"sv},
    {"mbarrier"sv, "mbarrier"sv}, {"mma.sync"sv, "mma"sv}, {"ldmatrix"sv, "mma"sv}, {"griddepcontrol"sv, "programmatic_launch"sv},
    {"setmaxnreg"sv, "setmaxnreg"sv}, {"barrier.cluster"sv, "cluster"sv}};

bool isVectorType(std::string_view word) {
    static const std::set<std::string_view> kBases{"char"sv, "uchar"sv, "short"sv, "ushort"sv, "int"sv, "uint"sv, "long"sv, "ulong"sv,
                                                   "longlong"sv, "ulonglong"sv, "float"sv, "double"sv};
    if (word.size() < 4 || word.back() < '2' || word.back() > '4') return false;
    word.remove_suffix(1);
    if (word.starts_with("make_")) word.remove_prefix(5);
    return kBases.contains(word);
}

class FeatureFinder {
public:
    FeatureFinder(const Tokens& tokens, const Declarations& declarations) : m_tokens(tokens) {
        for (const DeviceFunction& function : declarations.device) m_device.push_back(rangeOf(function.definition));
        std::sort(m_device.begin(), m_device.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    }

    std::vector<Feature> run() {
        for (std::size_t i = 0; i < m_tokens.list.size(); ++i) token(i);
        return std::move(m_out);
    }

private:
    void token(std::size_t index) {
        const Token& token = m_tokens.list[index];
        const std::string_view word = m_tokens.of(token);
        if (token.kind == TokenKind::Identifier) {
            if (const auto found = kAnywhere.find(word); found != kAnywhere.end()) return note(found->second, index);
            if (word == "texture" && m_tokens.at(index + 1) == "<") return note("texture", index);
            if (word == "surface" && m_tokens.at(index + 1) == "<") return note("surface", index);
            if (word == "__shared__") return shared(index);
        }
        if (!onDevice(token)) return;
        if (token.kind == TokenKind::Identifier) {
            identifier(index, word);
        } else if (token.kind == TokenKind::String) {
            instruction(index, word);
        } else if (word == "<<" && m_tokens.at(index + 1) == "<" && m_tokens.list[index + 1].begin == token.end) {
            note("dynamic_parallelism", index);
        }
    }

    void identifier(std::size_t index, std::string_view word) {
        if (const auto found = kNames.find(word); found != kNames.end()) return note(found->second, index);
        if (isVectorType(word)) return note("vector_types", index);
        if (word == "cg" || word == "grid") return gridSync(index);
        for (const auto& [prefix, id] : kPrefixes) {
            if (word.starts_with(prefix)) return note(id, index);
        }
    }

    /// grid.sync() where `grid` names a group; the type's own name is found by kNames already.
    void gridSync(std::size_t index) {
        if (m_tokens.at(index + 1) == "." && m_tokens.at(index + 2) == "sync") note("grid_sync", index);
    }

    void instruction(std::size_t index, std::string_view literal) {
        for (const auto& [opcode, id] : kInstructions) {
            if (literal.find(opcode) == std::string_view::npos) continue;
            note(id, index);
            return;
        }
    }

    void shared(std::size_t index) {
        bool dynamic = false;
        for (std::size_t i = index; i > 0 && index - i < 4; --i) {
            const std::string_view before = m_tokens.at(i - 1);
            if (before == ";" || before == "{" || before == "}") break;
            dynamic |= before == "extern";
        }
        dynamic |= m_tokens.at(index + 1) == "extern";
        note(dynamic ? "shared_dynamic" : "shared_static", index);
    }

    bool onDevice(const Token& token) {
        if (token.directive >= 0) return m_tokens.directives[static_cast<std::size_t>(token.directive)].keyword == "define";
        while (m_next < m_device.size() && m_device[m_next].end <= token.begin) ++m_next;
        return m_next < m_device.size() && m_device[m_next].begin <= token.begin;
    }

    void note(std::string_view id, std::size_t index) {
        const int line = m_tokens.list[index].line;
        auto& [count, last] = m_seen[id];
        if (last == line || count >= kMostPerId) return;
        ++count;
        last = line;
        m_out.push_back({std::string(id), line, excerpt(index)});
    }

    /// The construct up to the end of its statement or line, shortened.
    std::string excerpt(std::size_t index) const {
        const std::size_t begin = m_tokens.list[index].begin;
        std::string_view rest = m_tokens.text.substr(begin, 60);
        rest = rest.substr(0, rest.find_first_of("\r\n;{"));
        while (!rest.empty() && begin + rest.size() < m_tokens.text.size() &&
               (static_cast<unsigned char>(m_tokens.text[begin + rest.size()]) & 0xC0U) == 0x80U) {
            rest.remove_suffix(1);
        }
        return squeezed(rest);
    }

    const Tokens& m_tokens;
    std::vector<ByteRange> m_device;
    std::size_t m_next = 0;
    std::map<std::string_view, std::pair<int, int>> m_seen;
    std::vector<Feature> m_out;
};

}  // namespace

std::vector<Feature> findFeatures(const Tokens& tokens, const Declarations& declarations) {
    return FeatureFinder(tokens, declarations).run();
}

std::vector<SharedArray> findSharedArrays(TSNode root, std::string_view text) {
    std::vector<SharedArray> arrays;
    walk(root, [&](const Cursor& cursor) {
        const TSNode node = cursor.node();
        if (!is(node, "declaration")) return true;
        bool shared = false;
        bool dynamic = false;
        for (const TSNode child : namedChildren(node)) {
            const std::string_view word = textOf(child, text);
            shared |= is(child, "type_qualifier") && word == "__shared__";
            dynamic |= is(child, "storage_class_specifier") && word == "extern";
        }
        if (!shared) return true;
        for (TSNode declarator : childrenByField(node, "declarator")) {
            SharedArray array;
            array.elementType = squeezed(textOf(childByField(node, "type"), text));
            array.dynamic = dynamic;
            array.line = lineOf(declarator);
            while (!ts_node_is_null(declarator) && !is(declarator, "identifier")) {
                const TSNode size = childByField(declarator, "size");
                if (!ts_node_is_null(size)) array.extents.insert(array.extents.begin(), squeezed(textOf(size, text)));
                declarator = childByField(declarator, "declarator");
            }
            array.name = std::string(textOf(declarator, text));
            arrays.push_back(std::move(array));
        }
        return false;
    });
    return arrays;
}

}  // namespace ww::source
