// SPDX-License-Identifier: Apache-2.0
#include "driver/record_calls.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>

#include "core/interpreter/interpreter.h"
#include "core/support/count_elements.h"
#include "driver/data.h"
#include "driver/data_sets.h"
#include "driver/model_costs.h"

namespace dragoman {
namespace {

// Whoever converts a model does not ask for it to be run: a call that takes long, or much memory,
// is not recorded.
constexpr std::int64_t kMostNodes = 1'000'000;  // that run, in all iterations of loops
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
constexpr std::int64_t kBytesOfElement = 8;  // at most, but for complex numbers
constexpr std::int64_t kMostMultiplyAdds = 200'000'000'000;

Status CheckCosts(const Model& common) {
  const ModelCosts costs = CostsOf(common);
  std::int64_t bytes = costs.peak_activation_bytes.value_or(0);
  for (const auto& input : common.entries.front().graph->inputs()) {
    const Shape* shape = input->type().shape();
    const auto sizes = shape != nullptr ? KnownShape(*shape) : std::nullopt;
    const auto count = sizes ? CountElements(*sizes) : std::optional<std::int64_t>(0);
    const std::int64_t elements = std::min(count.value_or(kMostBytes), kMostBytes);
    bytes = std::min(bytes, kMostBytes) + elements * kBytesOfElement;
  }
  if (bytes > kMostBytes) return Unsupported("a call takes more than 1 GiB of memory");
  if (costs.multiply_adds.value_or(0) > kMostMultiplyAdds)
    return Unsupported("a call takes more than 200 billion multiply-adds");
  return {};
}

Result<std::vector<Tensor>> TensorsOf(const std::vector<RuntimeValue>& values) {
  std::vector<Tensor> tensors;
  for (const RuntimeValue& value : values) {
    if (value.kind != RuntimeValue::Kind::kTensor)
      return Unsupported("an input or output is not a tensor");
    tensors.push_back(value.array.ToTensor());
  }
  return tensors;
}

}  // namespace

Result<std::vector<RecordedCall>> RecordCalls(const Model& common, std::size_t count) {
  const Entry& entry = common.entries.front();
  DRAGOMAN_TRY(CheckCosts(common));
  DRAGOMAN_ASSIGN(Interpreter interpreter, Interpreter::Make(common));
  interpreter.set_node_limit(kMostNodes);
  std::mt19937_64 generator(0);
  std::vector<RecordedCall> calls;
  for (std::size_t i = 0; i < count; ++i) {
    DRAGOMAN_ASSIGN(const std::vector<NamedArray> drawn, DrawInputs(entry, {}, generator));
    DRAGOMAN_ASSIGN(std::vector<RuntimeValue> inputs,
                    BindArrays(InputSlots(entry), drawn, "input"));
    RecordedCall call;
    DRAGOMAN_ASSIGN(call.inputs, TensorsOf(inputs));
    DRAGOMAN_ASSIGN(const std::vector<RuntimeValue> outputs,
                    interpreter.Run(entry, std::move(inputs)));
    DRAGOMAN_ASSIGN(call.outputs, TensorsOf(outputs));
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace dragoman
