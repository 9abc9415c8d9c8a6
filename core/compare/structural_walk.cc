// SPDX-License-Identifier: Apache-2.0
#include "core/compare/structural_walk.h"

#include <algorithm>
#include <utility>

#include "core/compare/calling.h"
#include "core/compare/places.h"

namespace dragoman::compare {

StructuralWalk::StructuralWalk(const Model& a, const Model& b, const CompareOptions& options)
    : a_(a),
      b_(b),
      options_(options),
      traits_(options, a, b),
      constants_(options),
      symbols_(options.ignore_shapes) {
  for (std::size_t i = 0; i < a.functions.size(); ++i) functions_a_.emplace(a.functions[i].op, i);
  for (std::size_t i = 0; i < b.functions.size(); ++i) functions_b_.emplace(b.functions[i].op, i);
  function_of_a_.assign(a.functions.size(), kNone);
  function_of_b_.assign(b.functions.size(), kNone);
}

std::optional<Difference> StructuralWalk::Run() {
  if (CompareHeads() && CompareStates() && PairEntries() && Drain() && PairUnreachable() &&
      CompareUnusedConstants()) {
    (void)CompareTypes();
  }
  return std::move(difference_);
}

bool StructuralWalk::CompareHeads() {
  std::optional<HeadDifference> head = CompareModelHeads(a_, b_, options_.level);
  if (!head) return true;
  return Fail(head->reason, nullptr, "model", "model", head->expected, head->found);
}

bool StructuralWalk::CompareStates() {
  for (std::size_t i = 0; i < a_.states.size(); ++i) {
    const State &a = a_.states[i], &b = b_.states[i];
    const std::string place_a = "state '" + a.name + "'", place_b = "state '" + b.name + "'";
    if (!symbols_.Match(a.type, b.type, kNone)) {
      return Fail("types of states differ", nullptr, place_a, place_b, a.type.ToString(),
                  b.type.ToString());
    }
    if (!constants_.Same(&a.initial, &b.initial)) {
      return Fail("initial values of states differ", nullptr, place_a, place_b, Describe(a.initial),
                  Describe(b.initial));
    }
  }
  return true;
}

bool StructuralWalk::PairEntries() {
  for (const auto& [a, b] : EntryPairs(a_, b_)) {
    if (!CompareEntry(*a, *b)) return false;
  }
  return true;
}

bool StructuralWalk::CompareEntry(const Entry& a, const Entry& b) {
  const std::string place_a = "entry '" + a.name + "'", place_b = "entry '" + b.name + "'";
  if (!SameConvention(a, b)) {
    return Fail("calling conventions differ", nullptr, place_a, place_b, "the same structure",
                "another structure of arguments, results or states");
  }
  AddFrame(*a.graph, *b.graph, kNone, place_a);
  return true;
}

void StructuralWalk::AddFrame(const Graph& a, const Graph& b, std::uint32_t owner,
                              std::string label) {
  if (owner == kNone) {
    ordered_.emplace(&a, OrderedNodes(a, traits_));
    ordered_.emplace(&b, OrderedNodes(b, traits_));
  }
  const std::uint32_t root = owner == kNone ? static_cast<std::uint32_t>(frames_.size())
                                            : frames_[frame_of_.at(pairs_[owner].a->graph())].root;
  frame_of_[&a] = static_cast<std::uint32_t>(frames_.size());
  graph_of_[&a] = &b;
  graph_of_[&b] = &a;
  frames_.push_back({&a, &b, owner, root, std::move(label)});
}

bool StructuralWalk::Drain() {
  while (next_frame_ < frames_.size() || next_pair_ < pairs_.size()) {
    const bool fine = next_frame_ < frames_.size()
                          ? WorkOnFrame(static_cast<std::uint32_t>(next_frame_++))
                          : WorkOnPair(static_cast<std::uint32_t>(next_pair_++));
    if (!fine) return false;
  }
  return true;
}

bool StructuralWalk::WorkOnFrame(std::uint32_t frame) {
  const Graph &a = *frames_[frame].a, &b = *frames_[frame].b;
  if (a.num_inputs() != b.num_inputs()) {
    return FailAtFrame("numbers of inputs differ", frame, std::to_string(a.num_inputs()),
                       std::to_string(b.num_inputs()));
  }
  for (std::size_t i = 0; i < a.num_inputs(); ++i) {
    if (constants_.Same(a.input(i)->data(), b.input(i)->data())) continue;
    return FailAtFrame("default values of input " + std::to_string(i) + " differ", frame,
                       Describe(a.input(i)), Describe(b.input(i)));
  }
  if (a.num_outputs() != b.num_outputs()) {
    return FailAtFrame("numbers of outputs differ", frame, std::to_string(a.num_outputs()),
                       std::to_string(b.num_outputs()));
  }
  for (std::uint32_t i = 0; i < a.num_outputs(); ++i) {
    if (!MatchValues(a.output(i), b.output(i), {Via::kOutput, frame, i})) return false;
  }
  const std::uint32_t root = frames_[frame].root;
  const auto ordered_a = ordered_.at(frames_[root].a).Of(a);
  const auto ordered_b = ordered_.at(frames_[root].b).Of(b);
  if (ordered_a.size() != ordered_b.size()) {
    return FailAtFrame("numbers of nodes in program order (effects) differ", frame,
                       std::to_string(ordered_a.size()), std::to_string(ordered_b.size()));
  }
  for (std::uint32_t i = 0; i < ordered_a.size(); ++i) {
    if (!MatchNodes(ordered_a[i], ordered_b[i], {Via::kEffect, frame, i})) return false;
  }
  return true;
}

bool StructuralWalk::MatchValues(const Value* a, const Value* b, Trail trail) {
  if (a == nullptr || b == nullptr) {
    return a == b || FailAtEdge("an edge is missing on one side", trail, a, b);
  }
  if (a->kind() != b->kind()) return FailAtEdge("the edge comes from elsewhere", trail, a, b);
  if (a->is_constant()) {
    return constants_.Same(a->data(), b->data()) || FailAtEdge("constants differ", trail, a, b);
  }
  const auto graph = graph_of_.find(a->graph());
  if (graph == graph_of_.end() || graph->second != b->graph()) {
    return FailAtEdge("the edge comes from another graph", trail, a, b);
  }
  if (a->index() != b->index()) {
    return FailAtEdge(a->kind() == Value::Kind::kInput ? "the edge comes from another input"
                                                       : "the edge comes from another result",
                      trail, a, b);
  }
  if (a->kind() == Value::Kind::kInput) return true;
  return MatchNodes(a->producer(), b->producer(), trail);
}

bool StructuralWalk::MatchNodes(const Node* a, const Node* b, Trail trail) {
  const auto number = static_cast<std::uint32_t>(pairs_.size());
  const auto [in_a, new_a] = pair_of_a_.TryEmplace(a, number);
  const auto [in_b, new_b] = pair_of_b_.TryEmplace(b, number);
  if (*in_a != *in_b) {
    const std::string partner_a = new_a ? "none" : pairs_[*in_a].b->Describe();
    const std::string partner_b = new_b ? "none" : pairs_[*in_b].a->Describe();
    return Fail("the nodes have other partners already; values are shared or joined differently",
                &trail, a->Describe(), b->Describe(), "partner " + partner_a,
                "partner " + partner_b);
  }
  if (new_a) pairs_.push_back({a, b, trail});
  return true;
}

bool StructuralWalk::WorkOnPair(std::uint32_t pair) {
  const Node &a = *pairs_[pair].a, &b = *pairs_[pair].b;
  if (!MatchCallees(a, b, pair)) return false;
  if (!MatchAttributes(a, b, pair) || !MatchResults(a, b, pair)) return false;
  const std::size_t operands = CountedOperands(a, options_.level);
  if (operands != CountedOperands(b, options_.level)) {
    return FailAtPair("numbers of operands differ", pair, std::to_string(operands),
                      std::to_string(CountedOperands(b, options_.level)));
  }
  for (std::uint32_t i = 0; i < operands; ++i) {
    if (!MatchValues(a.operand(i), b.operand(i), {Via::kOperand, pair, i})) return false;
  }
  return true;
}

bool StructuralWalk::MatchResults(const Node& a, const Node& b, std::uint32_t pair) {
  const std::size_t results = CountedResults(a, options_.level);
  if (results != CountedResults(b, options_.level)) {
    return FailAtPair("numbers of results differ", pair, std::to_string(results),
                      std::to_string(CountedResults(b, options_.level)));
  }
  for (std::size_t i = 0; i < results; ++i) {
    if (ListedAlike(a.result(i), b.result(i))) continue;
    return FailAtPair("result " + std::to_string(i) + " is omitted on one side", pair,
                      Describe(a.result(i)), Describe(b.result(i)));
  }
  return true;
}

bool StructuralWalk::MatchCallees(const Node& a, const Node& b, std::uint32_t pair) {
  const auto x = functions_a_.find(&a.op()), y = functions_b_.find(&b.op());
  const bool call_a = x != functions_a_.end(), call_b = y != functions_b_.end();
  if (call_a && call_b) {
    const bool bound_apart = !MatchFunctions(x->second, y->second);
    if (difference_) return false;
    return !bound_apart || FailAtPair("the nodes call different functions", pair, a.op().ToString(),
                                      b.op().ToString());
  }
  if (call_a == call_b && SameOp(a.op(), b.op())) return true;
  return FailAtPair("op types differ", pair, a.op().ToString(), b.op().ToString());
}

bool StructuralWalk::MatchFunctions(std::size_t a, std::size_t b) {
  if (function_of_a_[a] != kNone || function_of_b_[b] != kNone) return function_of_a_[a] == b;
  function_of_a_[a] = b;
  function_of_b_[b] = a;
  const Function &x = a_.functions[a], &y = b_.functions[b];
  if (!MatchFunctionHeads(x, y)) return false;
  AddFrame(*x.graph, *y.graph, kNone, "function '" + x.op->ToString() + "'");
  return true;
}

bool StructuralWalk::MatchFunctionHeads(const Function& a, const Function& b) {
  std::optional<HeadDifference> head = CompareFunctionHeads(a, b, options_.level);
  if (!head) return true;
  return Fail(head->reason, nullptr, "function '" + a.op->ToString() + "'",
              "function '" + b.op->ToString() + "'", head->expected, head->found);
}

bool StructuralWalk::SameSymbols(const Symbol& a, const Symbol& b) {
  const auto find = [](const std::vector<Function>& functions, const std::string& name) {
    return std::find_if(functions.begin(), functions.end(),
                        [&](const Function& f) { return f.op->type == name; });
  };
  const auto x = find(a_.functions, a.name), y = find(b_.functions, b.name);
  if (x == a_.functions.end() || y == b_.functions.end()) {
    return a == b && (x == a_.functions.end()) == (y == b_.functions.end());
  }
  return MatchFunctions(static_cast<std::size_t>(x - a_.functions.begin()),
                        static_cast<std::size_t>(y - b_.functions.begin()));
}

bool StructuralWalk::MatchAttributes(const Node& a, const Node& b, std::uint32_t pair) {
  if (a.attributes().empty() && b.attributes().empty()) return true;
  const auto x = CountedAttributes(a, traits_.Of(a));
  const auto y = CountedAttributes(b, traits_.Of(b));
  for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    const bool only_a = i >= y.size() || (i < x.size() && x[i]->name < y[i]->name);
    const bool only_b = i >= x.size() || (i < y.size() && y[i]->name < x[i]->name);
    if (only_a) {
      return FailAtPair("attribute '" + x[i]->name + "' is missing on one side", pair,
                        Describe(x[i]->value), "nothing");
    }
    if (only_b) {
      return FailAtPair("attribute '" + y[i]->name + "' is missing on one side", pair, "nothing",
                        Describe(y[i]->value));
    }
    const bool same = SameAttributes(x[i]->value, y[i]->value, x[i]->name, pair);
    if (difference_) return false;
    if (same) continue;
    return FailAtPair("attribute '" + x[i]->name + "' differs", pair, Describe(x[i]->value),
                      Describe(y[i]->value));
  }
  return true;
}

bool StructuralWalk::SameAttributes(const Attribute& a, const Attribute& b, std::string_view name,
                                    std::uint32_t pair) {
  std::vector<std::pair<const Attribute*, const Attribute*>> pending = {{&a, &b}};
  while (!pending.empty()) {
    const auto [x, y] = pending.back();
    pending.pop_back();
    if (x->kind() != y->kind()) return false;
    if (const auto* list_a = x->As<Attribute::List>()) {
      const auto* list_b = y->As<Attribute::List>();
      if (list_a->size() != list_b->size()) return false;
      for (std::size_t i = 0; i < list_a->size(); ++i) {
        pending.emplace_back(&(*list_a)[i], &(*list_b)[i]);
      }
    } else if (const auto* dict_a = x->As<Attribute::Dict>()) {
      const auto* dict_b = y->As<Attribute::Dict>();
      if (dict_a->size() != dict_b->size()) return false;
      for (std::size_t i = 0; i < dict_a->size(); ++i) {
        if ((*dict_a)[i].name != (*dict_b)[i].name) return false;
        pending.emplace_back(&(*dict_a)[i].value, &(*dict_b)[i].value);
      }
    } else if (!SameLeaves(*x, *y, name, pair)) {
      return false;
    }
  }
  return true;
}

bool StructuralWalk::SameLeaves(const Attribute& a, const Attribute& b, std::string_view name,
                                std::uint32_t pair) {
  using Kind = Attribute::Kind;
  const auto same_lists = [](const auto& x, const auto& y, auto same) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
  };
  const auto add_frame = [&](const Attribute::GraphPtr& x, const Attribute::GraphPtr& y) {
    AddFrame(*x, *y, pair, "attribute '" + std::string(name) + "'");
    return true;
  };
  const auto same_types = [&](const Type& x, const Type& y) { return symbols_.Match(x, y, pair); };
  switch (a.kind()) {
    case Kind::kTensor:
    case Kind::kTensors:
    case Kind::kSparseTensor:
      return constants_.Same(&a, &b);
    case Kind::kGraph:
      return add_frame(*a.As<Attribute::GraphPtr>(), *b.As<Attribute::GraphPtr>());
    case Kind::kGraphs:
      return same_lists(*a.As<Attribute::Graphs>(), *b.As<Attribute::Graphs>(), add_frame);
    case Kind::kType:
      return same_types(*a.As<Type>(), *b.As<Type>());
    case Kind::kTypes:
      return same_lists(*a.As<Attribute::Types>(), *b.As<Attribute::Types>(), same_types);
    case Kind::kSymbol:
      return SameSymbols(*a.As<Symbol>(), *b.As<Symbol>());
    default:
      return Identical(a, b);
  }
}

bool StructuralWalk::CompareTypes() {
  for (const Frame& frame : frames_) {
    if (!CompareTypesOf(frame)) return false;
  }
  const std::optional<std::size_t> unsettled = symbols_.Settle();
  if (!unsettled) return true;
  if (*unsettled >= pairs_.size()) {
    return Fail("sizes have no one-to-one map of symbols", nullptr, "inputs", "inputs", "", "");
  }
  return FailAtPair("sizes have no one-to-one map of symbols",
                    static_cast<std::uint32_t>(*unsettled), "", "");
}

bool StructuralWalk::CompareTypesOf(const Frame& frame) {
  const auto unknown_result = UnknownResult(options_);
  const auto number = frame_of_.at(frame.a);
  for (std::size_t i = 0; i < frame.a->num_inputs(); ++i) {
    const Value &x = *frame.a->input(i), &y = *frame.b->input(i);
    if (symbols_.Match(x.type(), y.type(), kNone, SymbolMap::Unknown::kNamed)) continue;
    return FailAtFrame("types of input " + std::to_string(i) + " ('" + x.name() + "') differ",
                       number, x.type().ToString(), y.type().ToString());
  }
  for (const Node& node : frame.a->nodes()) {
    const std::uint32_t* pair = pair_of_a_.Find(&node);
    if (pair == nullptr) continue;
    const Node& partner = *pairs_[*pair].b;
    for (std::size_t i = 0; i < CountedResults(node, options_.level); ++i) {
      const Value *x = node.result(i), *y = partner.result(i);
      if (x == nullptr || y == nullptr ||
          symbols_.Match(x->type(), y->type(), *pair, unknown_result))
        continue;
      return FailAtPair("types of result " + std::to_string(i) + " ('" + x->name() + "') differ",
                        *pair, x->type().ToString(), y->type().ToString());
    }
  }
  return true;
}

}  // namespace dragoman::compare
