// SPDX-License-Identifier: Apache-2.0
// Mistakes in a source graph of dialect onnx that was edited by hand.
#ifndef DRAGOMAN_IMPORTERS_ONNX_VALIDATE_H_
#define DRAGOMAN_IMPORTERS_ONNX_VALIDATE_H_

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Errors (invalid input), all of them: operators of ai.onnx that do not exist, unless the model has
// a newer operator set than kCommonOpset; nodes with attributes, operands or types that their
// operator lacks. Operators of other domains may exist. Of a common model, the operators.
Status ValidateOnnx(const Model& source);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_VALIDATE_H_
