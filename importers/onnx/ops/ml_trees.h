// SPDX-License-Identifier: Apache-2.0
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
#include "runtime/params/tree_ensemble.h"

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

  std::int64_t size() const { return static_cast<std::int64_t>(features.size()); }
  bool IsLeaf(std::int64_t node) const { return modes[static_cast<std::size_t>(node)] == "LEAF"; }
};

// Errors: the lists differ in length, a child is not a node of its tree, a tree has not one root.
Result<Trees> TakeTrees(OpLowering& op);
// The list `name` of floats, or the tensor of doubles that may stand for it.
Result<std::vector<double>> TakeReals(OpLowering& op, const std::string& name);

// What leaves add to targets, of which there are `columns`.
struct Leaves {
  std::int64_t columns = 1;
  std::map<std::int64_t, std::vector<std::pair<std::int64_t, double>>> of_nodes = {};
  std::set<std::int64_t> targets = {};  // that occur
  bool has_negative = false;            // a weight
};

// From the attributes that begin with `prefix`. Errors: the lists differ in length, a weight is for
// no node or no target.
Result<Leaves> TakeLeaves(OpLowering& op, const Trees& trees, const std::string& prefix,
                          std::int64_t targets);
// Errors: there is no such target.
Status AddLeaf(const OpLowering& op, const Trees& trees, std::int64_t node, std::int64_t target,
               double weight, Leaves& leaves);

struct TreeScores {
  Value* scores = nullptr;  // (examples, targets), of f64 where operand 0 is, else of f32
  Value* known = nullptr;   // (examples, targets): whether a leaf that was reached has a weight
};

// What the leaves that each example reaches amount to. Errors: a cycle, a node that no root
// reaches, an unknown mode, a negative feature.
Result<TreeScores> ComputeTrees(OpLowering& op, OpComposer& f, const Trees& trees,
                                const Leaves& leaves, rt::TreeAggregate aggregate);

// A constant of the element type of `like`.
Value* RealVector(OpComposer& f, const std::vector<double>& values, const Value* like);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_ML_TREES_H_
