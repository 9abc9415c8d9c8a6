// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/ir/find_as.h"
#include "core/support/text.h"
#include "exporters/onnx/dict_to_message.h"
#include "exporters/onnx/fill_tensor.h"
#include "exporters/onnx/fill_type.h"
#include "exporters/onnx/write_graph.h"
#include "proto/onnx/extra.h"

namespace dragoman::onnx_writer {
namespace {

using onnx_pb::AttributeProto;

constexpr std::array<std::string_view, 2> kSpecial = {onnx_extra::kAbsent,
                                                      onnx_extra::kTensorEncoding};

class AttributeWriter {
 public:
  AttributeWriter(const NamedAttribute& attribute, WriteContext* context, AttributeProto* message)
      : attribute_(attribute),
        context_(context),
        message_(*message),
        encodings_(attribute.extra.get()) {}

  Status Write() {
    DRAGOMAN_TRY(FillFromExtra(attribute_.extra.get(), kSpecial, &context_->bulk, &message_));
    if (!attribute_.name.empty()) message_.set_name(attribute_.name);
    return std::visit([this](const auto& value) { return Fill(value); },
                      attribute_.value.storage());
  }

 private:
  bool IsAbsent(std::string_view field) const {
    const auto* absent = FindAs<Attribute::Strings>(attribute_.extra.get(), onnx_extra::kAbsent);
    return absent != nullptr && std::find(absent->begin(), absent->end(), field) != absent->end();
  }

  void SetType(AttributeProto::AttributeType type) {
    if (!IsAbsent("type")) message_.set_type(type);
  }

  Status Fill(Attribute::None) { return {}; }

  Status Fill(std::int64_t value) {
    SetType(AttributeProto::INT);
    if (value != 0 || !IsAbsent("i")) message_.set_i(value);
    return {};
  }

  Status Fill(float value) {
    SetType(AttributeProto::FLOAT);
    if (std::bit_cast<std::uint32_t>(value) != 0 || !IsAbsent("f")) message_.set_f(value);
    return {};
  }

  Status Fill(const std::string& value) {
    SetType(AttributeProto::STRING);
    if (!value.empty() || !IsAbsent("s")) message_.set_s(value);
    return {};
  }

  Status Fill(const Attribute::TensorPtr& value) {
    SetType(AttributeProto::TENSOR);
    FillTensor(*value, encodings_.Next(), context_, message_.mutable_t());
    return {};
  }

  Status Fill(const Attribute::SparseTensorPtr& value) {
    SetType(AttributeProto::SPARSE_TENSOR);
    FillSparseTensor(*value, &encodings_, context_, message_.mutable_sparse_tensor());
    return {};
  }

  Status Fill(const Attribute::GraphPtr& value) {
    SetType(AttributeProto::GRAPH);
    return FillGraph(*value, context_, message_.mutable_g());
  }

  Status Fill(const Type& value) {
    SetType(AttributeProto::TYPE_PROTO);
    return FillType(value, message_.mutable_tp());
  }

  Status Fill(const AttributeRef& value) {
    message_.set_ref_attr_name(value.name);
    if (value.kind == 0) return {};
    if (!onnx_pb::AttributeProto_AttributeType_IsValid(value.kind)) {
      return Unsupported(
          "attribute " + Quote(attribute_.name) +
          " refers to a kind that ONNX does not have: " + std::to_string(value.kind));
    }
    message_.set_type(static_cast<AttributeProto::AttributeType>(value.kind));
    return {};
  }

  Status Fill(const Attribute::Ints& values) {
    SetType(AttributeProto::INTS);
    message_.mutable_ints()->Add(values.begin(), values.end());
    return {};
  }

  Status Fill(const Attribute::Floats& values) {
    SetType(AttributeProto::FLOATS);
    message_.mutable_floats()->Add(values.begin(), values.end());
    return {};
  }

  Status Fill(const Attribute::Strings& values) {
    SetType(AttributeProto::STRINGS);
    for (const std::string& value : values) message_.add_strings(value);
    return {};
  }

  Status Fill(const Attribute::Tensors& values) {
    SetType(AttributeProto::TENSORS);
    FitSize(values.size(), message_.mutable_tensors());
    for (std::size_t i = 0; i < values.size(); ++i) {
      FillTensor(values[i], encodings_.Next(), context_,
                 message_.mutable_tensors(static_cast<int>(i)));
    }
    return {};
  }

  Status Fill(const Attribute::SparseTensors& values) {
    SetType(AttributeProto::SPARSE_TENSORS);
    FitSize(values.size(), message_.mutable_sparse_tensors());
    for (std::size_t i = 0; i < values.size(); ++i) {
      FillSparseTensor(values[i], &encodings_, context_,
                       message_.mutable_sparse_tensors(static_cast<int>(i)));
    }
    return {};
  }

  Status Fill(const Attribute::Graphs& values) {
    SetType(AttributeProto::GRAPHS);
    for (const Attribute::GraphPtr& graph : values) {
      DRAGOMAN_TRY(FillGraph(*graph, context_, message_.add_graphs()));
    }
    return {};
  }

  Status Fill(const Attribute::Types& values) {
    SetType(AttributeProto::TYPE_PROTOS);
    FitSize(values.size(), message_.mutable_type_protos());
    for (std::size_t i = 0; i < values.size(); ++i) {
      DRAGOMAN_TRY(FillType(values[i], message_.mutable_type_protos(static_cast<int>(i))));
    }
    return {};
  }

  // The message itself, which had no typed form.
  Status Fill(const Attribute::Dict& fields) {
    return FillFromDict(fields, &context_->bulk, &message_);
  }

  template <class T>
  Status Fill(const T&) {
    return Unsupported("attribute " + Quote(attribute_.name) + " is a " +
                       std::string(Name(attribute_.value.kind())) + ", which ONNX does not have");
  }

  const NamedAttribute& attribute_;
  WriteContext* context_;
  AttributeProto& message_;
  Encodings encodings_;
};

}  // namespace

Status FillAttribute(const NamedAttribute& attribute, WriteContext* context,
                     AttributeProto* message) {
  return AttributeWriter(attribute, context, message).Write();
}

}  // namespace dragoman::onnx_writer
