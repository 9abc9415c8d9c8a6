// SPDX-License-Identifier: Apache-2.0
// Every operator of Relay that is supported, and how it is lowered: one row each.
#ifndef DRAGOMAN_IMPORTERS_RELAY_OPS_OP_TABLE_H_
#define DRAGOMAN_IMPORTERS_RELAY_OPS_OP_TABLE_H_

#include <span>
#include <string_view>
#include <vector>

#include "core/lowering/abstract.h"
#include "importers/relay/ops/call.h"

namespace dragoman::relay {

// A lowering gives one tensor, a tuple of several, or what its attributes say.
class OpLowering {
 public:
  using Plain = Value* (*)(Call&);
  using Multiple = std::vector<Value*> (*)(Call&);
  using Any = Abstract (*)(Call&);

  constexpr OpLowering(Plain plain) : plain_(plain) {}
  constexpr OpLowering(Multiple multiple) : multiple_(multiple) {}
  constexpr OpLowering(Any any) : any_(any) {}
  // Errors: whatever the function refused; an attribute that it did not read.
  Result<Abstract> operator()(Call& call) const;

 private:
  Plain plain_ = nullptr;
  Multiple multiple_ = nullptr;
  Any any_ = nullptr;
};

struct OpRow {
  std::string_view name;  // "nn.dense"
  OpLowering lower;
  std::string_view target = "";  // the operator of the common dialect (Call::target)
};

// All of them, sorted by name.
std::span<const OpRow> OpRows();
// nullptr: it is not supported.
const OpRow* FindOpRow(std::string_view name);

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_OPS_OP_TABLE_H_
