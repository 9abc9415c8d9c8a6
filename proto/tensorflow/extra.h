// SPDX-License-Identifier: Apache-2.0
// What the TensorFlow reader leaves in the model, for lowering and for the TensorFlow writer.
//
// A GraphDef is a model whose main graph and library are functions
// (importers/tensorflow/README.md). What has a typed home goes there; what remains of a message is
// kept under the names of its fields, "tf.device", as proto/message_dict.h says: of a NodeDef in
// Node::extra, of a GraphDef in the extra of the main graph's Function, of a FunctionDef in its
// Function's, of MetaGraphDef and SavedModel in the model's under the keys below.
#ifndef DRAGOMAN_PROTO_TENSORFLOW_EXTRA_H_
#define DRAGOMAN_PROTO_TENSORFLOW_EXTRA_H_

#include <string_view>

namespace dragoman::tf_extra {

inline constexpr std::string_view kDialect = "tf";
inline constexpr std::string_view kPrefix = "tf.";

// The main graph's function: domain and type of its operator.
inline constexpr std::string_view kMainDomain = "graph";
inline constexpr std::string_view kMainType = "main";
// Attributes of its call in an entry: tensors "node:0" that the operands replace, and that the
// results are.
inline constexpr std::string_view kFeeds = "feeds";
inline constexpr std::string_view kFetches = "fetches";

// Of a node: its inputs as the file has them, where they are spelled in another way than the writer
// does. Of a function: the same of its outputs.
inline constexpr std::string_view kInput = "tf.as_written_input";
inline constexpr std::string_view kRet = "tf.as_written_ret";
// Of a function: the names of its control outputs, and its attributes (api_implements, …).
inline constexpr std::string_view kControlRet = "tf.as_written_control_ret";
inline constexpr std::string_view kFunctionAttr = "tf.attr_values";

// Of the model: there if the file is a MetaGraphDef, what remains of it; of the rest of a
// SavedModel, with the graphs that were not chosen; how many graphs came before the chosen one.
inline constexpr std::string_view kMetaGraph = "tf.meta_graph";
inline constexpr std::string_view kSavedModel = "tf.saved_model";
inline constexpr std::string_view kGraphNumber = "tf.graph_number";
// Of the model: a list of {path, contents}.
inline constexpr std::string_view kAssets = "tf.assets";
inline constexpr std::string_view kPath = "path";
inline constexpr std::string_view kContents = "contents";
// Of the model: {key = "state"} for tensors of the checkpoint whose key is not the State's name.
inline constexpr std::string_view kCheckpoint = "tf.checkpoint";
// Of the model: the node that prepares the graph for its first run.
inline constexpr std::string_view kInitOp = "tf.init_op";

// Of an entry's graph: that no signature of the file says it.
inline constexpr std::string_view kAssumed = "tf.assumed";
// Of an entry's call: what remains of the SignatureDef.
inline constexpr std::string_view kSignature = "tf.signature";
// Of an input or result of the call: its TensorInfo as the file has it, where it says more or less
// than name and type.
inline constexpr std::string_view kTensorInfo = "tf.tensor_info";

}  // namespace dragoman::tf_extra

#endif  // DRAGOMAN_PROTO_TENSORFLOW_EXTRA_H_
