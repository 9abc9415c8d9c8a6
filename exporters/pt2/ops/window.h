// SPDX-License-Identifier: Apache-2.0
// Windows of convolutions and pools.
#ifndef DRAGOMAN_EXPORTERS_PT2_OPS_WINDOW_H_
#define DRAGOMAN_EXPORTERS_PT2_OPS_WINDOW_H_

#include <cstdint>

#include "exporters/pt2/aten_op.h"

namespace dragoman::pt2 {

struct Window {
  Ints kernel;
  Ints strides;
  Ints dilations;
  Ints begins;  // pads in front of each spatial axis
  Ints ends;    // and after it

  std::size_t axes() const { return kernel.size(); }
  bool is_symmetric() const { return begins == ends; }
};

// The window of the node, over operand 0 and with a kernel of the given sizes. Pads that sizes
// decide are resolved. Errors: they are known at run time only.
Result<Window> WindowOf(const AtenOp& op, Ints kernel);
// Elements after the last spatial axes that the windows of a result of these sizes need beyond
// `ends`, which is negative where they leave some out. Errors: a size is not known.
Result<Ints> EndsFor(const AtenOp& op, const Window& window, const Shape& result);

// `x` with `value` around its last axes.
Term PadSpatial(const AtenOp& op, const Term& x, const Ints& begins, const Ints& ends,
                double value);

// "aten.conv2d.default" of "aten.conv{}d.default" for two axes.
std::string OfAxes(std::string_view pattern, std::size_t axes);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_OPS_WINDOW_H_
