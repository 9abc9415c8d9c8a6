// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/relay_op.h"

#include <algorithm>

#include "codegen/relay/nd_array.h"
#include "core/ir/node_attributes.h"

namespace dragoman::relay::emit {
namespace {

bool IsOpen(const Value* value) {
  if (value == nullptr) return false;
  const Shape* shape = value->type().shape();
  return shape == nullptr || !KnownShape(*shape).has_value();
}

// Operators with as many axes as the operand that has most. Sorted.
constexpr std::string_view kBroadcasting[] = {
    "add",         "bitwise_and",   "bitwise_or", "bitwise_xor", "cast",       "ceil",
    "clip",        "divide",        "equal",      "exp",         "floor",      "floor_mod",
    "greater",     "greater_equal", "left_shift", "less",        "less_equal", "log",
    "logical_and", "logical_not",   "logical_or", "logical_xor", "maximum",    "minimum",
    "mod",         "multiply",      "negative",   "not_equal",   "power",      "right_shift",
    "sqrt",        "subtract",      "tan",        "where",
};
// Operators that give one number unless axes are named. Sorted.
constexpr std::string_view kReducing[] = {"all", "any", "max", "mean", "min", "prod", "sum"};
static_assert(std::ranges::is_sorted(kBroadcasting));

bool Broadcasts(std::string_view name) { return std::ranges::binary_search(kBroadcasting, name); }

// Whether TVM writes a number of that type into the function that reads it.
bool IsInlined(DType dtype) {
  return dtype == DType::kI32 || dtype == DType::kI64 || dtype == DType::kF32 ||
         dtype == DType::kF64 || dtype == DType::kBool;
}

// Whether `x` has rank 0 and is an operand of the function that reads it, as far as its type or its
// calls say: those within an emitter have no types.
bool IsPassedScalar(const Value& x) {
  if (x.is_constant()) return x.type().rank() == 0 && !IsInlined(x.type().dtype());
  if (x.type().shape() != nullptr) return x.type().shape()->empty();
  const Node* call = x.producer();
  if (call == nullptr) return false;
  const std::string& name = call->op().type;
  const auto is_scalar = [](const Value& value) {
    return IsPassedScalar(value) || (value.is_constant() && value.type().rank() == 0);
  };
  if (name == "take") {
    const Node* data = call->operand(0)->producer();
    const bool is_vector = data != nullptr && data->op().type == "shape_of";
    return is_vector && is_scalar(*call->operand(1));
  }
  if (name == "reshape") {
    const Attribute::Ints* sizes = IntsAttribute(*call, "newshape");
    return sizes != nullptr && sizes->empty();
  }
  if (std::ranges::binary_search(kReducing, name)) return call->attributes().empty();
  return Broadcasts(name) && std::ranges::all_of(call->operands(), [&](const Use& use) {
           return is_scalar(*use.value());
         });
}

constexpr int kMaxFused = 8;

// Whether `x` comes of calls that read a scalar, and that TVM may fuse with what reads `x`.
bool MayFuseScalar(const Value& x, int steps = kMaxFused) {
  const Node* call = x.producer();
  if (call == nullptr || steps == 0 || call->op().type == "stop_fusion") return false;
  return std::ranges::any_of(call->operands(), [steps](const Use& use) {
    return use.value() != nullptr &&
           (IsPassedScalar(*use.value()) || MayFuseScalar(*use.value(), steps - 1));
  });
}

}  // namespace

bool HasOpenSizes(const Node& node) {
  if (std::ranges::any_of(node.operands(), [](const Use& use) { return IsOpen(use.value()); }))
    return true;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (IsOpen(node.result(i))) return true;
  }
  return false;
}

Value* Alone(RelayBuilder& builder, Value* x) {
  return x->producer() == nullptr ? x : builder.Call("annotation.stop_fusion", {x});
}

Value* ApartFromScalars(RelayBuilder& builder, Value* x) {
  return MayFuseScalar(*x) ? Alone(builder, x) : x;
}

Value* ScalarAsVector(RelayBuilder& builder, Value* x) {
  if (x->is_constant()) return builder.Constant(x->tensor()->Reshaped({1}));
  return Alone(builder, builder.Call("reshape", {x}, {{"newshape", Ints{1}}}));
}

// Of open sizes, no operand that is passed has rank 0.
Value* RelayOp::Do(std::string_view name, Values operands, Attribute::Dict attributes) const {
  const auto is_scalar = [](const Value* x) { return IsPassedScalar(*x); };
  const auto has_axes = [](const Value* x) {
    return !IsPassedScalar(*x) && (!x->is_constant() || x->type().rank() != 0);
  };
  if (Broadcasts(name) && std::ranges::any_of(operands, is_scalar) &&
      std::ranges::any_of(operands, has_axes) && HasOpenSizes(node)) {
    for (Value*& x : operands) x = is_scalar(x) ? ScalarAsVector(builder, x) : x;
  }
  if (Broadcasts(name) && HasOpenSizes(node)) {
    for (Value*& x : operands) x = IsOpen(x) ? x : ApartFromScalars(builder, x);
  }
  return builder.Call(name, operands, std::move(attributes));
}

Values RelayOp::args() const {
  Values all;
  for (std::size_t i = 0; i < node.num_operands(); ++i) all.push_back(arg(i));
  return all;
}

Value* RelayOp::Number(double value, DType dtype) const {
  return builder.Constant(*Tensor::Full(dtype, {}, value));
}

Value* RelayOp::Int64(std::int64_t value) const { return builder.Constant(Tensor::Int(value)); }

Value* RelayOp::IntVector(const emit::Ints& values) const {
  return builder.Constant(Tensor::Ints(values));
}

Value* RelayOp::Cast(Value* x, DType from, DType to) const {
  if (from == to) return x;
  // In one step TVM 0.19 makes zeros of all numbers.
  if (from == DType::kF64 && to == DType::kF16)
    return Cast(Cast(x, from, DType::kF32), DType::kF32, to);
  return Do("cast", {x}, {{"dtype", std::string(RelayDType(to))}});
}

}  // namespace dragoman::relay::emit
