// SPDX-License-Identifier: Apache-2.0
// A folder for files in passing.
#ifndef DRAGOMAN_CORE_SUPPORT_TEMPORARY_FOLDER_H_
#define DRAGOMAN_CORE_SUPPORT_TEMPORARY_FOLDER_H_

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "core/support/result.h"
#include "core/support/unfinished.h"

namespace dragoman {

// Removed with all that is in it, unless it is published.
class TemporaryFolder {
 public:
  // In `parent`, which is made if missing. Error: that cannot be written to.
  static Result<TemporaryFolder> Create(const std::filesystem::path& parent);
  // Where the system keeps temporary files.
  static Result<TemporaryFolder> Create();

  std::filesystem::path path() const { return folder_.path(); }
  std::error_code MakeFolder(const std::filesystem::path& folder) const {
    return folder_.MakeFolder(folder);
  }

  // Gives the folder its final name; whoever comes second finds an equal folder there.
  Status Publish(const std::filesystem::path& target);

 private:
  explicit TemporaryFolder(Unfinished folder) : folder_(std::move(folder)) {}

  Unfinished folder_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_TEMPORARY_FOLDER_H_
