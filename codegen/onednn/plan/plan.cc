// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/plan.h"

#include <algorithm>

namespace dragoman::onednn {

bool SameSizes(const Buffer& a, const Buffer& b) {
  return a.shape && b.shape &&
         std::ranges::equal(*a.shape, *b.shape,
                            [](const Dim& x, const Dim& y) { return Equal(x, y) == Truth::kYes; });
}

Buffer::Form FormOf(const Type& type) {
  if (type.kind() == Type::Kind::kSequence) return Buffer::Form::kSequence;
  if (type.kind() != Type::Kind::kOptional) return Buffer::Form::kTensor;
  return type.element().kind() == Type::Kind::kSequence ? Buffer::Form::kOptionalSequence
                                                        : Buffer::Form::kOptional;
}

DType ElementTypeOf(const Type& type) {
  const Type& held = type.kind() == Type::Kind::kOptional ? type.element() : type;
  return held.kind() == Type::Kind::kSequence ? held.element().dtype() : held.dtype();
}

std::span<Block> Step::bodies() {
  if (auto* either = As<IfStep>()) return either->branches;
  if (auto* loop = As<LoopStep>()) return {&loop->body, 1};
  if (auto* scan = As<ScanStep>()) return {&scan->body, 1};
  return {};
}

std::span<const Block> Step::bodies() const { return const_cast<Step*>(this)->bodies(); }

}  // namespace dragoman::onednn
