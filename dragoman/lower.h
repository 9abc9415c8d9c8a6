// SPDX-License-Identifier: Apache-2.0
// What an importer of one's own builds common graphs with: expressions, type and value inference.
#ifndef DRAGOMAN_LOWER_H_
#define DRAGOMAN_LOWER_H_

#include "core/analysis/builder.h"
#include "core/lowering/composer.h"

#endif  // DRAGOMAN_LOWER_H_
