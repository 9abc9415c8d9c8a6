// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of Gather, GatherElements and GatherND.
#ifndef DRAGOMAN_RUNTIME_PARAMS_GATHER_H_
#define DRAGOMAN_RUNTIME_PARAMS_GATHER_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Of Gather and GatherElements.
struct GatherParams {
  std::int64_t axis = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
  }
};

struct GatherNdParams {
  std::int64_t batch_dims = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("batch_dims", self.batch_dims);
  }
};

// The sizes of `indices` take the place of the axis.
constexpr Status GatherShape(const GatherParams& p, const Shape& data, const Shape& indices,
                             Shape* output) {
  int axis = 0;
  DRAGOMAN_RT_TRY(ResolveAxis(p.axis, data.size(), &axis));
  if (data.size() - 1 + indices.size() > kMaxRank) return Status::Error("the rank is too high");
  *output = Shape();
  for (int i = 0; i < axis; ++i) output->push_back(data[i]);
  for (std::int64_t size : indices) output->push_back(size);
  for (int i = axis + 1; i < data.size(); ++i) output->push_back(data[i]);
  return CheckSizes(*output);
}

// Checks that an axis of `data` exists and that `indices` stay within `data` on all others.
constexpr Status CheckElementIndices(std::int64_t axis, const Shape& data, const Shape& indices) {
  int along = 0;
  DRAGOMAN_RT_TRY(ResolveAxis(axis, data.size(), &along));
  if (indices.size() != data.size()) return Status::Error("the ranks differ");
  for (int i = 0; i < data.size(); ++i) {
    if (i != along && indices[i] > data[i])
      return Status::Error("indices are larger than the data");
  }
  return Status();
}

constexpr Status GatherElementsShape(const GatherParams& p, const Shape& data, const Shape& indices,
                                     Shape* output) {
  *output = indices;
  return CheckElementIndices(p.axis, data, indices);
}

// The last axis of `indices` runs over the axes of `data` that follow the batch axes.
constexpr Status GatherNdShape(const GatherNdParams& p, const Shape& data, const Shape& indices,
                               Shape* output) {
  if (data.empty() || indices.empty()) return Status::Error("an operand is of rank 0");
  const int last = indices.size() - 1;
  if (p.batch_dims < 0 || p.batch_dims > last || p.batch_dims >= data.size()) {
    return Status::Error("batch_dims is out of range");
  }
  const int batch = static_cast<int>(p.batch_dims);
  for (int i = 0; i < batch; ++i) {
    if (data[i] != indices[i]) return Status::Error("the batch sizes differ");
  }
  if (indices[last] > data.size() - batch) return Status::Error("an index has too many entries");
  const int used = batch + static_cast<int>(indices[last]);
  if (last + data.size() - used > kMaxRank) return Status::Error("the rank is too high");
  *output = Shape();
  for (int i = 0; i < last; ++i) output->push_back(indices[i]);
  for (int i = used; i < data.size(); ++i) output->push_back(data[i]);
  return CheckSizes(*output);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_GATHER_H_
