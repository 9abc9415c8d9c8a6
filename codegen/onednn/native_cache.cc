// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/native_cache.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "core/support/posix.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUsualMegabytes = 2000;

bool IsOurs(const fs::directory_entry& entry) {
  std::error_code ignored;
  const std::string name = entry.path().filename().string();
  const std::size_t dash = name.find('-');
  if (dash == std::string::npos || !entry.is_directory(ignored)) return false;
  const std::string kind = name.substr(0, dash), hash = name.substr(dash + 1);
  return (kind == "model" || kind == "runtime") && hash.size() == 16 &&
         hash.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::uint64_t BytesBelow(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) bytes += it->file_size(ignored);
  }
  return bytes;
}

// The bytes that are free now.
std::uint64_t Remove(const CachedProgram& program) {
  std::error_code error;
  fs::remove_all(program.folder, error);
  return error ? 0 : program.bytes;
}

// The value of an environment variable that is an absolute path; empty: it is not.
fs::path AbsoluteFrom(const char* variable) {
  const char* const value = std::getenv(variable);
  const fs::path path = value == nullptr ? "" : value;
  return path.is_absolute() ? path : fs::path();
}

// As the system's database of users has it; empty: there is none.
fs::path HomeOfUser() {
  const struct passwd* const user = ::getpwuid(::geteuid());
  const fs::path home = user == nullptr || user->pw_dir == nullptr ? "" : user->pw_dir;
  return home.is_absolute() ? home : fs::path();
}

bool OthersCanWrite(const struct stat& status) {
  return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

Error Unsafe(const std::string& why, const fs::path& path) {
  return FileError(why + ", so that programs found there are not run; set DRAGOMAN_CACHE",
                   path.string());
}

// The folders that lead to `folder`, whose links are resolved.
Status CheckParents(const fs::path& folder) {
  bool is_direct = true;
  for (fs::path at = folder.parent_path();; at = at.parent_path()) {
    struct stat status;
    if (::stat(at.c_str(), &status) != 0) return SystemError("open", at.string());
    const bool is_sticky = (status.st_mode & S_ISVTX) != 0;
    if ((status.st_mode & S_IWOTH) != 0 && (is_direct || !is_sticky))
      return Unsafe("everybody can write to the folder", at);
    if (at == at.parent_path()) return {};
    is_direct = false;
  }
}

}  // namespace

Result<fs::path> NativeCacheFolder() {
  const char* const given = std::getenv("DRAGOMAN_CACHE");
  if (given != nullptr && *given != '\0') return fs::path(given);
  if (const fs::path cache = AbsoluteFrom("XDG_CACHE_HOME"); !cache.empty())
    return cache / "dragoman";
  if (const fs::path home = AbsoluteFrom("HOME"); !home.empty()) return home / ".cache/dragoman";
  if (const fs::path home = HomeOfUser(); !home.empty()) return home / ".cache/dragoman";
  return InvalidInput("there is no folder for compiled programs; set DRAGOMAN_CACHE");
}

Status SecureNativeCache(const fs::path& cache) {
  std::error_code problem;
  if (cache.has_parent_path()) fs::create_directories(cache.parent_path(), problem);
  if (problem) return SystemError("create", cache.string(), problem);
  if (::mkdir(cache.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return SystemError("create", cache.string());
  const fs::path folder = fs::canonical(cache, problem);
  if (problem) return SystemError("open", cache.string(), problem);
  struct stat status;
  if (::stat(folder.c_str(), &status) != 0) return SystemError("open", cache.string());
  if (!S_ISDIR(status.st_mode)) return FileError("exists and is not a folder", cache.string());
  if (status.st_uid != ::geteuid()) return Unsafe("belongs to another user", cache);
  if (OthersCanWrite(status)) return Unsafe("others can write to the folder", cache);
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0 && ::chmod(folder.c_str(), S_IRWXU) != 0)
    return SystemError("make private", cache.string());
  return CheckParents(folder);
}

Status CheckOurs(const fs::path& file) {
  for (const fs::path& path : {file.parent_path(), file}) {
    struct stat status;
    if (::lstat(path.c_str(), &status) != 0) return SystemError("open", path.string());
    const bool is_expected = path == file ? S_ISREG(status.st_mode) : S_ISDIR(status.st_mode);
    if (!is_expected || status.st_uid != ::geteuid() || OthersCanWrite(status)) {
      return FileError(
          "was not written by dragoman for this user alone, and is not run; `dragoman cache "
          "--clear` removes it",
          path.string());
    }
  }
  return {};
}

std::uint64_t NativeCacheLimit() {
  const char* given = std::getenv("DRAGOMAN_CACHE_MB");
  const std::uint64_t megabytes =
      given == nullptr ? kUsualMegabytes : ParseUint64(given).value_or(kUsualMegabytes);
  return std::min<std::uint64_t>(megabytes, UINT64_MAX / 1'000'000) * 1'000'000;
}

std::vector<CachedProgram> ListNativeCache(const fs::path& cache) {
  std::vector<CachedProgram> programs;
  std::error_code error;
  for (fs::directory_iterator it(cache, error), end; !error && it != end; it.increment(error)) {
    if (!IsOurs(*it)) continue;
    std::error_code ignored;
    programs.push_back({it->path(), BytesBelow(it->path()), it->last_write_time(ignored)});
  }
  std::ranges::sort(programs, [](const CachedProgram& a, const CachedProgram& b) {
    return a.used != b.used ? a.used < b.used : a.folder < b.folder;
  });
  return programs;
}

void MarkUsed(const fs::path& program) {
  std::error_code ignored;
  fs::last_write_time(program, fs::file_time_type::clock::now(), ignored);
}

std::uint64_t ClearNativeCache(const fs::path& cache) {
  std::uint64_t freed = 0;
  for (const CachedProgram& program : ListNativeCache(cache)) freed += Remove(program);
  return freed;
}

void TrimNativeCache(const fs::path& cache, std::uint64_t limit) {
  const std::vector<CachedProgram> programs = ListNativeCache(cache);
  std::uint64_t total = 0;
  for (const CachedProgram& program : programs) total += program.bytes;
  const auto in_use = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const CachedProgram& program : programs) {
    if (total <= limit || program.used > in_use) return;
    total -= Remove(program);
  }
}

}  // namespace dragoman
