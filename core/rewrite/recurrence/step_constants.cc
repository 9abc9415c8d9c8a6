#include "core/rewrite/recurrence/step_constants.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dragoman {

bool MayStack(const Value* a, const Value* b) {
  const Tensor* x = ConstantOf(a);
  const Tensor* y = ConstantOf(b);
  if (x == nullptr || y == nullptr || x->dtype() != y->dtype() || x->sizes() != y->sizes()) {
    return false;
  }
  const auto is_wide = [](std::int64_t size) { return size != 1; };
  return Info(x->dtype()).bits % 8 == 0 && x->dtype() != DType::kString &&
         std::ranges::count_if(x->sizes(), is_wide) <= 1;
}

Tensor StackConstants(std::span<const Value* const> values) {
  const Tensor& first = *ConstantOf(values.front());
  std::string bytes;
  for (const Value* value : values) {
    const auto data = ConstantOf(value)->bytes();
    bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
  }
  std::vector<std::int64_t> sizes = first.sizes();
  sizes.insert(sizes.begin(), static_cast<std::int64_t>(values.size()));
  return Tensor::Make(first.dtype(), std::move(sizes), Buffer::Own(std::move(bytes))).value();
}

}  // namespace dragoman
