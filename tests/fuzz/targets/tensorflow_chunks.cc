// SPDX-License-Identifier: Apache-2.0
// Bytes as a SavedModel in chunks.
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/support/size_budget.h"
#include "importers/tensorflow/container/chunked_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  dragoman::tf_pb::SavedModel message;
  static_cast<void>(
      dragoman::tf_reader::ReadChunkedSavedModel(std::as_bytes(std::span(data, size)), &message)
          .ok());
  return 0;
}
