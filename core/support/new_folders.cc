// SPDX-License-Identifier: Apache-2.0
#include "core/support/new_folders.h"

#include <utility>

namespace dragoman {
namespace {

std::function<void(const std::string&)>& Tell() {
  static auto* const tell = new std::function<void(const std::string&)>;
  return *tell;
}

}  // namespace

void TellOfNewFolders(std::function<void(const std::string& folder)> tell) {
  Tell() = std::move(tell);
}

std::error_code MakeFolderOf(const std::filesystem::path& output) {
  std::error_code error;
  const std::filesystem::path folder = output.parent_path();
  if (folder.empty()) return error;
  const bool is_new = std::filesystem::create_directories(folder, error);
  if (is_new && !error && Tell()) Tell()(folder.string());
  return error;
}

}  // namespace dragoman
