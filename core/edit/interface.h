// SPDX-License-Identifier: Apache-2.0
// Changes of what a model shows: the names, order and presence of the inputs and outputs of its
// default entry, its metadata and constants.
//
// A pattern is a name, or a regular expression (ECMAScript) that matches whole names; `$1` in the
// new name stands for its first group.
#ifndef DRAGOMAN_CORE_EDIT_INTERFACE_H_
#define DRAGOMAN_CORE_EDIT_INTERFACE_H_

#include <set>
#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

enum class Renamed { kInput, kOutput, kValue, kNode, kDim };

// Errors: nothing is called so; two would be called alike.
Status Rename(Model& model, Renamed what, const std::string& pattern, const std::string& name);

// Those that are named come first, in this order.
Status ReorderInputs(Model& model, const std::vector<std::string>& names);
Status ReorderOutputs(Model& model, const std::vector<std::string>& names);

// An input that nothing reads, or that has a default, which becomes a constant.
Status DropInput(Model& model, const std::string& name);
// With what is computed for it alone.
Status DropOutput(Model& model, const std::string& name);
// Makes an inner value the last output.
Status ExposeValue(Model& model, const std::string& name);

// In the main graph or a body. Errors: no constant is called so, or it has another type.
Status SetConstant(Model& model, const std::string& name, Tensor tensor);
// The type of a constant. Errors: no constant is called so.
Result<Type> ConstantType(const Model& model, const std::string& name);

void SetMetadata(Model& model, const std::string& key, const std::string& value);
Status RemoveMetadata(Model& model, const std::string& key);
// Texts for people, of everything.
void StripDocumentation(Model& model);
// Names of nodes, and of values that are neither inputs nor outputs.
void StripNames(Model& model);

// Of all values, in the main graph and in bodies.
std::set<std::string> ValueNames(const Model& model);
// A name for a new value of the model, which is `wanted` or like it.
std::string FreshName(const Model& model, const std::string& wanted);
// The input or output of the default entry. Errors: there is none called so.
Result<Value*> FindInput(const Model& model, const std::string& name);
Result<std::size_t> FindOutput(const Model& model, const std::string& name);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_EDIT_INTERFACE_H_
