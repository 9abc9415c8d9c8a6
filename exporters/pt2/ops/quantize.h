// SPDX-License-Identifier: Apache-2.0
// Numbers on the grid of an integer type.
#ifndef DRAGOMAN_EXPORTERS_PT2_OPS_QUANTIZE_H_
#define DRAGOMAN_EXPORTERS_PT2_OPS_QUANTIZE_H_

#include <optional>

#include "exporters/pt2/aten_op.h"

namespace dragoman::pt2 {

// x rounded to the nearest integer, ties to even, plus `zero`, saturated to `to`.
Term Saturated(const AtenOp& op, const Term& x, const std::optional<Term>& zero, DType to);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_OPS_QUANTIZE_H_
