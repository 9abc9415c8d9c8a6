// SPDX-License-Identifier: Apache-2.0
// The parameters of Relax operators.
#ifndef DRAGOMAN_IMPORTERS_RELAX_GRAPH_SIGNATURES_H_
#define DRAGOMAN_IMPORTERS_RELAX_GRAPH_SIGNATURES_H_

#include <optional>
#include <string_view>
#include <vector>

namespace dragoman::tvmscript {

struct SignatureParameter {
  std::string_view name;                   // "*tensors": all further arguments
  std::optional<std::string_view> absent;  // as Python text
};

// Of "nn.conv2d"; empty if the operator is not known or has none.
std::vector<SignatureParameter> SignatureOf(std::string_view op);

}  // namespace dragoman::tvmscript

#endif  // DRAGOMAN_IMPORTERS_RELAX_GRAPH_SIGNATURES_H_
