// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/value_queries.h"

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

bool IsAlongLastAxis(const Node& node) {
  const std::int64_t axis = IntAttribute(node, "axis");
  return axis == -1 || axis == *node.operand(0)->type().rank() - 1;
}

std::string Label(const Value* value) {
  return "'" + value->name() + "' " + value->type().ToString();
}

}  // namespace dragoman::onednn
