// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/ops/axes_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/movement.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"
#include "core/ops/window.h"
#include "runtime/params/average_pool.h"
#include "runtime/params/global_lp_pool.h"
#include "runtime/params/lp_pool.h"
#include "runtime/params/max_pool.h"
#include "runtime/params/max_unpool.h"

namespace dragoman {
namespace {

// Every result has the pooled sizes.
template <class Params, class WindowFunction, class ShapeFunction>
Status InferPool(InferContext& context, WindowFunction window_of, ShapeFunction shape_of) {
  const auto& params = context.params<Params>();
  const Shape* x = context.shape(0);
  if (x == nullptr || RankTooHigh(*x)) return {};
  rt::Window window;
  DRAGOMAN_TRY(context.Check(window_of(params, WithStandIns(*x), &window)));
  if (const std::optional<rt::Shape> known = ToRuntimeShape(x)) {
    rt::Shape exact;
    DRAGOMAN_TRY(context.Check(shape_of(params, *known, &exact)));
  }
  const Shape y =
      WindowedShape((*x)[0], (*x)[1], *x, window, PooledSize(params.auto_pad, params.ceil_mode));
  for (std::size_t i = 0; i < context.num_results(); ++i) context.SetShape(i, y);
  return {};
}

Status InferAveragePool(InferContext& context) {
  return InferPool<rt::AveragePoolParams>(context, rt::AveragePoolWindow, rt::AveragePoolShape);
}

Status InferLpPool(InferContext& context) {
  return InferPool<rt::LpPoolParams>(context, rt::LpPoolWindow, rt::LpPoolShape);
}

Status InferMaxPool(InferContext& context) {
  const std::int64_t order = context.params<rt::MaxPoolParams>().storage_order;
  if (order != 0 && order != 1)
    return context.Fail("storage_order is " + std::to_string(order) + ", expected 0 or 1");
  return InferPool<rt::MaxPoolParams>(context, rt::MaxPoolWindow, rt::MaxPoolShape);
}

Status InferGlobalPool(InferContext& context) {
  const Shape* x = context.shape(0);
  if (x == nullptr) return {};
  DRAGOMAN_TRY(CheckMinRank(context, 0, 2));
  Shape y = *x;
  std::fill(y.begin() + 2, y.end(), Dim(1));
  context.SetShape(0, std::move(y));
  return {};
}

Status InferGlobalLpPool(InferContext& context) {
  const std::int64_t p = context.params<rt::GlobalLpPoolParams>().p;
  if (p < 1) return context.Fail("p is " + std::to_string(p) + ", expected 1 or more");
  return InferGlobalPool(context);
}

using Values = std::vector<Value*>;

// Reduction `op` of `x` over all axes after the channels. Errors: their number is unknown.
Result<Value*> OverPlaces(ExpansionFormula& formula, const Node& node, std::string_view op,
                          Value* x) {
  const std::optional<std::int64_t> rank = x->type().rank();
  if (!rank) return Unsupported("the rank of its operand is unknown").At(node.Describe());
  std::vector<std::int64_t> axes;
  for (std::int64_t i = 2; i < *rank; ++i) axes.push_back(i);
  if (axes.empty()) return formula.Add("Identity", {x});
  const Type type = node.result()->type().WithDType(x->type().dtype());
  return formula.Add(op, {x, formula.Ints(axes)}, type);
}

Result<Values> ExpandGlobalPool(Node& node) {
  ExpansionFormula formula(node);
  const char* op = node.Is("GlobalMaxPool") ? "ReduceMax" : "ReduceMean";
  DRAGOMAN_ASSIGN(Value * y, OverPlaces(formula, node, op, formula.x()));
  return Values{y};
}

// sum(|x|^p)^(1 / p), of halves in float32.
Result<Values> ExpandGlobalLpPool(Node& node) {
  DRAGOMAN_ASSIGN(const Params params, FillParams<rt::GlobalLpPoolParams>(node));
  const auto p = static_cast<double>(params.As<rt::GlobalLpPoolParams>().p);
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * x, WideOperand(formula, node));
  DRAGOMAN_ASSIGN(Value * power, formula.Number(p));
  DRAGOMAN_ASSIGN(Value * root, formula.Number(1 / p));
  Value* size = formula.Add("Abs", {x});
  if (p != 1) size = formula.Add("Pow", {size, power});
  DRAGOMAN_ASSIGN(Value * norm, OverPlaces(formula, node, "ReduceSum", size));
  if (p != 1) norm = formula.Add("Pow", {norm, root}, norm->type());
  return Values{formula.Cast(norm, node.result()->type())};
}

// The sizes that MaxPool would have pooled to those of `x`.
Shape UnpooledShape(const rt::MaxUnpoolParams& params, const Shape& x) {
  Shape y = {x[0], x[1]};
  const auto rank = static_cast<int>(x.size()) - 2;
  for (int i = 0; i < rank; ++i) {
    const std::int64_t stride = params.strides.empty() ? 1 : params.strides[i];
    const std::int64_t pads = params.pads.empty() ? 0 : params.pads[i] + params.pads[i + rank];
    y.push_back((x[static_cast<std::size_t>(i) + 2] - Dim(1)) * Dim(stride) +
                Dim(params.kernel_shape[i] - pads));
  }
  return y;
}

Status InferMaxUnpool(InferContext& context) {
  const auto& params = context.params<rt::MaxUnpoolParams>();
  const Shape* x = context.shape(0);
  DRAGOMAN_TRY(CheckSameShape(context, 1, 0));
  if (x == nullptr || RankTooHigh(*x)) return {};
  const IntsOperand output_shape(context, 2);
  rt::Shape y;
  const rt::Shape stand_ins = WithStandIns(*x);
  DRAGOMAN_TRY(context.Check(rt::MaxUnpoolShape(params, stand_ins, stand_ins, {}, &y)));
  if (const std::optional<rt::Shape> known = ToRuntimeShape(x); known && output_shape.known()) {
    DRAGOMAN_TRY(
        context.Check(rt::MaxUnpoolShape(params, *known, *known, output_shape.span(), &y)));
    context.SetShape(0, y);
    return {};
  }
  if (!output_shape.present()) {
    context.SetShape(0, UnpooledShape(params, *x));
    return {};
  }
  Elements sizes = ElementsOrUnknown(context, 2).value_or(Elements(x->size()));
  if (sizes.size() != x->size()) return context.Fail("output_shape must give every size");
  Shape unpooled;
  for (const Dim& size : sizes) {
    DRAGOMAN_ASSIGN(Dim stated, StatedSize(context, 0, size));
    unpooled.push_back(std::move(stated));
  }
  context.SetShape(0, std::move(unpooled));
  return {};
}

}  // namespace

std::vector<OpDef> PoolOps() {
  return {
      Op("AveragePool", {1, 22}, "(X: T) -> (Y: T)", "T: float")
          .Attributes<rt::AveragePoolParams>()
          .Required("kernel_shape")
          .Infer(InferAveragePool)
          .Sizes({.function = "AveragePoolShape",
                  .header = "runtime/params/average_pool.h",
                  .arguments = "p s0"})
          .Kernel({.header = "runtime/kernels/average_pool.h", .types = "T"}),
      Op("GlobalAveragePool", {1, 22}, "(X: T) -> (Y: T)", "T: float")
          .Infer(InferGlobalPool)
          .Kernel({.header = "runtime/kernels/global_average_pool.h", .types = "T"})
          .Expand(ExpandGlobalPool),
      Op("GlobalLpPool", {1, 22}, "(X: T) -> (Y: T)", "T: float")
          .Attributes<rt::GlobalLpPoolParams>()
          .Infer(InferGlobalLpPool)
          .Kernel({.header = "runtime/kernels/global_lp_pool.h", .types = "T"})
          .Expand(ExpandGlobalLpPool),
      Op("GlobalMaxPool", {1, 22}, "(X: T) -> (Y: T)", "T: float")
          .Infer(InferGlobalPool)
          .Kernel({.header = "runtime/kernels/global_max_pool.h", .types = "T"})
          .Expand(ExpandGlobalPool),
      Op("LpPool", {1, 22}, "(X: T) -> (Y: T)", "T: float")
          .Attributes<rt::LpPoolParams>()
          .Required("kernel_shape")
          .Infer(InferLpPool)
          .Sizes({.function = "LpPoolShape",
                  .header = "runtime/params/lp_pool.h",
                  .arguments = "p s0"})
          .Kernel({.header = "runtime/kernels/lp_pool.h", .types = "T"})
          .Expand(ExpandInWide),
      Op("MaxPool", {1, 22}, "(X: T) -> (Y: T, Indices: i64?)", "T: float i8 u8")
          .Attributes<rt::MaxPoolParams>()
          .Required("kernel_shape")
          .Infer(InferMaxPool)
          .Sizes({.function = "MaxPoolShape",
                  .header = "runtime/params/max_pool.h",
                  .arguments = "p s0"})
          .Kernel({.header = "runtime/kernels/max_pool.h", .types = "T"}),
      Op("MaxUnpool", {9, 22}, "(X: T1, I: i64, output_shape: i64?#) -> (output: T1)", "T1: float")
          .Attributes<rt::MaxUnpoolParams>()
          .Required("kernel_shape")
          .Infer(InferMaxUnpool)
          .Sizes({.function = "MaxUnpoolShape",
                  .header = "runtime/params/max_unpool.h",
                  .arguments = "p s0 s1 v2"})
          .Kernel({.header = "runtime/kernels/max_unpool.h", .types = "T1", .fallible = true}),
  };
}

}  // namespace dragoman
