// SPDX-License-Identifier: Apache-2.0
// dragoman.TreeEnsemble: decision trees as tables.
#include "runtime/params/tree_ensemble.h"

#include <algorithm>
#include <string>

#include "core/ops/infer_context.h"
#include "core/ops/operand_checks.h"
#include "core/ops/text_ops.h"
#include "core/ops/tree_formula.h"

namespace dragoman {
namespace {

using Ints = std::vector<std::int64_t>;

// Places of operands.
enum Operand : std::size_t {
  kX,
  kRoots,
  kFeatures,
  kSplits,
  kChildren,
  kFirstLeaf,
  kLeafTargets,
  kLeafWeights,
  kModes,
  kMissing,
  kFirstSet,
  kSets
};

bool InRange(const Ints& values, std::int64_t begin, std::int64_t end) {
  return std::ranges::all_of(values, [&](std::int64_t v) { return begin <= v && v < end; });
}

// Rows of a list of `size` elements, one after the other.
bool AreOffsets(const Ints& offsets, std::int64_t rows, std::int64_t size) {
  return static_cast<std::int64_t>(offsets.size()) == rows + 1 && std::ranges::is_sorted(offsets) &&
         offsets.front() == 0 && offsets.back() == size;
}

// The table that operand `i` is; nullptr: none, or no constant.
const Tensor* TableAt(const InferContext& context, std::size_t i) {
  const Value* operand = context.node().operand(i);
  return operand != nullptr ? operand->tensor() : nullptr;
}

// "", or what is wrong with the tables, which kernels trust.
std::string WrongTables(const InferContext& context) {
  for (std::size_t i = kRoots; i <= kSets; ++i) {
    const bool may_lack = i > kLeafWeights && !context.has(i);
    if (!may_lack && TableAt(context, i) == nullptr)
      return "operand " + std::to_string(i) + " is not a constant table";
  }
  const auto& params = context.params<rt::TreeEnsembleParams>();
  const auto ints = [&](std::size_t i) { return TableAt(context, i)->ToInts(); };
  const std::int64_t nodes = TableAt(context, kFeatures)->size();
  const auto of_nodes = [&](std::size_t i) {
    return !context.has(i) || TableAt(context, i)->size() == nodes;
  };
  if (!of_nodes(kSplits) || !of_nodes(kModes) || !of_nodes(kMissing))
    return "the tables of nodes differ in length";
  const Ints children = ints(kChildren);
  if (static_cast<std::int64_t>(children.size()) != 2 * nodes) return "a node has not two children";
  for (std::int64_t i = 0; i < 2 * nodes; ++i) {
    const std::int64_t child = children[static_cast<std::size_t>(i)];
    if (child < i / 2 || child >= nodes) return "a child stands before its parent, or nowhere";
  }
  if (!InRange(ints(kFeatures), 0, params.features)) return "a node asks for no feature";
  if (!InRange(ints(kRoots), 0, nodes)) return "a root is not a node";
  const Tensor& weights = *TableAt(context, kLeafWeights);
  if (!AreOffsets(ints(kFirstLeaf), nodes, weights.size()) ||
      TableAt(context, kLeafTargets)->size() != weights.size())
    return "the tables of leaves differ in length";
  if (!InRange(ints(kLeafTargets), 0, params.targets)) return "a leaf has no target";
  if (context.has(kModes) && !InRange(ints(kModes), 0, 7)) return "a mode is none";
  if (context.has(kFirstSet) != context.has(kSets)) return "sets lack their places";
  if (context.has(kFirstSet) &&
      !AreOffsets(ints(kFirstSet), nodes, TableAt(context, kSets)->size()))
    return "the places of sets are none";
  return "";
}

Status InferTreeEnsemble(InferContext& context) {
  const auto& params = context.params<rt::TreeEnsembleParams>();
  if (params.targets < 1) return context.Fail("targets is not positive");
  if (params.aggregate < 0 || params.aggregate > 3) return context.Fail("aggregate is none");
  DRAGOMAN_TRY(CheckMinRank(context, kX, 2));
  if (const std::string wrong = WrongTables(context); !wrong.empty()) return context.Fail(wrong);
  const Shape* x = context.shape(kX);
  if (x == nullptr) return {};
  if (x->size() != 2) return context.Fail("x has not rank 2");
  if (x->back().known() && x->back().value() < params.features)
    return context.Fail("the examples have " + x->back().ToString() +
                        " features, and a node asks for number " +
                        std::to_string(params.features - 1));
  const Shape scores = {x->front(), Dim(params.targets)};
  context.SetShape(0, scores);
  context.SetShape(1, scores);
  return {};
}

}  // namespace

std::vector<OpDef> TreeEnsembleOps() {
  return {
      DragomanOp("TreeEnsemble",
                 "(x: T, roots: i32, features: i32, splits: T, children: i32, first_leaf: i32, "
                 "leaf_targets: i32, leaf_weights: T, modes: u8?, missing: bool?, first_set: "
                 "i32?, sets: T?) -> (scores: T, known: bool?)",
                 "T: f32 f64")
          .Attributes<rt::TreeEnsembleParams>()
          .Infer(InferTreeEnsemble)
          .Expand(ExpandTreeEnsemble)
          .Kernel({.header = "runtime/kernels/tree_ensemble.h", .types = "T", .fallible = true})};
}

}  // namespace dragoman
