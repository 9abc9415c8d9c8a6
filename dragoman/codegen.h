// SPDX-License-Identifier: Apache-2.0
// CodegenOptions, for Session::Generate: how the C++ program of a model is made.
#ifndef DRAGOMAN_CODEGEN_H_
#define DRAGOMAN_CODEGEN_H_

#include "codegen/onednn/codegen.h"

#endif  // DRAGOMAN_CODEGEN_H_
