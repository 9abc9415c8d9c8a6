// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/forms/stack_sequences.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/node_attributes.h"
#include "core/ir/tensor.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/pass_context.h"

namespace dragoman {
namespace {

bool IsSequence(const Value* value) {
  return value != nullptr && value->type().kind() == Type::Kind::kSequence;
}

bool SameType(const Type& a, const Type& b) {
  if (a.dtype() != b.dtype() || a.shape()->size() != b.shape()->size()) return false;
  return std::ranges::equal(*a.shape(), *b.shape(),
                            [](const Dim& x, const Dim& y) { return Equal(x, y) == Truth::kYes; });
}

// Sequences that hold the same elements on some way through the graph.
struct Family {
  std::optional<Type> element;
  bool stays = false;
  bool starts_empty = false;
};

// Which values are sequences of which family.
class Families {
 public:
  explicit Families(Graph& entry) : entry_(entry) {}

  void Find() {
    ForEachGraph(entry_, [&](Graph& graph) {
      for (Node& node : graph.nodes()) Look(node);
    });
    for (const auto& input : entry_.inputs()) Stay(input.get());
    for (const Use& output : entry_.outputs()) Stay(output.value());
    ForEachGraph(entry_, [&](Graph& graph) {
      for (Node& node : graph.nodes()) Learn(node);
    });
    for (Family& family : families_) {
      family.stays = family.stays || !family.element;
      if (!family.stays && family.starts_empty)
        family.stays = !std::ranges::all_of(*family.element->shape(), [&](const Dim& size) {
          return size.known() || InputWith(size).first != nullptr;
        });
    }
  }

  // nullptr: no sequence, or one that stays.
  const Family* Of(const Value* value) {
    if (!IsSequence(value)) return nullptr;
    const Family& family = families_[Root(value)];
    return family.stays || !family.element ? nullptr : &family;
  }

  // An input of the entry with that symbol as its size, and the axis.
  std::pair<Value*, std::int64_t> InputWith(const Dim& size) const {
    for (const auto& input : entry_.inputs()) {
      const Shape* shape = input->type().shape();
      for (std::size_t axis = 0; shape != nullptr && axis < shape->size(); ++axis) {
        if (size.symbol() != nullptr && (*shape)[axis] == size)
          return {input.get(), static_cast<std::int64_t>(axis)};
      }
    }
    return {nullptr, 0};
  }

 private:
  std::size_t Root(const Value* value) {
    const auto [found, is_new] = index_.emplace(value, parent_.size());
    if (is_new) {
      parent_.push_back(parent_.size());
      families_.emplace_back();
    }
    std::size_t root = found->second;
    while (parent_[root] != root) root = parent_[root] = parent_[parent_[root]];
    return root;
  }
  void Join(const Value* a, const Value* b) {
    if (IsSequence(a) && IsSequence(b)) parent_[Root(a)] = Root(b);
  }
  void Stay(const Value* value) {
    if (IsSequence(value)) families_[Root(value)].stays = true;
  }

  // Joins what a node passes on. By name: each has its own way to do so.
  void Look(const Node& node) {
    if (node.Is("SequenceInsert") || node.Is("SequenceErase") || node.Is("Identity"))
      return Join(node.operand(0), node.result(0));
    if (const Graph* body = node.Is("Loop") ? GraphAttribute(node, "body") : nullptr) {
      for (std::size_t i = 2; i < node.num_operands() && i < body->num_inputs(); ++i) {
        Join(node.operand(i), body->input(i));
        Join(body->input(i), body->output(i - 1));
        Join(body->input(i), node.result(i - 2));
      }
    }
    for (const char* branch : {"then_branch", "else_branch"}) {
      const Graph* body = node.Is("If") ? GraphAttribute(node, branch) : nullptr;
      for (std::size_t i = 0; body != nullptr && i < node.num_results(); ++i)
        Join(body->output(i), node.result(i));
    }
  }

  void See(const Value* sequence, const Type& element) {
    Family& family = families_[Root(sequence)];
    if (!element.is_tensor() || element.shape() == nullptr ||
        (family.element && !SameType(*family.element, element))) {
      family.stays = true;
    } else {
      family.element = element;
    }
  }

  // What a node says of the elements; sequences stay where it is none that can be expressed.
  void Learn(const Node& node) {
    if (node.Is("SequenceInsert")) return See(node.result(0), node.operand(1)->type());
    if (node.Is("SequenceConstruct")) {
      for (const Use& part : node.operands()) See(node.result(0), part.value()->type());
      return;
    }
    if (node.Is("SequenceEmpty")) {
      families_[Root(node.result(0))].starts_empty = true;
      return;
    }
    if (node.Is("SplitToSequence")) return LearnParts(node);
    // By name: for each there is an expression.
    const bool said = node.Is("Loop") || node.Is("If") || node.Is("Identity") ||
                      node.Is("SequenceAt") || node.Is("SequenceLength") ||
                      node.Is("ConcatFromSequence") ||
                      (node.Is("SequenceErase") && node.operand(1) == nullptr);
    if (said) return;
    for (const Use& operand : node.operands()) Stay(operand.value());
    for (std::size_t i = 0; i < node.num_results(); ++i) Stay(node.result(i));
  }

  void LearnParts(const Node& node) {
    const Shape* shape = node.operand(0)->type().shape();
    if (node.operand(1) != nullptr || shape == nullptr) return Stay(node.result(0));
    Shape part = *shape;
    std::int64_t axis = IntAttribute(node, "axis");
    if (axis < 0) axis += static_cast<std::int64_t>(part.size());
    if (IntAttribute(node, "keepdims") != 0) {
      part[static_cast<std::size_t>(axis)] = Dim(1);
    } else {
      part.erase(part.begin() + axis);
    }
    See(node.result(0), Type::Tensor(node.operand(0)->type().dtype(), std::move(part)));
  }

  Graph& entry_;
  std::unordered_map<const Value*, std::size_t> index_;  // looked up, never iterated
  std::vector<std::size_t> parent_;
  std::vector<Family> families_;
};

class Stacker {
 public:
  Stacker(Graph& entry, PassContext& context)
      : entry_(entry), context_(context), families_(entry) {}

  // Whether there was any sequence to stack.
  Result<bool> Run() {
    families_.Find();
    std::vector<std::pair<Node*, Type>> nodes;  // and the elements of what it makes or reads
    std::vector<std::pair<Value*, Type>> stacked;
    const auto see = [&](Value* value) {
      if (const Family* family = families_.Of(value))
        stacked.emplace_back(value, Stacked(*family->element));
    };
    ForEachGraph(entry_, [&](Graph& graph) {
      for (const auto& input : graph.inputs()) see(input.get());
      for (Node& node : graph.nodes()) {
        const Family* family = families_.Of(node.operand(0));
        if (family == nullptr && node.num_results() > 0) family = families_.Of(node.result(0));
        if (family != nullptr && !node.Is("Loop") && !node.Is("If") && !node.Is("Identity"))
          nodes.emplace_back(&node, *family->element);
        for (std::size_t i = 0; i < node.num_results(); ++i) see(node.result(i));
      }
    });
    for (auto& [value, type] : stacked) value->set_type(std::move(type));
    for (auto& [node, element] : nodes) DRAGOMAN_TRY(Rewrite(*node, element));
    return !nodes.empty();
  }

 private:
  static Type Stacked(const Type& element) {
    Shape shape = *element.shape();
    shape.insert(shape.begin(), Dim::Unknown());
    return Type::Tensor(element.dtype(), std::move(shape));
  }

  Value* Ints(Node& node, std::vector<std::int64_t> ints) {
    return context_.AddConstant(*node.graph(), Tensor::Ints(ints), "places", {});
  }
  Result<Value*> WithAxis(Node& node, Value* x, std::int64_t axis) {
    Value* const operands[] = {x, Ints(node, {axis})};
    return context_.Insert(node, "Unsqueeze", operands);
  }
  Result<Value*> Moved(Node& node, Value* x, const std::vector<std::int64_t>& permutation) {
    if (std::ranges::is_sorted(permutation)) return x;
    return context_.Insert(node, "Transpose", {{x}}, {{"perm", permutation}});
  }
  // Elements [from, to).
  Result<Value*> Part(Node& node, Value* x, Value* from, Value* to) {
    Value* const operands[] = {x, from, to, Ints(node, {0})};
    return context_.Insert(node, "Slice", operands);
  }
  Result<Value*> Joined(Node& node, const std::vector<Value*>& parts) {
    return context_.Insert(node, "Concat", parts, {{"axis", std::int64_t{0}}});
  }

  Status Rewrite(Node& node, const Type& element) {
    Result<Value*> made = Made(node, element);
    if (!made.ok()) return std::move(made).error();
    Value* by = *made;
    DRAGOMAN_TRY(context_.InsertCopies(node, {&by, 1}));
    context_.Replace(node, {{by}});
    return {};
  }

  Result<Value*> Made(Node& node, const Type& element) {
    if (node.Is("SequenceEmpty")) return Empty(node, element);
    if (node.Is("SequenceConstruct")) return Constructed(node);
    if (node.Is("SequenceInsert")) return Inserted(node);
    if (node.Is("SequenceErase"))
      return Part(node, node.operand(0), Ints(node, {0}), Ints(node, {-1}));
    if (node.Is("SequenceAt")) return At(node);
    if (node.Is("SequenceLength")) return Length(node);
    if (node.Is("SplitToSequence")) return Parts(node, *element.shape());
    return Concatenated(node, *element.shape());
  }

  Result<Value*> Empty(Node& node, const Type& element) {
    std::vector<Value*> sizes = {Ints(node, {0})};
    for (const Dim& size : *element.shape()) {
      if (size.known()) {
        sizes.push_back(Ints(node, {size.value()}));
        continue;
      }
      const auto [input, axis] = families_.InputWith(size);
      DRAGOMAN_ASSIGN(Value * number, context_.Insert(node, "Shape", {{input}},
                                                      {{"start", axis}, {"end", axis + 1}}));
      sizes.push_back(number);
    }
    DRAGOMAN_ASSIGN(Value * shape, Joined(node, sizes));
    DRAGOMAN_ASSIGN(Tensor zero, Tensor::Full(element.dtype(), {1}, 0));
    return context_.Insert(node, "ConstantOfShape", {{shape}}, {{"value", std::move(zero)}});
  }

  Result<Value*> Constructed(Node& node) {
    std::vector<Value*> rows;
    for (const Use& part : node.operands()) {
      DRAGOMAN_ASSIGN(Value * row, WithAxis(node, part.value(), 0));
      rows.push_back(row);
    }
    return Joined(node, rows);
  }

  Result<Value*> Inserted(Node& node) {
    Value* all = node.operand(0);
    DRAGOMAN_ASSIGN(Value * row, WithAxis(node, node.operand(1), 0));
    Value* place = node.operand(2);
    if (place == nullptr) return Joined(node, {all, row});
    Value* const reshaped[] = {place, Ints(node, {1})};
    DRAGOMAN_ASSIGN(place, context_.Insert(node, "Reshape", reshaped));
    Value* const cast[] = {place};
    DRAGOMAN_ASSIGN(place, context_.Insert(node, "Cast", cast,
                                           {{"to", static_cast<std::int64_t>(DType::kI64)}}));
    DRAGOMAN_ASSIGN(Value * before, Part(node, all, Ints(node, {0}), place));
    DRAGOMAN_ASSIGN(Value * behind,
                    Part(node, all, place, Ints(node, {std::numeric_limits<std::int64_t>::max()})));
    return Joined(node, {before, row, behind});
  }

  Result<Value*> At(Node& node) {
    Value* const reshaped[] = {node.operand(1), Ints(node, {})};
    DRAGOMAN_ASSIGN(Value * place, context_.Insert(node, "Reshape", reshaped));
    Value* const operands[] = {node.operand(0), place};
    return context_.Insert(node, "Gather", operands, {{"axis", std::int64_t{0}}});
  }

  Result<Value*> Length(Node& node) {
    DRAGOMAN_ASSIGN(Value * count, context_.Insert(node, "Shape", {{node.operand(0)}},
                                                   {{"end", std::int64_t{1}}}));
    Value* const operands[] = {count, Ints(node, {0})};
    return context_.Insert(node, "Squeeze", operands);
  }

  Result<Value*> Parts(Node& node, const Shape& element) {
    const bool keeps = IntAttribute(node, "keepdims") != 0;
    const std::size_t rank = element.size() + (keeps ? 0 : 1);
    std::int64_t axis = IntAttribute(node, "axis");
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
    std::vector<std::int64_t> permutation = {axis};
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(rank); ++i) {
      if (i != axis) permutation.push_back(i);
    }
    DRAGOMAN_ASSIGN(Value * rows, Moved(node, node.operand(0), permutation));
    if (!keeps) return rows;
    return WithAxis(node, rows, axis + 1);
  }

  // Along a new axis: the first one moves there. Along one of theirs: it moves before that one, and
  // both become one.
  Result<Value*> Concatenated(Node& node, const Shape& element) {
    const bool stacks = IntAttribute(node, "new_axis") != 0;
    const auto rank = static_cast<std::int64_t>(element.size());
    std::int64_t axis = IntAttribute(node, "axis");
    if (axis < 0) axis += rank + (stacks ? 1 : 0);
    std::vector<std::int64_t> permutation(element.size() + 1);
    std::iota(permutation.begin(), permutation.end(), 0);
    std::rotate(permutation.begin(), permutation.begin() + 1, permutation.begin() + axis + 1);
    DRAGOMAN_ASSIGN(Value * moved, Moved(node, node.operand(0), permutation));
    if (stacks) return moved;
    std::vector<Value*> sizes;
    for (std::int64_t i = 0; i < rank; ++i) {
      const Dim& size = element[static_cast<std::size_t>(i)];
      if (i == axis || size.known()) {
        sizes.push_back(Ints(node, {i == axis ? -1 : size.value()}));
        continue;
      }
      const std::int64_t from = i < axis ? i : i + 1;
      DRAGOMAN_ASSIGN(Value * number, context_.Insert(node, "Shape", {{moved}},
                                                      {{"start", from}, {"end", from + 1}}));
      sizes.push_back(number);
    }
    DRAGOMAN_ASSIGN(Value * shape, Joined(node, sizes));
    Value* const operands[] = {moved, shape};
    return context_.Insert(node, "Reshape", operands);
  }

  Graph& entry_;
  PassContext& context_;
  Families families_;
};

// One empty list may begin several, whose elements differ: each of them gets its own.
Status SeparateEmptyLists(Graph& entry, PassContext& context) {
  std::vector<Node*> shared;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (node.Is("SequenceEmpty") && node.result()->used()) shared.push_back(&node);
    }
  });
  for (Node* node : shared) {
    while (node->result()->first_use()->next() != nullptr) {
      DRAGOMAN_ASSIGN(Value * own, context.Insert(*node, "SequenceEmpty", {}, node->attributes()));
      node->result()->first_use()->Set(own);
    }
  }
  return {};
}

}  // namespace

// What is read of one sequence may concern the elements of another: again until there is none.
Status StackSequences(Graph& entry) {
  for (bool changes = true; changes;) {
    DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(entry, {}));
    DRAGOMAN_TRY(SeparateEmptyLists(entry, context));
    DRAGOMAN_ASSIGN(changes, Stacker(entry, context).Run());
  }
  return {};
}

}  // namespace dragoman
