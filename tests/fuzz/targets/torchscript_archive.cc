// SPDX-License-Identifier: Apache-2.0
// Bytes as a .pt file: the archive, its records, the model in it, translated.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/support/size_budget.h"
#include "importers/torch/container/archive.h"
#include "importers/torch/lower/lower.h"
#include "importers/torch/script/read_model.h"
#include "tests/fuzz/targets/translate.h"

using dragoman::Buffer;
using dragoman::torch::Archive;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto archive = Archive::FromBytes(Buffer::Own(std::move(bytes)), "fuzz.pt");
  if (!archive.ok()) return 0;
  for (std::string_view name : archive->Names()) (void)archive->Read(name).ok();
  const auto model = dragoman::ReadTorchScript(*archive);
  if (model.ok()) dragoman::Translate(dragoman::LowerTorchScript(*model));
  return 0;
}
