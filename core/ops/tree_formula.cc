// SPDX-License-Identifier: Apache-2.0
// All trees go down one level at a time, for all examples at once. `node` (examples, trees) holds
// where each example stands in each tree; a level compares, for each, the feature that the node
// asks for with the node's value, and moves to one of its children. Leaves are their own children,
// so that trees of unequal depth wait there. What the leaves have for targets is a row of a table.
#include "core/ops/tree_formula.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include "core/ops/expansion_formula.h"
#include "core/ops/params.h"
#include "runtime/params/tree_ensemble.h"

namespace dragoman {
namespace {

constexpr std::int64_t kMostLevels = 512;
constexpr std::int64_t kMostWeights = std::int64_t{1} << 26;

using Ints = std::vector<std::int64_t>;

// How many steps the longest way down takes; children stand after their parents.
std::int64_t DepthOf(const Ints& children) {
  Ints depth(children.size() / 2, 0);
  std::int64_t most = 0;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    most = std::max(most, depth[i]);
    for (const std::size_t side : {2 * i, 2 * i + 1}) {
      const auto child = static_cast<std::size_t>(children[side]);
      if (child != i) depth[child] = std::max(depth[child], depth[i] + 1);
    }
  }
  return most;
}

class TreeFormula {
 public:
  TreeFormula(Node& node, const rt::TreeEnsembleParams& params)
      : f_(node), node_(node), params_(params) {
    const Dim examples = f_.type().shape() != nullptr ? f_.type().shape()->front() : Dim::Unknown();
    trees_ = node.operand(1)->tensor()->size();
    at_ = {examples, Dim(trees_)};
    result_ = {examples, Dim(params.targets)};
    const Ints children = node.operand(4)->tensor()->ToInts();
    depth_ = DepthOf(children);
    Ints sides[2];
    for (std::size_t i = 0; i < children.size(); ++i) sides[i % 2].push_back(children[i]);
    yes_ = f_.Ints(sides[0]);
    no_ = f_.Ints(sides[1]);
    features_ = f_.Ints(node.operand(2)->tensor()->ToInts());
    TakeModes();
  }

  std::int64_t depth() const { return depth_; }

  // Where the examples end up.
  Value* Leaves() {
    Value* sizes = f_.Add("Shape", {f_.x()}, Type::Tensor(DType::kI64, Shape{Dim(2)}));
    Value* examples = f_.Add("Slice", {sizes, f_.Ints({0}), f_.Ints({1})}, IntsType(1));
    Value* whole = f_.Add("Concat", {examples, f_.Ints({trees_})}, IntsType(2));
    whole->producer()->SetAttribute("axis", std::int64_t{0});
    Value* roots = f_.Ints(node_.operand(1)->tensor()->ToInts());
    Value* node = f_.Add("Expand", {roots, whole}, At(DType::kI64));
    for (std::int64_t i = 0; i < depth_; ++i) node = Level(node);
    return node;
  }

  // What `leaves` have for targets.
  Result<Value*> Scores(Value* leaves) {
    const auto aggregate = static_cast<rt::TreeAggregate>(params_.aggregate);
    const bool least = aggregate == rt::TreeAggregate::kMin;
    const bool extreme = least || aggregate == rt::TreeAggregate::kMax;
    const double none = !extreme ? 0 : least ? INFINITY : -INFINITY;
    Value* table = f_.Constant(Table(none));
    Value* all = Gather(table, leaves, f_.type().WithShape(Rows()));
    const char* const reductions[] = {"ReduceSum", "ReduceMean", "ReduceMin", "ReduceMax"};
    Value* found = Reduce(reductions[params_.aggregate], all, f_.type().dtype());
    if (!extreme) return found;
    DRAGOMAN_ASSIGN(Value * missing, f_.Number(none));
    DRAGOMAN_ASSIGN(Value * zero, f_.Number(0));
    Value* is_none = f_.Add("Equal", {found, missing}, Type::Tensor(DType::kBool, result_));
    return f_.Add("Where", {is_none, zero, found}, f_.type().WithShape(result_));
  }

  Value* Known(Value* leaves) {
    Ints given(Weights(), 0);
    ForEachWeight([&](std::size_t at, double) { given[at] = 1; });
    Value* table = f_.Constant(Tensor::Ints(given).Reshaped({Nodes(), params_.targets}));
    Value* all = Gather(table, leaves, Type::Tensor(DType::kI64, Rows()));
    Value* any = Reduce("ReduceMax", all, DType::kI64);
    return f_.Cast(any, Type::Tensor(DType::kBool, result_));
  }

 private:
  Type At(DType dtype) const { return Type::Tensor(dtype, at_); }
  static Type IntsType(std::int64_t count) {
    return Type::Tensor(DType::kI64, std::vector<std::int64_t>{count});
  }
  Shape Rows() const { return {at_[0], at_[1], result_[1]}; }
  std::int64_t Nodes() const { return node_.operand(2)->tensor()->size(); }
  std::size_t Weights() const { return static_cast<std::size_t>(Nodes() * params_.targets); }

  Value* Gather(Value* table, Value* node, const Type& type) {
    return f_.Add("Gather", {table, node}, type);
  }
  Value* Reduce(std::string_view op, Value* rows, DType dtype) {
    Value* y = f_.Add(op, {rows, f_.Ints({1})}, Type::Tensor(dtype, result_));
    y->producer()->SetAttribute("keepdims", std::int64_t{0});
    return y;
  }

  template <class F>
  void ForEachWeight(F&& visit) const {
    const Ints first = node_.operand(5)->tensor()->ToInts();
    const Ints targets = node_.operand(6)->tensor()->ToInts();
    const Tensor& weights = *node_.operand(7)->tensor();
    for (std::int64_t node = 0; node < Nodes(); ++node) {
      for (std::int64_t i = first[static_cast<std::size_t>(node)];
           i < first[static_cast<std::size_t>(node + 1)]; ++i) {
        const std::int64_t at = node * params_.targets + targets[static_cast<std::size_t>(i)];
        visit(static_cast<std::size_t>(at), weights.FloatAt(i));
      }
    }
  }

  // (nodes, targets), `none` where a leaf has no weight.
  Tensor Table(double none) const {
    std::vector<double> table(Weights(), none);
    ForEachWeight([&](std::size_t at, double weight) {
      const auto aggregate = static_cast<rt::TreeAggregate>(params_.aggregate);
      if (aggregate == rt::TreeAggregate::kMin) {
        table[at] = std::min(table[at], weight);
      } else if (aggregate == rt::TreeAggregate::kMax) {
        table[at] = std::max(table[at], weight);
      } else {
        table[at] += weight;
      }
    });
    return Reals(table, {Nodes(), params_.targets});
  }
  Tensor Reals(const std::vector<double>& values, Ints sizes) const {
    if (f_.type().dtype() == DType::kF64) return Tensor::Of<double>(std::move(sizes), values);
    const std::vector<float> floats(values.begin(), values.end());
    return Tensor::Of<float>(std::move(sizes), floats);
  }

  void TakeModes() {
    const Value* modes = node_.operand(8);
    modes_ = modes != nullptr ? modes->tensor()->ToInts() : Ints(static_cast<std::size_t>(Nodes()));
    used_ = modes_;
    std::ranges::sort(used_);
    used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
    if (used_.size() > 1) node_modes_ = f_.Ints(modes_);
    if (const Value* missing = node_.operand(9)) missing_ = f_.Ints(missing->tensor()->ToInts());
    if (node_.operand(11) != nullptr) sets_ = f_.Constant(Sets());
  }

  // The sets of nodes as rows of equal length, filled with NaN, which equals nothing.
  Tensor Sets() {
    const Ints first = node_.operand(10)->tensor()->ToInts();
    const Tensor& members = *node_.operand(11)->tensor();
    for (std::size_t i = 0; i + 1 < first.size(); ++i)
      most_ = std::max(most_, first[i + 1] - first[i]);
    std::vector<double> rows;
    for (std::size_t i = 0; i + 1 < first.size(); ++i) {
      for (std::int64_t k = first[i]; k < first[i + 1]; ++k) rows.push_back(members.FloatAt(k));
      rows.resize((i + 1) * static_cast<std::size_t>(most_),
                  std::numeric_limits<double>::quiet_NaN());
    }
    return Reals(rows, {Nodes(), most_});
  }

  Value* Level(Value* node) {
    Value* wanted = Gather(features_, node, At(DType::kI64));
    Value* x = f_.Add("GatherElements", {f_.x(), wanted}, At(f_.type().dtype()));
    x->producer()->SetAttribute("axis", std::int64_t{1});
    Value* split = Gather(node_.operand(3), node, At(f_.type().dtype()));
    Value* yes = nullptr;
    for (const std::int64_t mode : used_) {
      Value* holds = Compare(static_cast<rt::TreeMode>(mode), x, split, node);
      if (node_modes_ != nullptr) {
        Value* own = Gather(node_modes_, node, At(DType::kI64));
        Value* asked = f_.Add("Equal", {own, f_.Constant(Tensor::Int(mode))}, At(DType::kBool));
        holds = f_.Add("And", {asked, holds}, At(DType::kBool));
      }
      yes = yes == nullptr ? holds : f_.Add("Or", {yes, holds}, At(DType::kBool));
    }
    if (missing_ != nullptr) {
      Value* tracked = f_.Cast(Gather(missing_, node, At(DType::kI64)), At(DType::kBool));
      Value* nan = f_.Add("IsNaN", {x}, At(DType::kBool));
      Value* both = f_.Add("And", {nan, tracked}, At(DType::kBool));
      yes = f_.Add("Or", {yes, both}, At(DType::kBool));
    }
    Value* to_yes = Gather(yes_, node, At(DType::kI64));
    return f_.Add("Where", {yes, to_yes, Gather(no_, node, At(DType::kI64))}, At(DType::kI64));
  }

  Value* Compare(rt::TreeMode mode, Value* x, Value* split, Value* node) {
    if (mode == rt::TreeMode::kMember) return IsMember(x, node);
    constexpr std::string_view kOps[] = {"LessOrEqual", "Less",  "GreaterOrEqual",
                                         "Greater",     "Equal", "Equal"};
    Value* holds = f_.Add(kOps[static_cast<int>(mode)], {x, split}, At(DType::kBool));
    return mode == rt::TreeMode::kNotEqual ? f_.Add("Not", {holds}, At(DType::kBool)) : holds;
  }

  Value* IsMember(Value* x, Value* node) {
    if (sets_ == nullptr || most_ == 0) return f_.Add("Less", {x, x}, At(DType::kBool));
    const DType dtype = f_.type().dtype();
    const Shape rows = {at_[0], at_[1], Dim(most_)};
    Value* sets = Gather(sets_, node, Type::Tensor(dtype, rows));
    Value* column =
        f_.Add("Unsqueeze", {x, f_.Ints({2})}, Type::Tensor(dtype, Shape{at_[0], at_[1], Dim(1)}));
    Value* equal = f_.Add("Equal", {column, sets}, Type::Tensor(DType::kBool, rows));
    Value* hits = f_.Cast(equal, Type::Tensor(DType::kI64, rows));
    Value* any = f_.Add("ReduceMax", {hits, f_.Ints({2})}, At(DType::kI64));
    any->producer()->SetAttribute("keepdims", std::int64_t{0});
    return f_.Cast(any, At(DType::kBool));
  }

  ExpansionFormula f_;
  Node& node_;
  const rt::TreeEnsembleParams& params_;
  std::int64_t trees_ = 0, depth_ = 0, most_ = 0;
  Shape at_, result_;
  Ints modes_, used_;
  Value* features_ = nullptr;
  Value* yes_ = nullptr;
  Value* no_ = nullptr;
  Value* node_modes_ = nullptr;
  Value* missing_ = nullptr;
  Value* sets_ = nullptr;
};

}  // namespace

Result<std::vector<Value*>> ExpandTreeEnsemble(Node& node) {
  for (std::size_t i = 1; i < node.num_operands(); ++i) {
    if (node.operand(i) != nullptr && node.operand(i)->tensor() == nullptr)
      return Unsupported("its tables are not constants");
  }
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::TreeEnsembleParams>(node));
  const auto& params = filled.As<rt::TreeEnsembleParams>();
  if (node.operand(2)->tensor()->size() > kMostWeights / params.targets)
    return Unsupported("its leaves times targets are too many");
  TreeFormula formula(node, params);
  if (formula.depth() > kMostLevels) return Unsupported("a tree is too deep");
  Value* leaves = formula.Leaves();
  DRAGOMAN_ASSIGN(Value * scores, formula.Scores(leaves));
  std::vector<Value*> results = {scores};
  if (node.num_results() > 1)
    results.push_back(node.result(1) != nullptr ? formula.Known(leaves) : nullptr);
  return results;
}

}  // namespace dragoman
