// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/packed_parameters.h"

#include <fmt/format.h>

#include <array>

namespace dragoman::torch {
namespace {

const StoredTuple* AsTuple(const Stored& value) {
  const auto* tuple = std::get_if<const StoredTuple*>(&value);
  return tuple == nullptr ? nullptr : *tuple;
}

const std::vector<Stored>* ItemsOf(const Stored& value) {
  if (const auto* list = std::get_if<const StoredList*>(&value)) return &(*list)->items;
  const StoredTuple* tuple = AsTuple(value);
  return tuple == nullptr ? nullptr : &tuple->items;
}

Stored IntList(std::span<const std::int64_t> values, StoredHeap& heap) {
  StoredList list;
  list.type_tag = "List[int]";
  list.items.assign(values.begin(), values.end());
  return heap.Add(std::move(list));
}

// (weight, bias)
Result<StoredAttributes> LinearParameters(const StoredTuple& state) {
  if (state.items.size() != 2) return InvalidInput("packed linear parameters of another form");
  return StoredAttributes{{"weight", state.items[0]}, {"bias", state.items[1]}};
}

// ("2", [config, weight], [bias]), config = spatial dims, stride…, padding…, dilation…,
// output_padding…, groups, transpose
Result<StoredAttributes> ConvParameters(const StoredTuple& state, StoredHeap& heap) {
  const auto malformed = [] {
    return InvalidInput("packed convolution parameters of another form");
  };
  if (state.items.size() != 3) return malformed();
  const auto* version = std::get_if<StoredString>(&state.items[0]);
  const auto* tensors = ItemsOf(state.items[1]);
  const auto* optional = ItemsOf(state.items[2]);
  if (version == nullptr || tensors == nullptr || optional == nullptr) return malformed();
  if (**version != "2" && **version != "3") {
    return Unsupported(fmt::format("packed convolution parameters of version {}", **version));
  }
  if (tensors->size() < 2 || optional->empty()) return malformed();
  const auto* config = std::get_if<const StoredTensor*>(&(*tensors)[0]);
  if (config == nullptr) return malformed();
  DRAGOMAN_ASSIGN(const Tensor dense, DenseTensor(**config));
  const std::vector<std::int64_t> numbers = dense.ToInts();
  const std::int64_t dims = numbers.empty() ? 0 : numbers[0];
  if (dims < 1 || dims > 3 || numbers.size() != static_cast<std::size_t>(3 + 4 * dims)) {
    return malformed();
  }
  StoredAttributes result{{"weight", (*tensors)[1]}, {"bias", (*optional)[0]}};
  constexpr std::array<const char*, 4> kLists = {"stride", "padding", "dilation", "output_padding"};
  for (std::size_t i = 0; i < kLists.size(); ++i) {
    const auto count = static_cast<std::size_t>(dims);
    result.emplace_back(kLists[i], IntList(std::span(numbers).subspan(1 + i * count, count), heap));
  }
  result.emplace_back("groups", numbers[numbers.size() - 2]);
  result.emplace_back("transpose", (numbers.back() & 1) != 0);
  return result;
}

// (kind, tensors, doubles, longs, packed linear parameters of input and state)
Result<StoredAttributes> CellParameters(const StoredTuple& state) {
  if (state.items.size() != 5) return InvalidInput("packed cell parameters of another form");
  return StoredAttributes{{"kind", state.items[0]},
                          {"tensors", state.items[1]},
                          {"flags", state.items[3]},
                          {"packed", state.items[4]}};
}

}  // namespace

Result<StoredAttributes> PackedParameters(const StoredObject& object, StoredHeap& heap) {
  // Made by RunSetState: already a dict of these attributes.
  if (const StoredDict* attributes = object.attributes()) {
    StoredAttributes result;
    for (const auto& [key, value] : attributes->items) {
      const auto* name = std::get_if<StoredString>(&key);
      if (name != nullptr) result.emplace_back(**name, value);
    }
    return result;
  }
  const Stored state = object.state ? *object.state : Stored();
  const StoredTuple* tuple = AsTuple(state);
  if (tuple != nullptr && object.class_name.ends_with("quantized.LinearPackedParamsBase")) {
    return LinearParameters(*tuple);
  }
  if (tuple != nullptr && object.class_name.ends_with("rnn.CellParamsBase")) {
    return CellParameters(*tuple);
  }
  const bool conv = object.class_name.ends_with("quantized.Conv2dPackedParamsBase") ||
                    object.class_name.ends_with("quantized.Conv3dPackedParamsBase");
  if (tuple != nullptr && conv) return ConvParameters(*tuple, heap);
  return StoredAttributes{{"state", state}};
}

}  // namespace dragoman::torch
