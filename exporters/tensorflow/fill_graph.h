// SPDX-License-Identifier: Apache-2.0
// Graphs and functions as messages of TensorFlow.
#ifndef DRAGOMAN_EXPORTERS_TENSORFLOW_FILL_GRAPH_H_
#define DRAGOMAN_EXPORTERS_TENSORFLOW_FILL_GRAPH_H_

#include "core/ir/model.h"
#include "core/support/result.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman::tf_writer {

// The main graph and the library of `model`. Errors: there is no main graph; nodes and operands
// that have no name in TensorFlow.
Status FillGraphDef(const Model& model, tf_pb::GraphDef* message);

// The signatures that the entries of `model` are.
Status FillSignatures(const Model& model, tf_pb::MetaGraphDef* message);

// Entries "tf.<field>" of `extra` into the fields of `message` that are not a typed part of the
// model.
Status FillRest(const Extra& extra, google::protobuf::Message* message);

}  // namespace dragoman::tf_writer

#endif  // DRAGOMAN_EXPORTERS_TENSORFLOW_FILL_GRAPH_H_
