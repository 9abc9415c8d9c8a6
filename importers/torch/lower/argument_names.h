// SPDX-License-Identifier: Apache-2.0
// What a user calls the arguments of a method, and parts of them (core/lowering/argument_names.h).
#ifndef DRAGOMAN_IMPORTERS_TORCH_LOWER_ARGUMENT_NAMES_H_
#define DRAGOMAN_IMPORTERS_TORCH_LOWER_ARGUMENT_NAMES_H_

#include <optional>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/lowering/argument_names.h"

namespace dragoman::torch {

// Those after self.
std::vector<DeclaredArgument> ArgumentsOf(const Graph& method);

inline std::optional<std::string> CanonicalInput(const Graph& method, const std::string& name) {
  return dragoman::CanonicalInput(ArgumentsOf(method), name);
}

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_LOWER_ARGUMENT_NAMES_H_
