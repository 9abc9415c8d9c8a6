// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the constructors of generated programs fail: with an exception, or where these are off or not
// wanted, with a status. Nothing else throws.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_ERROR_H_
#define DRAGOMAN_RUNTIME_PROGRAM_ERROR_H_

#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

#include "runtime/params/status.h"

namespace dragoman::rt {

// A failure whose message lives until the next one that this thread keeps.
inline Status KeepError(const char* message) noexcept {
  thread_local char kept[1024];
  std::snprintf(kept, sizeof kept, "%s", message);
  return Status::Error(kept);
}

// What `make` gives, which may throw std::bad_alloc; else what `otherwise` gives.
template <class Make, class Otherwise>
auto MakeOr(Make make, Otherwise otherwise) noexcept {
#if defined(__cpp_exceptions)
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return otherwise();
  }
#else
  static_cast<void>(otherwise);
  return make();
#endif
}

#if defined(__cpp_exceptions)
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void ThrowIfError(Status status) {
  if (!status.ok()) throw Error(status.message());
}
#endif

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_ERROR_H_
