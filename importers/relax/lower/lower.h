// SPDX-License-Identifier: Apache-2.0
// Lowers Relax modules.
#ifndef DRAGOMAN_IMPORTERS_RELAX_LOWER_LOWER_H_
#define DRAGOMAN_IMPORTERS_RELAX_LOWER_LOWER_H_

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// The common model of a source model that ReadRelax gave. Calls of other functions of the module
// are lowered where they stand; an `if` on what is known at run time only is an If. Public
// functions beside the default one that cannot be lowered are left out, which `note` reports.
// Errors: unsupported, every call that has no common form, with line and column.
Result<Model> LowerRelax(const Model& source, const Facts& facts,
                         const std::function<void(std::string_view)>& note);

// Whether inputs of some entry are states, or stand for numbers that a node draws, for complex
// numbers, tuples or shapes.
bool RelaxChangesInputs(const Model& source);

// "R.nn.conv2d" without the "R.", sorted.
std::vector<std::string_view> LoweredRelaxOperators();

// Nodes of a source graph that are of the language: "dataflow", "if".
std::span<const std::string_view> RelaxConstructs();

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_RELAX_LOWER_LOWER_H_
