// SPDX-License-Identifier: Apache-2.0
// Lowers a source Model of Relay (README.md of the folder above) to a common Model.
//
// Every entry is run on abstract values (evaluator.h). Parameters that the `.params` file gave
// contents are constants.
#ifndef DRAGOMAN_IMPORTERS_RELAY_LOWER_LOWER_H_
#define DRAGOMAN_IMPORTERS_RELAY_LOWER_LOWER_H_

#include <functional>
#include <span>
#include <string_view>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Errors: invalid input, where facts contradict the program; unsupported: everything that has no
// common form, all of it, with line and column.
Result<Model> LowerRelay(const Model& source, const Facts& facts = {},
                         const std::function<void(std::string_view)>& note = nullptr);

// Nodes of a source graph that are of the language: "Tuple", "If".
std::span<const std::string_view> RelayConstructs();

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_RELAY_LOWER_LOWER_H_
