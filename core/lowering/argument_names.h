// SPDX-License-Identifier: Apache-2.0
// What a user calls the arguments of an entry, and parts of them.
#ifndef DRAGOMAN_CORE_LOWERING_ARGUMENT_NAMES_H_
#define DRAGOMAN_CORE_LOWERING_ARGUMENT_NAMES_H_

#include <optional>
#include <span>
#include <string>

#include "core/analysis/facts.h"
#include "core/ir/type.h"
#include "core/support/result.h"

namespace dragoman {

// An argument of an entry: how it is declared.
struct DeclaredArgument {
  std::string name;
  Type type;
};

// What `name` stands for: an argument's name, or a position among the flat inputs ("2"; tuples are
// taken apart), or of an argument with a part of it ("1.key"), becomes "hc.0", "d.key". nullopt:
// nothing.
std::optional<std::string> CanonicalInput(std::span<const DeclaredArgument> arguments,
                                          const std::string& name);

// The facts that name a part of one of `arguments`, with the name instead of a position. Errors: a
// fact that names none.
Result<Facts> CanonicalFacts(std::span<const DeclaredArgument> arguments, const Facts& facts);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_ARGUMENT_NAMES_H_
