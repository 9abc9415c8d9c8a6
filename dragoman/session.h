// SPDX-License-Identifier: Apache-2.0
// Session: reads, lowers, rewrites, compares and writes models, and generates C++ programs; the
// rows of formats and targets that it works with.
#ifndef DRAGOMAN_SESSION_H_
#define DRAGOMAN_SESSION_H_

#include "driver/session.h"
#include "driver/targets.h"

#endif  // DRAGOMAN_SESSION_H_
