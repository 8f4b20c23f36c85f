// SPDX-License-Identifier: Apache-2.0
#include "spec/pragma.h"

#include <algorithm>

#include "expr/expression.h"
#include "spec/parse_internal.h"

namespace ww::spec {
namespace {

using source::Directive;
using source::Entry;
using source::Token;
using source::Tokens;
using Type = PragmaValue::Type;

/// kernel_launcher's device attributes and our facts of the same meaning.
constexpr std::pair<std::string_view, std::string_view> kDeviceFacts[] = {
    {"DEVICE_COMPUTE_CAPABILITY_MAJOR", "cc_major"},
    {"DEVICE_COMPUTE_CAPABILITY_MINOR", "cc_minor"},
    {"DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR", "max_blocks_per_sm"},
    {"DEVICE_MAX_BLOCK_DIM_X", "max_block_x"},
    {"DEVICE_MAX_BLOCK_DIM_Y", "max_block_y"},
    {"DEVICE_MAX_BLOCK_DIM_Z", "max_block_z"},
    {"DEVICE_MAX_GRID_DIM_X", "max_grid_x"},
    {"DEVICE_MAX_GRID_DIM_Y", "max_grid_y"},
    {"DEVICE_MAX_GRID_DIM_Z", "max_grid_z"},
    {"DEVICE_MAX_REGISTERS_PER_BLOCK", "regs_per_block"},
    {"DEVICE_MAX_REGISTERS_PER_MULTIPROCESSOR", "regs_per_sm"},
    {"DEVICE_MAX_SHARED_MEMORY_PER_BLOCK", "smem_per_block"},
    {"DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", "smem_per_sm"},
    {"DEVICE_MAX_THREADS_PER_BLOCK", "max_threads_per_block"},
    {"DEVICE_MAX_THREADS_PER_MULTIPROCESSOR", "max_threads_per_sm"},
    {"DEVICE_MULTIPROCESSOR_COUNT", "sm_count"},
    {"DEVICE_WARP_SIZE", "warp_size"},
};

constexpr const char* kDirectives =
    "tune, set, restriction, problem_size, block_size, grid_size, grid_divisor, shared_memory, buffers, tuning_key";

bool isAnnotation(const Tokens& tokens, const Directive& directive) {
    if (directive.keyword != "pragma" || directive.firstToken >= directive.endToken) return false;
    const std::string_view name = tokens.at(directive.firstToken);
    return name == "kernel" || name == "kernel_launcher" || name == "kernel_tuner";
}

PragmaValue::Type typeOf(const std::vector<expr::Value>& values) {
    const auto all = [&](auto&& test) { return std::all_of(values.begin(), values.end(), test); };
    if (all([](const auto& v) { return v.isBool(); })) return Type::Bool;
    if (all([](const auto& v) { return v.isBool() || v.isInt(); })) return Type::Int;
    return all([](const auto& v) { return v.isNumber(); }) ? Type::Float : Type::Text;
}

/// Reads the directives before one kernel.
class Annotations {
public:
    Annotations(const source::SourceModel& model, std::size_t entry) : m_model(model), m_entry(model.entries[entry]) {
        m_kernel.entry = entry;
        // Type parameters come from the caller in kernel_launcher; here nobody calls.
        for (const auto& parameter : m_entry.templateParameters) {
            if (parameter.type != "typename" && parameter.type != "class") continue;
            m_kernel.types.emplace_back(parameter.name, parameter.defaultText.value_or("float"));
        }
    }

    Result<void> read(const Tokens& tokens, const Directive& directive) {
        PragmaCursor cursor(tokens, directive, m_model.path);
        m_cursor = &cursor;
        cursor.next();  // kernel
        while (!cursor.atEnd()) {
            WW_TRY(word, cursor.expectName("a directive"));
            WW_CHECK(directiveNamed(word));
        }
        return {};
    }

    PragmaKernel take() { return std::move(m_kernel); }

private:
    Result<void> directiveNamed(const Token& word) {
        const std::string name = m_cursor->text(word);
        if (name == "tune") return tune();
        if (name == "set") return set();
        if (name == "buffers" || name == "buffer") return buffers();
        if (name == "tuning_key") return tuningKey();
        if (name == "shared_memory" || name == "shared_mem") return sharedMemory();
        if (name == "restriction" || name == "restrictions") return restrictions();
        if (name == "problem_size" || name == "problem_dim") return dimensions(m_kernel.problemSize);
        if (name == "block_size" || name == "block_dim") return dimensions(m_kernel.blockSize);
        if (name == "grid_size" || name == "grid_dim") return grid(m_kernel.gridSize, m_kernel.gridDivisors);
        if (name == "grid_divisor" || name == "grid_divisors") return grid(m_kernel.gridDivisors, m_kernel.gridSize);
        return m_cursor->error(word, "there is no directive \"" + name + "\"; there are " + kDirectives);
    }

    Result<PragmaValue> meaningOf(const Token& token) {
        const std::string name = m_cursor->text(token);
        if (const auto* parameter = m_kernel.findParameter(name)) {
            const bool negative = std::any_of(parameter->values.begin(), parameter->values.end(), [](const auto& v) { return v.isNumber() && v.asDouble() < 0; });
            return PragmaValue::atom(name, typeOf(parameter->values), negative);
        }
        if (const auto* variable = m_kernel.findVariable(name)) return *variable;
        for (const auto& [type, meaning] : m_kernel.types) {
            if (type == name) return PragmaValue::atom(expr::Value(meaning).repr(), Type::Text);
        }
        for (const auto& [attribute, fact] : kDeviceFacts) {
            if (attribute == name) return PragmaValue::atom(std::string(fact), Type::Int);
        }
        return argument(token, name);
    }

    Result<PragmaValue> argument(const Token& token, const std::string& name) {
        const auto found = std::find_if(m_entry.arguments.begin(), m_entry.arguments.end(), [&](const auto& a) { return a.name == name; });
        if (found == m_entry.arguments.end()) return unknown(token, name);
        const auto type = elementTypeFrom(found->type);
        if (found->pointer || !type || type->second != 1 || isFloating(type->first)) {
            return m_cursor->error(token, "the kernel's argument \"" + name + "\" is no whole number, so no size can be computed from it",
                                   ErrorCode::InvalidExpression);
        }
        if (const auto reason = whyNotAName(name); !reason.empty()) {
            return m_cursor->error(token, "the argument's name cannot be used here: it " + reason + "; rename the argument", ErrorCode::InvalidExpression);
        }
        if (!m_kernel.uses(name)) m_kernel.usedArguments.push_back(name);
        return PragmaValue::atom(name, Type::Int);
    }

    Unexpected unknown(const Token& token, const std::string& name) const {
        std::vector<std::string> known;
        for (const auto& parameter : m_kernel.parameters) known.push_back(parameter.name);
        for (const auto& variable : m_kernel.variables) known.push_back(variable.first);
        for (const auto& one : m_entry.arguments) known.push_back(one.name);
        for (const auto& fact : kDeviceFacts) known.emplace_back(fact.first);
        const std::string nearest = expr::nearestName(name, known);
        return m_cursor->error(token, "there is no parameter, variable or argument \"" + name + "\"" +
                                          (nearest.empty() ? "; name it in tune() or set() before it is used" : "; did you mean \"" + nearest + "\"?"),
                               ErrorCode::InvalidExpression);
    }

    Result<PragmaValue> expression() {
        return readPragmaExpression(*m_cursor, [this](const Token& token) { return meaningOf(token); });
    }

    /// An expression without names that only a launch knows.
    Result<expr::Value> constant() {
        const Token at = m_cursor->peek();
        WW_TRY(value, expression());
        WW_TRY(parsed, expr::Expression::parse(value.text));
        if (!parsed.names().empty()) {
            return m_cursor->error(at, "this must be a constant, but it depends on \"" + parsed.names().front() + "\"", ErrorCode::InvalidExpression);
        }
        auto evaluated = parsed.evaluate(expr::Scope{});
        if (evaluated) return evaluated;
        return m_cursor->error(at, "this cannot be evaluated: " + evaluated.error().message, ErrorCode::InvalidExpression);
    }

    Result<std::vector<std::string>> expressions() {
        std::vector<std::string> list;
        WW_CHECK(m_cursor->expect("("));
        if (m_cursor->accept(")")) return list;
        do {
            WW_TRY(value, expression());
            list.push_back(value.text);
        } while (m_cursor->accept(","));
        WW_CHECK(m_cursor->expect(")"));
        return list;
    }

    Result<Token> newName(std::string_view what) {
        WW_TRY(token, m_cursor->expectName(what));
        const std::string name = m_cursor->text(token);
        if (const auto reason = whyNotAName(name); !reason.empty()) {
            return m_cursor->error(token, "\"" + name + "\" cannot be used as a name: it " + reason + "; rename it", ErrorCode::InvalidSpec);
        }
        if (m_kernel.findParameter(name) != nullptr || m_kernel.findVariable(name) != nullptr) {
            return m_cursor->error(token, "\"" + name + "\" is given twice; remove one of them", ErrorCode::InvalidSpec);
        }
        return token;
    }

    void forgetType(const std::string& name) {
        std::erase_if(m_kernel.types, [&](const auto& type) { return type.first == name; });
    }

    Result<void> tune() {
        WW_CHECK(m_cursor->expect("("));
        WW_TRY(token, newName("the parameter's name"));
        PragmaParameter parameter;
        parameter.name = m_cursor->text(token);
        WW_CHECK(m_cursor->expect("="));
        do {
            WW_TRY(value, constant());
            const bool again = std::find(parameter.values.begin(), parameter.values.end(), value) != parameter.values.end();
            if (again) m_kernel.notes.push_back("parameter " + parameter.name + ": the value " + value.repr() + " is given twice and counts once");
            if (!again) parameter.values.push_back(value);
        } while (m_cursor->accept(","));
        WW_CHECK(m_cursor->expect(")"));
        if (m_cursor->accept("default")) {
            WW_CHECK(m_cursor->expect("("));
            const Token at = m_cursor->peek();
            WW_TRY(value, constant());
            WW_CHECK(m_cursor->expect(")"));
            const auto found = std::find_if(parameter.values.begin(), parameter.values.end(), [&](const auto& v) { return v.equals(value); });
            if (found == parameter.values.end()) {
                return m_cursor->error(at, "the default " + value.repr() + " of \"" + parameter.name + "\" is not among its values; add it, or choose another",
                                       ErrorCode::InvalidSpec);
            }
            parameter.defaultIndex = static_cast<std::size_t>(found - parameter.values.begin());
        }
        forgetType(parameter.name);
        m_kernel.parameters.push_back(std::move(parameter));
        return {};
    }

    Result<void> set() {
        WW_CHECK(m_cursor->expect("("));
        do {
            WW_TRY(token, newName("the variable's name"));
            WW_CHECK(m_cursor->expect("="));
            WW_TRY(value, expression());
            forgetType(m_cursor->text(token));
            m_kernel.variables.emplace_back(m_cursor->text(token), std::move(value));
        } while (m_cursor->accept(","));
        return m_cursor->expect(")");
    }

    Result<void> buffers() {
        WW_CHECK(m_cursor->expect("("));
        do {
            WW_TRY(token, m_cursor->expectName("a buffer argument's name"));
            const std::string name = m_cursor->text(token);
            const bool buffer = std::any_of(m_entry.arguments.begin(), m_entry.arguments.end(), [&](const auto& a) { return a.name == name && a.pointer; });
            if (!buffer) {
                std::vector<std::string> known;
                for (const auto& one : m_entry.arguments) known.push_back(one.name);
                const std::string nearest = expr::nearestName(name, known);
                return m_cursor->error(token, "\"" + name + "\" is no buffer argument of " + m_entry.name + (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"),
                                       ErrorCode::InvalidSpec);
            }
            WW_CHECK(m_cursor->expect("["));
            WW_TRY(elements, expression());
            WW_CHECK(m_cursor->expect("]"));
            m_kernel.buffers.emplace_back(name, elements.text);
        } while (m_cursor->accept(","));
        return m_cursor->expect(")");
    }

    Result<void> tuningKey() {
        m_kernel.tuningKey.clear();
        WW_CHECK(m_cursor->expect("("));
        do {
            WW_TRY(value, constant());
            m_kernel.tuningKey += value.display();
        } while (m_cursor->accept(","));
        return m_cursor->expect(")");
    }

    Result<void> sharedMemory() {
        WW_CHECK(m_cursor->expect("("));
        WW_TRY(bytes, expression());
        m_kernel.sharedMemory = bytes.text;
        return m_cursor->expect(")");
    }

    Result<void> restrictions() {
        WW_TRY(list, expressions());
        m_kernel.restrictions.insert(m_kernel.restrictions.end(), list.begin(), list.end());
        return {};
    }

    Result<void> dimensions(std::vector<std::string>& target) {
        const Token at = m_cursor->peek();
        WW_TRY(list, expressions());
        if (list.empty() || list.size() > 3) return m_cursor->error(at, "one to three sizes are expected, but " + std::to_string(list.size()) + " are given");
        target = std::move(list);
        return {};
    }

    /// Two ways to say the same: the last one counts, as in kernel_launcher.
    Result<void> grid(std::vector<std::string>& target, std::vector<std::string>& other) {
        if (!other.empty()) m_kernel.notes.emplace_back("grid_size and grid_divisor are both given; the last one counts");
        other.clear();
        return dimensions(target);
    }

    const source::SourceModel& m_model;
    const Entry& m_entry;
    PragmaKernel m_kernel;
    PragmaCursor* m_cursor = nullptr;
};

}  // namespace

const PragmaParameter* PragmaKernel::findParameter(std::string_view name) const noexcept {
    const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == name; });
    return found == parameters.end() ? nullptr : &*found;
}

const PragmaValue* PragmaKernel::findVariable(std::string_view name) const noexcept {
    const auto found = std::find_if(variables.begin(), variables.end(), [&](const auto& v) { return v.first == name; });
    return found == variables.end() ? nullptr : &found->second;
}

bool PragmaKernel::uses(std::string_view argument) const noexcept {
    return std::find(usedArguments.begin(), usedArguments.end(), argument) != usedArguments.end();
}

Result<std::optional<PragmaKernel>> readPragmas(const source::SourceModel& model) {
    const Tokens tokens = source::lex(model.text);
    std::optional<std::size_t> annotated;
    std::vector<const Directive*> own;
    std::string others;
    for (const auto& directive : tokens.directives) {
        if (!isAnnotation(tokens, directive)) continue;
        const auto owner = std::find_if(model.entries.begin(), model.entries.end(), [&](const auto& e) { return e.body.end > directive.begin; });
        const PragmaCursor place(tokens, directive, model.path);
        if (owner == model.entries.end()) return place.error(place.peek(), "no kernel follows this pragma; put it before the kernel that it describes");
        if (owner->body.begin < directive.begin) {
            return place.error(place.peek(), "this pragma is inside the kernel " + owner->name + "; put it before the kernel that it describes");
        }
        const auto index = static_cast<std::size_t>(owner - model.entries.begin());
        if (!annotated) annotated = index;
        if (*annotated == index) {
            own.push_back(&directive);
        } else if (others.find(owner->name) == std::string::npos) {
            others += (others.empty() ? "" : ", ") + owner->name;
        }
    }
    if (!annotated) return std::optional<PragmaKernel>{};
    Annotations annotations(model, *annotated);
    for (const auto* directive : own) WW_CHECK(annotations.read(tokens, *directive));
    PragmaKernel kernel = annotations.take();
    if (!others.empty()) {
        kernel.notes.push_back("the first annotated kernel, " + model.entries[*annotated].name + ", is tuned; pragmas describe others as well (" + others + ")");
    }
    return std::optional{std::move(kernel)};
}

}  // namespace ww::spec
