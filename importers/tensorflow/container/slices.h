// SPDX-License-Identifier: Apache-2.0
// Tensors that a checkpoint holds in parts.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_CONTAINER_SLICES_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_CONTAINER_SLICES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/tensor.h"
#include "core/support/result.h"
#include "proto/tensorflow/checkpoint.pb.h"

namespace dragoman::tf_reader {

// Where a part lies in the whole.
struct Slice {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> sizes;
};

// nullopt: not within a tensor of `sizes`.
std::optional<Slice> SliceOf(const tf_pb::TensorSliceProto& message,
                             const std::vector<std::int64_t>& sizes);

// The key under which a bundle has the part of tensor `name`.
std::string SliceKey(std::string_view name, const tf_pb::TensorSliceProto& message);

struct Part {
  Slice slice;
  Tensor elements;  // of the slice's sizes
};

// The whole of the parts. Errors: they have more or fewer elements than it, or other types.
Result<Tensor> JoinParts(DType dtype, const std::vector<std::int64_t>& sizes,
                         const std::vector<Part>& parts);

}  // namespace dragoman::tf_reader

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_CONTAINER_SLICES_H_
