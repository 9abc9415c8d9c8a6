// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/interpreter/frame.h"
#include "core/interpreter/handlers.h"
#include "core/interpreter/operands.h"
#include "core/interpreter/pieces.h"
#include "core/ir/node_attributes.h"
#include "core/ops/scan.h"

namespace dragoman {
namespace {

using Values = std::vector<RuntimeValue>;

Result<const Graph*> Body(const Node& node, std::string_view name) {
  const Graph* body = GraphAttribute(node, name);
  if (body == nullptr) return InvalidInput("has no body '" + std::string(name) + "'");
  return body;
}

// What the iterations gave for one result, in order.
class Stacked {
 public:
  Status Add(RuntimeValue value) {
    if (value.kind != RuntimeValue::Kind::kTensor)
      return InvalidInput("a body gives a value to stack that is not a tensor");
    slices_.push_back(std::move(value.array));
    return {};
  }
  // Without iterations, the sizes that inference gave `result`, 0 where it gave none.
  Result<RuntimeValue> Finish(const Value* result, std::int64_t axis, bool reversed) {
    if (slices_.empty()) return Empty(result, axis);
    if (reversed) std::reverse(slices_.begin(), slices_.end());
    DRAGOMAN_ASSIGN(int at, ResolveAxis(axis, slices_.front().shape().size() + 1));
    DRAGOMAN_ASSIGN(Array stacked, Stack(slices_, at));
    return RuntimeValue::Of(std::move(stacked));
  }

 private:
  static Result<RuntimeValue> Empty(const Value* result, std::int64_t axis) {
    if (result == nullptr) return RuntimeValue();
    const Type& type = result->type();
    if (type.dtype() == DType::kUnknown || type.shape() == nullptr || type.rank() > rt::kMaxRank) {
      return Unsupported("no iteration determines the sizes of result '" + result->name() + "'");
    }
    rt::Shape shape;
    for (const Dim& dim : *type.shape()) shape.push_back(dim.known() ? dim.value() : 0);
    DRAGOMAN_ASSIGN(int at, ResolveAxis(axis, shape.size()));
    shape[at] = 0;
    DRAGOMAN_ASSIGN(Array array, Array::Make(type.dtype(), shape));
    return RuntimeValue::Of(std::move(array));
  }

  std::vector<Array> slices_;
};

}  // namespace

Result<Values> RunFused(const Node& node, std::span<const RuntimeValue> operands,
                        const Execution& execution, const Frame& frame) {
  DRAGOMAN_ASSIGN(const Graph* body, Body(node, "body"));
  return execution.RunGraph(*body, Values(operands.begin(), operands.end()), &frame);
}

Result<Values> RunIf(const Node& node, std::span<const RuntimeValue> operands,
                     const Execution& execution, const Frame& frame) {
  DRAGOMAN_ASSIGN(std::int64_t condition, IntOperand(operands, 0));
  DRAGOMAN_ASSIGN(const Graph* branch, Body(node, condition != 0 ? "then_branch" : "else_branch"));
  return execution.RunGraph(*branch, {}, &frame);
}

Result<Values> RunLoop(const Node& node, std::span<const RuntimeValue> operands,
                       const Execution& execution, const Frame& frame) {
  DRAGOMAN_ASSIGN(const Graph* body, Body(node, "body"));
  DRAGOMAN_ASSIGN(std::int64_t limit, IntOperandOr(operands, 0, INT64_MAX));
  DRAGOMAN_ASSIGN(std::int64_t running, IntOperandOr(operands, 1, 1));
  const std::span<const RuntimeValue> initial =
      operands.subspan(std::min<std::size_t>(2, operands.size()));
  Values carried(initial.begin(), initial.end());
  if (body->num_outputs() < carried.size() + 1)
    return InvalidInput("body '" + body->name() + "' has too few outputs");
  std::vector<Stacked> stacked(body->num_outputs() - carried.size() - 1);
  for (std::int64_t iteration = 0; iteration < limit && running != 0; ++iteration) {
    Values inputs(2);
    DRAGOMAN_ASSIGN(inputs[0], ScalarOf(DType::kI64, iteration));
    DRAGOMAN_ASSIGN(inputs[1], ScalarOf(DType::kBool, 1));
    std::move(carried.begin(), carried.end(), std::back_inserter(inputs));
    DRAGOMAN_ASSIGN(Values outputs, execution.RunGraph(*body, std::move(inputs), &frame));
    DRAGOMAN_ASSIGN(running, IntOperand(outputs, 0));
    for (std::size_t i = 0; i < stacked.size(); ++i) {
      DRAGOMAN_TRY(stacked[i].Add(std::move(outputs[i + 1 + carried.size()])));
    }
    std::move(outputs.begin() + 1,
              outputs.begin() + 1 + static_cast<std::ptrdiff_t>(carried.size()), carried.begin());
  }
  const std::size_t num_carried = carried.size();
  for (std::size_t i = 0; i < stacked.size(); ++i) {
    DRAGOMAN_ASSIGN(RuntimeValue value, stacked[i].Finish(node.result(num_carried + i), 0, false));
    carried.push_back(std::move(value));
  }
  return carried;
}

Result<Values> RunScan(const Node& node, std::span<const RuntimeValue> operands,
                       const Execution& execution, const Frame& frame) {
  DRAGOMAN_ASSIGN(const Graph* body, Body(node, "body"));
  DRAGOMAN_ASSIGN(ScanLayout layout, ReadScan(node, *body));
  Values states(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(layout.states));
  std::vector<std::vector<Array>> scanned;
  for (std::size_t i = 0; i < layout.inputs; ++i) {
    DRAGOMAN_ASSIGN(const Array* array, TensorOperand(operands, layout.states + i));
    DRAGOMAN_ASSIGN(int axis, ResolveAxis(layout.input_axes[i], array->shape().size()));
    DRAGOMAN_ASSIGN(std::vector<Array> slices, Slices(*array, axis));
    if (layout.input_reversed[i]) std::reverse(slices.begin(), slices.end());
    if (!scanned.empty() && slices.size() != scanned.front().size())
      return InvalidInput("the lengths of what is scanned differ");
    scanned.push_back(std::move(slices));
  }
  std::vector<Stacked> stacked(layout.outputs);
  for (std::size_t iteration = 0; iteration < scanned.front().size(); ++iteration) {
    Values inputs = std::move(states);
    for (const std::vector<Array>& slices : scanned)
      inputs.push_back(RuntimeValue::Of(slices[iteration]));
    DRAGOMAN_ASSIGN(states, execution.RunGraph(*body, std::move(inputs), &frame));
    for (std::size_t i = 0; i < stacked.size(); ++i) {
      DRAGOMAN_TRY(stacked[i].Add(std::move(states[layout.states + i])));
    }
    states.resize(layout.states);
  }
  for (std::size_t i = 0; i < stacked.size(); ++i) {
    DRAGOMAN_ASSIGN(RuntimeValue value,
                    stacked[i].Finish(node.result(layout.states + i), layout.output_axes[i],
                                      layout.output_reversed[i]));
    states.push_back(std::move(value));
  }
  return states;
}

}  // namespace dragoman
