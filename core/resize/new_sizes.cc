// SPDX-License-Identifier: Apache-2.0
#include "core/resize/new_sizes.h"

#include <utility>

#include "core/ir/type_algebra.h"
#include "core/ops/op_def.h"

namespace dragoman {

Status InferNewSizes(Node& node, Inference& inference) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr && FindOp(node) != nullptr)
      node.result(i)->set_type(WithoutShapes(node.result(i)->type()));
  }
  return inference.InferNode(node);
}

std::optional<std::vector<std::int64_t>> ReshapeSizes(const Shape& from, const Shape& to) {
  std::vector<std::int64_t> sizes;
  bool follows = false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i].known()) {
      if (to[i].value() == 0) return std::nullopt;
      sizes.push_back(to[i].value());
    } else if (i < from.size() && Equal(from[i], to[i]) == Truth::kYes) {
      sizes.push_back(0);
    } else if (!std::exchange(follows, true)) {
      sizes.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  return sizes;
}

}  // namespace dragoman
