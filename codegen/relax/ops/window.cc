// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/ops/window.h"

#include <optional>
#include <utility>

namespace dragoman::relax {

Result<Layout> LayoutOf(const RelaxOp& op, bool transposed) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  if (shape.size() < 3 || shape.size() > 5) return op.Refuse("only one to three spatial axes");
  const std::string axes = shape.size() == 3 ? "W" : shape.size() == 4 ? "HW" : "DHW";
  return Layout{static_cast<std::int64_t>(shape.size()) - 2, "NC" + axes,
                (transposed ? "IO" : "OI") + axes};
}

Result<std::vector<std::int64_t>> PadsOf(const RelaxOp& op, const Layout& layout,
                                         const std::vector<std::int64_t>& kernel) {
  std::optional<std::vector<std::int64_t>> pads = tvm::WindowPads(op.node, layout.spatial, kernel);
  if (!pads) return op.Refuse("automatic padding of a size that is known at run time only");
  return *std::move(pads);
}

}  // namespace dragoman::relax
