// SPDX-License-Identifier: Apache-2.0
// Whether, and how, a target has an operator of the common dialect.
#ifndef DRAGOMAN_CORE_OPS_OP_SUPPORT_H_
#define DRAGOMAN_CORE_OPS_OP_SUPPORT_H_

#include <cstdint>
#include <string_view>

#include "core/ops/op_def.h"

namespace dragoman {

struct OpSupport {
  enum class Kind : std::uint8_t {
    kNone,
    kPacked,    // as a call of a function that is written beside the file, on request (--packed)
    kComposed,  // as several operators
    kNative,
  };

  Kind kind = Kind::kNone;
  std::string_view why = {};  // kNone: what the target lacks

  // With some types and attributes at least, and nothing requested.
  bool works() const { return kind >= Kind::kComposed; }
};

// "none", "packed", "composed", "native".
std::string_view Name(OpSupport::Kind kind);

// Whether some operand or result can be nothing but strings.
bool IsOfStrings(const OpDef& def);
// Whether some operand or result may be a sequence or an optional.
bool IsOfLists(const OpDef& def);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_OP_SUPPORT_H_
