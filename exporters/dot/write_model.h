// SPDX-License-Identifier: Apache-2.0
// Writes models as Graphviz dot, to look at: entries, functions and subgraphs are clusters.
#ifndef DRAGOMAN_EXPORTERS_DOT_WRITE_MODEL_H_
#define DRAGOMAN_EXPORTERS_DOT_WRITE_MODEL_H_

#include <string>

#include "core/ir/model.h"

namespace dragoman {

// A box a node with its operator, its name and its short attributes; edges with the type of the
// value. Constants of few elements stand in the boxes of inputs, larger ones as their type. The
// same model gives the same text.
std::string PrintDot(const Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_DOT_WRITE_MODEL_H_
