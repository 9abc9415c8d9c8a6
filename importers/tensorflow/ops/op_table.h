// SPDX-License-Identifier: Apache-2.0
// Every operator of TensorFlow that is a function of tensors, and how it is lowered: one row each.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_OP_TABLE_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_OP_TABLE_H_

#include <span>
#include <string_view>
#include <vector>

#include "core/lowering/abstract.h"
#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// A lowering gives one tensor, several, or any abstract values: one a data result of the node.
class OpLowering {
 public:
  using Plain = Value* (*)(Call&);
  using Multiple = std::vector<Value*> (*)(Call&);
  using General = std::vector<Abstract> (*)(Call&);

  constexpr OpLowering(Plain plain) : plain_(plain) {}
  constexpr OpLowering(Multiple multiple) : multiple_(multiple) {}
  constexpr OpLowering(General general) : general_(general) {}
  Result<std::vector<Abstract>> operator()(Call& call) const;

 private:
  Plain plain_ = nullptr;
  Multiple multiple_ = nullptr;
  General general_ = nullptr;
};

struct OpRow {
  std::string_view name;  // "Conv2D"
  OpLowering lower;
  std::string_view target = "";  // the operator of the common dialect (Call::target)
};

// All of them, sorted by name.
std::span<const OpRow> OpRows();
// nullptr: it is not supported.
const OpRow* FindOpRow(std::string_view name);

// supported_ops.cc: operators that are lowered, by name; control flow and what makes variables
// among them.
std::vector<std::string_view> SupportedOperators();

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_OP_TABLE_H_
