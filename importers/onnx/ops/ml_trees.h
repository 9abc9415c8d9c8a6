// Ensembles of decision trees, as all versions of their operators share them.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OPS_ML_TREES_H_
#define DRAGOMAN_IMPORTERS_ONNX_OPS_ML_TREES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/onnx/ops/ml.h"

namespace dragoman {

// Nodes, inner ones and leaves, by their numbers. `yes` and `no` are numbers of nodes; leaves are
// their own children and ask for feature 0.
struct Trees {
  std::vector<std::int64_t> features, yes, no, roots;
  std::vector<double> values;
  std::vector<std::string> modes;            // LEAF, BRANCH_LEQ, …
  std::vector<std::vector<double>> members;  // of nodes BRANCH_MEMBER; empty: there are none
  std::vector<std::int64_t> missing_is_yes;  // empty: nowhere
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> numbers;  // of (tree, node)
  std::int64_t depth = 0;

  std::int64_t size() const { return static_cast<std::int64_t>(features.size()); }
  bool IsLeaf(std::int64_t node) const { return modes[static_cast<std::size_t>(node)] == "LEAF"; }
};

// What a leaf adds to targets, a row a node; `columns` targets.
struct LeafTable {
  std::int64_t columns = 1;
  std::vector<double> weights;
  std::vector<bool> given;         // whether a weight stands there
  std::set<std::int64_t> targets;  // that occur
  bool has_negative = false;
};

// A table of zeros. Errors: no targets, or too many.
Result<LeafTable> MakeLeafTable(const OpLowering& op, const Trees& trees, std::int64_t targets);
void AddLeaf(LeafTable& table, std::int64_t node, std::int64_t target, double weight);

// Sets `depth`. Errors: a node that no root reaches, trees that are too deep or have cycles.
Status MeasureDepth(OpLowering& op, Trees& trees);

enum class Aggregate { kSum, kAverage, kMin, kMax };

// What the leaves that each example reaches amount to: (examples, targets), of f64 where operand 0
// is, else of f32.
Result<Value*> AggregateLeaves(OpLowering& op, OpComposer& f, const Trees& trees,
                               const LeafTable& table, Aggregate aggregate);

// A constant of the element type of `like`.
Value* RealVector(OpComposer& f, const std::vector<double>& values, const Value* like);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_ML_TREES_H_
