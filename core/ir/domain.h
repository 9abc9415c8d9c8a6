// SPDX-License-Identifier: Apache-2.0
// Domains of operators. ONNX's default one has two spellings, "" and "ai.onnx".
#ifndef DRAGOMAN_CORE_IR_DOMAIN_H_
#define DRAGOMAN_CORE_IR_DOMAIN_H_

#include <string_view>

namespace dragoman {

// The spelling "" of the default domain; any other as it is.
inline std::string_view CanonicalDomain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

inline bool IsDefaultDomain(std::string_view domain) { return CanonicalDomain(domain).empty(); }

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_DOMAIN_H_
