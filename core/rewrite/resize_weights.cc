// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/resize_weights.h"

#include <algorithm>
#include <utility>

#include "core/interpreter/evaluate.h"
#include "core/ir/axes.h"
#include "core/ir/node_attributes.h"

namespace dragoman {
namespace {

// What `resize` makes of `x` along its first axis, as it does along `axis`.
Result<Tensor> ResizedAlong(const Node& resize, const ResizedAxis& axis, const Tensor& x) {
  const bool by_sizes = resize.operand(3) != nullptr;
  Tensor extent = Tensor::Ints(Attribute::Ints{by_sizes ? axis.to.value() : 0});
  if (!by_sizes) {
    const auto scale = static_cast<float>(resize.operand(2)->tensor()->FloatAt(axis.entry));
    extent = Tensor::Of<float>({1}, {{scale}});
  }
  Graph scratch;
  Value* input = scratch.AddInput("x", x.type());
  Value* wanted = scratch.AddInput("wanted", extent.type());
  std::vector<Value*> operands = {input, nullptr, by_sizes ? nullptr : wanted};
  std::vector<const Tensor*> tensors = {&x, nullptr, by_sizes ? nullptr : &extent};
  if (by_sizes) {
    operands.push_back(wanted);
    tensors.push_back(&extent);
  }
  Node* alone = scratch.Append(InternOp("onnx", "Resize"), operands);
  for (const NamedAttribute& attribute : resize.attributes())
    alone->SetAttribute(attribute.name, attribute.value);
  alone->SetAttribute("axes", Attribute::Ints{0});
  alone->AddResult("y");
  DRAGOMAN_ASSIGN(std::vector<Tensor> results, EvaluateOnTensors(*alone, tensors));
  return std::move(results.front());
}

template <class T>
Tensor UnitMatrix(std::int64_t count) {
  std::vector<T> numbers(static_cast<std::size_t>(count * count));
  for (std::int64_t i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i * (count + 1))] = 1;
  return Tensor::Of<T>({count, count}, numbers);
}

}  // namespace

std::vector<ResizedAxis> ResizedAxesOf(const Node& resize, const Shape& from, const Shape& to) {
  std::vector<std::int64_t> named = AxesFrom(0, std::ssize(from));
  const Attribute::Ints* stated = IntsAttribute(resize, "axes");
  if (stated != nullptr && !stated->empty()) named = *stated;
  std::vector<ResizedAxis> axes;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::int64_t axis = named[i] < 0 ? named[i] + std::ssize(from) : named[i];
    const auto at = static_cast<std::size_t>(axis);
    axes.push_back({axis, static_cast<std::int64_t>(i), from[at], to[at]});
  }
  return axes;
}

bool TakesTooManyWeights(const ResizedAxis& axis, bool copies) {
  constexpr std::int64_t kMost = std::int64_t{1} << 26;
  const std::int64_t count = axis.from.value();
  const std::int64_t per_element = copies ? 1 : std::max<std::int64_t>(count, 1);
  return std::max(count, axis.to.value()) > kMost / per_element;
}

// A resize is linear, so that the unit matrix gives the weights.
Result<Tensor> ResizeWeights(const Node& resize, const ResizedAxis& axis, DType dtype) {
  const std::int64_t count = axis.from.value();
  return ResizedAlong(resize, axis,
                      dtype == DType::kF64 ? UnitMatrix<double>(count) : UnitMatrix<float>(count));
}

Result<std::vector<std::int64_t>> ResizePlaces(const Node& resize, const ResizedAxis& axis) {
  const Tensor all = Tensor::Ints(AxesFrom(0, axis.from.value()));
  DRAGOMAN_ASSIGN(const Tensor places, ResizedAlong(resize, axis, all));
  return places.ToInts();
}

}  // namespace dragoman
