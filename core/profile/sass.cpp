// SPDX-License-Identifier: Apache-2.0
#include "profile/sass.h"

#include <algorithm>

namespace ww::profile {
namespace {

struct OpcodeRow {
    std::string_view prefix, name;
};
// Longer prefixes first where one begins with another.
constexpr OpcodeRow kOpcodes[] = {
    {"HMMA", "tensor"},       {"HGMMA", "tensor"},      {"IMMA", "tensor"},       {"IGMMA", "tensor"},       {"BMMA", "tensor"},
    {"BGMMA", "tensor"},      {"DMMA", "tensor"},       {"QMMA", "tensor"},       {"QGMMA", "tensor"},       {"OMMA", "tensor"},
    {"UTCHMMA", "tensor"},    {"UTCQMMA", "tensor"},    {"UTCIMMA", "tensor"},    {"UTCOMMA", "tensor"},     {"WARPGROUP", "barrier"},
    {"WARPSYNC", "barrier"},  {"BAR", "barrier"},       {"B2R", "barrier"},       {"SYNCS", "barrier"},      {"MEMBAR", "barrier"},
    {"DEPBAR", "barrier"},    {"LDGDEPBAR", "barrier"}, {"ERRBAR", "barrier"},    {"FENCE", "barrier"},      {"CCTL", "barrier"},
    {"LDGSTS", "async_copy"}, {"UBLKCP", "async_copy"}, {"UTMA", "async_copy"},   {"UBLKRED", "async_copy"}, {"UBLKPF", "async_copy"},
    {"LDG", "global"},        {"STG", "global"},        {"LD.", "global"},        {"ST.", "global"},         {"LDSM", "shared"},
    {"STSM", "shared"},       {"LDS", "shared"},        {"STS", "shared"},        {"LDL", "local"},          {"STL", "local"},
    {"LDC", "constant"},      {"ULDC", "constant"},     {"LDCU", "constant"},     {"ATOM", "atomic"},        {"RED", "atomic"},
    {"TEX", "global"},        {"TLD", "global"},        {"SULD", "global"},       {"SUST", "global"},        {"FADD", "fp32"},
    {"FMUL", "fp32"},         {"FFMA", "fp32"},         {"FSETP", "fp32"},        {"FSET", "fp32"},          {"FMNMX", "fp32"},
    {"FSEL", "fp32"},         {"FCHK", "fp32"},         {"FSWZADD", "fp32"},      {"DADD", "fp64"},          {"DMUL", "fp64"},
    {"DFMA", "fp64"},         {"DSETP", "fp64"},        {"DMNMX", "fp64"},        {"HADD2", "fp16"},         {"HMUL2", "fp16"},
    {"HFMA2", "fp16"},        {"HSETP2", "fp16"},       {"HSET2", "fp16"},        {"HMNMX2", "fp16"},        {"MUFU", "special"},
    {"F2F", "conversion"},    {"F2I", "conversion"},    {"I2F", "conversion"},    {"I2I", "conversion"},     {"FRND", "conversion"},
    {"F2FP", "conversion"},   {"I2FP", "conversion"},   {"IADD", "integer"},      {"UIADD", "integer"},      {"IMAD", "integer"},
    {"UIMAD", "integer"},     {"IMUL", "integer"},      {"ISETP", "integer"},     {"UISETP", "integer"},     {"LEA", "integer"},
    {"ULEA", "integer"},      {"LOP3", "integer"},      {"ULOP3", "integer"},     {"PLOP3", "integer"},      {"UPLOP3", "integer"},
    {"SHF", "integer"},       {"USHF", "integer"},      {"SHL", "integer"},       {"SHR", "integer"},        {"IABS", "integer"},
    {"IMNMX", "integer"},     {"VIMNMX", "integer"},    {"VIADD", "integer"},     {"POPC", "integer"},       {"FLO", "integer"},
    {"BREV", "integer"},      {"BMSK", "integer"},      {"SGXT", "integer"},      {"IDP", "integer"},        {"ISCADD", "integer"},
    {"MOV", "move"},          {"UMOV", "move"},         {"SEL", "move"},          {"USEL", "move"},          {"PRMT", "move"},
    {"UPRMT", "move"},        {"S2R", "move"},          {"S2UR", "move"},         {"CS2R", "move"},          {"R2UR", "move"},
    {"SHFL", "move"},         {"P2R", "move"},          {"R2P", "move"},          {"VOTE", "move"},          {"REDUX", "move"},
    {"BRA", "control"},       {"BRX", "control"},       {"JMP", "control"},       {"EXIT", "control"},       {"RET", "control"},
    {"CALL", "control"},      {"BSSY", "control"},      {"BSYNC", "control"},     {"BREAK", "control"},      {"BMOV", "control"},
    {"YIELD", "control"},     {"KILL", "control"},      {"NANOSLEEP", "control"}, {"ELECT", "control"}};

/// "/*0010*/ @!P0 FFMA.FTZ R1, R2, R3, R4 ;" -> "FFMA.FTZ"; empty where the line holds no instruction.
std::string_view opcodeOf(std::string_view line) {
    const auto skip = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t{"), line.size())); };
    skip();
    if (!line.starts_with("/*")) return {};
    const auto address = line.find("*/");
    if (address == std::string_view::npos || line.substr(2, address - 2).find_first_not_of("0123456789abcdef") != std::string_view::npos)
        return {};
    line.remove_prefix(address + 2);
    skip();
    if (line.starts_with('@')) {
        line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
        skip();
    }
    const auto end = line.find_first_of(" \t;");
    if (line.find(';') == std::string_view::npos || line.empty() || line.front() < 'A' || line.front() > 'Z') return {};
    return line.substr(0, end);
}

} // namespace

std::string_view opcodeClass(std::string_view opcode) noexcept {
    for (const auto& row : kOpcodes) {
        if (opcode.starts_with(row.prefix)) return row.name;
    }
    return "other";
}

std::map<std::string, std::size_t> countOpcodes(std::string_view listing) {
    std::map<std::string, std::size_t> counts;
    while (!listing.empty()) {
        const auto line = listing.substr(0, listing.find('\n'));
        listing.remove_prefix(std::min(listing.size(), line.size() + 1));
        const auto opcode = opcodeOf(line);
        if (!opcode.empty() && opcode != "NOP") ++counts[std::string(opcodeClass(opcode))];
    }
    return counts;
}

} // namespace ww::profile
