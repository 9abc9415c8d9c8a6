// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/number_value.h"

#include <array>
#include <utility>

#include "core/interpreter/evaluate.h"
#include "core/lowering/composer.h"
#include "core/ops/op_def.h"
#include "core/support/count_elements.h"

namespace dragoman {
namespace {

// Of a scale that is chosen by sizes, as models of images compute it.
constexpr int kMostComputed = 32;
constexpr std::int64_t kMostElements = 64;

bool IsSmall(const Value* value) {
  const Shape* shape = value->type().shape();
  const auto sizes = shape != nullptr ? KnownShape(*shape) : std::nullopt;
  const std::optional<std::int64_t> count = sizes ? CountElements(*sizes) : std::nullopt;
  return count && *count <= kMostElements;
}

// What `value` is, if at most `budget` nodes compute it from constants.
std::optional<Tensor> Compute(const Value* value, int* budget) {
  if (value->is_constant()) return *value->tensor();
  const Node* node = value->producer();
  const OpDef* def = node != nullptr ? FindOp(*node) : nullptr;
  const bool computes = def != nullptr && !def->kernel.types.empty() && !def->effect &&
                        !def->random && node->subgraphs().empty();
  if (!computes || !IsSmall(value) || --*budget < 0) return std::nullopt;
  std::vector<std::optional<Tensor>> operands;
  std::vector<const Tensor*> given;
  for (const Use& use : node->operands()) {
    operands.push_back(use.value() != nullptr ? Compute(use.value(), budget) : std::nullopt);
    if (use.value() != nullptr && !operands.back()) return std::nullopt;
  }
  for (const std::optional<Tensor>& operand : operands)
    given.push_back(operand ? &*operand : nullptr);
  Result<std::vector<Tensor>> results = EvaluateOnTensors(*node, given);
  if (!results.ok() || value->index() >= results->size()) return std::nullopt;
  return std::move((*results)[value->index()]);
}

}  // namespace

Result<Value*> NumberValue(GraphBuilder& builder, const Number& number, DType dtype) {
  if (!number.known()) {
    Composer c(builder);
    return c.Done(c.Cast(number.symbolic(), dtype));
  }
  if (IsComplex(dtype)) {
    const std::complex<double> c = number.AsComplex();
    const std::array<float, 2> narrow = {static_cast<float>(c.real()),
                                         static_cast<float>(c.imag())};
    const auto bytes =
        dtype == DType::kC128 ? std::as_bytes(std::span(&c, 1)) : std::as_bytes(std::span(narrow));
    DRAGOMAN_ASSIGN(Tensor tensor, Tensor::Make(dtype, {}, Buffer::Copy(bytes)));
    return builder.Constant(std::move(tensor));
  }
  if (dtype == DType::kI64) return builder.Int(number.AsInt());
  DRAGOMAN_ASSIGN(Tensor tensor, Tensor::Full(dtype, {}, number.AsDouble()));
  return builder.Constant(std::move(tensor));
}

Number NumberFrom(const GraphBuilder& builder, Number::Kind kind, Value* value) {
  if (kind == Number::Kind::kComplex) return {kind, value};
  const bool is_float = kind == Number::Kind::kFloat;
  const auto ints = is_float ? std::nullopt : builder.KnownInts(value);
  if (ints && ints->size() == 1) return {kind, ints->front()};
  int budget = kMostComputed;
  const std::optional<Tensor> tensor = Compute(value, &budget);
  if (!tensor || tensor->size() != 1) return {kind, value};
  return is_float ? Number::Float(tensor->FloatAt(0)) : Number{kind, tensor->IntAt(0)};
}

Number::Kind KindOf(DType dtype) {
  if (dtype == DType::kBool) return Number::Kind::kBool;
  if (IsComplex(dtype)) return Number::Kind::kComplex;
  return IsFloating(dtype) ? Number::Kind::kFloat : Number::Kind::kInt;
}

}  // namespace dragoman
