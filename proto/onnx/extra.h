// SPDX-License-Identifier: Apache-2.0
// What the ONNX reader leaves in `extra`, for the ONNX writer.
//
// What has a typed home in the graph goes there. What then remains of a message is kept under the
// names of its fields, "onnx.doc_string", in the order of the field numbers: a number or string as
// such, a message as a Dict of its own fields, raw_data as a u8 tensor, fields that the schema does
// not know as bytes under "unknown_fields". A list of messages that stands in `extra` beside a
// typed list (opset_import, metadata_props, tensors, …) says, element by element, what that list
// cannot.
//
// The writer leaves out a text that is empty, a number that is 0 and a type that is unknown; a
// field that is present all the same remains, so `onnx.name = ""` says that the file has an empty
// name.
//
// Where it lies: of a ModelProto in Model::extra; of a GraphProto in Graph::extra; of a
// FunctionProto in Function::extra; of a NodeProto in Node::extra; of an AttributeProto in
// NamedAttribute::extra; of a ValueInfoProto or an initializer in Value::extra, under the keys
// below.
//
// A message without typed form (an unknown element type, an attribute of two kinds, numbers beyond
// their element type) is a Dict in place of the value, and nothing of it remains.
#ifndef DRAGOMAN_PROTO_ONNX_EXTRA_H_
#define DRAGOMAN_PROTO_ONNX_EXTRA_H_

#include <cstdint>
#include <string_view>

namespace dragoman::onnx_extra {

inline constexpr std::string_view kPrefix = "onnx.";

// Of an attribute: the fields ("type", "f", "i", "s") that the file leaves out though the value has
// them. Of a model: "ir_version", which every file should have, where it has none.
inline constexpr std::string_view kAbsent = "onnx.absent";
// Of an attribute or initializer: per tensor, the field that holds its elements, "" for raw_data
// (string_data for strings), "none" if no field does. A sparse tensor counts as two: values,
// indices. Left out if all are "".
inline constexpr std::string_view kTensorEncoding = "onnx.tensor_encoding";
inline constexpr std::string_view kNoEncoding = "none";

// Of a value: what remains of its ValueInfoProto, a Dict. There, if empty, because the file names
// the value without a type.
//
// Of a graph: the list value_info where it is not all results of known type in the order of nodes,
// without the graph's outputs: a string names a value of the graph, a Dict is an entry that says
// something else.
inline constexpr std::string_view kValueInfo = "onnx.value_info";
// Of a value: what remains of its TensorProto or SparseTensorProto, a Dict.
//
// Of a graph: the names of its initializers where these are not first inputs, then constants, each
// in order.
inline constexpr std::string_view kInitializer = "onnx.initializer";
inline constexpr std::string_view kSparseInitializer = "onnx.sparse_initializer";
// Of a graph: its outputs, an empty Dict where the value itself says all, else the ValueInfoProto.
inline constexpr std::string_view kOutput = "onnx.output";

// The data of an initializer without typed form: a Dict of one of these and the message.
inline constexpr std::string_view kUntypedInitializer = "initializer";
inline constexpr std::string_view kUntypedSparseInitializer = "sparse_initializer";

// The metadata entry of a file made from a common model that has states: which outputs are the next
// values of which inputs, a JSON list of {"name", "input", "output", "initial"}, the initial value
// as an attribute in graph text.
inline constexpr std::string_view kStatesKey = "dragoman.states";

// Metadata of nodes that a dragoman.Fused was written as, in line and one after the other. Of each:
// the numbers of the groups that it is in, outer ones first, "2/5". Of the first node of group N,
// under kGroupOperandsKey and kGroupResultsKey followed by N: the operands, as places among the
// values that the nodes read and do not compute, in the order of their first use ("0 2"; a constant
// that is not listed belongs to the body), and the results, as places among those of all nodes.
inline constexpr std::string_view kGroupKey = "dragoman.group";
inline constexpr std::string_view kGroupOperandsKey = "dragoman.group.operands.";
inline constexpr std::string_view kGroupResultsKey = "dragoman.group.results.";
// The extra of a node that holds its metadata: a List of Dicts with a "key" and a "value".
inline constexpr std::string_view kNodeMetadata = "onnx.metadata_props";

inline constexpr int kMaxMessageNesting = 100;  // protobuf's limit

}  // namespace dragoman::onnx_extra

#endif  // DRAGOMAN_PROTO_ONNX_EXTRA_H_
