// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/detect.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <string_view>

#include "core/support/bytes.h"
#include "core/support/wire_reader.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman {
namespace {

using google::protobuf::FieldDescriptor;

bool IsOfType(const FieldDescriptor& known, WireType found) {
  const bool is_number = known.cpp_type() == FieldDescriptor::CPPTYPE_INT64;
  return found == (is_number ? WireType::kVarint : WireType::kBytes);
}

constexpr std::string_view kBlanks = " \t\r\n";

// Whether `quoted` is a key somewhere in the JSON, not a value.
bool HasKey(std::string_view json, std::string_view quoted) {
  for (std::size_t at = json.find(quoted); at != json.npos; at = json.find(quoted, at + 1)) {
    const std::size_t behind = json.find_first_not_of(kBlanks, at + quoted.size());
    if (behind != json.npos && json[behind] == ':') return true;
  }
  return false;
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

std::optional<TextForm> OnnxTextForm(std::span<const std::byte> file) {
  constexpr std::size_t kHead = 4096;
  const std::string_view head = AsText(file.first(std::min(file.size(), kHead)));
  const std::size_t first = head.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return std::nullopt;
  const bool is_text = std::ranges::all_of(head, [&](char c) {
    return static_cast<unsigned char>(c) >= ' ' || kBlanks.find(c) != std::string_view::npos;
  });
  if (!is_text) return std::nullopt;
  if (head[first] == '{') {
    return HasKey(head, "\"ir_version\"") || HasKey(head, "\"irVersion\"")
               ? std::optional(TextForm::kJson)
               : std::nullopt;
  }
  // At the beginning of a line: fields of other messages are indented.
  const std::string_view text = head.substr(first);
  const bool leads =
      text.starts_with("ir_version:") || text.find("\nir_version:") != std::string_view::npos;
  return leads ? std::optional(TextForm::kTextFormat) : std::nullopt;
}

}  // namespace dragoman
