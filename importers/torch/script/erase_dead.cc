// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/erase_dead.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/producer.h"
#include "importers/torch/script/block_results.h"
#include "importers/torch/script/graph_queries.h"

namespace dragoman::torch {
namespace {

// Of prim: what is not in the table of schemas and may go.
constexpr std::array<std::string_view, 17> kPurePrims = {
    "Constant",   "DictConstruct",  "EnumName",   "EnumValue",    "GetAttr",       "ListConstruct",
    "ListUnpack", "TupleConstruct", "TupleIndex", "TupleUnpack",  "Uninitialized", "isinstance",
    "tolist",     "unchecked_cast", "dtype",      "CreateObject", "NumToTensor"};
// Operators with effects that their schemas do not show.
constexpr std::array<std::string_view, 12> kEffects = {
    "Print", "RaiseException", "SetAttr", "CallMethod", "CallFunction", "Enter",
    "Exit",  "fork",           "warn",    "wait",       "manual_seed",  "save"};

class Eraser {
 public:
  explicit Eraser(SchemaTable& schemas) : schemas_(schemas) {}

  // Users come after what they use: one walk from the end to the start. Nesting is bounded.
  void Run(Graph& block) {
    for (Node* node = block.last_node(); node != nullptr;) {
      Node* before = node->prev();
      const bool loop = IsPrim(*node, "Loop");
      if (loop || IsPrim(*node, "If")) {
        node = TrimResults(*node);
        for (Graph* body : node->subgraphs()) Run(*body);
      }
      if (loop) {
        // What was carried only for itself is no longer read.
        node = TrimResults(*node);
        for (Graph* body : node->subgraphs()) Run(*body);
      }
      if (!AnyResultUsed(*node) && !HasEffect(*node)) block.Erase(node);
      node = before;
    }
  }

 private:
  static Node* TrimResults(Node& node) {
    const bool loop = IsPrim(node, "Loop");
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      const bool read = loop && node.subgraphs().front()->input(i + 1)->used();
      if (read || node.result(i)->used()) kept.push_back(i);
    }
    return kept.size() == node.num_results() ? &node : KeepResults(node, kept);
  }

  bool HasEffect(const Node& node) {
    if (IsPrim(node, "If") || IsPrim(node, "Loop")) {
      for (const Graph* body : node.subgraphs()) {
        for (const Node& inner : body->nodes()) {
          if (HasEffect(inner)) return true;
        }
      }
      return false;
    }
    const auto [found, added] = effects_.try_emplace(&node.op(), false);
    if (added) found->second = OpHasEffect(node.op());
    return found->second;
  }

  bool OpHasEffect(const OpName& op) {
    if (std::find(kEffects.begin(), kEffects.end(), op.type) != kEffects.end()) return true;
    const bool pure = std::find(kPurePrims.begin(), kPurePrims.end(), op.type) != kPurePrims.end();
    if (op.dialect == "prim" && pure) return false;
    const Schema* schema = schemas_.Find(op.dialect, op.type, op.overload);
    if (schema == nullptr) return true;
    return std::any_of(schema->arguments.begin(), schema->arguments.end(),
                       [](const SchemaArgument& argument) { return argument.mutated(); });
  }

  SchemaTable& schemas_;
  std::unordered_map<const OpName*, bool> effects_;
};

}  // namespace

void EraseDeadNodes(Graph& graph, SchemaTable& schemas) { Eraser(schemas).Run(graph); }

}  // namespace dragoman::torch
