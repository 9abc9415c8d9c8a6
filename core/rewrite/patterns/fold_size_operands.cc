// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/patterns/fold_size_operands.h"
#include "core/ops/declared_attributes.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace dragoman {
namespace {

using Ints = std::vector<std::int64_t>;

bool AllKnown(const Elements& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](const Dim& size) { return size.known(); });
}

// Each size as a number, or as 0 where it is the operand's size at the same place; no other 0 may
// stand there where it means a size.
std::optional<Ints> CopyingForm(const Node& node, const Shape& from, const Elements& sizes) {
  const bool zero_is_size = IntAttribute(node, "allowzero") != 0;
  Ints form;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].known()) {
      if (zero_is_size && sizes[i].value() == 0) return std::nullopt;
      form.push_back(sizes[i].value());
    } else if (i < from.size() && Equal(sizes[i], from[i]) == Truth::kYes) {
      form.push_back(0);
    } else {
      return std::nullopt;
    }
  }
  return form;
}

// Each size as a positive number, but for one, which must be what is left over.
std::optional<Ints> InferringForm(const Shape& from, const Elements& sizes) {
  Ints form;
  Dim product = 1;
  int left_over = 0;
  for (const Dim& size : sizes) {
    if (size.known() && size.value() <= 0) return std::nullopt;
    product = product * size;
    form.push_back(size.known() ? size.value() : -1);
    left_over += size.known() ? 0 : 1;
  }
  if (left_over != 1 || Equal(product, NumElements(from)) != Truth::kYes) return std::nullopt;
  return form;
}

Result<bool> SetSizes(Node& node, const Ints& form, PassContext& context) {
  const Value& old = *node.operand(1);
  context.Explain(node, "sizes become constant");
  node.set_operand(
      1, context.AddConstant(*node.graph(), Tensor::Ints(form), old.name(), old.origin()));
  DRAGOMAN_TRY(context.inference.InferNode(node));
  return true;
}

// Reshape(x: [n, 6], [n, 2, 3]) = Reshape(x, [0, 2, 3]);  Reshape(x: [n, 6], [n * 2, 3]) =
// Reshape(x, [-1, 3])
Result<bool> FoldReshapeSizes(Node& node, PassContext& context) {
  if (!node.Is("Reshape") || node.operand(1)->is_constant()) return false;
  const Shape* from = node.operand(0)->type().shape();
  const std::optional<Elements> sizes = context.inference.Know(node.operand(1)).elements;
  if (from == nullptr || !sizes || AllKnown(*sizes)) return false;
  if (const std::optional<Ints> form = CopyingForm(node, *from, *sizes)) {
    node.RemoveAttribute("allowzero");
    return SetSizes(node, *form, context);
  }
  const std::optional<Ints> form = InferringForm(*from, *sizes);
  return form ? SetSizes(node, *form, context) : Result<bool>(false);
}

// Reshape(x: [n, 4, 6], [0, 3, -1]) = Reshape(x, [0, 3, 8])
Result<bool> StateReshapeSizes(Node& node, PassContext& context) {
  const Tensor* sizes = node.Is("Reshape") ? ConstantOf(node.operand(1)) : nullptr;
  const Shape* shape = sizes != nullptr ? node.result()->type().shape() : nullptr;
  if (shape == nullptr || IntAttribute(node, "allowzero") != 0) return false;
  Ints form = sizes->ToInts();
  for (std::size_t i = 0; i < form.size(); ++i) {
    const Dim& size = (*shape)[i];
    if (size.known() && size.value() == 0) return false;
    if (size.known()) form[i] = size.value();
  }
  if (form == sizes->ToInts()) return false;
  return SetSizes(node, form, context);
}

// Expand(x: [n, 1], [n, 8]) = Expand(x, [1, 8])
Result<bool> FoldExpandSizes(Node& node, PassContext& context) {
  if (!node.Is("Expand") || node.operand(1)->is_constant()) return false;
  const Shape* from = node.operand(0)->type().shape();
  const std::optional<Elements> sizes = context.inference.Know(node.operand(1)).elements;
  if (from == nullptr || !sizes || AllKnown(*sizes)) return false;
  Ints form;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    const Dim& size = (*sizes)[i];
    const std::size_t added = sizes->size() > from->size() ? sizes->size() - from->size() : 0;
    const std::size_t missing = from->size() > sizes->size() ? from->size() - sizes->size() : 0;
    if (size.known()) {
      form.push_back(size.value());
    } else if (i >= added && Equal(size, (*from)[i - added + missing]) == Truth::kYes) {
      form.push_back(1);
    } else {
      return false;
    }
  }
  return SetSizes(node, form, context);
}

}  // namespace

std::span<const Pattern> SizeOperandPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"fold-reshape-sizes", FoldReshapeSizes},
      {"state-reshape-sizes", StateReshapeSizes},
      {"fold-expand-sizes", FoldExpandSizes},
  };
  return kPatterns;
}

}  // namespace dragoman
