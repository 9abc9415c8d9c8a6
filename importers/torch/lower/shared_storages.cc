// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/lower/shared_storages.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/ir/dtype.h"

namespace dragoman::torch {
namespace {

// The most bytes that a joined storage may have, unless its tensors have more.
constexpr std::int64_t kMaxJoinedBytes = std::int64_t{1} << 28;

std::int64_t BytesOf(const PlacedTensor& tensor) { return Info(tensor.elements->dtype()).bits / 8; }

struct Range {
  std::int64_t begin = 0, end = 0;
};

// In bytes.
Range RangeOf(const PlacedTensor& tensor) {
  const std::int64_t bytes = BytesOf(tensor);
  return {tensor.placement.offset * bytes, *EndOf(tensor.placement) * bytes};
}

// Whether the elements of `tensor` are all from `range` on, in their order.
bool IsWhole(const PlacedTensor& tensor, const Range& range) {
  const Range own = RangeOf(tensor);
  const std::vector<std::int64_t>& sizes = tensor.placement.sizes;
  const Strides strides =
      MakeStrides({tensor.placement.strides.begin(), tensor.placement.strides.end()},
                  Shape(sizes.begin(), sizes.end()));
  return own.begin == range.begin && own.end == range.end && strides.row_major;
}

// What the initial value says of a tensor; nullptr: nothing.
const Attribute* PartOf(const State& state, const char* key) {
  const auto* parts = state.initial.As<Attribute::Dict>();
  return parts != nullptr ? Find(*parts, key) : nullptr;
}

std::int64_t NumberOr(const Attribute* attribute, std::int64_t otherwise) {
  const auto* number = attribute != nullptr ? attribute->As<std::int64_t>() : nullptr;
  return number != nullptr ? *number : otherwise;
}

// A tensor whose elements are those of the storage, and not what is made of them.
bool HoldsStorage(const PlacedTensor& tensor) {
  return PartOf(*tensor.state, "scheme") == nullptr && PartOf(*tensor.state, "sign") == nullptr;
}

std::optional<PlacedTensor> PlacedTensorOf(const State& state) {
  const std::int64_t storage = NumberOr(PartOf(state, "storage"), -1);
  std::optional<Placement> placement = PlacementOf(state);
  if (storage < 0 || !placement) return std::nullopt;
  const Tensor* elements = PartOf(state, "tensor")->tensor();
  if (Info(elements->dtype()).bits % 8 != 0) return std::nullopt;
  return PlacedTensor{&state, elements, storage, *std::move(placement)};
}

}  // namespace

std::optional<Placement> PlacementOf(const State& state) {
  const Attribute* tensor = PartOf(state, "tensor");
  const Attribute* strides = PartOf(state, "strides");
  if (tensor == nullptr || tensor->tensor() == nullptr || strides == nullptr ||
      strides->As<Attribute::Ints>() == nullptr)
    return std::nullopt;
  Placement placement{tensor->tensor()->sizes(), *strides->As<Attribute::Ints>(),
                      NumberOr(PartOf(state, "offset"), 0)};
  constexpr std::int64_t kMaxPlace = std::int64_t{1} << 56;  // which may be counted in bytes
  if (placement.strides.size() != placement.sizes.size()) return std::nullopt;
  const std::int64_t end = EndOf(placement).value_or(0);
  return end > 0 && end < kMaxPlace ? std::optional(std::move(placement)) : std::nullopt;
}

std::vector<SharedGroup> SharedGroups(const Model& source) {
  SharedGroup placed;
  for (const State& state : source.states) {
    if (auto tensor = PlacedTensorOf(state)) placed.push_back(*std::move(tensor));
  }
  const auto by_place = [](const PlacedTensor& a, const PlacedTensor& b) {
    return std::pair(a.storage, RangeOf(a).begin) < std::pair(b.storage, RangeOf(b).begin);
  };
  std::ranges::stable_sort(placed, by_place);
  std::vector<SharedGroup> groups;
  std::int64_t end = 0;  // of the last group
  for (PlacedTensor& tensor : placed) {
    const Range range = RangeOf(tensor);
    const bool joins =
        !groups.empty() && groups.back().front().storage == tensor.storage && range.begin < end;
    if (!joins) groups.emplace_back();
    end = joins ? std::max(end, range.end) : range.end;
    groups.back().push_back(std::move(tensor));
  }
  std::erase_if(groups, [](const SharedGroup& group) { return group.size() < 2; });
  for (SharedGroup& group : groups) {
    std::ranges::sort(group, {}, [](const PlacedTensor& tensor) { return tensor.state; });
  }
  return groups;
}

std::optional<JoinedStorage> JoinStorage(const SharedGroup& group) {
  const DType dtype = group.front().elements->dtype();
  Range range = RangeOf(group.front());
  std::size_t held = 0;
  for (const PlacedTensor& tensor : group) {
    if (tensor.elements->dtype() != dtype || !HoldsStorage(tensor)) return std::nullopt;
    range = {std::min(range.begin, RangeOf(tensor).begin),
             std::max(range.end, RangeOf(tensor).end)};
    held += tensor.elements->bytes().size();
  }
  const std::int64_t bytes = BytesOf(group.front());
  JoinedStorage joined{0, false, {}, range.begin / bytes};
  const auto whole = std::ranges::find_if(
      group, [&](const PlacedTensor& tensor) { return IsWhole(tensor, range); });
  if (whole != group.end()) {
    joined.first = static_cast<std::size_t>(whole - group.begin());
    joined.is_first = true;
    joined.elements = *whole->elements;
    return joined;
  }
  const std::int64_t size = range.end - range.begin;
  if (size > kMaxJoinedBytes && static_cast<std::size_t>(size) / 2 > held) return std::nullopt;
  std::string elements(static_cast<std::size_t>(size), '\0');
  for (const PlacedTensor& tensor : group) {
    const std::byte* next = tensor.elements->bytes().data();
    ForEachPlace(tensor.placement, [&](std::int64_t place) {
      std::memcpy(elements.data() + place * bytes - range.begin, next,
                  static_cast<std::size_t>(bytes));
      next += bytes;
    });
  }
  Result<Tensor> made = Tensor::Make(dtype, {size / bytes}, Buffer::Own(std::move(elements)));
  if (!made.ok()) return std::nullopt;
  joined.elements = *std::move(made);
  return joined;
}

ViewStep StepTo(const Placement& placement, const JoinedStorage& joined) {
  Placement inner = placement;
  inner.offset -= joined.offset;
  ViewStep step;
  step.get = [inner](GraphBuilder& builder, Value* base) {
    Composer c(builder);
    return c.Done(ReadPlaced(c, base, inner));
  };
  step.put = [inner](GraphBuilder& builder, Value* base, Value* value) {
    Composer c(builder);
    return c.Done(WritePlaced(c, base, inner, value));
  };
  step.strides = MakeStrides({placement.strides.begin(), placement.strides.end()},
                             Shape(placement.sizes.begin(), placement.sizes.end()));
  return step;
}

}  // namespace dragoman::torch
