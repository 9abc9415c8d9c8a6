// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/detect.h"

#include <google/protobuf/descriptor.h>

#include "core/support/wire_reader.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman {
namespace {

using google::protobuf::FieldDescriptor;

bool IsOfType(const FieldDescriptor& known, WireType found) {
  const bool is_number = known.cpp_type() == FieldDescriptor::CPPTYPE_INT64;
  return found == (is_number ? WireType::kVarint : WireType::kBytes);
}

}  // namespace

bool IsOnnxModel(std::span<const std::byte> file) {
  bool has_graph = false;
  WireReader reader(file);
  while (!reader.done()) {
    const Result<WireField> field = reader.Next(0);
    if (!field.ok()) return false;
    const FieldDescriptor* known =
        onnx_pb::ModelProto::descriptor()->FindFieldByNumber(static_cast<int>(field->number));
    if (known == nullptr || !IsOfType(*known, field->type)) return false;
    has_graph = has_graph || field->number == onnx_pb::ModelProto::kGraphFieldNumber;
  }
  return has_graph;
}

}  // namespace dragoman
