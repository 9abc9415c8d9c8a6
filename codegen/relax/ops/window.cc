#include "codegen/relax/ops/window.h"

#include <algorithm>

namespace dragoman::relax {

Result<Layout> LayoutOf(const RelaxOp& op, bool transposed) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  if (shape.size() < 3 || shape.size() > 5) return op.Refuse("only one to three spatial axes");
  const std::string axes = shape.size() == 3 ? "W" : shape.size() == 4 ? "HW" : "DHW";
  return Layout{static_cast<std::int64_t>(shape.size()) - 2, "NC" + axes,
                (transposed ? "IO" : "OI") + axes};
}

std::vector<std::int64_t> OrFill(std::vector<std::int64_t> values, std::int64_t count,
                                 std::int64_t fill) {
  if (values.empty()) values.assign(static_cast<std::size_t>(count), fill);
  return values;
}

Result<std::vector<std::int64_t>> PadsOf(const RelaxOp& op, const Layout& layout,
                                         const std::vector<std::int64_t>& kernel) {
  const std::string mode = op.String("auto_pad", "NOTSET");
  if (mode == "NOTSET") return OrFill(op.Ints("pads"), 2 * layout.spatial, 0);
  if (mode == "VALID")
    return std::vector<std::int64_t>(static_cast<std::size_t>(2 * layout.spatial), 0);
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::vector<std::int64_t> strides = OrFill(op.Ints("strides"), layout.spatial, 1);
  const std::vector<std::int64_t> dilations = OrFill(op.Ints("dilations"), layout.spatial, 1);
  const auto n = static_cast<std::size_t>(layout.spatial);
  std::vector<std::int64_t> pads(2 * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (!shape[i + 2].known() && strides[i] != 1)
      return op.Refuse("automatic padding of a size that is known at run time only");
    const std::int64_t size = shape[i + 2].known() ? shape[i + 2].value() : 1;
    const std::int64_t out = (size + strides[i] - 1) / strides[i];
    const std::int64_t span = dilations[i] * (kernel[i] - 1) + 1;
    const std::int64_t total = std::max<std::int64_t>(0, (out - 1) * strides[i] + span - size);
    pads[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    pads[i + n] = total - pads[i];
  }
  return pads;
}

}  // namespace dragoman::relax
