// The native engine: generates the C++ program of a model, compiles it, and runs that.
#ifndef DRAGOMAN_CLI_NATIVE_ENGINE_H_
#define DRAGOMAN_CLI_NATIVE_ENGINE_H_

#include <vector>

#include "cli/run.h"

namespace dragoman::cli {

// `model` is common. Never falls back: what the generator or the compiler refuses is an error.
Result<RunResult> RunNative(const Model& model, const std::vector<NamedArray>& inputs,
                            const RunRequest& request);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_NATIVE_ENGINE_H_
