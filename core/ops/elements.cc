// SPDX-License-Identifier: Apache-2.0
#include "core/ops/elements.h"

#include <optional>
#include <utility>

namespace dragoman {
namespace {

struct ElementOperand {
  const Elements* elements = nullptr;  // null: omitted
  std::vector<std::int64_t> sizes;
};

std::optional<ElementOperand> ElementsOf(const InferContext& context, std::size_t i) {
  ElementOperand operand;
  if (!context.has(i)) return operand;
  if (!context.elements(i)) return std::nullopt;
  operand.elements = &*context.elements(i);
  if (operand.elements->size() == 1) return operand;
  const Shape* shape = context.shape(i);
  std::optional<std::vector<std::int64_t>> sizes;
  if (shape != nullptr) sizes = KnownShape(*shape);
  if (!sizes || NumElements(*shape) != Dim(static_cast<std::int64_t>(operand.elements->size())))
    return std::nullopt;
  operand.sizes = std::move(*sizes);
  return operand;
}

// Whether the integer type holds `value`.
bool Holds(const DTypeInfo& info, std::int64_t value) {
  const int bits = info.dtype == DType::kBool ? 1 : info.bits;
  if (!info.is_signed || info.dtype == DType::kBool)
    return value >= 0 && (bits >= 63 || value < (std::int64_t{1} << bits));
  if (bits >= 64) return true;
  const std::int64_t limit = std::int64_t{1} << (bits - 1);
  return value >= -limit && value < limit;
}

}  // namespace

Dim OnlyElement(const Knowledge& knowledge) {
  const bool is_one = knowledge.elements && knowledge.elements->size() == 1;
  return is_one ? knowledge.elements->front() : Dim::Unknown();
}

void MapElements(InferContext& context, ElementFunction function) {
  const Shape* shape = context.results()[0].type.shape();
  if (shape == nullptr) return;
  const std::optional<std::vector<std::int64_t>> sizes = KnownShape(*shape);
  const Dim count = NumElements(*shape);
  if (!sizes || !count.known() || count.value() > kMaxElements) return;
  std::vector<ElementOperand> operands;
  for (std::size_t i = 0; i < context.num_operands(); ++i) {
    std::optional<ElementOperand> operand = ElementsOf(context, i);
    if (!operand) return;
    operands.push_back(std::move(*operand));
  }
  const DType dtype = context.result_dtype(0);
  Elements results;
  std::vector<Dim> arguments(operands.size());
  for (std::size_t flat = 0; flat < static_cast<std::size_t>(count.value()); ++flat) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].elements == nullptr) continue;
      arguments[i] = (*operands[i].elements)[BroadcastOffset(flat, *sizes, operands[i].sizes)];
    }
    results.push_back(FitElement(dtype, function(context, arguments)));
  }
  context.SetElements(0, std::move(results));
}

Dim FitElement(DType dtype, const Dim& value) {
  const DTypeInfo& info = Info(dtype);
  if (!info.is_integer && dtype != DType::kBool) return Dim::Unknown();
  if (value.known()) return Holds(info, value.value()) ? value : Dim::Unknown();
  return info.bits >= 32 ? value : Dim::Unknown();
}

Elements IntegerElements(const Tensor& tensor) {
  Elements elements;
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    elements.push_back(FitElement(tensor.dtype(), Dim(tensor.IntAt(i))));
  return elements;
}

Dim ToElement(Truth truth) {
  return truth == Truth::kUnknown ? Dim::Unknown() : Dim(truth == Truth::kYes ? 1 : 0);
}

Truth ToTruth(const Dim& element) {
  const Truth zero = Equal(element, Dim(0));
  if (zero == Truth::kUnknown) return zero;
  return zero == Truth::kYes ? Truth::kNo : Truth::kYes;
}

std::size_t BroadcastOffset(std::size_t flat, std::span<const std::int64_t> to,
                            std::span<const std::int64_t> from) {
  std::size_t offset = 0;
  std::size_t stride = 1;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    const auto size = static_cast<std::size_t>(to[to.size() - i]);
    const auto own = static_cast<std::size_t>(from[from.size() - i]);
    if (own != 1) offset += flat % size * stride;
    flat /= size;
    stride *= own;
  }
  return offset;
}

}  // namespace dragoman
