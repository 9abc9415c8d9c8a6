// SPDX-License-Identifier: Apache-2.0
#include "cli/page_file.h"

#include <filesystem>
#include <system_error>

#include "core/support/output_file.h"

namespace dragoman::cli {

Status WritePageFile(const std::string& path, std::string_view text,
                     const std::vector<std::string>& read) {
  for (const std::string& file : read) {
    std::error_code none;
    if (std::filesystem::equivalent(path, file, none))
      return InvalidInput("is the model itself; name another file").InFile(path);
  }
  return WriteFile(path, text);
}

std::string FileNameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace dragoman::cli
