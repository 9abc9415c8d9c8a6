// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model in a shared library that another program loads while it runs, compiled with the same
// headers.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_LOADED_MODEL_H_
#define DRAGOMAN_RUNTIME_PROGRAM_LOADED_MODEL_H_

#include "runtime/program/infer_main.h"
#include "runtime/program/info.h"

namespace dragoman::rt {

struct LoadedModel {
  const ModelInfo* info;
  MakeTarget make;
};

// The function that such a library exports, under this name without mangling.
using GetLoadedModel = const LoadedModel* (*)();
inline constexpr char kGetLoadedModel[] = "DragomanLoadedModel";

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_LOADED_MODEL_H_
