// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/graph_names.h"

#include <algorithm>
#include <iterator>

#include "core/ir/find_as.h"
#include "core/support/text.h"
#include "proto/tensorflow/extra.h"

namespace dragoman::tf {
namespace {

const Attribute::Dict* Items(const Attribute& attribute) { return attribute.As<Attribute::Dict>(); }

void ReadContents(const Model& model, Asset* asset) {
  const auto* files = FindAs<Attribute::List>(model.extra, tf_extra::kAssets);
  if (files == nullptr) return;
  for (const Attribute& file : *files) {
    const Attribute::Dict* dict = Items(file);
    if (dict == nullptr || FindText(*dict, tf_extra::kPath) != asset->filename) continue;
    const Attribute* contents = Find(*dict, tf_extra::kContents);
    if (contents == nullptr || contents->tensor() == nullptr) continue;
    asset->contents = contents->tensor()->buffer();
    asset->present = true;
  }
}

// Names of anonymous resources: every node has its own.
bool IsAnonymous(std::string_view shared_name) {
  return shared_name == "cd2c89b7-88b7-44c8-ad83-06c2a9158347";
}

}  // namespace

const OpName* MainGraphOp() {
  static const OpName* const op =
      InternOp(tf_extra::kDialect, tf_extra::kMainType, tf_extra::kMainDomain);
  return op;
}

const Function* MainGraph(const Model& model) { return FindFunction(model, *MainGraphOp()); }

const Function* FindFunction(const Model& model, const OpName& op) {
  for (const Function& function : model.functions) {
    if (function.op == &op) return &function;
  }
  return nullptr;
}

bool IsControl(const Value* value) {
  return value != nullptr && value->type().kind() == Type::Kind::kControl;
}

std::size_t NumDataOperands(const Node& node) {
  std::size_t count = node.num_operands();
  while (count > 0 && IsControl(node.operand(count - 1))) --count;
  return count;
}

std::size_t NumDataResults(const Node& node) {
  const std::size_t count = node.num_results();
  return count > 0 && IsControl(node.result(count - 1)) ? count - 1 : count;
}

std::size_t NumDataOutputs(const Graph& graph) {
  std::size_t count = graph.num_outputs();
  while (count > 0 && IsControl(graph.output(count - 1))) --count;
  return count;
}

TensorName ParseTensorName(std::string_view text) {
  if (text.starts_with('^')) return {std::string(text.substr(1)), 0, true};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return {std::string(text)};
  const auto index = ParseInt64(text.substr(colon + 1));
  if (!index || *index < 0) return {std::string(text)};
  return {std::string(text.substr(0, colon)), static_cast<std::size_t>(*index)};
}

std::string FullTensorName(std::string_view node, std::size_t index) {
  return std::string(node) + ":" + std::to_string(index);
}

std::string VariableName(const Node& node) {
  const std::string shared_name = FindText(node.attributes(), "shared_name");
  const std::string container = FindText(node.attributes(), "container");
  const std::string name =
      shared_name.empty() || IsAnonymous(shared_name) ? node.name() : shared_name;
  return container.empty() ? name : container + ":" + name;
}

bool IsPlaceholder(const Node& node) {
  return node.op().type == "Placeholder" || node.op().type == "PlaceholderV2";
}

bool IsVariable(const Node& node) {
  const OpName& op = node.op();
  return op.dialect == kDialect && op.domain.empty() &&
         (op.type == "VarHandleOp" || op.type == "VariableV2" || op.type == "Variable");
}

std::string_view PlainType(const Node& node) {
  std::string_view type = node.op().type;
  if (type == "_SwitchN") return "Switch";
  if (type.starts_with("Ref") && type != "RefIdentity") type.remove_prefix(3);
  return type;
}

bool IsTable(const Node& node) {
  static constexpr std::string_view kTypes[] = {
      "HashTable",
      "HashTableV2",
      "MutableDenseHashTable",
      "MutableDenseHashTableV2",
      "MutableHashTable",
      "MutableHashTableOfTensors",
      "MutableHashTableOfTensorsV2",
      "MutableHashTableV2",
  };
  const OpName& op = node.op();
  return op.dialect == kDialect && op.domain.empty() &&
         std::find(std::begin(kTypes), std::end(kTypes), op.type) != std::end(kTypes);
}

std::string InitOp(const Model& model) { return FindText(model.extra, tf_extra::kInitOp); }

std::vector<Asset> Assets(const Model& model) {
  std::vector<Asset> assets;
  const auto* meta_graph = FindAs<Attribute::Dict>(model.extra, tf_extra::kMetaGraph);
  const auto* files = FindAs<Attribute::List>(meta_graph, "asset_file_def");
  if (files == nullptr) return assets;
  for (const Attribute& file : *files) {
    const Attribute::Dict* dict = Items(file);
    if (dict == nullptr) continue;
    const auto* info = FindAs<Attribute::Dict>(*dict, "tensor_info");
    Asset asset;
    asset.tensor = info == nullptr ? "" : FindText(*info, "name");
    asset.filename = FindText(*dict, "filename");
    ReadContents(model, &asset);
    assets.push_back(std::move(asset));
  }
  return assets;
}

}  // namespace dragoman::tf
