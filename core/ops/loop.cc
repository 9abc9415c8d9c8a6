// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "core/ir/type_algebra.h"
#include "core/ops/control_flow.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"

namespace dragoman {
namespace {

std::vector<Type> TypesOf(std::span<const Knowledge> values) {
  std::vector<Type> types;
  for (const Knowledge& value : values) types.push_back(value.type);
  return types;
}

// The body's outputs for types of the carried values that hold in every iteration, which go to
// `carried`.
Result<std::vector<Knowledge>> InferIterations(InferContext& context, Graph& body,
                                               std::vector<Type>& carried) {
  for (int pass = 0;; ++pass) {
    std::vector<Knowledge> inputs(2);
    inputs[0].type = Type::Tensor(DType::kI64, Shape{});
    inputs[1].type = Type::Tensor(DType::kBool, Shape{});
    inputs[1].elements = Elements{Dim(1)};  // else the body would not run
    for (const Type& type : carried) inputs.push_back({type, nullptr, std::nullopt});
    DRAGOMAN_ASSIGN(std::vector<Knowledge> outputs, context.InferSubgraph(body, inputs));
    const std::vector<Type> returned = TypesOf(std::span(outputs).subspan(1, carried.size()));
    Result<bool> again = WidenCarried(carried, returned, pass);
    if (!again.ok()) return std::move(again).error().At(context.node().Describe());
    if (!*again) return outputs;
  }
}

// What a list that begins empty, state `i`, is after the loop: the iterations append elements of
// one type. Others are of the type that they have within it.
Type ListType(const Node& loop, const Graph& body, std::size_t i, const Type& carried) {
  const Value* initial = loop.operand(i + 2);
  if (initial->producer() == nullptr || !initial->producer()->Is("SequenceEmpty")) return carried;
  std::optional<Type> element;
  const Value* list = body.output(i + 1);
  while (list != body.input(i + 2)) {
    const Node* insertion = list->producer();
    if (insertion == nullptr || insertion->graph() != &body || !insertion->Is("SequenceInsert"))
      return carried;
    const Type& inserted = insertion->operand(1)->type();
    element = element ? Generalize(*element, inserted) : inserted;
    list = insertion->operand(0);
  }
  return element ? Type::Sequence(std::move(*element)) : carried;
}

// How often the body runs, if that is known beforehand.
Dim TripCount(const InferContext& context, const Knowledge& condition) {
  if (IsConstantBool(context.operand(1), false)) return Dim(0);
  const bool starts = !context.has(1) || IsConstantBool(context.operand(1), true);
  const std::optional<Elements>& limit = context.elements(0);
  if (!starts || !IsConstantBool(condition, true) || !limit || limit->size() != 1) return Dim();
  return Max(limit->front(), Dim(0));
}

Status InferLoop(InferContext& context) {
  DRAGOMAN_TRY(CheckScalar(context, 0));
  DRAGOMAN_TRY(CheckScalar(context, 1));
  std::vector<Type> carried;
  for (std::size_t i = 2; i < context.num_operands(); ++i) carried.push_back(context.type(i));
  const std::size_t count = std::max(context.num_results(), carried.size());
  DRAGOMAN_ASSIGN(Graph * body, BodyOf(context, "body", carried.size() + 2, count + 1));
  DRAGOMAN_ASSIGN(std::vector<Knowledge> outputs, InferIterations(context, *body, carried));
  const std::set<std::string> outer = OuterSymbols(context);
  Dim trips = TripCount(context, outputs[0]);
  for (std::size_t i = 0; i < context.num_results(); ++i) {
    if (i < carried.size()) {
      const Type type = ListType(context.node(), *body, i, carried[i]);
      context.SetType(i, OuterType(context, i, type, outer));
      continue;
    }
    const Type& slice = outputs[i + 1].type;
    context.SetType(i, Type::Tensor(slice.dtype()));
    if (slice.shape() == nullptr) continue;
    if (trips.unknown()) trips = context.FreshDim(i);
    Shape stacked = OuterShape(context, i, *slice.shape(), outer);
    stacked.insert(stacked.begin(), trips);
    context.SetShape(i, std::move(stacked));
  }
  return {};
}

}  // namespace

std::vector<OpDef> LoopOps() {
  return {Op("Loop", {1, 21},
             "(M: i64?, cond: bool?, v_initial: V+) -> (v_final_and_scan_outputs: V+)", "V: value")
              .Attribute("body", Attribute::Kind::kGraph)
              .Required("body")
              .Infer(InferLoop)};
}

}  // namespace dragoman
