// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/onnx_values.h"

#include <google/protobuf/unknown_field_set.h>

#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "core/compare/tensor_differences.h"
#include "core/ir/model.h"
#include "importers/onnx/read_model.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman {
namespace {

// As the reader reads any tensor: it is made the initializer of a model.
// ONNX records bf16 by its bits, as u16.
Result<RuntimeValue> ReadTensor(const std::string& bytes, DType declared) {
  onnx_pb::ModelProto message;
  onnx_pb::TensorProto* tensor = message.mutable_graph()->add_initializer();
  if (!tensor->ParseFromString(bytes)) return InvalidInput("no TensorProto");
  tensor->set_name("value");
  DRAGOMAN_ASSIGN(Model model, ReadOnnxBytes(Buffer::Own(message.SerializeAsString())));
  if (model.main().constants().size() != 1) return InvalidInput("a tensor that cannot be read");
  Tensor read = *model.main().constants()[0]->tensor();
  if (declared == DType::kBF16 && read.dtype() == DType::kU16) {
    DRAGOMAN_ASSIGN(read, Tensor::Make(DType::kBF16, read.sizes(), read.buffer()));
  }
  DRAGOMAN_ASSIGN(Array array, Array::FromTensor(read));
  return RuntimeValue::Of(std::move(array));
}

// The values in a SequenceProto or OptionalProto: fields 3 to 7, whichever their kind.
Result<std::vector<std::string>> ReadContained(const std::string& bytes) {
  google::protobuf::UnknownFieldSet fields;
  if (!fields.ParseFromString(bytes)) return InvalidInput("no SequenceProto or OptionalProto");
  std::vector<std::string> contained;
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField& field = fields.field(i);
    if (field.number() >= 3 &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      contained.push_back(field.length_delimited());
  }
  return contained;
}

// Recurses as deep as the type nests, which is bounded.
Result<RuntimeValue> ReadValue(const std::string& bytes, const Type& type) {
  if (type.kind() != Type::Kind::kSequence && type.kind() != Type::Kind::kOptional)
    return ReadTensor(bytes, type.dtype());
  DRAGOMAN_ASSIGN(std::vector<std::string> contained, ReadContained(bytes));
  if (type.kind() == Type::Kind::kOptional) {
    if (contained.empty()) return RuntimeValue();
    return ReadValue(contained[0], type.element());
  }
  RuntimeValue sequence;
  sequence.kind = RuntimeValue::Kind::kSequence;
  sequence.sequence_dtype = type.element().dtype();
  for (const std::string& element : contained) {
    DRAGOMAN_ASSIGN(RuntimeValue value, ReadValue(element, type.element()));
    sequence.sequence.push_back(std::move(value));
  }
  return sequence;
}

std::optional<std::string> FindElementDifference(const Tensor& a, const Tensor& b) {
  const rt::Closeness closeness =
      IsFloating(a.dtype()) ? rt::Closeness{1e-3, 1e-7} : rt::Closeness();
  const rt::ElementDifferences differences = compare::FindDifferences(a, b, closeness);
  if (differences.outside == 0) return std::nullopt;
  return std::to_string(differences.outside) + " of " + std::to_string(a.size()) +
         " elements differ, element " + std::to_string(differences.worst) + " by " +
         std::to_string(differences.largest);
}

}  // namespace

Result<RuntimeValue> ReadOnnxValue(const std::filesystem::path& path, const Type& type) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return InvalidInput("cannot be read").InFile(path.string());
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  Result<RuntimeValue> value = ReadValue(bytes, type);
  if (!value.ok()) value.error().InFile(path.string());
  return value;
}

std::optional<std::string> FindDifference(const RuntimeValue& computed,
                                          const RuntimeValue& recorded) {
  if (computed.kind != recorded.kind) return "a value of another kind";
  if (computed.kind == RuntimeValue::Kind::kNone) return std::nullopt;
  if (computed.kind == RuntimeValue::Kind::kSequence) {
    if (computed.sequence.size() != recorded.sequence.size()) {
      return "a sequence of " + std::to_string(computed.sequence.size()) + ", expected " +
             std::to_string(recorded.sequence.size());
    }
    for (std::size_t i = 0; i < computed.sequence.size(); ++i) {
      auto difference = FindDifference(computed.sequence[i], recorded.sequence[i]);
      if (difference) return "in item " + std::to_string(i) + ": " + *difference;
    }
    return std::nullopt;
  }
  const Tensor a = computed.array.ToTensor();
  const Tensor b = recorded.array.ToTensor();
  if (a.type() != b.type())
    return "type " + a.type().ToString() + ", expected " + b.type().ToString();
  return FindElementDifference(a, b);
}

}  // namespace dragoman
