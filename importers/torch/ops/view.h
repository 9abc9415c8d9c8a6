// SPDX-License-Identifier: Apache-2.0
// Makes the results of operators that give views: tensors that share the elements of `self`.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_VIEW_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_VIEW_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "importers/torch/ops/composer.h"

namespace dragoman::torch {

struct View {
  // Reads the view off a value of its base. It outlives the call, and may be asked in other graphs.
  std::function<Value*(Composer& c, Value* base)> get;
  // The base with the view's elements replaced by those of `value`. Empty: found by position, for
  // which `get` must only move elements.
  std::function<Value*(Composer& c, Value* base, Value* value)> put = nullptr;
  // The elements lie in order, without gaps, if those of the base do.
  bool contiguous = false;
  // How far apart they lie, by how far those of the base do. Empty: not known. Called in MakeView.
  std::function<std::vector<Dim>(std::vector<Dim> base)> steps = nullptr;
  // Several elements may be one of the base. `get` must then only move elements, and `put` is
  // empty.
  bool may_overlap = false;
};

// `base` seen through `view`. An operator called `…_copy` gives a tensor of its own.
Abstract MakeView(CallComposer& c, const Abstract& base, View view);
// Argument `self` seen through `view`.
Abstract MakeView(CallComposer& c, View view);
// The same as an operator's only result.
Result<Results> LowerView(CallComposer& c, View view);
// Argument `name` itself: not a copy.
Result<Results> LowerAlias(CallComposer& c, std::string_view name = "self");
// Where the elements of argument `self` lie.
Strides StridesOfSelf(CallComposer& c);
// Whether several elements of `tensor`, which has these sizes, lie in one place, as far as is
// known.
bool MayOverlap(const TensorRef& tensor, const Shape* sizes);
// A copy of argument `self`, unless it shares its elements, which is not known: then a write to one
// of both ends the use of the other. `value` is what it holds.
Abstract CopyOrView(CallComposer& c, Value* value, Strides strides);

// Elements [start, end) of `axis`, every `step`th, all of them if it is nullptr; int64 of rank 1.
struct SliceBounds {
  int axis = 0;
  Value* start = nullptr;
  Value* end = nullptr;
  Value* step = nullptr;
};
View SliceView(Composer& c, const Value* base, const SliceBounds& bounds);
// Element `index` (int64, rank 0) of `axis`, which vanishes.
View SelectView(Composer& c, int axis, Value* index);
// `base` expanded to `sizes`.
View ExpandView(Composer& c, Value* base, Value* sizes);
// The same elements in the same order, under other sizes.
View ReshapeView(Composer& c, Value* base, Value* sizes);

// The complex conjugates.
View ConjugateView();

// The views that the arguments of slice and of diagonal describe.
View TakeSliceView(CallComposer& c);
View TakeDiagonalView(CallComposer& c);

// A copy of argument `self` in which the elements that `view` shows are those of `value`.
Value* WithViewReplaced(CallComposer& c, View view, Value* value);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_VIEW_H_
