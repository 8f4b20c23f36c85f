// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ww::policy {

/// Every hyper-parameter of PPO in one place; docs/policy.md says why each value. Names as in cleanrl.
struct PpoParameters {
    // The session
    int episodeLength = 8;     ///< consecutive trials from one incumbent
    int numSteps = 8;          ///< new transitions that start an update
    int window = 24;           ///< most recent transitions that an update sees
    int resampleAttempts = 32; ///< draws from the policy before a proposal falls back to a uniform one

    // Advantages
    double gamma = 0.6; ///< a trial changes later ones only through what is learned, so the horizon is short
    double gaeLambda = 0.9;

    // Optimisation
    int updateEpochs = 3; ///< full-batch steps per update
    double learningRate = 3e-3;
    double adamBeta1 = 0.9, adamBeta2 = 0.999, adamEpsilon = 1e-5;
    double clipCoef = 0.2;
    double entCoef = 0.01; ///< times the entropy as a share of its maximum
    double vfCoef = 0.5;
    double maxGradNorm = 0.5;
    double targetKl = 0.05; ///< epochs stop early beyond it

    // Network
    int hidden = 32;        ///< Debian's LibTorch multiplies with the reference BLAS: 64 would triple an update
    double logitBound = 10; ///< logits pass through bound * tanh(x / bound): nothing becomes impossible for good
};

} // namespace ww::policy
