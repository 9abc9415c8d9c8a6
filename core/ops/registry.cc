// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/ops/op_list.h"
#include "core/ops/text_ops.h"

namespace dragoman {
namespace {

struct Table {
  std::vector<OpDef> defs;
  std::vector<const OpDef*> sorted;  // by label
  std::map<std::string, const OpDef*, std::less<>> by_label;
  std::map<const OpName*, const OpDef*> by_name;  // looked up, never iterated
};

Table BuildTable() {
  Table table;
  const auto add = [&](OpFamily family) {
    for (OpDef& def : family()) table.defs.push_back(std::move(def));
  };
  for (OpFamily family : kOpFamilies) add(family);
  add(FindSortedOps);
  add(TextFormOps);
  add(TextOps);
  add(TreeEnsembleOps);
  for (const OpDef& def : table.defs) {
    table.by_label[def.Label()] = &def;
    table.by_name[def.name] = &def;
    if (def.name->dialect == "onnx") {
      table.by_name[InternOp("onnx", def.name->type, "ai.onnx")] = &def;
    }
  }
  for (const auto& [label, def] : table.by_label) table.sorted.push_back(def);
  return table;
}

const Table& Ops() {
  static const Table* table = new Table(BuildTable());
  return *table;
}

}  // namespace

std::string OpDef::Label() const {
  return name->dialect == "onnx" ? name->type : name->dialect + "." + name->type;
}

OpBuilder Op(std::string_view type, OpVersions versions, std::string_view signature,
             std::string_view variables) {
  return {InternOp("onnx", type), versions, signature, variables};
}

OpBuilder DragomanOp(std::string_view type, std::string_view signature,
                     std::string_view variables) {
  return {InternOp("dragoman", type), {}, signature, variables};
}

const OpDef* FindOp(const OpName& name) {
  auto found = Ops().by_name.find(&name);
  return found == Ops().by_name.end() ? nullptr : found->second;
}

const OpDef* FindOp(std::string_view label) {
  auto found = Ops().by_label.find(label);
  return found == Ops().by_label.end() ? nullptr : found->second;
}

const ValueFacts& FactsOf(const OpDef* def) {
  static constexpr ValueFacts kNone;
  return def != nullptr ? def->facts : kNone;
}

std::span<const OpDef* const> AllOps() { return Ops().sorted; }

namespace {

bool AnyInBodies(const Node& node, bool (*holds)(const OpDef&)) {
  if (const OpDef* def = FindOp(node); def != nullptr && holds(*def)) return true;
  bool any = false;
  for (const Graph* body : node.subgraphs()) {
    ForEachGraph(*body, [&](const Graph& graph) {
      for (const Node& inner : graph.nodes()) {
        const OpDef* def = FindOp(inner);
        any = any || (def != nullptr && holds(*def));
      }
    });
  }
  return any;
}

}  // namespace

bool HasEffect(const Node& node) {
  return AnyInBodies(node, [](const OpDef& def) { return def.effect; });
}

bool IsRandom(const Node& node) {
  return AnyInBodies(node, [](const OpDef& def) { return def.random; });
}

bool IsUnary(const Node& node) {
  const OpDef* def = FindOp(node);
  return def != nullptr && def->op_class == OpClass::kUnary;
}

bool IsElementwise(const Node& node) {
  const OpDef* def = FindOp(node);
  return def != nullptr &&
         (def->op_class == OpClass::kUnary || def->op_class == OpClass::kBroadcast);
}

bool KeepsOrder(const Node& node) {
  const OpDef* def = FindOp(node);
  return def != nullptr && def->kernel.copies;
}

bool OnlyMoves(const Node& node) {
  const OpDef* def = FindOp(node);
  return def != nullptr && (def->op_class == OpClass::kMovement || def->kernel.copies);
}

AxisUse AxisUseOf(const Node& node) {
  const OpDef* def = FindOp(node);
  if (def == nullptr) return AxisUse::kNone;
  return IntAttribute(node, "block_size") != 0 ? AxisUse::kOfFirst : def->axis_use;
}

}  // namespace dragoman
