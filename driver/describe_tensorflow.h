// SPDX-License-Identifier: Apache-2.0
// What `dragoman inspect` says about TensorFlow's models beyond what it says about every model.
#ifndef DRAGOMAN_DRIVER_DESCRIBE_TENSORFLOW_H_
#define DRAGOMAN_DRIVER_DESCRIBE_TENSORFLOW_H_

#include <cstddef>
#include <string>

#include "core/ir/model.h"

namespace dragoman {

// Whether the inputs and outputs are a signature's or assumed; the variables that the entries use,
// and what changes them; how many functions the entries reach. At most `max_places` variables.
// Empty for models of other dialects.
//
//     variables 2
//       counter: f32[], changed by AssignAddVariableOp
//       step: i64[], has no value
//     functions 104, of which the entries call 11
std::string DescribeTensorFlow(const Model& model, std::size_t max_places);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_DESCRIBE_TENSORFLOW_H_
