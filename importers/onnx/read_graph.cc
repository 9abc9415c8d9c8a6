// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/read_graph.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/support/hash.h"
#include "core/support/text.h"
#include "importers/onnx/messages.h"
#include "importers/onnx/take_tensor.h"
#include "importers/onnx/take_type.h"
#include "proto/onnx/extra.h"

namespace dragoman::onnx_reader {

using google::protobuf::RepeatedPtrField;
using onnx_pb::FunctionProto;
using onnx_pb::GraphProto;
using onnx_pb::NodeProto;
using onnx_pb::SparseTensorProto;
using onnx_pb::TensorProto;
using onnx_pb::ValueInfoProto;

bool Scope::Define(Value* value) {
  const auto number = static_cast<std::uint32_t>(values_.size());
  if (!index_.TryEmplace(HashedText(value->name()), number).second) return false;
  values_.push_back(value);
  return true;
}

// Files list outputs and types, and use results, mostly in the order of the nodes.
Value* Scope::Own(std::string_view name) const {
  if (next_ < values_.size() && values_[next_]->name() == name) return values_[next_++];
  const std::uint32_t* found = index_.Find(HashedText(name));
  if (found == nullptr) return nullptr;
  next_ = *found + std::size_t{1};
  return values_[*found];
}

Value* Scope::Find(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    if (Value* found = scope->Own(name)) return found;
  }
  return nullptr;
}

namespace {

// What distinguishes entries about one value.
std::uint64_t DigestOf(const ValueInfoProto& message) {
  return HashString(message.SerializeAsString());
}

// Whether no tensor is of both types, of which the first may say nothing.
bool Contradict(const Type& a, const Type& b) {
  if (!a.is_tensor() || !b.is_tensor() || a.dtype() == DType::kUnknown) return false;
  if (a.dtype() != b.dtype()) return true;
  if (a.shape() == nullptr || b.shape() == nullptr) return false;
  return !std::ranges::equal(*a.shape(), *b.shape(), [](const Dim& x, const Dim& y) {
    return x == y || !x.known() || !y.known();
  });
}

class GraphReader {
 public:
  GraphReader(const Scope* outer, const Place& place, ReadContext& context, Graph* graph)
      : place_(place), context_(context), graph_(*graph), scope_(outer) {}

  Status Read(GraphProto* message, GraphMessages messages);
  Status Read(FunctionProto* message, Function* function);

 private:
  // A name is defined once in a graph; "" is not a name.
  void Define(Value* value, const Place& place);
  std::string InGraph(const std::string& what) const;

  // The first entry for a value gives its type; later ones are compared with it.
  bool CanDescribe(const Value* value) const;
  void Describe(Value* value, ValueInfoProto* message);
  bool IsDescribedBy(const Value* value, const ValueInfoProto& message) const;

  void ReadInputs(RepeatedPtrField<ValueInfoProto>* inputs);
  // The input that initializer `name` is the default of, or a new constant.
  Value* InitializerValue(const std::string& name, const Place& place);
  Status ReadInitializers(RepeatedPtrField<TensorProto>* messages);
  Status ReadInitializer(TensorProto* message, Value* value, const Place& place);
  Status ReadSparseInitializers(RepeatedPtrField<SparseTensorProto>* messages);
  Status ReadSparseInitializer(SparseTensorProto* message, Value* value, const Place& place);
  void SetContents(Value* value, Type type, Attribute data);
  void KeepRest(Value* value, std::string_view key, const google::protobuf::Message& message,
                const std::vector<std::string>& encodings);
  Attribute Untyped(std::string_view key, const google::protobuf::Message& message) const;
  void KeepOrder(std::string_view key, const std::vector<const Value*>& order);

  void MakeNodes(Messages<NodeProto>& messages, int field);
  void ReadOutputs(Messages<ValueInfoProto>& outputs);
  void ReadFunctionOutputs(FunctionProto* message);
  void AddOutput(const std::string& name, const Place& place);
  void ReadValueInfo(Messages<ValueInfoProto>& entries);
  std::vector<const Value*> DescribedResults() const;
  Status ReadNodes(Messages<NodeProto>& messages, int field);
  Status ReadNode(NodeProto* message, const Place& place, Node* node);
  void ReadOperands(const NodeProto& message, const Place& place, Node* node);
  Status ReadAttributes(NodeProto* message, const Place& place, Node* node);
  Status ReadDefaults(FunctionProto* message, Function* function);

  const Place& place_;
  ReadContext& context_;
  Graph& graph_;
  Scope scope_;
  FlatMap<const Value*, std::uint64_t> descriptions_;  // digests of entries
  Type last_type_;  // that was described: equal ones in a row share one object
};

// What a tensor without typed form says of its type.
Type StatedType(const TensorProto& message) {
  const bool known = IsDTypeNumber(message.data_type());
  const DType dtype = known ? static_cast<DType>(message.data_type()) : DType::kUnknown;
  Shape shape;
  for (const std::int64_t size : message.dims())
    shape.push_back(size < 0 ? Dim::Unknown() : Dim(size));
  return Type::Tensor(dtype, std::move(shape));
}

Status GraphReader::Read(GraphProto* message, GraphMessages messages) {
  graph_.set_name(message->name());
  if (!message->name().empty()) message->clear_name();
  descriptions_.Reserve(static_cast<std::size_t>(message->input_size()) +
                        static_cast<std::size_t>(messages.outputs.size()) +
                        static_cast<std::size_t>(messages.value_info.size()));
  ReadInputs(message->mutable_input());
  DRAGOMAN_TRY(ReadInitializers(message->mutable_initializer()));
  DRAGOMAN_TRY(ReadSparseInitializers(message->mutable_sparse_initializer()));
  MakeNodes(messages.nodes, GraphProto::kNodeFieldNumber);
  ReadOutputs(messages.outputs);
  ReadValueInfo(messages.value_info);
  DRAGOMAN_TRY(ReadNodes(messages.nodes, GraphProto::kNodeFieldNumber));
  if (messages.nodes.damaged() || messages.outputs.damaged() || messages.value_info.damaged())
    return context_.Fail(place_, "the file is not an ONNX model");
  context_.Keep(*message, [this]() -> Extra& { return graph_.extra(); });
  return {};
}

Status GraphReader::Read(FunctionProto* message, Function* function) {
  for (int i = 0; i < message->input_size(); ++i) {
    Define(graph_.AddInput(message->input(i)), place_);
  }
  message->clear_input();
  Messages<NodeProto> nodes(message->mutable_node());
  Messages<ValueInfoProto> value_info(message->mutable_value_info());
  MakeNodes(nodes, FunctionProto::kNodeFieldNumber);
  ReadFunctionOutputs(message);
  ReadValueInfo(value_info);
  DRAGOMAN_TRY(ReadNodes(nodes, FunctionProto::kNodeFieldNumber));
  return ReadDefaults(message, function);
}

void GraphReader::Define(Value* value, const Place& place) {
  if (value->name().empty() || scope_.Define(value)) return;
  const std::string by = value->producer() ? ", last by " + value->producer()->Describe() : "";
  context_.Note(place, InGraph("defines value " + Quote(value->name()) + " twice" + by));
}

std::string GraphReader::InGraph(const std::string& what) const {
  return (graph_.name().empty() ? "the graph " : "graph " + Quote(graph_.name()) + " ") + what;
}

// The type of a constant is its tensor's, and values of outer graphs are described there.
bool GraphReader::CanDescribe(const Value* value) const {
  return value != nullptr && value->graph() == &graph_ && !value->is_constant() &&
         !descriptions_.contains(value);
}

void GraphReader::Describe(Value* value, ValueInfoProto* message) {
  descriptions_.TryEmplace(value, DigestOf(*message));
  if (message->has_type()) {
    Type type = TakeType(message->mutable_type());
    if (!(type == last_type_)) last_type_ = std::move(type);
    value->set_type(last_type_);
    if (value->type().known() && IsEmpty(message->type())) message->clear_type();
  }
  if (!message->name().empty()) message->clear_name();
  const bool untyped_result = value->producer() != nullptr && !value->type().known();
  if (IsEmpty(*message) && !untyped_result) return;
  value->extra().emplace_back(std::string(onnx_extra::kValueInfo), context_.Dict(*message));
}

bool GraphReader::IsDescribedBy(const Value* value, const ValueInfoProto& message) const {
  const std::uint64_t* found = descriptions_.Find(value);
  return found != nullptr && *found == DigestOf(message);
}

void GraphReader::ReadInputs(RepeatedPtrField<ValueInfoProto>* inputs) {
  for (int i = 0; i < inputs->size(); ++i) {
    Value* value = graph_.AddInput(inputs->Get(i).name());
    Describe(value, inputs->Mutable(i));
    Define(value, {&place_, GraphProto::kInputFieldNumber, i});
  }
  inputs->Clear();
}

Value* GraphReader::InitializerValue(const std::string& name, const Place& place) {
  Value* value = scope_.Own(name);
  if (value != nullptr && value->kind() == Value::Kind::kInput && value->data() == nullptr)
    return value;
  value = graph_.AddConstant(name, Tensor());
  Define(value, place);
  return value;
}

Status GraphReader::ReadInitializers(RepeatedPtrField<TensorProto>* messages) {
  std::vector<const Value*> order;
  for (int i = 0; i < messages->size(); ++i) {
    const Place place{&place_, GraphProto::kInitializerFieldNumber, i};
    Value* value = InitializerValue(messages->Get(i).name(), place);
    DRAGOMAN_TRY(ReadInitializer(messages->Mutable(i), value, place));
    order.push_back(value);
  }
  messages->Clear();
  KeepOrder(onnx_extra::kInitializer, order);
  return {};
}

Status GraphReader::ReadInitializer(TensorProto* message, Value* value, const Place& place) {
  std::vector<std::string> encodings;
  DRAGOMAN_ASSIGN(std::optional<Tensor> tensor, TakeTensor(message, place, context_, &encodings));
  if (!tensor) {
    SetContents(value, StatedType(*message), Untyped(onnx_extra::kUntypedInitializer, *message));
    return {};
  }
  const Type& declared = value->type();
  if (Contradict(declared, tensor->type())) {
    context_.Note(place,
                  InGraph("declares input " + Quote(value->name()) + " as " + declared.ToString() +
                          ", and initialises it with " + tensor->type().ToString()));
  }
  SetContents(value, tensor->type(), *tensor);
  if (!message->name().empty()) message->clear_name();
  KeepRest(value, onnx_extra::kInitializer, *message, encodings);
  return {};
}

Status GraphReader::ReadSparseInitializers(RepeatedPtrField<SparseTensorProto>* messages) {
  std::vector<const Value*> order;
  for (int i = 0; i < messages->size(); ++i) {
    const Place place{&place_, GraphProto::kSparseInitializerFieldNumber, i};
    Value* value = InitializerValue(messages->Get(i).values().name(), place);
    DRAGOMAN_TRY(ReadSparseInitializer(messages->Mutable(i), value, place));
    order.push_back(value);
  }
  messages->Clear();
  KeepOrder(onnx_extra::kSparseInitializer, order);
  return {};
}

Status GraphReader::ReadSparseInitializer(SparseTensorProto* message, Value* value,
                                          const Place& place) {
  std::vector<std::string> encodings;
  DRAGOMAN_ASSIGN(std::optional<SparseTensor> tensor,
                  TakeSparseTensor(message, place, context_, &encodings));
  if (!tensor) {
    SetContents(value, Type(), Untyped(onnx_extra::kUntypedSparseInitializer, *message));
    return {};
  }
  Shape shape(tensor->sizes.begin(), tensor->sizes.end());
  SetContents(value, Type::SparseTensor(tensor->values.dtype(), std::move(shape)), *tensor);
  if (!message->values().name().empty()) message->mutable_values()->clear_name();
  if (IsEmpty(message->values())) message->clear_values();
  KeepRest(value, onnx_extra::kSparseInitializer, *message, encodings);
  return {};
}

void GraphReader::SetContents(Value* value, Type type, Attribute data) {
  if (value->is_constant()) value->set_type(std::move(type));
  value->set_data(std::move(data));
}

void GraphReader::KeepRest(Value* value, std::string_view key,
                           const google::protobuf::Message& message,
                           const std::vector<std::string>& encodings) {
  Extra rest;
  if (!IsEmpty(message)) rest.emplace_back(std::string(key), context_.Dict(message));
  AppendEncodings(encodings, &rest);
  if (!rest.empty()) value->extra().insert(value->extra().end(), rest.begin(), rest.end());
}

Attribute GraphReader::Untyped(std::string_view key,
                               const google::protobuf::Message& message) const {
  Attribute::Dict dict;
  dict.emplace_back(std::string(key), context_.Dict(message));
  return dict;
}

void GraphReader::KeepOrder(std::string_view key, const std::vector<const Value*>& order) {
  const std::unordered_set<const Value*> listed(order.begin(), order.end());
  std::vector<const Value*> usual;
  for (const auto& input : graph_.inputs()) {
    if (listed.contains(input.get())) usual.push_back(input.get());
  }
  for (const auto& constant : graph_.constants()) {
    if (listed.contains(constant.get())) usual.push_back(constant.get());
  }
  if (usual == order) return;
  Attribute::Strings names;
  for (const Value* value : order) names.push_back(value->name());
  graph_.extra().emplace_back(std::string(key), std::move(names));
}

void GraphReader::MakeNodes(Messages<NodeProto>& messages, int field) {
  scope_.Reserve(graph_.num_inputs() + graph_.constants().size() +
                 static_cast<std::size_t>(messages.size()));
  for (int i = 0; i < messages.size(); ++i) {
    const NodeProto& message = *messages.Get(i);
    if (message.op_type().empty())
      context_.Note({&place_, field, i}, InGraph("has a node without an operator"));
    const OpName* op = InternOp("onnx", message.op_type(), message.domain(), message.overload());
    Node* node = graph_.Append(op, {}, message.name());
    for (const std::string& name : message.output()) {
      if (name.empty()) {
        node->AddOmittedResult();
      } else {
        Define(node->AddResult(name), {&place_, field, i});
      }
    }
  }
}

void GraphReader::AddOutput(const std::string& name, const Place& place) {
  Value* value = scope_.Find(name);
  if (value == nullptr && !name.empty()) {
    context_.Note(place, InGraph("has no value " + Quote(name) + ", which is one of its outputs"));
  }
  graph_.AddOutput(value);
}

void GraphReader::ReadOutputs(Messages<ValueInfoProto>& outputs) {
  std::map<std::size_t, Attribute::Dict> unusual;
  for (int i = 0; i < outputs.size(); ++i) {
    ValueInfoProto* message = outputs.Get(i);
    AddOutput(message->name(), {&place_, GraphProto::kOutputFieldNumber, i});
    const auto index = static_cast<std::size_t>(i);
    Value* value = graph_.output(index);
    if (CanDescribe(value)) {
      Describe(value, message);
    } else if (!IsDescribedBy(value, *message)) {
      unusual.emplace(index, context_.Dict(*message));
    }
  }
  outputs.Clear();
  if (unusual.empty()) return;
  Attribute::List entries(graph_.num_outputs(), Attribute::Dict());
  for (auto& [index, entry] : unusual) entries[index] = std::move(entry);
  graph_.extra().emplace_back(std::string(onnx_extra::kOutput), std::move(entries));
}

void GraphReader::ReadFunctionOutputs(FunctionProto* message) {
  for (const std::string& name : message->output()) AddOutput(name, place_);
  message->clear_output();
}

void GraphReader::ReadValueInfo(Messages<ValueInfoProto>& messages) {
  if (messages.size() == 0) return;
  Attribute::List entries;
  std::vector<const Value*> order;
  for (int i = 0; i < messages.size(); ++i) {
    ValueInfoProto& message = *messages.Get(i);
    Value* value = scope_.Own(message.name());
    if (CanDescribe(value)) {
      entries.emplace_back(message.name());
      Describe(value, &message);
    } else if (IsDescribedBy(value, message)) {
      entries.emplace_back(message.name());
    } else {
      entries.emplace_back(context_.Dict(message));
      value = nullptr;
    }
    order.push_back(value);
  }
  messages.Clear();
  if (order == DescribedResults()) return;
  graph_.extra().emplace_back(std::string(onnx_extra::kValueInfo), std::move(entries));
}

std::vector<const Value*> GraphReader::DescribedResults() const {
  std::vector<const Value*> results;
  for (const Node& node : graph_.nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      const Value* result = node.result(i);
      // Only outputs are uses as yet.
      if (descriptions_.contains(result) && !result->used()) results.push_back(result);
    }
  }
  return results;
}

Status GraphReader::ReadNodes(Messages<NodeProto>& messages, int field) {
  int index = 0;
  for (Node& node : graph_.nodes()) {
    const Place place{&place_, field, index};
    DRAGOMAN_TRY(ReadNode(messages.Get(index), place, &node));
    ++index;
  }
  messages.Clear();
  return {};
}

Status GraphReader::ReadNode(NodeProto* message, const Place& place, Node* node) {
  ReadOperands(*message, place, node);
  DRAGOMAN_TRY(ReadAttributes(message, place, node));
  message->clear_input();
  message->clear_output();
  message->clear_attribute();
  if (!message->name().empty()) message->clear_name();
  if (!message->op_type().empty()) message->clear_op_type();
  if (!message->domain().empty()) message->clear_domain();
  if (!message->overload().empty()) message->clear_overload();
  context_.Keep(*message, [node]() -> Extra& { return node->extra(); });
  return {};
}

void GraphReader::ReadOperands(const NodeProto& message, const Place& place, Node* node) {
  for (int i = 0; i < message.input_size(); ++i) {
    const std::string& name = message.input(i);
    Value* value = scope_.Find(name);
    if (value == nullptr && !name.empty()) {
      context_.Note(place, InGraph("has no value " + Quote(name) + ", operand " +
                                   std::to_string(i) + " of " + node->Describe()));
    }
    node->AddOperand(value);
  }
}

Status GraphReader::ReadAttributes(NodeProto* message, const Place& place, Node* node) {
  std::unordered_set<std::string> names;
  for (int i = 0; i < message->attribute_size(); ++i) {
    const Place attribute_place{&place, NodeProto::kAttributeFieldNumber, i};
    DRAGOMAN_ASSIGN(NamedAttribute attribute, ReadAttribute(message->mutable_attribute(i), &scope_,
                                                            attribute_place, context_));
    if (!names.insert(attribute.name).second) {
      return context_.Fail(attribute_place,
                           node->Describe() + " has attribute " + Quote(attribute.name) + " twice");
    }
    node->AddAttribute(std::move(attribute));
  }
  return {};
}

Status GraphReader::ReadDefaults(FunctionProto* message, Function* function) {
  for (int i = 0; i < message->attribute_proto_size(); ++i) {
    const Place place{&place_, FunctionProto::kAttributeProtoFieldNumber, i};
    DRAGOMAN_ASSIGN(NamedAttribute attribute,
                    ReadAttribute(message->mutable_attribute_proto(i), nullptr, place, context_));
    function->defaults.push_back(std::move(attribute));
  }
  message->clear_attribute_proto();
  return {};
}

}  // namespace

Status ReadGraph(GraphProto* message, const Scope* outer, const Place& place, ReadContext& context,
                 Graph* graph) {
  return GraphReader(outer, place, context, graph).Read(message, GraphMessages(message));
}

Status ReadMainGraph(GraphProto* message, const Place& place, ReadContext& context, Graph* graph) {
  return GraphReader(nullptr, place, context, graph)
      .Read(message, GraphMessages(context.reduced()));
}

Result<Function> ReadFunction(FunctionProto* message, const Place& place, ReadContext& context) {
  Function function;
  function.op = InternOp("onnx", message->name(), message->domain(), message->overload());
  if (!message->name().empty()) message->clear_name();
  if (!message->domain().empty()) message->clear_domain();
  if (!message->overload().empty()) message->clear_overload();
  function.attributes.assign(message->attribute().begin(), message->attribute().end());
  message->clear_attribute();
  function.opsets = TakeOpsets(message->mutable_opset_import());
  function.graph = std::make_unique<Graph>();
  DRAGOMAN_TRY(GraphReader(nullptr, place, context, function.graph.get()).Read(message, &function));
  context.Keep(*message, [&]() -> Extra& { return function.extra; });
  return function;
}

std::vector<OpsetImport> TakeOpsets(RepeatedPtrField<onnx_pb::OperatorSetIdProto>* entries) {
  std::vector<OpsetImport> opsets;
  for (auto& entry : *entries) {
    opsets.push_back({entry.domain(), entry.version()});
    if (!entry.domain().empty()) entry.clear_domain();
    if (entry.version() != 0) entry.clear_version();
  }
  ClearIfAllEmpty(entries);
  return opsets;
}

}  // namespace dragoman::onnx_reader
