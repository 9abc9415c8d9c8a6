// SPDX-License-Identifier: Apache-2.0
// Bytes as an ONNX file, in binary, as protobuf's text or JSON: what is read is lowered, run on
// zeros where no loop could last, and translated.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/ops/infer_context.h"
#include "core/support/size_budget.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/read_model.h"
#include "tests/fuzz/targets/translate.h"

namespace dragoman {
namespace {

constexpr std::int64_t kMaxElements = 10'000;

// Whether it may run long, or give large results, however small its operands are.
bool MayLast(const Node& node) {
  constexpr std::string_view kGrowing[] = {"ConstantOfShape", "Expand", "Pad",
                                           "Range",           "Resize", "Tile"};
  return !node.subgraphs().empty() ||
         std::ranges::any_of(kGrowing, [&](std::string_view type) { return node.Is(type); });
}

void RunOnZeros(const Model& model) {
  const Entry& entry = model.entries.front();
  for (const Node& node : entry.graph->nodes()) {
    if (MayLast(node)) return;
  }
  std::vector<RuntimeValue> inputs;
  for (const auto& input : entry.graph->inputs()) {
    const std::optional<rt::Shape> shape = ToRuntimeShape(input->type().shape());
    const bool is_small = shape && rt::NumElements(*shape) <= kMaxElements;
    if (!is_small || input->type().dtype() == DType::kUnknown) return;
    Result<Array> zeros = Array::Make(input->type().dtype(), *shape);
    if (!zeros.ok()) return;
    inputs.push_back(RuntimeValue::Of(std::move(*zeros)));
  }
  Result<Interpreter> interpreter = Interpreter::Make(model);
  if (interpreter.ok()) static_cast<void>(interpreter->Run(entry, std::move(inputs)).ok());
}

void TryFile(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const Result<Model> source = ReadOnnxBytes(Buffer::Own(std::move(bytes)));
  if (!source.ok()) return;
  Result<Model> common = LowerOnnx(*source);
  if (common.ok()) RunOnZeros(*common);
  Translate(std::move(common));
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  dragoman::TryFile(data, size);
  return 0;
}
