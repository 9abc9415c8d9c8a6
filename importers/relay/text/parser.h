// SPDX-License-Identifier: Apache-2.0
// Reads Relay text as expressions (ast.h).
//
// Names of variables have lexical scope; graph variables are known from their definition to the end
// of the `def` around it. `let` lists may be of any length; all else nests kMaxTextDepth deep at
// most, since each level takes a thousand times the memory of its text.
#ifndef DRAGOMAN_IMPORTERS_RELAY_TEXT_PARSER_H_
#define DRAGOMAN_IMPORTERS_RELAY_TEXT_PARSER_H_

#include <memory>
#include <string_view>

#include "core/support/result.h"
#include "importers/relay/text/ast.h"

namespace dragoman::relay {

inline constexpr int kMaxTextDepth = 100'000;

// A text of a single expression is read as function main, whose parameters are its free variables.
// Errors, with line and column: text that is not Relay of version 0.0.4 or 0.0.5; names that are
// not defined; constants that the metadata section does not have.
Result<std::unique_ptr<Module>> ParseModule(std::string_view text);

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_TEXT_PARSER_H_
