// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/support/text.h"
#include "importers/onnx/read_graph.h"
#include "importers/onnx/take_tensor.h"
#include "importers/onnx/take_type.h"
#include "proto/onnx/extra.h"

namespace dragoman::onnx_reader {
namespace {

using google::protobuf::FieldDescriptor;
using onnx_pb::AttributeProto;

struct KindField {
  int type;   // AttributeProto::type
  int field;  // that holds the value
};

constexpr std::array<KindField, 14> kKindFields = {{
    {AttributeProto::FLOAT, AttributeProto::kFFieldNumber},
    {AttributeProto::INT, AttributeProto::kIFieldNumber},
    {AttributeProto::STRING, AttributeProto::kSFieldNumber},
    {AttributeProto::TENSOR, AttributeProto::kTFieldNumber},
    {AttributeProto::GRAPH, AttributeProto::kGFieldNumber},
    {AttributeProto::SPARSE_TENSOR, AttributeProto::kSparseTensorFieldNumber},
    {AttributeProto::TYPE_PROTO, AttributeProto::kTpFieldNumber},
    {AttributeProto::FLOATS, AttributeProto::kFloatsFieldNumber},
    {AttributeProto::INTS, AttributeProto::kIntsFieldNumber},
    {AttributeProto::STRINGS, AttributeProto::kStringsFieldNumber},
    {AttributeProto::TENSORS, AttributeProto::kTensorsFieldNumber},
    {AttributeProto::GRAPHS, AttributeProto::kGraphsFieldNumber},
    {AttributeProto::SPARSE_TENSORS, AttributeProto::kSparseTensorsFieldNumber},
    {AttributeProto::TYPE_PROTOS, AttributeProto::kTypeProtosFieldNumber},
}};

bool IsSet(const AttributeProto& message, int number) {
  const FieldDescriptor* field = AttributeProto::descriptor()->FindFieldByNumber(number);
  return field->is_repeated() ? message.GetReflection()->FieldSize(message, field) > 0
                              : message.GetReflection()->HasField(message, field);
}

std::string FieldName(int number) {
  return AttributeProto::descriptor()->FindFieldByNumber(number)->name();
}

class AttributeReader {
 public:
  AttributeReader(AttributeProto* message, const Scope* scope, const Place& place,
                  ReadContext& context)
      : message_(*message), scope_(scope), place_(place), context_(context) {}

  Result<NamedAttribute> Read() {
    NamedAttribute attribute;
    attribute.name = message_.name();
    if (!message_.name().empty()) message_.clear_name();
    DRAGOMAN_ASSIGN(attribute.value, ReadValue());
    attribute.extra = TakeExtra();
    return attribute;
  }

 private:
  Result<Attribute> ReadValue() {
    if (!message_.ref_attr_name().empty()) return ReadReference();
    const std::optional<KindField> kind = FindKind();
    if (!kind) return Untyped();
    if (kind->field == 0) return Attribute();
    DRAGOMAN_ASSIGN(std::optional<Attribute> value, ReadKind(kind->field));
    if (!value) return Untyped();
    if (message_.has_type()) {
      message_.clear_type();
    } else {
      absent_.insert(absent_.begin(), "type");
    }
    return *std::move(value);
  }

  Attribute ReadReference() {
    AttributeRef reference{message_.ref_attr_name(), message_.type()};
    message_.clear_ref_attr_name();
    if (message_.type() != 0) message_.clear_type();
    return reference;
  }

  // The whole message as it is.
  Attribute Untyped() {
    Attribute::Dict dict = context_.Dict(message_);
    message_.Clear();
    absent_.clear();
    encodings_.clear();
    return dict;
  }

  // Field 0: there is no value. nullopt: the message contradicts itself.
  std::optional<KindField> FindKind() const {
    const bool stated = message_.type() != AttributeProto::UNDEFINED;
    std::vector<KindField> set;
    KindField declared{0, 0};
    for (const KindField& row : kKindFields) {
      if (stated && row.type == message_.type()) declared = row;
      if (IsSet(message_, row.field)) set.push_back(row);
    }
    if (set.empty()) return HasDefault(declared.field) ? declared : KindField{0, 0};
    if (set.size() > 1) return std::nullopt;
    if (stated) return IsSet(message_, declared.field) ? std::optional(declared) : std::nullopt;
    return !message_.has_type() ? std::optional(set[0]) : std::nullopt;
  }

  // Whether an absent field means a value: a number or string of 0 bits, an empty list.
  static bool HasDefault(int number) {
    if (number == 0) return false;
    const FieldDescriptor* field = AttributeProto::descriptor()->FindFieldByNumber(number);
    return field->is_repeated() || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE;
  }

  Result<std::optional<Attribute>> ReadKind(int field) {
    switch (field) {
      case AttributeProto::kFFieldNumber:
      case AttributeProto::kIFieldNumber:
      case AttributeProto::kSFieldNumber:
        return std::optional(ReadScalar(field));
      case AttributeProto::kTFieldNumber:
        return ReadTensor();
      case AttributeProto::kGFieldNumber:
        return ReadSubgraph();
      case AttributeProto::kSparseTensorFieldNumber:
        return ReadSparseTensor();
      case AttributeProto::kTensorsFieldNumber:
        return ReadTensors();
      case AttributeProto::kGraphsFieldNumber:
        return ReadSubgraphs();
      case AttributeProto::kSparseTensorsFieldNumber:
        return ReadSparseTensors();
      case AttributeProto::kTpFieldNumber:
      case AttributeProto::kTypeProtosFieldNumber:
        return std::optional(ReadTypes(field));
      default:
        return std::optional(ReadList(field));
    }
  }

  Attribute ReadScalar(int field) {
    if (!IsSet(message_, field)) absent_.push_back(FieldName(field));
    Attribute value = field == AttributeProto::kFFieldNumber ? Attribute(message_.f())
                      : field == AttributeProto::kIFieldNumber
                          ? Attribute(std::int64_t{message_.i()})
                          : Attribute(message_.s());
    Clear(field);
    return value;
  }

  Attribute ReadList(int field) {
    Attribute value;
    if (field == AttributeProto::kFloatsFieldNumber) {
      value = Attribute::Floats(message_.floats().begin(), message_.floats().end());
    } else if (field == AttributeProto::kIntsFieldNumber) {
      value = Attribute::Ints(message_.ints().begin(), message_.ints().end());
    } else {
      value = Attribute::Strings(message_.strings().begin(), message_.strings().end());
    }
    Clear(field);
    return value;
  }

  Attribute ReadTypes(int field) {
    if (field == AttributeProto::kTpFieldNumber) {
      Type type = TakeType(message_.mutable_tp());
      if (IsEmpty(message_.tp())) message_.clear_tp();
      return type;
    }
    Attribute::Types types;
    for (auto& type : *message_.mutable_type_protos()) types.push_back(TakeType(&type));
    ClearIfAllEmpty(message_.mutable_type_protos());
    return types;
  }

  Result<std::optional<Attribute>> ReadTensor() {
    const Place place{&place_, AttributeProto::kTFieldNumber, 0};
    DRAGOMAN_ASSIGN(std::optional<Tensor> tensor,
                    TakeTensor(message_.mutable_t(), place, context_, &encodings_));
    if (!tensor) return std::optional<Attribute>();
    if (IsEmpty(message_.t())) message_.clear_t();
    return std::optional<Attribute>(*std::move(tensor));
  }

  Result<std::optional<Attribute>> ReadSparseTensor() {
    const Place place{&place_, AttributeProto::kSparseTensorFieldNumber, 0};
    DRAGOMAN_ASSIGN(
        std::optional<SparseTensor> tensor,
        TakeSparseTensor(message_.mutable_sparse_tensor(), place, context_, &encodings_));
    if (!tensor) return std::optional<Attribute>();
    if (IsEmpty(message_.sparse_tensor())) message_.clear_sparse_tensor();
    return std::optional<Attribute>(*std::move(tensor));
  }

  Result<std::optional<Attribute>> ReadTensors() {
    auto rest = message_.tensors();
    Attribute::Tensors tensors;
    for (int i = 0; i < rest.size(); ++i) {
      const Place place{&place_, AttributeProto::kTensorsFieldNumber, i};
      DRAGOMAN_ASSIGN(std::optional<Tensor> tensor,
                      TakeTensor(rest.Mutable(i), place, context_, &encodings_));
      if (!tensor) return std::optional<Attribute>();
      tensors.push_back(*std::move(tensor));
    }
    ClearIfAllEmpty(&rest);
    *message_.mutable_tensors() = std::move(rest);
    return std::optional<Attribute>(std::move(tensors));
  }

  Result<std::optional<Attribute>> ReadSparseTensors() {
    auto rest = message_.sparse_tensors();
    Attribute::SparseTensors tensors;
    for (int i = 0; i < rest.size(); ++i) {
      const Place place{&place_, AttributeProto::kSparseTensorsFieldNumber, i};
      DRAGOMAN_ASSIGN(std::optional<SparseTensor> tensor,
                      TakeSparseTensor(rest.Mutable(i), place, context_, &encodings_));
      if (!tensor) return std::optional<Attribute>();
      tensors.push_back(*std::move(tensor));
    }
    ClearIfAllEmpty(&rest);
    *message_.mutable_sparse_tensors() = std::move(rest);
    return std::optional<Attribute>(std::move(tensors));
  }

  Result<std::optional<Attribute>> ReadSubgraph() {
    const Place place{&place_, AttributeProto::kGFieldNumber, 0};
    auto graph = std::make_shared<Graph>();
    DRAGOMAN_TRY(ReadGraph(message_.mutable_g(), scope_, place, context_, graph.get()));
    message_.clear_g();
    return std::optional<Attribute>(std::move(graph));
  }

  Result<std::optional<Attribute>> ReadSubgraphs() {
    Attribute::Graphs graphs;
    for (int i = 0; i < message_.graphs_size(); ++i) {
      const Place place{&place_, AttributeProto::kGraphsFieldNumber, i};
      graphs.push_back(std::make_shared<Graph>());
      DRAGOMAN_TRY(
          ReadGraph(message_.mutable_graphs(i), scope_, place, context_, graphs.back().get()));
    }
    message_.clear_graphs();
    return std::optional<Attribute>(std::move(graphs));
  }

  void Clear(int field) {
    message_.GetReflection()->ClearField(&message_,
                                         AttributeProto::descriptor()->FindFieldByNumber(field));
  }

  std::shared_ptr<const Extra> TakeExtra() {
    Extra extra;
    context_.Keep(message_, [&]() -> Extra& { return extra; });
    if (!absent_.empty()) extra.emplace_back(std::string(onnx_extra::kAbsent), absent_);
    AppendEncodings(encodings_, &extra);
    return extra.empty() ? nullptr : std::make_shared<const Extra>(std::move(extra));
  }

  AttributeProto& message_;
  const Scope* scope_;
  const Place& place_;
  ReadContext& context_;
  Attribute::Strings absent_;
  std::vector<std::string> encodings_;
};

}  // namespace

Result<NamedAttribute> ReadAttribute(AttributeProto* message, const Scope* scope,
                                     const Place& place, ReadContext& context) {
  return AttributeReader(message, scope, place, context).Read();
}

}  // namespace dragoman::onnx_reader
