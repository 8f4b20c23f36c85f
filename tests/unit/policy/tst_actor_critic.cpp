// SPDX-License-Identifier: Apache-2.0
// The network and its update against plain loops over what score() and values() answer.
#include <cmath>

#include "base/rng.h"
#include "policy/ppo/descriptors.h"
#include "policy/ppo/transition.h"
#include "policy/torch/actor_critic.h"
#include "result_test.h"

using namespace ww;
using namespace ww::policy;

namespace {

encode::StateVector randomState(SplitMix64& rng) {
    encode::StateVector state{};
    for (float& x : state)
        x = static_cast<float>(rng.uniform());
    return state;
}

Transition randomTransition(SplitMix64& rng, std::uint64_t episode) {
    Transition made;
    made.state = randomState(rng);
    made.nextState = randomState(rng);
    made.reward = 2 * rng.uniform() - 1;
    made.episode = episode;
    made.onPolicy = rng.uniform() < 0.8;
    // The log-probability of an older policy: near, not equal.
    made.logProb = -3 - rng.uniform();
    for (std::size_t s = 0; s < 3; ++s) {
        made.segmentSizes.push_back(static_cast<std::uint32_t>(2 + rng.below(4)));
        made.chosen.push_back(static_cast<std::uint32_t>(rng.below(made.segmentSizes.back())));
        for (std::size_t i = 0; i < made.segmentSizes.back() * kDescriptorSize; ++i)
            made.descriptors.push_back(static_cast<float>(2 * rng.uniform() - 1));
    }
    return made;
}

UpdateBatch batchOf(const std::vector<Transition>& transitions, ActorCritic& network, const PpoParameters& parameters, double temperature) {
    std::vector<const Transition*> pointers;
    std::vector<encode::StateVector> states, nextStates;
    for (const Transition& transition : transitions) {
        pointers.push_back(&transition);
        states.push_back(transition.state);
        nextStates.push_back(transition.nextState);
    }
    return makeBatch(pointers, *network.values(states), *network.values(nextStates), parameters, temperature);
}

struct Expected {
    double policyLoss = 0, valueLoss = 0, entropy = 0, approxKl = 0, clipfrac = 0;
    std::vector<double> logProb;
};

/// Clipped objective, entropy and value loss, one value at a time.
Expected lossByLoops(const std::vector<Transition>& transitions, const UpdateBatch& batch, ActorCritic& network,
                     const PpoParameters& parameters) {
    Expected sum;
    double weights = 0, segments = 0;
    const auto values = *network.values(batch.states);
    for (std::size_t t = 0; t < transitions.size(); ++t) {
        const Transition& transition = transitions[t];
        const auto scores = *network.score(transition.state, transition.descriptors);
        double logProb = 0;
        std::size_t row = 0;
        for (std::size_t s = 0; s < transition.segmentSizes.size(); ++s, ++segments) {
            const std::size_t size = transition.segmentSizes[s];
            const auto scaled = [&](std::size_t k) {
                return static_cast<double>(scores[row + k]) / static_cast<double>(batch.temperature);
            };
            double normaliser = 0, entropy = 0;
            for (std::size_t k = 0; k < size; ++k)
                normaliser += std::exp(scaled(k));
            for (std::size_t k = 0; k < size; ++k)
                entropy -= std::exp(scaled(k)) / normaliser * (scaled(k) - std::log(normaliser));
            sum.entropy += entropy / std::log(static_cast<double>(size));
            logProb += scaled(transition.chosen[s]) - std::log(normaliser);
            row += size;
        }
        sum.logProb.push_back(logProb);
        const double missed = values[t] - static_cast<double>(batch.returns[t]);
        sum.valueLoss += 0.5 * missed * missed / static_cast<double>(transitions.size());
        if (batch.policyWeight[t] == 0) continue;
        const double logRatio = logProb - transition.logProb, ratio = std::exp(logRatio),
                     advantage = static_cast<double>(batch.advantage[t]);
        sum.policyLoss -= std::min(advantage * ratio, advantage * std::clamp(ratio, 1 - parameters.clipCoef, 1 + parameters.clipCoef));
        sum.approxKl += ratio - 1 - logRatio;
        sum.clipfrac += std::abs(ratio - 1) > parameters.clipCoef ? 1 : 0;
        ++weights;
    }
    for (double* figure : {&sum.policyLoss, &sum.approxKl, &sum.clipfrac})
        *figure /= weights;
    sum.entropy /= segments;
    return sum;
}

std::unique_ptr<ActorCritic> make(const PpoParameters& parameters, std::uint64_t seed = 1) {
    auto made = makeTorchActorCritic(seed, parameters);
    if (!made) qFatal("%s", made.error().toString().c_str());
    return std::move(*made);
}

std::vector<Transition> randomTransitions(std::uint64_t seed, std::size_t count = 24) {
    SplitMix64 rng(seed);
    std::vector<Transition> made;
    for (std::size_t i = 0; i < count; ++i)
        made.push_back(randomTransition(rng, i / 8));
    return made;
}

} // namespace

class TestActorCritic : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lossAgreesWithPlainLoops_data();
    void lossAgreesWithPlainLoops();
    void movesTowardsWhatDidWell();
    void criticApproachesItsTargets();
    void stopsAtTheTargetKl();
    void scoresEachRowByItself();
    void logitsAreBounded();
    void weightsTravel();
    void refusesOtherWeights();
    void survivesWhatIsNoNumber();
    void emptyBatch();
};

void TestActorCritic::lossAgreesWithPlainLoops_data() {
    QTest::addColumn<double>("temperature");
    QTest::newRow("cold") << 0.3;
    QTest::newRow("default") << 0.7;
    QTest::newRow("hot") << 2.0;
}

void TestActorCritic::lossAgreesWithPlainLoops() {
    QFETCH(double, temperature);
    PpoParameters parameters;
    parameters.updateEpochs = 1; // the figures are then those before the step
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const auto network = make(parameters, seed);
        const auto transitions = randomTransitions(seed);
        const UpdateBatch batch = batchOf(transitions, *network, parameters, temperature);
        const Expected expected = lossByLoops(transitions, batch, *network, parameters);
        const auto figures = network->update(batch);
        VERIFY_OK(figures);
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-4 * (1 + std::abs(b)); };
        QVERIFY2(near(figures->policyLoss, expected.policyLoss),
                 qPrintable(QString("%1, %2").arg(figures->policyLoss).arg(expected.policyLoss)));
        QVERIFY2(near(figures->valueLoss, expected.valueLoss),
                 qPrintable(QString("%1, %2").arg(figures->valueLoss).arg(expected.valueLoss)));
        QVERIFY2(near(figures->entropy, expected.entropy), qPrintable(QString("%1, %2").arg(figures->entropy).arg(expected.entropy)));
        QVERIFY2(near(figures->approxKl, expected.approxKl), qPrintable(QString("%1, %2").arg(figures->approxKl).arg(expected.approxKl)));
        QVERIFY2(near(figures->clipfrac, expected.clipfrac), qPrintable(QString("%1, %2").arg(figures->clipfrac).arg(expected.clipfrac)));
        QCOMPARE(figures->epochs, 1);
    }
}

void TestActorCritic::movesTowardsWhatDidWell() {
    PpoParameters parameters;
    const auto network = make(parameters);
    auto transitions = randomTransitions(5, 16);
    for (Transition& transition : transitions)
        transition.onPolicy = true;
    UpdateBatch batch = batchOf(transitions, *network, parameters, 0.7);
    const auto before = lossByLoops(transitions, batch, *network, parameters).logProb;
    for (std::size_t i = 0; i < transitions.size(); ++i) {
        batch.logProb[i] = static_cast<float>(before[i]);
        batch.advantage[i] = i % 2 == 0 ? 1.0f : -1.0f;
    }
    VERIFY_OK(network->update(batch));
    const auto after = lossByLoops(transitions, batch, *network, parameters).logProb;
    double good = 0, bad = 0;
    for (std::size_t i = 0; i < transitions.size(); ++i)
        (i % 2 == 0 ? good : bad) += after[i] - before[i];
    QVERIFY2(good > 0 && bad < 0, qPrintable(QString("%1, %2").arg(good).arg(bad)));
}

void TestActorCritic::criticApproachesItsTargets() {
    PpoParameters parameters;
    const auto network = make(parameters);
    const auto transitions = randomTransitions(6);
    UpdateBatch batch = batchOf(transitions, *network, parameters, 0.7);
    for (std::size_t i = 0; i < batch.returns.size(); ++i)
        batch.returns[i] = batch.states[i][0] > 0.5f ? 1.0f : -1.0f;
    const auto first = network->update(batch);
    VERIFY_OK(first);
    for (int i = 0; i < 80; ++i)
        VERIFY_OK(network->update(batch));
    const auto last = network->update(batch);
    VERIFY_OK(last);
    QVERIFY2(last->valueLoss < 0.2 * first->valueLoss, qPrintable(QString("%1, %2").arg(first->valueLoss).arg(last->valueLoss)));
    QVERIFY(last->explainedVariance > first->explainedVariance);
    QVERIFY(last->explainedVariance > 0.7);
}

void TestActorCritic::stopsAtTheTargetKl() {
    PpoParameters parameters;
    parameters.targetKl = 1e-9;
    const auto network = make(parameters);
    const auto figures = network->update(batchOf(randomTransitions(7), *network, parameters, 0.7));
    VERIFY_OK(figures);
    QCOMPARE(figures->epochs, 1);
    parameters.targetKl = 1e9;
    const auto patient = make(parameters);
    const auto all = patient->update(batchOf(randomTransitions(7), *patient, parameters, 0.7));
    VERIFY_OK(all);
    QCOMPARE(all->epochs, parameters.updateEpochs);
}

void TestActorCritic::scoresEachRowByItself() {
    const auto network = make({});
    SplitMix64 rng(1);
    const Transition transition = randomTransition(rng, 0);
    const auto together = network->score(transition.state, transition.descriptors);
    VERIFY_OK(together);
    QCOMPARE(together->size() * kDescriptorSize, transition.descriptors.size());
    for (std::size_t row = 0; row < together->size(); ++row) {
        const auto alone =
            network->score(transition.state, std::span(transition.descriptors).subspan(row * kDescriptorSize, kDescriptorSize));
        VERIFY_OK(alone);
        QVERIFY(std::abs(alone->front() - (*together)[row]) < 1e-5f);
    }
    const auto none = network->score(transition.state, {});
    VERIFY_OK(none);
    QVERIFY(none->empty());
    QVERIFY(network->values({})->empty());
}

void TestActorCritic::logitsAreBounded() {
    PpoParameters parameters;
    const auto network = make(parameters);
    std::vector<float> weights = network->weights();
    for (std::size_t i = 0; i < weights.size() / 3; ++i)
        weights[i] = 1e4f;
    VERIFY_OK(network->setWeights(weights));
    SplitMix64 rng(2);
    const Transition transition = randomTransition(rng, 0);
    const auto scores = network->score(transition.state, transition.descriptors);
    VERIFY_OK(scores);
    for (const float score : *scores)
        QVERIFY(std::abs(static_cast<double>(score)) <= parameters.logitBound * 1.0001);
}

void TestActorCritic::weightsTravel() {
    const PpoParameters parameters;
    const auto first = make(parameters, 1);
    const auto second = make(parameters, 2);
    QVERIFY(first->weights() != second->weights());
    QVERIFY(make(parameters, 1)->weights() == first->weights());
    VERIFY_OK(first->update(batchOf(randomTransitions(3), *first, parameters, 0.7)));
    VERIFY_OK(second->setWeights(first->weights()));
    // The optimiser's moments travel too: the next step is the same.
    const UpdateBatch next = batchOf(randomTransitions(4), *first, parameters, 0.7);
    VERIFY_OK(first->update(next));
    VERIFY_OK(second->update(next));
    QVERIFY(first->weights() == second->weights());
}

void TestActorCritic::refusesOtherWeights() {
    const auto network = make({});
    const auto before = network->weights();
    std::vector<float> shorter(before.begin(), before.end() - 1);
    COMPARE_ERR(network->setWeights(shorter), ErrorCode::InvalidArgument);
    COMPARE_ERR(network->setWeights({}), ErrorCode::InvalidArgument);
    QVERIFY(network->weights() == before);
}

void TestActorCritic::survivesWhatIsNoNumber() {
    const PpoParameters parameters;
    const auto network = make(parameters);
    const auto before = network->weights();
    UpdateBatch batch = batchOf(randomTransitions(9), *network, parameters, 0.7);
    batch.returns[3] = std::nanf("");
    const auto figures = network->update(batch);
    VERIFY_OK(figures);
    QCOMPARE(figures->epochs, 0);
    QVERIFY(network->weights() == before);
}

void TestActorCritic::emptyBatch() {
    const auto network = make({});
    const auto before = network->weights();
    const auto figures = network->update({});
    VERIFY_OK(figures);
    QCOMPARE(figures->epochs, 0);
    QVERIFY(network->weights() == before);
}

QTEST_APPLESS_MAIN(TestActorCritic)
#include "tst_actor_critic.moc"
