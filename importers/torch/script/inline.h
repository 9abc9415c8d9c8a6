// SPDX-License-Identifier: Apache-2.0
// Inlines the calls of a TorchScript source Model.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_INLINE_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_INLINE_H_

#include <string_view>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// The graph of a method or function by its qualified name, "__torch__.m.Net.helper", among
// functions and entries; nullptr: there is none.
const Graph* FindTorchFunction(const Model& model, std::string_view qualified_name);

// A copy in which every prim.CallFunction, and every prim.CallMethod on a value of a class, is
// replaced by the callee's nodes, in entries and functions alike. Calls through interfaces stay.
// Origins of inlined nodes get the scope of the call in front of their own. Errors: recursion; the
// SizeBudget is used up.
Result<Model> InlineCalls(const Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_INLINE_H_
