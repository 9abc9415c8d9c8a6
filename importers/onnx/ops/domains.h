// SPDX-License-Identifier: Apache-2.0
// Domains beside ai.onnx whose operators are expressed in operators of ai.onnx: one table a domain.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OPS_DOMAINS_H_
#define DRAGOMAN_IMPORTERS_ONNX_OPS_DOMAINS_H_

#include <string_view>
#include <vector>

#include "importers/onnx/op_lowering.h"

namespace dragoman {

inline constexpr std::string_view kContribDomain = "com.microsoft";

// The lowering of operator `type` of `domain`; nullptr: it has none, and stays a foreign node.
OnnxLowering FindDomainLowering(std::string_view domain, std::string_view type);

// The operators of `domain` that are lowered, sorted; empty if it is another domain.
std::vector<std::string_view> LoweredOperators(std::string_view domain);

// The operators of ai.onnx that are read, of any operator set, sorted.
std::vector<std::string_view> AiOnnxOperators();

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_DOMAINS_H_
