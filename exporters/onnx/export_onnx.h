// SPDX-License-Identifier: Apache-2.0
// Writes a common model as an ONNX file that any runtime runs.
#ifndef DRAGOMAN_EXPORTERS_ONNX_EXPORT_ONNX_H_
#define DRAGOMAN_EXPORTERS_ONNX_EXPORT_ONNX_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/model.h"
#include "core/ops/op_support.h"
#include "core/support/result.h"
#include "exporters/onnx/write_model.h"

namespace dragoman {

struct ExportOptions {
  std::optional<std::int64_t> opset;  // of ai.onnx; nullopt: the lowest that has all operators
  // That of the file that the model is from. Where `opset` is not set it is kept if its operators
  // express the model, else the lowest above that does is taken, with a warning that says why.
  std::optional<std::int64_t> kept_opset;
  bool lift_state = false;  // without the record of which outputs feed which inputs
  bool functions = false;   // groups as calls of model-local functions, not in line
  bool own_domain = false;  // nodes of domain dragoman for what ONNX lacks, which only we run
  bool strict = false;      // what would be a warning is an error
  std::function<void(std::string_view)> warn;  // called with what is left out
  WriteOnnxOptions file;                       // how the file is laid out
  // Given the model as it is written, before that; false: it is not.
  std::function<bool(const Model& written)> show = nullptr;
};

// Where neither a wanted nor a kept opset is given, the lowest from kUsualOpset on is taken that
// has every operator of the model that ai.onnx has at all. Operators of domain dragoman are written
// as the ONNX operators that they expand to: Linear as Gemm, or as MatMul and Add, Fused as the
// nodes of its body (inline_groups.h) or as the call of a model-local function. States become
// further inputs and outputs ("h", "h_out"), recorded in the metadata (kStatesKey of
// proto/onnx/extra.h) for our reader. Effects that ONNX cannot express are left out with a warning.
// Nodes are written in the form that `opset` asks for (lower_opset.h). Errors: unsupported, listing
// every operator that the wanted opset cannot express.
Status ExportOnnx(const Model& model, const std::string& path, const ExportOptions& options);

// The same without a file: its errors are those that ExportOnnx would have, but for what the file
// system says.
Status CheckExport(const Model& model, const ExportOptions& options);

// How a file has nodes of operator `def`, with some attributes at least.
OpSupport OnnxSupport(const OpDef& def);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_EXPORT_ONNX_H_
