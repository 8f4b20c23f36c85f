// SPDX-License-Identifier: Apache-2.0
#include "source/array_bytes.h"

#include "source/functions.h"

namespace ww::source {

ArrayBytes arrayBytes(std::string_view type, TSNode declarator, const LaneAnalysis& lanes) {
    ArrayBytes out;
    const std::string_view text = lanes.text();
    std::optional<Term> count = termOf(1);
    bool pointers = false;
    for (; !ts_node_is_null(declarator) && !is(declarator, "identifier"); declarator = innerDeclarator(declarator)) {
        pointers |= is(declarator, "pointer_declarator");
        const TSNode size = childByField(declarator, "size");
        if (ts_node_is_null(size)) {
            if (is(declarator, "array_declarator")) out.whyNot = "it has no extent here";
            continue;
        }
        out.extents.insert(out.extents.begin(), squeezed(textOf(size, text)));
        const auto extent = lanes.term(size);
        if (!extent && out.whyNot.empty()) out.whyNot = "\"" + out.extents.front() + "\" is not made of the file's parameters";
        // The walk goes from the innermost extent outwards; the product reads in the order of the text.
        if (count) count = extent ? combine("*", *extent, *count) : std::nullopt;
    }
    const int bytes = pointers ? 8 : lanes.file().types.of(type).bytes;
    if (bytes == 0 && out.whyNot.empty()) out.whyNot = "the size of \"" + std::string(type) + "\" is not known here";
    if (!out.whyNot.empty() || !count) return out;
    const auto total = combine("*", *count, termOf(bytes));
    if (total) out.bytes = total->text;
    if (!total) out.whyNot = "the expression is too long";
    return out;
}

SharedArray sharedArray(TSNode declaration, TSNode declarator, bool dynamic, const LaneAnalysis& lanes) {
    SharedArray array;
    const TSNode name = declaredName(declarator);
    array.name = std::string(textOf(name, lanes.text()));
    array.elementType = squeezed(textOf(childByField(declaration, "type"), lanes.text()));
    array.dynamic = dynamic;
    array.line = lineOf(declarator);
    ArrayBytes storage = arrayBytes(array.elementType, declarator, lanes);
    array.extents = std::move(storage.extents);
    array.bytes = dynamic ? std::string{} : std::move(storage.bytes);
    array.whyNot = dynamic ? "its size is given at launch" : std::move(storage.whyNot);
    return array;
}

}  // namespace ww::source
