// SPDX-License-Identifier: Apache-2.0
// Bytes as the texts within a .pt2 file: the expression of a size, a condition on sizes, the
// nesting of results, and the program, in an archive that has one weight, translated.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/support/size_budget.h"
#include "importers/torch/container/archive.h"
#include "importers/torch/export_archive/guards.h"
#include "importers/torch/export_archive/lower.h"
#include "importers/torch/export_archive/read_model.h"
#include "importers/torch/export_archive/size_expression.h"
#include "importers/torch/export_archive/tree_spec.h"
#include "tests/fuzz/targets/translate.h"
#include "tests/support/zip_writer.h"

using dragoman::Buffer;
using dragoman::Dim;
using dragoman::MakeZip;
using dragoman::torch::Archive;
using dragoman::torch::ArchiveKind;

namespace {

constexpr char kConfig[] = R"({"config": {"layer.h": {"path_name": "weight_0", "tensor_meta": {
  "dtype": 7, "layout": 7, "sizes": [{"as_int": 3}], "strides": [{"as_int": 1}],
  "storage_offset": {"as_int": 0}}}}})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)dragoman::torch::ParseSizeExpression(text).ok();
  (void)dragoman::torch::HoldsFor(
      text, [](const std::string&, std::size_t axis) { return Dim(static_cast<int>(axis)); });
  (void)dragoman::torch::ParseTreeSpec(text).ok();
  const auto archive = Archive::FromBytes(
      Buffer::Own(MakeZip({{"net/archive_format", "pt2"},
                           {"net/models/model.json", text},
                           {"net/data/weights/weights_config.json", kConfig},
                           {"net/data/weights/weight_0", std::string(12, '\0')}})),
      "fuzz.pt2", ArchiveKind::kExport);
  if (!archive.ok()) return 0;
  const auto model = dragoman::ReadExportArchive(*archive);
  if (model.ok()) dragoman::Translate(dragoman::LowerExportArchive(*model));
  return 0;
}
