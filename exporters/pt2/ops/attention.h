// SPDX-License-Identifier: Apache-2.0
// Attention in products and a softmax.
#ifndef DRAGOMAN_EXPORTERS_PT2_OPS_ATTENTION_H_
#define DRAGOMAN_EXPORTERS_PT2_OPS_ATTENTION_H_

#include <optional>

#include "exporters/pt2/aten_op.h"

namespace dragoman::pt2 {

// The MatMul of the node as scaled_dot_product_attention, if its first operand is the softmax of a
// product of queries and keys, perhaps with a mask. PyTorch gives 0 in rows whose elements are all
// -inf, where the formula gives NaN: a mask must be finite, as far as is known.
std::optional<Term> AttentionOf(const AtenOp& op);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_OPS_ATTENTION_H_
