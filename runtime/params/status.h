// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outcome of a run-time step: success, or a constant message. It neither allocates nor throws.
#ifndef DRAGOMAN_RUNTIME_PARAMS_STATUS_H_
#define DRAGOMAN_RUNTIME_PARAMS_STATUS_H_

namespace dragoman::rt {

class [[nodiscard]] Status {
 public:
  constexpr Status() = default;
  // `message` is a string literal: lower case, no final period.
  static constexpr Status Error(const char* message) {
    Status status;
    status.message_ = message;
    return status;
  }
  constexpr bool ok() const { return message_ == nullptr; }
  constexpr const char* message() const { return message_ == nullptr ? "" : message_; }

 private:
  const char* message_ = nullptr;
};

}  // namespace dragoman::rt

#define DRAGOMAN_RT_TRY(expr)                                     \
  do {                                                            \
    if (::dragoman::rt::Status status_ = (expr); !status_.ok()) { \
      return status_;                                             \
    }                                                             \
  } while (false)

#endif  // DRAGOMAN_RUNTIME_PARAMS_STATUS_H_
