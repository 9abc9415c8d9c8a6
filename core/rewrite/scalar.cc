#include "core/rewrite/scalar.h"

#include "core/rewrite/pass_context.h"

namespace dragoman {

std::optional<float> ScalarOf(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr || tensor->size() != 1 || tensor->dtype() != DType::kF32)
    return std::nullopt;
  return static_cast<float>(tensor->FloatAt(0));
}

}  // namespace dragoman
