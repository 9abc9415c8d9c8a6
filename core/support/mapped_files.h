// SPDX-License-Identifier: Apache-2.0
// All files that are mapped at the moment.
#ifndef DRAGOMAN_CORE_SUPPORT_MAPPED_FILES_H_
#define DRAGOMAN_CORE_SUPPORT_MAPPED_FILES_H_

#include <string>

#include "core/support/result.h"

namespace dragoman {

// The path of the file that `address` lies in; "": it lies in none.
std::string MappedFileAt(const void* address);

// Errors: a file was written to since it was mapped, so that what was read of it may be of neither
// state. One that was replaced by another file is as it was.
Status CheckMappedFiles();

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_MAPPED_FILES_H_
