// SPDX-License-Identifier: Apache-2.0
// Interpreter: runs the entries of a common model. RunModel and Runner: call a model of any format,
// on either engine; VerifyAgainstModel and VerifyAgainstData: whether it computes what it should.
#ifndef DRAGOMAN_RUN_H_
#define DRAGOMAN_RUN_H_

#include "core/interpreter/array.h"
#include "core/interpreter/interpreter.h"
#include "driver/compiled_model.h"
#include "driver/run_model.h"
#include "driver/runner.h"
#include "driver/structured_calls.h"
#include "driver/verify_model.h"

#endif  // DRAGOMAN_RUN_H_
