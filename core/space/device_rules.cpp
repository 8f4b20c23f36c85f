// SPDX-License-Identifier: Apache-2.0
#include "space/device_rules.h"

#include <utility>

namespace ww::space {

namespace {

Result<void> addRule(std::vector<Constraint>& rules, std::string id, const std::string& text, std::string sentence, std::string suggestion) {
    WW_TRY(expression, expr::Expression::parse(text));
    rules.push_back({std::move(id), std::move(sentence), std::move(suggestion), std::move(expression), true});
    return {};
}

}  // namespace

Result<std::vector<Constraint>> deviceRules(const std::vector<std::string>& localSize, const std::string& dynamicSharedBytes) {
    if (localSize.size() > 3) return fail(ErrorCode::InvalidArgument, "a block has at most three dimensions; give x, y and z");
    std::vector<Constraint> rules;
    std::string product;
    for (std::size_t d = 0; d < localSize.size(); ++d) {
        const std::string axis(1, "xyz"[d]);
        // Parsed alone first: text such as "1) + (2" must not change the meaning of the rule around it.
        WW_CHECK(expr::Expression::parse(localSize[d]));
        const std::string size = "(" + localSize[d] + ")";
        WW_CHECK(addRule(rules, "rule:block_positive_" + axis, size + " >= 1", "a block has at least one thread in " + axis,
                         "raise the block size in " + axis + " to 1 or more"));
        WW_CHECK(addRule(rules, "rule:block_" + axis, size + " <= max_block_" + axis, "the device limits the block size in " + axis,
                         "lower the block size in " + axis));
        product += (product.empty() ? "" : " * ") + size;
    }
    if (!product.empty()) {
        WW_CHECK(addRule(rules, "rule:block_threads", product + " <= max_threads_per_block", "the device limits the threads of a block",
                         "lower the block size in one dimension"));
    }
    if (!dynamicSharedBytes.empty()) {
        WW_CHECK(expr::Expression::parse(dynamicSharedBytes));
        WW_CHECK(addRule(rules, "rule:shared_memory", "0 <= (" + dynamicSharedBytes + ") <= smem_per_block_optin",
                         "the device limits the shared memory of a block (bytes)", "use smaller tiles, fewer stages or a narrower type"));
    }
    return rules;
}

}  // namespace ww::space
