// SPDX-License-Identifier: Apache-2.0
// Views by strides, and copies of a tensor with a view of it replaced.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/lowering/strided_view.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

std::optional<std::int64_t> ElementCount(const Value* value) {
  const Shape* sizes = value != nullptr ? value->type().shape() : nullptr;
  if (sizes == nullptr) return std::nullopt;
  Dim count = 1;
  for (const Dim& size : *sizes) count = count * size;
  return count.known() ? std::optional(count.value()) : std::nullopt;
}

// The tensor whose elements the places of a strided view count, and where the view begins there.
struct StridedBase {
  Abstract tensor;
  Value* value = nullptr;
  std::int64_t offset = 0;
};

// Whether a tensor of these strides and sizes is all of a storage of `count` elements, its axes in
// another order. Then it begins where the storage does.
bool IsTransposedWhole(const Strides& strides, const Shape& sizes, std::int64_t count) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // step, size
  for (std::size_t i = 0; i < sizes.size() && i < strides.steps.size(); ++i) {
    if (!strides.steps[i].known() || !sizes[i].known()) return false;
    if (sizes[i] != Dim(1)) axes.emplace_back(strides.steps[i].value(), sizes[i].value());
  }
  std::sort(axes.begin(), axes.end());
  std::int64_t covered = 1;
  for (const auto& [step, size] : axes) {
    if (step != covered || size < 1) return false;
    covered *= size;
  }
  return strides.steps.size() == sizes.size() && covered == count;
}

// Offsets count the elements of the storage, whatever part of it argument `self` is.
StridedBase TakeBase(CallComposer& c) {
  StridedBase base{c.Take(c.call().Argument("self")), c.Tensor("self")};
  const auto* tensor = base.tensor.As<TensorRef>();
  if (c.failed() || tensor == nullptr) return base;
  const Strides& strides = Heap::StridesOf(*tensor);
  if (c.Has("storage_offset")) {
    base.offset = c.IntOr("storage_offset", 0) - tensor->storage->offset;
  } else if (strides.row_major) {
    return base;
  } else {
    const Shape* sizes = base.value->type().shape();
    Value* whole = c.Take(c.call().heap().StorageValue(tensor->storage));
    const std::optional<std::int64_t> count = c.failed() ? std::nullopt : ElementCount(whole);
    if (sizes == nullptr || !count || !IsTransposedWhole(strides, *sizes, *count))
      c.Fail("strides of a tensor that is a part of another one, or whose sizes are not known");
  }
  if (!tensor->storage->strides.row_major) c.Fail("an offset in a storage of another order");
  base.tensor = TensorRef{tensor->storage, nullptr};
  const DType dtype = c.dtype(base.value);
  base.value = c.Take(c.call().heap().StorageValue(tensor->storage));
  if (!c.failed() && c.dtype(base.value) != dtype)
    c.Fail("an offset in a storage of elements of another type");
  return base;
}

View StridedView(CallComposer& c, const StridedBase& base) {
  const Placement placement{c.Take(c.call().IntList("size")), c.Take(c.call().IntList("stride")),
                            base.offset};
  View view;
  if (c.failed()) return view;
  const std::vector<std::int64_t>& strides = placement.strides;
  if (placement.sizes.size() != strides.size())
    c.Fail(InvalidInput("size and stride differ in length"));
  const std::optional<std::int64_t> end = c.failed() ? std::nullopt : EndOf(placement);
  const std::optional<std::int64_t> count = ElementCount(base.value);
  if (!end || !count || *end > *count)
    c.Fail("strides that lead out of the tensor, or of a tensor whose sizes are not known");
  view.steps = [strides](const std::vector<Dim>&) {
    return std::vector<Dim>(strides.begin(), strides.end());
  };
  view.get = [=](Composer& inner, Value* whole) { return ReadPlaced(inner, whole, placement); };
  view.may_overlap = !c.failed() && MayOverlap(placement);
  if (view.may_overlap) return view;
  view.put = [=](Composer& inner, Value* whole, Value* value) {
    return WritePlaced(inner, whole, placement, value);
  };
  return view;
}

Result<Results> LowerAsStrided(Call& call) {
  CallComposer c(call);
  const StridedBase base = TakeBase(c);
  View view = StridedView(c, base);
  return c.DoneWith({MakeView(c, base.tensor, std::move(view))});
}

Value* LowerAsStridedScatter(CallComposer& c) {
  const StridedBase base = TakeBase(c);
  // What is replaced is a part of the tensor, not of its storage.
  if (!StridesOfSelf(c).row_major || ElementCount(base.value) != ElementCount(c.Tensor("self")))
    c.Fail("an offset in the storage of which the tensor is a part");
  View view = StridedView(c, base);
  return WithViewReplaced(c, std::move(view), c.Tensor("src"));
}

Value* LowerSelectScatter(CallComposer& c) {
  const int axis = c.AxisArgument("dim", c.Tensor("self"));
  View view = SelectView(c, axis, c.Take(c.call().IntValue("index")));
  return WithViewReplaced(c, std::move(view), c.Tensor("src"));
}

Value* LowerSliceScatter(CallComposer& c) {
  return WithViewReplaced(c, TakeSliceView(c), c.Tensor("src"));
}

Value* LowerDiagonalScatter(CallComposer& c) {
  return WithViewReplaced(c, TakeDiagonalView(c), c.Tensor("src"));
}

}  // namespace

std::span<const OpRow> StridedRows() {
  static constexpr OpRow kRows[] = {
      {"aten.as_strided", LowerAsStrided, {.complex = true}},
      {"aten.as_strided_copy", LowerAsStrided, {.complex = true}},
      {"aten.as_strided_scatter", LowerAsStridedScatter, {.complex = true}},
      {"aten.diagonal_scatter", LowerDiagonalScatter, {.complex = true}},
      {"aten.select_scatter", LowerSelectScatter, {.complex = true}},
      {"aten.slice_scatter", LowerSliceScatter, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
