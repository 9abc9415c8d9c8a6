// SPDX-License-Identifier: Apache-2.0
// TVM's elementwise operators without attributes that the common dialect has as well: Relax and
// Relay call them by the same names. Their readers and writers share this table.
#ifndef DRAGOMAN_TVM_ELEMENTWISE_CALLS_H_
#define DRAGOMAN_TVM_ELEMENTWISE_CALLS_H_

#include <string_view>

#include "core/support/find_by_key.h"

namespace dragoman::tvm {

struct ElementwiseCall {
  std::string_view common;  // the operator of ai.onnx
  std::string_view name;    // "logical_and"
  int operands = 1;
};

// Sorted by `common`.
inline constexpr ElementwiseCall kElementwiseCalls[] = {
    {"Abs", "abs", 1},
    {"Acos", "acos", 1},
    {"Acosh", "acosh", 1},
    {"Add", "add", 2},
    {"And", "logical_and", 2},
    {"Asin", "asin", 1},
    {"Asinh", "asinh", 1},
    {"Atan", "atan", 1},
    {"Atanh", "atanh", 1},
    {"BitwiseAnd", "bitwise_and", 2},
    {"BitwiseNot", "bitwise_not", 1},
    {"BitwiseOr", "bitwise_or", 2},
    {"BitwiseXor", "bitwise_xor", 2},
    {"Ceil", "ceil", 1},
    {"Cos", "cos", 1},
    {"Cosh", "cosh", 1},
    {"Div", "divide", 2},
    {"Equal", "equal", 2},
    {"Erf", "erf", 1},
    {"Exp", "exp", 1},
    {"Floor", "floor", 1},
    {"Greater", "greater", 2},
    {"GreaterOrEqual", "greater_equal", 2},
    {"IsInf", "isinf", 1},
    {"IsNaN", "isnan", 1},
    {"Less", "less", 2},
    {"LessOrEqual", "less_equal", 2},
    {"Log", "log", 1},
    {"Max", "maximum", 2},
    {"Min", "minimum", 2},
    {"Mul", "multiply", 2},
    {"Neg", "negative", 1},
    {"Not", "logical_not", 1},
    {"Or", "logical_or", 2},
    {"Pow", "power", 2},
    {"Relu", "nn.relu", 1},
    {"Round", "round", 1},
    {"Sigmoid", "sigmoid", 1},
    {"Sign", "sign", 1},
    {"Sin", "sin", 1},
    {"Sinh", "sinh", 1},
    {"Sqrt", "sqrt", 1},
    {"Sub", "subtract", 2},
    {"Tan", "tan", 1},
    {"Tanh", "tanh", 1},
    {"Xor", "logical_xor", 2},
};
static_assert(IsSortedBy(kElementwiseCalls, &ElementwiseCall::common));

// TVM's name of a common operator; empty: it is not in the table.
inline std::string_view NameOfElementwise(std::string_view common) {
  const ElementwiseCall* call = FindByKey(kElementwiseCalls, common, &ElementwiseCall::common);
  return call != nullptr ? call->name : std::string_view();
}

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_TVM_ELEMENTWISE_CALLS_H_
