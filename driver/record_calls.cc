// SPDX-License-Identifier: Apache-2.0
#include "driver/record_calls.h"

#include <random>
#include <utility>

#include "core/interpreter/interpreter.h"
#include "driver/data.h"
#include "driver/data_sets.h"

namespace dragoman {
namespace {

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
  DRAGOMAN_ASSIGN(Interpreter interpreter, Interpreter::Make(common));
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
