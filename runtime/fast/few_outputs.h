// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of few outputs as transposed ones with their taps in reverse: there a vector is of
// elements of the image, where in oneDNN's code it would be of outputs, most of which do not exist.
#ifndef DRAGOMAN_RUNTIME_FAST_FEW_OUTPUTS_H_
#define DRAGOMAN_RUNTIME_FAST_FEW_OUTPUTS_H_

#include <cstdint>
#include <memory>

#include "runtime/fast/own_conv.h"
#include "runtime/params/shape.h"

namespace dragoman::rt {

// Whether weights of sizes w (M, C, kernel…) are of so few outputs, whatever the image.
constexpr bool AreFewOutputs(std::int64_t group, const Shape& w) {
  constexpr std::int64_t kMostOutputs = 4, kFewestChannels = 8;
  return group == 1 && w[0] <= kMostOutputs && w[1] >= kFewestChannels;
}

// An OwnConvMaker. Each element of the image is multiplied by all taps, whether or not they reach a
// result, and an image in blocks of channels is brought to rows first, for which a single tap does
// not make up.
std::unique_ptr<OwnConv> MakeFewOutputs(const OwnConvLayer& layer);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_FEW_OUTPUTS_H_
