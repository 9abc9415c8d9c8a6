// SPDX-License-Identifier: Apache-2.0
// Models and graphs: Model, Graph, Node, Value; their text form, and the verifier.
//
//     for (const Node& node : model.main().nodes())
//       for (const Use& operand : node.operands()) …
#ifndef DRAGOMAN_GRAPH_H_
#define DRAGOMAN_GRAPH_H_

#include "core/ir/graph.h"
#include "core/ir/model.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"

#endif  // DRAGOMAN_GRAPH_H_
