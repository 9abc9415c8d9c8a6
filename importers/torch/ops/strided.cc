// Views by strides, and copies of a tensor with a view of it replaced.
#include <algorithm>
#include <optional>
#include <utility>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

// The most places that a list of them may have.
constexpr std::int64_t kMaxPlaces = std::int64_t{1} << 24;

// The places in the storage that a view by strides reads, row-major; nullopt if there are too many.
std::optional<std::vector<std::int64_t>> Places(const std::vector<std::int64_t>& sizes,
                                                const std::vector<std::int64_t>& strides,
                                                std::int64_t offset) {
  std::vector<std::int64_t> places = {offset};
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const auto count = static_cast<std::int64_t>(places.size());
    if (sizes[axis] < 0 || (sizes[axis] > 0 && count > kMaxPlaces / sizes[axis]))
      return std::nullopt;
    std::vector<std::int64_t> next;
    for (std::int64_t place : places) {
      for (std::int64_t i = 0; i < sizes[axis]; ++i) next.push_back(place + i * strides[axis]);
    }
    places = std::move(next);
  }
  return places;
}

std::optional<std::int64_t> ElementCount(const Value* value) {
  const Shape* sizes = value != nullptr ? value->type().shape() : nullptr;
  if (sizes == nullptr) return std::nullopt;
  Dim count = 1;
  for (const Dim& size : *sizes) count = count * size;
  return count.known() ? std::optional(count.value()) : std::nullopt;
}

// Whether argument `self` may be less than all of its storage, whose elements offsets count.
bool IsPartOfStorage(CallComposer& c) {
  const Abstract self = c.Take(c.call().Argument("self"));
  const auto* tensor = self.As<TensorRef>();
  if (c.failed() || tensor == nullptr || tensor->path == nullptr) return false;
  const auto count = ElementCount(c.Tensor("self"));
  return !count || count != ElementCount(c.Take(c.call().heap().StorageValue(tensor->storage)));
}

View StridedView(CallComposer& c) {
  const std::vector<std::int64_t> sizes = c.Take(c.call().IntList("size"));
  const std::vector<std::int64_t> strides = c.Take(c.call().IntList("stride"));
  const std::int64_t offset = c.IntOr("storage_offset", 0);
  if (!StridesOfSelf(c).row_major) c.Fail("strides of a tensor that is a view itself");
  if (c.Has("storage_offset") && IsPartOfStorage(c))
    c.Fail("an offset in the storage of which the tensor is a part");
  if (sizes.size() != strides.size()) c.Fail(InvalidInput("size and stride differ in length"));
  std::optional<std::vector<std::int64_t>> places;
  if (!c.failed()) places = Places(sizes, strides, offset);
  if (!places) c.Fail("sizes and strides of so many elements");
  const std::optional<std::int64_t> count = ElementCount(c.Tensor("self"));
  const bool fits = places && count && std::all_of(places->begin(), places->end(), [&](auto place) {
                      return place < *count;
                    });
  if (!fits)
    c.Fail("strides that lead out of the tensor, or of a tensor whose sizes are not known");
  View view;
  view.steps = [strides](const std::vector<Dim>&) {
    return std::vector<Dim>(strides.begin(), strides.end());
  };
  Value* indices = places ? c.Ints(*places) : nullptr;
  view.get = [=](Composer& inner, Value* base) {
    return inner.Reshape(inner.Gather(inner.Flatten(base), indices, 0), sizes);
  };
  return view;
}

}  // namespace

Result<Results> LowerAsStrided(Call& call) {
  CallComposer c(call);
  return LowerView(c, StridedView(c));
}

Result<Value*> LowerAsStridedScatter(Call& call) {
  CallComposer c(call);
  View view = StridedView(c);
  return c.Done(WithViewReplaced(c, std::move(view), c.Tensor("src")));
}

Result<Value*> LowerSelectScatter(Call& call) {
  CallComposer c(call);
  const int axis = c.AxisArgument("dim", c.Tensor("self"));
  View view = SelectView(c, axis, c.Take(call.IntValue("index")));
  return c.Done(WithViewReplaced(c, std::move(view), c.Tensor("src")));
}

Result<Value*> LowerSliceScatter(Call& call) {
  CallComposer c(call);
  return c.Done(WithViewReplaced(c, TakeSliceView(c), c.Tensor("src")));
}

Result<Value*> LowerDiagonalScatter(Call& call) {
  CallComposer c(call);
  return c.Done(WithViewReplaced(c, TakeDiagonalView(c), c.Tensor("src")));
}

}  // namespace dragoman::torch
