// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a failed Status reports: bad input, or what is understood but not supported.
#ifndef DRAGOMAN_RUNTIME_PARAMS_UNSUPPORTED_H_
#define DRAGOMAN_RUNTIME_PARAMS_UNSUPPORTED_H_

#include <string_view>

namespace dragoman::rt {

// The messages of what is not supported end so, and no others.
inline bool IsUnsupported(std::string_view message) {
  constexpr std::string_view kEnd = "is not supported";
  return message.size() >= kEnd.size() && message.substr(message.size() - kEnd.size()) == kEnd;
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_UNSUPPORTED_H_
