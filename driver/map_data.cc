// SPDX-License-Identifier: Apache-2.0
#include "driver/map_data.h"

#include <algorithm>
#include <utility>

#include "core/compare/tensor_differences.h"
#include "runtime/params/map_names.h"
#include "runtime/program/map_json.h"

namespace dragoman {
namespace {

rt::ElementArray ElementsOf(const Array& array) {
  return {&compare::RuntimeType(array.dtype()), array.data()};
}

Result<Array> ToArray(const rt::AnyTensor& tensor, DType dtype) {
  NpyArray npy;
  npy.kind = tensor.type->kind;
  npy.item_bytes = tensor.type->bytes;
  npy.shape.assign(tensor.shape.begin(), tensor.shape.end());
  npy.bytes = tensor.bytes;
  npy.strings = tensor.strings;
  return FromNpy(npy, dtype);
}

const NamedArray* FindText(const std::vector<NamedArray>& arrays, const std::string& name) {
  const auto found = std::ranges::find(arrays, name, &NamedArray::name);
  const bool is_text =
      found != arrays.end() && found->array.kind == 'U' && found->array.shape.empty();
  return is_text ? &*found : nullptr;
}

}  // namespace

std::optional<MapType> MapTypeOf(const Type& type) {
  const bool is_list = type.kind() == Type::Kind::kSequence;
  const Type& map = is_list ? type.element() : type;
  if (map.kind() != Type::Kind::kMap) return std::nullopt;
  return MapType{map.map_key(), map.element().dtype(), is_list};
}

Slot KeysSlot(const std::string& name, const MapType& type) {
  return {name + rt::kMapKeys, Type::Tensor(type.key, Shape{Dim::Unknown()})};
}

Slot ValuesSlot(const std::string& name, const MapType& type) {
  const std::size_t rank = type.is_list ? 2 : 1;
  return {name + rt::kMapValues, Type::Tensor(type.value, Shape(rank, Dim::Unknown()))};
}

Result<FlatArrays> ParseMapArrays(const std::string& name, const std::string& json, DType key,
                                  DType value) {
  rt::AnyTensor keys, values;
  const std::string problem =
      rt::ParseMaps(json, compare::RuntimeType(key), compare::RuntimeType(value), &keys, &values);
  if (!problem.empty()) return InvalidInput("map '" + name + "': " + problem);
  FlatArrays arrays;
  DRAGOMAN_ASSIGN(Array key_array, ToArray(keys, key));
  arrays.emplace_back(name + rt::kMapKeys, std::move(key_array));
  DRAGOMAN_ASSIGN(Array value_array, ToArray(values, value));
  arrays.emplace_back(name + rt::kMapValues, std::move(value_array));
  return arrays;
}

Result<std::vector<NamedArray>> SplitMaps(const std::vector<Slot>& slots,
                                          const std::vector<NamedArray>& arrays) {
  std::vector<NamedArray> split = arrays;
  for (const Slot& slot : slots) {
    const std::optional<MapType> type = MapTypeOf(slot.type);
    const NamedArray* text = type ? FindText(split, slot.name) : nullptr;
    if (text == nullptr) continue;
    DRAGOMAN_ASSIGN(FlatArrays parts,
                    ParseMapArrays(slot.name, text->array.strings.front(), type->key, type->value));
    split.erase(split.begin() + (text - split.data()));
    for (auto& [name, array] : parts) split.push_back({name, ToNpy(array)});
  }
  return split;
}

bool IsMapAt(const FlatArrays& outputs, std::size_t at) {
  const std::string map = rt::MapOfKeys(outputs[at].first);
  return !map.empty() && at + 1 < outputs.size() && outputs[at + 1].first == map + rt::kMapValues &&
         rt::AreMaps(outputs[at].second.shape(), outputs[at + 1].second.shape());
}

std::string PrintMapAt(const FlatArrays& outputs, std::size_t at) {
  const Array& keys = outputs[at].second;
  const Array& values = outputs[at + 1].second;
  const bool is_list = values.shape().size() > 1;
  return rt::PrintMaps(ElementsOf(keys), ElementsOf(values), keys.size(),
                       is_list ? values.shape()[0] : 1, is_list);
}

}  // namespace dragoman
