// SPDX-License-Identifier: Apache-2.0
// Ensembles of decision trees: the lists of the attributes become the tables of
// dragoman.TreeEnsemble, in which the nodes of a tree lie side by side, parents before children.
#include "importers/onnx/ops/ml_trees.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace dragoman {
namespace {

using Ints = std::vector<std::int64_t>;

}  // namespace

Result<std::vector<double>> TakeReals(OpLowering& op, const std::string& name) {
  const std::string as_tensor = name + "_as_tensor";
  if (const Attribute* attribute = Find(op.attributes, as_tensor)) {
    const Tensor* tensor = attribute->tensor();
    if (tensor == nullptr || !IsFloating(tensor->dtype()))
      return op.Invalid("attribute '" + as_tensor + "' is not a tensor of floats");
    std::vector<double> reals;
    for (std::int64_t i = 0; i < tensor->size(); ++i) reals.push_back(tensor->FloatAt(i));
    op.Drop(as_tensor);
    return reals;
  }
  DRAGOMAN_ASSIGN(const std::vector<float> floats, TakeFloatList(op, name));
  return std::vector<double>(floats.begin(), floats.end());
}

namespace {

// The attributes that lists of nodes come in; all but the last are as long as each other.
Status TakeLists(OpLowering& op, Trees& trees, Ints& tree_ids) {
  DRAGOMAN_ASSIGN(tree_ids, TakeIntList(op, "nodes_treeids"));
  DRAGOMAN_ASSIGN(const Ints ids, TakeIntList(op, "nodes_nodeids"));
  DRAGOMAN_ASSIGN(trees.features, TakeIntList(op, "nodes_featureids"));
  DRAGOMAN_ASSIGN(trees.values, TakeReals(op, "nodes_values"));
  DRAGOMAN_ASSIGN(trees.modes, TakeStringList(op, "nodes_modes"));
  DRAGOMAN_ASSIGN(trees.yes, TakeIntList(op, "nodes_truenodeids"));
  DRAGOMAN_ASSIGN(trees.no, TakeIntList(op, "nodes_falsenodeids"));
  DRAGOMAN_ASSIGN(trees.missing_is_yes, TakeIntList(op, "nodes_missing_value_tracks_true"));
  op.Drop("nodes_hitrates");
  op.Drop("nodes_hitrates_as_tensor");
  const std::size_t count = ids.size();
  for (std::size_t length : {tree_ids.size(), trees.features.size(), trees.values.size(),
                             trees.modes.size(), trees.yes.size(), trees.no.size()}) {
    if (length != count) return op.Invalid("the lists of nodes differ in length");
  }
  if (count == 0) return op.Invalid("has no nodes");
  if (!trees.missing_is_yes.empty() && trees.missing_is_yes.size() != count)
    return op.Invalid("the lists of nodes differ in length");
  for (std::size_t i = 0; i < count; ++i) {
    if (!trees.numbers.try_emplace({tree_ids[i], ids[i]}, static_cast<std::int64_t>(i)).second)
      return op.Invalid("node " + std::to_string(ids[i]) + " of a tree occurs twice");
  }
  return {};
}

// Ids of children become numbers; leaves are their own children and ask for feature 0.
Status Connect(OpLowering& op, const Ints& tree_ids, Trees& trees) {
  std::vector<bool> has_parent(trees.features.size(), false);
  for (std::int64_t i = 0; i < trees.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (trees.IsLeaf(i)) {
      trees.yes[at] = trees.no[at] = i;
      trees.features[at] = 0;
      continue;
    }
    for (Ints* children : {&trees.yes, &trees.no}) {
      const auto child = trees.numbers.find({tree_ids[at], (*children)[at]});
      if (child == trees.numbers.end())
        return op.Invalid("a node has child " + std::to_string((*children)[at]) +
                          ", which its tree lacks");
      (*children)[at] = child->second;
      has_parent[static_cast<std::size_t>(child->second)] = true;
    }
  }
  for (std::int64_t i = 0; i < trees.size(); ++i) {
    if (!has_parent[static_cast<std::size_t>(i)]) trees.roots.push_back(i);
  }
  const std::set<std::int64_t> distinct(tree_ids.begin(), tree_ids.end());
  if (trees.roots.size() != distinct.size()) return op.Invalid("a tree has not exactly one root");
  return {};
}

}  // namespace

Result<Ints> OrderNodes(OpLowering& op, const Trees& trees) {
  const auto count = static_cast<std::size_t>(trees.size());
  Ints parents(count, 0);
  const auto children = [&](std::int64_t node) {
    const auto at = static_cast<std::size_t>(node);
    return std::array{trees.no[at], trees.yes[at]};
  };
  for (std::int64_t node = 0; node < trees.size(); ++node) {
    for (const std::int64_t child : children(node)) {
      if (!trees.IsLeaf(node)) ++parents[static_cast<std::size_t>(child)];
    }
  }
  Ints order;
  std::vector<bool> begun(count, false);
  for (const std::int64_t root : trees.roots) {
    Ints ready;
    if (!begun[static_cast<std::size_t>(root)] && parents[static_cast<std::size_t>(root)] == 0)
      ready.push_back(root);
    while (!ready.empty()) {
      const std::int64_t node = ready.back();
      ready.pop_back();
      begun[static_cast<std::size_t>(node)] = true;
      order.push_back(node);
      if (trees.IsLeaf(node)) continue;
      for (const std::int64_t child : children(node)) {
        if (--parents[static_cast<std::size_t>(child)] == 0) ready.push_back(child);
      }
    }
  }
  if (order.size() == count) return order;
  return op.Invalid("nodes of a tree form a cycle, or no root reaches them");
}

Status AddLeaf(const OpLowering& op, const Trees& trees, std::int64_t node, std::int64_t target,
               double weight, Leaves& leaves) {
  if (target < 0 || target >= leaves.columns) return op.Invalid("a leaf has no target");
  if (!trees.IsLeaf(node)) return {};  // as ONNX Runtime has it
  leaves.of_nodes[node].emplace_back(target, weight);
  leaves.targets.insert(target);
  leaves.has_negative = leaves.has_negative || weight < 0;
  return {};
}

Result<Trees> TakeTrees(OpLowering& op) {
  Trees trees;
  Ints tree_ids;
  DRAGOMAN_TRY(TakeLists(op, trees, tree_ids));
  DRAGOMAN_TRY(Connect(op, tree_ids, trees));
  return trees;
}

Result<Leaves> TakeLeaves(OpLowering& op, const Trees& trees, const std::string& prefix,
                          std::int64_t targets) {
  DRAGOMAN_ASSIGN(const Ints tree_ids, TakeIntList(op, prefix + "_treeids"));
  DRAGOMAN_ASSIGN(const Ints nodes, TakeIntList(op, prefix + "_nodeids"));
  DRAGOMAN_ASSIGN(const Ints ids, TakeIntList(op, prefix + "_ids"));
  DRAGOMAN_ASSIGN(const std::vector<double> weights, TakeReals(op, prefix + "_weights"));
  if (tree_ids.size() != ids.size() || nodes.size() != ids.size() || weights.size() != ids.size())
    return op.Invalid("the lists of leaves differ in length");
  if (targets < 1) return op.Invalid(std::to_string(targets) + " targets");
  Leaves leaves{.columns = targets};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto node = trees.numbers.find({tree_ids[i], nodes[i]});
    if (node == trees.numbers.end()) return op.Invalid("a leaf's weight is for no node");
    DRAGOMAN_TRY(AddLeaf(op, trees, node->second, ids[i], weights[i], leaves));
  }
  return leaves;
}

namespace {

using rt::TreeMode;

constexpr std::string_view kModes[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",   "BRANCH_GT",
                                       "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER"};

// Operand 0 as a row an example, f64 where it is that.
Result<Value*> RealExamples(OpLowering& op, OpComposer& f) {
  if (op.operand(0)->type().dtype() != DType::kF64) return Examples(op, f);
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  if (rank > 2) return op.Invalid("operand 0 has rank " + std::to_string(rank));
  return rank < 2 ? f.Op("Reshape", {op.operand(0), f.Ints({1, -1})}) : op.operand(0);
}

// The tables of dragoman.TreeEnsemble.
struct Tables {
  std::vector<std::int32_t> roots, features, children, first_leaf, leaf_targets, first_set;
  std::vector<double> splits, leaf_weights, sets;
  std::vector<std::uint8_t> modes, missing;
  std::int64_t width = 0;  // features that an example needs
};

Result<std::uint8_t> ModeNumber(const OpLowering& op, const std::string& mode) {
  if (mode == "LEAF") return std::uint8_t{0};
  const auto* const found = std::ranges::find(kModes, mode);
  if (found == std::end(kModes)) return op.Unsupported("nodes of mode " + mode);
  return static_cast<std::uint8_t>(found - std::begin(kModes));
}

Status AddNode(const OpLowering& op, const Trees& trees, const Leaves& leaves, std::int64_t node,
               Tables& tables) {
  const auto at = static_cast<std::size_t>(node);
  const bool leaf = trees.IsLeaf(node);
  DRAGOMAN_ASSIGN(const std::uint8_t mode, ModeNumber(op, trees.modes[at]));
  if (trees.features[at] < 0 || trees.features[at] >= INT32_MAX)
    return op.Invalid("a node asks for feature " + std::to_string(trees.features[at]));
  tables.modes.push_back(mode);
  tables.features.push_back(static_cast<std::int32_t>(leaf ? 0 : trees.features[at]));
  tables.width = std::max<std::int64_t>(tables.width, tables.features.back() + 1);
  tables.splits.push_back(leaf ? 0 : trees.values[at]);
  const bool tracks = !trees.missing_is_yes.empty() && trees.missing_is_yes[at] != 0;
  tables.missing.push_back(tracks && !leaf ? 1 : 0);
  if (!trees.members.empty())
    tables.sets.insert(tables.sets.end(), trees.members[at].begin(), trees.members[at].end());
  if (const auto own = leaves.of_nodes.find(node); own != leaves.of_nodes.end()) {
    for (const auto& [target, weight] : own->second) {
      tables.leaf_targets.push_back(static_cast<std::int32_t>(target));
      tables.leaf_weights.push_back(weight);
    }
  }
  tables.first_set.push_back(static_cast<std::int32_t>(tables.sets.size()));
  tables.first_leaf.push_back(static_cast<std::int32_t>(tables.leaf_weights.size()));
  return {};
}

Result<Tables> MakeTables(OpLowering& op, const Trees& trees, const Leaves& leaves) {
  DRAGOMAN_ASSIGN(const Ints order, OrderNodes(op, trees));
  if (trees.size() > INT32_MAX / 2) return op.Unsupported("more nodes than 30 bits count");
  std::vector<std::int32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  Tables tables;
  tables.first_leaf = tables.first_set = {0};
  for (const std::int64_t node : order) {
    DRAGOMAN_TRY(AddNode(op, trees, leaves, node, tables));
    for (const Ints* side : {&trees.yes, &trees.no}) {
      const std::int64_t child = (*side)[static_cast<std::size_t>(node)];
      tables.children.push_back(place[static_cast<std::size_t>(child)]);
    }
  }
  for (const std::int64_t root : trees.roots)
    tables.roots.push_back(place[static_cast<std::size_t>(root)]);
  return tables;
}

Value* Int32s(OpComposer& f, const std::vector<std::int32_t>& values, bool pairs = false) {
  const auto count = static_cast<std::int64_t>(values.size());
  const Ints sizes = pairs ? Ints{count / 2, 2} : Ints{count};
  return f.builder().Constant(Tensor::Of<std::int32_t>(sizes, values));
}

// A constant, or nothing where all are zero.
template <class T>
Value* Flags(OpComposer& f, const std::vector<std::uint8_t>& values) {
  if (std::ranges::count(values, 0) == std::ssize(values)) return nullptr;
  const auto flags = std::make_unique<T[]>(values.size());
  std::ranges::copy(values, flags.get());
  return f.builder().Constant(
      Tensor::Of<T>({std::ssize(values)}, std::span<const T>(flags.get(), values.size())));
}

}  // namespace

Value* RealVector(OpComposer& f, const std::vector<double>& values, const Value* like) {
  const std::vector<std::int64_t> sizes = {static_cast<std::int64_t>(values.size())};
  if (like->type().dtype() == DType::kF64)
    return f.builder().Constant(Tensor::Of<double>(sizes, values));
  const std::vector<float> floats(values.begin(), values.end());
  return f.builder().Constant(Tensor::Of<float>(sizes, floats));
}

Result<TreeScores> ComputeTrees(OpLowering& op, OpComposer& f, const Trees& trees,
                                const Leaves& leaves, rt::TreeAggregate aggregate) {
  DRAGOMAN_ASSIGN(const Tables tables, MakeTables(op, trees, leaves));
  DRAGOMAN_ASSIGN(Value * x, RealExamples(op, f));
  std::vector<Value*> operands = {x,
                                  Int32s(f, tables.roots),
                                  Int32s(f, tables.features),
                                  RealVector(f, tables.splits, x),
                                  Int32s(f, tables.children, true),
                                  Int32s(f, tables.first_leaf),
                                  Int32s(f, tables.leaf_targets),
                                  RealVector(f, tables.leaf_weights, x),
                                  Flags<std::uint8_t>(f, tables.modes),
                                  Flags<bool>(f, tables.missing)};
  if (!tables.sets.empty()) {
    operands.push_back(Int32s(f, tables.first_set));
    operands.push_back(RealVector(f, tables.sets, x));
  }
  while (operands.back() == nullptr) operands.pop_back();
  const std::vector<Value*> results = f.Ops("dragoman.TreeEnsemble", operands,
                                            {{"targets", leaves.columns},
                                             {"features", tables.width},
                                             {"aggregate", static_cast<std::int64_t>(aggregate)}},
                                            2);
  return TreeScores{results[0], results[1]};
}

namespace {

Result<rt::TreeAggregate> TakeAggregate(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::string> name, op.TakeString("aggregate_function"));
  if (!name || *name == "SUM") return rt::TreeAggregate::kSum;
  if (*name == "AVERAGE") return rt::TreeAggregate::kAverage;
  if (*name == "MIN") return rt::TreeAggregate::kMin;
  if (*name == "MAX") return rt::TreeAggregate::kMax;
  return op.Invalid("aggregate_function is " + *name);
}

}  // namespace

LoweredResults LowerTreeEnsembleRegressor(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::vector<double> base, TakeReals(op, "base_values"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> targets, op.TakeInt("n_targets"));
  DRAGOMAN_ASSIGN(const rt::TreeAggregate aggregate, TakeAggregate(op));
  DRAGOMAN_ASSIGN(const PostTransform transform, TakePostTransform(op));
  DRAGOMAN_ASSIGN(const Trees trees, TakeTrees(op));
  DRAGOMAN_ASSIGN(const Leaves leaves, TakeLeaves(op, trees, "target", targets.value_or(1)));
  if (!base.empty() && static_cast<std::int64_t>(base.size()) != leaves.columns)
    return op.Invalid("has " + std::to_string(base.size()) + " base values for " +
                      std::to_string(leaves.columns) + " targets");
  OpComposer f(op);
  DRAGOMAN_ASSIGN(const TreeScores computed, ComputeTrees(op, f, trees, leaves, aggregate));
  Value* scores = computed.scores;
  if (!base.empty() && scores != nullptr)
    scores = f.Op("Add", {scores, RealVector(f, base, scores)});
  // Of several targets, one without a weight stays 0.
  if (!base.empty() && leaves.columns > 1) scores = f.Where(computed.known, scores, 0);
  if (scores != nullptr) scores = f.Cast(scores, DType::kF32);
  return f.Finish({Transformed(f, OfTargets(transform, leaves.columns), scores, op.ResultName(0))});
}

}  // namespace dragoman
