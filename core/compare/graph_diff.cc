// SPDX-License-Identifier: Apache-2.0
#include "core/compare/graph_diff.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/compare/match_cost.h"
#include "core/compare/match_nodes.h"
#include "core/compare/places.h"
#include "core/compare/symbol_map.h"
#include "core/compare/tensor_differences.h"
#include "core/compare/unused_constants.h"

namespace dragoman::compare {
namespace {

class GraphDiff {
 public:
  GraphDiff(const Graph& a, const Graph& b, const std::string& name,
            const GraphDiffContext& context, std::vector<Edit>& edits)
      : root_a_(a),
        root_b_(b),
        name_(name),
        context_(context),
        edits_(edits),
        symbols_(context.options.ignore_shapes),
        input_of_b_(PairInputs(a, b)),
        a_(a, SideContextOf(false)),
        b_(b, SideContextOf(true)) {
    MatchNodes(a_, b_);
  }

  void Run() {
    if (context_.trace != nullptr) TraceMatches(*context_.trace);
    CompareInputs();
    for (const Graph* graph : a_.graphs) {
      for (const Node& node : graph->nodes()) CompareNode(node);
      ComparePartnerOutputs(*graph);
    }
    for (const Graph* graph : b_.graphs) {
      for (const Node& node : graph->nodes()) {
        const std::int64_t i = b_.IndexOf(&node);
        if (i >= 0 && At(b_, i).partner < 0) AddInserted(node);
      }
    }
    if (context_.options.level == Level::kSource) CompareUnusedConstants();
  }

 private:
  void TraceMatches(DiffTrace& trace) const {
    for (const GraphSide::Entry& entry : a_.entries) {
      if (entry.partner >= 0) trace.matched.emplace_back(entry.node, At(b_, entry.partner).node);
    }
  }

  void TraceLastEdit(const DiffTrace::Place& place) const {
    if (context_.trace == nullptr) return;
    context_.trace->edited.resize(edits_.size());
    context_.trace->edited.back() = place;
  }

  static const GraphSide::Entry& At(const GraphSide& side, std::int64_t i) {
    return side.entries[static_cast<std::size_t>(i)];
  }

  // For each input of b the input of a: by position if there are equally many, else by name; -1:
  // none.
  static std::vector<std::int64_t> PairInputs(const Graph& a, const Graph& b) {
    std::vector<std::int64_t> pairs(b.num_inputs(), -1);
    std::unordered_map<std::string, std::int64_t> by_name;
    for (std::size_t i = 0; i < a.num_inputs(); ++i) {
      by_name.emplace(a.input(i)->name(), static_cast<std::int64_t>(i));
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto found = by_name.find(b.input(i)->name());
      if (a.num_inputs() == b.num_inputs()) {
        pairs[i] = static_cast<std::int64_t>(i);
      } else if (found != by_name.end()) {
        pairs[i] = found->second;
        by_name.erase(found);
      }
    }
    return pairs;
  }

  SideContext SideContextOf(bool of_b) const {
    SideContext side{context_.options, context_.constants, context_.forms, context_.traits, {}, {}};
    side.canonical_op = [this, of_b](const OpName& op) -> const OpName& {
      return of_b ? context_.canonical_op(op) : op;
    };
    side.input_code = [this, of_b](std::size_t i) -> std::uint64_t {
      if (!of_b) return i;
      const std::int64_t partner = input_of_b_[i];
      return partner >= 0 ? static_cast<std::uint64_t>(partner) : ~std::uint64_t{i};
    };
    return side;
  }

  using Kind = Edit::Kind;
  using Part = Edit::Part;

  Edit& Add(Kind kind, Part part, std::size_t index, std::string what, std::string place_a,
            std::string place_b) {
    Edit& edit = edits_.emplace_back();
    edit.kind = kind;
    edit.part = part;
    edit.index = index;
    edit.path = {name_};
    edit.what = std::move(what);
    edit.place_a = std::move(place_a);
    edit.place_b = std::move(place_b);
    return edit;
  }

  Edit& AddAtNodes(Kind kind, Part part, std::size_t index, std::string what, const Node& a,
                   const Node& b) {
    Edit& edit = Add(kind, part, index, std::move(what), a.Describe(), b.Describe());
    SetNodes(edit, &a, &b);
    return edit;
  }

  // nullptr: the other one was inserted, or removed.
  void SetNodes(Edit& edit, const Node* a, const Node* b) const {
    const Node& node = a == nullptr ? *b : *a;
    edit.path = PathOf(*node.graph());
    edit.op = node.op().ToString();
    TraceLastEdit({{a, b}, {}});
    if (a != nullptr) edit.node_a = NameOf(*a);
    if (b != nullptr) edit.node_b = NameOf(*b);
    if (context_.options.ignore_origins) return;
    if (a != nullptr) edit.origin_a = DescribeOrigin(a->origin());
    if (b != nullptr) edit.origin_b = DescribeOrigin(b->origin());
  }

  std::vector<std::string> PathOf(const Graph& graph) const {
    std::vector<std::string> path;
    for (const Graph* at = &graph; at->parent() != nullptr; at = at->parent()->graph())
      path.emplace_back(NameOf(*at->parent()));
    path.push_back(name_);
    std::ranges::reverse(path);
    return path;
  }

  static Edit::End EndOf(const Value* value) {
    using End = Edit::End;
    if (value == nullptr) return {};
    End end;
    end.kind = value->is_constant() ? End::Kind::kConstant : End::Kind::kInput;
    end.name = value->name();
    end.type = value->type().ToString();
    if (const Node* producer = value->producer()) {
      end.kind = End::Kind::kResult;
      end.node = NameOf(*producer);
      end.op = producer->op().ToString();
      end.result = value->index();
    }
    return end;
  }

  static void SetEnds(Edit& edit, const Value* a, const Value* b) {
    edit.old_end = EndOf(a);
    edit.new_end = EndOf(b);
  }

  void AddInserted(const Node& node) {
    Edit& edit = Add(Kind::kInsertedNode, Part::kWhole, 0, "", "", node.Describe());
    SetNodes(edit, nullptr, &node);
    edit.new_value = Surroundings(node);
    if (node.num_operands() > 0) edit.first_operand = EndOf(node.operand(0));
  }

  void AddRemoved(const Node& node) {
    Edit& edit = Add(Kind::kRemovedNode, Part::kWhole, 0, "", node.Describe(), "");
    SetNodes(edit, &node, nullptr);
    edit.old_value = Surroundings(node);
    if (node.num_operands() > 0) edit.first_operand = EndOf(node.operand(0));
  }

  static std::string Surroundings(const Node& node) {
    return "first operand: " + Describe(node.operand(0));
  }

  static void SetValues(Edit& edit, std::string old_value, std::string new_value) {
    edit.old_value = std::move(old_value);
    edit.new_value = std::move(new_value);
  }

  void CompareInputs() {
    std::set<std::int64_t> taken(input_of_b_.begin(), input_of_b_.end());
    for (std::size_t i = 0; i < root_a_.num_inputs(); ++i) {
      if (taken.contains(static_cast<std::int64_t>(i))) continue;
      Add(Kind::kChangedInput, Part::kInput, i, "input " + std::to_string(i) + " removed",
          Describe(root_a_.input(i)), "")
          .old_end = EndOf(root_a_.input(i));
      TraceLastEdit({{}, {root_a_.input(i), nullptr}});
    }
    for (std::size_t i = 0; i < root_b_.num_inputs(); ++i) {
      const Value& y = *root_b_.input(i);
      const std::int64_t partner = input_of_b_[i];
      if (partner < 0) {
        Add(Kind::kChangedInput, Part::kInput, i, "input " + std::to_string(i) + " inserted", "",
            Describe(&y))
            .new_end = EndOf(&y);
        TraceLastEdit({{}, {nullptr, &y}});
        continue;
      }
      const Value& x = *root_a_.input(static_cast<std::size_t>(partner));
      if (!symbols_.Match(x.type(), y.type(), 0, SymbolMap::Unknown::kNamed)) {
        SetValues(Add(Kind::kChangedInput, Part::kInput, i, "type of input " + std::to_string(i),
                      Describe(&x), Describe(&y)),
                  x.type().ToString(), y.type().ToString());
        SetEnds(edits_.back(), &x, &y);
        TraceLastEdit({{}, {&x, &y}});
      }
      if (!context_.constants.Same(x.data(), y.data())) {
        SetValues(Add(Kind::kChangedInput, Part::kInput, i, "default of input " + std::to_string(i),
                      Describe(&x), Describe(&y)),
                  x.data() == nullptr ? "nothing" : Describe(*x.data()),
                  y.data() == nullptr ? "nothing" : Describe(*y.data()));
        TraceLastEdit({{}, {&x, &y}});
      }
    }
  }

  void CompareNode(const Node& a) {
    const std::int64_t i = a_.IndexOf(&a);
    if (i < 0) return;
    if (At(a_, i).partner < 0) return AddRemoved(a);
    const Node& b = *At(b_, At(a_, i).partner).node;
    if (!SameOp(a.op(), context_.canonical_op(b.op()))) {
      SetValues(AddAtNodes(Kind::kChangedOp, Part::kWhole, 0, "", a, b), a.op().ToString(),
                b.op().ToString());
    }
    CompareAttributes(a, b);
    CompareOperands(a, b);
    CompareResults(a, b);
  }

  void CompareAttributes(const Node& a, const Node& b) {
    const auto x = CountedAttributes(a, context_.traits.Of(a));
    const auto y = CountedAttributes(b, context_.traits.Of(b));
    for (std::size_t i = 0, j = 0; i < x.size() || j < y.size();) {
      const bool in_a = i < x.size() && (j == y.size() || x[i]->name <= y[j]->name);
      const bool in_b = j < y.size() && (i == x.size() || y[j]->name <= x[i]->name);
      const Attribute* old_value = in_a ? &x[i]->value : nullptr;
      const Attribute* new_value = in_b ? &y[j]->value : nullptr;
      if (!in_a || !in_b || !SameAttribute(*old_value, *new_value)) {
        const std::string& name = (in_a ? x[i] : y[j])->name;
        Edit& edit = AddAtNodes(Kind::kChangedAttribute, Part::kAttribute, 0,
                                "attribute '" + name + "'", a, b);
        edit.attribute = name;
        SetValues(edit, in_a ? Describe(*old_value) : "nothing",
                  in_b ? Describe(*new_value) : "nothing");
        AddElements(in_a ? old_value->tensor() : nullptr, in_b ? new_value->tensor() : nullptr);
      }
      i += in_a;
      j += in_b;
    }
  }

  // Graphs are compared node by node elsewhere.
  bool SameAttribute(const Attribute& a, const Attribute& b) {
    if (a.kind() != b.kind()) return false;
    if (const Type* type = a.As<Type>()) return symbols_.Match(*type, *b.As<Type>(), 0);
    if (a.graph() != nullptr) return true;
    if (const auto* graphs = a.As<Attribute::Graphs>()) {
      return graphs->size() == b.As<Attribute::Graphs>()->size();
    }
    return context_.constants.Same(&a, &b);
  }

  void AddElements(const Tensor* a, const Tensor* b) {
    if (a == nullptr || b == nullptr || a->dtype() != b->dtype() || a->sizes() != b->sizes())
      return;
    const rt::ElementDifferences differences =
        FindDifferences(*a, *b, {.scale = rt::Scale::kLarger});
    edits_.back().elements = Edit::Elements{
        differences.changed, a->size(), differences.first_changed,
        a->dtype() == DType::kString ? 0 : differences.largest, differences.largest_relative};
  }

  bool SameEdge(const Value* a, const Value* b) {
    if (a == nullptr || b == nullptr) return a == b;
    if (a->kind() != b->kind()) return false;
    switch (a->kind()) {
      case Value::Kind::kConstant:
        return context_.constants.Same(a->data(), b->data());
      case Value::Kind::kInput: {
        const bool roots = a->graph() == &root_a_ && b->graph() == &root_b_;
        if (roots) return input_of_b_[b->index()] == static_cast<std::int64_t>(a->index());
        return a->index() == b->index() && a_.ScopeOf(*a->graph()) == b_.ScopeOf(*b->graph());
      }
      case Value::Kind::kResult:
        return a->index() == b->index() && PartnerOfA(a->producer()) == b->producer();
    }
    return false;
  }

  const Node* PartnerOfA(const Node* node) const {
    const std::int64_t i = a_.IndexOf(node);
    return i < 0 || At(a_, i).partner < 0 ? nullptr : At(b_, At(a_, i).partner).node;
  }

  static const Node* Unmatched(const Value* value, const GraphSide& side) {
    if (value == nullptr || value->producer() == nullptr) return nullptr;
    const std::int64_t i = side.IndexOf(value->producer());
    return i < 0 || At(side, i).partner < 0 ? value->producer() : nullptr;
  }

  // Whether nodes that were inserted or removed say already why the edge differs: they lie on it.
  bool Explained(const Value* a, const Value* b) {
    const std::vector<const Value*> behind_a = Behind(a, a_), behind_b = Behind(b, b_);
    for (const Value* x : behind_a) {
      for (const Value* y : behind_b) {
        if (SameEdge(x, y)) return true;
      }
    }
    return false;
  }

  // The value, and those that it is computed from by unmatched nodes only, nearest first.
  static std::vector<const Value*> Behind(const Value* value, const GraphSide& side) {
    std::vector<const Value*> found = {value};
    for (std::size_t i = 0; i < found.size() && found.size() < kMaxBehind; ++i) {
      const Node* unmatched = Unmatched(found[i], side);
      const std::size_t count = unmatched != nullptr ? unmatched->num_operands() : 0;
      for (std::size_t k = 0; k < count && found.size() < kMaxBehind; ++k)
        found.push_back(unmatched->operand(k));
    }
    return found;
  }

  void CompareOperands(const Node& a, const Node& b) {
    const std::size_t count_a = CountedOperands(a, context_.options.level);
    const std::size_t count_b = CountedOperands(b, context_.options.level);
    const bool swaps = context_.options.commute && context_.traits.Of(a).commutative;
    const bool swapped = swaps && count_a >= 2 && count_b >= 2 &&
                         SameEdge(a.operand(0), b.operand(1)) &&
                         SameEdge(a.operand(1), b.operand(0));
    for (std::size_t i = swapped ? 2 : 0; i < std::max(count_a, count_b); ++i) {
      const Value *x = a.operand(i), *y = b.operand(i);
      if (SameEdge(x, y)) {
        const bool slots = i < count_a && i < count_b;
        if (!slots) AddOperand(Kind::kChangedOperand, i, a, b);
      } else if (x != nullptr && y != nullptr && x->is_constant() && y->is_constant()) {
        AddConstant(i, a, b, *x, *y);
      } else if (!Explained(x, y)) {
        SetValues(AddOperand(Kind::kChangedOperand, i, a, b), Describe(x), Describe(y));
        SetEnds(edits_.back(), x, y);
      }
    }
  }

  Edit& AddOperand(Kind kind, std::size_t i, const Node& a, const Node& b) {
    return AddAtNodes(kind, Part::kOperand, i, "operand " + std::to_string(i), a, b);
  }

  // A constant that several nodes read is listed once.
  void AddConstant(std::size_t i, const Node& a, const Node& b, const Value& x, const Value& y) {
    if (!constants_listed_.emplace(&x, &y).second) return;
    SetValues(AddOperand(Kind::kChangedConstant, i, a, b), Describe(&x), Describe(&y));
    SetEnds(edits_.back(), &x, &y);
    AddElements(x.tensor(), y.tensor());
  }

  void CompareUnusedConstants() {
    for (const auto& [x, y] : FindChangedUnusedConstants(root_a_, root_b_, context_.constants)) {
      const std::string what =
          y == nullptr ? "unused constant removed"
                       : (x == nullptr ? "unused constant inserted" : "unused constant");
      Add(Kind::kChangedConstant, Part::kWhole, 0, what, x == nullptr ? "" : Describe(x),
          y == nullptr ? "" : Describe(y));
      AddElements(x == nullptr ? nullptr : x->tensor(), y == nullptr ? nullptr : y->tensor());
    }
  }

  void CompareResults(const Node& a, const Node& b) {
    const std::size_t count = std::max(CountedResults(a, context_.options.level),
                                       CountedResults(b, context_.options.level));
    for (std::size_t i = 0; i < count; ++i) {
      const Value *x = a.result(i), *y = b.result(i);
      const std::string what = "result " + std::to_string(i);
      if (x == nullptr || y == nullptr) {
        if (ListedAlike(x, y)) continue;
        SetValues(AddAtNodes(Kind::kChangedResult, Part::kResult, i, what, a, b), Describe(x),
                  Describe(y));
        SetEnds(edits_.back(), x, y);
      } else if (!symbols_.Match(x->type(), y->type(), 0, UnknownResult(context_.options))) {
        SetValues(AddAtNodes(Kind::kChangedType, Part::kResult, i, "type of " + what, a, b),
                  x->type().ToString(), y->type().ToString());
      }
    }
  }

  const Graph* PartnerGraph(const Graph& a) const {
    if (&a == &root_a_) return &root_b_;
    const Node* partner = PartnerOfA(a.parent());
    if (partner == nullptr) return nullptr;
    const std::vector<Graph*> of_a = a.parent()->subgraphs(), of_b = partner->subgraphs();
    const auto number = std::find(of_a.begin(), of_a.end(), &a) - of_a.begin();
    return static_cast<std::size_t>(number) < of_b.size() ? of_b[static_cast<std::size_t>(number)]
                                                          : nullptr;
  }

  void ComparePartnerOutputs(const Graph& a) {
    const Graph* b = PartnerGraph(a);
    if (b == nullptr) return;
    const std::string owner =
        a.parent() == nullptr ? "" : " of a body of " + a.parent()->Describe();
    for (std::size_t i = 0; i < std::max(a.num_outputs(), b->num_outputs()); ++i) {
      const bool in_a = i < a.num_outputs(), in_b = i < b->num_outputs();
      const Value *x = in_a ? a.output(i) : nullptr, *y = in_b ? b->output(i) : nullptr;
      if (in_a && in_b && (SameEdge(x, y) || Explained(x, y))) continue;
      const std::string what = "output " + std::to_string(i) + owner;
      Edit& edit = Add(Kind::kChangedOutput, Part::kOutput, i, what, in_a ? Describe(x) : "",
                       in_b ? Describe(y) : "");
      if (in_a) edit.old_end = EndOf(x);
      if (in_b) edit.new_end = EndOf(y);
      edit.path = PathOf(a);
      TraceLastEdit({{}, {x, y}});
    }
  }

  const Graph& root_a_;
  const Graph& root_b_;
  const std::string& name_;
  const GraphDiffContext& context_;
  std::vector<Edit>& edits_;
  SymbolMap symbols_;
  std::vector<std::int64_t> input_of_b_;
  GraphSide a_;
  GraphSide b_;
  std::set<std::pair<const Value*, const Value*>> constants_listed_;
};

}  // namespace

void DiffGraphs(const Graph& a, const Graph& b, const std::string& name,
                const GraphDiffContext& context, std::vector<Edit>& edits) {
  GraphDiff(a, b, name, context, edits).Run();
}

}  // namespace dragoman::compare
