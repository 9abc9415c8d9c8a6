// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of TreeEnsemble.
#ifndef DRAGOMAN_RUNTIME_PARAMS_TREE_ENSEMBLE_H_
#define DRAGOMAN_RUNTIME_PARAMS_TREE_ENSEMBLE_H_

#include <cstdint>

namespace dragoman::rt {

// What becomes of the weights that the leaves of all trees have for one target.
enum class TreeAggregate : std::int64_t { kSum, kAverage, kMin, kMax };

// Questions of nodes, by their numbers in TreeEnsemble of ai.onnx.ml 5.
enum class TreeMode : std::uint8_t {
  kLessOrEqual,
  kLess,
  kGreaterOrEqual,
  kGreater,
  kEqual,
  kNotEqual,
  kMember
};

struct TreeEnsembleParams {
  std::int64_t targets = 1;
  std::int64_t features = 0;  // which an example needs: one more than the last that a node asks for
  std::int64_t aggregate = 0;  // a TreeAggregate

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("targets", self.targets);
    f("features", self.features);
    f("aggregate", self.aggregate);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_TREE_ENSEMBLE_H_
