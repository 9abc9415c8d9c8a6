// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/read_value.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/support/mapped_file.h"
#include "importers/onnx/read_model.h"
#include "proto/onnx/onnx.pb.h"
#include "proto/onnx/onnx_data.pb.h"

namespace dragoman {
namespace {

using onnx_pb::MapProto;
using onnx_pb::OptionalProto;
using onnx_pb::SequenceProto;
using onnx_pb::TensorProto;

// The reader of models knows all encodings of tensors: the tensor goes through it as an
// initializer.
Result<Attribute> FromTensor(TensorProto tensor) {
  onnx_pb::ModelProto model;
  model.set_ir_version(8);
  tensor.set_name("value");
  *model.mutable_graph()->add_initializer() = std::move(tensor);
  DRAGOMAN_ASSIGN(Model read, ReadOnnxBytes(Buffer::Own(model.SerializeAsString())));
  const auto constants = read.main().constants();
  if (constants.empty() || constants.front()->tensor() == nullptr)
    return InvalidInput("not a tensor");
  return Attribute(*constants.front()->tensor());
}

// Sequences of sequences do not occur in ONNX.
Result<Attribute> FromSequence(const SequenceProto& sequence) {
  if (sequence.sequence_values_size() + sequence.map_values_size() +
          sequence.optional_values_size() >
      0) {
    return Unsupported("a sequence of other things than tensors");
  }
  Attribute::List values;
  for (const TensorProto& tensor : sequence.tensor_values()) {
    DRAGOMAN_ASSIGN(Attribute value, FromTensor(tensor));
    values.push_back(std::move(value));
  }
  return Attribute(std::move(values));
}

Result<Attribute> FromOptional(const OptionalProto& optional) {
  if (optional.has_tensor_value()) return FromTensor(optional.tensor_value());
  if (optional.has_sequence_value()) return FromSequence(optional.sequence_value());
  return Attribute();
}

// Elements `order` of a tensor of rank 1; of tensors of one element each, one after the other.
Result<Tensor> ElementsAt(const std::vector<Tensor>& tensors,
                          const std::vector<std::size_t>& order) {
  std::string bytes;
  std::vector<std::string> strings;
  for (const std::size_t i : order) {
    const Tensor& tensor = tensors[i];
    if (tensor.size() != 1 || tensor.dtype() != tensors.front().dtype())
      return Unsupported("a map to other things than numbers or strings");
    if (tensor.dtype() == DType::kString) {
      strings.push_back(tensor.strings().front());
    } else {
      bytes.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
    }
  }
  const std::vector<std::int64_t> sizes = {static_cast<std::int64_t>(order.size())};
  const DType dtype = tensors.empty() ? DType::kF32 : tensors.front().dtype();
  if (dtype == DType::kString) return Tensor::MakeStrings(sizes, std::move(strings));
  return Tensor::Make(dtype, sizes, Buffer::Own(std::move(bytes)));
}

struct MapParts {
  Tensor keys, values;  // by ascending keys
};

Result<Tensor> SortedKeys(const MapProto& map, std::vector<std::size_t>* order) {
  const auto strings = static_cast<std::size_t>(map.string_keys_size());
  const auto ints = static_cast<std::size_t>(map.keys_size());
  if (strings != 0 && ints != 0) return InvalidInput("a map has keys of two types");
  order->resize(strings + ints);
  std::iota(order->begin(), order->end(), std::size_t{0});
  const auto at = [](std::size_t i) { return static_cast<int>(i); };
  std::ranges::sort(*order, [&](std::size_t a, std::size_t b) {
    return ints != 0 ? map.keys(at(a)) < map.keys(at(b))
                     : map.string_keys(at(a)) < map.string_keys(at(b));
  });
  if (ints != 0 || map.key_type() == onnx_pb::TensorProto::INT64) {
    std::vector<std::int64_t> keys;
    for (const std::size_t i : *order) keys.push_back(map.keys(at(i)));
    return Tensor::Ints(keys);
  }
  std::vector<std::string> keys;
  for (const std::size_t i : *order) keys.push_back(map.string_keys(at(i)));
  return Tensor::MakeStrings({static_cast<std::int64_t>(keys.size())}, std::move(keys));
}

Result<MapParts> FromMap(const MapProto& map) {
  MapParts parts;
  std::vector<std::size_t> order;
  DRAGOMAN_ASSIGN(parts.keys, SortedKeys(map, &order));
  if (static_cast<std::size_t>(map.values().tensor_values_size()) != order.size())
    return InvalidInput("a map has another number of values than keys");
  std::vector<Tensor> values;
  for (const TensorProto& tensor : map.values().tensor_values()) {
    DRAGOMAN_ASSIGN(Attribute value, FromTensor(tensor));
    values.push_back(*value.tensor());
  }
  DRAGOMAN_ASSIGN(parts.values, ElementsAt(values, order));
  return parts;
}

// Of a list of maps: their keys, and their values as (maps, entries).
Result<MapParts> FromMaps(const SequenceProto& sequence) {
  MapParts all;
  std::string bytes;
  for (const MapProto& map : sequence.map_values()) {
    DRAGOMAN_ASSIGN(MapParts parts, FromMap(map));
    if (parts.values.dtype() == DType::kString) return Unsupported("a list of maps to strings");
    if (bytes.empty()) all.keys = parts.keys;
    if (!(parts.keys == all.keys)) return Unsupported("a list of maps with different keys");
    const std::span<const std::byte> row = parts.values.bytes();
    bytes.append(reinterpret_cast<const char*>(row.data()), row.size());
    all.values = std::move(parts.values);
  }
  const std::vector<std::int64_t> sizes = {sequence.map_values_size(), all.keys.size()};
  if (sizes[0] == 0) return Unsupported("an empty list of maps");
  DRAGOMAN_ASSIGN(all.values,
                  Tensor::Make(all.values.dtype(), sizes, Buffer::Own(std::move(bytes))));
  return all;
}

Attribute AsList(const MapParts& parts) {
  return Attribute(Attribute::List{Attribute(parts.keys), Attribute(parts.values)});
}

template <class Message>
Result<Message> Parse(const MappedFile& file) {
  Message message;
  const auto bytes = file.bytes();
  if (!message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return InvalidInput("not a " + message.GetDescriptor()->name());
  }
  return message;
}

Result<Attribute> Read(const MappedFile& file, const Type& type) {
  if (file.bytes().size() > static_cast<std::size_t>(INT32_MAX))
    return Unsupported("larger than 2 GB");
  switch (type.kind()) {
    case Type::Kind::kSequence: {
      DRAGOMAN_ASSIGN(SequenceProto sequence, Parse<SequenceProto>(file));
      if (type.element().kind() != Type::Kind::kMap) return FromSequence(sequence);
      DRAGOMAN_ASSIGN(const MapParts parts, FromMaps(sequence));
      return AsList(parts);
    }
    case Type::Kind::kMap: {
      DRAGOMAN_ASSIGN(const MapProto map, Parse<MapProto>(file));
      DRAGOMAN_ASSIGN(const MapParts parts, FromMap(map));
      return AsList(parts);
    }
    case Type::Kind::kOptional: {
      DRAGOMAN_ASSIGN(OptionalProto optional, Parse<OptionalProto>(file));
      return FromOptional(optional);
    }
    default: {
      DRAGOMAN_ASSIGN(TensorProto tensor, Parse<TensorProto>(file));
      return FromTensor(std::move(tensor));
    }
  }
}

}  // namespace

Result<Attribute> ReadOnnxValue(const std::string& path, const Type& type) {
  DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  Result<Attribute> value = Read(*file, type);
  if (!value.ok()) return std::move(value).error().InFile(path);
  return value;
}

}  // namespace dragoman
