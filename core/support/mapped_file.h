// SPDX-License-Identifier: Apache-2.0
// A file as read-only memory.
#ifndef DRAGOMAN_CORE_SUPPORT_MAPPED_FILE_H_
#define DRAGOMAN_CORE_SUPPORT_MAPPED_FILE_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/support/result.h"

namespace dragoman {

// Regular files only; an empty file has no bytes. Pages are read when touched. The file must not
// shrink while it is mapped: the system ends a program that touches what is gone.
class MappedFile {
 public:
  // Errors: the file is missing, unreadable, a folder, a device, a pipe or a socket. Follows
  // symbolic links and never blocks.
  static Result<std::shared_ptr<const MappedFile>> Open(const std::string& path);
  // Maps an open file and closes the descriptor; `path` is for messages.
  static Result<std::shared_ptr<const MappedFile>> FromDescriptor(int fd, const std::string& path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  MappedFile(std::string path, std::span<const std::byte> bytes);

  std::string path_;
  std::span<const std::byte> bytes_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_MAPPED_FILE_H_
