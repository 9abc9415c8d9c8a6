// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/native_cache.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <system_error>

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

}  // namespace

fs::path NativeCacheFolder() {
  if (const char* cache = std::getenv("DRAGOMAN_CACHE")) return cache;
  if (const char* cache = std::getenv("XDG_CACHE_HOME")) return fs::path(cache) / "dragoman";
  if (const char* home = std::getenv("HOME")) return fs::path(home) / ".cache" / "dragoman";
  return fs::temp_directory_path() / "dragoman-cache";
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
