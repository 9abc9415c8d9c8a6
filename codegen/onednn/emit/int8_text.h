// SPDX-License-Identifier: Apache-2.0
// How products of 8-bit integers are prepared, as text.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_INT8_TEXT_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_INT8_TEXT_H_

#include <string>
#include <vector>

#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// "fc.w_zero", "rt::Int8Epilogue{...}", and of a convolution "rt::ChannelsLast{...}": what Init
// takes after the weights.
std::vector<std::string> Int8Arguments(const Plan& plan, const Step& step,
                                       const Prepared& prepared);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_INT8_TEXT_H_
