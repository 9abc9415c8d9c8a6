// SPDX-License-Identifier: Apache-2.0
// GraphProto, NodeProto, AttributeProto and FunctionProto to Graph, Node, Attribute and Function.
//
// Names are resolved in the whole graph, then in the graphs around it: a node may stand before the
// one whose result it reads. Names that nothing defines, or that two things of one graph define,
// are noted in the context; the graph is then of no use. Messages are emptied as they are read.
// Graphs nest as deep as protobuf lets messages nest.
#ifndef DRAGOMAN_IMPORTERS_ONNX_READ_GRAPH_H_
#define DRAGOMAN_IMPORTERS_ONNX_READ_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/model.h"
#include "core/support/flat_map.h"
#include "importers/onnx/read_context.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_reader {

// The values that names mean in one graph.
class Scope {
 public:
  explicit Scope(const Scope* outer) : outer_(outer) {}

  void Reserve(std::size_t size) { index_.Reserve(size); }
  bool Define(Value* value);                 // false: the name is taken
  Value* Own(std::string_view name) const;   // nullptr: not here
  Value* Find(std::string_view name) const;  // here or further out; nullptr: nowhere

 private:
  const Scope* outer_;
  std::vector<Value*> values_;                // in order of definition
  FlatMap<HashedText, std::uint32_t> index_;  // the names are the values' own
  mutable std::size_t next_ = 0;              // after the value that was found last
};

// The contents of `message` into the empty `graph`.
Status ReadGraph(onnx_pb::GraphProto* message, const Scope* outer, const Place& place,
                 ReadContext& context, Graph* graph);

// The same for the main graph, of which `message` lacks what the context holds apart.
Status ReadMainGraph(onnx_pb::GraphProto* message, const Place& place, ReadContext& context,
                     Graph* graph);

Result<Function> ReadFunction(onnx_pb::FunctionProto* message, const Place& place,
                              ReadContext& context);

// An attribute of a node in `scope`.
Result<NamedAttribute> ReadAttribute(onnx_pb::AttributeProto* message, const Scope* scope,
                                     const Place& place, ReadContext& context);

// `entries` into domain and version; what is left of all of them is cleared if it is nothing.
std::vector<OpsetImport> TakeOpsets(
    google::protobuf::RepeatedPtrField<onnx_pb::OperatorSetIdProto>* entries);

}  // namespace dragoman::onnx_reader

#endif  // DRAGOMAN_IMPORTERS_ONNX_READ_GRAPH_H_
