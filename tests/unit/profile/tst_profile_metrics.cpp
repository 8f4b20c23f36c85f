// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QCoreApplication>
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "profile/chip_metrics.h"
#include "profile/metrics.h"
#include "result_test.h"

using namespace ww;
using namespace ww::profile;

namespace {

/// Chips whose memory belongs to the system: they have no counters of a DRAM of their own.
bool isIntegrated(const std::string& chip) { return chip == "GA10B" || chip == "GB10B" || chip == "GB20B" || chip == "GV11B"; }
bool isBlackwell(const std::string& chip) { return chip.starts_with("GB"); }
bool isBeforeAmpere(const std::string& chip) { return chip.starts_with("GV") || chip.starts_with("TU"); }

/// Whether our table may lack the metric on the chip.
bool mayLack(const std::string& id, const std::string& chip) {
    if (id.find("dram") != std::string::npos) return isIntegrated(chip);
    if (id == "stall_imc_miss") return isBlackwell(chip);
    if (id == "stall_gmma") return chip != "GH100";
    if (id.find("tensor_bf16") != std::string::npos || id.find("tensor_tf32") != std::string::npos) return isBeforeAmpere(chip);
    if (id.find("tensor_fp16") != std::string::npos) return chip == "TU116" || chip == "TU117";
    return false;
}

}  // namespace

/// The tables against what CUPTI's host API says of every chip; needs the library, no GPU.
class TestProfileMetrics : public QObject {
    Q_OBJECT

    std::vector<std::string> m_chips;
    std::map<std::string, CounterPlan> m_full;  ///< the whole set's plan by chip; scheduling takes a while

private Q_SLOTS:
    void initTestCase() {
        auto chips = ChipMetrics::chips();
        VERIFY_OK(chips);
        // Chips that the list names and the range profiler refuses are no use to anybody.
        for (const auto& chip : *chips) {
            if (const auto known = ChipMetrics(chip).knows("gpu__time_duration.sum"); known && *known) m_chips.push_back(chip);
        }
        QVERIFY2(m_chips.size() >= 20, qPrintable(QString::number(m_chips.size())));
        for (const auto& chip : m_chips) {
            auto plan = ChipMetrics(chip).plan(metricsOf(MetricSet::Full));
            VERIFY_OK(plan);
            m_full.emplace(chip, std::move(*plan));
        }
    }

    void idsAreUnique() {
        std::set<std::string_view> ids;
        for (const auto& metric : allMetrics()) {
            QVERIFY2(ids.insert(metric.id).second, std::string(metric.id).c_str());
            QVERIFY(!metric.names[0].empty() && !metric.title.empty() && !metric.unit.empty());
            QCOMPARE(findMetric(metric.id), &metric);
        }
        QVERIFY(findMetric("no such") == nullptr);
    }

    void everyNameIsOfSomeChip() {
        // A misspelt alternative would be skipped on every chip without a word.
        std::set<std::string_view> seen;
        for (const auto& [chip, plan] : m_full) {
            for (const auto& [metric, name] : plan.metrics) seen.insert(name);
            for (const auto& missing : plan.missing.all()) {
                QVERIFY2(mayLack(missing.id, chip), (missing.id + " on " + chip).c_str());
                QVERIFY(!missing.value && missing.reason.find(chip) != std::string::npos);
            }
            for (const auto& [metric, name] : plan.metrics) {
                QVERIFY2(!mayLack(std::string(metric->id), chip), (std::string(metric->id) + " is there after all on " + chip).c_str());
            }
        }
        for (const auto& metric : allMetrics()) {
            for (const auto name : metric.names) {
                if (name.empty() || seen.contains(name)) continue;
                // An alternative behind one that every chip with it also has is never reached, which is no fault.
                const bool known = std::any_of(m_chips.begin(), m_chips.end(), [&](const auto& chip) { return ChipMetrics(chip).knows(name.data()).value_or(false); });
                QVERIFY2(known, std::string(name).c_str());
            }
        }
    }

    void passes_data() {
        QTest::addColumn<QString>("chip");
        QTest::addColumn<int>("trial");
        QTest::addColumn<int>("smThroughput");
        QTest::addColumn<int>("stalls");
        // Counted with CUPTI 13.0; a toolkit with another schedule would show here.
        const auto row = [](const char* chip, int trial, int smThroughput, int stalls) { QTest::newRow(chip) << QString(chip) << trial << smThroughput << stalls; };
        row("GV100", 2, 7, 4);
        row("TU102", 2, 5, 4);
        row("GA100", 1, 5, 4);
        row("GA102", 1, 6, 4);
        row("AD102", 1, 6, 4);
        row("GH100", 1, 8, 4);
        row("GB100", 1, 8, 4);
        row("GB202", 1, 8, 5);
    }
    void passes() {
        QFETCH(QString, chip);
        QFETCH(int, trial);
        QFETCH(int, smThroughput);
        QFETCH(int, stalls);
        const ChipMetrics metrics(chip.toStdString());
        const auto passesOf = [&](const std::vector<const Metric*>& chosen) {
            auto plan = metrics.plan(chosen);
            return plan ? static_cast<int>(plan->passes) : -1;
        };
        QCOMPARE(passesOf(metricsOf(MetricSet::Trial)), trial);
        QCOMPARE(passesOf({findMetric("sm_pct")}), smThroughput);
        std::vector<const Metric*> reasons;
        for (const auto& metric : allMetrics()) {
            if (metric.group == MetricGroup::Stalls && reasons.size() < 12) reasons.push_back(&metric);
        }
        QCOMPARE(passesOf(reasons), stalls);
    }

    void aWholeProfileTakesFewPasses() {
        for (const auto& [chip, plan] : m_full) {
            QVERIFY2(plan.passes >= 1 && plan.passes <= 40, (chip + ": " + std::to_string(plan.passes)).c_str());
        }
    }

    void wrongNamesAreRefused() {
        for (const char* name : {"gpu__inst_executed.sum", "launch__waves_per_multiprocessor", "nonsense"}) {
            for (const auto* chip : {"GV100", "TU102", "GA100", "AD102", "GH100", "GB202"}) QVERIFY2(!ChipMetrics(chip).knows(name).value_or(true), (std::string(name) + " on " + chip).c_str());
        }
    }

    void aRefusedNameDoesNotSpoilTheNext() {
        // CUPTI's object takes nothing any more after a refusal: those behind a name that the chip lacks must still be found.
        const std::vector<const Metric*> metrics{findMetric("stall_gmma"), findMetric("time_ns"), findMetric("dram_read_bytes"), findMetric("inst_ffma")};
        const auto plan = ChipMetrics("GB202").plan(metrics);
        VERIFY_OK(plan);
        QCOMPARE(plan->metrics.size(), std::size_t{3});
        QCOMPARE(plan->missing.all().size(), std::size_t{1});
        QCOMPARE(QByteArray(plan->metrics[1].second), QByteArray("dram__bytes_op_read.sum"));
    }

    void anUnknownChipIsNamed() {
        const auto plan = ChipMetrics("GX999").plan(metricsOf(MetricSet::Trial));
        QVERIFY(!plan);
        QVERIFY2(plan.error().toString().find("GX999") != std::string::npos, plan.error().toString().c_str());
    }

    void sets() {
        for (const auto* word : {"trial", "sol", "stalls", "full"}) {
            const auto set = metricSetFrom(word);
            VERIFY_OK(set);
            QCOMPARE(QString::fromStdString(std::string(toString(*set))), QString(word));
            const auto metrics = metricsOf(*set);
            QVERIFY(std::find(metrics.begin(), metrics.end(), findMetric("dram_pct")) != metrics.end());
        }
        COMPARE_ERR(metricSetFrom("everything"), ErrorCode::InvalidArgument);
        QCOMPARE(metricsOf(MetricSet::Full).size(), allMetrics().size());
    }
};

int main(int argc, char** argv) {
    if (const auto chips = ChipMetrics::chips(); !chips) {
        std::printf("not run: %s\n", chips.error().toString().c_str());
        return 77;
    }
    QCoreApplication application(argc, argv);
    TestProfileMetrics test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_profile_metrics.moc"
