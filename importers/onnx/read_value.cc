#include "importers/onnx/read_value.h"

#include <memory>
#include <utility>

#include "core/support/mapped_file.h"
#include "importers/onnx/read_model.h"
#include "proto/onnx/onnx.pb.h"
#include "proto/onnx/onnx_data.pb.h"

namespace dragoman {
namespace {

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
      return FromSequence(sequence);
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
