// SPDX-License-Identifier: Apache-2.0
// Opening files that a model names. The name is data of an untrusted file.
#ifndef DRAGOMAN_CORE_SUPPORT_CONFINED_PATH_H_
#define DRAGOMAN_CORE_SUPPORT_CONFINED_PATH_H_

#include <memory>
#include <string>
#include <string_view>

#include "core/support/mapped_file.h"
#include "core/support/result.h"

namespace dragoman {

// Refuses names that are empty, absolute, or hold "..", a backslash or a NUL byte.
Status CheckConfinedName(std::string_view name);

// Maps the regular file `name` below `folder` ("" is the current folder). Every step of the way is
// opened relative to the one before and may not be a symbolic link, so nothing outside `folder` is
// reached, whatever lies in it. `folder` itself is the user's and may be a link.
Result<std::shared_ptr<const MappedFile>> OpenConfined(const std::string& folder,
                                                       std::string_view name);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_CONFINED_PATH_H_
