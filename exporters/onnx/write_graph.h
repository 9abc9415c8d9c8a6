// SPDX-License-Identifier: Apache-2.0
// Graph, Node, Attribute and Function to their messages. Graphs recurse, at most kMaxGraphNesting
// deep.
#ifndef DRAGOMAN_EXPORTERS_ONNX_WRITE_GRAPH_H_
#define DRAGOMAN_EXPORTERS_ONNX_WRITE_GRAPH_H_

#include <vector>

#include "core/ir/graph.h"
#include "core/ir/model.h"
#include "exporters/onnx/write_context.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_writer {

Status FillGraph(const Graph& graph, WriteContext* context, onnx_pb::GraphProto* message);

Status FillFunction(const Function& function, WriteContext* context,
                    onnx_pb::FunctionProto* message);

Status FillAttribute(const NamedAttribute& attribute, WriteContext* context,
                     onnx_pb::AttributeProto* message);

void FillOpsets(const std::vector<OpsetImport>& opsets,
                google::protobuf::RepeatedPtrField<onnx_pb::OperatorSetIdProto>* entries);

}  // namespace dragoman::onnx_writer

#endif  // DRAGOMAN_EXPORTERS_ONNX_WRITE_GRAPH_H_
