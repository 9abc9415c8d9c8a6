// SPDX-License-Identifier: Apache-2.0
// Inputs that have a default, which a caller may give all the same: ONNX's initializers that are
// inputs, too.
#ifndef DRAGOMAN_DRIVER_DEFAULT_INPUTS_H_
#define DRAGOMAN_DRIVER_DEFAULT_INPUTS_H_

#include <optional>
#include <string>
#include <vector>

#include "core/ir/model.h"

namespace dragoman {

// A copy of `source` in which the inputs of entries that are called one of `names` have no default:
// they are inputs like all others. nullopt: none of them has one.
std::optional<Model> WithoutDefaults(const Model& source, const std::vector<std::string>& names);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_DEFAULT_INPUTS_H_
