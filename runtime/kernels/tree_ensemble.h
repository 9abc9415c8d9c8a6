// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TreeEnsemble: decision trees, and what their leaves amount to.
//
// Nodes of all trees lie in tables, those of a tree side by side, parents before children. Several
// examples go down one tree at once, or, where there are few examples, one example goes down
// several trees: the steps do not wait for each other. A leaf is its own child, so that all take as
// many steps as the slowest.
#ifndef DRAGOMAN_RUNTIME_KERNELS_TREE_ENSEMBLE_H_
#define DRAGOMAN_RUNTIME_KERNELS_TREE_ENSEMBLE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/status.h"
#include "runtime/params/tree_ensemble.h"

namespace dragoman::rt {

inline constexpr int kTreeLanes = 16;

template <class T>
struct TreeTables {
  TensorView<const std::int32_t> features;   // (nodes): the feature that a node asks for
  TensorView<const T> splits;                // (nodes): what the feature is compared with
  TensorView<const std::int32_t> children;   // (nodes, 2): where the answer is yes, and no
  TensorView<const std::uint8_t> modes;      // (nodes): TreeMode; absent: kLessOrEqual
  TensorView<const bool> missing;            // (nodes): NaN is a yes; absent: nowhere
  TensorView<const std::int32_t> first_set;  // (nodes + 1): the sets that kMember asks for
  TensorView<const T> sets;
};

template <class T>
bool IsYes(const TreeTables<T>& tables, std::int32_t node, T x) {
  if (tables.missing.present() && tables.missing[node] && x != x) return true;
  const T split = tables.splits[node];
  const auto mode = static_cast<TreeMode>(tables.modes.present() ? tables.modes[node] : 0);
  switch (mode) {
    case TreeMode::kLessOrEqual:
      return x <= split;
    case TreeMode::kLess:
      return x < split;
    case TreeMode::kGreaterOrEqual:
      return x >= split;
    case TreeMode::kGreater:
      return x > split;
    case TreeMode::kEqual:
      return x == split;
    case TreeMode::kNotEqual:
      return x != split;
    case TreeMode::kMember:
      break;
  }
  if (!tables.first_set.present()) return false;
  const T* const begin = tables.sets.data + tables.first_set[node];
  const T* const end = tables.sets.data + tables.first_set[node + 1];
  return std::find(begin, end, x) != end;
}

// Moves `count` lanes from their nodes down to leaves; `rows` are the examples of the lanes.
template <bool kPlain, class T>
void GoDown(const TreeTables<T>& tables, const T* const* rows, int count, std::int32_t* nodes) {
  const std::int32_t* const features = tables.features.data;
  const T* const splits = tables.splits.data;
  const std::int32_t* const children = tables.children.data;
  std::int32_t moved = 1;
  while (moved != 0) {
    moved = 0;
    for (int lane = 0; lane < count; ++lane) {
      const std::int32_t node = nodes[lane];
      const T x = rows[lane][features[node]];
      const bool yes = kPlain ? x <= splits[node] : IsYes(tables, node, x);
      const std::int32_t next = children[2 * node + (yes ? 0 : 1)];
      moved |= next ^ node;
      nodes[lane] = next;
    }
  }
}

template <class T>
class TreeLeaves {
 public:
  TreeLeaves(TreeAggregate aggregate, TensorView<const std::int32_t> first,
             TensorView<const std::int32_t> targets, TensorView<const T> weights)
      : aggregate_(aggregate), first_(first), targets_(targets), weights_(weights) {}

  T start() const {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    if (aggregate_ == TreeAggregate::kMin) return kInfinity;
    return aggregate_ == TreeAggregate::kMax ? -kInfinity : T(0);
  }

  // What leaf `node` adds to the scores of one example; `known` may be null.
  void Add(std::int32_t node, T* scores, bool* known) const {
    for (std::int32_t i = first_[node]; i < first_[node + 1]; ++i) {
      const std::int32_t target = targets_[i];
      if (aggregate_ == TreeAggregate::kMin) {
        scores[target] = std::min(scores[target], weights_[i]);
      } else if (aggregate_ == TreeAggregate::kMax) {
        scores[target] = std::max(scores[target], weights_[i]);
      } else {
        scores[target] += weights_[i];
      }
      if (known != nullptr) known[target] = true;
    }
  }

  T Finish(T score, std::int64_t trees) const {
    if (aggregate_ == TreeAggregate::kAverage) return score / static_cast<T>(trees);
    return score == start() ? T(0) : score;
  }

 private:
  TreeAggregate aggregate_;
  TensorView<const std::int32_t> first_, targets_;
  TensorView<const T> weights_;
};

// x (examples, features); of leaf n weights_[i] is for target leaf_targets[i], where i is from
// first_leaf[n] to first_leaf[n + 1]. scores (examples, targets): 0 where no leaf has a weight;
// known: where one has.
template <class T>
Status TreeEnsemble(const TreeEnsembleParams& params, TensorView<const T> x,
                    TensorView<const std::int32_t> roots, TensorView<const std::int32_t> features,
                    TensorView<const T> splits, TensorView<const std::int32_t> children,
                    TensorView<const std::int32_t> first_leaf,
                    TensorView<const std::int32_t> leaf_targets, TensorView<const T> leaf_weights,
                    TensorView<const std::uint8_t> modes, TensorView<const bool> missing,
                    TensorView<const std::int32_t> first_set, TensorView<const T> sets,
                    TensorView<T> scores, TensorView<bool> known) {
  const std::int64_t examples = x.shape[0], width = x.shape[1], trees = roots.size();
  if (width < params.features)
    return Status::Error("an example has too few features for the trees");
  const TreeTables<T> tables = {features, splits, children, modes, missing, first_set, sets};
  const TreeLeaves<T> leaves(static_cast<TreeAggregate>(params.aggregate), first_leaf, leaf_targets,
                             leaf_weights);
  const bool plain = !modes.present() && !missing.present();
  const std::int64_t targets = params.targets;
  std::fill_n(scores.data, examples * targets, leaves.start());
  if (known.present()) std::fill_n(known.data, examples * targets, false);
  const auto add = [&](std::int32_t node, std::int64_t example) {
    leaves.Add(node, scores.data + example * targets,
               known.present() ? known.data + example * targets : nullptr);
  };
  const auto go_down = [&](const T* const* rows, int count, std::int32_t* nodes) {
    plain ? GoDown<true>(tables, rows, count, nodes) : GoDown<false>(tables, rows, count, nodes);
  };
  const T* rows[kTreeLanes];
  std::int32_t nodes[kTreeLanes];
  const bool by_tree = examples >= kTreeLanes / 2;
  for (std::int64_t tree = 0; by_tree && tree < trees; ++tree) {
    for (std::int64_t first = 0; first < examples; first += kTreeLanes) {
      const int count = static_cast<int>(std::min<std::int64_t>(kTreeLanes, examples - first));
      for (int lane = 0; lane < count; ++lane) rows[lane] = x.data + (first + lane) * width;
      std::fill_n(nodes, count, roots[tree]);
      go_down(rows, count, nodes);
      for (int lane = 0; lane < count; ++lane) add(nodes[lane], first + lane);
    }
  }
  for (std::int64_t example = 0; !by_tree && example < examples; ++example) {
    std::fill_n(rows, kTreeLanes, x.data + example * width);
    for (std::int64_t first = 0; first < trees; first += kTreeLanes) {
      const int count = static_cast<int>(std::min<std::int64_t>(kTreeLanes, trees - first));
      std::copy_n(roots.data + first, count, nodes);
      go_down(rows, count, nodes);
      for (int lane = 0; lane < count; ++lane) add(nodes[lane], example);
    }
  }
  for (std::int64_t i = 0; i < examples * targets; ++i) scores[i] = leaves.Finish(scores[i], trees);
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_TREE_ENSEMBLE_H_
