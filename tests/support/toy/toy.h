// SPDX-License-Identifier: Apache-2.0
// The toy format: a format of a few lines, to test what a new importer needs.
//
//     toy 1
//     in x 2 3          an input of float32 and its sizes
//     y = add x x       operators: add, twice, root; others can be read, not lowered
//     show y            prints y when the program comes there
//     out y
#ifndef DRAGOMAN_TESTS_SUPPORT_TOY_TOY_H_
#define DRAGOMAN_TESTS_SUPPORT_TOY_TOY_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman::toy {

inline constexpr std::string_view kDialect = "toy";

bool IsToy(std::string_view head);

// A statement is a node of dialect "toy". Errors, with the line as their place: statements of
// another form; names that are defined twice or not at all.
Result<Model> ReadToy(const std::string& path);

// Errors: unsupported, with all operators that are none of the above.
Result<Model> LowerToy(const Model& source, const Facts& facts,
                       const std::function<void(std::string_view)>& note);

// Keeps what computes `outputs`. Errors: a name that does not exist; any inputs.
Status CutToy(Model& source, const std::vector<std::string>& inputs,
              const std::vector<std::string>& outputs);

}  // namespace dragoman::toy

#endif  // DRAGOMAN_TESTS_SUPPORT_TOY_TOY_H_
