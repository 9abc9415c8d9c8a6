// SPDX-License-Identifier: Apache-2.0
// Bytes as a .pt2 file: the archive, its program, and what is made of that.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/support/size_budget.h"
#include "importers/torch/container/archive.h"
#include "importers/torch/export_archive/lower.h"
#include "importers/torch/export_archive/read_model.h"
#include "tests/fuzz/targets/translate.h"

using dragoman::Buffer;
using dragoman::torch::Archive;
using dragoman::torch::ArchiveKind;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto archive =
      Archive::FromBytes(Buffer::Own(std::move(bytes)), "fuzz.pt2", ArchiveKind::kExport);
  if (!archive.ok()) return 0;
  const auto model = dragoman::ReadExportArchive(*archive);
  if (model.ok()) dragoman::Translate(dragoman::LowerExportArchive(*model));
  return 0;
}
