// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/compare/calling.h"
#include "core/compare/hash_consing.h"
#include "core/compare/places.h"

namespace dragoman::compare {
namespace {

class ClassComparison {
 public:
  ClassComparison(const Model& a, const Model& b, const CompareOptions& options)
      : a_(a),
        b_(b),
        options_(options),
        constants_(options),
        traits_(options, a, b),
        classes_a_(a, options, classes_, constants_, traits_),
        classes_b_(b, options, classes_, constants_, traits_) {}

  Result<std::optional<Difference>> Run();

 private:
  // Each gives the first difference, if there is one.
  std::optional<Difference> CompareEntries(const Entry& a, const Entry& b);
  // Those of equal names.
  std::optional<Difference> CompareFunctions();
  // Whether each function, called or not, is one of the other model, however it is called.
  std::optional<Difference> CompareAllFunctions();
  std::optional<Difference> CompareGraphs(const Graph& a, const Graph& b);
  std::optional<Difference> CompareAllNodes(const Graph& a, const Graph& b);
  Difference Descend(const Value* a, const Value* b, std::string place);
  Difference DescendFrom(const Node* a, const Node* b);
  std::optional<Difference> CompareLocally(const Node& a, const Node& b);
  bool FindOperands(const Node& a, const Node& b, std::size_t& i, std::size_t& j);
  Difference At(std::string reason, std::string place_a, std::string place_b, std::string expected,
                std::string found) const;

  const Model& a_;
  const Model& b_;
  const CompareOptions& options_;
  ClassTable classes_;
  ConstantTable constants_;
  TraitTable traits_;
  NodeClasses classes_a_;
  NodeClasses classes_b_;
  std::vector<std::string> path_;
};

Difference ClassComparison::At(std::string reason, std::string place_a, std::string place_b,
                               std::string expected, std::string found) const {
  return {std::move(reason),   std::move(place_a), std::move(place_b),
          std::move(expected), std::move(found),   ShortenPath(path_)};
}

Result<std::optional<Difference>> ClassComparison::Run() {
  if (auto head = CompareModelHeads(a_, b_, options_.level)) {
    return std::optional(At(head->reason, "model", "model", head->expected, head->found));
  }
  for (std::size_t i = 0; i < a_.states.size(); ++i) {
    const State &x = a_.states[i], &y = b_.states[i];
    if (constants_.ClassOf(&x.initial) == constants_.ClassOf(&y.initial)) continue;
    return std::optional(At("initial values of states differ", "state '" + x.name + "'",
                            "state '" + y.name + "'", Describe(x.initial), Describe(y.initial)));
  }
  DRAGOMAN_TRY(classes_a_.Build());
  DRAGOMAN_TRY(classes_b_.Build());
  if (auto difference = CompareFunctions()) return difference;
  for (const auto& [x, y] : EntryPairs(a_, b_)) {
    if (auto difference = CompareEntries(*x, *y)) return difference;
  }
  if (options_.level == Level::kCommon) return std::optional<Difference>();
  return CompareAllFunctions();
}

std::optional<Difference> ClassComparison::CompareFunctions() {
  for (const Function& a : a_.functions) {
    const auto same = [&a](const Function& b) { return b.op == a.op; };
    const auto b = std::find_if(b_.functions.begin(), b_.functions.end(), same);
    if (b == b_.functions.end()) continue;
    const std::string place = "function '" + a.op->ToString() + "'";
    path_.clear();
    if (auto head = CompareFunctionHeads(a, *b, options_.level))
      return At(head->reason, place, place, head->expected, head->found);
    path_ = {place};
    if (auto difference = CompareGraphs(*a.graph, *b->graph)) return difference;
    if (options_.level == Level::kCommon) continue;
    if (auto difference = CompareAllNodes(*a.graph, *b->graph)) return difference;
  }
  return std::nullopt;
}

std::optional<Difference> ClassComparison::CompareAllFunctions() {
  const auto first_missing = [](const Model& model, const NodeClasses& classes, const Model& other,
                                const NodeClasses& other_classes) -> const Function* {
    std::unordered_set<std::uint32_t> there;
    for (const Function& function : other.functions) there.insert(other_classes.Of(function));
    for (const Function& function : model.functions) {
      if (!there.contains(classes.Of(function))) return &function;
    }
    return nullptr;
  };
  path_.clear();
  const std::string reason = "a function is missing on one side";
  const auto name = [](const Function& f) { return "function '" + f.op->ToString() + "'"; };
  if (const Function* function = first_missing(a_, classes_a_, b_, classes_b_))
    return At(reason, "model", "model", name(*function), "nothing");
  if (const Function* function = first_missing(b_, classes_b_, a_, classes_a_))
    return At(reason, "model", "model", "nothing", name(*function));
  return std::nullopt;
}

std::optional<Difference> ClassComparison::CompareEntries(const Entry& a, const Entry& b) {
  path_ = {"entry '" + a.name + "'"};
  if (!SameConvention(a, b)) {
    return At("calling conventions differ", path_[0], "entry '" + b.name + "'",
              "the same structure", "another structure of arguments, results or states");
  }
  if (auto difference = CompareGraphs(*a.graph, *b.graph)) return difference;
  if (options_.level == Level::kCommon) return std::nullopt;
  return CompareAllNodes(*a.graph, *b.graph);
}

std::optional<Difference> ClassComparison::CompareGraphs(const Graph& a, const Graph& b) {
  const std::string& place = path_.back();
  if (classes_a_.InputKey(a) != classes_b_.InputKey(b)) {
    return At("inputs differ in number, type or default value", place, place,
              std::to_string(a.num_inputs()), std::to_string(b.num_inputs()));
  }
  if (a.num_outputs() != b.num_outputs()) {
    return At("numbers of outputs differ", place, place, std::to_string(a.num_outputs()),
              std::to_string(b.num_outputs()));
  }
  for (std::size_t i = 0; i < a.num_outputs(); ++i) {
    if (classes_a_.CodeOf(a.output(i)) == classes_b_.CodeOf(b.output(i))) continue;
    return Descend(a.output(i), b.output(i), "output " + std::to_string(i));
  }
  const auto ordered_a = classes_a_.Ordered(a), ordered_b = classes_b_.Ordered(b);
  if (ordered_a.size() != ordered_b.size()) {
    return At("numbers of nodes in program order (effects) differ", place, place,
              std::to_string(ordered_a.size()), std::to_string(ordered_b.size()));
  }
  for (std::size_t i = 0; i < ordered_a.size(); ++i) {
    if (classes_a_.Of(*ordered_a[i]) == classes_b_.Of(*ordered_b[i])) continue;
    path_.push_back("effect " + std::to_string(i));
    return DescendFrom(ordered_a[i], ordered_b[i]);
  }
  return std::nullopt;
}

std::optional<Difference> ClassComparison::CompareAllNodes(const Graph& a, const Graph& b) {
  const auto collect = [](const Graph& root, const NodeClasses& classes) {
    std::unordered_set<std::uint32_t> numbers;
    ForEachGraph(root, [&](const Graph& graph) {
      for (const Node& node : graph.nodes()) numbers.insert(classes.Of(node));
    });
    return numbers;
  };
  const auto first_missing = [](const Graph& root, const NodeClasses& classes,
                                const std::unordered_set<std::uint32_t>& there) {
    const Node* missing = nullptr;
    ForEachGraph(root, [&](const Graph& graph) {
      for (const Node& node : graph.nodes()) {
        if (missing == nullptr && !there.contains(classes.Of(node))) missing = &node;
      }
    });
    return missing;
  };
  const std::string reason = "a node is missing on one side";
  if (const Node* node = first_missing(a, classes_a_, collect(b, classes_b_))) {
    return At(reason, path_[0], path_[0], node->Describe(), "nothing");
  }
  if (const Node* node = first_missing(b, classes_b_, collect(a, classes_a_))) {
    return At(reason, path_[0], path_[0], "nothing", node->Describe());
  }
  return std::nullopt;
}

Difference ClassComparison::Descend(const Value* a, const Value* b, std::string place) {
  path_.push_back(place);
  const bool nodes = a != nullptr && b != nullptr && a->producer() != nullptr &&
                     b->producer() != nullptr && a->index() == b->index();
  if (nodes && classes_a_.Of(*a->producer()) != classes_b_.Of(*b->producer())) {
    return DescendFrom(a->producer(), b->producer());
  }
  return At("the edge comes from elsewhere", place, place, Describe(a), Describe(b));
}

// Of two nodes of different classes: down to where they differ by themselves.
Difference ClassComparison::DescendFrom(const Node* a, const Node* b) {
  for (;;) {
    if (auto difference = CompareLocally(*a, *b)) return *difference;
    std::size_t i = 0, j = 0;
    if (!FindOperands(*a, *b, i, j)) {
      return At("random nodes or effects correspond to others", a->Describe(), b->Describe(),
                "the same occurrence", "another one");
    }
    const std::string place = "operand " + std::to_string(i) + " of " + a->Describe();
    path_.push_back(place);
    const Value *x = a->operand(i), *y = b->operand(j);
    const bool nodes = x != nullptr && y != nullptr && x->producer() != nullptr &&
                       y->producer() != nullptr && x->index() == y->index();
    if (!nodes) {
      const bool constants = x != nullptr && y != nullptr && x->is_constant() && y->is_constant();
      return At(constants ? "constants differ" : "the edge comes from elsewhere", place,
                "operand " + std::to_string(j) + " of " + b->Describe(), Describe(x), Describe(y));
    }
    a = x->producer();
    b = y->producer();
  }
}

std::optional<Difference> ClassComparison::CompareLocally(const Node& a, const Node& b) {
  const std::string place_a = a.Describe(), place_b = b.Describe();
  const auto x = CountedAttributes(a, traits_.Of(a));
  const auto y = CountedAttributes(b, traits_.Of(b));
  for (std::size_t i = 0; SameOp(a.op(), b.op()) && i < std::max(x.size(), y.size()); ++i) {
    if (i < x.size() && i < y.size() && x[i]->name == y[i]->name) {
      if (classes_a_.AttributeKey(x[i]->value) == classes_b_.AttributeKey(y[i]->value)) continue;
      return At("attribute '" + x[i]->name + "' differs", place_a, place_b, Describe(x[i]->value),
                Describe(y[i]->value));
    }
    const bool only_a = i >= y.size() || (i < x.size() && x[i]->name < y[i]->name);
    const NamedAttribute& extra = only_a ? *x[i] : *y[i];
    return At("attribute '" + extra.name + "' is missing on one side", place_a, place_b,
              only_a ? Describe(extra.value) : "nothing",
              only_a ? "nothing" : Describe(extra.value));
  }
  if (classes_a_.LocalKey(a) != classes_b_.LocalKey(b)) {
    return At("op types or numbers of operands or results differ", place_a, place_b, place_a,
              place_b);
  }
  const std::vector<Graph*> graphs_a = a.subgraphs(), graphs_b = b.subgraphs();
  for (std::size_t i = 0; i < std::min(graphs_a.size(), graphs_b.size()); ++i) {
    path_.push_back("subgraph " + std::to_string(i) + " of " + place_a);
    if (auto difference = CompareGraphs(*graphs_a[i], *graphs_b[i])) return difference;
    path_.pop_back();
  }
  if (classes_a_.OperandCodes(a) == classes_b_.OperandCodes(b) &&
      classes_a_.ResultKey(a) != classes_b_.ResultKey(b)) {
    const auto types = [](const Node& node) {
      std::string text;
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        text += (i > 0 ? ", " : "") + (node.result(i) != nullptr ? node.result(i)->type().ToString()
                                                                 : std::string("nothing"));
      }
      return text;
    };
    return At("types of results differ", place_a, place_b, types(a), types(b));
  }
  return std::nullopt;
}

// The first operands that have no partner of their class on the other side.
bool ClassComparison::FindOperands(const Node& a, const Node& b, std::size_t& i, std::size_t& j) {
  const std::size_t count = CountedOperands(a, options_.level);
  const auto code_a = [&](std::size_t n) { return classes_a_.CodeOf(a.operand(n)); };
  const auto code_b = [&](std::size_t n) { return classes_b_.CodeOf(b.operand(n)); };
  if (classes_a_.OperandCodes(a) == classes_b_.OperandCodes(b)) return false;
  const bool swaps = options_.commute && count >= 2 && traits_.Of(a).commutative;
  const bool crossed = swaps && (code_a(0) == code_b(1) || code_a(1) == code_b(0));
  for (i = 0; i < count; ++i) {
    j = crossed && i < 2 ? 1 - i : i;
    if (code_a(i) != code_b(j)) return true;
  }
  return false;
}

}  // namespace

Result<std::optional<Difference>> CompareByClasses(const Model& a, const Model& b,
                                                   const CompareOptions& options) {
  return ClassComparison(a, b, options).Run();
}

}  // namespace dragoman::compare
