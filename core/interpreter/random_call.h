// SPDX-License-Identifier: Apache-2.0
// Calls of kernels that draw random numbers.
#ifndef DRAGOMAN_CORE_INTERPRETER_RANDOM_CALL_H_
#define DRAGOMAN_CORE_INTERPRETER_RANDOM_CALL_H_

#include "core/interpreter/kernel_call.h"
#include "runtime/kernels/random_source.h"

namespace dragoman {

// What EvaluateNode passes to every kernel: those that take a RandomSource find it after the rest.
struct RandomKernelArguments : KernelArguments {
  rt::RandomSource* random = nullptr;
};

namespace kernel_internal {

template <>
struct Supply<rt::RandomSource> {
  static rt::RandomSource& From(const KernelArguments& arguments, Position) {
    return *static_cast<const RandomKernelArguments&>(arguments).random;
  }
};

}  // namespace kernel_internal
}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_RANDOM_CALL_H_
