// SPDX-License-Identifier: Apache-2.0
// Session: reads, lowers, rewrites, compares and writes models, and generates C++ programs; the
// rows of formats and targets that it works with; conversions as the command line makes them; and
// Printable, which texts of a model and messages pass on their way to a terminal.
#ifndef DRAGOMAN_SESSION_H_
#define DRAGOMAN_SESSION_H_

#include "core/rewrite/match/read_rules.h"
#include "core/support/printable.h"
#include "driver/convert_model.h"
#include "driver/diff_sources.h"
#include "driver/rules.h"
#include "driver/session.h"
#include "driver/simplify_model.h"
#include "driver/targets.h"

#endif  // DRAGOMAN_SESSION_H_
