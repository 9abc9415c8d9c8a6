// What a user calls the arguments of an entry, and parts of them.
#ifndef DRAGOMAN_IMPORTERS_TORCHSCRIPT_ARGUMENT_NAMES_H_
#define DRAGOMAN_IMPORTERS_TORCHSCRIPT_ARGUMENT_NAMES_H_

#include <optional>
#include <string>

#include "core/analysis/facts.h"
#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman::torchscript {

// What `name` stands for: an argument's name, or a position among the flat inputs ("2"; tuples are
// taken apart), or of an argument with a part of it ("1.key"), becomes "hc.0", "d.key". nullopt:
// nothing.
std::optional<std::string> CanonicalInput(const Graph& function, const std::string& name);

// The facts that name a part of an argument of `function`, with the name instead of a position.
// Errors: a fact that names none.
Result<Facts> CanonicalFacts(const Graph& function, const Facts& facts);

}  // namespace dragoman::torchscript

#endif  // DRAGOMAN_IMPORTERS_TORCHSCRIPT_ARGUMENT_NAMES_H_
