// SPDX-License-Identifier: Apache-2.0
// Hooks of the root module, which torch runs around its method when the module is called.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_ROOT_HOOKS_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_ROOT_HOOKS_H_

#include "core/support/result.h"
#include "importers/torch/script/program.h"

namespace dragoman::torch {

bool HasHooks(const ScriptClass& owner);

// A function of the signature of `forward` that calls, in order, each pre-hook(self, (arguments,)),
// whose result, unless it is None, becomes the arguments; the method; and each hook(self,
// (arguments,), result), whose result, unless it is None, becomes the result.
Result<FunctionDef> HookedForward(Program& program, const ScriptClass& owner,
                                  const FunctionDef& forward);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_ROOT_HOOKS_H_
