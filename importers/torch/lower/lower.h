// SPDX-License-Identifier: Apache-2.0
// Lowers a source Model of TorchScript (README.md of this folder) to a common Model.
//
// Every entry is run on abstract values (evaluator.h). What an entry leaves changed in the objects
// of the file, attributes, buffers written in place, lists that grow, becomes States, named after
// the attribute ("lstm.h0"), which all entries share; everything else in them becomes constants.
#ifndef DRAGOMAN_IMPORTERS_TORCH_LOWER_LOWER_H_
#define DRAGOMAN_IMPORTERS_TORCH_LOWER_LOWER_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// An input is called as the argument is; of a structured one, "x.0", "x.key". Facts name inputs so,
// or with the argument's position instead of its name ("0", "1.key"). An optional argument that no
// fact names is None, one with a default has it.
//
// Errors: invalid input, where facts contradict the program; unsupported: everything that has no
// common form, all of it, at the lines of the user's source. Of entries beside the default one (or
// the one that facts name), those that cannot be lowered are left out, which `note` reports; so it
// is of inputs whose element type nothing determines.
Result<Model> LowerTorchScript(const Model& source, const Facts& facts = {},
                               const std::function<void(std::string_view)>& note = nullptr);

// Of TorchScript, "prim.If": those that control which others run, and constants.
std::vector<std::string> TorchControlOperators();

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_TORCH_LOWER_LOWER_H_
