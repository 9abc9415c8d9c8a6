// SPDX-License-Identifier: Apache-2.0
#include "exporters/tensorflow/fill_graph.h"

#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/find_as.h"
#include "core/support/text.h"
#include "proto/message_dict.h"
#include "proto/tensorflow/attr_codec.h"
#include "proto/tensorflow/extra.h"
#include "proto/tensorflow/signature_codec.h"
#include "proto/tensorflow/spelling.h"

namespace dragoman::tf_writer {
namespace {

bool IsMain(const OpName& op) {
  return op.dialect == tf_extra::kDialect && op.domain == tf_extra::kMainDomain &&
         op.type == tf_extra::kMainType;
}

bool IsControl(const Value* value) {
  return value != nullptr && value->type().kind() == Type::Kind::kControl;
}

Result<std::vector<std::string>> Spell(std::span<const Use> uses, bool in_body) {
  std::vector<std::string> names;
  for (const Use& use : uses) {
    std::optional<std::string> name = tf_codec::SpellReference(use.value(), in_body);
    if (!name) {
      return InvalidInput("number " + std::to_string(use.index()) + " of " +
                          (use.user() ? "the operands" : "the outputs") +
                          " has no name in TensorFlow");
    }
    names.push_back(std::move(*name));
  }
  return names;
}

Status FillNode(const Node& node, bool in_body, tf_pb::NodeDef* message) {
  const OpName& op = node.op();
  if (op.dialect != tf_extra::kDialect || !op.domain.empty() || !op.overload.empty()) {
    return InvalidInput("operator " + op.ToString() + " is none of TensorFlow");
  }
  if (node.name().empty()) return InvalidInput("a node of TensorFlow must have a name");
  if (const Extra* extra = node.extra_if_any()) DRAGOMAN_TRY(FillRest(*extra, message));
  message->set_name(node.name());
  message->set_op(op.type);
  DRAGOMAN_ASSIGN(std::vector<std::string> inputs, Spell(node.operands(), in_body));
  if (const auto* written =
          tf_codec::FindAsWritten(node.extra_if_any(), tf_extra::kInput, inputs)) {
    inputs = *written;
  }
  for (std::string& input : inputs) message->add_input(std::move(input));
  return tf_codec::EncodeAttrs(node.attributes(), message->mutable_attr());
}

Status FillNodes(const Graph& graph, bool in_body,
                 google::protobuf::RepeatedPtrField<tf_pb::NodeDef>* messages) {
  std::unordered_set<std::string_view> names;
  for (const Node& node : graph.nodes()) {
    Status status = FillNode(node, in_body, messages->Add());
    if (status.ok() && !names.insert(node.name()).second) {
      status = InvalidInput("there are two nodes of this name");
    }
    if (!status.ok()) return std::move(status).error().At(node.Describe());
  }
  if (!graph.constants().empty()) {
    return InvalidInput("constant %" + graph.constants().front()->name() +
                        " is not a node; a constant of TensorFlow is a tf.Const");
  }
  return {};
}

Status FillReturned(const Function& function, tf_pb::FunctionDef* message) {
  const Graph& graph = *function.graph;
  std::size_t count = graph.num_outputs();
  while (count > 0 && IsControl(graph.output(count - 1))) --count;
  DRAGOMAN_ASSIGN(std::vector<std::string> names, Spell(graph.outputs(), true));
  std::vector<std::string> returned(names.begin(),
                                    names.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<std::string> controls(names.begin() + static_cast<std::ptrdiff_t>(count),
                                    names.end());
  if (const auto* written = tf_codec::FindAsWritten(&function.extra, tf_extra::kRet, returned)) {
    returned = *written;
  }
  tf_pb::OpDef& signature = *message->mutable_signature();
  if (returned.size() != static_cast<std::size_t>(signature.output_arg_size())) {
    return InvalidInput("function " + Quote(function.op->type) + " has " +
                        std::to_string(returned.size()) + " outputs, its signature " +
                        std::to_string(signature.output_arg_size()));
  }
  for (std::size_t i = 0; i < returned.size(); ++i) {
    (*message->mutable_ret())[signature.output_arg(static_cast<int>(i)).name()] = returned[i];
  }
  const auto* keys = tf_codec::FindAsWritten(&function.extra, tf_extra::kControlRet, controls);
  for (std::size_t i = 0; i < controls.size(); ++i) {
    const std::string node = controls[i].substr(1);
    (*message->mutable_control_ret())[keys != nullptr ? (*keys)[i] : node] = node;
  }
  return {};
}

Status FillFunction(const Function& function, tf_pb::FunctionDef* message) {
  DRAGOMAN_TRY(FillRest(function.extra, message));
  tf_pb::OpDef& signature = *message->mutable_signature();
  signature.set_name(function.op->type);
  if (static_cast<std::size_t>(signature.input_arg_size()) != function.graph->num_inputs()) {
    return InvalidInput("function " + Quote(function.op->type) + " has " +
                        std::to_string(function.graph->num_inputs()) +
                        " arguments, its signature " + std::to_string(signature.input_arg_size()));
  }
  for (std::size_t i = 0; i < function.graph->num_inputs(); ++i) {
    signature.mutable_input_arg(static_cast<int>(i))->set_name(function.graph->input(i)->name());
  }
  DRAGOMAN_TRY(FillNodes(*function.graph, true, message->mutable_node_def()));
  DRAGOMAN_TRY(FillReturned(function, message));
  const auto* attributes = FindAs<Attribute::Dict>(&function.extra, tf_extra::kFunctionAttr);
  return attributes == nullptr ? Status()
                               : tf_codec::EncodeAttrs(*attributes, message->mutable_attr());
}

using Infos = google::protobuf::Map<std::string, tf_pb::TensorInfo>;

// One end of a signature. Several tensors may stand for one end: the first of them names all.
Status FillInfo(const Value& value, const std::string& tensor, Infos* infos) {
  const auto* written = FindAs<Attribute::Dict>(value.extra_if_any(), tf_extra::kTensorInfo);
  if (written == nullptr) {
    tf_codec::FillPlain(tensor, value.type(), &(*infos)[value.name()]);
    return {};
  }
  if (written->empty()) return {};
  tf_pb::TensorInfo info;
  DRAGOMAN_TRY(DictToMessage(*written, &info));
  const bool is_one = info.encoding_case() == tf_pb::TensorInfo::kName;
  const std::size_t end = is_one ? std::string::npos : value.name().rfind('.');
  (*infos)[value.name().substr(0, end)] = std::move(info);
  return {};
}

Status FillSignature(const Entry& entry, tf_pb::SignatureDef* message) {
  const Node* call = entry.graph->first_node();
  const Attribute* feeds = call == nullptr ? nullptr : call->attribute(tf_extra::kFeeds);
  const Attribute* fetches = call == nullptr ? nullptr : call->attribute(tf_extra::kFetches);
  if (call == nullptr || call->next() != nullptr || !IsMain(call->op()) ||
      call->num_operands() != entry.graph->num_inputs() ||
      call->num_results() != entry.graph->num_outputs()) {
    return InvalidInput("entry " + Quote(entry.name) + " is not one call of the main graph");
  }
  static const Attribute::Strings kNone;
  const auto* from = feeds == nullptr ? &kNone : feeds->As<Attribute::Strings>();
  const auto* to = fetches == nullptr ? &kNone : fetches->As<Attribute::Strings>();
  if (from == nullptr || to == nullptr || from->size() != call->num_operands() ||
      to->size() != call->num_results()) {
    return InvalidInput("entry " + Quote(entry.name) +
                        " feeds or fetches another number of tensors");
  }
  if (const auto* rest = FindAs<Attribute::Dict>(call->extra_if_any(), tf_extra::kSignature)) {
    DRAGOMAN_TRY(DictToMessage(*rest, message));
  }
  for (std::size_t i = 0; i < from->size(); ++i) {
    DRAGOMAN_TRY(FillInfo(*entry.graph->input(i), (*from)[i], message->mutable_inputs()));
  }
  for (std::size_t i = 0; i < to->size(); ++i) {
    DRAGOMAN_TRY(FillInfo(*call->result(i), (*to)[i], message->mutable_outputs()));
  }
  return {};
}

}  // namespace

Status FillRest(const Extra& extra, google::protobuf::Message* message) {
  for (const NamedAttribute& entry : extra) {
    if (!entry.name.starts_with(tf_extra::kPrefix)) continue;
    const std::string_view name = std::string_view(entry.name).substr(tf_extra::kPrefix.size());
    // What is not a field has a meaning of its own.
    const bool is_field = name == kUnknownFields ||
                          message->GetDescriptor()->FindFieldByName(std::string(name)) != nullptr;
    if (is_field) DRAGOMAN_TRY(SetField(name, entry.value, message));
  }
  return {};
}

Status FillGraphDef(const Model& model, tf_pb::GraphDef* message) {
  bool has_main = false;
  for (const Function& function : model.functions) {
    if (IsMain(*function.op)) {
      has_main = true;
      DRAGOMAN_TRY(FillRest(function.extra, message));
      DRAGOMAN_TRY(FillNodes(*function.graph, false, message->mutable_node()));
      continue;
    }
    DRAGOMAN_TRY(FillFunction(function, message->mutable_library()->add_function()));
  }
  if (!has_main) return InvalidInput("the model has no function tf:graph.main");
  for (const OpsetImport& opset : model.opsets) {
    if (opset.domain == tf_extra::kDialect) {
      message->mutable_versions()->set_producer(static_cast<std::int32_t>(opset.version));
    }
  }
  return {};
}

Status FillSignatures(const Model& model, tf_pb::MetaGraphDef* message) {
  for (const Entry& entry : model.entries) {
    if (FindAs<bool>(entry.graph->extra_if_any(), tf_extra::kAssumed) != nullptr) continue;
    DRAGOMAN_TRY(FillSignature(entry, &(*message->mutable_signature_def())[entry.name]));
  }
  return {};
}

}  // namespace dragoman::tf_writer
