// SPDX-License-Identifier: Apache-2.0
// What the extras of a source graph hold beside it.
#ifndef DRAGOMAN_CODEGEN_TVM_SOURCE_EXTRA_H_
#define DRAGOMAN_CODEGEN_TVM_SOURCE_EXTRA_H_

#include <string>
#include <string_view>

#include "core/ir/attribute.h"

namespace dragoman::tvm {

// What `extra`, which may be nullptr, holds of that name; else nullptr, and "".
const Attribute* SourceExtra(const Extra* extra, std::string_view name);
std::string ExtraText(const Extra* extra, std::string_view name);

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_SOURCE_EXTRA_H_
