// SPDX-License-Identifier: Apache-2.0
// Common models as Python packages for PyTorch: modules, with weights in safetensors.
#ifndef DRAGOMAN_EXPORTERS_TORCH_WRITE_PACKAGE_H_
#define DRAGOMAN_EXPORTERS_TORCH_WRITE_PACKAGE_H_

#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "exporters/pt2/export_program.h"

namespace dragoman {

// A call of the default entry: its flat inputs and outputs, states excluded.
struct RecordedCall {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

// Writes the package into folder `path`: __init__.py, model.py, model.safetensors, check.py with
// check.safetensors, which has `calls`, and README.md. Further entries are methods; one that ATen
// cannot express is left out with a note. Errors: those of ExportProgram; a folder that
// OutputFolder refuses.
Status WriteTorchPackage(const Model& model, const std::string& path,
                         const std::vector<RecordedCall>& calls, const ExportNote& note = nullptr);

// model.py alone.
Result<std::string> PrintTorchModel(const Model& model, const ExportNote& note = nullptr);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_TORCH_WRITE_PACKAGE_H_
