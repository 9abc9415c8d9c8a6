// SPDX-License-Identifier: Apache-2.0
// Groups of functions of TVM with the attribute Composite, in Relay and Relax alike.
#ifndef DRAGOMAN_IMPORTERS_TVM_GROUP_ATTRIBUTES_H_
#define DRAGOMAN_IMPORTERS_TVM_GROUP_ATTRIBUTES_H_

#include <string_view>

namespace dragoman::tvm {

// The key of the extra of a dragoman.Fused that holds the attributes of its function.
inline constexpr std::string_view kGroupAttributes = "tvm.attributes";

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_IMPORTERS_TVM_GROUP_ATTRIBUTES_H_
