// SPDX-License-Identifier: Apache-2.0
// Writes graphs as ONNX files.
//
// A source graph that ReadOnnx made becomes a file equal to the one it came from: the same message,
// as protobuf serialises it deterministically. What was changed in the graph is changed in the file
// and nothing else is. A common graph is written as it is; nodes of dialect "dragoman" get domain
// "dragoman".
//
// A path that ends with .textproto or .onnxjson gets protobuf's text format, or JSON, with all
// tensors inside; one that ends with .onnxtxt ONNX's own text (print_syntax.h).
//
// Tensor bytes go from where they lie straight to the file, so memory does not grow with the
// weights.
#ifndef DRAGOMAN_EXPORTERS_ONNX_WRITE_MODEL_H_
#define DRAGOMAN_EXPORTERS_ONNX_WRITE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

struct WriteOnnxOptions {
  enum class Data : std::uint8_t {
    // Tensors that came from data files go to files of the same names beside the output, at the
    // same offsets; the rest is in the model file, unless that passes `max_file_bytes`: then as
    // kExternal.
    kKeep,
    // All in the model file.
    kInline,
    // As kKeep, and tensors of `min_external_bytes` or more go to the data file "<output>.data".
    kExternal,
    // Tensors of `min_external_bytes` or more go to data files of ours, all others into the model
    // file, wherever they were.
    kBySize,
  };
  Data data = Data::kKeep;
  std::size_t min_external_bytes = 1024;
  bool file_each =
      false;  // a data file "<output>.<tensor>.data" for each tensor that gets into ours
  std::uint64_t max_file_bytes = INT32_MAX;  // what other readers take: protobuf's limit
  bool strict = false;                       // what would be a warning is an error
  std::function<void(std::string_view)> warn = nullptr;  // called with what a text form leaves out
};

// The files appear whole or not at all. A data file that is there already is replaced only if it is
// ours ("<output>.data", or with file_each "<output>.<tensor>.data"); any other must hold the same
// data, else InvalidInput.
//
// Unsupported, with the node or value: dialects other than onnx and dragoman; attributes and types
// that ONNX does not have; several entries; states; a model file over `max_file_bytes`.
Status WriteOnnx(const Model& model, const std::string& path, const WriteOnnxOptions& options = {});

// What WriteOnnx would refuse, without a file.
Status CheckOnnx(const Model& model);

// The bytes of the model file alone. Data files are not written: with kKeep the message says where
// tensors lay.
Result<std::string> WriteOnnxBytes(const Model& model, const WriteOnnxOptions& options = {});

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_WRITE_MODEL_H_
