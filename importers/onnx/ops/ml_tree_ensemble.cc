// SPDX-License-Identifier: Apache-2.0
// TreeEnsemble of ai.onnx.ml 5: inner nodes and leaves in lists of their own, trees marked by their
// roots, and tests whether a feature is in a set.
#include <cmath>
#include <string>

#include "importers/onnx/ops/ml_trees.h"

namespace dragoman {
namespace {

using Ints = std::vector<std::int64_t>;

// The numbers of the tensor that is attribute `name`; none where there is no such attribute.
Result<std::vector<double>> TakeNumbers(OpLowering& op, std::string_view name) {
  std::vector<double> numbers;
  const Attribute* attribute = Find(op.attributes, name);
  if (attribute == nullptr) return numbers;
  const Tensor* tensor = attribute->tensor();
  if (tensor == nullptr || tensor->dtype() == DType::kString || IsComplex(tensor->dtype()))
    return op.Invalid("attribute '" + std::string(name) + "' is not a tensor of numbers");
  for (std::int64_t i = 0; i < tensor->size(); ++i) numbers.push_back(tensor->FloatAt(i));
  op.Drop(name);
  return numbers;
}

Result<std::string> ModeName(const OpLowering& op, double mode) {
  constexpr std::string_view kNames[] = {"LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER"};
  if (!(mode >= 0) || mode >= static_cast<double>(std::size(kNames)))
    return op.Invalid("nodes_modes holds a number that is none of a mode");
  return "BRANCH_" + std::string(kNames[static_cast<std::size_t>(mode)]);
}

// The sets of the nodes that ask for one, in their order: each ends with a NaN.
Status TakeMembers(OpLowering& op, Trees& trees) {
  DRAGOMAN_ASSIGN(const std::vector<double> values, TakeNumbers(op, "membership_values"));
  trees.members.resize(trees.modes.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < trees.modes.size(); ++i) {
    if (trees.modes[i] != "BRANCH_MEMBER") continue;
    while (at < values.size() && !std::isnan(values[at])) trees.members[i].push_back(values[at++]);
    if (at++ >= values.size())
      return op.Invalid("membership_values has no set for each node that asks for one");
  }
  return {};
}

// Number of the node that a child is: leaves lie behind the inner nodes.
Result<std::int64_t> ChildNumber(const OpLowering& op, std::int64_t child, bool is_leaf,
                                 std::int64_t nodes, std::int64_t leaves) {
  if (child < 0 || child >= (is_leaf ? leaves : nodes))
    return op.Invalid("a node has child " + std::to_string(child) + ", which does not exist");
  return is_leaf ? nodes + child : child;
}

Status TakeNodes(OpLowering& op, std::int64_t leaves, Trees& trees) {
  DRAGOMAN_ASSIGN(trees.features, TakeIntList(op, "nodes_featureids"));
  DRAGOMAN_ASSIGN(trees.values, TakeNumbers(op, "nodes_splits"));
  DRAGOMAN_ASSIGN(const std::vector<double> modes, TakeNumbers(op, "nodes_modes"));
  DRAGOMAN_ASSIGN(trees.yes, TakeIntList(op, "nodes_truenodeids"));
  DRAGOMAN_ASSIGN(trees.no, TakeIntList(op, "nodes_falsenodeids"));
  DRAGOMAN_ASSIGN(const Ints yes_is_leaf, TakeIntList(op, "nodes_trueleafs"));
  DRAGOMAN_ASSIGN(const Ints no_is_leaf, TakeIntList(op, "nodes_falseleafs"));
  DRAGOMAN_ASSIGN(trees.missing_is_yes, TakeIntList(op, "nodes_missing_value_tracks_true"));
  DRAGOMAN_ASSIGN(trees.roots, TakeIntList(op, "tree_roots"));
  op.Drop("nodes_hitrates");
  const std::size_t count = trees.features.size();
  for (std::size_t length : {trees.values.size(), modes.size(), trees.yes.size(), trees.no.size(),
                             yes_is_leaf.size(), no_is_leaf.size()}) {
    if (length != count) return op.Invalid("the lists of nodes differ in length");
  }
  if (!trees.missing_is_yes.empty() && trees.missing_is_yes.size() != count)
    return op.Invalid("the lists of nodes differ in length");
  const auto nodes = static_cast<std::int64_t>(count);
  for (std::size_t i = 0; i < count; ++i) {
    DRAGOMAN_ASSIGN(std::string mode, ModeName(op, modes[i]));
    trees.modes.push_back(std::move(mode));
    DRAGOMAN_ASSIGN(trees.yes[i],
                    ChildNumber(op, trees.yes[i], yes_is_leaf[i] != 0, nodes, leaves));
    DRAGOMAN_ASSIGN(trees.no[i], ChildNumber(op, trees.no[i], no_is_leaf[i] != 0, nodes, leaves));
    if (trees.features[i] < 0) return op.Invalid("a node asks for a negative feature");
  }
  for (const std::int64_t root : trees.roots) {
    if (root < 0 || root >= nodes) return op.Invalid("a root is not a node");
  }
  if (trees.roots.empty()) return op.Invalid("has no trees");
  return TakeMembers(op, trees);
}

void AppendLeaves(std::int64_t leaves, Trees& trees) {
  for (std::int64_t i = 0; i < leaves; ++i) {
    const std::int64_t number = trees.size();
    trees.features.push_back(0);
    trees.values.push_back(0);
    trees.modes.emplace_back("LEAF");
    trees.members.emplace_back();
    trees.yes.push_back(number);
    trees.no.push_back(number);
    if (!trees.missing_is_yes.empty()) trees.missing_is_yes.push_back(0);
  }
}

Result<PostTransform> TakeTransformNumber(OpLowering& op) {
  constexpr PostTransform kTransforms[] = {PostTransform::kNone, PostTransform::kSoftmax,
                                           PostTransform::kLogistic, PostTransform::kSoftmaxZero,
                                           PostTransform::kProbit};
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> number, op.TakeInt("post_transform"));
  const std::int64_t at = number.value_or(0);
  if (at < 0 || at >= static_cast<std::int64_t>(std::size(kTransforms)))
    return op.Invalid("post_transform is " + std::to_string(at));
  return kTransforms[at];
}

Result<rt::TreeAggregate> TakeAggregateNumber(OpLowering& op) {
  constexpr rt::TreeAggregate kAggregates[] = {rt::TreeAggregate::kAverage, rt::TreeAggregate::kSum,
                                               rt::TreeAggregate::kMin, rt::TreeAggregate::kMax};
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> number, op.TakeInt("aggregate_function"));
  const std::int64_t at = number.value_or(1);
  if (at < 0 || at >= static_cast<std::int64_t>(std::size(kAggregates)))
    return op.Invalid("aggregate_function is " + std::to_string(at));
  return kAggregates[at];
}

}  // namespace

LoweredResults LowerTreeEnsemble(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> targets, op.TakeInt("n_targets"));
  DRAGOMAN_ASSIGN(const rt::TreeAggregate aggregate, TakeAggregateNumber(op));
  DRAGOMAN_ASSIGN(const PostTransform transform, TakeTransformNumber(op));
  DRAGOMAN_ASSIGN(const Ints ids, TakeIntList(op, "leaf_targetids"));
  DRAGOMAN_ASSIGN(const std::vector<double> weights, TakeNumbers(op, "leaf_weights"));
  if (ids.empty() || weights.size() != ids.size())
    return op.Invalid("the lists of leaves differ in length, or are empty");
  const auto count = static_cast<std::int64_t>(ids.size());
  Trees trees;
  DRAGOMAN_TRY(TakeNodes(op, count, trees));
  const std::int64_t nodes = trees.size();
  AppendLeaves(count, trees);
  if (targets.value_or(1) < 1) return op.Invalid(std::to_string(*targets) + " targets");
  Leaves leaves{.columns = targets.value_or(1)};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    DRAGOMAN_TRY(AddLeaf(op, trees, nodes + i, ids[at], weights[at], leaves));
  }
  const bool is_clear =
      transform != PostTransform::kSoftmax && transform != PostTransform::kLogistic;
  if (leaves.columns > 1 && !is_clear)
    return op.Unsupported("post_transform 1 or 2, which ONNX Runtime exchanges");
  OpComposer f(op);
  DRAGOMAN_ASSIGN(const TreeScores computed, ComputeTrees(op, f, trees, leaves, aggregate));
  Value* scores = computed.scores;
  scores = Transformed(f, OfTargets(transform, leaves.columns), scores, "");
  return f.Finish({f.NamedCast(scores, op.operand(0)->type().dtype(), op.ResultName(0))});
}

}  // namespace dragoman
