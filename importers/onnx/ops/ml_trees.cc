// Ensembles of decision trees: all trees go down one level at a time, for all examples at once.
//
// A node has a number in the lists of the attributes. `node` (examples, trees) holds where each
// example stands in each tree; a level compares, for each, the feature that the node asks for with
// the node's value, and moves to one of its children. Leaves are their own children, so that trees
// of unequal depth wait there. What the leaves add to each target is a row of a table.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "importers/onnx/ops/ml.h"

namespace dragoman {
namespace {

constexpr std::int64_t kMaxDepth = 512;
constexpr std::int64_t kMaxTable = std::int64_t{1} << 26;  // leaf weights

using Ints = std::vector<std::int64_t>;

struct Trees {
  Ints features, yes, no, roots;  // `yes` and `no` are numbers of nodes
  std::vector<float> values;
  std::vector<std::string> modes;
  Ints missing_is_yes;                                                    // empty: nowhere
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> numbers;  // of (tree, node)
  std::int64_t depth = 0;

  std::int64_t size() const { return static_cast<std::int64_t>(features.size()); }
  bool IsLeaf(std::int64_t node) const { return modes[static_cast<std::size_t>(node)] == "LEAF"; }
};

// The attributes that lists of nodes come in; all but the last are as long as each other.
Status TakeLists(OpLowering& op, Trees& trees, Ints& tree_ids) {
  DRAGOMAN_ASSIGN(tree_ids, TakeIntList(op, "nodes_treeids"));
  DRAGOMAN_ASSIGN(const Ints ids, TakeIntList(op, "nodes_nodeids"));
  DRAGOMAN_ASSIGN(trees.features, TakeIntList(op, "nodes_featureids"));
  DRAGOMAN_ASSIGN(trees.values, TakeFloatList(op, "nodes_values"));
  DRAGOMAN_ASSIGN(trees.modes, TakeStringList(op, "nodes_modes"));
  DRAGOMAN_ASSIGN(trees.yes, TakeIntList(op, "nodes_truenodeids"));
  DRAGOMAN_ASSIGN(trees.no, TakeIntList(op, "nodes_falsenodeids"));
  DRAGOMAN_ASSIGN(trees.missing_is_yes, TakeIntList(op, "nodes_missing_value_tracks_true"));
  op.Drop("nodes_hitrates");
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

Result<Trees> TakeTrees(OpLowering& op) {
  Trees trees;
  Ints tree_ids;
  DRAGOMAN_TRY(TakeLists(op, trees, tree_ids));
  DRAGOMAN_TRY(Connect(op, tree_ids, trees));
  DRAGOMAN_TRY(MeasureDepth(op, trees));
  return trees;
}

// What a leaf adds to targets, a row a node; `targets` columns.
struct LeafTable {
  std::vector<float> weights;
  std::set<std::int64_t> targets;  // that occur
  bool has_negative = false;
};

Result<LeafTable> TakeLeaves(OpLowering& op, const Trees& trees, const std::string& prefix,
                             std::int64_t targets) {
  DRAGOMAN_ASSIGN(const Ints tree_ids, TakeIntList(op, prefix + "_treeids"));
  DRAGOMAN_ASSIGN(const Ints nodes, TakeIntList(op, prefix + "_nodeids"));
  DRAGOMAN_ASSIGN(const Ints ids, TakeIntList(op, prefix + "_ids"));
  DRAGOMAN_ASSIGN(const std::vector<float> weights, TakeFloatList(op, prefix + "_weights"));
  if (tree_ids.size() != ids.size() || nodes.size() != ids.size() || weights.size() != ids.size())
    return op.Invalid("the lists of leaves differ in length");
  if (targets < 1 || trees.size() > kMaxTable / targets)
    return op.Unsupported(std::to_string(targets) + " targets");
  LeafTable table;
  table.weights.resize(static_cast<std::size_t>(trees.size() * targets), 0.0f);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto node = trees.numbers.find({tree_ids[i], nodes[i]});
    if (node == trees.numbers.end() || ids[i] < 0 || ids[i] >= targets)
      return op.Invalid("a leaf's weight is for no node, or no target");
    table.weights[static_cast<std::size_t>(node->second * targets + ids[i])] += weights[i];
    table.targets.insert(ids[i]);
    table.has_negative = table.has_negative || weights[i] < 0;
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
  Descent(OpLowering& op, OpComposer& f, const Trees& trees) : f_(f) {
    std::set<std::string> used(trees.modes.begin(), trees.modes.end());
    used.erase("LEAF");
    modes_.assign(used.begin(), used.end());
    Ints modes;
    for (const std::string& mode : trees.modes)
      modes.push_back(std::ranges::find(modes_, mode) - modes_.begin());
    features_ = f.Ints(trees.features);
    values_ = op.builder.Constant(FloatVector(trees.values));
    yes_ = f.Ints(trees.yes);
    no_ = f.Ints(trees.no);
    if (modes_.size() > 1) node_modes_ = f.Ints(modes);
    if (std::ranges::any_of(trees.missing_is_yes, [](std::int64_t yes) { return yes != 0; }))
      missing_ = f.Cast(f.Ints(trees.missing_is_yes), DType::kBool);
  }

  // One level down, for examples `x`.
  Value* Level(Value* x, Value* node) {
    Value* wanted = f_.Op("Gather", {features_, node});
    Value* feature = f_.Op("GatherElements", {x, wanted}, {{"axis", std::int64_t{1}}});
    Value* value = f_.Op("Gather", {values_, node});
    Value* yes = nullptr;
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      Value* holds = Compare(f_, modes_[i], feature, value);
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
  OpComposer& f_;
  std::vector<std::string> modes_;
  Value* features_ = nullptr;
  Value* values_ = nullptr;
  Value* yes_ = nullptr;
  Value* no_ = nullptr;
  Value* node_modes_ = nullptr;
  Value* missing_ = nullptr;
};

Status CheckModes(OpLowering& op, const Trees& trees) {
  for (const std::string& mode : trees.modes) {
    constexpr std::string_view kModes[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                           "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
    if (std::ranges::find(kModes, mode) == std::end(kModes))
      return op.Unsupported("nodes of mode " + mode);
  }
  return {};
}

// What the leaves that each example reaches add up to: (examples, targets).
Result<Value*> SumOfLeaves(OpLowering& op, OpComposer& f, const Trees& trees,
                           const LeafTable& table, std::string_view aggregate) {
  DRAGOMAN_TRY(CheckModes(op, trees));
  DRAGOMAN_ASSIGN(Value * x, Examples(op, f));
  const auto count = static_cast<std::int64_t>(trees.roots.size());
  Value* sizes = f.Concat({f.SizeVector(x, 0, 1), f.Ints({count})}, 0);
  Value* node = f.Op("Expand", {f.Ints(trees.roots), sizes});
  Descent descent(op, f, trees);
  for (std::int64_t i = 0; i < trees.depth; ++i) node = descent.Level(x, node);
  Value* rows = op.builder.Constant(FloatMatrix(trees.size(), table.weights));
  Value* leaves = f.Op("Gather", {rows, node});
  const std::int64_t drop = 0;
  return f.Op(aggregate, {leaves, f.Ints({1})}, {{"keepdims", drop}});
}

Result<std::vector<float>> TakeBaseValues(OpLowering& op) {
  for (const NamedAttribute& attribute : op.attributes) {
    if (attribute.name.ends_with("_as_tensor"))
      return op.Unsupported("attribute '" + attribute.name + "'");
  }
  return TakeFloatList(op, "base_values");
}

}  // namespace

LoweredResults LowerTreeEnsembleRegressor(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::vector<float> base, TakeBaseValues(op));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> targets, op.TakeInt("n_targets"));
  DRAGOMAN_ASSIGN(const std::optional<std::string> function, op.TakeString("aggregate_function"));
  DRAGOMAN_ASSIGN(const PostTransform transform, TakePostTransform(op));
  const std::string aggregate = function.value_or("SUM");
  if (aggregate != "SUM" && aggregate != "AVERAGE")
    return op.Unsupported("aggregate_function " + aggregate);
  DRAGOMAN_ASSIGN(const Trees trees, TakeTrees(op));
  DRAGOMAN_ASSIGN(const LeafTable table, TakeLeaves(op, trees, "target", targets.value_or(1)));
  if (!base.empty() && static_cast<std::int64_t>(base.size()) != targets.value_or(1))
    return op.Invalid("has " + std::to_string(base.size()) + " base values");
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * scores, SumOfLeaves(op, f, trees, table,
                                              aggregate == "SUM" ? "ReduceSum" : "ReduceMean"));
  if (!base.empty()) scores = f.Op("Add", {scores, op.builder.Constant(FloatVector(base))});
  return f.Finish({Transformed(f, transform, scores, op.ResultName(0))});
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
  DRAGOMAN_ASSIGN(const std::vector<float> base, TakeBaseValues(op));
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
  DRAGOMAN_ASSIGN(Value * scores, SumOfLeaves(op, f, trees, table, "ReduceSum"));
  if (only_first) scores = f.Op("Gather", {scores, f.Ints({0})}, {{"axis", std::int64_t{1}}});
  if (bases != 0) scores = f.Op("Add", {scores, op.builder.Constant(FloatVector(base))});
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
