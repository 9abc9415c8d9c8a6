// SPDX-License-Identifier: Apache-2.0
// Numbers as common values and back.
#ifndef DRAGOMAN_CORE_LOWERING_NUMBER_VALUE_H_
#define DRAGOMAN_CORE_LOWERING_NUMBER_VALUE_H_

#include "core/analysis/builder.h"
#include "core/lowering/abstract.h"
#include "core/support/result.h"

namespace dragoman {

// A 0-d value of `dtype`.
Result<Value*> NumberValue(GraphBuilder& builder, const Number& number, DType dtype);
// The number that the 0-d `value` is: known if inference knows it, or if a few operators compute it
// from constants alone.
Number NumberFrom(const GraphBuilder& builder, Number::Kind kind, Value* value);
// The kind of number that an element of `dtype` is in Python.
Number::Kind KindOf(DType dtype);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_NUMBER_VALUE_H_
