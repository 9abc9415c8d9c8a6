// SPDX-License-Identifier: Apache-2.0
#ifndef DRAGOMAN_IMPORTERS_RELAY_OPS_ADVANCED_INDEXING_H_
#define DRAGOMAN_IMPORTERS_RELAY_OPS_ADVANCED_INDEXING_H_

#include "importers/relay/ops/call.h"

namespace dragoman::relay {

// Elements of `axis` by indices of each of the `batch` leading axes:
// (leading axes, axes up to `axis`, further axes of the indices, axes after `axis`).
Value* TakeByBatch(Call& c, Value* x, Value* indices, int axis, int batch);

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_OPS_ADVANCED_INDEXING_H_
