// SPDX-License-Identifier: Apache-2.0
// Operators on strings of onnxruntime-extensions, domain ai.onnx.contrib.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OPS_EXTENSION_TEXT_H_
#define DRAGOMAN_IMPORTERS_ONNX_OPS_EXTENSION_TEXT_H_

#include "importers/onnx/ops/lowerings.h"

namespace dragoman {

LoweredResults LowerStringLength(OpLowering& op);
LoweredResults LowerStringRegexReplace(OpLowering& op);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_EXTENSION_TEXT_H_
