// SPDX-License-Identifier: Apache-2.0
// Operators of ai.onnx on strings.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OPS_TEXT_H_
#define DRAGOMAN_IMPORTERS_ONNX_OPS_TEXT_H_

#include "importers/onnx/ops/lowerings.h"

namespace dragoman {

LoweredResults LowerRegexFullMatch(OpLowering& op);
LoweredResults LowerStringNormalizer(OpLowering& op);
LoweredResults LowerStringSplit(OpLowering& op);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_TEXT_H_
