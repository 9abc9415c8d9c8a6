// SPDX-License-Identifier: Apache-2.0
// Parts of a common model by the values at their borders, for CutModel (core/rewrite/cut.h).
#ifndef DRAGOMAN_CORE_EDIT_PARTS_H_
#define DRAGOMAN_CORE_EDIT_PARTS_H_

#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// The values that a part reads and gives, by name.
struct ModelPart {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

// The nodes whose names begin with `scope` and a slash, or a dot. Errors: there are none.
Result<ModelPart> PartOfScope(const Model& model, const std::string& scope);

// Parts that follow one another: the first computes the values of the first border, the second
// those of the second from what the first gives, and so on; the last computes the rest. Each also
// gives what later ones read of it, and the outputs of the model that it computes. Errors: a value
// that does not exist; a part without nodes.
Result<std::vector<ModelPart>> PartsAt(const Model& model,
                                       const std::vector<std::vector<std::string>>& borders);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_EDIT_PARTS_H_
