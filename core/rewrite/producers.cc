#include "core/rewrite/producers.h"

#include "core/rewrite/pass_context.h"

namespace dragoman {

const Node* Maker(const Value* value, std::string_view type) {
  const Node* node = value != nullptr ? value->producer() : nullptr;
  return node != nullptr && node->Is(type) ? node : nullptr;
}

std::optional<float> ScalarOf(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr || tensor->size() != 1 || tensor->dtype() != DType::kF32)
    return std::nullopt;
  return static_cast<float>(tensor->FloatAt(0));
}

}  // namespace dragoman
