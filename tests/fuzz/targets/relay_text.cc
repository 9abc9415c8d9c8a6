// SPDX-License-Identifier: Apache-2.0
// Bytes as Relay text, translated.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/support/size_budget.h"
#include "importers/relay/graph/read_model.h"
#include "importers/relay/lower/lower.h"
#include "tests/fuzz/targets/translate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  const auto model =
      dragoman::ReadRelayText(std::string_view(reinterpret_cast<const char*>(data), size));
  if (model.ok()) dragoman::Translate(dragoman::LowerRelay(*model));
  return 0;
}
