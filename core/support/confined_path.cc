// SPDX-License-Identifier: Apache-2.0
#include "core/support/confined_path.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/support/posix.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

// The parts between slashes; empty ones and "." are left out.
std::vector<std::string> SplitPath(std::string_view name) {
  std::vector<std::string> parts;
  while (!name.empty()) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, slash);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    name.remove_prefix(std::min(slash + 1, name.size()));
  }
  return parts;
}

Error OpenError(const std::string& path) {
  if (errno == ELOOP)
    return FileError("symbolic links are not followed in names from a model", path);
  if (errno == ENOTDIR)
    return FileError("a symbolic link or a file stands where a folder is named", path);
  return SystemError("open", path);
}

}  // namespace

Status CheckConfinedName(std::string_view name) {
  auto refuse = [&](std::string_view why) {
    return InvalidInput("file name " + Quote(name) + " " + std::string(why) +
                        "; expected a file below the model's folder");
  };
  if (name.find('\0') != std::string_view::npos) return refuse("holds a NUL byte");
  if (name.find('\\') != std::string_view::npos) return refuse("holds a backslash");
  if (name.starts_with('/')) return refuse("is absolute");
  const std::vector<std::string> parts = SplitPath(name);
  if (parts.empty() || name.ends_with('/')) return refuse("names no file");
  for (const std::string& part : parts) {
    if (part == "..") return refuse("holds '..'");
  }
  return {};
}

Result<std::shared_ptr<const MappedFile>> OpenConfined(const std::string& folder,
                                                       std::string_view name) {
  DRAGOMAN_TRY(CheckConfinedName(name));
  const std::string root = folder.empty() ? "." : folder;
  const std::string path = folder.empty() ? std::string(name) : folder + '/' + std::string(name);
  const std::vector<std::string> parts = SplitPath(name);
  UniqueFd at(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!at.valid()) return SystemError("open", root);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const int flags = last ? O_NONBLOCK | O_NOCTTY : O_DIRECTORY;
    UniqueFd next(::openat(at.get(), parts[i].c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags));
    if (!next.valid()) return OpenError(path);
    at = std::move(next);
  }
  return MappedFile::FromDescriptor(at.Release(), path);
}

}  // namespace dragoman
