// Compiles generated programs on this machine, for `--engine native` and for proofs.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_NATIVE_H_
#define DRAGOMAN_CODEGEN_ONEDNN_NATIVE_H_

#include <filesystem>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Generates the program of the common `model`, compiles it with the C++ compiler ($CXX, else c++),
// and gives the path of its `infer`. Cached by content, below $DRAGOMAN_CACHE,
// $XDG_CACHE_HOME/dragoman, or ~/.cache/dragoman: the runtime's objects once for all programs.
// Errors: nodes that a program cannot have; a compiler that fails, with its last output.
Result<std::filesystem::path> BuildNative(const Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_ONEDNN_NATIVE_H_
