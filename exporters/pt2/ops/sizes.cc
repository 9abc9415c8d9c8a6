// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/ops/sizes.h"

#include <utility>

namespace dragoman::pt2 {

Size SizeElement(const AtenOp& op, std::size_t operand, std::size_t i) {
  const Knowledge known = op.inference.Know(op.node.operand(operand));
  if (known.tensor != nullptr) return Size(known.tensor->IntAt(static_cast<std::int64_t>(i)));
  if (known.elements && i < known.elements->size()) {
    if (const std::optional<Size> size = op.graph.SizeOf((*known.elements)[i])) return *size;
  }
  return op.ItemAt(op.arg(operand), static_cast<std::int64_t>(i)).size;
}

Emitted TensorOfSizes(const AtenOp& op, const Shape& shape) {
  if (const std::optional<Ints> known = KnownShape(shape)) return One(op.Constant(*known));
  DRAGOMAN_ASSIGN(const Sizes sizes, op.SizesOf(shape));
  Terms scalars;
  for (const Size& size : sizes) {
    scalars.push_back(op.Call("aten.scalar_tensor.default", {{"s", size}, Kw("dtype", DType::kI64)},
                              {DType::kI64, {}}));
  }
  if (scalars.size() == 1) return One(op.Unsqueeze(scalars.front(), 0));
  const Dim count = static_cast<std::int64_t>(scalars.size());
  return One(op.Call("aten.stack.default", {{"tensors", scalars}}, {DType::kI64, {count}}));
}

}  // namespace dragoman::pt2
