// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "source/device_code.h"
#include "source/lanes.h"

namespace ww::source {

/// Fills a FunctionModel from one function's tree; macros that hold accesses or barriers are read where they are used.
class StatementReader {
public:
    StatementReader(const LaneAnalysis& lanes, const Tokens& tokens, FunctionModel& out) :
        m_lanes(&lanes), m_text(lanes.text()), m_tokens(tokens), m_out(out) {}

    void read(TSNode function);

private:
    /// What becomes of an access found below an assignment, ++ or &; by node.
    enum class Role { Store, Update, None };

    void region(TSNode root);
    bool enter(TSNode node);
    void leave(TSNode node);
    void loop(TSNode node, std::string_view type);
    void trips(TSNode node, Loop& loop) const;
    void branch(TSNode node, std::string_view type);
    void declaration(TSNode node);
    void assignment(TSNode node);
    void access(TSNode node);
    void call(TSNode node);
    void texture(TSNode node, std::string_view name);
    void byFunction(TSNode node, std::string_view name, AccessKind kind);
    void inlinePtx(TSNode node);
    void ptxAccess(const std::string& opcode, TSNode address, TSNode statement);
    void operation(OperationKind kind, std::string_view name, TSNode node);
    void lambda(TSNode node);
    void macro(TSNode node, std::string_view name);
    [[nodiscard]] std::string unrollBefore(TSNode loop) const;
    void record(TSNode node, const Flow& address, AccessKind kind, std::string_view member, std::string hint);
    [[nodiscard]] int lineAt(TSNode node) const { return m_line > 0 ? m_line : lineOf(node); }

    const LaneAnalysis* m_lanes;
    std::string_view m_text;
    const Tokens& m_tokens;
    FunctionModel& m_out;
    std::unordered_map<const void*, Role> m_roles;
    std::unordered_map<const void*, std::string_view> m_members;      ///< p[i].x: the member that is touched
    std::unordered_map<const void*, std::string_view> m_lambdaNames;
    std::unordered_map<const void*, bool> m_open;                     ///< branches and loops we are in; whether they split a warp
    int m_loopDepth = 0;
    int m_branchDepth = 0;
    int m_divergence = 0;
    int m_line = 0;                                         ///< of the macro's use; 0 in ordinary code
    int m_expansions = 0;
};

}  // namespace ww::source
