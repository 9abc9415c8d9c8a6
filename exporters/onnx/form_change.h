// SPDX-License-Identifier: Apache-2.0
// What the changes of an operator's form (lower_opset.h) share.
//
// Each returns "" or why the older form cannot express the node; the node is as it was then,
// or will not be written.
#ifndef DRAGOMAN_EXPORTERS_ONNX_FORM_CHANGE_H_
#define DRAGOMAN_EXPORTERS_ONNX_FORM_CHANGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman {

// The contents of a constant operand; else nullptr.
const Tensor* ConstantAt(const Node& node, std::size_t i);

// Omits operand `i`, and trailing ones that are omitted.
void DropOperand(Node& node, std::size_t i);

// Operand `i`, constant integers, becomes attribute `name`.
std::string OperandToAttribute(Node& node, std::size_t i, std::string_view name);

// Attribute `name`, an integer that is `only`, goes.
std::string DropInt(Node& node, std::string_view name, std::int64_t only);
std::string DropOnes(Node& node, std::string_view name);

// Where negative axes count from the end of `rank` axes, of operand 0 if none is given: made plain.
std::string CountAxisFromFront(Node& node, std::string_view name = "axis",
                               std::optional<int> rank = std::nullopt);
std::string CountAxesFromFront(Node& node, std::string_view name, std::optional<int> rank);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_FORM_CHANGE_H_
