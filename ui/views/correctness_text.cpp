// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/correctness_text.h"

#include <QCoreApplication>
#include <QStringBuilder>

#include "bridge/text.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

struct Correctness {
    Q_DECLARE_TR_FUNCTIONS(Correctness)
};

/// The worst relative error and the number of checks found anywhere in the document.
struct Worst {
    double error = -1;
    QString where;
    int checks = 0;
};

QString textOf(const Json& node, const char* key) {
    const Json* found = member(node, key);
    return found != nullptr && !found->is_null() ? valueText(*found) : QString();
}

/// Walks {"checks": [{"workload", "outputs": [{"output", "relative_l2", "worst": {"index"}}]}]} without insisting on its shape.
void visit(const Json& node, const QString& workload, Worst& worst) {
    if (node.is_array()) {
        for (const auto& child : node) visit(child, workload, worst);
        return;
    }
    if (!node.is_object()) return;
    const QString named = textOf(node, "workload");
    const QString here = named.isEmpty() ? workload : named;
    if (const Json* error = member(node, "relative_l2"); error != nullptr && error->is_number()) {
        ++worst.checks;
        if (error->get<double>() > worst.error) {
            worst.error = error->get<double>();
            const Json* place = member(node, "worst");
            const QString index = place != nullptr ? textOf(*place, "index") : QString();
            worst.where = textOf(node, "output") % (index.isEmpty() ? QString() : QString(u'[' % index % u']')) %
                          (here.isEmpty() ? QString() : QString(u", "_s % here));
        }
        return;
    }
    for (const auto& item : node.items()) visit(item.value(), here, worst);
}

}  // namespace

CorrectnessText describeCorrectness(const store::TrialRecord& record) {
    CorrectnessText text;
    text.passed = record.status == TrialStatus::Ok || record.status == TrialStatus::Unstable;
    Worst worst;
    visit(record.correctness, {}, worst);
    if (!text.passed && record.status != TrialStatus::WrongResult && record.status != TrialStatus::Nondeterministic &&
        record.status != TrialStatus::CheatSuspected) {
        return text;    // it never got as far as being compared
    }
    if (worst.checks == 0) {
        if (record.status != TrialStatus::Ok) text.headline = statusTitle(record.status);
        else if (record.reward.correctness && *record.reward.correctness >= 1) text.headline = Correctness::tr("All checks passed");
        return text;
    }
    const QString error = QString::number(worst.error, 'e', 1);
    text.headline = text.passed ? Correctness::tr("%n comparison(s) passed", nullptr, worst.checks)
                                : Correctness::tr("%n comparison(s) made, at least one failed", nullptr, worst.checks);
    text.detail = worst.where.isEmpty() ? Correctness::tr("Worst relative error %1").arg(error)
                                        : Correctness::tr("Worst relative error %1 at %2").arg(error, worst.where);
    return text;
}

}  // namespace ww::ui
