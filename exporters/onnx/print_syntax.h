// SPDX-License-Identifier: Apache-2.0
// Models in ONNX's own text (.onnxtxt), which docs/Syntax.md of ONNX defines and
// importers/onnx/parse_syntax.h reads.
#ifndef DRAGOMAN_EXPORTERS_ONNX_PRINT_SYNTAX_H_
#define DRAGOMAN_EXPORTERS_ONNX_PRINT_SYNTAX_H_

#include <string>
#include <string_view>

#include "core/support/result.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_writer {

struct SyntaxText {
  std::string text;
  // What the text has no place for and nothing computes with: "12 doc strings, 3 denotations";
  // empty: nothing.
  std::string left_out;
};

// Unsupported, by name: what the text has no place for and a model needs, such as sparse constants,
// and operators whose names are not identifiers.
Result<SyntaxText> PrintOnnxSyntax(const onnx_pb::ModelProto& model);

}  // namespace dragoman::onnx_writer

#endif  // DRAGOMAN_EXPORTERS_ONNX_PRINT_SYNTAX_H_
