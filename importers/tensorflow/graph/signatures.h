// SPDX-License-Identifier: Apache-2.0
// Entries of a model: a signature each, or one that is assumed for a GraphDef alone.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_SIGNATURES_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_SIGNATURES_H_

#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman::tf_reader {

// An entry for each signature with outputs, "serving_default" first, then by name; these are taken
// out of `meta_graph`. Errors: a signature names what the main graph does not have.
Status ReadSignatures(tf_pb::MetaGraphDef* meta_graph, Model* model);

// The entry "main": from the placeholders of the main graph, but for those that are left over, to
// what nothing in it reads, but for what only serves training and saving. Errors: there is no node.
Status AssumeEntry(Model* model);

// Names the node that prepares the graph, as signature or collection of `meta_graph` say.
void ReadInitOp(const tf_pb::MetaGraphDef& meta_graph, Model* model);

}  // namespace dragoman::tf_reader

namespace dragoman {

// Whether no signature of the file says the entry.
bool IsAssumedEntry(const Entry& entry);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_SIGNATURES_H_
