// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/inline.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/find_as.h"
#include "core/support/size_budget.h"
#include "importers/torch/schema/schema.h"
#include "importers/torch/script/graph_queries.h"
#include "importers/torch/script/simplify_callee.h"

namespace dragoman {
namespace {

using torch::IsPrim;

constexpr int kMaxCallDepth = 200;
// A node that stays takes the memory that so many steps draw.
constexpr std::size_t kStepsOfNode = 8;

// The class of the root object, "__torch__.Net".
std::string RootClass(const Model& model) {
  if (model.entries.empty() || model.main().num_inputs() == 0) return {};
  const Type& type = model.main().input(0)->type();
  return type.kind() == Type::Kind::kOpaque ? type.opaque_name() : std::string();
}

// The path of attributes that led to an object, "layer1.0"; empty for the root and what is no
// attribute.
std::string AttributePath(const Value* object) {
  std::vector<std::string> names;
  while (object != nullptr && object->producer() != nullptr &&
         IsPrim(*object->producer(), "GetAttr")) {
    const Attribute* name = object->producer()->attribute("name");
    if (name == nullptr || name->As<std::string>() == nullptr) break;
    names.push_back(*name->As<std::string>());
    object = object->producer()->operand(0);
  }
  return fmt::format("{}", fmt::join(names.rbegin(), names.rend(), "."));
}

// The part of a qualified name after the last point.
std::string ShortName(const std::string& name) { return name.substr(name.rfind('.') + 1); }

std::string Join(const std::string& outer, const std::string& inner) {
  if (outer.empty() || inner.empty()) return outer + inner;
  return outer + "." + inner;
}

// The place of a call: the scope that it adds, and where it stands.
struct CallSite {
  std::string scope;
  std::string location;
};

class Inliner {
 public:
  explicit Inliner(Model& model) : model_(model), root_class_(RootClass(model)) {
    for (const Function& function : model.functions) {
      if (function.op != nullptr) graphs_.emplace(function.op->type, function.graph.get());
    }
    for (const Entry& entry : model.entries) {
      graphs_.emplace(root_class_ + "." + entry.name, entry.graph.get());
    }
  }

  Status Run() {
    for (Entry& entry : model_.entries) DRAGOMAN_TRY(Expand(*entry.graph, 0));
    for (Function& function : model_.functions) DRAGOMAN_TRY(Expand(*function.graph, 0));
    return {};
  }

 private:
  enum class Mark { kOpen, kDone };

  // Inlines all calls of `graph`; callees first, each once.
  Status Expand(Graph& graph, int depth) {
    if (depth > kMaxCallDepth) {
      return Unsupported(
          fmt::format("function '{}' lies more than {} calls deep", graph.name(), kMaxCallDepth));
    }
    const auto [mark, fresh] = marks_.try_emplace(&graph, Mark::kOpen);
    if (!fresh) return mark->second == Mark::kDone ? Status() : Recursion(graph);
    std::vector<Graph*> blocks;
    ForEachGraph(graph, [&](Graph& block) { blocks.push_back(&block); });
    for (Graph* block : blocks) {
      for (Node& node : block->nodes()) {
        Graph* callee = CalleeOf(node);
        if (callee == nullptr) continue;
        DRAGOMAN_TRY(Expand(*callee, depth + 1));
        DRAGOMAN_TRY(Inline(node, *callee));
      }
    }
    if (depth > 0) torch::SimplifyCallee(graph, schemas_);
    marks_[&graph] = Mark::kDone;
    return {};
  }

  static Error Recursion(const Graph& graph) {
    return Unsupported(fmt::format("function '{}' calls itself", graph.name()));
  }

  Graph* CalleeOf(const Node& node) const {
    std::string name;
    if (IsPrim(node, "CallFunction")) {
      const Symbol* symbol = FindAs<Symbol>(node.attributes(), "callee");
      if (symbol != nullptr) name = symbol->name;
    } else if (IsPrim(node, "CallMethod") && node.operand(0) != nullptr) {
      const Type& type = node.operand(0)->type();
      const Attribute* method = node.attribute("name");
      if (type.kind() != Type::Kind::kOpaque || method == nullptr) return nullptr;
      const auto* text = method->As<std::string>();
      if (text != nullptr) name = type.opaque_name() + "." + *text;
    }
    const auto found = graphs_.find(name);
    return found == graphs_.end() ? nullptr : found->second;
  }

  CallSite SiteOf(const Node& call, const Graph& callee) const {
    CallSite site;
    site.scope =
        IsPrim(call, "CallMethod") ? AttributePath(call.operand(0)) : ShortName(callee.name());
    const SourceOp* source = call.origin() == nullptr ? nullptr : call.origin()->leaf();
    if (source != nullptr) {
      site.scope = Join(source->scope, site.scope);
      site.location = source->location;
    }
    return site;
  }

  // Origins of a callee are shared by many nodes and calls.
  OriginPtr Relocate(const OriginPtr& origin, const CallSite& site) {
    const SourceOp* leaf = origin == nullptr ? nullptr : origin->leaf();
    if (leaf == nullptr) return origin;
    SourceOp moved = *leaf;
    moved.scope = Join(site.scope, moved.scope);
    if (site.location.empty()) return Origin::Leaf(std::move(moved));
    std::vector<std::string> calls = {site.location};
    for (NamedAttribute& attribute : moved.attributes) {
      if (attribute.name != "called_from") continue;
      if (const auto* inner = attribute.value.As<Attribute::Strings>()) {
        calls.insert(calls.end(), inner->begin(), inner->end());
      }
      attribute.value = calls;
      return Origin::Leaf(std::move(moved));
    }
    moved.attributes.emplace_back("called_from", calls);
    return Origin::Leaf(std::move(moved));
  }

  void RelocateAll(Node& node, const CallSite& site) {
    node.set_origin(Relocate(node.origin(), site));
    for (Graph* body : node.subgraphs()) {
      ForEachGraph(*body, [&](Graph& block) {
        for (Node& inner : block.nodes()) inner.set_origin(Relocate(inner.origin(), site));
      });
    }
  }

  Status Inline(Node& call, const Graph& callee) {
    if (call.num_operands() != callee.num_inputs() || call.num_results() != callee.num_outputs()) {
      return InvalidInput(fmt::format("call of '{}' with {} arguments; it has {}", callee.name(),
                                      call.num_operands(), callee.num_inputs()));
    }
    std::size_t added = 1;
    ForEachGraph(callee, [&](const Graph& block) { added += block.num_nodes(); });
    if (Status status = TakeSteps(kStepsOfNode * added); !status.ok())
      return std::move(status).error().At(callee.name());
    const CallSite site = SiteOf(call, callee);
    Graph& target = *call.graph();
    ValueMap map;
    for (std::size_t i = 0; i < callee.num_inputs(); ++i) {
      map.emplace(callee.input(i), call.operand(i));
    }
    for (const Node& node : callee.nodes()) {
      RelocateAll(*CloneNode(node, target, &call, map), site);
    }
    for (std::size_t i = 0; i < call.num_results(); ++i) {
      call.result(i)->ReplaceAllUsesWith(map.at(callee.output(i)));
    }
    target.Erase(&call);
    return {};
  }

  Model& model_;
  torch::SchemaTable schemas_;
  std::string root_class_;
  std::unordered_map<std::string, Graph*> graphs_;
  std::unordered_map<const Graph*, Mark> marks_;
};

}  // namespace

const Graph* FindTorchFunction(const Model& model, std::string_view qualified_name) {
  for (const Function& function : model.functions) {
    if (function.op != nullptr && function.op->type == qualified_name) return function.graph.get();
  }
  const std::string root = RootClass(model) + ".";
  if (!qualified_name.starts_with(root)) return nullptr;
  const Entry* entry = model.FindEntry(qualified_name.substr(root.size()));
  return entry == nullptr ? nullptr : entry->graph.get();
}

Result<Model> InlineCalls(const Model& model) {
  Model copy = Clone(model);
  DRAGOMAN_TRY(Inliner(copy).Run());
  return copy;
}

}  // namespace dragoman
