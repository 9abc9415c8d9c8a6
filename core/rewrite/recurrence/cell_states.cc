// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/cell_states.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace dragoman {
namespace {

constexpr std::size_t kOutputGate = 1;
// What makes a sigmoid 1 in every element type.
constexpr double kOpen = 100;

// What each step reads: the state before the first step, then what the steps but the last gave. A
// sequence without steps has none of these either.
Result<Value*> OldStates(Value* hidden, const SequenceOperands& operands, Node& position,
                         PassContext& context) {
  LayoutBuilder layout(context, position);
  Value* all = nullptr;
  if (operands.initial_h != nullptr) {
    std::vector<Value*> parts = {operands.initial_h, hidden};
    if (operands.reverse) std::ranges::reverse(parts);
    DRAGOMAN_ASSIGN(all, layout.Concat(parts, 0));
  } else {
    std::vector<std::int64_t> pads(6, 0);
    pads[operands.reverse ? 3 : 0] = 1;
    Value* constant = context.AddConstant(*position.graph(), Tensor::Ints(pads), "pads", {});
    DRAGOMAN_ASSIGN(all, context.Insert(position, "Pad", {{hidden, constant}}));
  }
  return operands.reverse ? layout.Slice(all, 0, 1, INT64_MAX) : layout.Slice(all, 0, 0, -1);
}

}  // namespace

bool GivesCellStates(const CellStep& step) {
  const RecurrentCell& cell = *step.cell;
  if (cell.kind != RecurrentCell::Kind::kLstm || step.masked() || step.clips_states()) return false;
  const CellFunction& gate = cell.gates[kOutputGate].function;
  const bool opens =
      gate.name == "Sigmoid" || (gate.name == "HardSigmoid" && gate.alpha * kOpen + gate.beta >= 1);
  return opens && gate.clip == 0;
}

Result<Value*> EmitCellStates(const CellStep& step, AtomId old_h, const SequenceOperands& operands,
                              Value* hidden, AffineForms& forms, Node& position,
                              PassContext& context) {
  RecurrentCell cell = *step.cell;
  cell.output_function = {"Affine", 1.0f, 0.0f};
  CellStep second = step;
  second.cell = &cell;
  second.inputs.push_back(old_h);
  CellWeights& weights = second.weights;
  weights.projection = {};
  weights.inputs.push_back(
      std::exchange(weights.recurrent, std::vector<ConstId>(weights.recurrent.size(), kNoConst)));
  for (std::vector<ConstId>& input : weights.inputs) input[kOutputGate] = kNoConst;
  weights.biases[kOutputGate] = forms.consts().Fill({cell.hidden}, kOpen);
  if (!weights.peepholes.empty()) weights.peepholes[kOutputGate] = kNoConst;
  LayoutBuilder layout(context, position);
  SequenceOperands inputs = operands;
  inputs.initial_h = nullptr;
  DRAGOMAN_ASSIGN(Value * old, OldStates(hidden, operands, position, context));
  DRAGOMAN_ASSIGN(inputs.x, layout.Concat({operands.x, old}, 2));
  DRAGOMAN_ASSIGN(Node * lstm, EmitOperator(second, inputs, forms, position, context));
  context.Explain(position, "the cell states of all steps are those of a second LSTM");
  return layout.Squeeze(lstm->result(0), 1);
}

}  // namespace dragoman
