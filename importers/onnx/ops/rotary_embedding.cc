// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/ops/heads.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {
namespace {

Value* SliceFeatures(OpComposer& f, Value* x, Value* first, Value* end, std::int64_t step = 1) {
  return f.Op("Slice", {x, first, end, f.Ints({-1}), f.Ints({step})});
}

Value* RotatedWhole(OpComposer& f, Value* features, Value* cos, Value* sin, bool of_pairs) {
  const std::vector<NamedAttribute> last = {{"axis", std::int64_t{-1}}};
  Value* first = nullptr;
  Value* second = nullptr;
  if (of_pairs) {
    first = SliceFeatures(f, features, f.Ints({0}), f.Ints({kEnd}), 2);
    second = SliceFeatures(f, features, f.Ints({1}), f.Ints({kEnd}), 2);
  } else {
    Value* half = f.Op("Div", {f.SizeVector(features, 3, 1), f.Ints({2})});
    first = SliceFeatures(f, features, f.Ints({0}), half);
    second = SliceFeatures(f, features, half, f.Ints({kEnd}));
  }
  const auto product = [&](Value* a, Value* b) { return f.Op("Mul", {a, b}); };
  Value* x = f.Op("Sub", {product(cos, first), product(sin, second)});
  Value* y = f.Op("Add", {product(sin, first), product(cos, second)});
  if (!of_pairs) return f.Op("Concat", {x, y}, last);
  const auto column = [&](Value* part) { return f.Op("Unsqueeze", {part, f.Ints({-1})}); };
  Value* pairs = f.Op("Concat", {column(x), column(y)}, last);
  return f.Op("Reshape", {pairs, f.Op("Shape", {features})});
}

}  // namespace

Value* Rotated(OpComposer& f, Value* x, std::int64_t size, const Rotation& rotation) {
  const auto turned = [&](Value* part) {
    return RotatedWhole(f, part, rotation.cos, rotation.sin, rotation.of_pairs);
  };
  if (size == 0) return turned(x);
  Value* first = turned(SliceFeatures(f, x, f.Ints({0}), f.Ints({size})));
  Value* rest = SliceFeatures(f, x, f.Ints({size}), f.Ints({kEnd}));
  return f.Op("Concat", {first, rest}, {{"axis", std::int64_t{-1}}});
}

LoweredResults LowerRotaryEmbedding(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  Value* input = op.operand(0);
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> interleaved, op.TakeInt("interleaved"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> heads, op.TakeInt("num_heads"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> rotated, op.TakeInt("rotary_embedding_dim"));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  if (rank != 3 && rank != 4) return op.Invalid("the operand's rank is neither 3 nor 4");
  if (rank == 3 && heads.value_or(0) < 1) return op.Invalid("num_heads is missing");
  const std::int64_t size = rotated.value_or(0);  // 0: all
  if (size < 0 || size % 2 != 0) return op.Invalid("rotary_embedding_dim is negative or odd");
  OpComposer f(op);
  const auto table = [&](std::size_t i) {
    Value* rows = op.operand(i);
    if (op.operand(3) != nullptr) rows = f.Op("Gather", {rows, op.operand(3)});
    return f.Op("Unsqueeze", {rows, f.Ints({rank == 3 ? 2 : 1})});
  };
  Value* x = rank == 3 ? f.Op("Reshape", {input, f.Ints({0, 0, *heads, -1})}) : input;
  Value* result = Rotated(f, x, size, {table(1), table(2), interleaved.value_or(0) != 0});
  return f.Finish({f.Op("Reshape", {result, f.Op("Shape", {input})}, {}, op.ResultName(0))});
}

}  // namespace dragoman
