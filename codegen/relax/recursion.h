// SPDX-License-Identifier: Apache-2.0
// Loops as Relax has them: private functions that call themselves.
//
// TVM's virtual machine recurses for each call, and overflows its stack after about two thousand.
// So iterations are not called one inside the other: the function is given how many iterations to
// make, and halves that number. Calls nest as deep as its logarithm; any number of iterations runs,
// and what they collect is joined in as many rounds.
#ifndef DRAGOMAN_CODEGEN_RELAX_RECURSION_H_
#define DRAGOMAN_CODEGEN_RELAX_RECURSION_H_

#include <optional>
#include <string>
#include <vector>

#include "codegen/relax/relax_text.h"
#include "core/ir/type.h"
#include "core/support/text.h"

namespace dragoman::relax {

struct Recursion {
  std::string name;                // of the function
  std::string step;                // the function of one iteration: (index, carried…, fixed…)
  Parameter index;                 // i64[], of the first iteration
  std::vector<Parameter> carried;  // to the next one; the condition first, if there is one
  std::vector<std::string> carried_results;  // their types after the last iteration
  std::vector<Parameter> fixed;              // the same for every iteration
  std::vector<Type> collected;               // what iterations give, each with a first axis of 1
  SymbolNames symbols;                       // that parameters define
  bool has_condition = false;                // carried[0]: whether there is a next iteration
  bool may_stop = false;  // there may be no iteration: by the condition, or by a count of 0
  bool pure = true;
};

// The texts of the function NAME(index, count, carried…, fixed…) -> (carried…, collected…) and of
// those beside it, whose names come from `functions`. `names` are taken in its signature.
// nullopt: a size of what iterations give is not known before, and there may be none.
std::optional<std::vector<std::string>> WriteRecursion(const Recursion& recursion, NameScope names,
                                                       NameScope& functions);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_RECURSION_H_
