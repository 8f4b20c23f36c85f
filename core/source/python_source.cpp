// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "source/counts.h"
#include "source/fold.h"
#include "source/proposals.h"
#include "source/python_configs.h"
#include "source/python_statements.h"
#include "source/source_model.h"

namespace ww::source {
namespace {

using expr::Value;

/// Values proposed for the length of a block without default, which must be a power of two.
constexpr std::int64_t kLengths[] = {16, 32, 64, 128, 256};

constexpr const char* kLaunchOptions[] = {"num_warps", "num_stages", "num_ctas", "maxnreg"};

/// One function under @triton.jit with its other decorators.
struct JitFunction {
    TSNode definition{};
    TSNode whole{};  ///< with decorators
    std::vector<TSNode> decorators;
    std::string name;
    bool decorated = false;  ///< by autotune or heuristics, which only kernels are
};

class PythonFile {
public:
    PythonFile(TSNode root, SourceModel& model) : m_root(root), m_model(model), m_text(model.text) {}

    int run() {
        collect();
        for (const JitFunction& function : m_functions) m_names.insert(function.name);
        constants();
        for (const JitFunction& function : m_functions) parameters(function);
        const PythonTerms terms(m_text, m_model.parameters);
        for (const JitFunction& function : m_functions) {
            FunctionModel model;
            model.name = function.name;
            model.range = rangeOf(function.definition);
            model.line = lineOf(function.definition);
            BlockAnalysis blocks(m_text, terms);
            blocks.learn(function.definition);
            PythonStatements(m_text, terms, blocks, m_names, model).read(function.definition);
            m_model.functions.push_back(std::move(model));
        }
        entries();
        return static_cast<int>(m_functions.size());
    }

private:
    void collect() {
        walk(m_root, [this](const Cursor& cursor) {
            const TSNode node = cursor.node();
            if (is(node, "identifier")) noteName(cursor, node);
            if (is(node, "import_statement") || is(node, "import_from_statement")) m_model.includes.push_back(squeezed(textOf(node, m_text)));
            if (is(node, "call") && is(childByField(node, "function"), "subscript")) {
                m_launched.emplace(pythonCalledName(node, m_text));  // kernel[grid](...)
            }
            if (is(node, "decorated_definition")) decorated(node);
            return true;
        });
    }

    void noteName(const Cursor& cursor, TSNode node) {
        const std::string name(textOf(node, m_text));
        ++m_model.identifiers[name];
        if (cursor.field() == "left" || cursor.field() == "name") m_model.declared.insert(name);
    }

    void decorated(TSNode node) {
        JitFunction function;
        function.whole = node;
        function.definition = childByField(node, "definition");
        if (!is(function.definition, "function_definition")) return;
        bool jit = false;
        for (const TSNode child : namedChildren(node)) {
            if (!is(child, "decorator")) continue;
            const std::vector<TSNode> inner = namedChildren(child);
            if (inner.empty()) continue;
            function.decorators.push_back(inner.front());
            const std::string_view name = decoratorName(inner.front());
            jit |= name == "jit";
            function.decorated |= name == "autotune" || name == "heuristics";
        }
        function.name = std::string(textOf(childByField(function.definition, "name"), m_text));
        if (jit) m_functions.push_back(std::move(function));
    }

    std::string_view decoratorName(TSNode decorator) const {
        if (is(decorator, "call")) return pythonCalledName(decorator, m_text);
        return textOf(is(decorator, "attribute") ? childByField(decorator, "attribute") : decorator, m_text);
    }

    int occurrences(const std::string& name) const {
        const auto found = m_model.identifiers.find(name);
        return found == m_model.identifiers.end() ? 0 : found->second;
    }

    void judge(ParameterSite& site) const {
        if (site.text == "True" || site.text == "False") {
            site.defaultValue = Value(site.text == "True");
        } else if (!site.text.empty()) {
            site.defaultValue = foldLiteral(site.text);
        }
        if (!site.defaultValue) return;
        Proposal proposal = propose(site.name, *site.defaultValue, site.text);
        site.proposedValues = std::move(proposal.values);
        site.whyNot = std::move(proposal.whyNot);
        site.tunable = proposal.tunable;
    }

    /// NAME: tl.constexpr = 4 and NAME = tl.constexpr(4) of the module.
    void constants() {
        for (const TSNode statement : namedChildren(m_root)) {
            if (!is(statement, "expression_statement")) continue;
            for (const TSNode node : namedChildren(statement)) {
                if (!is(node, "assignment") || !is(childByField(node, "left"), "identifier")) continue;
                TSNode value = childByField(node, "right");
                const bool typed = textOf(childByField(node, "type"), m_text).find("constexpr") != std::string_view::npos;
                const bool called = is(value, "call") && pythonCalledName(value, m_text) == "constexpr";
                if (called) value = pythonArgument(value, 0);
                if ((!typed && !called) || ts_node_is_null(value)) continue;
                ParameterSite site;
                site.name = std::string(textOf(childByField(node, "left"), m_text));
                site.kind = SiteKind::Constant;
                site.type = "tl.constexpr";
                site.value = rangeOf(value);
                site.text = std::string(textOf(value, m_text));
                site.line = lineOf(node);
                site.uses = occurrences(site.name) - 1;
                judge(site);
                if (!site.defaultValue) refuse(site, "its value is no literal");
                if (site.uses <= 0) refuse(site, "nothing in this file uses it");
                add(std::move(site));
            }
        }
    }

    static void refuse(ParameterSite& site, std::string why) {
        site.tunable = false;
        site.whyNot = std::move(why);
        site.proposedValues.clear();
    }

    /// Kernels of one file often share a parameter's name; it is one parameter, told by its first site, with all proposals.
    void add(ParameterSite site) {
        const auto found = std::find_if(m_model.parameters.begin(), m_model.parameters.end(),
                                        [&](const ParameterSite& other) { return other.name == site.name; });
        if (found == m_model.parameters.end()) return m_model.parameters.push_back(std::move(site));
        for (const Value& value : site.proposedValues) addValue(found->proposedValues, value);
    }

    static void addValue(std::vector<Value>& values, const Value& value) {
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
        const bool numbers = std::all_of(values.begin(), values.end(), [](const Value& one) { return one.isInt(); });
        if (numbers) std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) { return a.asInt() < b.asInt(); });
    }

    void parameters(const JitFunction& function) {
        Entry entry;
        entry.name = entry.qualifiedName = function.name;
        entry.range = rangeOf(function.definition);
        entry.body = rangeOf(childByField(function.definition, "body"));
        entry.line = lineOf(function.definition);
        std::set<std::string, std::less<>> computed;
        for (const TSNode decorator : function.decorators) {
            entry.decorators.push_back(squeezed(textOf(decorator, m_text).substr(0, 120)));
            if (is(decorator, "call")) readDecorator(decorator, entry, computed);
        }
        const TSNode list = childByField(function.definition, "parameters");
        if (!ts_node_is_null(list)) {
            for (const TSNode node : namedChildren(list)) parameter(node, function, entry, computed);
        }
        launchOptions(entry);
        m_entries.push_back(std::move(entry));
    }

    void readDecorator(TSNode call, Entry& entry, std::set<std::string, std::less<>>& computed) const {
        const std::string_view name = pythonCalledName(call, m_text);
        if (name == "autotune") {
            const TSNode keyword = pythonKeyword(call, "configs", m_text);
            entry.configurations = readConfigs(ts_node_is_null(keyword) ? pythonArgument(call, 0) : keyword, m_root, m_text);
            const TSNode keys = pythonKeyword(call, "key", m_text);
            const TSNode given = ts_node_is_null(keys) ? pythonArgument(call, 1) : keys;
            if (ts_node_is_null(given)) return;
            for (const TSNode key : namedChildren(given)) entry.tuningKeys.emplace_back(pythonString(key, m_text));
        } else if (name == "heuristics") {
            const TSNode keyword = pythonKeyword(call, "values", m_text);
            const TSNode values = ts_node_is_null(keyword) ? pythonArgument(call, 0) : keyword;
            if (!is(values, "dictionary")) return;
            for (const TSNode pair : namedChildren(values)) computed.emplace(pythonString(childByField(pair, "key"), m_text));
        }
    }

    void parameter(TSNode node, const JitFunction& function, Entry& entry, const std::set<std::string, std::less<>>& computed) {
        TSNode name = childByField(node, "name");
        const TSNode type = childByField(node, "type");
        const TSNode given = childByField(node, "value");
        if (ts_node_is_null(name)) name = is(node, "typed_parameter") ? namedChildren(node).front() : node;
        if (!is(name, "identifier")) return;
        const std::string_view annotation = textOf(type, m_text);
        const std::string word(textOf(name, m_text));
        m_model.declared.insert(word);
        if (annotation.find("constexpr") == std::string_view::npos) {
            entry.arguments.push_back({word, squeezed(annotation), false, false, lineOf(node)});
            return;
        }
        TemplateParameter constant{word, "tl.constexpr", std::nullopt};
        ParameterSite site;
        site.name = word;
        site.kind = SiteKind::ConstexprArgument;
        site.type = "tl.constexpr";
        site.line = lineOf(name);
        site.uses = occurrences(word) - 1;
        site.value = {ts_node_end_byte(name), ts_node_end_byte(name)};
        if (!ts_node_is_null(given)) {
            site.value = rangeOf(given);
            site.text = std::string(textOf(given, m_text));
            constant.defaultText = site.text;
            judge(site);
        }
        takeConfigured(site, entry);
        if (!site.defaultValue && site.proposedValues.empty()) guess(site, function);
        if (computed.contains(word)) refuse(site, "@triton.heuristics computes it");
        entry.templateParameters.push_back(std::move(constant));
        add(std::move(site));
    }

    /// autotune's values are the domain that the author thought of.
    static void takeConfigured(ParameterSite& site, const Entry& entry) {
        std::vector<Value> values;
        for (const AutotuneConfig& config : entry.configurations) {
            for (const auto& [name, value] : config.values) {
                if (name == site.name) addValue(values, value);
            }
        }
        if (values.empty()) return;
        if (site.defaultValue) addValue(values, *site.defaultValue);
        site.proposedValues = std::move(values);
        site.tunable = true;
        site.whyNot.clear();
    }

    void guess(ParameterSite& site, const JitFunction& function) const {
        bool length = false;
        walk(childByField(function.definition, "body"), [&](const Cursor& cursor) {
            const TSNode node = cursor.node();
            if (is(node, "call") && pythonCalledName(node, m_text) == "arange") {
                length = length || textOf(pythonArgument(node, 1), m_text) == site.name;
            }
            return true;
        });
        if (length) {
            for (const std::int64_t value : kLengths) site.proposedValues.emplace_back(value);
        } else {
            site.whyNot = site.text.empty() ? "it has no default, so no domain can be guessed; give one in the spec" : "its default is no literal";
        }
    }

    void launchOptions(const Entry& entry) {
        for (const char* option : kLaunchOptions) {
            ParameterSite site;
            site.name = option;
            site.kind = SiteKind::LaunchOption;
            site.editable = false;
            for (const AutotuneConfig& config : entry.configurations) {
                for (const auto& [name, value] : config.values) {
                    if (name != option) continue;
                    addValue(site.proposedValues, value);
                    if (site.proposedValues.size() == 1) site.line = config.line;
                }
            }
            if (!site.proposedValues.empty()) add(std::move(site));
        }
    }

    /// A function that others call is one of theirs, not a kernel, unless it is tuned or launched.
    void entries() {
        std::set<std::string, std::less<>> called;
        for (const FunctionModel& function : m_model.functions) called.insert(function.calls.begin(), function.calls.end());
        for (std::size_t i = 0; i < m_functions.size(); ++i) {
            const JitFunction& function = m_functions[i];
            FunctionModel& model = m_model.functions[i];
            model.entry = function.decorated || m_launched.contains(function.name) || !called.contains(function.name);
            if (!model.entry) continue;
            for (KernelArgument& argument : m_entries[i].arguments) pointer(argument, model);
            m_model.entries.push_back(std::move(m_entries[i]));
        }
    }

    static void pointer(KernelArgument& argument, const FunctionModel& function) {
        bool written = false;
        for (const MemoryAccess& access : function.accesses) {
            if (access.object != argument.name) continue;
            argument.pointer = true;
            written |= access.kind != AccessKind::Load;
        }
        argument.isConst = argument.pointer && !written;
        argument.pointer |= argument.name.ends_with("_ptr") || argument.name.ends_with("_ptrs");
    }

    TSNode m_root;
    SourceModel& m_model;
    std::string_view m_text;
    std::vector<JitFunction> m_functions;
    std::vector<Entry> m_entries;  ///< of all functions; only kernels stay
    std::set<std::string, std::less<>> m_names;
    std::set<std::string, std::less<>> m_launched;
};

}  // namespace

Result<SourceModel> parsePython(std::string text, const std::filesystem::path& path) {
    const std::string context = path.empty() ? std::string("the kernel source") : path.string();
    if (text.find_first_not_of(" \t\r\n\v\f") == std::string::npos) {
        return fail(ErrorCode::ParseError, "the file is empty; a Python file with a function under @triton.jit is needed", context);
    }
    // The parser counts a node's children, comments among them, in 16 bits.
    constexpr std::ptrdiff_t kMostComments = 60'000;
    if (std::count(text.begin(), text.end(), '#') > kMostComments) {
        return fail(ErrorCode::ParseError, "the file has more than 60,000 comments, which the parser cannot hold; split it", context);
    }
    SourceModel model;
    model.path = path;
    model.text = std::move(text);
    model.language = Language::Triton;
    const auto tree = SyntaxTree::parse(model.text, Grammar::Python);
    if (!tree) return fail(tree.error().code, tree.error().message, context);
    model.problems = syntaxProblems(tree->root(), model.text);
    if (PythonFile(tree->root(), model).run() == 0) {
        std::string message = "no kernel in it: no function stands under @triton.jit";
        if (!model.problems.empty()) {
            const SyntaxProblem& first = model.problems.front();
            message += "; a syntax error may hide it (line " + std::to_string(first.line) + ", column " + std::to_string(first.column) +
                       ": " + first.text + ")";
        }
        return fail(ErrorCode::ParseError, message + ". Give a Python file that defines a Triton kernel", context);
    }
    model.counts = countModel(model);
    return model;
}

}  // namespace ww::source
