// SPDX-License-Identifier: Apache-2.0
// Resize of one axis after the other, by gathers and weighted sums.
#ifndef DRAGOMAN_CODEGEN_RELAX_OPS_RESIZE_AXIS_H_
#define DRAGOMAN_CODEGEN_RELAX_OPS_RESIZE_AXIS_H_

#include "codegen/relax/relax_op.h"

namespace dragoman::relax {

// Every mode and coordinate transformation of Resize. Where an element of the result comes from is
// computed in f64, from sizes and scales that may be known at run time only; each axis then takes
// the elements that meet there, and sums them with their weights. Antialiasing by a scale of run
// time is a product with the weights of all elements.
Expressions ResizeByAxis(RelaxOp& op);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_OPS_RESIZE_AXIS_H_
