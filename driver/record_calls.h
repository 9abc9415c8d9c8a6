// SPDX-License-Identifier: Apache-2.0
// Calls of a model with random inputs, for what is made of it to be compared with.
#ifndef DRAGOMAN_DRIVER_RECORD_CALLS_H_
#define DRAGOMAN_DRIVER_RECORD_CALLS_H_

#include <cstddef>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "exporters/torch/write_package.h"

namespace dragoman {

// Calls of the default entry of a common model, one after the other, by the interpreter. Errors: it
// cannot run, takes or gives what is not a tensor, or takes long or much memory.
Result<std::vector<RecordedCall>> RecordCalls(const Model& common, std::size_t count);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_RECORD_CALLS_H_
