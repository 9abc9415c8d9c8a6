// SPDX-License-Identifier: Apache-2.0
// Operands are the learning rate R, the number of earlier steps T, and lists of tensors, one after
// the other: those to optimise, their gradients, and what the optimiser keeps of each.
#include "importers/onnx/ops/training.h"

#include <string>

#include "importers/onnx/op_composer.h"

namespace dragoman {
namespace {

constexpr std::size_t kRate = 0, kSteps = 1, kFirst = 2;

Result<float> TakeNumber(OpLowering& op, std::string_view name, float absent) {
  DRAGOMAN_ASSIGN(const std::optional<float> number, op.TakeFloat(name));
  return number.value_or(absent);
}

// How many tensors are optimised, where there are `lists` lists. Errors: lists that differ in
// length.
Result<std::size_t> CountTensors(const OpLowering& op, std::size_t lists) {
  const std::size_t given = op.operands.size() > kFirst ? op.operands.size() - kFirst : 0;
  if (given == 0 || given % lists != 0)
    return op.Invalid("has " + std::to_string(op.operands.size()) + " operands, expected 2 and " +
                      std::to_string(lists) + " for each tensor");
  for (std::size_t i = 0; i < op.operands.size(); ++i) DRAGOMAN_TRY(op.Require({i}));
  return given / lists;
}

// The gradient of `x` with that of a penalty on its square.
Value* Regularised(OpComposer& f, Value* gradient, Value* x, float norm) {
  return norm == 0 ? gradient : f.Add(f.Mul(x, norm), gradient);
}

// A number of one element of x's type.
Value* Rate(OpComposer& f, const OpLowering& op, const Value* x) {
  return f.CastLike(f.Reshape(op.operand(kRate), std::vector<std::int64_t>{}), x);
}

Value* Steps(OpComposer& f, const OpLowering& op, const Value* x) {
  return f.CastLike(f.Reshape(op.operand(kSteps), std::vector<std::int64_t>{}), x);
}

// The results as the source orders them: list by list, one element a tensor.
struct Lists {
  std::vector<std::vector<Value*>> lists;

  explicit Lists(std::size_t count) : lists(count) {}
  LoweredResults Finish(OpLowering& op, OpComposer& f) {
    std::vector<Value*> results;
    for (const std::vector<Value*>& list : lists) {
      for (Value* value : list)
        results.push_back(f.Op("Identity", {value}, {}, op.ResultName(results.size())));
    }
    if (op.num_results() > results.size()) return op.Invalid("names more results than it has");
    results.resize(op.num_results());
    return f.Finish(std::move(results));
  }
};

}  // namespace

LoweredResults LowerAdagrad(OpLowering& op) {
  DRAGOMAN_ASSIGN(const float decay, TakeNumber(op, "decay_factor", 0));
  DRAGOMAN_ASSIGN(const float epsilon, TakeNumber(op, "epsilon", 1e-6f));
  DRAGOMAN_ASSIGN(const float norm, TakeNumber(op, "norm_coefficient", 0));
  DRAGOMAN_ASSIGN(const std::size_t count, CountTensors(op, 3));
  OpComposer f(op);
  Lists results(2);
  for (std::size_t i = kFirst; i < kFirst + count; ++i) {
    Value* x = op.operand(i);
    Value* rate = f.Div(Rate(f, op, x), f.Add(f.Mul(Steps(f, op, x), decay), 1));
    Value* gradient = Regularised(f, op.operand(i + count), x, norm);
    Value* squares = f.Add(op.operand(i + 2 * count), f.Mul(gradient, gradient));
    Value* step = f.Div(f.Mul(rate, gradient), f.Add(f.Sqrt(squares), epsilon));
    results.lists[0].push_back(f.Sub(x, step));
    results.lists[1].push_back(squares);
  }
  return results.Finish(op, f);
}

LoweredResults LowerMomentum(OpLowering& op) {
  DRAGOMAN_ASSIGN(const float alpha, TakeNumber(op, "alpha", 0));
  DRAGOMAN_ASSIGN(const float beta, TakeNumber(op, "beta", 0));
  DRAGOMAN_ASSIGN(const float norm, TakeNumber(op, "norm_coefficient", 0));
  DRAGOMAN_ASSIGN(const std::optional<std::string> given, op.TakeString("mode"));
  const std::string mode = given.value_or("");
  if (mode != "standard" && mode != "nesterov")
    return op.Invalid("attribute 'mode' is neither standard nor nesterov");
  DRAGOMAN_ASSIGN(const std::size_t count, CountTensors(op, 3));
  OpComposer f(op);
  Lists results(2);
  for (std::size_t i = kFirst; i < kFirst + count; ++i) {
    Value* x = op.operand(i);
    Value* gradient = Regularised(f, op.operand(i + count), x, norm);
    Value* share = f.Where(f.Greater(Steps(f, op, x), 0), f.Number(beta, x), f.Number(1, x));
    Value* momentum = f.Add(f.Mul(op.operand(i + 2 * count), alpha), f.Mul(share, gradient));
    Value* direction = mode == "standard" ? momentum : f.Add(gradient, f.Mul(momentum, alpha));
    results.lists[0].push_back(f.Sub(x, f.Mul(Rate(f, op, x), direction)));
    results.lists[1].push_back(momentum);
  }
  return results.Finish(op, f);
}

LoweredResults LowerAdam(OpLowering& op) {
  DRAGOMAN_ASSIGN(const float alpha, TakeNumber(op, "alpha", 0.9f));
  DRAGOMAN_ASSIGN(const float beta, TakeNumber(op, "beta", 0.999f));
  DRAGOMAN_ASSIGN(const float epsilon, TakeNumber(op, "epsilon", 1e-6f));
  DRAGOMAN_ASSIGN(const float norm, TakeNumber(op, "norm_coefficient", 0));
  DRAGOMAN_ASSIGN(const float after, TakeNumber(op, "norm_coefficient_post", 0));
  DRAGOMAN_ASSIGN(const std::size_t count, CountTensors(op, 4));
  OpComposer f(op);
  Lists results(3);
  for (std::size_t i = kFirst; i < kFirst + count; ++i) {
    Value* x = op.operand(i);
    Value* gradient = Regularised(f, op.operand(i + count), x, norm);
    Value* mean = f.Add(f.Mul(op.operand(i + 2 * count), alpha), f.Mul(gradient, 1 - alpha));
    Value* squares =
        f.Add(f.Mul(op.operand(i + 3 * count), beta), f.Mul(f.Mul(gradient, gradient), 1 - beta));
    Value* steps = Steps(f, op, x);
    Value* rate = Rate(f, op, x);
    const auto missing = [&](float kept) { return f.Sub(1, f.Pow(f.Number(kept, x), steps)); };
    Value* adjusted = f.Div(f.Mul(rate, f.Sqrt(missing(beta))), missing(alpha));
    rate = f.Where(f.Greater(steps, 0), adjusted, rate);
    Value* step = f.Div(f.Mul(rate, mean), f.Add(f.Sqrt(squares), epsilon));
    Value* moved = f.Sub(x, step);
    results.lists[0].push_back(after == 0 ? moved : f.Mul(moved, 1 - after));
    results.lists[1].push_back(mean);
    results.lists[2].push_back(squares);
  }
  return results.Finish(op, f);
}

}  // namespace dragoman
