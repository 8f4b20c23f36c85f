// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "source/device_code.h"
#include "source/python_flow.h"

namespace ww::source {

/// Fills a FunctionModel from one Triton function.
class PythonStatements {
public:
    PythonStatements(std::string_view text, const PythonTerms& terms, const BlockAnalysis& blocks,
                     const std::set<std::string, std::less<>>& functions, FunctionModel& out) :
        m_text(text), m_terms(terms), m_blocks(blocks), m_functions(functions), m_out(out) {}

    void read(TSNode function);

private:
    void enter(TSNode node);
    void leave(TSNode node);
    void loop(TSNode node, bool counted);
    void trips(TSNode range, Loop& loop) const;
    void branch(TSNode node, std::string_view kind, TSNode condition);
    void call(TSNode node);
    void memory(TSNode node, std::string_view name, AccessKind kind);
    void operation(OperationKind kind, std::string name, TSNode node);
    [[nodiscard]] std::string shortText(TSNode node) const;

    std::string_view m_text;
    const PythonTerms& m_terms;
    const BlockAnalysis& m_blocks;
    const std::set<std::string, std::less<>>& m_functions;  ///< under @triton.jit
    FunctionModel& m_out;
    std::unordered_map<const void*, int*> m_open;           ///< loops and branches we are in, with the depth they count
    int m_loopDepth = 0;
    int m_branchDepth = 0;
};

}  // namespace ww::source
