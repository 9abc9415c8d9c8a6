// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/signatures.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/node_attributes.h"
#include "core/ir/producer.h"
#include "core/support/text.h"
#include "importers/tensorflow/graph/entries.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/graph/guarded.h"
#include "proto/message_dict.h"
#include "proto/tensorflow/extra.h"
#include "proto/tensorflow/signature_codec.h"

namespace dragoman::tf_reader {
namespace {

constexpr std::string_view kDefaultSignature = "serving_default";
constexpr std::string_view kInitSignature = "__saved_model_init_op";
constexpr std::string_view kTrainSignature = "__saved_model_train_op";
constexpr std::string_view kAssumedName = "main";

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

// Dumps of functions have numbered arguments and results in place of placeholders.
bool IsArgument(const Node& node) {
  return node.op().type == "_Arg" || node.op().type == "_DeviceArg";
}

bool IsReturned(const Node& node) {
  return node.op().type == "_Retval" || node.op().type == "_DeviceRetval";
}

// Made by TensorFlow's savers and optimisers, or for TensorBoard, beside what a model computes.
bool IsForTraining(const Node& node) {
  const std::string_view type = node.op().type;
  for (const std::string_view end : {"Summary", "SummaryV2", "ShardedFilename"}) {
    if (type.ends_with(end)) return true;
  }
  for (const std::string_view prefix : {"save/", "gradients/", "report_uninitialized"}) {
    if (node.name().starts_with(prefix)) return true;
  }
  return false;
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

// Arguments and results of the dump of a function, by their numbers.
struct NumberedPorts {
  std::map<std::int64_t, Port> arguments;
  std::map<std::int64_t, Port> returned;
};

// Whether `node` is one of them.
bool TakeNumbered(const Node& node, NumberedPorts* ports) {
  const std::int64_t number = IntAttribute(node, "index", 0);
  const Attribute* type = node.attribute("T");
  const Type stated = type != nullptr && type->As<Type>() != nullptr ? *type->As<Type>() : Type();
  if (IsArgument(node)) {
    if (HoldsElements(stated))
      ports->arguments.emplace(number,
                               Port{node.name(), tf::FullTensorName(node.name(), 0), stated, {}});
    return true;
  }
  if (!IsReturned(node)) return false;
  const Value* value = tf::NumDataOperands(node) > 0 ? node.operand(0) : nullptr;
  if (value == nullptr || value->producer() == nullptr) return true;
  const std::string tensor = tf::FullTensorName(value->producer()->name(), value->index());
  ports->returned.emplace(number, Port{node.name(), tensor, stated, {}});
  return true;
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
  const std::unordered_set<const Node*> guarded = GuardedNodes(graph);
  NumberedPorts numbered;
  for (const Node& node : graph.nodes()) {
    if (TakeNumbered(node, &numbered)) continue;
    if (IsLeftOver(node)) continue;
    // Nobody could feed a resource.
    const bool is_input = tf::IsPlaceholder(node) && HoldsElements(StatedType(node, 0));
    if (is_input) inputs.push_back(InputOf(node, producer));
    if (AnyResultUsed(node) || guarded.contains(&node)) continue;
    const bool computes =
        node.op().type != "Const" && !tf::IsPlaceholder(node) && !IsForTraining(node);
    AddResults(node, computes ? &outputs : &others);
  }
  if (graph.first_node() == nullptr) return InvalidInput("the graph has no nodes");
  for (auto& [number, port] : numbered.arguments) inputs.push_back(std::move(port));
  if (!numbered.returned.empty()) outputs.clear();
  for (auto& [number, port] : numbered.returned) outputs.push_back(std::move(port));
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

bool IsAssumedEntry(const Entry& entry) {
  const Extra* extra = entry.graph->extra_if_any();
  return extra != nullptr && Find(*extra, tf_extra::kAssumed) != nullptr;
}

}  // namespace dragoman
