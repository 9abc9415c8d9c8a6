#include "importers/torchscript/ops/lowerings.h"

#include <algorithm>

namespace dragoman::torchscript {
namespace {

struct Row {
  std::string_view name;
  OpLowering lower;
};

// Sorted by name.
constexpr Row kLowerings[] = {
    {"aten.relu", LowerRelu},
};

}  // namespace

const OpLowering* FindOpLowering(std::string_view name) {
  const Row* row = std::lower_bound(
      std::begin(kLowerings), std::end(kLowerings), name,
      [](const Row& row, std::string_view wanted) { return row.name < wanted; });
  return row != std::end(kLowerings) && row->name == name ? &row->lower : nullptr;
}

}  // namespace dragoman::torchscript
