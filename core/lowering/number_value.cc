// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/number_value.h"

#include <array>
#include <utility>

#include "core/lowering/composer.h"

namespace dragoman {

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
  if (kind == Number::Kind::kFloat) {
    const Tensor* tensor = value->is_constant() ? value->tensor() : nullptr;
    if (tensor != nullptr && tensor->size() == 1) return Number::Float(tensor->FloatAt(0));
  } else if (kind != Number::Kind::kComplex) {
    const std::optional<std::vector<std::int64_t>> ints = builder.KnownInts(value);
    if (ints && ints->size() == 1) return {kind, ints->front()};
  }
  return {kind, value};
}

Number::Kind KindOf(DType dtype) {
  if (dtype == DType::kBool) return Number::Kind::kBool;
  if (IsComplex(dtype)) return Number::Kind::kComplex;
  return IsFloating(dtype) ? Number::Kind::kFloat : Number::Kind::kInt;
}

}  // namespace dragoman
