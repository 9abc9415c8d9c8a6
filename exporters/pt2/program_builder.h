// SPDX-License-Identifier: Apache-2.0
// An entry of a common model as a program of torch.export.
#ifndef DRAGOMAN_EXPORTERS_PT2_PROGRAM_BUILDER_H_
#define DRAGOMAN_EXPORTERS_PT2_PROGRAM_BUILDER_H_

#include <cstddef>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "exporters/pt2/json.h"
#include "exporters/pt2/weights.h"

namespace dragoman::pt2 {

struct Program {
  Json json;  // the ExportedProgram but for versions
  std::vector<Weight> weights;
  // Which inputs and outputs of the entry's graph its arguments and results are.
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> outputs;
};

// Errors: unsupported, listing every node that ATen cannot express.
Result<Program> BuildProgram(const Model& model, Entry& entry);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_PROGRAM_BUILDER_H_
