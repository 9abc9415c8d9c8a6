// SPDX-License-Identifier: Apache-2.0
// Two models as one.
#ifndef DRAGOMAN_CORE_EDIT_MERGE_H_
#define DRAGOMAN_CORE_EDIT_MERGE_H_

#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

struct Connection {
  std::string output;  // of the first model
  std::string input;   // of the second
};

// The default entries of two common models, of which the second reads outputs of the first: with
// the inputs of the first and those of the second that are not connected, and the outputs of both
// that are not. None given: outputs and inputs of equal names. Names of the second that the first
// has get a number, and so do states. Errors: nothing to connect; types that do not fit.
Result<Model> MergeModels(const Model& first, const Model& second,
                          std::vector<Connection> connections);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_EDIT_MERGE_H_
