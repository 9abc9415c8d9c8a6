// SPDX-License-Identifier: Apache-2.0
// An entry of a common model as a program of torch.export.
#ifndef DRAGOMAN_EXPORTERS_PT2_PROGRAM_BUILDER_H_
#define DRAGOMAN_EXPORTERS_PT2_PROGRAM_BUILDER_H_

#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "exporters/pt2/json.h"
#include "exporters/pt2/weights.h"

namespace dragoman::pt2 {

struct Program {
  Json json;  // the ExportedProgram but for versions
  std::vector<Weight> weights;
};

// Errors: unsupported, listing every node that ATen cannot express.
Result<Program> BuildProgram(const Model& model, Entry& entry);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_PROGRAM_BUILDER_H_
