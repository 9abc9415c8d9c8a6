// SPDX-License-Identifier: Apache-2.0
#include "proto/onnx/syntax_words.h"

#include <algorithm>

namespace dragoman::onnx_syntax {
namespace {

using onnx_pb::AttributeProto;
using onnx_pb::TensorProto;

char Small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char Capital(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// The name in the schema; empty for a word that is not in small letters.
std::string SchemaName(std::string_view word) {
  std::string name(word);
  if (std::ranges::any_of(name, [](char c) { return Small(c) != c; })) return {};
  std::ranges::transform(name, name.begin(), Capital);
  return name;
}

std::string Word(std::string name) {
  std::ranges::transform(name, name.begin(), Small);
  return name;
}

}  // namespace

std::optional<TensorProto::DataType> ElementType(std::string_view word) {
  TensorProto::DataType type = TensorProto::UNDEFINED;
  if (!TensorProto::DataType_Parse(SchemaName(word), &type)) return std::nullopt;
  return type == TensorProto::UNDEFINED ? std::nullopt : std::optional(type);
}

std::optional<AttributeProto::AttributeType> AttributeType(std::string_view word) {
  AttributeProto::AttributeType type = AttributeProto::UNDEFINED;
  if (!AttributeProto::AttributeType_Parse(SchemaName(word), &type)) return std::nullopt;
  return type == AttributeProto::UNDEFINED ? std::nullopt : std::optional(type);
}

std::string ElementWord(int type) {
  if (type == TensorProto::UNDEFINED || !TensorProto::DataType_IsValid(type)) return {};
  return Word(TensorProto::DataType_Name(static_cast<TensorProto::DataType>(type)));
}

std::string AttributeWord(int type) {
  if (type == AttributeProto::UNDEFINED || !AttributeProto::AttributeType_IsValid(type)) return {};
  return Word(AttributeProto::AttributeType_Name(static_cast<AttributeProto::AttributeType>(type)));
}

}  // namespace dragoman::onnx_syntax
