// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/ops/op_rows.h"

#include "importers/relay/ops/layout.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dragoman::relay {

Ints PadsOf(Call& c, std::string_view name, int spatial) {
  const auto count = static_cast<std::size_t>(spatial);
  Ints pads = c.IntList(name, Ints(count, 0));
  if (pads.size() == 1) pads = Ints(2 * count, pads.front());
  if (pads.size() == count) pads.insert(pads.end(), pads.begin(), pads.begin() + spatial);
  if (pads.size() != 2 * count) {
    c.Fail(InvalidInput(std::string(name) + " has " + std::to_string(pads.size()) + " entries"));
    return Ints(2 * count, 0);
  }
  if (std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad < 0; }))
    c.Fail("negative pads are not supported");
  return pads;
}

namespace {

Value* LowerLayoutTransform(Call& c) {
  const std::string from = c.Text("src_layout", "");
  const std::string to = c.Text("dst_layout", "");
  return ToLayout(c, c.Tensor(0), from, to);
}

}  // namespace

std::span<const OpRow> LayoutRows() {
  static constexpr OpRow kRows[] = {
      {"auto_scheduler_layout_transform", LowerLayoutTransform},
      {"layout_transform", LowerLayoutTransform},
  };
  return kRows;
}

}  // namespace dragoman::relay
