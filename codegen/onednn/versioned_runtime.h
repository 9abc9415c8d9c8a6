// SPDX-License-Identifier: Apache-2.0
// The runtime's files as generated programs get them.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_VERSIONED_RUNTIME_H_
#define DRAGOMAN_CODEGEN_ONEDNN_VERSIONED_RUNTIME_H_

#include <string>
#include <string_view>

#include "codegen/onednn/runtime_files.h"

namespace dragoman {

// `file` of runtime/ in program `program`. Its namespace gets the release of dragoman as an inline
// one ("dragoman::rt::v0_1_0"), and in it, for what the linker would find twice, that of the
// program ("of_mlp"): programs, also of several releases, can be linked into one, and the types of
// their headers are the same. Lines keep their numbers.
std::string InProgram(const RuntimeFile& file, std::string_view program);

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_ONEDNN_VERSIONED_RUNTIME_H_
