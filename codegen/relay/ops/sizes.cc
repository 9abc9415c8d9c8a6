// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/ops/sizes.h"

#include <algorithm>

#include "codegen/relay/nd_array.h"
#include "core/ir/axes.h"
#include "core/ir/node_attributes.h"

namespace dragoman::relay::emit {

Value* SizesOf(RelayOp& op, Value* x) { return op.Do("shape_of", {x}, {{"dtype", "int64"}}); }

Value* SizeOf(RelayOp& op, Value* x, const Dim& size, std::int64_t axis, DType dtype) {
  if (size.known()) return op.Number(static_cast<double>(size.value()), dtype);
  Value* whole = op.Do("take", {SizesOf(op, x), op.Int64(axis)}, {{"axis", std::int64_t{0}}});
  return op.Cast(whole, DType::kI64, dtype);
}

// The attributes start, stop and step stand for the operands again.
// Of a parameter that is a bound itself, TVM 0.19 says that nothing binds it.
Value* Arange(RelayOp& op, Values bounds, DType dtype) {
  for (Value*& bound : bounds) {
    if (bound->kind() == Value::Kind::kInput && dtype == DType::kI64)
      bound = op.Do("maximum", {bound, op.Int64(-INT64_MAX)});
  }
  return op.Do("arange", std::move(bounds),
               {{"start", Attribute()},
                {"stop", Attribute()},
                {"step", Attribute()},
                {"dtype", std::string(RelayDType(dtype))}});
}

Value* Places(RelayOp& op, Value* count) {
  return Arange(op, {op.Int64(0), count, op.Int64(1)}, DType::kI64);
}

Result<Value*> ReshapeTo(RelayOp& op, Value* x, const Shape& from, const Shape& to) {
  Ints codes;
  int open = 0;
  bool zeros = false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool copies = i < from.size() && from[i] == to[i] && to[i].symbolic();
    open += to[i].known() || copies ? 0 : 1;
    zeros = zeros || to[i] == Dim(0);
    codes.push_back(to[i].known() ? to[i].value() : copies ? 0 : -1);
  }
  const bool all_known = KnownShape(to).has_value();
  if (open > 1 || (zeros && !all_known)) return op.Refuse("sizes are known at run time only");
  Attribute::Dict attributes = {{"newshape", codes}};
  if (zeros) attributes.emplace_back("allowzero", true);
  return op.Do("reshape", {x}, std::move(attributes));
}

Value* State(RelayOp& op, Value* x, const Shape& sizes) {
  Ints codes;
  bool states = false;
  for (const Dim& size : sizes) {
    codes.push_back(size.known() ? size.value() : 0);
    if (size == Dim(0)) return x;
    states = states || size.known();
  }
  return states ? op.Do("reshape", {x}, {{"newshape", std::move(codes)}}) : x;
}

Value* ReshapeBy(RelayOp& op, Value* x, Value* sizes) {
  return op.Do("dyn.reshape", {x, sizes}, {{"newshape", Ints()}});
}

Value* WithAxesBehind(RelayOp& op, Value* x, std::int64_t behind) {
  if (behind < 1) return x;
  return op.Do("expand_dims", {x}, {{"axis", std::int64_t{1}}, {"num_newaxis", behind}});
}

Value* Part(RelayOp& op, Value* vector, std::int64_t begin, std::int64_t end) {
  return op.Do(
      "strided_slice", {vector},
      {{"begin", Ints{begin}}, {"end", Ints{end}}, {"strides", Ints{1}}, {"axes", Ints{0}}});
}

Value* Join(RelayOp& op, const Values& vectors) {
  return op.Do("concatenate", {op.builder.Tuple(vectors)}, {{"axis", std::int64_t{0}}});
}

Value* WithOnesBefore(RelayOp& op, Value* vector, std::size_t length, std::size_t count) {
  if (length >= count) return vector;
  Value* ones = op.IntVector(Ints(count - length, 1));
  return Join(op, {ones, vector});
}

// Of what is transposed already, in one.
Value* Transpose(RelayOp& op, Value* x, Ints axes) {
  const Node* inner = x->producer();
  const bool is_transpose = inner != nullptr && inner->op().ToString() == "relay.transpose";
  const Ints* before = is_transpose ? IntsAttribute(*inner, "axes") : nullptr;
  if (before != nullptr && before->size() == axes.size()) {
    for (std::int64_t& axis : axes) axis = (*before)[static_cast<std::size_t>(axis)];
    x = inner->operand(0);
    if (std::ranges::is_sorted(axes)) return x;
  }
  return op.Do("transpose", {x}, {{"axes", std::move(axes)}});
}

Value* AsScalar(RelayBuilder& builder, Value* x, const Type& type) {
  const std::optional<int> rank = type.rank();
  if (rank == 0) return x;
  if (!rank) return builder.Call("reshape", {x}, {{"newshape", Ints()}});
  return builder.Call("squeeze", {x}, {{"axis", AxesFrom(0, *rank)}});
}

}  // namespace dragoman::relay::emit
