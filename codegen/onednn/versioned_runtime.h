// SPDX-License-Identifier: Apache-2.0
// The runtime's files as generated programs get them.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_VERSIONED_RUNTIME_H_
#define DRAGOMAN_CODEGEN_ONEDNN_VERSIONED_RUNTIME_H_

#include <string>
#include <string_view>

namespace dragoman {

// `text` of a file of runtime/, its namespace with the release of dragoman as an inline one
// ("dragoman::rt::v0_1_0"): programs of several releases can be linked into one. Lines keep their
// numbers.
std::string WithVersion(std::string_view text);

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_ONEDNN_VERSIONED_RUNTIME_H_
