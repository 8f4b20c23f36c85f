// SPDX-License-Identifier: Apache-2.0
// Checkpoints of PpoStrategy: everything that decides what it does next, so that a restored session goes on as if it had
// never stopped. Layout: magic, version, digest of the rest, digest of the space, memory, weights.
#include <array>

#include "base/hash.h"
#include "policy/ppo/ppo_strategy.h"

namespace ww::policy {

namespace {

using Magic = std::array<char, 8>;
constexpr Magic kMagic{'W', 'W', '-', 'P', 'P', 'O', '\r', '\n'};
constexpr std::uint32_t kVersion = 1;

struct Header {
    Magic magic = kMagic;
    std::uint32_t version = kVersion;
    std::uint32_t stateSize = encode::kStateSize;
    std::uint64_t digest = 0; ///< of all bytes after the header
};
static_assert(sizeof(Header) == 24);

/// One by one: the struct's padding is undefined, and equal policies should have equal bytes.
template <typename Figures, typename Visit> void eachFigure(Figures& figures, Visit&& visit) {
    visit(figures.policyLoss), visit(figures.valueLoss), visit(figures.entropy), visit(figures.approxKl), visit(figures.clipfrac);
    visit(figures.explainedVariance), visit(figures.gradNorm), visit(figures.epochs);
}

} // namespace

/// Of names and domains: what the statistics and the window are indexed by.
std::uint64_t PpoStrategy::spaceDigest() const {
    std::string text;
    for (const space::Parameter& parameter : m_space.parameters()) {
        text += parameter.name + '\n';
        for (const space::Value& value : parameter.values)
            text += value.repr() + ',';
        text += '\n';
    }
    return digest64(text, kDescriptorSize);
}

Result<std::string> PpoStrategy::checkpoint() const {
    ByteWriter out;
    out.put(spaceDigest());
    out.put(m_options.seed);
    for (const auto& cells : m_memory.statistics.cells())
        out.putAll(cells);
    out.put(m_memory.statistics.total());
    out.put(m_memory.statistics.rewardSum());
    out.put(m_memory.statistics.squareSum());
    out.put(static_cast<std::uint64_t>(m_memory.window.size()));
    for (const Transition& transition : m_memory.window)
        write(out, transition);
    out.put(static_cast<std::uint64_t>(m_memory.pending.size()));
    for (const auto& [id, transition] : m_memory.pending) {
        out.put(id);
        write(out, transition);
    }
    out.putAll(m_memory.anchor.index);
    for (const std::uint64_t count :
         {m_memory.lastId, m_memory.draws, m_memory.episode, m_memory.updates, m_memory.duplicates, m_memory.fallbacks})
        out.put(count);
    out.put(m_memory.episodeTrials);
    out.put(m_memory.sinceUpdate);
    eachFigure(m_figures, [&](const auto& figure) { out.put(figure); });
    out.putAll(m_network->weights());
    const std::string body = out.take();
    Header header;
    header.digest = digest64(body);
    ByteWriter whole;
    whole.put(header);
    return whole.take() + body;
}

bool PpoStrategy::readMemory(ByteReader& in, const space::SearchSpace& space, Memory& memory) {
    std::vector<std::vector<ValueStatistics::Cell>> cells(space.parameters().size());
    for (std::size_t p = 0; p < cells.size(); ++p)
        if (!in.getAll(cells[p]) || cells[p].size() != space.parameters()[p].values.size()) return false;
    double total = 0, rewardSum = 0, squareSum = 0;
    in.get(total);
    in.get(rewardSum);
    in.get(squareSum);
    memory.statistics.assign(std::move(cells), total, rewardSum, squareSum);
    std::uint64_t count = 0;
    in.get(count);
    for (std::uint64_t i = 0; i < count; ++i)
        if (!read(in, memory.window.emplace_back())) return false;
    count = 0;
    in.get(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t id = 0;
        if (!in.get(id) || !read(in, memory.pending[id])) return false;
    }
    in.getAll(memory.anchor.index);
    for (std::uint64_t* number : {&memory.lastId, &memory.draws, &memory.episode, &memory.updates, &memory.duplicates, &memory.fallbacks})
        in.get(*number);
    in.get(memory.episodeTrials);
    in.get(memory.sinceUpdate);
    return in.ok();
}

Result<void> PpoStrategy::restore(std::string_view bytes) {
    const auto damaged = [] {
        return fail(ErrorCode::ParseError,
                    "the policy checkpoint is damaged or truncated; start the policy afresh, or use another checkpoint");
    };
    Header header;
    ByteReader in(bytes);
    if (!in.get(header) || header.magic != kMagic)
        return fail(ErrorCode::ParseError, "these bytes are no policy checkpoint; give one that this program wrote");
    if (header.version != kVersion)
        return fail(ErrorCode::DatabaseVersion, "the policy checkpoint has version " + std::to_string(header.version) +
                                                    ", this program reads " + std::to_string(kVersion) +
                                                    "; use the program that wrote it, or start the policy afresh");
    if (header.stateSize != encode::kStateSize || digest64(bytes.substr(sizeof header)) != header.digest) return damaged();
    std::uint64_t digest = 0, seed = 0;
    if (!in.get(digest) || !in.get(seed)) return damaged();
    if (digest != spaceDigest())
        return fail(ErrorCode::InvalidArgument,
                    "the policy checkpoint belongs to another search space; resume the session with the spec it was started with");
    Memory memory;
    UpdateFigures figures;
    std::vector<float> weights;
    if (!readMemory(in, m_space, memory)) return damaged();
    eachFigure(figures, [&](auto& figure) { in.get(figure); });
    if (!in.getAll(weights) || !in.atEnd()) return damaged();
    WW_CHECK(m_network->setWeights(weights));
    m_memory = std::move(memory);
    m_figures = figures;
    m_options.seed = seed;
    return {};
}

} // namespace ww::policy
