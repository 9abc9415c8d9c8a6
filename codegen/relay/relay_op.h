// SPDX-License-Identifier: Apache-2.0
// What the emitter of one operator works with.
//
// Adding an operator: a function in ops/<family>.cc and a row at its end. It
// gives one value a result. It refuses, with Refuse, whatever Relay would compute differently.
#ifndef DRAGOMAN_CODEGEN_RELAY_RELAY_OP_H_
#define DRAGOMAN_CODEGEN_RELAY_RELAY_OP_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/relay/relay_builder.h"
#include "codegen/tvm/tvm_op.h"
#include "core/ir/graph.h"
#include "core/ir/wide_float.h"
#include "core/support/result.h"

namespace dragoman::relay::emit {

struct RelayOp : tvm::TvmOp {
  std::string_view target;  // what the row of the table says
  RelayBuilder& builder;
  // What stands for a value of the common graph.
  std::function<Value*(const Value*)> value_of;

  Value* arg(std::size_t i) const { return value_of(node.operand(i)); }
  Values args() const;

  // A call of an operator of Relay.
  Value* Do(std::string_view name, Values operands, Attribute::Dict attributes = {}) const;
  // A rank-0 constant of element type `dtype`, by default that of operand 0.
  Value* Number(double value, DType dtype) const;
  Value* Number(double value) const { return Number(value, dtype()); }
  Value* Int64(std::int64_t value) const;
  Value* IntVector(const relay::emit::Ints& values) const;
  // `x`, of element type `from`, as `to`.
  Value* Cast(Value* x, DType from, DType to) const;
  Value* ArgAs(std::size_t i, DType to) const { return Cast(arg(i), dtype(i), to); }
  // The type in which squares and powers of operand 0 are taken, since those of halves need not fit
  // one.
  DType Wide() const { return WideFloat(dtype()); }
};

// Whether a size of an operand or a result is known at run time only.
bool HasOpenSizes(const Node& node);
inline bool HasKnownSizes(const Node& node) { return !HasOpenSizes(node); }
// `x`, which TVM does not compile into one function with what reads it; inputs and constants, which
// it never does, as they are.
Value* Alone(RelayBuilder& builder, Value* x);
// The rank-0 `x` as a vector of one element. TVM 0.19 compiles no function with a result of open
// sizes that has an operand of rank 0, whose shape it passes as what it does not take; the vector
// is made in a function of its own.
Value* ScalarAsVector(RelayBuilder& builder, Value* x);
// `x`, which is read beside open sizes: alone if the calls that compute it read a scalar.
Value* ApartFromScalars(RelayBuilder& builder, Value* x);

using Emitted = Result<Values>;
using Emitter = Emitted (*)(RelayOp&);
inline Emitted One(Value* value) { return Values{value}; }

struct Row {
  std::string_view label;
  Emitter emit;
  std::string_view target = "";
  bool says_otherwise = false;  // its one call, where it is one, is of what says something else too
  // Whether the emitter takes a node of an operator that has an expansion; null: it takes all.
  bool (*takes)(const Node& node) = nullptr;
};
// The row of operator `label` ("Conv", "dragoman.Linear"), or nullptr.
const Row* FindRow(std::string_view label);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_RELAY_OP_H_
