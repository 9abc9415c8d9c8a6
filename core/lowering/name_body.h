// SPDX-License-Identifier: Apache-2.0
// Bodies that a lowering makes by hand.
#ifndef DRAGOMAN_CORE_LOWERING_NAME_BODY_H_
#define DRAGOMAN_CORE_LOWERING_NAME_BODY_H_

#include "core/analysis/builder.h"
#include "core/ir/graph.h"

namespace dragoman {

// Gives the values of `body`, which was built with names of its own, names that differ from all
// others of the model. Bodies within it are not looked at.
void NameInModel(Graph& body, GraphBuilder& model);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_NAME_BODY_H_
