// SPDX-License-Identifier: Apache-2.0
#include "core/ir/weight_role.h"

#include "core/ir/find_as.h"

namespace dragoman {
namespace {

constexpr char kBuffer[] = "buffer";  // in a constant's extra

}  // namespace

bool IsBuffer(const Value& constant) {
  const auto* is_buffer = FindAs<bool>(constant.extra_if_any(), kBuffer);
  return is_buffer != nullptr && *is_buffer;
}

void MarkBuffer(Value& constant) {
  if (!IsBuffer(constant)) constant.extra().emplace_back(kBuffer, Attribute(true));
}

}  // namespace dragoman
