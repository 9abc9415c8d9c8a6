// SPDX-License-Identifier: Apache-2.0
// Which values of two models should be equal, and where those begin to differ.
#ifndef DRAGOMAN_DRIVER_VALUE_PAIRS_H_
#define DRAGOMAN_DRIVER_VALUE_PAIRS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "core/ir/model.h"
#include "driver/session.h"

namespace dragoman {

// Tensors that nodes of the default entries compute, outside of bodies.
struct ValuePair {
  const Value* a = nullptr;
  const Value* b = nullptr;
};

// Of the common models: results of nodes that `Session::Diff` matches, whatever their names, and
// those of equal names whose nodes have no partner. In the order of nodes of `a`.
std::vector<ValuePair> PairValues(const Session& session, const Model& a, const Model& b);

// `differs` without the pairs whose difference ends before the outputs of `a`: all that is computed
// from them there leads through pairs that agree. A convolution differs in this way where the other
// file has the normalisation behind it as well. `differs` itself if nothing would be left.
std::vector<bool> DifferencesAtOutputs(const std::vector<ValuePair>& pairs,
                                       const std::vector<bool>& differs);

// The positions of pairs that differ although nothing differs of what leads to them in `a`: the
// first ones of each branch. `differs` has an element for each pair.
std::vector<std::size_t> FirstDifferences(const std::vector<ValuePair>& pairs,
                                          const std::vector<bool>& differs);

// The nodes between the producers of a pair and those of the pairs before them: what one model
// computes there and the other does not, each as Node::Describe has it.
struct Between {
  std::vector<std::string> a;
  std::vector<std::string> b;
};
Between NodesBetween(const std::vector<ValuePair>& pairs, std::size_t position);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_VALUE_PAIRS_H_
