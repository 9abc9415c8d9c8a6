// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/composer.h"

#include <algorithm>

#include "importers/torch/ops/promotion.h"

namespace dragoman::torch {

Result<Results> CallComposer::Done(std::initializer_list<Value*> values) const {
  if (failed()) return Composer::Done(nullptr).error();
  Results results;
  for (Value* value : values) results.push_back(call_->NewTensor(value));
  return results;
}

Result<Results> CallComposer::DoneWith(Results results) const {
  if (failed()) return Composer::Done(nullptr).error();
  return results;
}

Result<Results> CallComposer::DoneList(const std::vector<Value*>& values) const {
  if (failed()) return Composer::Done(nullptr).error();
  return Results{call_->NewTensorList(values)};
}

Value* CallComposer::OptionalTensor(std::string_view name) {
  return Has(name) ? Tensor(name) : nullptr;
}

Value* CallComposer::Floating(std::string_view name) {
  Value* value = Tensor(name);
  return Cast(value, FloatingResult(dtype(value)));
}

Value* CallComposer::As(std::string_view name, DType dtype) {
  const Abstract argument = Take(call_->Argument(name));
  if (failed()) return nullptr;
  if (argument.Is<dragoman::Number>()) return Take(call_->ScalarValue(name, dtype));
  return Cast(Tensor(name), dtype);
}

std::vector<Value*> CallComposer::Promoted(std::initializer_list<std::string_view> names,
                                           bool to_float) {
  std::vector<Value*> values;
  if (!failed()) values = Take(call_->Promoted(names, to_float));
  values.resize(names.size());
  return values;
}

std::vector<std::int64_t> CallComposer::IntPerAxis(std::string_view name, int count) {
  const auto axes = static_cast<std::size_t>(count);
  std::vector<std::int64_t> ints;
  if (!failed()) ints = Take(call_->IntList(name, axes));
  ints.resize(axes, 1);
  return ints;
}

std::int64_t CallComposer::IntOr(std::string_view name, std::int64_t otherwise) {
  return Has(name) ? Int(name) : otherwise;
}

double CallComposer::FloatOr(std::string_view name, double otherwise) {
  return Has(name) ? Float(name) : otherwise;
}

bool CallComposer::BoolOr(std::string_view name, bool otherwise) {
  return Has(name) ? Bool(name) : otherwise;
}

int CallComposer::AxisArgument(std::string_view name, const Value* tensor) {
  return Axis(Int(name), Rank(tensor));
}

std::vector<std::int64_t> CallComposer::AxesArgument(std::string_view name, const Value* tensor) {
  const int rank = Rank(tensor);
  if (failed() || rank == 0) return {};
  std::vector<std::int64_t> axes;
  if (Has(name)) axes = Take(call_->IntList(name));
  if (axes.empty()) axes = AllAxes(rank);
  for (std::int64_t& axis : axes) axis = Axis(axis, rank);
  std::sort(axes.begin(), axes.end());
  return axes;
}

}  // namespace dragoman::torch
