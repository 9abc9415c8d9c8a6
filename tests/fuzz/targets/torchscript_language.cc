// SPDX-License-Identifier: Apache-2.0
// Bytes as the text of a code file: the classes and functions in it, the graphs of the methods of
// its class Net, translated.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/support/size_budget.h"
#include "importers/torch/container/archive.h"
#include "importers/torch/lower/lower.h"
#include "importers/torch/script/parser.h"
#include "importers/torch/script/read_model.h"
#include "tests/fuzz/targets/translate.h"
#include "tests/support/zip_writer.h"

using dragoman::Buffer;
using dragoman::ZipRecord;
using dragoman::torch::Archive;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  // An object of class __torch__.Net with nothing stored.
  const std::string object("\x80\x02\x63__torch__\nNet\n)\x81}b.");
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!dragoman::torch::ParseSource("code/__torch__.py", text).ok()) return 0;
  const std::vector<ZipRecord> records = {{"net/data.pkl", object},
                                          {"net/code/__torch__.py", text},
                                          {"net/constants.pkl", "\x80\x02)."},
                                          {"net/version", "3\n"}};
  const auto archive = Archive::FromBytes(Buffer::Own(dragoman::MakeZip(records)), "fuzz.pt");
  if (!archive.ok()) return 0;
  const auto model = dragoman::ReadTorchScript(*archive);
  if (model.ok()) dragoman::Translate(dragoman::LowerTorchScript(*model));
  return 0;
}
