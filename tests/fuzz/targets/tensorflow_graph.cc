// SPDX-License-Identifier: Apache-2.0
// Bytes as a GraphDef, MetaGraphDef or SavedModel, binary or text: what is read is written again,
// and translated.
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/support/size_budget.h"
#include "exporters/tensorflow/fill_graph.h"
#include "importers/tensorflow/graph/read_model.h"
#include "importers/tensorflow/lower/lower.h"
#include "proto/tensorflow/tensorflow.pb.h"
#include "tests/fuzz/targets/translate.h"

namespace dragoman {
namespace {

void TryFile(std::span<const std::byte> bytes) {
  const Result<Model> source = ReadTensorFlowBytes(bytes);
  if (!source.ok()) return;
  tf_pb::GraphDef message;
  if (!tf_writer::FillGraphDef(*source, &message).ok()) __builtin_trap();
  Translate(LowerTensorFlow(*source));
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  dragoman::TryFile(std::as_bytes(std::span(data, size)));
  return 0;
}
