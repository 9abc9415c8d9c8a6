// SPDX-License-Identifier: Apache-2.0
// What ONNX's own text (docs/Syntax.md of ONNX) calls element types and kinds of attributes: the
// names of the schema in small letters. Shared by its reader and its writer.
#ifndef DRAGOMAN_PROTO_ONNX_SYNTAX_WORDS_H_
#define DRAGOMAN_PROTO_ONNX_SYNTAX_WORDS_H_

#include <optional>
#include <string>
#include <string_view>

#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_syntax {

// nullopt: no such type.
std::optional<onnx_pb::TensorProto::DataType> ElementType(std::string_view word);
std::optional<onnx_pb::AttributeProto::AttributeType> AttributeType(std::string_view word);

// Empty: no such type, or none that the text can name.
std::string ElementWord(int type);
std::string AttributeWord(int type);

}  // namespace dragoman::onnx_syntax

#endif  // DRAGOMAN_PROTO_ONNX_SYNTAX_WORDS_H_
