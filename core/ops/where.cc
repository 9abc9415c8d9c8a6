// SPDX-License-Identifier: Apache-2.0
// Elementwise operators that choose, limit or pass on: Where, Clip, Identity.
#include "core/ops/elements.h"
#include "core/ops/expansion_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"

namespace dragoman {
namespace {

Dim WhereElement(const InferContext&, std::span<const Dim> x) {
  const Truth condition = ToTruth(x[0]);
  if (condition == Truth::kUnknown) return x[1] == x[2] ? x[1] : Dim::Unknown();
  return condition == Truth::kYes ? x[1] : x[2];
}

Dim ClipElement(const InferContext& context, std::span<const Dim> x) {
  Dim value = x[0];
  if (context.has(1)) value = Max(value, x[1]);
  if (context.has(2)) value = Min(value, x[2]);
  return value;
}

Status InferWhere(InferContext& context) {
  DRAGOMAN_TRY(BroadcastAll(context));
  MapElements(context, WhereElement);
  return {};
}

Status InferClip(InferContext& context) {
  DRAGOMAN_TRY(CheckScalar(context, 1));
  DRAGOMAN_TRY(CheckScalar(context, 2));
  DRAGOMAN_TRY(SameShapeAsFirst(context));
  MapElements(context, ClipElement);
  return {};
}

Status InferIdentity(InferContext& context) {
  DRAGOMAN_TRY(SameTypeAsFirst(context));
  if (context.elements(0)) context.SetElements(0, *context.elements(0));
  return {};
}

using Values = std::vector<Value*>;

Result<Values> ExpandClip(Node& node) {
  ExpansionFormula formula(node);
  Value* y = formula.x();
  for (std::size_t i = 1; i < node.num_operands(); ++i) {
    if (node.operand(i) == nullptr) continue;
    if (node.operand(i)->type().rank() != 0)
      return Unsupported("a bound that is not a scalar").At(node.Describe());
    y = formula.Add(i == 1 ? "Max" : "Min", {y, node.operand(i)});
  }
  return Values{y == formula.x() ? formula.Add("Identity", {y}) : y};
}

}  // namespace

std::vector<OpDef> WhereOps() {
  return {
      Op("Clip", {1, 13}, "(input: T, min: T?, max: T?) -> (output: T)", "T: number")
          .Facts({.ends_zeros = true})
          .Infer(InferClip)
          .Class(OpClass::kUnary)
          .Expand(ExpandClip)
          .Kernel({.header = "runtime/kernels/clip.h", .types = "T"}),
      Op("Identity", {1, 21}, "(input: V) -> (output: V)", "V: value")
          .Facts({.ends_zeros = true})
          .Infer(InferIdentity)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/copy.h",
                   .types = "bits(V)",
                   .function = "Copy",
                   .copies = true}),
      Op("Where", {9, 16}, "(condition: bool, X: T, Y: T) -> (output: T)", "T: any")
          .Facts({.ends_zeros = true})
          .Infer(InferWhere)
          .Class(OpClass::kBroadcast)
          .Kernel({.header = "runtime/kernels/where.h", .types = "bits(T)"}),
  };
}

}  // namespace dragoman
