// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/apply_rule.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/ir/domain.h"
#include "core/ir/producer.h"
#include "core/ir/type_algebra.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/match/rule_number.h"
#include "core/rewrite/reader.h"

namespace dragoman {
namespace {

using TermKind = RuleTerm::Kind;
using CaptureKind = RuleCapture::Kind;

bool HoldsExactly(float number, double value) { return number == value || std::isnan(value); }

bool HasBody(const std::vector<const NamedAttribute*>& attributes) {
  return std::ranges::any_of(attributes, [](const NamedAttribute* attribute) {
    return attribute->value.graph() != nullptr ||
           attribute->value.kind() == Attribute::Kind::kGraphs;
  });
}

// A tensor of `dtype` that is the value of an attribute.
std::optional<Tensor> TensorOf(const Attribute& value, DType dtype) {
  if (value.tensor() != nullptr) return *value.tensor();
  if (const auto* ints = value.As<Attribute::Ints>()) return Tensor::Ints(*ints);
  const std::optional<double> number = NumberIn(value);
  Result<Tensor> tensor = Tensor::Full(dtype, {}, number.value_or(0));
  return number && tensor.ok() ? std::optional(*std::move(tensor)) : std::nullopt;
}

bool Allows(const OpDef& def, const Formal& formal, DType dtype) {
  return dtype != DType::kUnknown &&
         def.signature.variables[static_cast<std::size_t>(formal.variable)].allowed.Has(dtype);
}

// By name: operators in place end in _, and called functions may have some.
bool MutatesByName(const Node& node) {
  const std::string& type = node.op().type;
  return type.ends_with('_') || type.starts_with("Call") || type == "SetAttr";
}

bool MayMutate(const Node& node) {
  bool mutates = MutatesByName(node);
  for (const Graph* body : node.subgraphs()) {
    ForEachGraph(*body, [&](const Graph& graph) {
      for (const Node& inner : graph.nodes()) mutates = mutates || MutatesByName(inner);
    });
  }
  return mutates;
}

class Replacing {
 public:
  Replacing(const Rule& rule, const RuleMatch& match, Level level, PassContext& context)
      : rule_(rule),
        match_(match),
        level_(level),
        context_(context),
        root_(*match.nodes[rule.roots.front()]),
        graph_(*root_.graph()) {}

  std::optional<std::string> Run() {
    if (CheckOrder() && FindPosition() && InsertAll() && CheckResults() && MakeFit()) {
      Replace();
      return std::nullopt;
    }
    Undo();
    return std::move(refusal_);
  }

 private:
  bool Refuse(std::string why) {
    refusal_ = std::move(why);
    return false;
  }

  // --- where

  // Nodes of a file may change what others read; what is matched is computed at one time then, so
  // none of them may stand in between.
  bool CheckOrder() {
    if (level_ == Level::kCommon) return true;
    bool is_between = false;
    auto left = std::ranges::count_if(match_.nodes,
                                      [&](const Node* node) { return node->graph() == &graph_; });
    for (const Node* node = graph_.last_node(); node != nullptr && left > 0; node = node->prev()) {
      if (match_.Has(node)) {
        is_between = true;
        left -= std::ranges::count(match_.nodes, node);
      } else if (is_between && MayMutate(*node)) {
        return Refuse(node->Describe() + " may change what the pattern reads");
      }
    }
    return true;
  }

  // After all that is captured and before all that reads a result.
  bool FindPosition() {
    position_ = &root_;
    if (rule_.roots.size() == 1) return true;
    std::unordered_map<const Node*, std::size_t> order;
    for (const Node& node : graph_.nodes()) order.emplace(&node, order.size());
    std::vector<Node*> roots;
    for (const std::size_t root : rule_.roots) roots.push_back(match_.nodes[root]);
    std::ranges::sort(roots, {}, [&](const Node* node) { return order.at(node); });
    position_ = roots.front();
    const Node* last = nullptr;  // of those that give captures
    for (const Value* value : Captured()) {
      const Node* node = value->producer();
      if (node == nullptr || node->graph() != &graph_) continue;
      if (last == nullptr || order.at(last) < order.at(node)) last = node;
    }
    if (last == nullptr || order.at(last) < order.at(position_)) return true;
    position_ = last->next();
    return CheckReaders(order, order.at(last));
  }

  bool CheckReaders(const std::unordered_map<const Node*, std::size_t>& order, std::size_t last) {
    for (const std::size_t root : rule_.roots) {
      const Node& node = *match_.nodes[root];
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        if (node.result(i) == nullptr) continue;
        for (const Use* use = node.result(i)->first_use(); use != nullptr; use = use->next()) {
          const Node* user = ReaderIn(graph_, *use);
          if (user == nullptr || match_.Has(user) || order.at(user) > last) continue;
          return Refuse(
              fmt::format("%{} is read by {} before all operands of the replacement are "
                          "computed",
                          node.result(i)->name(), user->Describe()));
        }
      }
    }
    return true;
  }

  std::vector<const Value*> Captured() const {
    std::vector<const Value*> values;
    for (const RuleBinding& binding : match_.bindings) {
      if (binding.value != nullptr) values.push_back(binding.value);
      for (const Value* value : binding.values) {
        if (value != nullptr) values.push_back(value);
      }
    }
    return values;
  }

  // --- what

  bool InsertAll() {
    for (const RuleNode& wanted : rule_.replacement.nodes) {
      if (!Insert(wanted)) return false;
    }
    for (std::size_t i = 0; i < rule_.replacement.results.size(); ++i) {
      const RuleTerm& term = rule_.replacement.results[i];
      by_.push_back(ValueOf(term));
    }
    return true;
  }

  // nullptr: a constant that has to be made.
  Value* ValueOf(const RuleTerm& term) const {
    if (term.kind == TermKind::kResult) return inserted_[term.index]->result(term.result);
    if (term.kind == TermKind::kKept) return match_.nodes[term.index]->result(term.result);
    return term.kind == TermKind::kCapture ? match_.bindings[term.index].value : nullptr;
  }

  const OpName* OperatorOf(const RuleNode& wanted) const {
    if (wanted.op != nullptr) return wanted.op;
    for (std::size_t i = 0; i < match_.nodes.size(); ++i) {
      if (rule_.pattern.nodes[i].op != nullptr) continue;
      const OpName& op = match_.nodes[i]->op();
      return InternOp(wanted.family->dialect, op.type, wanted.family->domain, op.overload);
    }
    return nullptr;
  }

  bool Insert(const RuleNode& wanted) {
    const OpName* op = OperatorOf(wanted);
    std::vector<Value*> operands;
    if (!MakeOperands(wanted, FindOp(*op), operands)) return false;
    while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
    Node* node = graph_.Insert(position_, op, operands, NameOf(wanted));
    inserted_.push_back(node);
    node->set_origin(root_.origin());
    if (!SetAttributes(wanted, *node)) return false;
    AddResults(wanted, *node);
    if (level_ == Level::kSource) return true;
    const Status inferred = context_.inference.InferNode(*node);
    return inferred.ok() || Refuse(fmt::format("the replacement's {}: {}", wanted.label,
                                               inferred.error().findings().front().message));
  }

  // That of the root. Some readers of files want each name once.
  std::string NameOf(const RuleNode& wanted) const {
    const bool is_last = &wanted == &rule_.replacement.nodes.back();
    if (is_last || level_ == Level::kCommon || root_.name().empty()) return root_.name();
    return fmt::format("{}_{}", root_.name(), inserted_.size());
  }

  void AddResults(const RuleNode& wanted, Node& node) {
    const std::size_t count = wanted.whole ? root_.num_results() : wanted.num_results;
    for (std::size_t i = 0; i < count; ++i) {
      const Value* old = wanted.whole ? root_.result(i) : root_.result();
      if (wanted.whole && old == nullptr) {
        node.AddOmittedResult();
        continue;
      }
      node.AddResult(context_.UniqueName(old != nullptr ? old->name() : node.op().type));
    }
  }

  bool MakeOperands(const RuleNode& wanted, const OpDef* def, std::vector<Value*>& operands) {
    std::vector<std::pair<std::size_t, const RuleTerm*>> open;  // whose element type follows
    for (const RuleTerm& term : wanted.operands) {
      if (rule_.IsList(term)) {
        const std::vector<Value*>& values = match_.bindings[term.index].values;
        operands.insert(operands.end(), values.begin(), values.end());
        continue;
      }
      const bool is_made =
          term.kind == TermKind::kNumber || term.kind == TermKind::kInts ||
          term.kind == TermKind::kTensor ||
          (term.kind == TermKind::kCapture && !rule_.captures[term.index].is_operand());
      if (is_made) open.emplace_back(operands.size(), &term);
      operands.push_back(ValueOf(term));
    }
    for (const auto& [index, term] : open) {
      const DType dtype = ElementTypeOf(index, def, operands, UsualElementType());
      operands[index] = MakeConstant(*term, dtype);
      if (operands[index] == nullptr) return false;
    }
    return true;
  }

  // Of what is replaced, else of the first capture of which it is known.
  DType UsualElementType() const {
    if (root_.result() != nullptr && root_.result()->type().dtype() != DType::kUnknown)
      return root_.result()->type().dtype();
    for (const Value* value : Captured()) {
      if (value->type().dtype() != DType::kUnknown) return value->type().dtype();
    }
    return DType::kUnknown;
  }

  Value* MakeConstant(const RuleTerm& term, DType dtype) {
    std::optional<Tensor> tensor;
    if (term.kind == TermKind::kTensor) {
      tensor = term.tensor;
    } else if (term.kind == TermKind::kInts) {
      tensor = Tensor::Ints(term.ints);
    } else if (term.kind == TermKind::kCapture) {
      tensor = TensorOf(*match_.bindings[term.index].attribute, dtype);
    } else {
      const std::optional<double> number = NumberOf(term.number);
      Result<Tensor> full = Tensor::Full(dtype, {}, number.value_or(0));
      if (number && full.ok()) tensor = *std::move(full);
    }
    if (!tensor) {
      Refuse(dtype == DType::kUnknown
                 ? "the element type of a number of the replacement is not known; write it as "
                   "f32[] 1.0"
                 : "a number of the replacement is not known");
      return nullptr;
    }
    constants_.push_back(
        context_.AddConstant(graph_, *std::move(tensor), "number", root_.origin()));
    return constants_.back();
  }

  std::optional<double> NumberOf(const RuleNumber& number) const {
    return Evaluate(number, [&](const RuleNumber& leaf) { return NumberAt(leaf, rule_, match_); });
  }

  // --- attributes

  bool SetAttributes(const RuleNode& wanted, Node& node) {
    for (const RuleAttribute& attribute : wanted.attributes) {
      if (!SetAttribute(attribute, node)) return false;
    }
    if (!wanted.others) return true;
    const std::vector<const NamedAttribute*>& others = match_.bindings[*wanted.others].attributes;
    if (HasBody(others)) return CopyBodies(others, node);
    for (const NamedAttribute* attribute : others) {
      if (node.attribute(attribute->name) == nullptr) node.AddAttribute(*attribute);
    }
    return true;
  }

  // A graph belongs to one node: the copy of the node that has it gives the new one its own.
  bool CopyBodies(const std::vector<const NamedAttribute*>& others, Node& node) {
    const auto owner = std::ranges::find_if(match_.nodes, [&](const Node* matched) {
      return !matched->attributes().empty() && others.front() >= matched->attributes().data() &&
             others.front() < matched->attributes().data() + matched->attributes().size();
    });
    if (owner == match_.nodes.end()) return Refuse("the bodies of an operator cannot be copied");
    ValueMap map;
    Node* copy = CloneNode(**owner, graph_, position_, map);
    for (const NamedAttribute* attribute : others) {
      const auto at = static_cast<std::size_t>(attribute - (*owner)->attributes().data());
      node.AddAttribute(std::move(copy->attributes()[at]));
    }
    copy->attributes().clear();
    graph_.Erase(copy);
    return true;
  }

  bool SetAttribute(const RuleAttribute& wanted, Node& node) {
    if (!wanted.capture && !wanted.number) {
      node.SetAttribute(wanted.name, wanted.value);
      return true;
    }
    const AttributeDef* known = FindDeclared(node, wanted.name);
    const Attribute::Kind kind = known != nullptr ? known->kind : Attribute::Kind::kNone;
    if (wanted.capture) {
      const RuleBinding& binding = match_.bindings[*wanted.capture];
      if (binding.attribute != nullptr) {
        // What the file leaves out stays left out.
        const bool is_default =
            known != nullptr && Identical(known->default_value, *binding.attribute);
        if (!is_default) node.SetAttribute(wanted.name, *binding.attribute);
        return true;
      }
      return SetFromConstant(wanted, kind, *binding.value, node);
    }
    const std::optional<double> number = NumberOf(*wanted.number);
    const bool exact = UsualElementType() == DType::kF64;
    return number ? SetNumber(wanted, kind, *number, exact, node)
                  : Refuse("attribute " + wanted.name + " cannot be computed");
  }

  bool SetFromConstant(const RuleAttribute& wanted, Attribute::Kind kind, const Value& value,
                       Node& node) {
    const std::optional<Tensor> contents = ContentsOf(&value);
    if (!contents) return Refuse("$" + rule_.captures[*wanted.capture].name + " is not a constant");
    if (kind == Attribute::Kind::kTensor) {
      node.SetAttribute(wanted.name, *contents);
      return true;
    }
    const bool is_list = kind == Attribute::Kind::kInts || kind == Attribute::Kind::kFloats;
    if (is_list || contents->size() != 1) return SetList(wanted, kind, *contents, node);
    const bool is_int = IsInteger(contents->dtype()) && kind == Attribute::Kind::kNone;
    return SetNumber(wanted, is_int ? Attribute::Kind::kInt : kind, contents->FloatAt(0), true,
                     node);
  }

  bool SetList(const RuleAttribute& wanted, Attribute::Kind kind, const Tensor& contents,
               Node& node) {
    const bool ints = IsInteger(contents.dtype());
    if (contents.rank() != 1 || (kind == Attribute::Kind::kInts && !ints) ||
        contents.dtype() == DType::kString)
      return Refuse("attribute " + wanted.name + " cannot be a " + contents.type().ToString());
    if (ints && kind != Attribute::Kind::kFloats) {
      node.SetAttribute(wanted.name, contents.ToInts());
      return true;
    }
    Attribute::Floats floats;
    for (std::int64_t i = 0; i < contents.size(); ++i)
      floats.push_back(static_cast<float>(contents.FloatAt(i)));
    node.SetAttribute(wanted.name, std::move(floats));
    return true;
  }

  // `exact`: an attribute must hold all digits of what a file says, or of what f64 computes.
  bool SetNumber(const RuleAttribute& wanted, Attribute::Kind kind, double number, bool exact,
                 Node& node) {
    if (kind == Attribute::Kind::kInt) {
      if (number != std::floor(number) || std::abs(number) >= 0x1p63)
        return Refuse(fmt::format("attribute {} would be {}, which is not an integer", wanted.name,
                                  FormatNumber(number)));
      node.SetAttribute(wanted.name, static_cast<std::int64_t>(number));
      return true;
    }
    const auto rounded = static_cast<float>(number);
    if (exact && !HoldsExactly(rounded, number))
      return Refuse(fmt::format("attribute {} holds f32, which {} is not", wanted.name,
                                FormatNumber(number)));
    node.SetAttribute(wanted.name, rounded);
    return true;
  }

  // --- results

  // All results of root `root`, in order, as the replacement has them.
  std::vector<Value*> ResultsOf(std::size_t root) const {
    const Node& node = *match_.nodes[root];
    std::vector<Value*> by(node.num_results(), nullptr);
    const RuleTerm& first = rule_.replacement.results.front();
    if (rule_.pattern.nodes[root].whole && first.kind == TermKind::kResult &&
        rule_.replacement.nodes[first.index].whole) {
      for (std::size_t i = 0; i < by.size(); ++i) by[i] = inserted_[first.index]->result(i);
      return by;
    }
    for (std::size_t i = 0; i < rule_.pattern.results.size(); ++i) {
      const RuleTerm& term = rule_.pattern.results[i];
      if (term.index == root && term.result < by.size()) by[term.result] = by_[i];
    }
    return by;
  }

  bool CheckResults() {
    for (const std::size_t root : rule_.roots) {
      const Node& node = *match_.nodes[root];
      const std::vector<Value*>& by = results_.emplace_back(ResultsOf(root));
      for (std::size_t i = 0; i < by.size(); ++i) {
        const Value* old = node.result(i);
        if (old == nullptr || (by[i] == nullptr && !old->used())) continue;
        if (by[i] == nullptr)
          return Refuse(
              fmt::format("%{} is read, for which the replacement has no value", old->name()));
        if (!CheckType(node, *old, *by[i])) return false;
      }
    }
    return true;
  }

  // Whether a type is one that nothing states: of a result of an operator that only its domain
  // knows, or of the graph of a file.
  bool IsOpen(const Value& value) const {
    const Node* node = value.producer();
    const bool is_foreign = level_ == Level::kSource || (node != nullptr && !FindOp(*node));
    const Type& type = value.type();
    return is_foreign &&
           (!type.known() || type.dtype() == DType::kUnknown || type.shape() == nullptr ||
            std::ranges::any_of(*type.shape(), &Dim::unknown));
  }

  bool CheckType(const Node& node, const Value& old, const Value& by) {
    const Type& before = old.type();
    const Type& after = by.type();
    const bool same = before.is_tensor() && after.is_tensor() && before.dtype() == after.dtype() &&
                      (SameShape(old, by) || BroadcastAlike(rule_));
    if (same || (IsOpen(old) || IsOpen(by) ? MayBeEqual(before, after)
                                           : !before.is_tensor() && before == after))
      return true;
    return Refuse(fmt::format("the result of {} is {}, that of the replacement {}", node.op().type,
                              before.ToString(), after.ToString()));
  }

  static bool MayBeEqual(const Type& a, const Type& b) {
    if (!a.known() || !b.known()) return true;
    if (a.kind() != b.kind()) return false;
    const bool types =
        a.dtype() == b.dtype() || a.dtype() == DType::kUnknown || b.dtype() == DType::kUnknown;
    if (!types || a.shape() == nullptr || b.shape() == nullptr) return types;
    return a.shape()->size() == b.shape()->size() &&
           std::equal(a.shape()->begin(), a.shape()->end(), b.shape()->begin(),
                      [](const Dim& x, const Dim& y) { return Equal(x, y) != Truth::kNo; });
  }

  // Outputs keep their names.
  bool MakeFit() {
    std::unordered_set<const Value*> given;  // looked up, never iterated
    for (std::size_t r = 0; r < rule_.roots.size(); ++r) {
      const Node& node = *match_.nodes[rule_.roots[r]];
      std::vector<Value*>& by = results_[r];
      for (std::size_t i = 0; i < by.size(); ++i) {
        const Value* old = node.result(i);
        if (by[i] == nullptr || old == nullptr) continue;
        const bool first = given.insert(by[i]).second;
        if (first && PassContext::CanReplace(*old, *by[i])) continue;
        if (level_ == Level::kSource)
          return Refuse(fmt::format("%{} is an output, whose name %{} cannot take", old->name(),
                                    by[i]->name()));
        const Result<Value*> copy = context_.Insert(*position_, "Identity", {{by[i]}});
        if (!copy.ok()) return Refuse(copy.error().findings().front().message);
        extra_.push_back((*copy)->producer());
        by[i] = *copy;
      }
    }
    return true;
  }

  void Replace() {
    context_.Explain(root_, "replaced by " + (results_.front().front() != nullptr
                                                  ? "%" + results_.front().front()->name()
                                                  : std::string("nothing")));
    std::vector<Node*> rest;  // each once
    for (std::size_t i = 0; i < match_.nodes.size(); ++i) {
      const bool is_new = std::ranges::find(rest, match_.nodes[i]) == rest.end();
      if (!rule_.IsRoot(i) && is_new) rest.push_back(match_.nodes[i]);
    }
    const std::vector<const Value*> constants = ConstantsRead();
    for (std::size_t i = 0; i < rule_.roots.size(); ++i)
      context_.Replace(*match_.nodes[rule_.roots[i]], results_[i]);
    // A node stands after those that it reads.
    for (auto node = rest.rbegin(); node != rest.rend(); ++node) EraseIfUnread(**node);
    EraseUnread(constants);
  }

  std::vector<const Value*> ConstantsRead() const {
    std::vector<const Value*> constants;
    for (const Node* node : match_.nodes) {
      for (const Use& operand : node->operands()) {
        const Value* value = operand.value();
        if (value != nullptr && value->is_constant() && value->graph() == &graph_)
          constants.push_back(value);
      }
    }
    return constants;
  }

  void EraseIfUnread(Node& node) {
    const bool goes = node.graph() == &graph_ && !HasEffect(node) && !AnyResultUsed(node);
    if (goes) context_.Erase(node);
  }

  void EraseUnread(const std::vector<const Value*>& constants) {
    const bool any =
        std::ranges::any_of(constants, [](const Value* constant) { return !constant->used(); });
    if (!any) return;
    graph_.EraseConstantsIf([&](const Value& value) {
      const bool goes = !value.used() && std::ranges::find(constants, &value) != constants.end();
      if (goes) {
        context_.inference.Forget(&value);
        context_.ForgetName(value.name());
      }
      return goes;
    });
  }

  void Undo() {
    for (auto node = extra_.rbegin(); node != extra_.rend(); ++node) context_.Erase(**node);
    for (auto node = inserted_.rbegin(); node != inserted_.rend(); ++node) context_.Erase(**node);
    EraseUnread({constants_.begin(), constants_.end()});
  }

  const Rule& rule_;
  const RuleMatch& match_;
  Level level_;
  PassContext& context_;
  Node& root_;
  Graph& graph_;
  Node* position_ = nullptr;
  std::vector<Node*> inserted_;  // by node of the replacement
  std::vector<Node*> extra_;
  std::vector<Value*> constants_;
  std::vector<Value*> by_;                    // by result of the rule
  std::vector<std::vector<Value*>> results_;  // by root
  std::optional<std::string> refusal_;
};

}  // namespace

DType ElementTypeOf(std::size_t index, const OpDef* def, std::span<Value* const> operands,
                    DType otherwise) {
  const Formal* formal = def != nullptr ? def->signature.Operand(index) : nullptr;
  if (formal != nullptr && formal->variable < 0) return formal->fixed;
  const auto of = [&](std::size_t i) {
    return operands[i] != nullptr ? operands[i]->type().dtype() : DType::kUnknown;
  };
  for (std::size_t i = 0; formal != nullptr && i < operands.size(); ++i) {
    const Formal* other = def->signature.Operand(i);
    if (other != nullptr && other->variable == formal->variable && of(i) != DType::kUnknown)
      return of(i);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (of(i) != DType::kUnknown && (formal == nullptr || Allows(*def, *formal, of(i))))
      return of(i);
  }
  const bool fits =
      formal == nullptr || otherwise == DType::kUnknown || Allows(*def, *formal, otherwise);
  return fits ? otherwise : DType::kF32;
}

std::optional<std::string> ApplyRule(const Rule& rule, const RuleMatch& match, Level level,
                                     PassContext& context) {
  return Replacing(rule, match, level, context).Run();
}

}  // namespace dragoman
