// Products of few rows by a constant matrix in f32, by loops of our own: where a primitive's call
// costs as much as the product, or its blocks do not fit so few rows.
#ifndef DRAGOMAN_RUNTIME_FAST_PANEL_PRODUCT_H_
#define DRAGOMAN_RUNTIME_FAST_PANEL_PRODUCT_H_

#include <cstdint>
#include <memory>
#include <new>

namespace dragoman::rt {

class PanelProduct {
 public:
  // Copies `weights` (outputs, inputs), for products of `rows` rows. Throws std::bad_alloc.
  void Pack(const float* weights, std::int64_t outputs, std::int64_t inputs, std::int64_t rows);

  // y (rows, row_size()) = x (rows, inputs) · weightsᵀ; what lies behind the outputs of a row is
  // undefined. y is aligned to 32.
  void Run(const float* x, float* y) const noexcept;
  // Outputs rounded up to whole panels.
  std::int64_t row_size() const { return panels_ * width_; }

 private:
  struct Free {
    void operator()(float* data) const { ::operator delete(data, std::align_val_t(64)); }
  };

  std::unique_ptr<float, Free> data_;  // for each panel and input the weights of `width_` outputs
  std::int64_t panels_ = 0, width_ = 0, inputs_ = 0, rows_ = 0;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_PANEL_PRODUCT_H_
