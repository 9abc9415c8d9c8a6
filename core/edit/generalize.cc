// SPDX-License-Identifier: Apache-2.0
#include "core/edit/generalize.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/analysis/facts.h"
#include "core/compare/diff.h"
#include "core/compare/diff_trace.h"
#include "core/edit/listings.h"
#include "core/edit/size_expressions.h"
#include "core/ir/for_each_value.h"
#include "core/rewrite/apply_facts.h"

namespace dragoman {
namespace {

class Generalizer {
 public:
  Generalizer(const Model& first, const Model& second, const Facts& names)
      : model_(Clone(first)), second_(second), names_(names) {}

  Result<Generalized> Run() {
    DRAGOMAN_TRY(PairNodes());
    DRAGOMAN_TRY(NameSizes());
    ForEachGraph(std::as_const(model_), [&](const Graph& graph) {
      ForEachValue(graph, [&](const Value& value) { value_names_.Reserve(value.name()); });
    });
    DRAGOMAN_TRY(ReplaceConstants(model_.main()));
    DRAGOMAN_TRY(CheckOutputs());
    SetTypes();
    DRAGOMAN_ASSIGN(done_.model, ApplyFactsToModel(model_, {}));
    return std::move(done_);
  }

 private:
  Status PairNodes() {
    if (model_.entries.size() != 1 || second_.entries.size() != 1)
      return Unsupported("the models have several entries; state one by --entry");
    CompareOptions options;
    options.level = Level::kCommon;
    options.ignore_shapes = true;
    options.ignore_origins = true;
    DiffTrace trace;
    DRAGOMAN_ASSIGN(DiffReport report, DiffModels(model_, second_, options, &trace));
    const auto is_constant = [](const Edit& edit) {
      return edit.kind == Edit::Kind::kChangedConstant;
    };
    std::erase_if(report.edits, is_constant);
    if (!report.edits.empty())
      return InvalidInput("the models differ in more than sizes: " + Verdict(report));
    for (const auto& [a, b] : trace.matched) partners_.emplace(a, b);
    return {};
  }

  // --- Inputs

  Status NameSizes() {
    const Graph &a = model_.main(), &b = second_.main();
    for (std::size_t i = 0; i < a.num_inputs(); ++i) {
      Value* input = a.input(i);
      const auto sizes = PairSizes(input->type(), b.input(i)->type());
      if (!sizes) {
        if (input->type() == b.input(i)->type()) continue;
        return InvalidInput("input '" + input->name() + "' is " + input->type().ToString() +
                            " in the first model, " + b.input(i)->type().ToString() +
                            " in the second; both state all sizes");
      }
      DRAGOMAN_TRY(CheckState(i, *sizes));
      inputs_.push_back({input, *sizes});
      for (std::size_t axis = 0; axis < sizes->size(); ++axis) {
        if (!(*sizes)[axis].equal()) NameSize(i, axis, (*sizes)[axis]);
      }
    }
    if (done_.sizes.empty()) return InvalidInput("no size of an input differs between the models");
    return {};
  }

  Status CheckState(std::size_t input, const std::vector<NumberPair>& sizes) const {
    for (const StateBinding& state : model_.entries[0].states) {
      if (state.input != input || std::ranges::all_of(sizes, &NumberPair::equal)) continue;
      return Unsupported("state '" + model_.states[state.state].name +
                         "' has an initial value of one size; use convert --batch");
    }
    return {};
  }

  void NameSize(std::size_t input, std::size_t axis, const NumberPair& pair) {
    const std::string place =
        "axis " + std::to_string(axis) + " of " + model_.main().input(input)->name();
    for (OpenSize& size : done_.sizes) {
      if (NumberPair{size.first, size.second} != pair) continue;
      return size.places.push_back(place);
    }
    done_.sizes.push_back({NameOf(input, axis), pair.first, pair.second, {place}});
  }

  // The name that the user gives, or one by the place.
  std::string NameOf(std::size_t input, std::size_t axis) const {
    const std::string& name = model_.main().input(input)->name();
    for (const ShapeFact& fact : names_.shapes) {
      if (fact.input != name && fact.input != std::to_string(input)) continue;
      const bool is_stated = axis < fact.dims.size() && fact.dims[axis];
      const std::string* symbol = is_stated ? fact.dims[axis]->symbol() : nullptr;
      if (symbol != nullptr) return *symbol;
    }
    std::string wanted = axis == 0 ? "batch" : "size";
    const auto is_taken = [&](const std::string& symbol) {
      return std::ranges::find(done_.sizes, symbol, &OpenSize::symbol) != done_.sizes.end();
    };
    for (int i = 2; is_taken(wanted); ++i)
      wanted = (axis == 0 ? "batch" : "size") + std::string("_") + std::to_string(i);
    return wanted;
  }

  // --- Constants

  Status ReplaceConstants(Graph& graph) {
    for (Node& node : graph.nodes()) {
      const auto found = partners_.find(&node);
      if (found != partners_.end()) DRAGOMAN_TRY(ReplaceOperands(node, *found->second));
      for (Graph* body : node.subgraphs()) DRAGOMAN_TRY(ReplaceConstants(*body));
    }
    return {};
  }

  Status ReplaceOperands(Node& a, const Node& b) {
    for (std::size_t i = 0; i < a.num_operands(); ++i) {
      const Value *x = a.operand(i), *y = b.operand(i);
      const Tensor* first = x != nullptr && x->is_constant() ? x->tensor() : nullptr;
      const Tensor* second = y != nullptr && y->is_constant() ? y->tensor() : nullptr;
      if (first == nullptr || second == nullptr || *first == *second) continue;
      if (Value* target = i == 1 && a.Is("Reshape") ? ReshapeTarget(a, *first, *second) : nullptr) {
        a.set_operand(i, target);
        continue;
      }
      SizeExpressions expressions(value_names_, a, SourcesOf(a, b));
      Value* made = expressions.Constant(*first, *second);
      if (made == nullptr)
        return Unsupported(a.Describe() + ": operand " + std::to_string(i) + ", constant '" +
                           x->name() + "', differs in the models (" + first->type().ToString() +
                           ", " + second->type().ToString() +
                           ") and is not an expression of their sizes");
      done_.changes.push_back(a.Describe() + ": operand " + std::to_string(i) + " is " +
                              expressions.text());
      a.set_operand(i, made);
    }
    return {};
  }

  // What sizes are read off: operands of the node, then inputs.
  std::vector<SizedValue> SourcesOf(const Node& a, const Node& b) const {
    std::vector<SizedValue> sources;
    for (std::size_t i = 0; i < a.num_operands(); ++i) {
      if (a.operand(i) == nullptr || a.operand(i)->is_constant() || b.operand(i) == nullptr)
        continue;
      if (auto sizes = PairSizes(a.operand(i)->type(), b.operand(i)->type()))
        sources.push_back({a.operand(i), std::move(*sizes)});
    }
    sources.insert(sources.end(), inputs_.begin(), inputs_.end());
    return sources;
  }

  // Where one size differs, it follows from the others; one that the data has at its place is
  // copied. nullptr: more is needed.
  Value* ReshapeTarget(Node& node, const Tensor& first, const Tensor& second) {
    const Attribute* allows_zero = node.attribute("allowzero");
    if (allows_zero != nullptr && *allows_zero->As<std::int64_t>() != 0) return nullptr;
    if (first.rank() != 1 || first.sizes() != second.sizes()) return nullptr;
    std::vector<std::int64_t> target = first.ToInts();
    const std::vector<std::int64_t> other = second.ToInts();
    std::ptrdiff_t open = std::ranges::count(target, -1);
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (target[i] == other[i]) continue;
      if (target[i] == 0 || other[i] == 0 || target[i] == -1 || other[i] == -1) return nullptr;
      target[i] = CopiesSize(node, i, {target[i], other[i]}) ? 0 : -1;
      open += target[i] == -1;
    }
    if (open > 1) return nullptr;
    Value* value = node.graph()->AddConstant(node.operand(1)->name(), Tensor::Ints(target));
    done_.changes.push_back(node.Describe() + ": operand 1 is " + ListText(target));
    return value;
  }

  bool CopiesSize(const Node& node, std::size_t axis, const NumberPair& pair) const {
    const Node* partner = partners_.at(&node);
    const auto sizes = PairSizes(node.operand(0)->type(), partner->operand(0)->type());
    return sizes && axis < sizes->size() && (*sizes)[axis] == pair;
  }

  static std::string ListText(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (const std::int64_t number : numbers)
      text += (text.empty() ? "" : ", ") + std::to_string(number);
    return "[" + text + "]";
  }

  // --- Types

  Status CheckOutputs() const {
    for (std::size_t i = 0; i < model_.main().num_outputs(); ++i) {
      const Value *x = model_.main().output(i), *y = second_.main().output(i);
      if (!x->is_constant() || *x->tensor() == *y->tensor()) continue;
      return Unsupported("output '" + x->name() + "' is a constant that differs in the models");
    }
    return {};
  }

  void SetTypes() {
    ForgetListings(model_.main());
    for (const SizedValue& input : inputs_) {
      Shape shape = *input.value->type().shape();
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const NumberPair& pair = input.sizes[axis];
        for (const OpenSize& size : done_.sizes) {
          if (NumberPair{size.first, size.second} == pair) shape[axis] = Dim::Symbol(size.symbol);
        }
      }
      input.value->set_type(Type::Tensor(input.value->type().dtype(), std::move(shape)));
    }
    for (const Use& output : model_.main().outputs()) {
      const Type& type = output.value()->type();
      if (output.value()->kind() == Value::Kind::kResult && type.is_tensor())
        output.value()->set_type(Type::Tensor(type.dtype(), std::nullopt));
    }
    model_.main().EraseConstantsIf([](const Value& value) { return !value.used(); });
  }

  Model model_;
  const Model& second_;
  const Facts& names_;
  std::unordered_map<const Node*, const Node*> partners_;
  std::vector<SizedValue> inputs_;
  NameScope value_names_;
  Generalized done_;
};

}  // namespace

Result<Generalized> GeneralizeModels(const Model& first, const Model& second, const Facts& names) {
  return Generalizer(first, second, names).Run();
}

}  // namespace dragoman
