// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/packed_weights.h"

#include "core/lowering/heap.h"

namespace dragoman::torch {

const Abstract* PackedWeights::Attribute(std::string_view name) const {
  const auto* object = object_.As<ObjectRef>();
  if (object == nullptr) return nullptr;
  for (const auto& [key, value] : std::get<ObjectContents>(object->cell->contents).attributes) {
    if (key == name) return &value;
  }
  return nullptr;
}

const std::vector<Abstract>* PackedWeights::Items(std::string_view name) const {
  const Abstract* found = Attribute(name);
  if (found == nullptr) return nullptr;
  if (const auto* tuple = found->As<Tuple>()) return tuple->items.get();
  const auto* list = found->As<ListRef>();
  return list != nullptr ? &std::get<ListContents>(list->cell->contents).items : nullptr;
}

Value* PackedWeights::Tensor(Composer& c, std::string_view name) const {
  const Abstract* found = Attribute(name);
  const auto* tensor = found == nullptr ? nullptr : found->As<TensorRef>();
  return tensor == nullptr ? nullptr : c.Take(call_->heap().Read(c.builder(), *tensor));
}

std::vector<std::int64_t> PackedWeights::Ints(std::string_view name) const {
  std::vector<std::int64_t> ints;
  const std::vector<Abstract>* items = Items(name);
  if (items == nullptr) return ints;
  for (const Abstract& item : *items) {
    const auto* number = item.As<Number>();
    if (number != nullptr && number->known()) ints.push_back(number->AsInt());
  }
  return ints;
}

std::int64_t PackedWeights::Int(std::string_view name) const {
  const Abstract* found = Attribute(name);
  const auto* number = found == nullptr ? nullptr : found->As<Number>();
  return number != nullptr && number->known() ? number->AsInt() : 0;
}

std::string PackedWeights::Text(std::string_view name) const {
  const Abstract* found = Attribute(name);
  const auto* text = found == nullptr ? nullptr : found->As<String>();
  return text != nullptr && text->known() ? text->text() : std::string();
}

std::vector<PackedWeights> PackedWeights::Objects(std::string_view name) const {
  std::vector<PackedWeights> objects;
  const std::vector<Abstract>* items = Items(name);
  if (items == nullptr) return objects;
  for (const Abstract& item : *items) objects.emplace_back(*call_, item);
  return objects;
}

Value* PackedWeights::Linear(Composer& c, Value* x, bool through_f16) const {
  Value* weight = Tensor(c, "weight");
  if (weight == nullptr) return c.Fail("packed weights of this kind");
  if (through_f16) weight = c.Cast(c.Cast(weight, DType::kF16), DType::kF32);
  return c.Op("dragoman.Linear", {x, weight, Tensor(c, "bias")});
}

Value* RoundedToOwnRange(Composer& c, Value* x, bool reduce_range) {
  const double steps = reduce_range ? 127 : 255;
  Value* least = c.Min(c.ReduceAll("ReduceMin", x), 0);
  Value* greatest = c.Max(c.ReduceAll("ReduceMax", x), 0);
  Value* range = c.Div(c.Sub(greatest, least), steps);
  Value* scale = c.Where(c.Equal(range, 0), 0.1, range);
  Value* zero = c.Op("Round", {c.Neg(c.Div(least, scale))});
  Value* stored = c.Add(c.Op("Round", {c.Div(x, scale)}), zero);
  Value* clipped = c.Max(c.Min(stored, steps), 0);
  return c.Mul(c.Sub(clipped, zero), scale);
}

}  // namespace dragoman::torch
