// SPDX-License-Identifier: Apache-2.0
// Writes source models of dialect tf as the files that they were read from: GraphDef, MetaGraphDef,
// SavedModel. Read again, what is written is equal field by field; maps have no order.
#ifndef DRAGOMAN_EXPORTERS_TENSORFLOW_WRITE_MODEL_H_
#define DRAGOMAN_EXPORTERS_TENSORFLOW_WRITE_MODEL_H_

#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Of a GraphDef, the file `path`, as text if it ends in ".pbtxt"; of a MetaGraphDef, the same and
// its checkpoint beside it; of a SavedModel, the folder `path`. Errors: a model of another dialect
// or level; a graph that was edited into something that the format cannot express, with the node.
Status WriteTensorFlow(const Model& model, const std::string& path);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_TENSORFLOW_WRITE_MODEL_H_
