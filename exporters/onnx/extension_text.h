// SPDX-License-Identifier: Apache-2.0
// Operators on strings in the domain of onnxruntime-extensions, ai.onnx.contrib.
#ifndef DRAGOMAN_EXPORTERS_ONNX_EXTENSION_TEXT_H_
#define DRAGOMAN_EXPORTERS_ONNX_EXTENSION_TEXT_H_

#include "core/ir/graph.h"

namespace dragoman {

// Makes of `node`, an operator of ours that ai.onnx lacks, the one of ai.onnx.contrib that computes
// the same. False: there is none.
bool WriteAsExtension(Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_EXTENSION_TEXT_H_
