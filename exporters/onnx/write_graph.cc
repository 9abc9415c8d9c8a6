// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/write_graph.h"

#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/find_as.h"
#include "core/support/text.h"
#include "exporters/onnx/dict_to_message.h"
#include "exporters/onnx/fill_tensor.h"
#include "exporters/onnx/fill_type.h"
#include "proto/onnx/extra.h"

namespace dragoman::onnx_writer {
namespace {

using google::protobuf::RepeatedPtrField;
using onnx_pb::FunctionProto;
using onnx_pb::GraphProto;
using onnx_pb::NodeProto;
using onnx_pb::SparseTensorProto;
using onnx_pb::TensorProto;
using onnx_pb::ValueInfoProto;

constexpr std::array<std::string_view, 4> kGraphSpecial = {
    onnx_extra::kValueInfo, onnx_extra::kInitializer, onnx_extra::kSparseInitializer,
    onnx_extra::kOutput};

class GraphWriter {
 public:
  GraphWriter(const Graph& graph, WriteContext* context)
      : graph_(graph), context_(*context), extra_(graph.extra_if_any()) {}

  Status Write(GraphProto* message);
  Status Write(const Function& function, FunctionProto* message);

 private:
  const std::string& NameOf(const Value* value) const;
  Status FillValueInfo(const Value& value, ValueInfoProto* message);
  Status FillOutputs(RepeatedPtrField<ValueInfoProto>* messages);
  Status FillOutput(const Value* value, const Attribute* entry, ValueInfoProto* message);
  Status FillValueInfos(RepeatedPtrField<ValueInfoProto>* messages);
  std::vector<const Value*> DescribedResults() const;

  // Inputs with a default and constants for which `wanted` holds, in the order that `key` keeps.
  template <class Wanted>
  std::vector<const Value*> Initializers(std::string_view key, Wanted wanted) const;
  Status FillInitializers(GraphProto* message);
  Status FillInitializer(const Value& value, TensorProto* message);
  Status FillSparseInitializer(const Value& value, SparseTensorProto* message);

  Status FillNodes(RepeatedPtrField<NodeProto>* messages);
  Status FillNode(const Node& node, NodeProto* message);

  const Graph& graph_;
  WriteContext& context_;
  const Extra* extra_;
};

Status GraphWriter::Write(GraphProto* message) {
  DRAGOMAN_TRY(FillFromExtra(extra_, kGraphSpecial, &context_.bulk, message));
  if (!graph_.name().empty()) message->set_name(graph_.name());
  for (const auto& input : graph_.inputs())
    DRAGOMAN_TRY(FillValueInfo(*input, message->add_input()));
  DRAGOMAN_TRY(FillInitializers(message));
  DRAGOMAN_TRY(FillOutputs(message->mutable_output()));
  DRAGOMAN_TRY(FillNodes(message->mutable_node()));
  return FillValueInfos(message->mutable_value_info());
}

Status GraphWriter::Write(const Function& function, FunctionProto* message) {
  DRAGOMAN_TRY(FillFromExtra(&function.extra, {}, &context_.bulk, message));
  const OpName& op = *function.op;
  if (!op.type.empty()) message->set_name(op.type);
  if (!op.domain.empty()) message->set_domain(op.domain);
  if (!op.overload.empty()) message->set_overload(op.overload);
  for (const auto& input : graph_.inputs()) message->add_input(NameOf(input.get()));
  for (const Use& use : graph_.outputs()) message->add_output(NameOf(use.value()));
  for (const std::string& name : function.attributes) message->add_attribute(name);
  for (const NamedAttribute& attribute : function.defaults) {
    DRAGOMAN_TRY(FillAttribute(attribute, &context_, message->add_attribute_proto()));
  }
  FillOpsets(function.opsets, message->mutable_opset_import());
  DRAGOMAN_TRY(FillNodes(message->mutable_node()));
  return FillValueInfos(message->mutable_value_info());
}

const std::string& GraphWriter::NameOf(const Value* value) const {
  static const std::string kOmitted;
  return value == nullptr ? kOmitted : context_.names.Of(*value);
}

Status GraphWriter::FillValueInfo(const Value& value, ValueInfoProto* message) {
  if (const auto* rest = FindAs<Attribute::Dict>(value.extra_if_any(), onnx_extra::kValueInfo)) {
    DRAGOMAN_TRY(FillFromDict(*rest, &context_.bulk, message));
  }
  if (const std::string& name = NameOf(&value); !name.empty()) message->set_name(name);
  if (!value.type().known()) return {};
  Status filled = FillType(value.type(), message->mutable_type());
  if (!filled.ok()) filled.error().At("value " + Quote(message->name()));
  return filled;
}

Status GraphWriter::FillOutputs(RepeatedPtrField<ValueInfoProto>* messages) {
  const auto* entries = FindAs<Attribute::List>(extra_, onnx_extra::kOutput);
  const bool fits = entries != nullptr && entries->size() == graph_.num_outputs();
  for (std::size_t i = 0; i < graph_.num_outputs(); ++i) {
    DRAGOMAN_TRY(FillOutput(graph_.output(i), fits ? &(*entries)[i] : nullptr, messages->Add()));
  }
  return {};
}

Status GraphWriter::FillOutput(const Value* value, const Attribute* entry,
                               ValueInfoProto* message) {
  const auto* fields = entry == nullptr ? nullptr : entry->As<Attribute::Dict>();
  const bool as_value = fields == nullptr || fields->empty();
  if (as_value) return value == nullptr ? Status() : FillValueInfo(*value, message);
  DRAGOMAN_TRY(FillFromDict(*fields, &context_.bulk, message));
  if (value != nullptr) message->set_name(NameOf(value));
  return {};
}

std::vector<const Value*> GraphWriter::DescribedResults() const {
  std::unordered_set<const Value*> outputs;
  for (const Use& use : graph_.outputs()) outputs.insert(use.value());
  std::vector<const Value*> results;
  for (const Node& node : graph_.nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      const Value* result = node.result(i);
      if (result == nullptr || outputs.contains(result)) continue;
      const Extra* extra = result->extra_if_any();
      const bool described = extra != nullptr && Find(*extra, onnx_extra::kValueInfo) != nullptr;
      if (described || result->type().known()) results.push_back(result);
    }
  }
  return results;
}

Status GraphWriter::FillValueInfos(RepeatedPtrField<ValueInfoProto>* messages) {
  std::unordered_set<const Value*> listed;
  if (const auto* entries = FindAs<Attribute::List>(extra_, onnx_extra::kValueInfo)) {
    std::unordered_map<std::string_view, const Value*> values;
    for (const auto& input : graph_.inputs()) values.emplace(input->name(), input.get());
    for (const Node& node : graph_.nodes()) {
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        if (const Value* result = node.result(i)) values.emplace(result->name(), result);
      }
    }
    for (const Attribute& entry : *entries) {
      if (const auto* fields = entry.As<Attribute::Dict>()) {
        DRAGOMAN_TRY(FillFromDict(*fields, &context_.bulk, messages->Add()));
      } else if (const auto* name = entry.As<std::string>();
                 name != nullptr && values.contains(*name)) {
        listed.insert(values[*name]);
        DRAGOMAN_TRY(FillValueInfo(*values[*name], messages->Add()));
      }
    }
  }
  for (const Value* result : DescribedResults()) {
    if (!listed.contains(result)) DRAGOMAN_TRY(FillValueInfo(*result, messages->Add()));
  }
  return {};
}

// The message of an initializer without typed form.
const Attribute::Dict* Untyped(const Value& value, std::string_view key) {
  return FindAs<Attribute::Dict>(value.data()->As<Attribute::Dict>(), key);
}

template <class Wanted>
std::vector<const Value*> GraphWriter::Initializers(std::string_view key, Wanted wanted) const {
  std::vector<const Value*> values;
  for (const auto& input : graph_.inputs()) {
    if (input->data() != nullptr && wanted(*input)) values.push_back(input.get());
  }
  for (const auto& constant : graph_.constants()) {
    if (wanted(*constant)) values.push_back(constant.get());
  }
  const auto* order = FindAs<Attribute::Strings>(extra_, key);
  if (order == nullptr) return values;

  std::unordered_map<std::string_view, std::deque<const Value*>> by_name;
  for (const Value* value : values) by_name[value->name()].push_back(value);
  std::unordered_set<const Value*> placed;
  std::vector<const Value*> ordered;
  for (const std::string& name : *order) {
    auto found = by_name.find(name);
    if (found == by_name.end() || found->second.empty()) continue;
    ordered.push_back(found->second.front());
    placed.insert(found->second.front());
    found->second.pop_front();
  }
  for (const Value* value : values) {
    if (!placed.contains(value)) ordered.push_back(value);
  }
  return ordered;
}

Status GraphWriter::FillInitializers(GraphProto* message) {
  for (const auto& constant : graph_.constants()) {
    if (constant->data() != nullptr) continue;
    return InvalidInput("has no contents").At("constant " + Quote(constant->name()));
  }
  const auto is_sparse = [](const Value& value) {
    return value.sparse_tensor() != nullptr ||
           Untyped(value, onnx_extra::kUntypedSparseInitializer);
  };
  const auto is_dense = [&](const Value& value) { return !is_sparse(value); };
  for (const Value* value : Initializers(onnx_extra::kInitializer, is_dense)) {
    DRAGOMAN_TRY(FillInitializer(*value, message->add_initializer()));
  }
  for (const Value* value : Initializers(onnx_extra::kSparseInitializer, is_sparse)) {
    DRAGOMAN_TRY(FillSparseInitializer(*value, message->add_sparse_initializer()));
  }
  return {};
}

Status GraphWriter::FillInitializer(const Value& value, TensorProto* message) {
  const Extra* extra = value.extra_if_any();
  if (const auto* whole = Untyped(value, onnx_extra::kUntypedInitializer)) {
    DRAGOMAN_TRY(FillFromDict(*whole, &context_.bulk, message));
  } else if (value.tensor() == nullptr) {
    return Unsupported("constant " + Quote(value.name()) + " is a " +
                       std::string(Name(value.data()->kind())) + ", which ONNX does not have");
  } else {
    if (const auto* rest = FindAs<Attribute::Dict>(extra, onnx_extra::kInitializer)) {
      DRAGOMAN_TRY(FillFromDict(*rest, &context_.bulk, message));
    }
    FillTensor(*value.tensor(), Encodings(extra).Next(), &context_, message);
  }
  if (const std::string& name = NameOf(&value); !name.empty()) message->set_name(name);
  return {};
}

Status GraphWriter::FillSparseInitializer(const Value& value, SparseTensorProto* message) {
  const Extra* extra = value.extra_if_any();
  if (const auto* whole = Untyped(value, onnx_extra::kUntypedSparseInitializer)) {
    DRAGOMAN_TRY(FillFromDict(*whole, &context_.bulk, message));
  } else {
    if (const auto* rest = FindAs<Attribute::Dict>(extra, onnx_extra::kSparseInitializer)) {
      DRAGOMAN_TRY(FillFromDict(*rest, &context_.bulk, message));
    }
    Encodings encodings(extra);
    FillSparseTensor(*value.sparse_tensor(), &encodings, &context_, message);
  }
  if (const std::string& name = NameOf(&value); !name.empty())
    message->mutable_values()->set_name(name);
  return {};
}

Status GraphWriter::FillNodes(RepeatedPtrField<NodeProto>* messages) {
  for (const Node& node : graph_.nodes()) {
    Status filled = FillNode(node, messages->Add());
    if (filled.ok()) continue;
    filled.error().At(node.Describe());
    return filled;
  }
  return {};
}

Status GraphWriter::FillNode(const Node& node, NodeProto* message) {
  const OpName& op = node.op();
  const bool is_own = op.dialect == "dragoman";
  if (!is_own && op.dialect != "onnx") return Unsupported("ONNX has no operator " + op.ToString());
  DRAGOMAN_TRY(FillFromExtra(node.extra_if_any(), {}, &context_.bulk, message));
  for (const Use& use : node.operands()) message->add_input(NameOf(use.value()));
  for (std::size_t i = 0; i < node.num_results(); ++i) message->add_output(NameOf(node.result(i)));
  if (!node.name().empty()) message->set_name(node.name());
  if (!op.type.empty()) message->set_op_type(op.type);
  const std::string& domain = is_own ? op.dialect : op.domain;
  if (!domain.empty()) message->set_domain(domain);
  if (!op.overload.empty()) message->set_overload(op.overload);
  for (const NamedAttribute& attribute : node.attributes()) {
    DRAGOMAN_TRY(FillAttribute(attribute, &context_, message->add_attribute()));
  }
  return {};
}

}  // namespace

Status FillGraph(const Graph& graph, WriteContext* context, GraphProto* message) {
  return GraphWriter(graph, context).Write(message);
}

Status FillFunction(const Function& function, WriteContext* context, FunctionProto* message) {
  return GraphWriter(*function.graph, context).Write(function, message);
}

void FillOpsets(const std::vector<OpsetImport>& opsets,
                RepeatedPtrField<onnx_pb::OperatorSetIdProto>* entries) {
  FitSize(opsets.size(), entries);
  for (std::size_t i = 0; i < opsets.size(); ++i) {
    auto* entry = entries->Mutable(static_cast<int>(i));
    if (!opsets[i].domain.empty()) entry->set_domain(opsets[i].domain);
    if (opsets[i].version != 0) entry->set_version(opsets[i].version);
  }
}

}  // namespace dragoman::onnx_writer
