// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/error.h"

#include <cstdio>

namespace dragoman::rt {

Status KeepError(const char* message) noexcept {
  thread_local char kept[1024];
  std::snprintf(kept, sizeof kept, "%s", message);
  return Status::Error(kept);
}

}  // namespace dragoman::rt
