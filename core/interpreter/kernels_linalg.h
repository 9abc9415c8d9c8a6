// SPDX-License-Identifier: Apache-2.0
// Kernels of matrices, complex numbers and spectra.
#ifndef DRAGOMAN_CORE_INTERPRETER_KERNELS_LINALG_H_
#define DRAGOMAN_CORE_INTERPRETER_KERNELS_LINALG_H_

#include "core/interpreter/kernel_table.h"

namespace dragoman {

void AddLinalgKernels(KernelTable& table);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_KERNELS_LINALG_H_
