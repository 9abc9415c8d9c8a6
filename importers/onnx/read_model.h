// SPDX-License-Identifier: Apache-2.0
// Reads ONNX files into source graphs, losing nothing.
//
// Any IR version, operator set and domain: operators are not interpreted. A node becomes a Node of
// dialect "onnx" with the domain as written; local functions stand in Model::functions. Values keep
// their names; an omitted operand or result (name "") is nullptr. An initializer that is also an
// input is that input's data(), any other a constant. Value types come from input, output and
// value_info; dim_param is a symbol of that name. What has no place in the graph lies in `extra`
// (proto/onnx/extra.h), so that WriteOnnx writes an equal file.
//
// Models in protobuf's text format and JSON, and in ONNX's own text (parse_syntax.h), are read by
// their contents; places of errors after their syntax are those in the bytes that the text stands
// for.
//
// Weights are not copied: tensors are windows on the mapped file, or on the mapped files of
// external data.
#ifndef DRAGOMAN_IMPORTERS_ONNX_READ_MODEL_H_
#define DRAGOMAN_IMPORTERS_ONNX_READ_MODEL_H_

#include <optional>
#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

struct ReadOnnxOptions {
  // The folder that external data is confined to; nullopt: that of the model file.
  std::optional<std::string> data_folder;
  // false: a data file that cannot be opened is not an error. Its tensors are constants without
  // elements (a Dict), as are those of files from which the weights were taken; what computes with
  // them refuses.
  bool require_data = true;
};

// One entry, "main". Errors, with the file and the byte offset as their place: damaged files; no
// graph; names that nothing or two things of a graph define; two attributes of one name; tensors
// with another number of elements than their sizes say; external data that is missing, too short
// or outside of the folder.
Result<Model> ReadOnnx(const std::string& path, const ReadOnnxOptions& options = {});

// The same from memory, which the Model shares. Without data_folder, external data is an error.
Result<Model> ReadOnnxBytes(Buffer file, const ReadOnnxOptions& options = {});

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_READ_MODEL_H_
