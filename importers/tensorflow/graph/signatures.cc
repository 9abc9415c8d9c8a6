#include "importers/tensorflow/graph/signatures.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/support/text.h"
#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/graph/op_schema.h"
#include "proto/message_dict.h"
#include "proto/tensorflow/data_type.h"
#include "proto/tensorflow/extra.h"
#include "proto/tensorflow/signature_codec.h"

namespace dragoman::tf_reader {
namespace {

constexpr std::string_view kDefaultSignature = "serving_default";
constexpr std::string_view kInitSignature = "__saved_model_init_op";
constexpr std::string_view kTrainSignature = "__saved_model_train_op";
constexpr std::string_view kAssumedName = "main";

// One end of an entry.
struct Port {
  std::string name;
  std::string tensor;  // of the main graph, "node:0"
  Type type;
  Extra extra;
};

Entry MakeEntry(std::string name, std::vector<Port> inputs, std::vector<Port> outputs) {
  Entry entry;
  entry.name = std::move(name);
  entry.graph = std::make_unique<Graph>();
  entry.graph->set_name(entry.name);
  std::vector<Value*> operands;
  Attribute::Strings feeds;
  Attribute::Strings fetches;
  for (Port& port : inputs) {
    Value* value = entry.graph->AddInput(std::move(port.name), std::move(port.type));
    if (!port.extra.empty()) value->extra() = std::move(port.extra);
    operands.push_back(value);
    feeds.push_back(std::move(port.tensor));
  }
  Node* call = entry.graph->Append(tf::MainGraphOp(), operands);
  for (Port& port : outputs) {
    Value* value = call->AddResult(std::move(port.name), std::move(port.type));
    if (!port.extra.empty()) value->extra() = std::move(port.extra);
    entry.graph->AddOutput(value);
    fetches.push_back(std::move(port.tensor));
  }
  call->SetAttribute(tf_extra::kFeeds, std::move(feeds));
  call->SetAttribute(tf_extra::kFetches, std::move(fetches));
  return entry;
}

// The nodes of the main graph by name.
class Nodes {
 public:
  explicit Nodes(const Graph& graph) {
    for (const Node& node : graph.nodes()) nodes_.emplace(node.name(), &node);
  }
  const Node* Find(const std::string& name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string, const Node*> nodes_;
};

class SignatureReader {
 public:
  explicit SignatureReader(const Graph& graph) : nodes_(graph) {}

  Result<Entry> Read(const std::string& name, tf_pb::SignatureDef* signature) {
    DRAGOMAN_ASSIGN(std::vector<Port> inputs, Ports(name, signature->inputs()));
    DRAGOMAN_ASSIGN(std::vector<Port> outputs, Ports(name, signature->outputs()));
    signature->clear_inputs();
    signature->clear_outputs();
    Entry entry = MakeEntry(name, std::move(inputs), std::move(outputs));
    if (signature->ByteSizeLong() > 0) {
      entry.graph->first_node()->extra().emplace_back(std::string(tf_extra::kSignature),
                                                      MessageToDict(*signature));
    }
    return entry;
  }

 private:
  using Infos = google::protobuf::Map<std::string, tf_pb::TensorInfo>;

  Result<std::vector<Port>> Ports(const std::string& signature, const Infos& infos) {
    const std::map<std::string, const tf_pb::TensorInfo*> sorted = Sorted(infos);
    std::vector<Port> ports;
    for (const auto& [key, info] : sorted) {
      const std::vector<tf_codec::FlatInfo> parts = tf_codec::Flatten(key, *info);
      if (parts.empty()) {
        return Unsupported("signature " + Quote(signature) + " has " + Quote(key) +
                           ", which consists of no tensors");
      }
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const tf::TensorName tensor = tf::ParseTensorName(parts[i].tensor);
        if (nodes_.Find(tensor.node) == nullptr) {
          return InvalidInput("signature " + Quote(signature) + " names the tensor " +
                              Quote(parts[i].tensor) + ", whose node is not in the graph");
        }
        Port port{parts[i].name, tf::FullTensorName(tensor.node, tensor.index), parts[i].type, {}};
        tf_pb::TensorInfo plain;
        tf_codec::FillPlain(port.tensor, port.type, &plain);
        if (plain.SerializeAsString() != info->SerializeAsString()) {
          port.extra.emplace_back(std::string(tf_extra::kTensorInfo),
                                  i == 0 ? MessageToDict(*info) : Attribute::Dict());
        }
        ports.push_back(std::move(port));
      }
    }
    return ports;
  }

  static std::map<std::string, const tf_pb::TensorInfo*> Sorted(const Infos& infos) {
    std::map<std::string, const tf_pb::TensorInfo*> sorted;
    for (const auto& [key, info] : infos) sorted.emplace(key, &info);
    return sorted;
  }

  Nodes nodes_;
};

// The element type that the registry tells of result `index`, with the shape that the file tells.
Type TypeOfResult(const Node& node, std::size_t index) {
  const tf::OpSchema* schema = tf::FindOpSchema(node.op().type);
  std::size_t first = 0;
  for (const tf::ArgSchema& arg :
       schema == nullptr ? std::vector<tf::ArgSchema>() : schema->outputs) {
    const std::size_t count = tf::CountOf(node, arg).value_or(0);
    if (index >= first + count) {
      first += count;
      continue;
    }
    if (arg.is_ref) return Type::Opaque("tf", "ref");
    const bool is_list = !arg.type_list_attr.empty();
    const Attribute* attribute = tf::AttributeOf(node, is_list ? arg.type_list_attr : arg.type);
    const bool is_stated =
        !is_list && std::none_of(schema->attributes.begin(), schema->attributes.end(),
                                 [&](const tf::AttrSchema& attr) { return attr.name == arg.type; });
    if (is_stated) return tf::NamedType(arg.type);
    if (attribute == nullptr) return Type();
    if (!is_list) return attribute->As<Type>() != nullptr ? *attribute->As<Type>() : Type();
    const auto types = tf::AsTypes(*attribute);
    return types && index - first < types->size() ? (*types)[index - first] : Type();
  }
  return Type();
}

Type WithStatedShape(const Node& node, std::size_t index, Type type) {
  const Attribute* stated = node.attribute("_output_shapes");
  const auto shapes = stated == nullptr ? std::nullopt : tf::AsTypes(*stated);
  if (!shapes || index >= shapes->size() || !type.is_tensor()) return type;
  const Shape* shape = (*shapes)[index].shape();
  return shape == nullptr ? type : type.WithShape(*shape);
}

bool HoldsElements(const Type& type) {
  return !type.known() || (type.is_tensor() && type.dtype() != DType::kUnknown);
}

bool IsPlaceholder(const Node& node) {
  return node.op().type == "Placeholder" || node.op().type == "PlaceholderV2";
}

// Made by TensorFlow's savers and optimisers beside what a model computes.
bool IsForTraining(const Node& node) {
  for (const std::string_view prefix : {"save/", "gradients/", "report_uninitialized"}) {
    if (node.name().starts_with(prefix)) return true;
  }
  return false;
}

bool IsRead(const Node& node) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i)->used()) return true;
  }
  return false;
}

Type StatedType(const Node& node, std::size_t index) {
  return WithStatedShape(node, index, TypeOfResult(node, index));
}

void AddResults(const Node& node, std::vector<Port>* ports) {
  for (std::size_t i = 0; i < tf::NumDataResults(node); ++i) {
    Type type = StatedType(node, i);
    if (!HoldsElements(type)) continue;
    const std::string tensor = tf::FullTensorName(node.name(), i);
    ports->push_back({i == 0 ? node.name() : tensor, tensor, std::move(type), {}});
  }
}

// Graphs of producers before this say the shape [] where they mean that nothing is known.
constexpr std::int64_t kFirstScalarPlaceholders = 24;

Port InputOf(const Node& node, std::int64_t producer) {
  const Attribute* dtype = node.attribute("dtype");
  const Attribute* shape = node.attribute("shape");
  Type type = dtype != nullptr && dtype->As<Type>() != nullptr ? *dtype->As<Type>() : Type();
  const Type* sizes = shape == nullptr ? nullptr : shape->As<Type>();
  const Shape* known = sizes == nullptr ? nullptr : sizes->shape();
  if (known != nullptr && known->empty() && producer < kFirstScalarPlaceholders) known = nullptr;
  if (type.is_tensor() && known != nullptr) type = type.WithShape(*known);
  return {node.name(), tf::FullTensorName(node.name(), 0), std::move(type), {}};
}

}  // namespace

Status ReadSignatures(tf_pb::MetaGraphDef* meta_graph, Model* model) {
  auto& signatures = *meta_graph->mutable_signature_def();
  std::vector<std::string> names;
  for (const auto& [name, signature] : signatures) {
    const bool is_hook = name == kInitSignature || name == kTrainSignature;
    if (!is_hook && !name.empty() && !signature.outputs().empty()) names.push_back(name);
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a != kDefaultSignature, a) < std::pair(b != kDefaultSignature, b);
  });
  SignatureReader reader(*tf::MainGraph(*model)->graph);
  for (const std::string& name : names) {
    DRAGOMAN_ASSIGN(Entry entry, reader.Read(name, &signatures[name]));
    model->entries.push_back(std::move(entry));
    signatures.erase(name);
  }
  return {};
}

Status AssumeEntry(Model* model) {
  const Graph& graph = *tf::MainGraph(*model)->graph;
  const std::int64_t producer = model->OpsetVersion(tf_extra::kDialect).value_or(0);
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<Port> others;  // that are results if nothing better is there
  for (const Node& node : graph.nodes()) {
    if (IsPlaceholder(node)) inputs.push_back(InputOf(node, producer));
    if (IsRead(node)) continue;
    const bool computes = node.op().type != "Const" && !IsPlaceholder(node) && !IsForTraining(node);
    AddResults(node, computes ? &outputs : &others);
  }
  if (graph.first_node() == nullptr) return InvalidInput("the graph has no nodes");
  if (outputs.empty()) outputs = std::move(others);
  Entry entry = MakeEntry(std::string(kAssumedName), std::move(inputs), std::move(outputs));
  entry.graph->extra().emplace_back(std::string(tf_extra::kAssumed), true);
  model->entries.push_back(std::move(entry));
  return {};
}

void ReadInitOp(const tf_pb::MetaGraphDef& meta_graph, Model* model) {
  std::string name;
  const auto signature = meta_graph.signature_def().find(std::string(kInitSignature));
  if (signature != meta_graph.signature_def().end() && !signature->second.outputs().empty()) {
    name = signature->second.outputs().begin()->second.name();
  }
  for (const char* key : {"saved_model_main_op", "legacy_init_op"}) {
    const auto found = meta_graph.collection_def().find(key);
    if (!name.empty() || found == meta_graph.collection_def().end()) continue;
    if (found->second.node_list().value_size() > 0) name = found->second.node_list().value(0);
  }
  name = tf::ParseTensorName(name).node;
  if (!name.empty()) model->extra.emplace_back(std::string(tf_extra::kInitOp), std::move(name));
}

}  // namespace dragoman::tf_reader

namespace dragoman {
namespace {

using tf_reader::Port;

// What the entry has at present, by its call.
std::vector<Port> PresentPorts(const Node& call, std::string_view key, bool of_results) {
  const Attribute* attribute = call.attribute(key);
  const auto tensors = attribute == nullptr ? std::nullopt : tf::AsStrings(*attribute);
  std::vector<Port> ports;
  const std::size_t count = of_results ? call.num_results() : call.num_operands();
  for (std::size_t i = 0; tensors && i < tensors->size() && i < count; ++i) {
    const Value* value = of_results ? call.result(i) : call.operand(i);
    if (value != nullptr) ports.push_back({value->name(), (*tensors)[i], value->type(), {}});
  }
  return ports;
}

Result<std::vector<Port>> CutPorts(const tf_reader::Nodes& nodes,
                                   const std::vector<std::string>& names) {
  std::vector<Port> ports;
  for (const std::string& name : names) {
    const tf::TensorName tensor = tf::ParseTensorName(name);
    const Node* node = nodes.Find(tensor.node);
    if (node == nullptr || tensor.index >= tf::NumDataResults(*node)) {
      return InvalidInput("there is no tensor " + Quote(name) + " in the main graph");
    }
    ports.push_back({name,
                     tf::FullTensorName(tensor.node, tensor.index),
                     tf_reader::StatedType(*node, tensor.index),
                     {}});
  }
  return ports;
}

// The tensors of the main graph that `outputs` need, those of `inputs` included.
std::set<std::string> Needed(const tf_reader::Nodes& nodes, const std::vector<Port>& inputs,
                             const std::vector<Port>& outputs) {
  std::set<std::string> fed;
  for (const Port& port : inputs) fed.insert(port.tensor);
  std::set<std::string> needed;
  std::vector<const Value*> pending;
  for (const Port& port : outputs) {
    const tf::TensorName tensor = tf::ParseTensorName(port.tensor);
    if (const Node* node = nodes.Find(tensor.node)) pending.push_back(node->result(tensor.index));
  }
  std::unordered_set<const Node*> seen;
  while (!pending.empty()) {
    const Value* value = pending.back();
    pending.pop_back();
    const Node* node = value == nullptr ? nullptr : value->producer();
    if (node == nullptr) continue;
    const std::string tensor = tf::FullTensorName(node->name(), value->index());
    needed.insert(tensor);
    if (fed.contains(tensor) || !seen.insert(node).second) continue;
    for (const Use& operand : node->operands()) pending.push_back(operand.value());
  }
  return needed;
}

}  // namespace

bool IsAssumedEntry(const Entry& entry) {
  const Extra* extra = entry.graph->extra_if_any();
  return extra != nullptr && Find(*extra, tf_extra::kAssumed) != nullptr;
}

Status CutTensorFlow(Model& source, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs) {
  const Function* main = tf::MainGraph(source);
  Entry& entry = source.entries.front();
  const Node* call = entry.graph->first_node();
  if (main == nullptr || call == nullptr) return InvalidInput("the model has no main graph");
  const tf_reader::Nodes nodes(*main->graph);
  std::vector<Port> from = PresentPorts(*call, tf_extra::kFeeds, false);
  std::vector<Port> to = PresentPorts(*call, tf_extra::kFetches, true);
  if (!outputs.empty()) {
    DRAGOMAN_ASSIGN(to, CutPorts(nodes, outputs));
  }
  DRAGOMAN_ASSIGN(std::vector<Port> cut, CutPorts(nodes, inputs));
  for (Port& port : from) {
    const bool replaced = std::any_of(
        cut.begin(), cut.end(), [&](const Port& other) { return other.tensor == port.tensor; });
    if (!replaced) cut.push_back(std::move(port));
  }
  const std::set<std::string> needed = Needed(nodes, cut, to);
  std::erase_if(cut, [&](const Port& port) { return !needed.contains(port.tensor); });
  Entry made = tf_reader::MakeEntry(entry.name, std::move(cut), std::move(to));
  made.graph->extra().emplace_back(std::string(tf_extra::kAssumed), true);
  entry = std::move(made);
  return {};
}

}  // namespace dragoman
