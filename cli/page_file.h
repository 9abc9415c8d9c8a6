// SPDX-License-Identifier: Apache-2.0
// Files for browsers: pages and plots.
#ifndef DRAGOMAN_CLI_PAGE_FILE_H_
#define DRAGOMAN_CLI_PAGE_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace dragoman::cli {

// Whole or not at all. Errors: it cannot be written; it is one of the files that were read.
Status WritePageFile(const std::string& path, std::string_view text,
                     const std::vector<std::string>& read);

// The last part of a path.
std::string FileNameOf(const std::string& path);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_PAGE_FILE_H_
