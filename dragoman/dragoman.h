// SPDX-License-Identifier: Apache-2.0
// All of the library (docs/library.md).
#ifndef DRAGOMAN_DRAGOMAN_H_
#define DRAGOMAN_DRAGOMAN_H_

#include "dragoman/codegen.h"
#include "dragoman/graph.h"
#include "dragoman/lower.h"
#include "dragoman/rewrite.h"
#include "dragoman/run.h"
#include "dragoman/session.h"

#endif  // DRAGOMAN_DRAGOMAN_H_
