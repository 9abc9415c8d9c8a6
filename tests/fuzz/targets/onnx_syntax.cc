// SPDX-License-Identifier: Apache-2.0
// Bytes as a model in ONNX's own text: what is read and can be printed is read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "exporters/onnx/print_syntax.h"
#include "importers/onnx/parse_syntax.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::onnx_pb::ModelProto model;
  if (!dragoman::ParseOnnxSyntax(std::as_bytes(std::span(data, size)), &model).ok()) return 0;
  const auto text = dragoman::onnx_writer::PrintOnnxSyntax(model);
  if (!text.ok()) return 0;
  dragoman::onnx_pb::ModelProto again;
  if (!dragoman::ParseOnnxSyntax(std::as_bytes(std::span(text->text)), &again).ok()) std::abort();
  return 0;
}
