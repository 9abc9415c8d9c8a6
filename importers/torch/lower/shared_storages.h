// SPDX-License-Identifier: Apache-2.0
// Tensors of the file that have elements in common: what is written to one of them is seen through
// the others.
#ifndef DRAGOMAN_IMPORTERS_TORCH_LOWER_SHARED_STORAGES_H_
#define DRAGOMAN_IMPORTERS_TORCH_LOWER_SHARED_STORAGES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/model.h"
#include "core/ir/tensor.h"
#include "core/lowering/abstract.h"
#include "core/lowering/strided_view.h"

namespace dragoman::torch {

// Where in its storage the elements of a tensor lie; nullopt if it has none, or the State does not
// say so.
std::optional<Placement> PlacementOf(const State& state);

// A tensor of the file whose storage holds others.
struct PlacedTensor {
  const State* state = nullptr;
  const Tensor* elements = nullptr;
  std::int64_t storage = 0;
  Placement placement;
};

// Tensors of one storage each of which lies in the range of another one of them, in the order of
// the States. The first and the last element of a tensor bound its range.
using SharedGroup = std::vector<PlacedTensor>;
// Those of two tensors and more.
std::vector<SharedGroup> SharedGroups(const Model& source);

// The elements of a group as one tensor.
struct JoinedStorage {
  std::size_t first = 0;  // the member that gives it its name: one that is the whole, if there is
  bool is_first = false;  // that member is the whole
  Tensor elements;
  std::int64_t offset = 0;  // of the first of them in the storage
};
// nullopt: the members are not of one element type, or hold other values than the storage does.
std::optional<JoinedStorage> JoinStorage(const SharedGroup& group);

// How a tensor of `placement` in the storage is read from the whole of what `joined` holds.
ViewStep StepTo(const Placement& placement, const JoinedStorage& joined);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_LOWER_SHARED_STORAGES_H_
