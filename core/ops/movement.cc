// SPDX-License-Identifier: Apache-2.0
#include "core/ops/movement.h"

#include <string>
#include <utility>

#include "runtime/params/checked.h"

namespace dragoman {

IntsOperand::IntsOperand(const InferContext& context, std::size_t i) : present_(context.has(i)) {
  if (present_) values_ = context.ints(i);
}

rt::IntSpan IntsOperand::span() const {
  static constexpr std::int64_t kNone = 0;
  if (!present_) return {};
  if (values_->empty()) return {&kNone, 0};
  return {values_->data(), static_cast<std::int64_t>(values_->size())};
}

const Dim& SmallTensor::At(const rt::Shape& position) const {
  std::int64_t flat = 0;
  for (int i = 0; i < shape.size(); ++i) flat = flat * shape[i] + position[i];
  return elements[static_cast<std::size_t>(flat)];
}

std::optional<SmallTensor> SmallOperand(const InferContext& context, std::size_t i) {
  const std::optional<Elements>& elements = context.elements(i);
  const std::optional<rt::Shape> shape = ToRuntimeShape(context.shape(i));
  if (!elements || !shape || !rt::CheckSizes(*shape).ok()) return std::nullopt;
  if (rt::NumElements(*shape) != static_cast<std::int64_t>(elements->size())) return std::nullopt;
  return SmallTensor{*shape, *elements};
}

void SetMovedElements(InferContext& context, std::size_t i, const rt::Shape& shape,
                      const ElementSource& source) {
  if (!rt::CheckSizes(shape).ok()) return;
  const std::int64_t count = rt::NumElements(shape);
  if (count > kMaxElements) return;
  Elements elements;
  rt::Shape position = rt::Shape::Filled(shape.size(), 0);
  for (std::int64_t n = 0; n < count; ++n) {
    elements.push_back(source(position));
    for (int axis = shape.size() - 1; axis >= 0 && ++position[axis] == shape[axis]; --axis) {
      position[axis] = 0;
    }
  }
  context.SetElements(i, std::move(elements));
}

std::optional<Elements> ElementsOrUnknown(const InferContext& context, std::size_t i) {
  if (context.elements(i)) return context.elements(i);
  const Shape* shape = context.shape(i);
  if (shape == nullptr) return std::nullopt;
  const Dim count = NumElements(*shape);
  if (!count.known() || count.value() > kMaxElements) return std::nullopt;
  return Elements(static_cast<std::size_t>(count.value()));
}

Result<Dim> ScalarOperand(const InferContext& context, std::size_t i) {
  const Shape* shape = context.shape(i);
  const std::optional<Elements>& elements = context.elements(i);
  const bool other = shape != nullptr && Equal(NumElements(*shape), Dim(1)) == Truth::kNo;
  if (other || (elements && elements->size() != 1)) {
    return context.Fail("operand " + std::to_string(i) + " (" +
                        context.def().signature.Operand(i)->name + ") is not one number");
  }
  return elements ? elements->front() : Dim::Unknown();
}

Result<Dim> StatedSize(InferContext& context, std::size_t result, const Dim& element) {
  if (element.unknown()) return context.FreshDim(result);
  if (element.known() && element.value() < 0)
    return context.Fail("a size is " + element.ToString());
  return element;
}

Shape FreshShape(InferContext& context, std::size_t result, std::size_t rank) {
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(context.FreshDim(result));
  return shape;
}

Result<Dim> SameSize(const InferContext& context, const Dim& a, const Dim& b) {
  if (a.known() && b.known() && a.value() != b.value())
    return context.Fail("sizes " + a.ToString() + " and " + b.ToString() + " differ");
  const bool b_says_more = a.unknown() || (b.known() && !a.known());
  return b_says_more ? b : a;
}

std::optional<std::vector<rt::Shape>> RuntimeShapes(const InferContext& context) {
  std::vector<rt::Shape> shapes;
  for (std::size_t i = 0; i < context.num_operands(); ++i) {
    const std::optional<rt::Shape> shape = ToRuntimeShape(context.shape(i));
    if (!shape) return std::nullopt;
    shapes.push_back(*shape);
  }
  return shapes;
}

}  // namespace dragoman
