// SPDX-License-Identifier: Apache-2.0
// What `dragoman inspect` says about TorchScript beyond what it says about every model.
#ifndef DRAGOMAN_DRIVER_DESCRIBE_TORCHSCRIPT_H_
#define DRAGOMAN_DRIVER_DESCRIBE_TORCHSCRIPT_H_

#include <cstddef>
#include <string>

#include "core/ir/model.h"

namespace dragoman {

// Text, a block a class in the order of the table of classes: its attributes with their types, its
// methods with their signatures, and under each method the places in the user's source with the
// operators that stand there, at most `max_places` of them. Empty for models of other dialects.
//
//     class __torch__.policy.Policy: module
//       hidden_state: Tensor (buffer)
//       forward(x: Tensor) -> Tensor
//         policy.py:174  aten.unsqueeze, prim.CallMethod
std::string DescribeTorchScript(const Model& model, std::size_t max_places);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_DESCRIBE_TORCHSCRIPT_H_
