// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "source/fold.h"
#include "spec/proposer.h"

namespace ww::spec {
namespace {

using expr::Value;

constexpr std::int64_t kUsualBlock = 256;
constexpr std::int64_t kMaxBlock = 1024;
constexpr int kMaxDepth = 8;
constexpr const char* kAxisLetter[3] = {"x", "y", "z"};

bool looksLikeBlockSize(const std::string& name, std::size_t axis, bool alone) {
    static constexpr const char* kStems[] = {"BLOCK_SIZE", "BLOCK", "BLOCKDIM", "BLOCK_DIM", "BDIM", "THREADS", "NUM_THREADS", "WORK_GROUP_SIZE", "GROUP_SIZE", "BLOCKSIZE"};
    const std::string folded = foldKey(name);
    for (const char* stem : kStems) {
        const std::string plain = foldKey(stem);
        if (folded == plain + kAxisLetter[axis] || (alone && axis == 0 && folded == plain)) return true;
    }
    if (axis == 0 && wordIndex(name, {"BLOCK_WIDTH", "BX", "BLOCK_COLS"})) return true;
    if (axis == 1 && wordIndex(name, {"BLOCK_HEIGHT", "BY", "BLOCK_ROWS"})) return true;
    if (axis == 2 && wordIndex(name, {"BLOCK_DEPTH", "BZ"})) return true;
    return alone && axis == 0 &&
           wordIndex(name, {"BLOCK_THREADS", "BLOCKSZ", "NTHREADS", "THREADS_PER_BLOCK", "TPB", "THREAD_COUNT", "TB_SIZE", "WG_SIZE"}).has_value();
}

bool canBeBlock(const space::Parameter& parameter) {
    return std::all_of(parameter.values.begin(), parameter.values.end(), [](const auto& v) { return v.isInt() && v.asInt() >= 1; });
}


}  // namespace

std::string bracketed(const std::string& text) {
    int depth = 0;
    for (const char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ' ' && depth == 0) return "(" + text + ")";
    }
    return text;
}

bool Proposer::isParameter(std::string_view name) const {
    return std::any_of(m_spec.parameters.begin(), m_spec.parameters.end(), [&](const auto& p) { return p.name == name; });
}

bool Proposer::isTaken(const std::string& name) const {
    return m_model.findParameter(name) != nullptr || isParameter(name) || !whyNotAName(name).empty();
}

std::int64_t Proposer::atDefaults(const std::string& expression) const {
    expr::Scope scope;
    for (const auto& parameter : m_spec.parameters) scope.set(parameter.name, parameter.values[parameter.defaultIndex]);
    const auto parsed = expr::Expression::parse(expression);
    const auto value = parsed ? parsed->evaluate(scope) : Result<Value>(Value(0));
    return value ? wholeNumber(*value).value_or(0) : 0;
}

std::optional<std::string> Proposer::meaningOf(std::string_view word, std::set<std::string>* sizes, int depth) const {
    const std::string name(word);
    if (isParameter(word)) return name;
    if (!isIdentifier(word)) {
        const auto number = source::foldLiteral(word);
        return number && number->isInt() ? std::optional(number->repr()) : std::nullopt;
    }
    if (sizes != nullptr && isSizeArgument(word)) {
        // set() gave it a value: the grid has that one, so have the buffers.
        if (const auto known = m_values.find(name); known != m_values.end() && !m_sizes.contains(name)) return known->second;
        if (!whyNotAName(name).empty()) return std::nullopt;
        sizes->insert(name);
        return name;
    }
    if (depth > kMaxDepth) return std::nullopt;
    if (const auto* site = m_model.findParameter(word)) {
        if (site->defaultValue && site->defaultValue->isInt()) return site->defaultValue->repr();
        const source::Tokens tokens = source::lex(site->text);
        Words words;
        for (const auto& token : tokens.list) words.push_back(tokens.of(token));
        return words.empty() ? std::nullopt : translated(words, sizes, depth + 1);
    }
    const auto definition = m_text.definitionOf(word);
    return definition ? translated(*definition, sizes, depth + 1) : std::nullopt;
}

std::optional<std::string> Proposer::translated(const Words& words, std::set<std::string>* sizes, int depth) const {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (word == "blockDim" && i + 2 < words.size() && words[i + 1] == "." && words[i + 2].size() == 1) {
            const auto axis = std::string_view("xyz").find(words[i + 2]);
            if (axis == std::string_view::npos) return std::nullopt;
            text += bracketed(m_block[axis]);
            i += 2;
        } else if (word == "(" || word == ")") {
            text += word;
        } else if (word == "+" || word == "-" || word == "*" || word == "/") {
            text += word == "/" ? " // " : " " + std::string(word) + " ";
        } else {
            const auto meaning = meaningOf(word, sizes, depth);
            if (!meaning) return std::nullopt;
            text += bracketed(*meaning);
        }
    }
    return expr::Expression::parse(text) ? std::optional(text) : std::nullopt;
}

std::optional<std::string> Proposer::blockByName(std::size_t axis) const {
    for (const auto& parameter : m_spec.parameters) {
        if (looksLikeBlockSize(parameter.name, axis, true) && canBeBlock(parameter)) return parameter.name;
    }
    return std::nullopt;
}

/// `blockIdx.x * NAME + threadIdx.x`, where the block is not read from the launch.
std::optional<std::string> Proposer::blockByUse(std::size_t axis) const {
    const char letter = *kAxisLetter[axis];
    if (m_text.mentions("blockDim", letter)) return std::nullopt;
    for (const auto& index : m_text.blockIndices(letter)) {
        if (!index.addsThread || index.factors.empty()) continue;
        const auto& words = index.factors.front();
        if (words.size() != 1) continue;
        const auto found = std::find_if(m_spec.parameters.begin(), m_spec.parameters.end(), [&](const auto& p) { return p.name == words[0]; });
        if (found != m_spec.parameters.end() && canBeBlock(*found)) return found->name;
        const auto* site = m_model.findParameter(words[0]);
        const bool fixed = site != nullptr && site->defaultValue && site->defaultValue->isInt() && site->defaultValue->asInt() >= 1;
        if (fixed && site->defaultValue->asInt() <= kMaxBlock) return site->defaultValue->repr();
    }
    return std::nullopt;
}

/// The kernel reads its block from the launch, or says nothing of it: a parameter of ours, unless fixed arrays or bounds tie it.
std::string Proposer::freeBlock(std::size_t axis) {
    static constexpr std::int64_t kRange[3][3] = {{8, 128, 32}, {1, 32, 8}, {1, 4, 1}};  // several axes: lowest, highest, default
    const char letter = *kAxisLetter[axis];
    const std::string name = std::string("block_size_") + letter;
    const bool alone = m_axes.size() == 1;
    std::int64_t threads = alone ? kUsualBlock : axis == 2 ? 1 : 16;
    const std::string bounds = m_entry.launchBounds.substr(0, m_entry.launchBounds.find(','));
    if (const auto parsed = expr::Expression::parse(bounds); parsed && alone && atDefaults(bounds) > 0) threads = std::min(threads, atDefaults(bounds));
    const bool fixedShared = std::any_of(m_model.sharedArrays.begin(), m_model.sharedArrays.end(), [](const auto& a) { return !a.dynamic; });
    const bool tied = fixedShared || !m_text.mentions("blockDim", letter) || (alone && threads != kUsualBlock) || isTaken(name);
    if (tied) {
        m_spec.notes.push_back(std::string("no parameter looks like the block size: a block has ") + std::to_string(threads) + " threads in " + letter);
        return std::to_string(threads);
    }
    space::Parameter parameter;
    parameter.name = name;
    const std::int64_t low = alone ? 32 : kRange[axis][0], high = alone ? kMaxBlock : kRange[axis][1];
    for (std::int64_t size = low; size <= high; size *= 2) parameter.values.emplace_back(size);
    parameter.defaultIndex = parameter.indexOf(Value(alone ? kUsualBlock : kRange[axis][2])).value_or(0);
    parameter.scale = proposedScale(parameter.values);
    parameter.site = space::Site::Launch;
    parameter.label = std::string("Threads per block, ") + letter;
    m_spec.siteGiven.push_back(name);
    m_spec.parameters.push_back(std::move(parameter));
    m_spec.notes.push_back("the kernel takes its block size from the launch: " + name + " is a parameter, " + std::to_string(low) + " to " + std::to_string(high) + " threads");
    return name;
}

std::string Proposer::chooseBlock(std::size_t axis) {
    const char letter = *kAxisLetter[axis];
    if (!m_text.mentions("threadIdx", letter) && !m_text.mentions("blockDim", letter)) return "1";
    const std::string in = std::string(" threads in ") + letter + ", ";
    if (const auto name = blockByName(axis)) {
        m_spec.notes.push_back("a block has " + *name + in + "going by the name");
        return *name;
    }
    if (const auto name = blockByUse(axis)) {
        m_spec.notes.push_back("a block has " + *name + in + "since the kernel multiplies blockIdx." + letter + " by it");
        return *name;
    }
    for (const auto& site : m_model.parameters) {  // a block size that cannot be tuned is still the block size
        if (!looksLikeBlockSize(site.name, axis, true) || !site.defaultValue || !site.defaultValue->isInt()) continue;
        const auto threads = site.defaultValue->asInt();
        if (threads < 1 || threads > kMaxBlock) continue;
        m_spec.notes.push_back("a block has " + std::to_string(threads) + in + "as " + site.name + " says");
        return std::to_string(threads);
    }
    return freeBlock(axis);
}

/// What one block covers: the product of everything that blockIdx is multiplied with. A kernel with a guard gets the
/// smallest candidate (too many blocks do no harm), one without the largest (too many would write outside).
std::string Proposer::chooseDivisor(std::size_t axis) const {
    const char letter = *kAxisLetter[axis];
    const bool guarded = std::any_of(m_text.bounds().begin(), m_text.bounds().end(), [&](const auto& b) { return m_text.dependsOnBlock(b.variable, letter); });
    std::string best;
    for (const auto& index : m_text.blockIndices(letter)) {
        std::string product;
        for (const auto& words : index.factors) {
            if (const auto text = translated(words, nullptr)) product += (product.empty() ? "" : " * ") + bracketed(*text);
        }
        if (product.empty()) product = index.addsThread ? m_block[axis] : "1";
        if (best.empty()) best = product;
        const auto now = atDefaults(product), before = atDefaults(best);
        if (guarded ? now < before : now > before) best = product;
    }
    return best;
}

/// `x < width - 1` leaves out a border; the data is as wide as without.
std::optional<std::string> Proposer::extentOf(const KernelText::Bound& bound) {
    const bool border = bound.limit.size() == 3 && bound.limit[1] == "-" && isSizeArgument(bound.limit[0]);
    return translated(border ? Words{bound.limit[0]} : bound.limit, &m_sizes);
}

std::optional<std::string> Proposer::extentByBound(std::size_t axis) {
    for (const auto& bound : m_text.bounds()) {
        if (!m_text.dependsOnBlock(bound.variable, *kAxisLetter[axis])) continue;
        if (auto limit = extentOf(bound)) return limit;
    }
    return std::nullopt;
}

std::string Proposer::chooseExtent(std::size_t axis, bool blockPerItem) {
    if (const auto limit = extentByBound(axis)) return *limit;
    static const std::vector<std::string> kNames[3] = {{"width", "w", "cols", "columns", "nx", "n", "size", "length", "len", "numelements", "count", "total"},
                                                       {"height", "h", "rows", "ny", "m"},
                                                       {"depth", "d", "nz", "batch", "channels", "k"}};
    const auto& usual = kNames[axis == 0 && blockPerItem ? 1 : axis];
    std::vector<std::string> numbers;
    for (const auto& argument : m_entry.arguments) {
        if (isSizeArgument(argument.name) && whyNotAName(argument.name).empty()) numbers.push_back(argument.name);
    }
    for (const auto& name : usual) {
        const auto found = std::find_if(numbers.begin(), numbers.end(), [&](const auto& n) { return foldKey(n) == name; });
        if (found == numbers.end()) continue;
        m_sizes.insert(*found);
        return *found;
    }
    if (numbers.size() == 1 && (axis > 0 || looksLikeProblemSize(numbers.front()))) {  // one number for all axes: a square
        m_sizes.insert(numbers.front());
        return numbers.front();
    }
    static constexpr const char* kOwn[3] = {"N", "M", "L"};
    std::string name = kOwn[axis];
    if (isTaken(name)) name = axis == 0 ? "elements" : std::string("size_") + kAxisLetter[axis];
    m_sizes.insert(name);
    return name;
}

/// Domains of several axes together may pass what a block holds: said as a condition, so that nobody proposes it.
void Proposer::limitBlock() {
    std::string product;
    double largest = 1;
    for (const auto& block : m_block) {
        if (block == "1") continue;
        product += (product.empty() ? "" : " * ") + block;
        const auto found = std::find_if(m_spec.parameters.begin(), m_spec.parameters.end(), [&](const auto& p) { return p.name == block; });
        double own = static_cast<double>(atDefaults(block));
        if (found != m_spec.parameters.end()) {
            for (const auto& value : found->values) own = std::max(own, value.asDouble());
        }
        largest *= own;
    }
    if (largest <= static_cast<double>(kMaxBlock)) return;
    ConditionSpec condition{product + " <= " + std::to_string(kMaxBlock), {}};
    for (const auto& parameter : m_spec.parameters) {
        if (std::find(m_block.begin(), m_block.end(), parameter.name) != m_block.end()) condition.parameters.push_back(parameter.name);
    }
    m_spec.notes.push_back("condition: " + condition.text);
    m_spec.conditions.push_back(std::move(condition));
}

Result<void> Proposer::dynamicShared() {
    const auto found = std::find_if(m_model.sharedArrays.begin(), m_model.sharedArrays.end(), [](const auto& a) { return a.dynamic; });
    if (found == m_model.sharedArrays.end() || !m_text.mentions(found->name)) return {};
    const auto type = elementTypeFrom(m_types.contains(found->elementType) ? m_types.at(found->elementType) : found->elementType);
    if (!type) return needsSpec("uses dynamic shared memory of the type " + found->elementType, "its bytes as KernelSpecification.SharedMemory");
    std::string threads;
    for (const auto& block : m_block) {
        if (block != "1") threads += bracketed(block) + " * ";
    }
    WW_TRY(bytes, expr::Expression::parse(threads + std::to_string(sizeOf(type->first) * static_cast<std::size_t>(type->second))));
    m_spec.sharedMemory = bytes;
    m_spec.notes.push_back("dynamic shared memory: " + bytes.text() + " bytes, one " + found->elementType + " of " + found->name + " per thread; change SharedMemory if the kernel needs another number");
    return {};
}

Result<void> Proposer::launch() {
    for (const char letter : {'y', 'z'}) {
        for (const char* builtin : {"threadIdx", "blockIdx", "blockDim", "gridDim"}) {
            if (m_text.mentions(builtin, letter) && m_axes.back() != letter) m_axes.push_back(letter);
        }
    }
    const std::size_t axes = m_axes.back() == 'z' ? 3 : m_axes.size();
    for (std::size_t axis = 0; axis < axes; ++axis) m_block[axis] = chooseBlock(axis);
    limitBlock();
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::string divisor = chooseDivisor(axis);
        const bool covered = !divisor.empty();  // without blockIdx one block does it all
        const std::string extent = covered ? chooseExtent(axis, divisor == "1") : "1";
        if (covered) m_extents.push_back(extent);
        WW_TRY(threads, expr::Expression::parse(m_block[axis]));
        WW_TRY(size, expr::Expression::parse(extent));
        WW_TRY(share, expr::Expression::parse(covered ? divisor : "1"));
        m_spec.localSize[axis] = threads;
        m_spec.problemSize.push_back(size);
        m_spec.gridDivisors[axis] = {share};
        m_spec.notes.push_back(std::string("the grid has ") + (covered ? "ceil(" + extent + " / " + bracketed(divisor) + ")" : "1") + " blocks in " + kAxisLetter[axis]);
    }
    return dynamicShared();
}

}  // namespace ww::spec
