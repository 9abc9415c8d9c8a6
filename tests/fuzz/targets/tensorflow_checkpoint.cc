// SPDX-License-Identifier: Apache-2.0
// Bytes as the index of a checkpoint, beside a file of elements that has as many bytes: as a bundle
// and as a checkpoint of the first format.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/support/output_file.h"
#include "core/support/size_budget.h"
#include "core/support/temporary_folder.h"
#include "importers/tensorflow/container/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  const dragoman::Result<dragoman::TemporaryFolder> made = dragoman::TemporaryFolder::Create();
  if (!made.ok()) return 0;
  const std::string folder = made->path().string();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"/v.index", "/v.data-00000-of-00001", "/old"}) {
    static_cast<void>(dragoman::WriteFile(folder + name, bytes).ok());
  }
  static_cast<void>(dragoman::tf_reader::ReadCheckpoint(folder + "/v").ok());
  static_cast<void>(dragoman::tf_reader::ReadCheckpoint(folder + "/old").ok());
  return 0;
}
