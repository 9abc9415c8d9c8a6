// SPDX-License-Identifier: Apache-2.0
// What holds of all values of a pickle once it is read.
#ifndef DRAGOMAN_IMPORTERS_TORCH_CONTAINER_CHECK_VALUES_H_
#define DRAGOMAN_IMPORTERS_TORCH_CONTAINER_CHECK_VALUES_H_

#include "core/support/result.h"
#include "importers/torch/container/value.h"

namespace dragoman::torch {

// Errors: containers nested deeper than kMaxPickleDepth, so that those who walk the values in
// order, each container once, may do so recursively; a key twice in a dict; a dict key that is
// neither a number, bool, complex, string, tensor nor device; a function, class or storage among
// the items of a list, a dict or the state of an object; tuples that hold one another so often that
// written out they exceed the size budget.
Status CheckValues(const Stored& root);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_CONTAINER_CHECK_VALUES_H_
