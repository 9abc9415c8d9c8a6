#include "runtime/fast/panel_product.h"

#include <algorithm>

#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

using Vector = float __attribute__((vector_size(32)));
constexpr std::int64_t kLanes = sizeof(Vector) / sizeof(float);
constexpr std::int64_t kSums = 8;                // that hide the latency of a multiplication
constexpr std::int64_t kMaxRows = 4;             // that share the loads of one panel
constexpr std::int64_t kPartProducts = 1 << 16;  // below which a thread is not worth its start

// `kRows` rows by one panel: all sums stay in registers. What is at `next` will be
// read next; it need not exist.
template <int kRows, int kVectors>
#if defined(__clang__)
DRAGOMAN_RT_CLONES
#else
DRAGOMAN_RT_CLONES
    __attribute__((optimize("fp-contract=fast")))
#endif
    void
    MultiplyPanel(const float* panel, const float* next, std::int64_t inputs, const float* x,
                  float* y, std::int64_t y_row) {
  Vector sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = Vector{};
  }
  const auto* weights = reinterpret_cast<const Vector*>(panel);
  for (std::int64_t k = 0; k < inputs; ++k) {
    if (kRows > 1) __builtin_prefetch(next + k * kVectors * kLanes, 0, 2);
    for (int r = 0; r < kRows; ++r) {
      const float factor = x[r * inputs + k];
      for (int v = 0; v < kVectors; ++v) sums[r][v] += weights[k * kVectors + v] * factor;
    }
  }
  for (int r = 0; r < kRows; ++r) {
    auto* to = reinterpret_cast<Vector*>(y + r * y_row);
    for (int v = 0; v < kVectors; ++v) to[v] = sums[r][v];
  }
}

using Multiply = void (*)(const float*, const float*, std::int64_t, const float*, float*,
                          std::int64_t);

Multiply KernelFor(std::int64_t rows, std::int64_t vectors) {
  if (vectors == 8) return MultiplyPanel<1, 8>;
  if (vectors == 4) return rows == 1 ? MultiplyPanel<1, 4> : MultiplyPanel<2, 4>;
  constexpr Multiply kByRows[] = {MultiplyPanel<1, 2>, MultiplyPanel<2, 2>, MultiplyPanel<3, 2>,
                                  MultiplyPanel<4, 2>};
  return kByRows[rows - 1];
}

}  // namespace

void PanelProduct::Pack(const float* weights, std::int64_t outputs, std::int64_t inputs,
                        std::int64_t rows) {
  const std::int64_t shared = rows > 2 ? kMaxRows : rows;
  width_ = kSums / shared * kLanes;
  panels_ = (outputs + width_ - 1) / width_;
  inputs_ = inputs;
  rows_ = rows;
  const std::int64_t count = row_size() * inputs;
  data_.reset(static_cast<float*>(
      ::operator new(static_cast<std::size_t>(count) * sizeof(float), std::align_val_t(64))));
  std::fill_n(data_.get(), count, 0.0f);
  for (std::int64_t i = 0; i < outputs; ++i) {
    float* panel = data_.get() + i / width_ * width_ * inputs + i % width_;
    for (std::int64_t k = 0; k < inputs; ++k) panel[k * width_] = weights[i * inputs + k];
  }
}

void PanelProduct::Run(const float* x, float* y) const noexcept {
  const std::int64_t vectors = width_ / kLanes, group = std::min(rows_, kSums / vectors);
  const Multiply whole = KernelFor(group, vectors);
  const std::int64_t left = rows_ % group;
  const Multiply rest = left > 0 ? KernelFor(left, vectors) : nullptr;
  const std::int64_t panel_size = width_ * inputs_, row = row_size();
  const std::int64_t grain = std::max<std::int64_t>(kPartProducts / (panel_size * rows_), 1);
  Parallel(panels_, grain, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      const float* panel = data_.get() + p * panel_size;
      float* to = y + p * width_;
      std::int64_t r = 0;
      for (; r + group <= rows_; r += group)
        whole(panel, panel + panel_size, inputs_, x + r * inputs_, to + r * row, row);
      if (rest != nullptr)
        rest(panel, panel + panel_size, inputs_, x + r * inputs_, to + r * row, row);
    }
  });
}

}  // namespace dragoman::rt
