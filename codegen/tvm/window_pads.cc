// SPDX-License-Identifier: Apache-2.0
#include "codegen/tvm/window_pads.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/ir/node_attributes.h"

namespace dragoman::tvm {
namespace {

using Ints = std::vector<std::int64_t>;

Ints IntsOf(const Node& node, std::string_view name) {
  const Attribute::Ints* found = IntsAttribute(node, name);
  return found != nullptr ? *found : Ints();
}

}  // namespace

Ints OrFill(Ints values, std::int64_t count, std::int64_t fill) {
  if (values.empty()) values.assign(static_cast<std::size_t>(count), fill);
  return values;
}

std::optional<Ints> WindowPads(const Node& node, std::int64_t spatial, const Ints& kernel) {
  const std::string mode = TextAttribute(node, "auto_pad", "NOTSET");
  if (mode == "NOTSET") return OrFill(IntsOf(node, "pads"), 2 * spatial, 0);
  const auto n = static_cast<std::size_t>(spatial);
  Ints pads(2 * n, 0);
  if (mode == "VALID") return pads;
  const Shape* shape = node.operand(0)->type().shape();
  if (shape == nullptr) return std::nullopt;
  const Ints strides = OrFill(IntsOf(node, "strides"), spatial, 1);
  const Ints dilations = OrFill(IntsOf(node, "dilations"), spatial, 1);
  for (std::size_t i = 0; i < n; ++i) {
    const Dim& dim = (*shape)[i + 2];
    if (!dim.known() && strides[i] != 1) return std::nullopt;
    const std::int64_t size = dim.known() ? dim.value() : 1;
    const std::int64_t out = (size + strides[i] - 1) / strides[i];
    const std::int64_t span = dilations[i] * (kernel[i] - 1) + 1;
    const std::int64_t total = std::max<std::int64_t>(0, (out - 1) * strides[i] + span - size);
    pads[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    pads[i + n] = total - pads[i];
  }
  return pads;
}

}  // namespace dragoman::tvm
