// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/safe_softmax.h"

#include <cmath>
#include <cstdint>

#include "core/ops/declared_attributes.h"
#include "core/rewrite/joined_parts.h"

namespace dragoman {

Result<Value*> InsertSafeSoftmax(const Node& softmax, Node& position, PassContext& context) {
  Value* x = softmax.operand(0);
  const std::int64_t reduced[] = {AxisIn(softmax, *x)};
  const auto constant = [&](Tensor tensor, const char* name) {
    return context.AddConstant(*position.graph(), std::move(tensor), name, position.origin());
  };
  const auto number = [&](double value) -> Result<Value*> {
    DRAGOMAN_ASSIGN(Tensor tensor, Tensor::Full(x->type().dtype(), {}, value));
    return constant(std::move(tensor), "number");
  };
  DRAGOMAN_ASSIGN(Value * most, context.Insert(position, "ReduceMax",
                                               {{x, constant(Tensor::Ints(reduced), "axes")}},
                                               {{"keepdims", std::int64_t{1}}}));
  DRAGOMAN_ASSIGN(Value * hidden, number(-INFINITY));
  DRAGOMAN_ASSIGN(Value * zero, number(0));
  DRAGOMAN_ASSIGN(Value * none, context.Insert(position, "Equal", {{most, hidden}}));
  return context.Insert(position, "Where", {{none, zero, softmax.result()}});
}

}  // namespace dragoman
