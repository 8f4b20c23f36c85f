// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "source/fold.h"
#include "spec/proposer.h"

namespace ww::spec {
namespace {

std::string joined(const std::set<std::string>& names, const char* between) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : between) + name;
    return text;
}

/// A value that shows a factor left out, small enough for any exponent; steps and thresholds as small as they usually are.
const char* realValue(const std::string& name) {
    if (wordIndex(name, {"eps", "epsilon"})) return "1e-05";
    if (wordIndex(name, {"dt", "dx", "dy", "dz", "h", "tau", "lr", "learningrate"})) return "0.01";
    return "1.5";
}

bool startsWithAny(const std::string& name, std::initializer_list<std::string_view> stems) {
    return std::any_of(stems.begin(), stems.end(), [&](auto stem) { return name.starts_with(stem); });
}

bool isFactor(std::string_view word) { return isIdentifier(word) || source::foldLiteral(word).has_value(); }

/// The first of the factor pairs `a * b` that are a term of the subscript's sum.
std::vector<std::pair<std::string_view, std::string_view>> productsIn(const KernelText::Words& subscript) {
    std::vector<std::pair<std::string_view, std::string_view>> pairs;
    for (std::size_t i = 0; i + 2 < subscript.size(); ++i) {
        if (subscript[i + 1] == "*" && isFactor(subscript[i]) && isFactor(subscript[i + 2])) pairs.emplace_back(subscript[i], subscript[i + 2]);
    }
    return pairs;
}

}  // namespace

bool looksLikeProblemSize(const std::string& name) {
    return wordIndex(name, {"n", "m", "k", "size", "length", "len", "width", "height", "depth", "rows", "cols", "columns", "numelements", "count", "total",
                            "nx", "ny", "nz", "w", "h", "batch", "channels"})
        .has_value();
}

Unexpected Proposer::needsSpec(const std::string& why, const std::string& give) const {
    return fail(ErrorCode::InvalidSpec, "the kernel \"" + m_entry.name + "\" " + why + ", so its launch cannot be guessed; write a spec (`warpwright-cli spec` shows the form) that gives " + give,
                m_model.path.string() + ", line " + std::to_string(m_entry.line));
}

bool Proposer::isSizeArgument(std::string_view name) const {
    const auto found = std::find_if(m_entry.arguments.begin(), m_entry.arguments.end(), [&](const auto& a) { return a.name == name; });
    if (found == m_entry.arguments.end() || found->pointer) return false;
    const auto type = elementTypeFrom(m_types.contains(found->type) ? m_types.at(found->type) : found->type);
    return type && type->second == 1 && !isFloating(type->first) && type->first != DType::Bool;
}

Result<ArgumentSpec> Proposer::typedArgument(const source::KernelArgument& given) const {
    ArgumentSpec argument;
    argument.name = given.name;
    argument.typeName = m_types.contains(given.type) ? m_types.at(given.type) : given.type;
    const auto element = elementTypeFrom(argument.typeName);
    if (!element || argument.typeName.find('*') != std::string::npos) {
        return fail(ErrorCode::InvalidSpec,
                    "the kernel \"" + m_entry.name + "\" takes \"" + given.name + "\", " + (given.pointer ? "a pointer to " : "a ") + argument.typeName +
                        ": only numbers and arrays of numbers can be made here, with or without a spec; pass its members as arguments of their own, or tune a small kernel that builds it",
                    m_model.path.string() + ", line " + std::to_string(given.line));
    }
    std::tie(argument.type, argument.components) = *element;
    if (!given.pointer && argument.components != 1) {
        return needsSpec("takes the vector value \"" + given.name + "\"", "a kernel without such an argument");
    }
    return argument;
}

/// The value of a whole-number argument, by its use and its name.
std::string Proposer::wholeNumberValue(const std::string& name) {
    if (m_sizes.contains(name)) return name;
    const std::string folded = foldKey(name);
    const bool bound = std::any_of(m_text.bounds().begin(), m_text.bounds().end(),
                                   [&](const auto& b) { return std::find(b.limit.begin(), b.limit.end(), name) != b.limit.end(); });
    const bool count = startsWithAny(folded, {"iter", "niter", "numiter", "step", "nstep", "repeat", "radius"});
    if (!count && (bound || looksLikeProblemSize(name)) && !isTaken(name)) {
        m_sizes.insert(name);
        return name;
    }
    if (startsWithAny(folded, {"ld", "pitch"}) && !m_extents.empty()) return m_extents.front();
    return startsWithAny(folded, {"offset", "start", "begin", "first", "seed", "flag", "shift"}) ? "0" : "1";
}

Result<void> Proposer::number(const source::KernelArgument& given) {
    WW_TRY(argument, typedArgument(given));
    argument.memory = MemoryKind::Scalar;
    const bool whole = !isFloating(argument.type) && argument.type != DType::Bool;
    const auto known = m_values.find(given.name);
    const bool fixed = known != m_values.end() && !m_sizes.contains(given.name);  // a size has its value with all sizes
    const std::string text = fixed ? known->second : whole ? wholeNumberValue(given.name) : argument.type == DType::Bool ? "1" : realValue(given.name);
    WW_TRY(value, expr::Expression::parse(text));
    argument.scalar = value;
    if (value.text() != given.name) m_spec.notes.push_back(given.name + " = " + value.text());
    m_spec.arguments.push_back(std::move(argument));
    return {};
}

std::optional<std::string> Proposer::limitOf(std::string_view variable) {
    for (const auto& bound : m_text.bounds()) {
        if (bound.variable != variable) continue;
        if (auto limit = extentOf(bound)) return limit;
    }
    return std::nullopt;
}

/// The number of rows that a row index runs over: its bound, else the grid's extent where each block has a row.
std::optional<std::string> Proposer::rowsOf(std::string_view row) {
    if (auto limit = limitOf(row)) return limit;
    const auto definition = m_text.definitionOf(row);
    for (std::size_t axis = 0; definition && axis < m_extents.size(); ++axis) {
        const Words block{"blockIdx", ".", std::string_view("xyz").substr(axis, 1)};
        if (*definition == block) return m_extents[axis];
    }
    return std::nullopt;
}

/// A row's length: an argument, or a number that no configuration changes.
std::optional<std::string> Proposer::rowLength(std::string_view pitch) {
    if (isSizeArgument(pitch)) return translated({pitch}, &m_sizes);
    const auto* site = m_model.findParameter(pitch);
    const bool constant = !isIdentifier(pitch) || (site != nullptr && site->defaultValue && site->defaultValue->isInt() && !isParameter(pitch));
    if (!constant) return std::nullopt;
    auto length = translated({pitch}, nullptr);
    if (length) m_rowLength = std::max(m_rowLength, atDefaults(*length));
    return length;
}

/// `[i]` with i < n needs n elements; `[row * width + ...]` with row < height needs height * width.
std::optional<std::string> Proposer::elementsBySubscript(const Words& subscript) {
    if (subscript.size() == 1) {
        if (auto limit = limitOf(subscript[0])) return limit;
        const auto definition = m_text.definitionOf(subscript[0]);
        return definition && definition->size() > 1 ? elementsBySubscript(*definition) : std::nullopt;
    }
    const auto products = productsIn(subscript);
    if (products.size() != 1 || std::count(subscript.begin(), subscript.end(), "*") != 1) return std::nullopt;
    for (const auto& [row, pitch] : {products[0], std::pair{products[0].second, products[0].first}}) {
        const auto width = rowLength(pitch);
        if (!width) continue;
        if (const auto limit = rowsOf(row)) return bracketed(*limit) + " * " + bracketed(*width);
    }
    return std::nullopt;
}

/// Enough for every use that the text shows; where that is not clear, for any of the extents together.
std::string Proposer::elementsOf(const std::string& pointer) {
    const auto known = m_elements.find(pointer);
    if (known != m_elements.end()) return known->second;
    std::set<std::string> found;
    const auto subscripts = m_text.subscriptsOf(pointer);
    bool clear = !subscripts.empty();
    for (const auto& subscript : subscripts) {
        const auto elements = elementsBySubscript(subscript);
        clear = clear && elements.has_value();
        if (elements) found.insert(*elements);
    }
    if (clear && found.size() == 1) return *found.begin();
    if (m_sizes.empty()) return m_extents.empty() ? "1024" : m_extents.front();
    if (m_sizes.size() == 1) {  // a line, a square or a cube
        std::string all = *m_sizes.begin();
        for (std::size_t axis = 1; axis < m_extents.size(); ++axis) all += " * " + *m_sizes.begin();
        return all;
    }
    if (m_sizes.size() == 2 || m_axes.size() == 3) return joined(m_sizes, " * ");
    const std::string largest = "max(" + joined(m_sizes, ", ") + ")";
    return largest + " * " + largest;
}

/// Whole numbers are often indices: they get values that any buffer here can be indexed with, different from each other.
void Proposer::fillBuffer(const source::KernelArgument& given, const std::string& elements, ArgumentSpec& argument) {
    const bool whole = !isFloating(argument.type) && argument.type != DType::Bool;
    if (argument.access == Access::WriteOnly || (whole && m_text.isOnlyCounted(given.name))) {
        argument.fill = Fill::Constant;
        argument.fillValue = 0;
        return;
    }
    argument.fill = Fill::Random;
    argument.fillValue = 1;
    if (!whole) return;
    std::string limit = m_sizes.empty() ? elements : m_sizes.size() == 1 ? *m_sizes.begin() : "min(" + joined(m_sizes, ", ") + ")";
    const std::string folded = foldKey(given.name);
    const bool bounds = folded.ends_with("ptr") || folded.find("offset") != std::string::npos || folded.find("indptr") != std::string::npos;
    if (sizeOf(argument.type) <= 2) limit = "min(" + limit + ", " + (sizeOf(argument.type) == 1 ? "128" : "32768") + ")";
    // Offsets of rows must not fall; anything else jumps about.
    const std::string text = bounds ? "min(i, " + limit + ")" : "i * 40503 % max(" + limit + ", 1)";
    argument.fill = Fill::Generator;
    argument.dataSource = text;
    if (auto generator = expr::Expression::parse(text)) argument.generator = *generator;
    m_spec.notes.push_back(given.name + " may hold indices: its values are " + text + " for element i");
}

Result<void> Proposer::buffer(const source::KernelArgument& given) {
    WW_TRY(argument, typedArgument(given));
    std::string elements = elementsOf(given.name);
    const std::string folded = foldKey(given.name);
    const bool rowBounds = !isFloating(argument.type) && (folded.ends_with("ptr") || folded.find("offset") != std::string::npos);
    if (rowBounds && !m_elements.contains(given.name)) elements += " + 1";  // row i ends where row i + 1 begins
    argument.memory = MemoryKind::Vector;
    WW_TRY(size, expr::Expression::parse(elements));
    argument.size = size;
    argument.sizeText = elements;
    if (!given.isConst) {
        argument.access = m_text.isOnlyWritten(given.name) ? Access::WriteOnly : Access::ReadWrite;
        argument.output = true;
    }
    fillBuffer(given, elements, argument);
    const char* role = given.isConst ? " (read only)" : argument.access == Access::WriteOnly ? " (only written, checked)" : " (read and written, checked)";
    m_spec.notes.push_back(given.name + ": " + elements + " elements of " + argument.typeName + role);
    m_spec.arguments.push_back(std::move(argument));
    return {};
}

Result<void> Proposer::arguments() {
    for (const auto& given : m_entry.arguments) {  // in their order, so that buffers leave a gap that the second pass fills
        if (!given.pointer) WW_CHECK(number(given));
    }
    std::vector<ArgumentSpec> numbers = std::move(m_spec.arguments);
    m_spec.arguments.clear();
    auto next = numbers.begin();
    for (const auto& given : m_entry.arguments) {
        if (given.pointer) {
            WW_CHECK(buffer(given));
        } else {
            m_spec.arguments.push_back(std::move(*next++));
        }
    }
    return {};
}

void Proposer::giveSizesValues() {
    // About a million elements in all, and less where a kernel multiplies matrices.
    const bool cube = m_axes.size() == 3, several = m_sizes.size() > 1 || m_extents.size() > 1;
    const std::int64_t large = !several ? std::max((std::int64_t{1} << 20) / m_rowLength, std::int64_t{16}) : cube ? 128 : m_sizes.size() <= 2 ? 1024 : 512;
    const std::int64_t small = cube ? 32 : m_sizes.size() == 2 ? 256 : 96;
    m_spec.workloads.emplace_back();
    std::set<std::string> open;  // those that set() gave no value
    for (const auto& name : m_sizes) {
        const auto known = m_values.find(name);
        const std::int64_t value = known == m_values.end() ? 0 : atDefaults(known->second);
        m_spec.sizes[name] = value > 0 ? value : large;
        if (value > 0) m_spec.notes.push_back(name + " = " + std::to_string(value));
        if (value <= 0) open.insert(name);
    }
    if (open.empty()) return;
    m_spec.notes.push_back(joined(open, " = ") + " = " + std::to_string(large));
    if (!several) return;
    WorkloadSpec cpu;
    cpu.name = "small";
    cpu.weight = 0;
    for (const auto& name : open) cpu.sizes[name] = small;
    m_spec.cpuWorkload = cpu.name;
    m_spec.workloads.push_back(std::move(cpu));
    m_spec.notes.push_back("the CPU device tunes the workload small, with " + std::to_string(small) + " each");
}

}  // namespace ww::spec
