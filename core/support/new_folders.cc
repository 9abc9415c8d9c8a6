// SPDX-License-Identifier: Apache-2.0
#include "core/support/new_folders.h"

#include <utility>

namespace dragoman {
namespace {

std::function<void(const std::string&)>& Report() {
  static auto* const report = new std::function<void(const std::string&)>;
  return *report;
}

}  // namespace

void ReportNewFolders(std::function<void(const std::string& folder)> report) {
  Report() = std::move(report);
}

std::error_code MakeFolderOf(const std::filesystem::path& output) {
  std::error_code error;
  const std::filesystem::path folder = output.parent_path();
  if (folder.empty()) return error;
  const bool is_new = std::filesystem::create_directories(folder, error);
  if (is_new && !error && Report()) Report()(folder.string());
  return error;
}

}  // namespace dragoman
