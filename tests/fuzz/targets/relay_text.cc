// SPDX-License-Identifier: Apache-2.0
// Bytes as Relay text, through lowering.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/support/size_budget.h"
#include "importers/relay/graph/read_model.h"
#include "importers/relay/lower/lower.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  const auto model =
      dragoman::ReadRelayText(std::string_view(reinterpret_cast<const char*>(data), size));
  if (model.ok()) (void)dragoman::LowerRelay(*model).ok();
  return 0;
}
