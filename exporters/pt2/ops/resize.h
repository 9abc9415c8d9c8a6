// SPDX-License-Identifier: Apache-2.0
// Resize as arithmetic on coordinates, where no operator of ATen does what ONNX asks.
#ifndef DRAGOMAN_EXPORTERS_PT2_OPS_RESIZE_H_
#define DRAGOMAN_EXPORTERS_PT2_OPS_RESIZE_H_

#include <vector>

#include "core/rewrite/resize_weights.h"
#include "exporters/pt2/aten_op.h"

namespace dragoman::pt2 {

// Computes places and weights when the program runs: scales, regions and sizes need not be known,
// only how the sizes of the result follow from others.
Emitted ResizeByFormula(const AtenOp& op, const std::vector<ResizedAxis>& axes);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_OPS_RESIZE_H_
