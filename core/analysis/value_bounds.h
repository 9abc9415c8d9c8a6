// SPDX-License-Identifier: Apache-2.0
// Between which numbers the elements of a value lie, whatever the inputs of the graph hold: a
// normalisation bounds what it gives, and so the scores of attention that are computed from it.
#ifndef DRAGOMAN_CORE_ANALYSIS_VALUE_BOUNDS_H_
#define DRAGOMAN_CORE_ANALYSIS_VALUE_BOUNDS_H_

#include <limits>
#include <unordered_map>

#include "core/analysis/guarded_softmax.h"
#include "core/ir/graph.h"

namespace dragoman {

// Every element is NaN, if that may be, or low ≤ element ≤ high, up to rounding.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool may_be_nan = true;

  // The largest magnitude.
  double reach() const;
  // Whether every element is a number, and no infinity.
  bool are_finite() const;
};

// The bounds of float32 and float64 values. They hold for computation in that type, with sums in
// any order: what comes near to the end of its range counts as an infinity.
class ValueBounds {
 public:
  // States what a value holds, as an input of the graph.
  void Assume(const Value& value, const Bounds& bounds) { known_[&value] = bounds; }
  // Nodes are added in their order; nothing is known of others.
  void Add(const Node& node);
  Bounds Of(const Value* value);

 private:
  void AddBody(const Node& node);
  Bounds OfResult(const Node& node);
  Bounds OfMoved(const Node& node);
  Bounds OfUnary(const Node& node);
  Bounds OfProduct(const Node& node);
  Bounds OfNormalized(const Node& node);
  Bounds OfBatchNormalized(const Node& node);
  bool ClearsNan(const GuardedSoftmax& guarded);
  double RowSum(const Value& weight, double terms);

  std::unordered_map<const Value*, Bounds> known_;
  std::unordered_map<const Value*, double> row_sums_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_VALUE_BOUNDS_H_
