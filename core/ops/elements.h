// SPDX-License-Identifier: Apache-2.0
// Following the elements of small integer and bool tensors through operators: the arithmetic that
// exporters leave between Shape and Reshape.
#ifndef DRAGOMAN_CORE_OPS_ELEMENTS_H_
#define DRAGOMAN_CORE_OPS_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ops/infer_context.h"

namespace dragoman {

// One element of a result from those of the operands; an omitted operand's is unknown.
using ElementFunction = Dim (*)(const InferContext& context, std::span<const Dim> operands);

// The element of a tensor of one; unknown: it has others, or they are not followed.
Dim OnlyElement(const Knowledge& knowledge);

// Sets the elements of result 0, whose shape is set, to `function` of the operands' elements,
// broadcast together. Does nothing if the elements or sizes of an operand are unknown, or there are
// more than kMaxElements.
void MapElements(InferContext& context, ElementFunction function);

// `value` as an element of `dtype`: unknown if a known value does not fit, or if a size that is not
// known might not (types below 32 bits).
Dim FitElement(DType dtype, const Dim& value);

// The elements of a small tensor of integers or bools. What a Dim does not hold (u64) is unknown.
Elements IntegerElements(const Tensor& tensor);

// A bool element: 1, 0 or unknown.
Dim ToElement(Truth truth);
// An element as a bool: whether it is not 0.
Truth ToTruth(const Dim& element);

// Where element `flat` of a row-major tensor of sizes `to` lies in one of sizes `from` that
// broadcasts to it.
std::size_t BroadcastOffset(std::size_t flat, std::span<const std::int64_t> to,
                            std::span<const std::int64_t> from);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_ELEMENTS_H_
