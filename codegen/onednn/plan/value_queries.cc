// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/value_queries.h"

#include <algorithm>

#include "core/ir/find_as.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/infer_context.h"

namespace dragoman::onednn {

bool IsF32(const Value* value) { return value != nullptr && value->type().dtype() == DType::kF32; }

bool IsInt8(const Value* value) {
  return value != nullptr &&
         (value->type().dtype() == DType::kI8 || value->type().dtype() == DType::kU8);
}

bool IsConstant(const Value* value) {
  return value != nullptr && value->is_constant() && value->tensor() != nullptr;
}

std::optional<rt::Shape> SizesOf(const Value* value) {
  return value == nullptr ? std::nullopt : ToRuntimeShape(value->type().shape());
}

std::optional<rt::Shape> SampleSizesOf(const Value* value, std::int64_t open) {
  const Shape* shape = value == nullptr ? nullptr : value->type().shape();
  if (shape == nullptr || shape->size() > rt::kMaxRank) return std::nullopt;
  rt::Shape sample;
  for (const Dim& dim : *shape) sample.push_back(dim.known() ? dim.value() : open);
  return sample;
}

std::optional<rt::Shape> SampleImageSizesOf(const Value* image) {
  constexpr std::int64_t kBeyondWindows = 4096;
  const Shape* shape = image == nullptr ? nullptr : image->type().shape();
  if (shape == nullptr || shape->size() < 3 || shape->size() > 5 || !(*shape)[1].known())
    return std::nullopt;
  return SampleSizesOf(image, kBeyondWindows);
}

bool IsAlongLastAxis(const Node& node) {
  const std::int64_t axis = IntAttribute(node, "axis");
  return axis == -1 || axis == *node.operand(0)->type().rank() - 1;
}

std::string Label(const Value* value) {
  return "'" + value->name() + "' " + value->type().ToString();
}

std::string SourcePlace(const Node& node) {
  // Of an Origin with parts, the first is that of the node which the others were fused into.
  const Origin* origin = node.origin().get();
  while (origin != nullptr && origin->leaf() == nullptr)
    origin = origin->parts().empty() ? nullptr : origin->parts().front().get();
  if (origin == nullptr || origin->leaf()->location.empty()) return "";
  const SourceOp& op = *origin->leaf();
  const auto* callers = FindAs<Attribute::Strings>(op.attributes, "called_from");
  if (op.location.starts_with("torch/") && callers != nullptr) {
    // The innermost line of the user's own.
    const auto own = std::find_if(callers->rbegin(), callers->rend(), [](const std::string& place) {
      return !place.starts_with("torch/");
    });
    if (own != callers->rend()) return ", at " + *own;
  }
  const auto* line = FindAs<std::string>(op.attributes, "source_line");
  if (line == nullptr) return ", at " + op.location;
  return ", at " + op.location + ": " +
         line->substr(std::min(line->find_first_not_of(' '), line->size()));
}

}  // namespace dragoman::onednn
