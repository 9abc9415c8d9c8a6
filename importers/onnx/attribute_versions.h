// SPDX-License-Identifier: Apache-2.0
// Attributes that an operator of ONNX did not always have, or lost.
#ifndef DRAGOMAN_IMPORTERS_ONNX_ATTRIBUTE_VERSIONS_H_
#define DRAGOMAN_IMPORTERS_ONNX_ATTRIBUTE_VERSIONS_H_

#include <cstdint>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// Errors (invalid input): `node`, which is of operator set `opset` of its domain, has an attribute
// of another operator set, or one of ai.onnx that stands for true or false and is neither 0 nor 1.
// What no operator set has is left to whoever reads the attributes.
Status CheckAttributeVersions(const Node& node, std::int64_t opset);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_ATTRIBUTE_VERSIONS_H_
