// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Einsum: sums of products over named axes.
#ifndef DRAGOMAN_RUNTIME_KERNELS_EINSUM_H_
#define DRAGOMAN_RUNTIME_KERNELS_EINSUM_H_

#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/einsum.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

namespace internal {

// A walk over a part of an EinsumSpace that keeps one offset an operand.
class EinsumWalk {
 public:
  EinsumWalk(const EinsumSpace& space, int operands) : space_(space), operands_(operands) {
    at_.resize(space.axes.size());
  }

  // Operand axes of size 1 are broadcast; an axis named twice walks the diagonal.
  void AddOperand(int index, const Shape& sizes, const Shape& axes) {
    const Shape strides = Strides(sizes);
    for (int i = 0; i < sizes.size(); ++i) {
      if (sizes[i] != 1) strides_[index][space_.Find(axes[i])] += strides[i];
    }
  }
  // Moves on within axes [first, last); false once all positions have been visited.
  bool Next(int first, int last) {
    for (int axis = last - 1; axis >= first; --axis) {
      const std::int64_t size = space_.sizes[axis];
      const bool wraps = ++at_[axis] == size;
      for (int i = 0; i < operands_; ++i) {
        offsets_[i] += strides_[i][axis] * (wraps ? 1 - size : 1);
      }
      if (!wraps) return true;
      at_[axis] = 0;
    }
    return false;
  }
  std::int64_t offset(int operand) const { return offsets_[operand]; }

 private:
  const EinsumSpace& space_;
  int operands_;
  EinsumAxisList at_;
  std::int64_t strides_[kMaxEinsumOperands][kMaxEinsumAxes] = {};
  std::int64_t offsets_[kMaxEinsumOperands] = {};
};

}  // namespace internal

// Fails when the operands do not fit the equation.
template <class T>
Status Einsum(const EinsumParams& p, Views<const T> inputs, TensorView<T> output) {
  if (inputs.size > kMaxEinsumOperands) return Status::Error("an einsum has too many operands");
  Shape shapes[kMaxEinsumOperands];
  const int operands = static_cast<int>(inputs.size);
  for (int i = 0; i < operands; ++i) shapes[i] = inputs[i].shape;
  EinsumSpace space;
  DRAGOMAN_RT_TRY(ResolveEinsum(p, shapes, operands, &space));
  internal::EinsumWalk walk(space, operands);
  for (int i = 0; i < operands; ++i) {
    Shape axes;
    DRAGOMAN_RT_TRY(EinsumOperandAxes(p, i, shapes[i].size(), &axes));
    walk.AddOperand(i, shapes[i], axes);
  }
  const int rank = space.output_rank, all = space.axes.size();
  bool empty = false;
  for (int i = rank; i < all; ++i) empty = empty || space.sizes[i] == 0;
  const std::int64_t count = output.size();
  for (std::int64_t o = 0; o < count; ++o, walk.Next(0, rank)) {
    Accumulate<T> sum = {};
    for (bool more = !empty; more; more = walk.Next(rank, all)) {
      auto product = static_cast<Accumulate<T>>(inputs[0][walk.offset(0)]);
      for (int i = 1; i < operands; ++i) {
        product = WrapMul(product, static_cast<Accumulate<T>>(inputs[i][walk.offset(i)]));
      }
      sum = WrapAdd(sum, product);
    }
    output[o] = static_cast<T>(sum);
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_EINSUM_H_
