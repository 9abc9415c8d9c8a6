// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/few_outputs.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "runtime/fast/blocked_sizes.h"
#include "runtime/fast/tap_product.h"

namespace dragoman::rt {
namespace {

class FewOutputs final : public OwnConv {
 public:
  explicit FewOutputs(const OwnConvLayer& layer);
  void Run(const float* x, const float* residual, float* y, void* scratch) const noexcept override {
    product_.Run(x, residual, y, scratch);
  }
  std::int64_t ScratchBytes() const noexcept override { return product_.ScratchBytes(); }

 private:
  TapProduct product_;
};

FewOutputs::FewOutputs(const OwnConvLayer& layer) {
  const std::int64_t outputs = layer.w[0], inputs = layer.w[1], taps = layer.window.Taps();
  std::vector<float> reversed;
  reversed.reserve(static_cast<std::size_t>(outputs * inputs * taps));
  for (std::int64_t i = 0; i < inputs; ++i) {
    for (std::int64_t o = 0; o < outputs; ++o) {
      const float* const own = layer.weights + (o * inputs + i) * taps;
      reversed.insert(reversed.end(), std::make_reverse_iterator(own + taps),
                      std::make_reverse_iterator(own));
    }
  }
  Shape transposed_w = layer.w;
  std::swap(transposed_w[0], transposed_w[1]);
  product_.Pack(transposed_w, 1, reversed.data(), layer.bias, layer.post);
  Window transposed = layer.window;
  for (int i = 0; i < transposed.rank; ++i) {
    WindowAxis& axis = transposed.axes[i];
    axis.pad_begin = axis.Span() - 1 - axis.pad_begin;
  }
  product_.Resize(layer.x, transposed);
}

bool IsFaster(const OwnConvLayer& layer) {
  constexpr std::int64_t kFewestElements = 16;
  const Window& window = layer.window;
  const std::int64_t elements = window.InputSize();
  const auto fits = [](const WindowAxis& axis) {
    return axis.stride == 1 && axis.pad_begin < axis.Span();
  };
  return AreFewOutputs(layer.group, layer.w) && elements >= kFewestElements &&
         elements <= 2 * window.OutputSize() && (window.Taps() > 1 || layer.x_block == kRowMajor) &&
         std::all_of(window.axes, window.axes + window.rank, fits);
}

}  // namespace

std::unique_ptr<OwnConv> MakeFewOutputs(const OwnConvLayer& layer) {
  if (!IsFaster(layer)) return nullptr;
  return std::make_unique<FewOutputs>(layer);
}

}  // namespace dragoman::rt
