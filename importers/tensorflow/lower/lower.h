// SPDX-License-Identifier: Apache-2.0
// Lowers a source Model of TensorFlow (README.md of the folder above) to a common Model.
//
// Every entry is run on abstract values (evaluator.h). Variables that no entry changes become
// constants, those that one changes become States, named as the variable is.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_LOWER_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_LOWER_H_

#include <functional>
#include <string_view>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Errors: invalid input, where facts contradict the program, or a variable is read that the file
// does not initialise; unsupported: everything that has no common form, all of it. Of entries
// beside the default one (or the one that facts name), those that cannot be lowered are left out,
// which `note` reports.
Result<Model> LowerTensorFlow(const Model& source, const Facts& facts = {},
                              const std::function<void(std::string_view)>& note = nullptr);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_LOWER_H_
