// SPDX-License-Identifier: Apache-2.0
// Products of matrices and vectors.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/ir/dtype_kinds.h"
#include "core/lowering/complex.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"

namespace dragoman::torch {
namespace {

// beta * self + alpha * product; self does not count where beta is 0.
Value* AddProduct(CallComposer& c, Value* self, Value* product) {
  const Number alpha = c.Take(c.call().Scalar("alpha"));
  const Number beta = c.Take(c.call().Scalar("beta"));
  if (c.failed()) return nullptr;
  const auto is = [](const Number& n, double value) { return n.known() && n.AsComplex() == value; };
  const auto scaled = [&](Value* value, const Number& by) {
    return is(by, 1) ? value : c.Mul(value, c.Take(c.call().NumberValue(by, c.dtype(value))));
  };
  if (c.dtype(product) == DType::kBool) {
    if (!alpha.known()) return c.Fail("alpha known only at run time of bool tensors");
    product = is(alpha, 0) ? c.And(product, c.BoolConstant(false)) : product;
    return is(beta, 0) ? product : c.Or(self, product);
  }
  product = scaled(product, alpha);
  return is(beta, 0) ? product : c.Add(product, scaled(self, beta));
}

Value* InputTensor(CallComposer& c, std::string_view name) {
  Value* x = c.Tensor(name);
  if (c.dtype(x) == DType::kBool) return c.Fail("products of bool tensors");
  return x;
}

// Of vectors of one type; of bool, where both hold.
Value* OuterProduct(Composer& c, Value* a, Value* b) {
  Value* column = c.Unsqueeze(a, {1});
  return c.dtype(column) == DType::kBool ? c.And(column, b) : c.Mul(column, b);
}

// addmm of halves, as the operator that rounds their sum once; nullptr where there is none.
Value* HalfGemm(CallComposer& c, Value* self, Value* a, Value* b) {
  const Number alpha = c.Take(c.call().Scalar("alpha"));
  const Number beta = c.Take(c.call().Scalar("beta"));
  if (c.failed() || c.MaybeRank(a) != 2 || c.MaybeRank(b) != 2) return nullptr;
  if (!alpha.known() || !beta.known()) return nullptr;
  std::vector<Value*> operands = {a, b};
  if (beta.AsComplex() != 0.0) operands.push_back(self);
  return c.Op("Gemm", std::move(operands),
              {{"alpha", static_cast<float>(alpha.AsComplex().real())},
               {"beta", static_cast<float>(beta.AsComplex().real())}});
}

// Argument `self`, and the product of two others; a sum of halves is rounded once.
Result<Value*> AddMatMul(Call& call, std::string_view first, std::string_view second) {
  CallComposer c(call);
  if (c.Has("out_dtype")) return call.Unsupported("argument out_dtype");
  Value* a = InputTensor(c, first);
  Value* b = c.Tensor(second);
  Value* self = c.Tensor("self");
  if (!IsHalf(c.dtype(a))) return c.Done(AddProduct(c, self, MatMul(c, a, b)));
  if (Value* sum = HalfGemm(c, self, a, b)) return c.Done(sum);
  Value* sum = AddProduct(c, c.Widen(self), MatMul(c, c.Widen(a), c.Widen(b)));
  return c.Done(c.CastLike(sum, a));
}

// matmul, mm, bmm, mv, dot: the ranks decide, as in NumPy.
Value* LowerMatMul(CallComposer& c) {
  if (c.Has("out_dtype")) return c.Refuse("argument out_dtype");
  Value* a = InputTensor(c, "self");
  for (std::string_view name : {"other", "mat2", "vec", "tensor"}) {
    if (c.call().Declares(name)) return MatMul(c, a, c.Tensor(name));
  }
  return c.Fail(c.call().Invalid("the second factor is missing"));
}

Value* LowerLinear(CallComposer& c) {
  Value* x = c.Tensor("input");
  Value* weight = c.Tensor("weight");
  Value* bias = c.OptionalTensor("bias");
  const int rank = c.Rank(weight);
  if (rank == 2 && IsFloating(c.dtype(x)) && c.MaybeRank(bias).value_or(1) == 1) {
    std::vector<Value*> operands = {x, weight};
    if (bias != nullptr) operands.push_back(bias);
    return c.Op("dragoman.Linear", std::move(operands));
  }
  Value* product = MatMul(c, x, rank == 2 ? c.SwapAxes(weight, 0, 1) : weight);
  return bias != nullptr ? c.Add(product, bias) : product;
}

}  // namespace

Result<Value*> LowerAddmm(Call& call) { return AddMatMul(call, "mat1", "mat2"); }

namespace {

Result<Value*> LowerAddmv(Call& call) { return AddMatMul(call, "mat", "vec"); }
Result<Value*> LowerBaddbmm(Call& call) { return AddMatMul(call, "batch1", "batch2"); }

Value* LowerAddr(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "vec1", "vec2"});
  return AddProduct(c, x[0], OuterProduct(c, x[1], x[2]));
}

Value* LowerAddbmm(CallComposer& c) {
  Value* a = InputTensor(c, "batch1");
  Value* product = MatMul(c, a, c.Tensor("batch2"));
  return AddProduct(c, c.Tensor("self"), c.ReduceSum(product, {0}));
}

// outer, ger
Value* LowerOuter(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "vec2"});
  return OuterProduct(c, x[0], x[1]);
}

// The sum over the last axes of both.
Value* LowerInner(CallComposer& c) {
  Value* a = InputTensor(c, "self");
  Value* b = c.Tensor("other");
  const int rank_a = c.Rank(a);
  const int rank_b = c.Rank(b);
  if (rank_a == 0 || rank_b == 0) return c.Mul(a, b);
  if (rank_b == 1) return MatMul(c, a, b);
  Value* features = c.SizeVector(b, rank_b - 1, 1);
  Value* columns =
      c.SwapAxes(c.Reshape(b, c.ConcatSizes({MergedSize(c, b, 0, rank_b - 1), features})), 0, 1);
  Value* product = MatMul(c, a, columns);
  std::vector<Value*> sizes = {c.SizeVector(a, 0, rank_a - 1), c.SizeVector(b, 0, rank_b - 1)};
  return c.Reshape(product, c.ConcatSizes(std::move(sizes)));
}

Value* LowerVecdot(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"x", "y"});
  Value* a = IsComplex(c.dtype(x[0])) ? Conjugate(c, x[0]) : x[0];
  Value* product = c.Mul(a, x[1]);
  return c.ReduceSum(product, {c.AxisArgument("dim", product)});
}

Value* LowerVdot(CallComposer& c) {
  Value* a = c.Tensor("self");
  return MatMul(c, IsComplex(c.dtype(a)) ? Conjugate(c, a) : a, c.Tensor("other"));
}

// chain_matmul, linalg_multi_dot: from the left.
Value* LowerChainMatMul(CallComposer& c) {
  const std::vector<Value*> factors =
      c.Tensors(c.call().Declares("matrices") ? "matrices" : "tensors");
  if (factors.empty()) return c.Fail(c.call().Invalid("no factors"));
  Value* product = factors[0];
  for (std::size_t i = 1; i < factors.size(); ++i) product = MatMul(c, product, factors[i]);
  return product;
}

}  // namespace

// `x` without the other elements of its axis: their sum, where the paired axis `partner` of `y` has
// one element, which all of them meet.
Value* SumPaired(CallComposer& c, Value* x, std::int64_t axis, const Value* y,
                 std::int64_t partner) {
  const bool repeats = c.KnownSize(y, static_cast<int>(partner)) == 1 &&
                       c.KnownSize(x, static_cast<int>(axis)).value_or(1) != 1;
  return repeats ? c.ReduceSum(x, {axis}, true) : x;
}

namespace {

Value* LowerTensordot(CallComposer& c) {
  Value* a = InputTensor(c, "self");
  Value* b = c.Tensor("other");
  const int rank_a = c.Rank(a);
  const int rank_b = c.Rank(b);
  std::vector<std::int64_t> axes_a = c.Take(c.call().IntList("dims_self"));
  std::vector<std::int64_t> axes_b = c.Take(c.call().IntList("dims_other"));
  if (axes_a.size() != axes_b.size())
    return c.Fail(c.call().Invalid("the lists of axes differ in length"));
  for (std::int64_t& axis : axes_a) axis = c.Axis(axis, rank_a);
  for (std::int64_t& axis : axes_b) axis = c.Axis(axis, rank_b);
  for (std::size_t i = 0; !c.failed() && i < axes_a.size(); ++i) {
    Value* const whole = a;
    a = SumPaired(c, a, axes_a[i], b, axes_b[i]);
    b = SumPaired(c, b, axes_b[i], whole, axes_a[i]);
  }
  const auto rest = [](int rank, const std::vector<std::int64_t>& axes) {
    std::vector<std::int64_t> left;
    for (std::int64_t axis : AllAxes(rank)) {
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) left.push_back(axis);
    }
    return left;
  };
  const auto join = [](std::vector<std::int64_t> first, const std::vector<std::int64_t>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  const std::vector<std::int64_t> kept_a = rest(rank_a, axes_a);
  const std::vector<std::int64_t> kept_b = rest(rank_b, axes_b);
  Value* x = c.Transpose(a, join(kept_a, axes_a));
  Value* y = c.Transpose(b, join(axes_b, kept_b));
  const int rows = static_cast<int>(kept_a.size());
  const int summed = static_cast<int>(axes_a.size());
  std::vector<Value*> sizes;
  if (rows > 0) sizes.push_back(c.SizeVector(x, 0, rows));
  if (!kept_b.empty()) sizes.push_back(c.SizeVector(y, summed, static_cast<int>(kept_b.size())));
  Value* left = c.Op("Flatten", {x}, {{"axis", std::int64_t{rows}}});
  Value* right = c.Op("Flatten", {y}, {{"axis", std::int64_t{summed}}});
  Value* product = MatMul(c, left, right);
  return c.Reshape(product, sizes.empty() ? c.Ints({}) : c.ConcatSizes(std::move(sizes)));
}

}  // namespace

// Whether an equation of one operand sums: an axis of it is not in the result.
bool Sums(const std::string& equation) {
  const std::size_t arrow = equation.find("->");
  const std::string operand = equation.substr(0, arrow);
  return std::ranges::any_of(operand, [&](char letter) {
    if (letter == ' ') return false;
    if (arrow != std::string::npos) return equation.find(letter, arrow + 2) == std::string::npos;
    return letter != '.' && std::ranges::count(operand, letter) > 1;
  });
}

namespace {

Value* LowerEinsum(CallComposer& c) {
  if (!c.call().Declares("equation")) return c.Refuse("the overload on sublists");
  const std::vector<Value*> operands = c.Tensors("tensors");
  if (c.failed()) return nullptr;
  if (operands.empty()) return c.Fail(c.call().Invalid("no operands"));
  const std::string equation = c.Text("equation");
  DType type = c.dtype(operands[0]);
  // Of several operands torch takes products, which keep the type.
  if (operands.size() == 1 && Sums(equation)) type = SumResult(type);
  if (type == DType::kBool) return c.Refuse("of bools");
  std::vector<Value*> wide;
  // Sums of int64 hold those of any other integers, modulo what these hold.
  for (Value* operand : operands)
    wide.push_back(IsInteger(type) ? c.Cast(operand, DType::kI64) : c.Widen(operand));
  return c.Cast(c.Op("Einsum", std::move(wide), {{"equation", equation}}), type);
}

// y[…, k] = x1[…, i] weight[k, i, j] x2[…, j] + bias[k]
Value* LowerBilinear(CallComposer& c) {
  Value* x1 = c.Tensor("input1");
  Value* x2 = c.Tensor("input2");
  Value* weight = c.Tensor("weight");
  Value* bias = c.OptionalTensor("bias");
  const DType type = c.dtype(x1);
  std::vector<Value*> operands = {c.Widen(x1), c.Widen(weight), c.Widen(x2)};
  const bool is_matrix = c.MaybeRank(x1) == 2;  // letters as _trilinear gives them
  Value* y = c.Op("Einsum", std::move(operands),
                  {{"equation", is_matrix ? "ab,cbd,ad->ac" : "...i,kij,...j->...k"}});
  y = c.Cast(y, type);
  return bias != nullptr ? c.Add(y, bias) : y;
}

}  // namespace

std::span<const OpRow> ProductRows() {
  static constexpr OpRow kRows[] = {
      {"aten.addbmm", LowerAddbmm, {.complex = true}},
      {"aten.addmm", LowerAddmm, {.complex = true, .order = ResultOrder::kStated}},
      {"aten.addmv", LowerAddmv, {.complex = true}},
      {"aten.addr", LowerAddr, {.complex = true}},
      {"aten.baddbmm", LowerBaddbmm, {.complex = true, .order = ResultOrder::kStated}},
      {"aten.bilinear", LowerBilinear},
      {"aten.bmm", LowerMatMul, {.complex = true, .order = ResultOrder::kStated}},
      {"aten.chain_matmul", LowerChainMatMul, {.complex = true}},
      {"aten.dot", LowerMatMul, {.complex = true}},
      {"aten.einsum", LowerEinsum, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.ger", LowerOuter, {.complex = true}},
      {"aten.inner", LowerInner, {.complex = true}},
      {"aten.linalg_matmul", LowerMatMul, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.linalg_multi_dot", LowerChainMatMul, {.complex = true}},
      {"aten.linalg_vecdot", LowerVecdot, {.complex = true}},
      {"aten.linear", LowerLinear, {.complex = true, .order = ResultOrder::kStated}},
      {"aten.matmul", LowerMatMul, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.mm", LowerMatMul, {.complex = true, .order = ResultOrder::kStated}},
      {"aten.mv", LowerMatMul, {.complex = true}},
      {"aten.outer", LowerOuter, {.complex = true}},
      {"aten.tensordot", LowerTensordot, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.vdot", LowerVdot, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
