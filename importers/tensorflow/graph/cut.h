// SPDX-License-Identifier: Apache-2.0
// The default entry, cut at tensors of the main graph and of functions that it calls.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_CUT_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_CUT_H_

#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Makes the default entry go from the tensors `inputs` to the tensors `outputs`, of the main graph
// ("node", "node:1") or of a function that it calls ("call/node"); an empty list keeps what it has,
// as far as the outputs need it. What is cut off is never lowered. Errors: there is no such tensor.
Status CutTensorFlow(Model& source, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_CUT_H_
