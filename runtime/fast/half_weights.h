// Products of f32 operands by weights that may be kept in half of the size. Only .cc files of
// runtime/fast include this.
#ifndef DRAGOMAN_RUNTIME_FAST_HALF_WEIGHTS_H_
#define DRAGOMAN_RUNTIME_FAST_HALF_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "runtime/fast/precision.h"
#include "runtime/fast/primitive.h"

namespace dragoman::rt {

// The element type in which a product with such weights multiplies here.
dnnl::memory::data_type ProductType(Precision precision);

// A tensor of that type whose layout oneDNN chooses.
dnnl::memory::desc AnyDesc(const dnnl::memory::dims& sizes, dnnl::memory::data_type type);

// Weights in f32: themselves, or a widened copy.
class WideWeights {
 public:
  // `count` elements. Throws std::bad_alloc.
  WideWeights(const WeightData& weights, std::int64_t count);

  const float* data() const { return data_; }

 private:
  std::vector<float> copy_;
  const float* data_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_HALF_WEIGHTS_H_
