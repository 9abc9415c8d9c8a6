// SPDX-License-Identifier: Apache-2.0
// Models in ONNX's own text (.onnxtxt), which docs/Syntax.md of ONNX defines:
//
//     <ir_version: 8, opset_import: ["": 17]>
//     net (float[n, 3] x) => (float[n, 3] y) { y = Relu (x) }
#ifndef DRAGOMAN_IMPORTERS_ONNX_PARSE_SYNTAX_H_
#define DRAGOMAN_IMPORTERS_ONNX_PARSE_SYNTAX_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "core/support/result.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman {

inline constexpr std::string_view kOnnxSyntaxSuffix = ".onnxtxt";

// Whether the text begins as such a model does: with "<" and a field of a ModelProto. Models
// without this head are only known by their suffix.
bool IsOnnxSyntax(std::span<const std::byte> file);

// Errors name line and column.
Status ParseOnnxSyntax(std::span<const std::byte> text, onnx_pb::ModelProto* model);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_PARSE_SYNTAX_H_
