// SPDX-License-Identifier: Apache-2.0
// Small helpers around POSIX files, for the sources of this folder.
#ifndef DRAGOMAN_CORE_SUPPORT_POSIX_H_
#define DRAGOMAN_CORE_SUPPORT_POSIX_H_

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/support/result.h"

namespace dragoman {

// Owns a file descriptor; -1 is none.
class UniqueFd {
 public:
  explicit UniqueFd(int fd = -1) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// "cannot open: No such file or directory".
inline Error SystemError(std::string_view what, const std::string& file,
                         std::error_code code = {errno, std::generic_category()}) {
  Error error = InvalidInput("cannot " + std::string(what) + ": " + code.message());
  error.InFile(file);
  return error;
}

inline Error FileError(std::string message, const std::string& file) {
  Error error = InvalidInput(std::move(message));
  error.InFile(file);
  return error;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_POSIX_H_
