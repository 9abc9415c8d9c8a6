// SPDX-License-Identifier: Apache-2.0
// Interpreter: runs the entries of a common model.
#ifndef DRAGOMAN_RUN_H_
#define DRAGOMAN_RUN_H_

#include "core/interpreter/array.h"
#include "core/interpreter/interpreter.h"

#endif  // DRAGOMAN_RUN_H_
