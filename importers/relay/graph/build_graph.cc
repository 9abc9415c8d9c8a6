// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/graph/build_graph.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/compare/composed_text.h"
#include "core/support/text.h"
#include "importers/relay/graph/relay_ops.h"

namespace dragoman::relay {
namespace {

Error Fail(const Place& place, std::string message) {
  return InvalidInput(std::move(message))
      .At("line " + std::to_string(place.line) + ":" + std::to_string(place.column));
}

Block* CommonBlock(Block* a, Block* b) {
  if (a == nullptr) return b;
  while (a != b) {
    Block*& deeper = a->depth >= b->depth ? a : b;
    deeper = deeper->parent;
  }
  return a;
}

bool IsWithin(const Block* inner, const Block* outer) {
  while (inner != nullptr && inner->depth > outer->depth) inner = inner->parent;
  return inner == outer;
}

class Builder {
 public:
  Builder(const Module& module, Expr* function) : function_(function) {
    for (const auto& [name, fields] : module.constructors) constructors_.insert(name);
    constructors_.insert(std::begin(kPreludeConstructors), std::end(kPreludeConstructors));
  }

  Result<FunctionGraph> Run() {
    Block& root = function_->blocks[0];
    root.owner = function_;
    FunctionGraph result;
    result.graph = std::make_unique<Graph>();
    graphs_[&root] = result.graph.get();
    Order(root.root);
    DRAGOMAN_TRY(Place(root));
    DRAGOMAN_TRY(CheckScopes());
    AddParameters(root, *result.graph);
    for (Expr* expr : order_) DRAGOMAN_TRY(Emit(*expr));
    result.graph->AddOutput(values_.at(root.root));
    result.attributes = function_->attributes;
    NameRemarks(result.attributes);
    return result;
  }

 private:
  // Remarks of ours on calls name variables of the text.
  void NameRemarks(std::vector<NamedAttribute>& fields) const {
    const auto attributes = std::ranges::find(fields, "attrs", &NamedAttribute::name);
    const auto* stated =
        attributes != fields.end() ? attributes->value.As<Attribute::Dict>() : nullptr;
    if (stated == nullptr || Find(*stated, kComposed) == nullptr) return;
    std::unordered_map<std::string, std::string> names;
    for (const auto& [expr, value] : values_) {
      if (!expr->variable.empty()) names.emplace("%" + expr->variable, value->name());
      if (expr->kind == ExprKind::kParameter) names.emplace("%" + expr->name, value->name());
    }
    const auto rename = [&](const std::string& name) {
      const auto found = names.find(name);
      return found != names.end() ? found->second : name;
    };
    Attribute::Dict renamed = *stated;
    for (NamedAttribute& item : renamed) {
      const auto* remarks = item.name == kComposed ? item.value.As<Attribute::List>() : nullptr;
      if (remarks == nullptr) continue;
      Attribute::Strings texts;
      for (const Attribute& remark : *remarks) {
        const auto* text = remark.As<std::string>();
        texts.push_back(text != nullptr ? RenameComposed(*text, rename) : "");
      }
      item.value = std::move(texts);
    }
    attributes->value = std::move(renamed);
  }

  static std::size_t NumEdges(const Expr& expr) {
    return expr.operands.size() + expr.blocks.size();
  }
  static Expr* Edge(const Expr& expr, std::size_t i) {
    return i < expr.operands.size() ? expr.operands[i] : expr.blocks[i - expr.operands.size()].root;
  }

  // All expressions below `root`, operands before those that read them.
  void Order(Expr* root) {
    std::unordered_set<Expr*> seen = {root};
    std::vector<std::pair<Expr*, std::size_t>> path = {{root, 0}};
    while (!path.empty()) {
      auto& [expr, next] = path.back();
      if (next == NumEdges(*expr)) {
        order_.push_back(expr);
        path.pop_back();
        continue;
      }
      Expr* below = Edge(*expr, next++);
      if (seen.insert(below).second) path.emplace_back(below, 0);
    }
    // As in the text.
    std::stable_sort(order_.begin(), order_.end(),
                     [](const Expr* a, const Expr* b) { return a->sequence < b->sequence; });
  }

  Status Place(Block& root) {
    for (Expr* parameter : root.parameters) owners_[parameter] = &root;
    Widen(root.root, &root);
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      Expr& expr = **at;
      if (expr.kind == ExprKind::kParameter) continue;
      Block* here = places_.at(&expr);
      for (Expr* operand : expr.operands) Widen(operand, here);
      for (Block& block : expr.blocks) {
        block.owner = &expr;
        block.parent = here;
        block.depth = here->depth + 1;
        if (block.depth >= kMaxGraphNesting)
          return Unsupported("functions, conditions and matches nest over " +
                             std::to_string(kMaxGraphNesting) + " deep")
              .At("line " + std::to_string(expr.place.line));
        for (Expr* parameter : block.parameters) owners_[parameter] = &block;
        Widen(block.root, &block);
      }
    }
    return {};
  }

  void Widen(Expr* expr, Block* block) {
    if (expr->kind == ExprKind::kParameter) return;
    Block*& place = places_[expr];
    place = CommonBlock(place, block);
  }

  // Whether what belongs to `owner` can be read in `user`.
  static Status CheckScope(const Expr& expr, const Block* owner, const Block* user) {
    if (owner != nullptr && IsWithin(user, owner)) return {};
    return Fail(expr.place, "%" + expr.name + " is read where it is not in scope");
  }

  Status CheckScopes() {
    const Block* const root = &function_->blocks[0];
    if (root->root->kind == ExprKind::kParameter)
      DRAGOMAN_TRY(CheckScope(*root->root, OwnerOf(root->root), root));
    for (Expr* expr : order_) {
      if (expr->kind == ExprKind::kParameter) continue;
      const Block* here = places_.at(expr);
      for (std::size_t i = 0; i < NumEdges(*expr); ++i) {
        const Expr* below = Edge(*expr, i);
        const Block* user =
            i < expr->operands.size() ? here : &expr->blocks[i - expr->operands.size()];
        if (below->kind == ExprKind::kParameter)
          DRAGOMAN_TRY(CheckScope(*below, OwnerOf(below), user));
      }
      if (expr->kind != ExprKind::kSelf) continue;
      const Block* body = &expr->self->operands[0]->blocks[0];
      DRAGOMAN_TRY(CheckScope(*expr, body, here));
    }
    return {};
  }

  const Block* OwnerOf(const Expr* parameter) const {
    const auto found = owners_.find(parameter);
    return found != owners_.end() ? found->second : nullptr;
  }

  void AddParameters(const Block& block, Graph& graph) {
    for (Expr* parameter : block.parameters) {
      Value* value = graph.AddInput(parameter->name, parameter->type);
      names_.Reserve(parameter->name);
      if (!parameter->type_text.empty())
        value->extra().emplace_back(std::string(kTypeText), parameter->type_text);
      if (!parameter->span.empty())
        value->extra().emplace_back(std::string(kSpan), parameter->span);
      if (!parameter->attributes.empty())
        value->extra().emplace_back(std::string(kParameter), parameter->attributes);
      values_[parameter] = value;
    }
  }

  // The graph of a block of an expression that has not been emitted.
  Graph& GraphOf(Block* block) {
    Graph*& graph = graphs_[block];
    if (graph == nullptr) {
      bodies_[block] = std::make_shared<Graph>();
      graph = bodies_[block].get();
      AddParameters(*block, *graph);
    }
    return *graph;
  }

  Attribute TakeBody(Block& block) {
    Graph& graph = GraphOf(&block);
    graph.AddOutput(values_.at(block.root));
    const auto found = bodies_.find(&block);
    Attribute body(std::move(found->second));
    bodies_.erase(found);
    return body;
  }

  // What to call the result of `expr`.
  std::string NameOf(const Expr& expr) {
    if (expr.kind == ExprKind::kLetVariable) return names_.Unique(expr.name);
    std::string_view span = expr.span;
    span = span.substr(0, span.find(':', span.find("::") == span.npos ? 0 : span.rfind("::") + 2));
    if (!span.empty()) return names_.Unique(span);
    return names_.Unique(expr.variable.empty() ? "v" : "v" + expr.variable);
  }

  Status Emit(Expr& expr) {
    if (expr.kind == ExprKind::kParameter) {
      // One whose block is still to come has its value by now, as the block is made on demand.
      if (!values_.contains(&expr)) GraphOf(owners_.at(&expr));
      return {};
    }
    if (expr.kind == ExprKind::kLet) {
      values_[&expr] = values_.at(expr.operands[1]);
      return {};
    }
    Graph& graph = GraphOf(places_.at(&expr));
    if (expr.kind == ExprKind::kConstant) {
      values_[&expr] = graph.AddConstant(names_.Unique("c"), *expr.constant);
      Annotate(expr, values_[&expr]->extra(), false);
      return {};
    }
    std::vector<Value*> operands;
    for (Expr* operand : expr.operands) operands.push_back(values_.at(operand));
    std::string name = NameOf(expr);
    Node* node = graph.Append(OpOf(expr), operands, name);
    node->attributes() = AttributesOf(expr, name);
    AddBodies(expr, *node);
    values_[&expr] = node->AddResult(name, expr.type);
    if (!expr.span.empty() || !expr.type_text.empty()) Annotate(expr, node->extra(), true);
    SourceOp origin;
    origin.op = node->op().ToString();
    origin.name = expr.span.empty() ? name : expr.span;
    origin.location =
        "line " + std::to_string(expr.place.line) + ":" + std::to_string(expr.place.column);
    node->set_origin(Origin::Leaf(std::move(origin)));
    return {};
  }

  static void Annotate(const Expr& expr, Extra& extra, bool with_type) {
    if (!expr.span.empty()) extra.emplace_back(std::string(kSpan), expr.span);
    if (with_type && !expr.type_text.empty())
      extra.emplace_back(std::string(kTypeText), expr.type_text);
  }

  const OpName* OpOf(const Expr& expr) const {
    const auto node = [](std::string_view type) { return InternOp(kDialect, type); };
    switch (expr.kind) {
      case ExprKind::kName:
        return node(constructors_.contains(expr.name) ? "Constructor" : "Operator");
      case ExprKind::kGlobal:
        return node("GlobalVar");
      case ExprKind::kCall:
        if (expr.name.empty()) return node("Call");
        return constructors_.contains(expr.name) ? node("Construct") : OperatorName(expr.name);
      case ExprKind::kTuple:
        return node("Tuple");
      case ExprKind::kProjection:
        return node("TupleGetItem");
      case ExprKind::kFunction:
        return node("Function");
      case ExprKind::kIf:
        return node("If");
      case ExprKind::kMatch:
        return node("Match");
      case ExprKind::kLetVariable:
        return node("Let");
      case ExprKind::kSelf:
        return node("Self");
      case ExprKind::kRef:
        return node(expr.name == "ref"        ? "RefCreate"
                    : expr.name == "ref_read" ? "RefRead"
                                              : "RefWrite");
      default:
        return node("Unknown");
    }
  }

  std::vector<NamedAttribute> AttributesOf(const Expr& expr, const std::string& name) {
    std::vector<NamedAttribute> attributes = expr.attributes;
    switch (expr.kind) {
      case ExprKind::kName:
      case ExprKind::kGlobal:
        attributes.emplace_back("name", expr.name);
        break;
      case ExprKind::kCall:
        if (constructors_.contains(expr.name)) attributes.emplace_back("constructor", expr.name);
        break;
      case ExprKind::kProjection:
        attributes.emplace_back("index", expr.index);
        break;
      case ExprKind::kLetVariable:
        attributes.emplace_back("name", expr.name);
        // Its function has been emitted, under a name of its own.
        if (expr.is_recursive) attributes.emplace_back("recursive", SelfName(&expr));
        (void)name;
        break;
      case ExprKind::kSelf:
        attributes.emplace_back("name", SelfName(expr.self));
        break;
      case ExprKind::kMatch:
        attributes.emplace_back("patterns", Attribute::List(expr.patterns));
        break;
      default:
        break;
    }
    return attributes;
  }

  // A name of the recursive variable that no other has.
  std::string SelfName(const Expr* variable) {
    std::string& name = selves_[variable];
    if (name.empty()) name = self_names_.Unique(variable->name);
    return name;
  }

  void AddBodies(Expr& expr, Node& node) {
    if (expr.kind == ExprKind::kFunction) {
      node.SetAttribute("body", TakeBody(expr.blocks[0]));
    } else if (expr.kind == ExprKind::kIf) {
      node.SetAttribute("then_branch", TakeBody(expr.blocks[0]));
      node.SetAttribute("else_branch", TakeBody(expr.blocks[1]));
    } else if (expr.kind == ExprKind::kMatch) {
      Attribute::Graphs arms;
      for (Block& block : expr.blocks) arms.push_back(*TakeBody(block).As<Attribute::GraphPtr>());
      node.SetAttribute("arms", std::move(arms));
    }
  }

  Expr* function_;
  std::set<std::string, std::less<>> constructors_;
  std::vector<Expr*> order_;
  std::unordered_map<const Expr*, Block*> places_;  // of all but parameters
  std::unordered_map<const Expr*, Block*> owners_;  // of parameters
  std::unordered_map<const Block*, Graph*> graphs_;
  std::unordered_map<const Block*, std::shared_ptr<Graph>> bodies_;  // of no node yet
  std::unordered_map<const Expr*, Value*> values_;
  std::unordered_map<const Expr*, std::string> selves_;
  NameScope names_;
  NameScope self_names_;
};

}  // namespace

Result<FunctionGraph> BuildFunction(const Module& module, const FunctionDef& function) {
  return Builder(module, function.function).Run();
}

}  // namespace dragoman::relay
