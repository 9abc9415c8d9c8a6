// SPDX-License-Identifier: Apache-2.0
// Remarks on calls that compute one operator of the common graph, as an attribute of the function:
//
//     def @main(%x: …, composed=["%4|Hardmax|%x|{axis = 1}|5c0a…"]) { … }
//
// says that %4 is Hardmax of %x (core/compare/composed_text.h). Source graphs have names of values
// in place of variables.
#ifndef DRAGOMAN_CODEGEN_RELAY_COMPOSED_H_
#define DRAGOMAN_CODEGEN_RELAY_COMPOSED_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/composed_node.h"
#include "core/ir/graph.h"

namespace dragoman::relay::emit {

inline constexpr std::string_view kComposed = "composed";

// The remark without its digest; `of` gives what stands for a value of the common graph, which gets
// a name of its own. "": a result of the operator is not a result of a call.
std::string RemarkText(const ComposedNode& node, const std::function<Value*(const Value*)>& of,
                       const std::function<std::string()>& fresh_name);

// What the text says of a function of a source graph: "attrs", "type_params", "ret_type".
Attribute::Dict PartsOf(const Graph& function);

// The remarks among these parts.
Attribute::Strings RemarksOf(const Attribute::Dict& parts);
void SetRemarks(Graph& function, Attribute::Strings remarks);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_COMPOSED_H_
