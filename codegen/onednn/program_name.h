// SPDX-License-Identifier: Apache-2.0
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PROGRAM_NAME_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PROGRAM_NAME_H_

#include <string>
#include <string_view>

#include "core/support/result.h"

namespace dragoman {

// `name` as what a program can be called: an Identifier that as a namespace, the stem of a header
// and a CMake target is nobody else's. The names of C and POSIX (log, time, size_t), CMake's (all,
// install) and the runtime's (rt) get a '_' at their end. Such a name stays as it is.
std::string ProgramName(std::string_view name);
// An error that has the ProgramName where `name` differs from it.
Status CheckProgramName(std::string_view name);

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PROGRAM_NAME_H_
