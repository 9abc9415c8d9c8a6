// SPDX-License-Identifier: Apache-2.0
// The native engine: generates the C++ program of a model, compiles it, and runs that.
#ifndef DRAGOMAN_DRIVER_NATIVE_ENGINE_H_
#define DRAGOMAN_DRIVER_NATIVE_ENGINE_H_

#include <vector>

#include "driver/run_model.h"

namespace dragoman {

// `model` is common. Never falls back: what the generator or the compiler refuses is an error.
Result<RunResult> RunNative(const Session& session, const Model& model,
                            const std::vector<NamedArray>& inputs, const RunRequest& request);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_NATIVE_ENGINE_H_
