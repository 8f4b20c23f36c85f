// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "source/source_model.h"

namespace ww::source {
namespace {

/// The entry and every device function of the file that it reaches.
std::vector<const FunctionModel*> reached(const SourceModel& model, const FunctionModel& entry) {
    std::vector<const FunctionModel*> found{&entry};
    std::set<const FunctionModel*> seen{&entry};
    for (std::size_t i = 0; i < found.size(); ++i) {
        const std::set<std::string, std::less<>> calls(found[i]->calls.begin(), found[i]->calls.end());
        for (const FunctionModel& function : model.functions) {
            if (calls.contains(function.name) && !function.entry && seen.insert(&function).second) found.push_back(&function);
        }
    }
    return found;
}

}  // namespace

Result<std::int64_t> sharedBytes(const SourceModel& model, const Entry& entry, const expr::Scope& configuration) {
    const FunctionModel* function = model.functionOf(entry);
    if (function == nullptr) return fail(ErrorCode::NotFound, "\"" + entry.name + "\" is no kernel of this model");
    expr::Scope scope;
    for (const ParameterSite& site : model.parameters) {
        if (const expr::Value* given = configuration.find(site.name); given != nullptr) {
            scope.set(site.name, *given);
        } else if (site.defaultValue) {
            scope.set(site.name, *site.defaultValue);
        }
    }
    std::int64_t total = 0;
    for (const FunctionModel* one : reached(model, *function)) {
        for (const SharedArray& array : one->sharedArrays) {
            if (array.dynamic) continue;
            const std::string place = "shared array " + array.name + ", line " + std::to_string(array.line);
            if (array.bytes.empty()) {
                return fail(ErrorCode::InvalidArgument, "its size cannot be told: " + array.whyNot + "; the compiler's report has it", place);
            }
            WW_TRY(expression, expr::Expression::parse(array.bytes));
            const auto value = expression.evaluate(scope);
            if (!value) return fail(value.error().code, value.error().message, place);
            if (!value->isInt() || value->asInt() < 0 || __builtin_add_overflow(total, value->asInt(), &total)) {
                return fail(ErrorCode::InvalidArgument, "its size comes out as " + value->repr() + " bytes; choose other values", place);
            }
        }
    }
    return total;
}

}  // namespace ww::source
