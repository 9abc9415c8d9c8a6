// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <algorithm>

#include "core/ir/node_attributes.h"
#include "core/lowering/heap.h"
#include "core/ops/op_def.h"
#include "importers/torch/ops/op_table.h"
#include "importers/torch/ops/quantized.h"

namespace dragoman::torch {
namespace {

// Whether its results have elements of operand 0, and its grid. After an Identity they are floats:
// LowerDequantize puts one there.
bool Selects(const Node& node) {
  if (node.Is("Identity")) return false;
  // By name: they compute, but give one of the numbers that they compare.
  constexpr std::string_view kComparing[] = {"MaxPool", "ReduceMax", "ReduceMin", "Relu"};
  return OnlyMoves(node) ||
         std::ranges::any_of(kComparing, [&](std::string_view label) { return node.Is(label); });
}

// nullptr: it does not round.
const GridRule* FindRule(const OpName& op) {
  if (op.dialect != "aten") return nullptr;
  std::string_view type = op.type;
  if (type.ends_with('_')) type.remove_suffix(1);
  const OpRow* row = FindOpRow("aten." + std::string(type));
  const bool rounds = row != nullptr && row->facts.grid.kind != GridRule::Kind::kNone;
  return rounds ? &row->facts.grid : nullptr;
}

// The tensor that decides: the first argument, or the first of a list.
Result<Value*> FirstTensor(Call& call) {
  const Abstract* first = call.arguments().empty() ? nullptr : &call.arguments().front();
  const auto* list = first != nullptr ? first->As<ListRef>() : nullptr;
  if (list != nullptr) {
    const auto& contents = std::get<ListContents>(list->cell->contents);
    first = contents.items.empty() ? nullptr : &contents.items.front();
  }
  const auto* tensor = first != nullptr ? first->As<TensorRef>() : nullptr;
  if (tensor == nullptr) return static_cast<Value*>(nullptr);
  return call.heap().Read(call.builder(), *tensor);
}

ValueGrid GridBy(Composer& c, const GridRule& rule, const ValueGrid& operand) {
  if (rule.kind != GridRule::Kind::kSteps) return operand;
  const DType stored = c.dtype(operand.zero_point);
  const int zero = stored == DType::kI8 ? rule.zero_i8 : rule.zero_u8;
  return {c.Number(1.0 / rule.steps, DType::kF32), c.Number(zero, stored), 0};
}

}  // namespace

std::optional<ValueGrid> ValueGridOf(const Value* x) {
  const Value* moved = x;
  for (const Node* node = x->producer(); node != nullptr; node = moved->producer()) {
    if (node->Is("DequantizeLinear")) {
      const Value* zero_point = node->operand(2);
      const bool per_axis = node->operand(1)->type().rank() != 0;
      if (zero_point == nullptr || (moved != x && per_axis)) return std::nullopt;
      return ValueGrid{node->operand(1), node->operand(2), IntAttribute(*node, "axis", 1)};
    }
    const bool is_index = node->Is("MaxPool") && moved->index() != 0;
    if (!Selects(*node) || is_index) return std::nullopt;
    moved = node->operand(0);
  }
  return std::nullopt;
}

Value* StoredOn(Composer& c, Value* x, const ValueGrid& grid) {
  const Node* node = x == nullptr ? nullptr : x->producer();
  if (node != nullptr && node->Is("DequantizeLinear")) return node->operand(0);
  return c.Op("QuantizeLinear", {x, grid.scale, grid.zero_point}, {{"axis", grid.axis}});
}

Value* RoundedOn(Composer& c, Value* x, const ValueGrid& grid) {
  const std::vector<NamedAttribute> attributes = {{"axis", grid.axis}};
  Value* stored = c.Op("QuantizeLinear", {x, grid.scale, grid.zero_point}, attributes);
  return c.Op("DequantizeLinear", {stored, grid.scale, grid.zero_point}, attributes);
}

Value* Requantize(CallComposer& c, Value* y, std::string_view scale, std::string_view zero_point) {
  Value* s = c.As(scale, DType::kF32);
  return RoundedOn(c, y, {s, c.As(zero_point, DType::kU8), 0});
}

Result<Results> LowerOnGrid(const OpLowering& lower, Call& call) {
  const GridRule* rule = FindRule(call.op());
  if (rule == nullptr) return lower(call);
  DRAGOMAN_ASSIGN(Value * operand, FirstTensor(call));
  const auto grid = operand != nullptr ? ValueGridOf(operand) : std::nullopt;
  if (!grid) return lower(call);
  Composer c(call.builder());
  std::vector<Abstract> arguments(call.arguments().begin(), call.arguments().end());
  ValueGrid rounds = GridBy(c, *rule, *grid);
  const bool of_integers = rule->kind == GridRule::Kind::kIntegers;
  if (of_integers) {
    Value* steps = c.Sub(c.Cast(StoredOn(c, operand, *grid), DType::kF32),
                         c.Cast(grid->zero_point, DType::kF32));
    DRAGOMAN_ASSIGN(steps, c.Done(steps));
    arguments.front() = call.NewTensor(steps);
    rounds.scale = c.Number(1, DType::kF32);
  }
  Call inner(call.heap(), call.builder(), call.node(), call.names(), arguments);
  DRAGOMAN_ASSIGN(Results results, lower(inner));
  const auto* tensor = results.empty() ? nullptr : results.front().As<TensorRef>();
  if (tensor == nullptr) return results;
  Value* computed = c.Take(call.heap().Read(call.builder(), *tensor));
  Value* stored = c.Op("QuantizeLinear", {computed, rounds.scale, rounds.zero_point});
  if (of_integers) rounds.scale = grid->scale;
  Value* rounded = c.Op("DequantizeLinear", {stored, rounds.scale, rounds.zero_point});
  DRAGOMAN_ASSIGN(rounded, c.Done(rounded));
  results.front() = call.NewTensor(rounded);
  return results;
}

Result<Results> LowerIsQuantized(Call& call) {
  DRAGOMAN_ASSIGN(const Value* x, FirstTensor(call));
  return Results{Number::Bool(x != nullptr && ValueGridOf(x).has_value())};
}

namespace {

// q_scale, q_zero_point
Result<Results> LowerGridNumber(Call& call) {
  DRAGOMAN_ASSIGN(const Value* x, FirstTensor(call));
  const auto grid = x != nullptr ? ValueGridOf(x) : std::nullopt;
  if (!grid) return call.Invalid("of a tensor that is not quantised");
  if (grid->scale->type().rank() != 0) return call.Unsupported("of a tensor quantised by slices");
  const bool scale = call.op().type == "q_scale";
  Composer c(call.builder());
  Value* number = scale ? c.Cast(grid->scale, DType::kF64) : c.Cast(grid->zero_point, DType::kI64);
  DRAGOMAN_ASSIGN(number, c.Done(number));
  return Results{call.NewNumber(scale ? Number::Kind::kFloat : Number::Kind::kInt, number)};
}

Value* LowerIntRepr(CallComposer& c) {
  Value* x = c.Tensor("self");
  const auto grid = x != nullptr ? ValueGridOf(x) : std::nullopt;
  if (!grid) return c.Refuse("the integers of a quantised tensor that was computed");
  return StoredOn(c, x, *grid);
}

}  // namespace

std::span<const OpRow> QuantizedResultsRows() {
  static constexpr OpRow kRows[] = {
      {"aten.int_repr", LowerIntRepr},
      {"aten.q_scale", LowerGridNumber},
      {"aten.q_zero_point", LowerGridNumber},
  };
  return kRows;
}

}  // namespace dragoman::torch
