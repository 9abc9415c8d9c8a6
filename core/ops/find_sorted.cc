// SPDX-License-Identifier: Apache-2.0
// dragoman.FindSorted: the position in a sorted list, as tables and differences of lists need it.
#include "core/ops/expansion_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/operand_checks.h"
#include "core/ops/text_ops.h"

namespace dragoman {
namespace {

Status InferFindSorted(InferContext& context) {
  const Shape* keys = context.shape(1);
  if (keys != nullptr) DRAGOMAN_TRY(CheckVector(context, 1, keys->empty() ? Dim(1) : (*keys)[0]));
  return SameShapeAsFirst(context);
}

// Each element beside all keys: 1, 2, … where the key is equal, summed, less 1.
Result<std::vector<Value*>> ExpandFindSorted(Node& node) {
  ExpansionFormula f(node);
  Value* keys = node.operand(1);
  const Shape* x = f.x()->type().shape();
  const Shape* k = keys->type().shape();
  if (x == nullptr || k == nullptr) return Unsupported("the operands' ranks are not known");
  const Type result = Type::Tensor(DType::kI64, *x);
  const Type number = Type::Tensor(DType::kI64, Shape());
  Shape column = *x;
  column.push_back(Dim(1));
  Shape table = *x;
  table.push_back(k->front());
  const auto last = static_cast<std::int64_t>(x->size());

  Value* unsqueezed = f.Add("Unsqueeze", {f.x(), f.Ints({last})}, f.type().WithShape(column));
  Value* equal = f.Add("Equal", {unsqueezed, keys}, Type::Tensor(DType::kBool, table));
  Value* hits = f.Cast(equal, result);
  Value* one = f.Constant(Tensor::Int(1));
  Value* count = f.Add("Size", {keys}, number);
  Value* end = f.Add("Add", {count, one}, number);
  Value* places = f.Add("Range", {one, end, one}, Type::Tensor(DType::kI64, *k));
  Value* weighted = f.Add("Mul", {hits, places}, Type::Tensor(DType::kI64, table));
  Value* sum = f.Add("ReduceSum", {weighted, f.Ints({last})}, result);
  sum->producer()->SetAttribute("keepdims", std::int64_t{0});
  return std::vector<Value*>{f.Add("Sub", {sum, one}, result)};
}

}  // namespace

std::vector<OpDef> FindSortedOps() {
  return {DragomanOp("FindSorted", "(x: T, keys: T) -> (y: i64)", "T: number bool str")
              .Infer(InferFindSorted)
              .Expand(ExpandFindSorted)
              .Kernel({.header = "runtime/kernels/find_sorted.h", .types = "T"})};
}

}  // namespace dragoman
