// SPDX-License-Identifier: Apache-2.0
#include "core/support/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdint>
#include <utility>

#include "core/support/posix.h"

namespace dragoman {
namespace {

std::string_view KindOfFile(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

MappedFile::MappedFile(std::string path, std::span<const std::byte> bytes)
    : path_(std::move(path)), bytes_(bytes) {}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
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
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(path, bytes));
}

}  // namespace dragoman
