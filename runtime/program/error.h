// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the constructors of generated programs throw. Nothing else throws.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_ERROR_H_
#define DRAGOMAN_RUNTIME_PROGRAM_ERROR_H_

#include <stdexcept>
#include <string>

#include "runtime/params/status.h"

namespace dragoman::rt {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void ThrowIfError(Status status) {
  if (!status.ok()) throw Error(status.message());
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_ERROR_H_
