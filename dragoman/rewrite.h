// SPDX-License-Identifier: Apache-2.0
// Passes and patterns over common graphs: those that come with Dragoman, and what one's own need.
#ifndef DRAGOMAN_REWRITE_H_
#define DRAGOMAN_REWRITE_H_

#include "core/rewrite/pass_context.h"
#include "core/rewrite/pipeline.h"

#endif  // DRAGOMAN_REWRITE_H_
