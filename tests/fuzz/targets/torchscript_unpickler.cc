// SPDX-License-Identifier: Apache-2.0
// Bytes as a pickle whose storages hold ones.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/support/size_budget.h"
#include "importers/torch/container/read_values.h"
#include "importers/torch/container/unpickle.h"

namespace ts = dragoman::torch;
using dragoman::Buffer;
using dragoman::Result;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  constexpr std::size_t kMostStored = 1 << 16;
  constexpr std::size_t kMemory = std::size_t{1} << 22;
  ts::StoredHeap heap;
  ts::Rebuilder rebuilder(&heap, [](const std::string&, std::size_t bytes) {
    if (bytes > kMostStored) return Result<std::optional<Buffer>>(std::optional<Buffer>());
    return Result<std::optional<Buffer>>(Buffer::Own(std::string(bytes, '\1')));
  });
  const auto value = ts::Unpickle(std::as_bytes(std::span(data, size)), rebuilder, kMemory);
  if (!value.ok()) return 0;
  heap.ForEachTensor([](const ts::StoredTensor& tensor) { (void)ts::DenseTensor(tensor).ok(); });
  return 0;
}
