// SPDX-License-Identifier: Apache-2.0
// Operators that decomposed programs of torch.export have in the place of a user's. Further
// results, which serve the backward pass, are None.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

struct TrilinearFactor {
  Value* x = nullptr;
  std::vector<std::int64_t> added;  // axes of size 1

  bool Adds(std::int64_t axis) const { return std::ranges::count(added, axis) > 0; }
};

// Letters are axes, each as it is met first. Empty if an axis is of none of the factors, or
// repeated in one that it is of.
std::string TrilinearEquation(const std::vector<TrilinearFactor>& factors,
                              const std::vector<std::int64_t>& summed, int rank) {
  std::string equation;
  std::map<std::int64_t, std::pair<char, Dim>> letters;  // by axis, with its size
  for (const TrilinearFactor& factor : factors) {
    if (!equation.empty()) equation += ",";
    auto size = factor.x->type().shape()->begin();
    for (int axis = 0; axis < rank; ++axis) {
      if (factor.Adds(axis)) continue;
      const auto letter = static_cast<char>('a' + letters.size());
      const auto& entry = letters.emplace(axis, std::pair(letter, *size)).first->second;
      if (Equal(entry.second, *size++) != Truth::kYes) return "";
      equation += entry.first;
    }
  }
  constexpr int kLetters = 26;
  if (std::ssize(letters) != rank || rank > kLetters) return "";
  equation += "->";
  for (const auto& [axis, entry] : letters) {
    if (std::ranges::count(summed, axis) == 0) equation += entry.first;
  }
  return equation;
}

Value* SumOfProducts(CallComposer& c, const std::vector<TrilinearFactor>& factors,
                     const std::vector<std::int64_t>& summed) {
  Value* product = nullptr;
  for (const TrilinearFactor& factor : factors) {
    Value* x = factor.added.empty() ? factor.x : c.Unsqueeze(factor.x, factor.added);
    product = product == nullptr ? x : c.Mul(product, x);
  }
  return summed.empty() ? product : c.ReduceSum(product, summed);
}

template <Result<Value*> (*kLower)(Call&)>
Result<Results> WithoutSaved(Call& call) {
  DRAGOMAN_ASSIGN(Value * y, kLower(call));
  return Results{call.NewTensor(y), None()};
}

Result<Results> LowerNllLossForward(Call& call) { return WithoutSaved<LowerNllLoss>(call); }
Result<Results> LowerRmsNormForward(Call& call) { return WithoutSaved<LowerRmsNorm>(call); }
Result<Results> LowerWeightNormForward(Call& call) { return WithoutSaved<LowerWeightNorm>(call); }
Result<Results> LowerFakeQuantizeForward(Call& call) {
  return WithoutSaved<LowerFakeQuantize>(call);
}
Result<Results> LowerMultilabelMarginLossForward(Call& call) {
  return WithoutSaved<LowerMultilabelMarginLoss>(call);
}

Result<Results> LowerLogSigmoidForward(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  DRAGOMAN_ASSIGN(Value * y, c.Done(c.CastLike(LogSigmoid(c, c.Widen(x)), x)));
  return Results{call.NewTensor(y), None()};
}

// What is kept of the input, and which elements these are.
Result<Results> LowerNativeDropout(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("input");
  const double p = c.Float("p");
  if (c.BoolOr("train", true) && p != 0) {
    const std::vector<Value*> results =
        c.Ops("Dropout", {x, c.Number(p, DType::kF32), c.BoolConstant(true)}, {}, 2);
    return c.Done({results[0], results[1]});
  }
  return c.Done({x, c.Full(c.Shape(x), 1, DType::kBool)});
}

// The weight has the sizes that broadcasting asks for.
Value* LowerPReluKernel(CallComposer& c) {
  Value* x = c.Tensor("self");
  return c.Op("PRelu", {x, c.Tensor("weight")});
}

// beta · self + alpha · mat1 · mat2, through ReLU or GELU.
Result<Value*> LowerAddmmActivation(Call& call) {
  DRAGOMAN_ASSIGN(Value * sum, LowerAddmm(call));
  CallComposer c(call);
  return c.Done(c.Op(c.Bool("use_gelu") ? "Gelu" : "Relu", {sum}));
}

// Of bytes, exactly, as 32 bits.
Value* LowerIntMatMul(CallComposer& c) {
  return c.Op("MatMulInteger", {c.Tensor("self"), c.Tensor("mat2")});
}

// self · mat2ᵀ, each column times its scale.
Value* LowerInt8Linear(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* wide = c.Widen(x);
  Value* product = c.Op("dragoman.Linear", {wide, c.CastLike(c.Tensor("mat2"), wide)});
  return c.CastLike(c.Mul(product, c.CastLike(c.Tensor("scales"), product)), x);
}

// Σ i1 · i2 · i3 over `sumdim`, each with axes of size 1 put in at its `expand`.
Value* LowerTrilinear(CallComposer& c) {
  std::vector<TrilinearFactor> factors;
  int rank = 0;
  for (const char* number : {"1", "2", "3"}) {
    TrilinearFactor factor{c.Widen(c.Tensor(std::string("i") + number))};
    factor.added = c.Take(c.call().IntList(std::string("expand") + number));
    rank = c.Rank(factor.x) + static_cast<int>(factor.added.size());
    for (std::int64_t& axis : factor.added) axis = c.Axis(axis, rank);
    factors.push_back(std::move(factor));
  }
  std::vector<std::int64_t> summed = c.Take(c.call().IntList("sumdim"));
  for (std::int64_t& axis : summed) axis = c.Axis(axis, rank);
  if (c.failed()) return nullptr;
  const std::string equation = TrilinearEquation(factors, summed, rank);
  Value* y = equation.empty() ? SumOfProducts(c, factors, summed)
                              : c.Op("Einsum", {factors[0].x, factors[1].x, factors[2].x},
                                     {{"equation", equation}});
  return c.CastLike(y, c.Tensor("i1"));
}

// _linalg_det: the determinant, without its factors.
Result<Results> LowerDeterminantForward(Call& call) {
  DRAGOMAN_ASSIGN(Value * y, LowerDeterminant(call));
  return Results{call.NewTensor(y), None(), None()};
}

// _linalg_slogdet: the sign of the determinant and the logarithm of its size.
Result<Results> LowerLogDeterminantForward(Call& call) {
  DRAGOMAN_ASSIGN(Results results, LowerLogDeterminant(call));
  results.resize(4, None());
  return results;
}

// _linalg_solve_ex: the solution, and after the factors, which are left out, whether there is one.
Result<Results> LowerLinalgSolveForward(Call& call) {
  if (call.Declares("left") && !*call.Bool("left")) return call.Unsupported("left = False");
  DRAGOMAN_ASSIGN(const Results results, LowerLinalgSolveEx(call));
  return Results{results[0], None(), None(), results[1]};
}

}  // namespace

std::span<const OpRow> DecomposedRows() {
  static constexpr OpRow kRows[] = {
      {"aten._addmm_activation", LowerAddmmActivation},
      {"aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams", LowerFakeQuantizeForward},
      {"aten._fused_rms_norm", LowerRmsNormForward},
      {"aten._int_mm", LowerIntMatMul},
      {"aten._linalg_det", LowerDeterminantForward, {.complex = true}},
      {"aten._linalg_slogdet", LowerLogDeterminantForward, {.complex = true}},
      {"aten._linalg_solve_ex",
       LowerLinalgSolveForward,
       {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten._prelu_kernel", LowerPReluKernel},
      {"aten._trilinear", LowerTrilinear},
      {"aten._weight_int8pack_mm", LowerInt8Linear},
      {"aten._weight_norm_interface", LowerWeightNormForward},
      {"aten.fake_quantize_per_channel_affine_cachemask", LowerFakeQuantizeForward},
      {"aten.fake_quantize_per_tensor_affine_cachemask", LowerFakeQuantizeForward},
      {"aten.log_sigmoid_forward", LowerLogSigmoidForward},
      {"aten.multilabel_margin_loss_forward", LowerMultilabelMarginLossForward},
      {"aten.native_dropout", LowerNativeDropout},
      {"aten.nll_loss2d_forward", LowerNllLossForward},
      {"aten.nll_loss_forward", LowerNllLossForward},
  };
  return kRows;
}

}  // namespace dragoman::torch
