// SPDX-License-Identifier: Apache-2.0
// Random small spaces against brute force, and the uniformity of draws.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/rng.h"
#include "result_test.h"
#include "space/diagram_builder.h"
#include "space/search_space.h"
#include "spec_reader.h"

using namespace ww;
using namespace ww::space;

namespace {

expr::Expression parsed(const std::string& text) {
    auto expression = expr::Expression::parse(text);
    if (!expression) qFatal("%s", expression.error().toString().c_str());
    return *expression;
}

std::string pick(SplitMix64& rng, std::initializer_list<const char*> choices) { return *(choices.begin() + rng.below(choices.size())); }

std::string term(SplitMix64& rng, const std::vector<std::string>& names, int depth) {
    const std::string& name = names[rng.below(names.size())];
    if (depth == 0 || rng.below(3) == 0) return rng.below(4) == 0 ? std::to_string(rng.below(6)) : name;
    if (rng.below(10) == 0) return "sum([" + name + " * i for i in range(" + std::to_string(rng.below(4)) + ", 3)])";
    if (rng.below(10) == 0) return pick(rng, {"min", "max"}) + "(" + term(rng, names, depth - 1) + ", " + name + ")";
    return "(" + term(rng, names, depth - 1) + pick(rng, {" + ", " + ", " * ", " - ", " // ", " % ", " / "}) + term(rng, names, depth - 1) + ")";
}

std::string condition(SplitMix64& rng, const std::vector<std::string>& names, int depth) {
    switch (depth > 0 ? rng.below(6) : 0) {
    case 1: return condition(rng, names, depth - 1) + " or " + condition(rng, names, depth - 1);
    case 2: return "(" + condition(rng, names, depth - 1) + " and " + condition(rng, names, depth - 1) + ")";
    case 3: return "not (" + condition(rng, names, depth - 1) + ")";
    case 4: return term(rng, names, 1) + " <= " + term(rng, names, 1) + " < " + term(rng, names, 2);
    case 5: return names[rng.below(names.size())] + " in (1, 2, " + names[rng.below(names.size())] + ")";
    default: return term(rng, names, 2) + pick(rng, {" <= ", " < ", " == ", " != ", " >= ", " > "}) + term(rng, names, 2);
    }
}

struct Made {
    std::vector<Parameter> parameters;
    std::vector<Constraint> constraints;
};

Made randomSpace(SplitMix64& rng) {
    Made made;
    std::vector<std::string> names;
    const std::uint64_t count = 2 + rng.below(4);
    for (std::uint64_t p = 0; p < count; ++p) {
        Parameter parameter;
        parameter.name = std::string(1, static_cast<char>('A' + p));
        const std::uint64_t size = 1 + rng.below(5);
        for (std::uint64_t v = 0; v < size; ++v) {
            const auto value = static_cast<std::int64_t>(rng.below(9)) - 2;
            if (rng.below(12) == 0) parameter.values.emplace_back(static_cast<double>(value) + 0.5);
            else if (rng.below(15) == 0) parameter.values.emplace_back(value > 0);
            else parameter.values.emplace_back(value);
        }
        names.push_back(parameter.name);
        made.parameters.push_back(std::move(parameter));
    }
    const std::uint64_t conditions = rng.below(5);
    for (std::uint64_t c = 0; c < conditions; ++c)
        made.constraints.push_back({"spec:" + std::to_string(c), {}, {}, parsed(condition(rng, names, 2)), false});
    return made;
}

ValueMask randomMask(SplitMix64& rng, const SearchSpace& space) {
    ValueMask mask = space.fullMask();
    for (auto& row : mask) {
        for (std::size_t v = 0; v < row.size(); ++v)
            row[v] = rng.below(3) != 0;
        if (std::find(row.begin(), row.end(), true) == row.end()) row[rng.below(row.size())] = true;
    }
    return mask;
}

/// All combinations by the general evaluator alone.
std::vector<Configuration> bruteForce(const Made& made, const ValueMask& mask) {
    std::vector<Configuration> valid;
    Configuration now;
    now.index.assign(made.parameters.size(), 0);
    for (;;) {
        expr::Scope scope;
        bool good = true;
        for (std::size_t p = 0; p < made.parameters.size(); ++p) {
            scope.set(made.parameters[p].name, made.parameters[p].values[now.index[p]]);
            good = good && mask[p][now.index[p]];
        }
        for (const Constraint& constraint : made.constraints) {
            const auto value = constraint.expression.evaluate(scope);
            good = good && value && value->truthy();
        }
        if (good) valid.push_back(now);
        std::size_t p = made.parameters.size();
        while (p > 0 && ++now.index[p - 1] == made.parameters[p - 1].values.size())
            now.index[--p] = 0;
        if (p == 0) return valid;
    }
}

std::string describe(const Made& made) {
    std::string text;
    for (const Parameter& parameter : made.parameters) {
        text += "\n" + parameter.name + ":";
        for (const Value& value : parameter.values)
            text += " " + value.repr();
    }
    for (const Constraint& constraint : made.constraints)
        text += "\n" + constraint.expression.text();
    return text;
}

}  // namespace

class TestSearchSpaceRandom : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithBruteForce();
    void drawsUniformly();
    void drawsUniformlyUnderAMask();
    void smallLimitsAreReported();
    void countsPublishedSpecs_data();
    void countsPublishedSpecs();
};

void TestSearchSpaceRandom::agreesWithBruteForce() {
    SplitMix64 rng(4711);
    int empty = 0, partly = 0;
    for (int round = 0; round < 1500; ++round) {
        const Made made = randomSpace(rng);
        const auto space = SearchSpace::create(made.parameters, made.constraints, {});
        VERIFY_OK(space);
        const ValueMask mask = round % 2 ? randomMask(rng, *space) : space->fullMask();
        const std::vector<Configuration> expected = bruteForce(made, mask);
        const std::string text = describe(made);
        ++(expected.empty() ? empty : partly);

        const Count count = space->countValid(&mask);
        QVERIFY2(count.exact && count.value == static_cast<double>(expected.size()), text.c_str());
        std::vector<Configuration> listed;
        space->forEachValid([&](const Configuration& configuration) { return listed.push_back(configuration), true; }, &mask);
        QVERIFY2(listed == expected, text.c_str());
        const std::set<Configuration> set(expected.begin(), expected.end());

        const auto drawn = space->sample(rng, &mask);
        QVERIFY2(drawn.has_value() == !expected.empty() && (!drawn || set.contains(*drawn)), text.c_str());

        // Any configuration, valid or not: its neighbours are the valid ones at distance one.
        Configuration base = space->defaultConfiguration();
        for (std::size_t p = 0; p < base.index.size(); ++p)
            base.index[p] = static_cast<std::uint16_t>(rng.below(made.parameters[p].values.size()));
        std::vector<Configuration> near;
        for (const Configuration& candidate : expected) {
            int distance = 0;
            for (std::size_t p = 0; p < base.index.size(); ++p)
                distance += candidate.index[p] != base.index[p] ? 1 : 0;
            if (distance == 1) near.push_back(candidate);
        }
        std::vector<Configuration> found = space->neighbours(base, &mask);
        std::sort(found.begin(), found.end());
        QVERIFY2(found == near, text.c_str());

        const auto all = bruteForce(made, space->fullMask());
        QCOMPARE(space->isValid(base), std::find(all.begin(), all.end(), base) != all.end());
        QCOMPARE(space->explain(base).has_value(), !space->isValid(base));

        std::vector<std::optional<std::uint16_t>> partial(base.index.size());
        const std::size_t asked = rng.below(partial.size());
        for (std::size_t p = 0; p < partial.size(); ++p)
            if (p != asked && rng.below(2) == 0) partial[p] = drawn && rng.below(4) != 0 ? drawn->index[p] : base.index[p];
        std::vector<bool> feasible(made.parameters[asked].values.size(), false);
        for (const Configuration& candidate : expected) {
            bool agrees = true;
            for (std::size_t p = 0; p < partial.size(); ++p)
                agrees = agrees && (!partial[p] || *partial[p] == candidate.index[p]);
            if (agrees) feasible[candidate.index[asked]] = true;
        }
        QVERIFY2(space->feasibleValues(partial, asked, &mask) == feasible, text.c_str());

        for (const auto& [id, refused] : space->rejectedBy()) {
            Made alone = made;
            std::erase_if(alone.constraints, [&](const Constraint& constraint) { return constraint.id != id; });
            QVERIFY2(refused.exact, text.c_str());
            QCOMPARE(refused.value, space->cartesianSize() - static_cast<double>(bruteForce(alone, space->fullMask()).size()));
        }
    }
    QVERIFY2(empty > 50 && partly > 500, qPrintable(QStringLiteral("%1 empty, %2 not").arg(empty).arg(partly)));
}

namespace {

SearchSpace skewedSpace() {
    const auto numbers = [](const char* name, int count) {
        Parameter parameter;
        parameter.name = name;
        for (int i = 1; i <= count; ++i)
            parameter.values.emplace_back(i);
        return parameter;
    };
    auto space = SearchSpace::create({numbers("A", 8), numbers("B", 8), numbers("C", 4)},
                                     {{"spec:0", {}, {}, parsed("A * B <= 12"), false}, {"spec:1", {}, {}, parsed("A % C == 0"), false}}, {});
    if (!space) qFatal("%s", space.error().toString().c_str());
    return *space;
}

/// Pearson's statistic of draws over all valid configurations.
double chiSquare(const SearchSpace& space, const ValueMask* mask, int draws, std::size_t& cells) {
    std::map<Configuration, int> seen;
    space.forEachValid([&](const Configuration& configuration) { return seen.emplace(configuration, 0), true; }, mask);
    SplitMix64 rng(99);
    for (int i = 0; i < draws; ++i)
        ++seen.at(*space.sample(rng, mask));
    cells = seen.size();
    const double expected = static_cast<double>(draws) / static_cast<double>(cells);
    double statistic = 0;
    for (const auto& [configuration, hits] : seen)
        statistic += (hits - expected) * (hits - expected) / expected;
    return statistic;
}

// Wilson and Hilferty's approximation of the 99.9 % quantile.
double quantile(std::size_t degrees) {
    const double k = static_cast<double>(degrees), spread = 2.0 / (9.0 * k);
    return k * std::pow(1.0 - spread + 3.0902 * std::sqrt(spread), 3);
}

}  // namespace

void TestSearchSpaceRandom::drawsUniformly() {
    const SearchSpace space = skewedSpace();
    std::size_t cells = 0;
    const double statistic = chiSquare(space, nullptr, 40000, cells);
    QVERIFY(cells > 30);
    QVERIFY2(statistic < quantile(cells - 1), qPrintable(QStringLiteral("%1 over %2 cells").arg(statistic).arg(cells)));
}

void TestSearchSpaceRandom::drawsUniformlyUnderAMask() {
    const SearchSpace space = skewedSpace();
    ValueMask mask = space.fullMask();
    mask[0] = {true, false, false, true, false, true, false, false};
    std::size_t cells = 0;
    const double statistic = chiSquare(space, &mask, 20000, cells);
    QVERIFY(cells > 10 && cells < 40);
    QVERIFY2(statistic < quantile(cells - 1), qPrintable(QStringLiteral("%1 over %2 cells").arg(statistic).arg(cells)));
}

void TestSearchSpaceRandom::smallLimitsAreReported() {
    DiagramInput input;
    expr::Objects objects;
    std::vector<std::string> names;
    for (std::size_t p = 0; p < 6; ++p) {
        input.order.push_back(p);
        names.emplace_back(1, static_cast<char>('A' + p));
        auto& domain = input.domains.emplace_back();
        for (int v = 0; v < 10; ++v)
            domain.push_back(expr::Number::ofInt(v));
    }
    for (const char* text : {"A != B", "A * C + B * D + (A ^ E) * (B ^ F) + C * F == 77"}) {
        auto tree = expr::resolve(parsed(text), names, expr::Scope());
        VERIFY_OK(tree);
        input.constraints.push_back(*tree);
    }
    const BuiltDiagram built = buildDiagram(input, objects, {100, 1000});
    QVERIFY(!built.diagram.has_value());
    QCOMPARE(built.widest, std::size_t{1});
    QVERIFY(buildDiagram(input, objects, DiagramLimits{}).diagram.has_value());
}

void TestSearchSpaceRandom::countsPublishedSpecs_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("valid");
    QTest::newRow("convolution_milo") << "hub-convolution_milo" << 4362.0;
    QTest::newRow("dedispersion_milo") << "hub-dedispersion_milo" << 11130.0;
    QTest::newRow("gemm_milo") << "hub-gemm_milo" << 116928.0;
    QTest::newRow("GEMM") << "bat-GEMM" << 10312.0;
    QTest::newRow("convolution") << "bat-convolution" << 6768.0;
    QTest::newRow("pnpoly") << "bat-pnpoly" << 4092.0;
    QTest::newRow("MD5Hash") << "bat-MD5Hash" << 165888.0;
    QTest::newRow("coulomb3d") << "ktt-coulomb3d" << 210.0;
    QTest::newRow("stencil_22m") << "large-stencil_22m" << 197560.0;
    QTest::newRow("huge_1e12") << "large-huge_1e12" << 20258156432.0;
}

void TestSearchSpaceRandom::countsPublishedSpecs() {
    QFETCH(QString, name);
    QFETCH(double, valid);
    const auto folder = specFolder();
    if (!folder) QSKIP("WARPWRIGHT_DATA names no folder with specs/, so the published specs are not counted");
    const auto space = readSpace(*folder / (name.toStdString() + ".json"));
    VERIFY_OK(space);
    const Count count = space->countValid();
    QVERIFY(count.exact);
    QCOMPARE(count.value, valid);
    if (valid > 1e6) return;
    double listed = 0;
    space->forEachValid([&](const Configuration& configuration) { return listed += space->isValid(configuration) ? 1 : 0, true; });
    QCOMPARE(listed, valid);
}

QTEST_APPLESS_MAIN(TestSearchSpaceRandom)
#include "tst_search_space_random.moc"
