// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/lower/tables.h"

#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/support/bytes.h"
#include "core/support/text.h"
#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/graph/calls.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/graph/op_schema.h"
#include "importers/tensorflow/lower/vocabulary.h"

namespace dragoman::tf {
namespace {

bool IsFilledFromFile(std::string_view op) {
  return op == "InitializeTableFromTextFile" || op == "InitializeTableFromTextFileV2";
}

// Nodes that fill a table with keys and values.
bool IsFilled(std::string_view op) {
  return op == "InitializeTable" || op == "InitializeTableV2" || op == "LookupTableImport" ||
         op == "LookupTableImportV2" || IsFilledFromFile(op);
}

DType TypeAttribute(const Node& node, std::string_view name) {
  const Attribute* attribute = AttributeOf(node, name);
  const std::optional<DType> dtype =
      attribute != nullptr ? AsDType(*attribute) : std::optional<DType>();
  return dtype.value_or(DType::kUnknown);
}

class TableReader {
 public:
  explicit TableReader(const Model& model) : model_(model), calls_(model) {
    const std::unordered_set<const Node*> reached = calls_.ReachedFromEntries();
    for (const Function& function : model.functions) {
      for (const Node& node : function.graph->nodes()) {
        if (!IsFilled(node.op().type) || node.num_operands() < 2 || reached.contains(&node))
          continue;
        const Node* table = calls_.TableOf(node.operand(0));
        if (table != nullptr) fillers_[VariableName(*table)].push_back(&node);
      }
    }
  }

  Result<TableContents> Read(const Node& table) {
    const std::string name = VariableName(table);
    const auto fillers = fillers_.find(name);
    if (fillers == fillers_.end())
      return Unsupported("nothing that runs before the entries fills table " + Quote(name));
    // What a checkpoint holds replaces what was there before.
    const Node* filler = fillers->second.front();
    int restored = 0;
    for (const Node* node : fillers->second) {
      if (RestoredKey(node->operand(1)) && restored++ == 0) filler = node;
    }
    if (restored > 1 || (restored == 0 && fillers->second.size() > 1))
      return Unsupported("several nodes fill table " + Quote(name));
    Result<TableContents> contents =
        IsFilledFromFile(filler->op().type) ? FromFile(*filler, table) : FromTensors(*filler);
    if (!contents.ok()) {
      for (Finding& finding : contents.error().findings())
        finding.message = "table " + Quote(name) + ": " + finding.message;
    }
    return contents;
  }

 private:
  Result<TableContents> FromTensors(const Node& filler) const {
    if (filler.num_operands() < 3) return InvalidInput("keys or values are missing");
    DRAGOMAN_ASSIGN(Tensor keys, Contents(filler.operand(1)));
    DRAGOMAN_ASSIGN(Tensor values, Contents(filler.operand(2)));
    if (values.rank() < 1 || values.sizes().front() != keys.size())
      return Unsupported("its values are not one for each key");
    return TableContents{keys.Reshaped({keys.size()}), std::move(values)};
  }

  // A constant, or what a checkpoint holds.
  Result<Tensor> Contents(const Value* value) const {
    if (const Tensor* constant = ConstantOf(value)) return *constant;
    const std::optional<std::string> key = RestoredKey(value);
    if (!key) return Unsupported("what it is filled with is not a constant");
    for (const State& state : model_.states) {
      if (state.name == *key && state.initial.tensor() != nullptr) return *state.initial.tensor();
    }
    return InvalidInput("the checkpoint has no tensor " + Quote(*key));
  }

  const Tensor* ConstantOf(const Value* value) const {
    const Value* origin = calls_.OriginOf(value);
    const Node* node = origin == nullptr ? nullptr : origin->producer();
    const Attribute* contents =
        node == nullptr || node->op().type != "Const" ? nullptr : node->attribute("value");
    return contents == nullptr ? nullptr : contents->tensor();
  }

  // The tensor of the checkpoint that `value` is.
  std::optional<std::string> RestoredKey(const Value* value) const {
    const Value* origin = calls_.OriginOf(value);
    const Node* node = origin == nullptr ? nullptr : origin->producer();
    if (node == nullptr || node->op().type != "RestoreV2" || node->num_operands() < 2)
      return std::nullopt;
    const Tensor* names = ConstantOf(node->operand(1));
    if (names == nullptr || names->dtype() != DType::kString ||
        origin->index() >= names->strings().size())
      return std::nullopt;
    return names->strings()[origin->index()];
  }

  Result<TableContents> FromFile(const Node& filler, const Node& table) const {
    DRAGOMAN_ASSIGN(Asset asset, AssetOf(filler.operand(1)));
    VocabularyFormat format;
    const auto integer = [&](std::string_view name, std::int64_t* field) {
      const Attribute* attribute = AttributeOf(filler, name);
      const auto* value = attribute != nullptr ? attribute->As<std::int64_t>() : nullptr;
      if (value != nullptr) *field = *value;
    };
    integer("key_index", &format.key_column);
    integer("value_index", &format.value_column);
    integer("vocab_size", &format.size);
    integer("offset", &format.offset);
    const Attribute* delimiter = AttributeOf(filler, "delimiter");
    if (delimiter != nullptr && delimiter->As<std::string>() != nullptr)
      format.delimiter = *delimiter->As<std::string>();
    format.key_type = TypeAttribute(table, "key_dtype");
    format.value_type = TypeAttribute(table, "value_dtype");
    Result<TableContents> contents = ReadVocabulary(AsText(asset.contents.bytes()), format);
    if (!contents.ok()) return std::move(contents).error().InFile(asset.filename);
    return contents;
  }

  // The file that a tensor names, which the main graph holds.
  Result<Asset> AssetOf(const Value* path) const {
    const Value* origin = calls_.OriginOf(path);
    const Node* node = origin == nullptr ? nullptr : origin->producer();
    const Function* main = MainGraph(model_);
    const bool in_main = node != nullptr && main != nullptr && origin->graph() == main->graph.get();
    for (Asset& asset : Assets(model_)) {
      if (!in_main || asset.tensor != FullTensorName(node->name(), origin->index())) continue;
      if (asset.present) return std::move(asset);
      return InvalidInput("file assets/" + asset.filename + " of the SavedModel is not there");
    }
    return Unsupported("the file that it is filled from is not an asset of the SavedModel");
  }

  const Model& model_;
  Calls calls_;
  std::map<std::string, std::vector<const Node*>> fillers_;
};

}  // namespace

Tables::Tables(const Model& source) {
  std::optional<TableReader> reader;
  for (const Function& function : source.functions) {
    for (const Node& node : function.graph->nodes()) {
      if (!IsTable(node)) continue;
      Contents& contents = contents_[VariableName(node)];
      if (contents != nullptr) continue;
      if (!reader) reader.emplace(source);
      contents = std::make_shared<const Result<TableContents>>(reader->Read(node));
    }
  }
}

Abstract Tables::Of(const Node& node) const {
  const std::string name = VariableName(node);
  return TableRef(name, contents_.at(name));
}

}  // namespace dragoman::tf
