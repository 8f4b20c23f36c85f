// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "source/syntax_tree.h"

namespace ww::source {

/// Size of a type as CUDA lays it out; bytes 0 where it is unknown.
struct ElementType {
    int components = 1;  ///< 4 for float4
    int bytes = 0;       ///< all components
};

/// Built-in types: float, unsigned char, std::int32_t, __half2, float4, uchar4, ...
[[nodiscard]] ElementType builtinType(std::string_view name);

/// The file's own structs and aliases on top of the built-in ones. Names are views of the text that was read.
class TypeTable {
public:
    /// Reads struct definitions and using/typedef aliases in document order; a struct with a member of unknown size stays unknown.
    void read(TSNode root, std::string_view text);

    [[nodiscard]] ElementType of(std::string_view name) const;
    /// The type of a member, or an empty view.
    [[nodiscard]] std::string_view memberType(std::string_view type, std::string_view member) const;

private:
    struct Record {
        int bytes = 0;
        std::map<std::string_view, std::string_view> members;
    };

    void readRecord(TSNode node, std::string_view text);
    void readAlias(TSNode node, std::string_view text);
    [[nodiscard]] std::string_view resolved(std::string_view name) const;

    std::map<std::string_view, Record> m_records;
    std::map<std::string_view, std::string_view> m_aliases;
};

}  // namespace ww::source
