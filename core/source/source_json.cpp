// SPDX-License-Identifier: Apache-2.0
#include "source/source_model.h"

namespace ww::source {
namespace {

/// One overload per struct of the model; a class, so that each sees all the others.
struct Writer {
    template <typename List>
    static Json listOf(const List& list) {
        Json out = Json::array();
        for (const auto& one : list) out.push_back(of(one));
        return out;
    }

    template <typename T>
    static Json orNull(const std::optional<T>& value) {
        return value ? Json(*value) : Json(nullptr);
    }

    static Json of(const std::string& text) { return text; }

    static Json values(const std::vector<expr::Value>& list) {
        Json out = Json::array();
        for (const expr::Value& value : list) out.push_back(value.toJson());
        return out;
    }

    static Json of(const KernelArgument& argument) {
        return {{"name", argument.name}, {"type", argument.type}, {"pointer", argument.pointer}, {"const", argument.isConst},
                {"line", argument.line}};
    }

    static Json of(const TemplateParameter& parameter) {
        return {{"name", parameter.name}, {"type", parameter.type}, {"default", orNull(parameter.defaultText)}};
    }

    static Json of(const AutotuneConfig& config) {
        Json named = Json::object();
        for (const auto& [name, value] : config.values) named[name] = value.toJson();
        return {{"values", named}, {"line", config.line}};
    }

    static Json of(const Entry& entry) {
        Json out{{"name", entry.name}, {"qualified_name", entry.qualifiedName}, {"signature", entry.signature()},
                 {"extern_c", entry.externC}, {"line", entry.line}, {"arguments", listOf(entry.arguments)},
                 {"template_parameters", listOf(entry.templateParameters)}, {"launch_bounds", entry.launchBounds}};
        if (!entry.decorators.empty()) out["decorators"] = listOf(entry.decorators);
        if (!entry.configurations.empty()) out["autotune_configs"] = listOf(entry.configurations);
        if (!entry.tuningKeys.empty()) out["autotune_key"] = listOf(entry.tuningKeys);
        return out;
    }

    static Json of(const ParameterSite& site) {
        return {{"name", site.name}, {"kind", toString(site.kind)}, {"line", site.line}, {"type", site.type}, {"text", site.text},
                {"default", site.defaultValue ? site.defaultValue->toJson() : Json(nullptr)}, {"proposed", values(site.proposedValues)},
                {"tunable", site.tunable}, {"editable", site.editable}, {"why_not", site.whyNot}, {"uses", site.uses},
                {"begin", site.value.begin}, {"end", site.value.end}};
    }

    static Json of(const MemoryAccess& access) {
        return {{"kind", toString(access.kind)}, {"space", toString(access.space)}, {"object", access.object}, {"address", access.address},
                {"pattern", toString(access.pattern)}, {"stride", orNull(access.stride)}, {"stride_text", access.strideText},
                {"element_type", access.elementType}, {"vector_width", access.vectorWidth}, {"bytes", access.bytes},
                {"masked", access.masked}, {"hint", access.hint}, {"loop_depth", access.loopDepth}, {"line", access.line}};
    }

    static Json of(const SharedArray& array) {
        return {{"name", array.name}, {"type", array.elementType}, {"extents", listOf(array.extents)}, {"dynamic", array.dynamic},
                {"bytes", array.bytes}, {"why_not", array.whyNot}, {"line", array.line}};
    }

    static Json of(const Loop& loop) {
        return {{"kind", toString(loop.kind)}, {"variable", loop.variable}, {"condition", loop.condition}, {"trips", loop.trips},
                {"trip_count", orNull(loop.tripCount)}, {"unroll", loop.unroll}, {"thread_dependent", loop.threadDependent},
                {"depth", loop.depth}, {"line", loop.line}};
    }

    static Json of(const Branch& branch) {
        return {{"kind", branch.kind}, {"condition", branch.condition}, {"thread_dependent", branch.threadDependent},
                {"divergent", branch.divergent}, {"depth", branch.depth}, {"line", branch.line}};
    }

    static Json of(const Operation& operation) {
        return {{"kind", toString(operation.kind)}, {"name", operation.name}, {"divergent", operation.divergent},
                {"loop_depth", operation.loopDepth}, {"line", operation.line}};
    }

    static Json of(const InlinePtx& ptx) { return {{"instructions", listOf(ptx.instructions)}, {"line", ptx.line}}; }

    static Json of(const Lambda& lambda) { return {{"name", lambda.name}, {"captures", lambda.captures}, {"line", lambda.line}}; }

    static Json of(const FunctionModel& function) {
        return {{"name", function.name}, {"entry", function.entry}, {"line", function.line}, {"accesses", listOf(function.accesses)},
                {"shared_arrays", listOf(function.sharedArrays)}, {"loops", listOf(function.loops)}, {"branches", listOf(function.branches)},
                {"operations", listOf(function.operations)}, {"inline_ptx", listOf(function.inlinePtx)},
                {"lambdas", listOf(function.lambdas)}, {"calls", listOf(function.calls)}};
    }

    static Json of(const MemoryObject& object) {
        return {{"kind", object.kind}, {"name", object.name}, {"type", object.type}, {"extents", listOf(object.extents)},
                {"bytes", object.bytes}, {"line", object.line}};
    }

    static Json of(const Feature& feature) { return {{"id", feature.id}, {"line", feature.line}, {"text", feature.text}}; }

    static Json of(const SyntaxProblem& problem) {
        return {{"line", problem.line}, {"column", problem.column}, {"text", problem.text}};
    }
};

}  // namespace

Json toJson(const SourceModel& model) {
    Json counts = Json::object();
    for (const auto& [name, count] : model.counts.byName) counts[name] = count;
    return {{"path", model.path.string()},
            {"language", model.language == Language::Cuda ? "cuda" : "triton"},
            {"entries", Writer::listOf(model.entries)},
            {"parameters", Writer::listOf(model.parameters)},
            {"functions", Writer::listOf(model.functions)},
            {"objects", Writer::listOf(model.objects)},
            {"includes", Writer::listOf(model.includes)},
            {"features", Writer::listOf(model.features)},
            {"conversions", Writer::listOf(model.conversions)},
            {"problems", Writer::listOf(model.problems)},
            {"counts", counts}};
}

}  // namespace ww::source
