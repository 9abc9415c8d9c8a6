// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/operand_composer.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

namespace dragoman {

const Abstract& OperandComposer::operand(std::size_t i) {
  static const Abstract kMissing = Poison();
  if (i < operands_.size()) return operands_[i];
  Fail(InvalidInput(fmt::format("operand {} is missing", i)));
  return kMissing;
}

Value* OperandComposer::TensorOf(const Abstract& operand) {
  if (failed()) return nullptr;
  const auto* tensor = operand.As<TensorRef>();
  if (tensor == nullptr) return Fail("an operand that is " + Describe(operand));
  const auto* storage = std::get_if<StorageContents>(&tensor->storage->contents);
  if (storage != nullptr && IsForgotten(*storage))
    return Fail(InvalidInput("variable '" + tensor->storage->path + "' is not initialised"));
  return Take(heap_->Read(builder(), *tensor));
}

Value* OperandComposer::Index(std::size_t i) {
  Value* value = Tensor(i);
  if (failed() || dtype(value) == DType::kI64) return value;
  const std::optional<int> rank = MaybeRank(value);
  const std::optional<std::vector<std::int64_t>> known = builder().KnownInts(value);
  if (known && rank == 0) return Int(known->front());
  if (known && rank == 1) return Ints(*known);
  // What a program counts in int32 has no more than that.
  const Node* narrowed = value->producer();
  if (narrowed != nullptr && narrowed->Is("Cast") && dtype(value) == DType::kI32 &&
      dtype(narrowed->operand(0)) == DType::kI64 && builder().inference().Know(value).elements)
    return narrowed->operand(0);
  return Cast(value, DType::kI64);
}

std::optional<std::vector<std::int64_t>> OperandComposer::MaybeKnownInts(std::size_t i) {
  Value* value = Tensor(i);
  return failed() ? std::nullopt : builder().KnownInts(value);
}

std::vector<std::int64_t> OperandComposer::KnownInts(std::size_t i, std::string_view what) {
  std::optional<std::vector<std::int64_t>> ints = MaybeKnownInts(i);
  if (ints) return *std::move(ints);
  Fail(fmt::format("{} known only at run time is not supported", what));
  return {};
}

std::int64_t OperandComposer::KnownInt(std::size_t i, std::string_view what) {
  const std::vector<std::int64_t> ints = KnownInts(i, what);
  if (failed()) return 0;
  if (ints.size() == 1) return ints.front();
  Fail(InvalidInput(fmt::format("{} has {} elements, expected one", what, ints.size())));
  return 0;
}

const dragoman::Tensor* OperandComposer::Constant(std::size_t i) {
  const Value* value = Tensor(i);
  return value != nullptr && value->is_constant() ? value->tensor() : nullptr;
}

std::optional<double> OperandComposer::KnownFloat(std::size_t i) {
  const dragoman::Tensor* tensor = Constant(i);
  if (tensor == nullptr || tensor->size() != 1) return std::nullopt;
  return tensor->FloatAt(0);
}

}  // namespace dragoman
