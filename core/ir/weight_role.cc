// SPDX-License-Identifier: Apache-2.0
#include "core/ir/weight_role.h"

namespace dragoman {
namespace {

constexpr char kBuffer[] = "buffer";  // in a constant's extra

}  // namespace

bool IsBuffer(const Value& constant) {
  const Extra* extra = constant.extra_if_any();
  const Attribute* said = extra != nullptr ? Find(*extra, kBuffer) : nullptr;
  const auto* is_buffer = said != nullptr ? said->As<bool>() : nullptr;
  return is_buffer != nullptr && *is_buffer;
}

void MarkBuffer(Value& constant) {
  if (!IsBuffer(constant)) constant.extra().emplace_back(kBuffer, Attribute(true));
}

}  // namespace dragoman
