// SPDX-License-Identifier: Apache-2.0
// Bytes as the text of a Relax module: its source graph, that as text again, translated.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "codegen/relax/write_source.h"
#include "core/support/size_budget.h"
#include "importers/relax/graph/read_model.h"
#include "importers/relax/lower/lower.h"
#include "tests/fuzz/targets/translate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  const auto model = dragoman::ReadRelaxText({reinterpret_cast<const char*>(data), size});
  if (!model.ok()) return 0;
  const auto once = dragoman::PrintRelaxSource(*model);
  if (once.ok()) {
    const auto again = dragoman::ReadRelaxText(*once);
    if (!again.ok()) std::abort();
    const auto twice = dragoman::PrintRelaxSource(*again);
    if (!twice.ok() || *twice != *once) std::abort();
  }
  dragoman::Translate(dragoman::LowerRelax(*model, {}, nullptr));
  return 0;
}
