// SPDX-License-Identifier: Apache-2.0
// Attributes of windows, and layouts.
#ifndef DRAGOMAN_IMPORTERS_RELAY_OPS_LAYOUT_H_
#define DRAGOMAN_IMPORTERS_RELAY_OPS_LAYOUT_H_

#include <string_view>

#include "core/lowering/layout.h"
#include "importers/relay/ops/call.h"

namespace dragoman::relay {

// Attribute `name`, one number, one per axis, or all begins and all ends, as ai.onnx has pads.
Ints PadsOf(Call& c, std::string_view name, int spatial);

// A pool over `spatial` axes of `x`, by the attributes of the call: the mean of windows, or their
// maximum.
Value* Pool(Call& c, Value* x, int spatial, bool mean);

// The kernel (channels of the result, channels of a group, …) of a convolution over each channel by
// itself, which Relay may write as (channels, multiplier, …).
Value* DepthwiseKernel(Call& c, Value* x, Value* weight, std::int64_t groups);
// Fails if attributes channels and kernel_size say something else than the kernel's sizes. Those of
// a transposed one do not show how many channels there are.
void CheckKernel(Call& c, const Value* weight, int spatial, bool transposed = false);

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_OPS_LAYOUT_H_
