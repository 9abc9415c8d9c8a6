// SPDX-License-Identifier: Apache-2.0
// One model of open sizes from two exports of it, at two sizes.
#ifndef DRAGOMAN_CORE_EDIT_GENERALIZE_H_
#define DRAGOMAN_CORE_EDIT_GENERALIZE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// A size that differs in the two models, in which it is `first` and `second`.
struct OpenSize {
  std::string symbol;
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::vector<std::string> places;  // "axis 0 of x"
};

struct Generalized {
  Model model;
  std::vector<OpenSize> sizes;
  std::vector<std::string> changes;  // what was made of constants that differ, a line each
};

// The common model that `first` is at its sizes and `second` at its. A size of an input that
// differs becomes a symbol, the same wherever both numbers are the same; `names` names some
// (sizes of inputs that are symbols). Constants that differ become expressions of sizes: numbers
// read off operands of the same node or off inputs, equal elements repeated, ranges, and parts of
// the larger constant of which the smaller one is the beginning.
//
// Nothing but two examples shows which expression is meant, so callers run the model at both sizes.
// Errors: models that differ in more than sizes; a constant that is no such expression, by node.
Result<Generalized> GeneralizeModels(const Model& first, const Model& second, const Facts& names);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_EDIT_GENERALIZE_H_
