// SPDX-License-Identifier: Apache-2.0
// Distinguishes an ONNX model from other files.
#ifndef DRAGOMAN_IMPORTERS_ONNX_DETECT_H_
#define DRAGOMAN_IMPORTERS_ONNX_DETECT_H_

#include <cstddef>
#include <optional>
#include <span>

#include "proto/text_message.h"

namespace dragoman {

// Whether the bytes are fields of a ModelProto, each of its type, a graph among them. A damaged
// model may be none.
bool IsOnnxModel(std::span<const std::byte> file);

// Whether the file is a ModelProto in protobuf's text format (.textproto) or JSON (.onnxjson): text
// that begins like a message and has a field of every ONNX model, ir_version, in its first 4096
// bytes.
std::optional<TextForm> OnnxTextForm(std::span<const std::byte> file);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_DETECT_H_
