// SPDX-License-Identifier: Apache-2.0
// GraphDef and FunctionDef to graphs, losslessly.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_READ_GRAPH_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_READ_GRAPH_H_

#include "core/ir/model.h"
#include "core/support/result.h"
#include "importers/tensorflow/graph/known_ops.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman::tf_reader {

// Appends the main graph and the library to the functions of `model`. Takes `message` apart.
// Errors, all of a graph together: names that nothing or two nodes have, nodes without one; outputs
// that a node does not have; constants that DecodeTensor refuses.
Status ReadGraphDef(tf_pb::GraphDef* message, const tf_pb::OpList& other_ops, Model* model);

}  // namespace dragoman::tf_reader

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_READ_GRAPH_H_
