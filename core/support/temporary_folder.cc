// SPDX-License-Identifier: Apache-2.0
#include "core/support/temporary_folder.h"

#include <stdlib.h>

#include <string>
#include <system_error>

namespace dragoman {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::Create(const fs::path& parent) {
  std::error_code problem;
  fs::create_directories(parent, problem);
  Unfinished folder = Unfinished::Make([&] {
    std::string name = (parent / "dragoman-XXXXXX").string();
    return !problem && ::mkdtemp(name.data()) != nullptr ? name : std::string();
  });
  if (folder.path().empty())
    return InvalidInput("cannot make a folder in it").InFile(parent.string());
  return TemporaryFolder(std::move(folder));
}

Result<TemporaryFolder> TemporaryFolder::Create() {
  std::error_code problem;
  const fs::path parent = fs::temp_directory_path(problem);
  if (problem) return InvalidInput("there is no folder for temporary files; set TMPDIR");
  return Create(parent);
}

Status TemporaryFolder::Publish(const fs::path& target) {
  std::error_code problem;
  fs::rename(folder_.path(), target, problem);
  if (!problem) {
    folder_.Keep();
  } else if (!fs::exists(target)) {
    return InvalidInput("cannot be written: " + problem.message()).InFile(target.string());
  }
  return {};
}

}  // namespace dragoman
