// SPDX-License-Identifier: Apache-2.0
#include "core/support/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "core/support/mapped_files.h"
#include "core/support/posix.h"

namespace dragoman {
namespace {

std::string_view KindOfFile(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

// A file as it was when it was mapped.
struct Mapping {
  std::size_t size = 0;
  std::string path;
  struct stat status = {};
};

// By the first address. Never destroyed: signals come at any time.
struct Mappings {
  std::mutex mutex;
  std::map<const std::byte*, Mapping> by_address;
};
Mappings& TheMappings() {
  static auto* const mappings = new Mappings;
  return *mappings;
}

bool IsSameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool IsUnchanged(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

std::string MappedFileAt(const void* address) {
  const std::lock_guard lock(TheMappings().mutex);
  const auto& mappings = TheMappings().by_address;
  auto behind = mappings.upper_bound(static_cast<const std::byte*>(address));
  if (behind == mappings.begin()) return "";
  const auto& [first, mapping] = *--behind;
  return static_cast<const std::byte*>(address) < first + mapping.size ? mapping.path : "";
}

Status CheckMappedFiles() {
  const std::lock_guard lock(TheMappings().mutex);
  for (const auto& [first, mapping] : TheMappings().by_address) {
    struct stat now;
    if (::stat(mapping.path.c_str(), &now) != 0 || !IsSameFile(now, mapping.status)) continue;
    if (!IsUnchanged(now, mapping.status))
      return FileError("was changed while it was read", mapping.path);
  }
  return {};
}

MappedFile::MappedFile(std::string path, std::span<const std::byte> bytes)
    : path_(std::move(path)), bytes_(bytes) {}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  {
    const std::lock_guard lock(TheMappings().mutex);
    TheMappings().by_address.erase(bytes_.data());
  }
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Result<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return SystemError("open", path);
  return FromDescriptor(fd, path);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::FromDescriptor(int fd,
                                                                     const std::string& path) {
  const UniqueFd file(fd);
  struct stat status;
  if (::fstat(fd, &status) != 0) return SystemError("read", path);
  if (!S_ISREG(status.st_mode)) {
    return FileError("expected a file, found " + std::string(KindOfFile(status.st_mode)), path);
  }
  const std::size_t size = static_cast<std::size_t>(status.st_size);
  std::span<const std::byte> bytes;
  if (size > 0) {
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (memory == MAP_FAILED) return SystemError("map", path);
    bytes = {static_cast<const std::byte*>(memory), size};
    const std::lock_guard lock(TheMappings().mutex);
    TheMappings().by_address[bytes.data()] = {size, path, status};
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(path, bytes));
}

}  // namespace dragoman
