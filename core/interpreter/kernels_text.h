// SPDX-License-Identifier: Apache-2.0
// Kernels of strings, and of what looks elements up.
#ifndef DRAGOMAN_CORE_INTERPRETER_KERNELS_TEXT_H_
#define DRAGOMAN_CORE_INTERPRETER_KERNELS_TEXT_H_

#include "core/interpreter/kernel_table.h"

namespace dragoman {

void AddTextKernels(KernelTable& table);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_KERNELS_TEXT_H_
