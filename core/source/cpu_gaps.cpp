// SPDX-License-Identifier: Apache-2.0
#include "source/cpu_gaps.h"

#include <algorithm>
#include <map>
#include <set>

#include "source/functions.h"
#include "source/masking.h"
#include "source/syntax_tree.h"
#include "source/tokens.h"

namespace ww::source {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kStringAfterAsm = 12;  ///< tokens between `asm` and its text, macros and parentheses included

constexpr std::string_view kTensor = "tensor-core operations (wmma)";
constexpr std::string_view kAsync = "asynchronous copies (cuda::pipeline, cuda::barrier)";
constexpr std::string_view kTma = "bulk asynchronous copies (TMA)";
constexpr std::string_view kGrid = "grid-wide synchronisation";
constexpr std::string_view kCluster = "thread-block clusters";
constexpr std::string_view kLaunch = "a launch from device code";
constexpr std::string_view kSurface = "surfaces";
constexpr std::string_view kTexture = "layered, cube, gathered and mipmapped textures";
constexpr std::string_view kReference = "texture references, which CUDA 12 removed";
constexpr std::string_view kNarrow = "floating-point types of 8 bits and less";
constexpr std::string_view kSimd = "SIMD-within-a-word intrinsics";
constexpr std::string_view kRandom = "cuRAND";

const std::map<std::string_view, std::string_view> kWords{
    {"wmma"sv, kTensor}, {"nvcuda"sv, kTensor}, {"CUtensorMap"sv, kTma},
    {"this_grid"sv, kGrid}, {"grid_group"sv, kGrid}, {"this_multi_grid"sv, kGrid}, {"multi_grid_group"sv, kGrid},
    {"this_cluster"sv, kCluster}, {"cluster_group"sv, kCluster}, {"__cluster_dims__"sv, kCluster}, {"map_shared_rank"sv, kCluster},
    {"cudaLaunchKernel"sv, kLaunch}, {"cudaLaunchKernelEx"sv, kLaunch}, {"cudaLaunchDevice"sv, kLaunch},
    {"cudaLaunchCooperativeKernel"sv, kLaunch}, {"cudaGraphLaunch"sv, kLaunch}, {"cudaDeviceSynchronize"sv, kLaunch},
    {"cudaSurfaceObject_t"sv, kSurface}};

const std::pair<std::string_view, std::string_view> kPrefixes[] = {
    {"cp_async_"sv, kTma}, {"surf1D"sv, kSurface}, {"surf2D"sv, kSurface}, {"surf3D"sv, kSurface}, {"surfCubemap"sv, kSurface},
    {"texCubemap"sv, kTexture}, {"tex1D"sv, kTexture}, {"tex2D"sv, kTexture}, {"tex3D"sv, kTexture}, {"__nv_fp8"sv, kNarrow}, {"__nv_fp6"sv, kNarrow},
    {"__nv_fp4"sv, kNarrow}, {"__nvvm_"sv, "NVVM intrinsics"sv}, {"curand"sv, kRandom}};

/// Members of namespace cuda.
const std::map<std::string_view, std::string_view> kOfCuda{
    {"barrier"sv, kAsync}, {"pipeline"sv, kAsync}, {"pipeline_shared_state"sv, kAsync}, {"make_pipeline"sv, kAsync},
    {"memcpy_async"sv, kAsync}, {"device"sv, kTma}, {"ptx"sv, "PTX wrappers (cuda::ptx)"sv}};

/// Headers that only serve such code; there is no use in reading on without them.
const std::pair<std::string_view, std::string_view> kHeaders[] = {
    {"cutlass/"sv, "CUTLASS"sv}, {"cute/"sv, "CuTe"sv}, {"cub/"sv, "CUB"sv}, {"thrust/"sv, "Thrust"sv}, {"curand"sv, kRandom},
    {"cuda_fp8"sv, kNarrow}, {"cuda_fp6"sv, kNarrow}, {"cuda_fp4"sv, kNarrow}};

const std::pair<std::string_view, std::string_view> kInstructions[] = {
    {"wgmma"sv, "wgmma"sv}, {"tcgen05"sv, "tcgen05"sv}, {"cp.async.bulk"sv, "cp.async.bulk (TMA)"sv}, {"cp.async"sv, "cp.async"sv},
    {"mbarrier"sv, "mbarrier"sv}, {"mma.sync"sv, "mma.sync"sv}, {"ldmatrix"sv, "ldmatrix"sv}, {"barrier.cluster"sv, "barrier.cluster"sv}};

bool isSimd(std::string_view word) {
    static const std::set<std::string_view> kFamilies{"add", "addss", "addus", "sub", "subss", "subus", "abs", "absss", "absdiffs", "absdiffu",
                                                      "avgs", "avgu", "haddu", "maxs", "maxu", "mins", "minu", "neg", "negss", "sads", "sadu"};
    if (!word.starts_with("__v") || (!word.ends_with('2') && !word.ends_with('4'))) return false;
    word = word.substr(3, word.size() - 4);
    return word.starts_with("cmp") || word.starts_with("set") || kFamilies.contains(word);
}

/// A stretch of the file that stands or falls together.
struct Piece {
    std::size_t first = 0, end = 0;      ///< tokens
    std::set<std::string_view> names;    ///< by which other code reaches it; empty: always reached
    std::set<std::string_view> mentions;
    std::vector<CpuGap> gaps;
    bool removable = false;              ///< a function or an alias
    bool reached = false;
};

class GapFinder {
public:
    GapFinder(const Tokens& tokens, const Declarations& declarations, const KnownMacros& known)
        : m_tokens(tokens), m_declarations(declarations), m_live(tokens, known), m_owner(tokens.list.size(), false) {}

    CpuGaps run(std::string_view entry) {
        functions();
        macros();
        loose();
        for (Piece& piece : m_pieces) scan(piece);
        reach(entry);
        CpuGaps gaps;
        includes(gaps.found);
        for (Piece& piece : m_pieces) {
            if (piece.reached) std::move(piece.gaps.begin(), piece.gaps.end(), std::back_inserter(gaps.found));
        }
        std::stable_sort(gaps.found.begin(), gaps.found.end(), [](const CpuGap& a, const CpuGap& b) { return a.offset < b.offset; });
        gaps.unused = unused();
        return gaps;
    }

private:
    /// Definitions with their templates, attributes and specifiers.
    void functions() {
        for (const DeviceFunction& function : m_declarations.device) {
            const ByteRange range = rangeOf(function.definition);
            Piece piece;
            piece.first = startOf(m_tokens.from(range.begin));
            piece.end = m_tokens.from(range.end);
            piece.removable = true;
            const std::string_view whole = function.name;
            const auto colon = whole.rfind(':');
            const std::string_view name = colon == std::string_view::npos ? whole : whole.substr(colon + 1);
            // Operators and destructors are called without their names.
            if (!name.starts_with("operator") && !name.starts_with("~")) piece.names.insert(name);
            add(std::move(piece), function.entry ? name : std::string_view{});
        }
    }

    std::size_t startOf(std::size_t index) const {
        while (index > 0) {
            const Token& before = m_tokens.list[index - 1];
            const std::string_view word = m_tokens.of(before);
            if (before.directive >= 0 || word == ";" || word == "{" || word == "}") break;
            if (word == ":" && index > 1) {
                const std::string_view label = m_tokens.at(index - 2);
                if (label == "public" || label == "private" || label == "protected") break;
            }
            --index;
        }
        return index;
    }

    void add(Piece piece, std::string_view entryName) {
        for (std::size_t i = piece.first; i < piece.end; ++i) m_owner[i] = true;
        if (!entryName.empty()) m_entries.emplace_back(entryName, m_pieces.size());
        m_pieces.push_back(std::move(piece));
    }

    void macros() {
        for (const Directive& directive : m_tokens.directives) {
            if (directive.keyword != "define" || directive.firstToken >= directive.endToken) continue;
            Piece piece;
            piece.first = directive.firstToken + 1;
            piece.end = directive.endToken;
            piece.names.insert(m_tokens.at(directive.firstToken));
            add(std::move(piece), {});
        }
    }

    /// Declarations outside functions that use such things: aliases, which count where their name is used, and the rest.
    void loose() {
        for (std::size_t i = 0; i < m_tokens.list.size(); ++i) {
            if (m_owner[i] || m_tokens.list[i].directive >= 0 || gapAt(i).empty()) continue;
            Piece piece;
            piece.first = startOf(i);
            piece.end = i;
            while (piece.end < m_tokens.list.size() && m_tokens.at(piece.end) != ";" && m_tokens.at(piece.end) != "{" && m_tokens.at(piece.end) != "}") ++piece.end;
            const bool whole = m_tokens.at(piece.end) == ";";
            const std::string_view head = m_tokens.at(piece.first);
            if (std::any_of(m_tokens.list.begin() + static_cast<std::ptrdiff_t>(piece.first), m_tokens.list.begin() + static_cast<std::ptrdiff_t>(piece.end),
                            [&](const Token& token) { return m_tokens.of(token) == "namespace"; })) {
                i = piece.end;
                continue;  // `using namespace nvcuda;` runs nothing; a stub header provides the name
            }
            if (whole && (head == "using" || head == "typedef" || head == "template")) {
                piece.names.insert(head == "typedef" ? m_tokens.at(piece.end - 1) : nameBefore(piece, "="));
                piece.removable = true;
                ++piece.end;
            }
            i = piece.end;
            add(std::move(piece), {});
        }
    }

    std::string_view nameBefore(const Piece& piece, std::string_view mark) const {
        for (std::size_t i = piece.first + 1; i < piece.end; ++i) {
            if (m_tokens.at(i) == mark) return m_tokens.at(i - 1);
        }
        return {};
    }

    void scan(Piece& piece) {
        for (std::size_t i = piece.first; i < piece.end; ++i) {
            const Token& token = m_tokens.list[i];
            if (token.kind != TokenKind::Identifier && token.kind != TokenKind::Punctuation) continue;
            const Live live = m_live.at(token.begin);
            if (live == Live::No) continue;
            if (token.kind == TokenKind::Identifier) piece.mentions.insert(m_tokens.of(token));
            std::string what = gapAt(i);
            if (what.empty()) continue;
            const bool repeated = !piece.gaps.empty() && piece.gaps.back().line == token.line && piece.gaps.back().what == what;
            if (!repeated) piece.gaps.push_back({token.begin, token.line, std::move(what), excerpt(token.begin), live == Live::Yes, false});
        }
    }

    /// The words for what stands at a token; empty where the CPU device can run it.
    std::string gapAt(std::size_t index) const {
        const std::string_view word = m_tokens.at(index);
        const std::string_view next = m_tokens.at(index + 1);
        if (word == "<<" && next == "<" && m_tokens.list[index + 1].begin == m_tokens.list[index].end) return std::string(kLaunch);
        if (m_tokens.list[index].kind != TokenKind::Identifier) return {};
        if (word == "asm" || word == "__asm__" || word == "__asm") return assembly(index);
        if ((word == "texture" || word == "surface") && next == "<") return std::string(kReference);
        if (word == "cuda" && next.starts_with(":")) return ofCuda(index);
        if (const auto found = kWords.find(word); found != kWords.end()) return std::string(found->second);
        if (isSimd(word)) return std::string(kSimd);
        if (word == "tex1D" || word == "tex1Dfetch" || word == "tex2D" || word == "tex3D") return {};
        for (const auto& [prefix, words] : kPrefixes) {
            if (word.starts_with(prefix)) return std::string(words);
        }
        return {};
    }

    std::string assembly(std::size_t index) const {
        for (std::size_t i = index + 1; i < std::min(index + kStringAfterAsm, m_tokens.list.size()); ++i) {
            if (m_tokens.list[i].kind != TokenKind::String) continue;
            const std::string_view literal = m_tokens.at(i);
            if (literal == "\"\"") return {};  // a barrier for the compiler
            for (const auto& [opcode, words] : kInstructions) {
                if (literal.find(opcode) != std::string_view::npos) return "inline PTX (" + std::string(words) + ")";
            }
            break;
        }
        return "inline PTX";
    }

    std::string ofCuda(std::size_t index) const {
        std::size_t member = index + 1;
        while (m_tokens.at(member).starts_with(":")) ++member;
        const auto found = kOfCuda.find(m_tokens.at(member));
        return found == kOfCuda.end() ? std::string{} : std::string(found->second);
    }

    void includes(std::vector<CpuGap>& gaps) const {
        for (const Directive& directive : m_tokens.directives) {
            if (directive.keyword != "include") continue;
            const Live live = m_live.at(directive.begin);
            std::string_view name = m_tokens.text.substr(directive.rest, directive.end - directive.rest);
            name.remove_prefix(std::min(name.find_first_not_of(" \t<\""), name.size()));
            for (const auto& [start, words] : kHeaders) {
                if (live == Live::No || !name.starts_with(start)) continue;
                gaps.push_back({directive.begin, directive.line, std::string(words), excerpt(directive.begin), live == Live::Yes, true});
            }
        }
    }

    void reach(std::string_view entry) {
        const auto colon = entry.rfind(':');
        if (colon != std::string_view::npos) entry.remove_prefix(colon + 1);
        std::vector<std::size_t> waiting;
        const auto take = [&](std::size_t i) {
            if (!m_pieces[i].reached) waiting.push_back(i);
            m_pieces[i].reached = true;
        };
        for (const auto& [name, piece] : m_entries) {
            if (name == entry) take(piece);
        }
        const bool unknown = waiting.empty();
        std::multimap<std::string_view, std::size_t> byName;
        for (std::size_t i = 0; i < m_pieces.size(); ++i) {
            if (unknown || m_pieces[i].names.empty()) take(i);
            for (const auto name : m_pieces[i].names) byName.emplace(name, i);
        }
        while (!waiting.empty()) {
            const std::size_t from = waiting.back();
            waiting.pop_back();
            for (const auto name : m_pieces[from].mentions) {
                const auto [begin, end] = byName.equal_range(name);
                for (auto called = begin; called != end; ++called) take(called->second);
            }
        }
    }

    std::vector<ByteRange> unused() const {
        std::set<std::string_view> broken;
        std::vector<bool> drop(m_pieces.size(), false);
        for (bool more = true; more;) {
            more = false;
            for (std::size_t i = 0; i < m_pieces.size(); ++i) {
                const Piece& piece = m_pieces[i];
                if (drop[i] || piece.reached || !piece.removable) continue;
                const bool uses = std::any_of(piece.mentions.begin(), piece.mentions.end(), [&](std::string_view name) {
                    return broken.contains(name) && !piece.names.contains(name);
                });
                if (piece.gaps.empty() && !uses) continue;
                drop[i] = more = true;
                broken.insert(piece.names.begin(), piece.names.end());
            }
            for (const Piece& piece : m_pieces) {  // macros stay where they are, but spoil who uses them
                if (piece.removable || piece.reached || piece.gaps.empty()) continue;
                for (const auto name : piece.names) more |= broken.insert(name).second;
            }
        }
        std::vector<ByteRange> ranges;
        for (std::size_t i = 0; i < m_pieces.size(); ++i) {
            const Piece& piece = m_pieces[i];
            if (drop[i] && piece.first < piece.end) ranges.push_back({m_tokens.list[piece.first].begin, m_tokens.list[piece.end - 1].end});
        }
        std::sort(ranges.begin(), ranges.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
        return ranges;
    }

    /// The construct up to the end of its statement or line, shortened between characters.
    std::string excerpt(std::size_t begin) const {
        std::size_t length = 0;
        bool quoted = false;
        for (; length < 60 && begin + length < m_tokens.text.size(); ++length) {
            const char c = m_tokens.text[begin + length];
            if (c == '"') quoted = !quoted;
            if (c == '\r' || c == '\n' || (!quoted && (c == ';' || c == '{'))) break;
        }
        while (length > 0 && begin + length < m_tokens.text.size() && (static_cast<unsigned char>(m_tokens.text[begin + length]) & 0xC0U) == 0x80U) --length;
        return squeezed(m_tokens.text.substr(begin, length));
    }

    const Tokens& m_tokens;
    const Declarations& m_declarations;
    LiveText m_live;
    std::vector<bool> m_owner;  // per token: inside a piece
    std::vector<Piece> m_pieces;
    std::vector<std::pair<std::string_view, std::size_t>> m_entries;
};

}  // namespace

KnownMacros cpuMacros() {
    KnownMacros known;
    known.defined = {{"WARPWRIGHT_CPU", "1"}, {"__CUDACC__", "1"}, {"__cplusplus", "202002L"}, {"__linux__", "1"}, {"__GNUC__", "12"},
                     {"CUDART_VERSION", "13000"}, {"CUDA_VERSION", "13000"}, {"__CUDACC_VER_MAJOR__", "13"}, {"__CUDACC_VER_MINOR__", "0"}};
    known.undefined = {"__CUDA_ARCH__", "__CUDA_ARCH_FEAT_SM90_ALL", "__CUDA_ARCH_SPECIFIC__", "__CUDACC_RTC__", "__NVCC__", "_MSC_VER", "_WIN32", "__HIPCC__"};
    return known;
}

Result<CpuGaps> findCpuGaps(std::string_view text, std::string_view entry, const KnownMacros& known) {
    const Tokens tokens = lex(text);
    const MaskedText masked = maskAttributes(tokens);
    WW_TRY(tree, SyntaxTree::parse(masked.text));
    const Declarations declarations = collectDeclarations(tree.root(), text, masked, tokens);
    return GapFinder(tokens, declarations, known).run(entry);
}

Result<void> checkRunsOnCpu(std::string_view text, std::string_view entry, const KnownMacros& known, const std::filesystem::path& file) {
    WW_TRY(gaps, findCpuGaps(text, entry, known));
    std::string list;
    for (const CpuGap& gap : gaps.found) {
        if (gap.certain) list += "\n  line " + std::to_string(gap.line) + ": " + gap.what + " (" + gap.text + ")";
    }
    if (list.empty()) return {};
    return fail(ErrorCode::Unsupported,
                "the CPU device cannot run the kernel " + std::string(entry) + ":" + list +
                    "\ntune it with --device cuda on a machine with an NVIDIA GPU, or put such code inside #ifdef __CUDA_ARCH__ with a plain C++ #else",
                file.string());
}

}  // namespace ww::source
