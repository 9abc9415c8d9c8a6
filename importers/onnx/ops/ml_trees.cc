// Ensembles of decision trees: all trees go down one level at a time, for all examples at once.
//
// A node has a number in the lists of the attributes. `node` (examples, trees) holds where each
// example stands in each tree; a level compares, for each, the feature that the node asks for with
// the node's value, and moves to one of its children. Leaves are their own children, so that trees
// of unequal depth wait there. What the leaves add to each target is a row of a table.
#include "importers/onnx/ops/ml_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace dragoman {
namespace {

constexpr std::int64_t kMaxDepth = 512;
constexpr std::int64_t kMaxTable = std::int64_t{1} << 26;  // leaf weights

using Ints = std::vector<std::int64_t>;

// The list `name` of floats, or the tensor of doubles that may stand for it.
Result<std::vector<double>> TakeReals(OpLowering& op, const std::string& name) {
  const std::string as_tensor = name + "_as_tensor";
  if (const Attribute* attribute = Find(op.attributes, as_tensor)) {
    const Tensor* tensor = attribute->tensor();
    if (tensor == nullptr || !IsFloating(tensor->dtype()))
      return op.Invalid("attribute '" + as_tensor + "' is no tensor of floats");
    std::vector<double> reals;
    for (std::int64_t i = 0; i < tensor->size(); ++i) reals.push_back(tensor->FloatAt(i));
    op.Drop(as_tensor);
    return reals;
  }
  DRAGOMAN_ASSIGN(const std::vector<float> floats, TakeFloatList(op, name));
  return std::vector<double>(floats.begin(), floats.end());
}

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

Status MeasureDepth(OpLowering& op, Trees& trees) {
  std::set<std::int64_t> level(trees.roots.begin(), trees.roots.end());
  std::set<std::int64_t> reached = level;
  while (true) {
    std::set<std::int64_t> next;
    for (const std::int64_t node : level) {
      if (trees.IsLeaf(node)) continue;
      next.insert(trees.yes[static_cast<std::size_t>(node)]);
      next.insert(trees.no[static_cast<std::size_t>(node)]);
    }
    if (next.empty()) break;
    reached.insert(next.begin(), next.end());
    if (++trees.depth > kMaxDepth)
      return op.Unsupported("a tree is deeper than " + std::to_string(kMaxDepth) + " levels");
    level = std::move(next);
  }
  if (static_cast<std::int64_t>(reached.size()) == trees.size()) return {};
  return op.Invalid("a node is reached from no root");
}

Result<LeafTable> MakeLeafTable(const OpLowering& op, const Trees& trees, std::int64_t targets) {
  if (targets < 1 || trees.size() > kMaxTable / targets)
    return op.Unsupported(std::to_string(targets) + " targets");
  LeafTable table;
  table.columns = targets;
  table.weights.resize(static_cast<std::size_t>(trees.size() * targets), 0);
  table.given.resize(table.weights.size(), false);
  return table;
}

void AddLeaf(LeafTable& table, std::int64_t node, std::int64_t target, double weight) {
  const auto at = static_cast<std::size_t>(node * table.columns + target);
  table.weights[at] += weight;
  table.given[at] = true;
  table.targets.insert(target);
  table.has_negative = table.has_negative || weight < 0;
}

namespace {

Result<Trees> TakeTrees(OpLowering& op) {
  Trees trees;
  Ints tree_ids;
  DRAGOMAN_TRY(TakeLists(op, trees, tree_ids));
  DRAGOMAN_TRY(Connect(op, tree_ids, trees));
  DRAGOMAN_TRY(MeasureDepth(op, trees));
  return trees;
}

Result<LeafTable> TakeLeaves(OpLowering& op, const Trees& trees, const std::string& prefix,
                             std::int64_t targets) {
  DRAGOMAN_ASSIGN(const Ints tree_ids, TakeIntList(op, prefix + "_treeids"));
  DRAGOMAN_ASSIGN(const Ints nodes, TakeIntList(op, prefix + "_nodeids"));
  DRAGOMAN_ASSIGN(const Ints ids, TakeIntList(op, prefix + "_ids"));
  DRAGOMAN_ASSIGN(const std::vector<double> weights, TakeReals(op, prefix + "_weights"));
  if (tree_ids.size() != ids.size() || nodes.size() != ids.size() || weights.size() != ids.size())
    return op.Invalid("the lists of leaves differ in length");
  DRAGOMAN_ASSIGN(LeafTable table, MakeLeafTable(op, trees, targets));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto node = trees.numbers.find({tree_ids[i], nodes[i]});
    if (node == trees.numbers.end() || ids[i] < 0 || ids[i] >= targets)
      return op.Invalid("a leaf's weight is for no node, or no target");
    AddLeaf(table, node->second, ids[i], weights[i]);
  }
  return table;
}

Value* Compare(OpComposer& f, std::string_view mode, Value* feature, Value* value) {
  if (mode == "BRANCH_LEQ") return f.Op("LessOrEqual", {feature, value});
  if (mode == "BRANCH_LT") return f.Op("Less", {feature, value});
  if (mode == "BRANCH_GTE") return f.Op("GreaterOrEqual", {feature, value});
  if (mode == "BRANCH_GT") return f.Op("Greater", {feature, value});
  Value* equal = f.Op("Equal", {feature, value});
  return mode == "BRANCH_EQ" ? equal : f.Op("Not", {equal});
}

class Descent {
 public:
  // Of examples `x`.
  Descent(OpComposer& f, const Trees& trees, Value* x) : f_(f), x_(x) {
    std::set<std::string> used(trees.modes.begin(), trees.modes.end());
    used.erase("LEAF");
    modes_.assign(used.begin(), used.end());
    Ints modes;
    for (const std::string& mode : trees.modes)
      modes.push_back(std::ranges::find(modes_, mode) - modes_.begin());
    features_ = f.Ints(trees.features);
    values_ = RealVector(f, trees.values, x);
    members_ = Members(trees);
    yes_ = f.Ints(trees.yes);
    no_ = f.Ints(trees.no);
    if (modes_.size() > 1) node_modes_ = f.Ints(modes);
    if (std::ranges::any_of(trees.missing_is_yes, [](std::int64_t yes) { return yes != 0; }))
      missing_ = f.Cast(f.Ints(trees.missing_is_yes), DType::kBool);
  }

  // One level down.
  Value* Level(Value* node) {
    Value* wanted = f_.Op("Gather", {features_, node});
    Value* feature = f_.Op("GatherElements", {x_, wanted}, {{"axis", std::int64_t{1}}});
    Value* value = f_.Op("Gather", {values_, node});
    Value* yes = nullptr;
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      Value* holds = modes_[i] == "BRANCH_MEMBER" ? IsMember(feature, node)
                                                  : Compare(f_, modes_[i], feature, value);
      if (node_modes_ != nullptr) {
        Value* number = f_.Int(static_cast<std::int64_t>(i));
        Value* asked = f_.Op("Equal", {f_.Op("Gather", {node_modes_, node}), number});
        holds = f_.Op("And", {asked, holds});
      }
      yes = yes == nullptr ? holds : f_.Op("Or", {yes, holds});
    }
    if (missing_ != nullptr) {
      Value* tracked = f_.Op("Gather", {missing_, node});
      yes = f_.Op("Or", {yes, f_.Op("And", {f_.Op("IsNaN", {feature}), tracked})});
    }
    return f_.Op("Where", {yes, f_.Op("Gather", {yes_, node}), f_.Op("Gather", {no_, node})});
  }

 private:
  // The sets of nodes as rows of equal length, filled with NaN, which equals nothing.
  Value* Members(const Trees& trees) {
    std::size_t most = 0;
    for (const std::vector<double>& set : trees.members) most = std::max(most, set.size());
    if (most == 0) return nullptr;
    std::vector<double> rows;
    for (std::vector<double> set : trees.members) {
      set.resize(most, std::numeric_limits<double>::quiet_NaN());
      rows.insert(rows.end(), set.begin(), set.end());
    }
    const auto width = static_cast<std::int64_t>(most);
    return f_.Op("Reshape", {RealVector(f_, rows, x_), f_.Ints({-1, width})});
  }

  Value* IsMember(Value* feature, Value* node) {
    if (members_ == nullptr) return f_.Op("Less", {feature, feature});
    Value* sets = f_.Op("Gather", {members_, node});
    Value* equal = f_.Op("Equal", {f_.Op("Unsqueeze", {feature, f_.Ints({2})}), sets});
    const std::int64_t drop = 0;
    Value* hits =
        f_.Op("ReduceMax", {f_.Cast(equal, DType::kF32), f_.Ints({2})}, {{"keepdims", drop}});
    return f_.Cast(hits, DType::kBool);
  }

  OpComposer& f_;
  Value* x_;
  std::vector<std::string> modes_;
  Value* features_ = nullptr;
  Value* values_ = nullptr;
  Value* members_ = nullptr;
  Value* yes_ = nullptr;
  Value* no_ = nullptr;
  Value* node_modes_ = nullptr;
  Value* missing_ = nullptr;
};

Status CheckModes(OpLowering& op, const Trees& trees) {
  for (const std::string& mode : trees.modes) {
    constexpr std::string_view kModes[] = {"BRANCH_LEQ", "BRANCH_LT",    "BRANCH_GTE",
                                           "BRANCH_GT",  "BRANCH_EQ",    "BRANCH_NEQ",
                                           "LEAF",       "BRANCH_MEMBER"};
    if (std::ranges::find(kModes, mode) == std::end(kModes))
      return op.Unsupported("nodes of mode " + mode);
  }
  return {};
}

// Operand 0 as a row an example, f64 where it is that.
Result<Value*> RealExamples(OpLowering& op, OpComposer& f) {
  if (op.operand(0)->type().dtype() != DType::kF64) return Examples(op, f);
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  if (rank > 2) return op.Invalid("operand 0 has rank " + std::to_string(rank));
  return rank < 2 ? f.Op("Reshape", {op.operand(0), f.Ints({1, -1})}) : op.operand(0);
}

// The least or largest of the weights that reached leaves have for a target; 0 if none has one.
Value* Extreme(OpComposer& f, const LeafTable& table, Value* like, Value* node, bool least) {
  const double none = least ? INFINITY : -INFINITY;
  std::vector<double> weights = table.weights;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!table.given[i]) weights[i] = none;
  }
  Value* rows = f.Op("Reshape", {RealVector(f, weights, like), f.Ints({-1, table.columns})});
  const std::int64_t drop = 0;
  Value* found = f.Op(least ? "ReduceMin" : "ReduceMax",
                      {f.Op("Gather", {rows, node}), f.Ints({1})}, {{"keepdims", drop}});
  Value* is_none = f.Op("Equal", {found, f.Number(none, like)});
  return f.Op("Where", {is_none, f.Number(0, like), found});
}

}  // namespace

Value* RealVector(OpComposer& f, const std::vector<double>& values, const Value* like) {
  const std::vector<std::int64_t> sizes = {static_cast<std::int64_t>(values.size())};
  if (like->type().dtype() == DType::kF64)
    return f.builder().Constant(Tensor::Of<double>(sizes, values));
  const std::vector<float> floats(values.begin(), values.end());
  return f.builder().Constant(Tensor::Of<float>(sizes, floats));
}

Result<Value*> AggregateLeaves(OpLowering& op, OpComposer& f, const Trees& trees,
                               const LeafTable& table, Aggregate aggregate) {
  DRAGOMAN_TRY(CheckModes(op, trees));
  DRAGOMAN_ASSIGN(Value * x, RealExamples(op, f));
  const auto count = static_cast<std::int64_t>(trees.roots.size());
  Value* sizes = f.Concat({f.SizeVector(x, 0, 1), f.Ints({count})}, 0);
  Value* node = f.Op("Expand", {f.Ints(trees.roots), sizes});
  Descent descent(f, trees, x);
  for (std::int64_t i = 0; i < trees.depth; ++i) node = descent.Level(node);
  if (aggregate == Aggregate::kMin || aggregate == Aggregate::kMax)
    return Extreme(f, table, x, node, aggregate == Aggregate::kMin);
  Value* rows = f.Op("Reshape", {RealVector(f, table.weights, x), f.Ints({-1, table.columns})});
  Value* leaves = f.Op("Gather", {rows, node});
  const std::int64_t drop = 0;
  return f.Op(aggregate == Aggregate::kSum ? "ReduceSum" : "ReduceMean", {leaves, f.Ints({1})},
              {{"keepdims", drop}});
}

namespace {

Result<Aggregate> TakeAggregate(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::string> name, op.TakeString("aggregate_function"));
  if (!name || *name == "SUM") return Aggregate::kSum;
  if (*name == "AVERAGE") return Aggregate::kAverage;
  if (*name == "MIN") return Aggregate::kMin;
  if (*name == "MAX") return Aggregate::kMax;
  return op.Invalid("aggregate_function is " + *name);
}

}  // namespace

LoweredResults LowerTreeEnsembleRegressor(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::vector<double> base, TakeReals(op, "base_values"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> targets, op.TakeInt("n_targets"));
  DRAGOMAN_ASSIGN(const Aggregate aggregate, TakeAggregate(op));
  DRAGOMAN_ASSIGN(const PostTransform transform, TakePostTransform(op));
  DRAGOMAN_ASSIGN(const Trees trees, TakeTrees(op));
  DRAGOMAN_ASSIGN(const LeafTable table, TakeLeaves(op, trees, "target", targets.value_or(1)));
  if (!base.empty() && static_cast<std::int64_t>(base.size()) != targets.value_or(1))
    return op.Invalid("has " + std::to_string(base.size()) + " base values");
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * scores, AggregateLeaves(op, f, trees, table, aggregate));
  if (!base.empty()) scores = f.Op("Add", {scores, RealVector(f, base, scores)});
  scores = f.Cast(scores, DType::kF32);
  return f.Finish({Transformed(f, OfTargets(transform, table.columns), scores, op.ResultName(0))});
}

namespace {

// The number of the class of two of which the leaves know one, whose `score` (examples, 1) decides.
// Weights without sign are probabilities. This and the scores are ONNX Runtime's: the standard is
// silent.
Value* IndexOfTwo(OpLowering& op, OpComposer& f, Value* score, bool probability) {
  Value* threshold = op.builder.Float(probability ? 0.5f : 0.0f);
  Value* second = f.Cast(f.Op("Greater", {score, threshold}), DType::kI64);
  return f.Op("Squeeze", {second, f.Ints({1})});
}

// The score is that of the second class, whichever of the two the leaves name.
Value* ScoresOfTwo(OpLowering& op, OpComposer& f, Value* score, PostTransform transform,
                   bool probability) {
  const bool complement = probability && transform != PostTransform::kLogistic;
  Value* first = complement ? f.Op("Sub", {op.builder.Float(1), score}) : f.Op("Neg", {score});
  Value* scores = f.Op("Concat", {first, score}, {{"axis", std::int64_t{1}}});
  const bool logistic = transform == PostTransform::kLogistic;
  return Transformed(f, logistic ? transform : PostTransform::kNone, scores, op.ResultName(1));
}

}  // namespace

// Results: labels (examples), scores (examples, classes).
LoweredResults LowerTreeEnsembleClassifier(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::vector<double> base, TakeReals(op, "base_values"));
  DRAGOMAN_ASSIGN(const std::optional<Tensor> labels,
                  TakeVector(op, {"classlabels_int64s", "classlabels_strings", ""}));
  DRAGOMAN_ASSIGN(const PostTransform transform, TakePostTransform(op));
  if (!labels) return op.Invalid("has no class labels");
  const std::int64_t classes = labels->size();
  DRAGOMAN_ASSIGN(const Trees trees, TakeTrees(op));
  DRAGOMAN_ASSIGN(const LeafTable table, TakeLeaves(op, trees, "class", classes));
  const bool one_of_two = classes == 2 && table.targets.size() == 1;
  const bool only_first = one_of_two && table.targets.contains(0);
  const auto bases = static_cast<std::int64_t>(base.size());
  if (bases != 0 && (one_of_two ? bases != 1 || !only_first : bases != classes)) {
    return op.Unsupported(std::to_string(bases) + " base values for " + std::to_string(classes) +
                          " classes");
  }
  if (!one_of_two && static_cast<std::int64_t>(table.targets.size()) != classes)
    return op.Unsupported("a class that no leaf knows");
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * scores, AggregateLeaves(op, f, trees, table, Aggregate::kSum));
  if (only_first) scores = f.Op("Gather", {scores, f.Ints({0})}, {{"axis", std::int64_t{1}}});
  if (bases != 0) scores = f.Op("Add", {scores, RealVector(f, base, scores)});
  scores = f.Cast(scores, DType::kF32);
  const std::int64_t drop = 0, columns = 1;
  Value* index = nullptr;
  if (one_of_two) {
    Value* known = only_first ? scores : f.Op("Gather", {scores, f.Ints({1})}, {{"axis", columns}});
    index = IndexOfTwo(op, f, known, !table.has_negative);
  } else {
    index = f.Op("ArgMax", {scores}, {{"axis", columns}, {"keepdims", drop}});
  }
  Value* label = f.Op("Gather", {op.builder.Constant(*labels), index}, {}, op.ResultName(0));
  if (only_first)
    return f.Finish({label, ScoresOfTwo(op, f, scores, transform, !table.has_negative)});
  return f.Finish({label, Transformed(f, transform, scores, op.ResultName(1))});
}

}  // namespace dragoman
