// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "spec/from_pragma.h"
#include "spec/proposer.h"

namespace ww::spec {
namespace {

namespace fs = std::filesystem;
using source::Entry;
using source::SourceModel;

bool isType(const source::TemplateParameter& parameter) {
    return parameter.type == "typename" || parameter.type == "class" || parameter.type.starts_with("typename") || parameter.type.starts_with("class");
}

bool writesToMemory(const Entry& entry) {
    return std::any_of(entry.arguments.begin(), entry.arguments.end(), [](const auto& a) { return a.pointer && !a.isConst; });
}

/// Everything about one kernel; `spec` may be half filled where it fails.
Result<void> propose(const SourceModel& model, const Entry& entry, Spec& spec) {
    Proposer proposer(model, entry, spec);
    if (!writesToMemory(entry)) {
        return proposer.needsSpec("writes to no pointer argument", "the Arguments, with an output among them (a Symbol where the kernel writes to a __device__ variable)");
    }
    proposer.nameTypes();
    proposer.takeParameters();
    WW_CHECK(proposer.launch());
    if (spec.parameters.empty()) {
        std::string alone;
        for (const auto& site : model.parameters) {
            if (!site.tunable || site.proposedValues.empty() || whyLeftAlone(site).empty()) continue;
            alone += (alone.empty() ? "" : ", ") + site.name + " is left alone: " + whyLeftAlone(site);
        }
        if (!alone.empty()) {
            return fail(ErrorCode::InvalidSpec, "no compile-time parameter to tune was found (" + alone + "); write a spec that gives such a name as a parameter with its Values", model.path.string());
        }
        return fail(ErrorCode::InvalidSpec, "no compile-time parameter was found in this file; write one as `#ifndef BLOCK_SIZE / #define BLOCK_SIZE 256 / #endif`, or as a constexpr at namespace scope that the kernel uses",
                    model.path.string());
    }
    WW_CHECK(proposer.arguments());
    proposer.giveSizesValues();
    return proposer.templateArguments();
}

}  // namespace

std::string shortestName(const SourceModel& model, const Entry& entry) {
    if (model.findEntry(entry.name) == &entry && model.findEntries(entry.name).size() == 1) return entry.name;
    return model.findEntry(entry.qualifiedName) == &entry ? entry.qualifiedName : entry.signature();
}

std::string whyLeftAlone(const source::ParameterSite& site) {
    if (looksLikeProblemSize(site.name)) return "it looks like a problem size; a spec can make it a parameter";
    const auto reason = whyNotAName(site.name);
    return reason.empty() ? reason : "the name " + reason;
}

Proposer::Proposer(const SourceModel& model, const Entry& entry, Spec& spec) : m_model(model), m_entry(entry), m_spec(spec), m_text(model, entry) {}

void Proposer::nameTypes() {
    for (const auto& parameter : m_entry.templateParameters) {
        if (!isType(parameter)) continue;
        m_types[parameter.name] = parameter.defaultText.value_or("float");
        m_spec.notes.push_back(parameter.name + " is " + m_types[parameter.name] + (parameter.defaultText ? ", its default" : "; another type goes into Warpwright.Entry.TemplateArguments"));
    }
}

/// A non-type parameter that the source gives no value: blocks in powers of two, everything else small.
void Proposer::takeTemplateDomain(const source::TemplateParameter& parameter) {
    const std::string folded = foldKey(parameter.name);
    const bool threads = folded.find("block") != std::string::npos || folded.find("thread") != std::string::npos;
    const bool work = folded.find("per") != std::string::npos;
    const bool flat = !m_text.mentions("threadIdx", 'y') && !m_text.mentions("blockIdx", 'y');
    space::Parameter domain;
    domain.name = parameter.name;
    if (parameter.type == "bool") {
        domain.values = {expr::Value(false), expr::Value(true)};
    } else {
        const std::int64_t low = !threads || work ? 1 : flat ? 32 : 4, high = !threads || work ? 8 : flat ? 1024 : 64;
        for (std::int64_t value = low; value <= high; value *= 2) domain.values.emplace_back(value);
        domain.defaultIndex = threads && !work ? 2 : 0;
    }
    domain.scale = proposedScale(domain.values);
    m_spec.parameters.push_back(std::move(domain));
}

void Proposer::takeParameters() {
    const auto ofEntry = [&](const std::string& name) {
        return std::any_of(m_entry.templateParameters.begin(), m_entry.templateParameters.end(), [&](const auto& p) { return p.name == name; });
    };
    for (const auto& site : m_model.parameters) {
        if (!site.tunable || site.proposedValues.empty()) continue;
        if (site.kind == source::SiteKind::TemplateParameter && !ofEntry(site.name)) continue;
        if (const auto reason = whyLeftAlone(site); !reason.empty()) {
            m_spec.notes.push_back(site.name + " is left as it is: " + reason);
            continue;
        }
        space::Parameter parameter;
        parameter.name = site.name;
        parameter.values = site.proposedValues;
        parameter.defaultIndex = site.defaultValue ? parameter.indexOf(*site.defaultValue).value_or(0) : 0;
        parameter.scale = proposedScale(parameter.values);
        m_spec.parameters.push_back(std::move(parameter));
    }
    for (const auto& parameter : m_entry.templateParameters) {
        if (!isType(parameter) && !parameter.defaultText && !isParameter(parameter.name) && whyNotAName(parameter.name).empty()) takeTemplateDomain(parameter);
    }
    for (const auto& parameter : m_spec.parameters) {
        std::string domain;
        for (const auto& value : parameter.values) domain += (domain.empty() ? "" : ", ") + value.display();
        m_spec.notes.push_back("parameter " + parameter.name + ": proposed values " + domain);
    }
}

Result<void> Proposer::templateArguments() {
    std::vector<std::string> arguments;
    for (const auto& parameter : m_entry.templateParameters) {
        const auto type = m_types.find(parameter.name);
        if (isParameter(parameter.name)) {
            arguments.push_back(parameter.name);
        } else if (const auto value = m_values.find(parameter.name); value != m_values.end()) {
            arguments.push_back(value->second);
        } else if (type != m_types.end()) {
            arguments.push_back(type->second);
        } else if (parameter.defaultText) {
            arguments.push_back(*parameter.defaultText);
        } else {
            return needsSpec("has the template parameter \"" + parameter.name + "\" without a default",
                             "it as a tuning parameter with its Values, or Warpwright.Entry.TemplateArguments");
        }
    }
    m_spec.templateArguments = std::move(arguments);
    return {};
}

Result<Spec> fromSource(const fs::path& kernelFile) {
    WW_TRY(model, source::loadCuda(kernelFile));
    Spec plain;
    plain.folder = fs::absolute(kernelFile).parent_path();
    plain.kernelFile = fs::absolute(kernelFile).lexically_normal();
    WW_TRY(annotated, readPragmas(model));
    if (annotated) return fromPragmas(model, *annotated, std::move(plain));

    std::optional<Error> first;
    for (const auto& entry : model.entries) {  // the first kernel that can be guessed
        Spec spec = plain;
        spec.name = spec.title = entry.name;
        spec.kernelName = shortestName(model, entry);
        if (auto proposed = propose(model, entry, spec); !proposed) {
            if (!first) first = std::move(proposed).error();
            continue;
        }
        if (model.entries.size() > 1) {
            std::string others;
            for (const auto& other : model.entries) others += &other == &entry ? "" : (others.empty() ? "" : ", ") + shortestName(model, other);
            spec.notes.insert(spec.notes.begin(), "the kernel " + spec.kernelName + " is tuned; the file holds others as well (" + others + "): a spec's KernelName picks one");
        }
        spec.notes.emplace_back("the kernel at its own parameters is the reference: results are checked for sameness only");
        resolve(spec, model);
        return spec;
    }
    return fail(std::move(*first));
}

}  // namespace ww::spec
