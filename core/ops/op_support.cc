// SPDX-License-Identifier: Apache-2.0
#include "core/ops/op_support.h"

#include <algorithm>

namespace dragoman {
namespace {

template <class Predicate>
bool AnyFormal(const Signature& signature, const Predicate& predicate) {
  return std::ranges::any_of(signature.operands, predicate) ||
         std::ranges::any_of(signature.results, predicate);
}

}  // namespace

std::string_view Name(OpSupport::Kind kind) {
  constexpr std::string_view kNames[] = {"none", "packed", "composed", "native"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool IsOfStrings(const OpDef& def) {
  DTypeSet strings;
  strings.bits.set(static_cast<std::size_t>(DType::kString));
  return AnyFormal(def.signature, [&](const Formal& formal) {
    if (formal.variable < 0) return formal.fixed == DType::kString;
    const auto& variable = def.signature.variables[static_cast<std::size_t>(formal.variable)];
    return variable.allowed.bits == strings.bits && !variable.allowed.any_value;
  });
}

bool IsOfLists(const OpDef& def) {
  return AnyFormal(def.signature, [&](const Formal& formal) {
    if (formal.variable < 0) return false;
    return def.signature.variables[static_cast<std::size_t>(formal.variable)].allowed.any_value;
  });
}

}  // namespace dragoman
