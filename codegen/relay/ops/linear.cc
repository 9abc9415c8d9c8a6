// SPDX-License-Identifier: Apache-2.0
// Products. nn.dense takes matrices, nn.batch_matmul stacks of them.
#include "codegen/relay/ops/op_rows.h"

#include <algorithm>
#include <utility>

#include "codegen/relay/ops/product.h"
#include "codegen/relay/ops/sizes.h"

namespace dragoman::relay::emit {
namespace {

Value* Transposed(RelayOp& op, Value* matrix) { return Transpose(op, matrix, {1, 0}); }

// x · weightᵀ of matrices.
Value* Dense(RelayOp& op, Value* x, Value* weight) {
  return op.Do("nn.dense", {x, weight}, {{"units", Attribute()}});
}

Result<Value*> DenseOfRows(RelayOp& op, Value* x, const Shape& shape, Value* weight,
                           const Shape& result) {
  return ProductOfRows(op, x, shape, result, [&](Value* rows) { return Dense(op, rows, weight); });
}

// The sizes before the last two, and the two.
struct Stack {
  Shape batch, matrix;
};

Stack StackOf(const Shape& shape) {
  return {Shape(shape.begin(), shape.end() - 2), Shape(shape.end() - 2, shape.end())};
}

// Rank-1 operands are rows and columns.
Shape AsMatrix(Shape shape, bool row) {
  if (shape.size() == 1) shape.insert(row ? shape.begin() : shape.end(), Dim(1));
  return shape;
}

Value* MatrixOf(RelayOp& op, Value* x, const Shape& shape, bool row) {
  if (shape.size() != 1) return x;
  return op.Do("expand_dims", {x}, {{"axis", std::int64_t{row ? 0 : 1}}});
}

// Sizes before the last two of the product, where only run time knows them: a 1 gives way.
Value* BatchSizes(RelayOp& op, Value* a, const Shape& a_shape, Value* b, const Shape& b_shape) {
  const std::size_t count = std::max(a_shape.size(), b_shape.size()) - 2;
  const auto leading = [&](Value* x, const Shape& shape) {
    const std::size_t own = shape.size() - 2;
    return WithOnesBefore(op, Part(op, SizesOf(op, x), 0, static_cast<std::int64_t>(own)), own,
                          count);
  };
  Value* of_a = leading(a, a_shape);
  return op.Do("where", {op.Do("equal", {of_a, op.Int64(1)}), leading(b, b_shape), of_a});
}

Value* LastTwo(RelayOp& op, Value* x, const Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  return Part(op, SizesOf(op, x), rank - 2, rank);
}

// (…, m, k) as (batch, m, k), repeated for leading axes that it lacks. `sizes`: of the batch, where
// some size is known at run time only.
Value* AsStack(RelayOp& op, Value* x, const Shape& shape, const Shape& batch, Value* sizes) {
  const Stack own = StackOf(shape);
  if (own.batch != batch) {
    Shape wide = batch;
    wide.insert(wide.end(), own.matrix.begin(), own.matrix.end());
    if (const auto known = KnownShape(wide)) {
      x = op.Do("broadcast_to", {x}, {{"shape", *known}});
    } else {
      x = op.Do("dyn.broadcast_to", {x, Join(op, {sizes, LastTwo(op, x, shape)})},
                {{"shape", Attribute()}});
      x = State(op, x, wide);
    }
  }
  if (batch.size() == 1) return x;
  if (const auto known = KnownShape(own.matrix))
    return op.Do("reshape", {x}, {{"newshape", Ints{-1, known->front(), known->back()}}});
  Shape whole = batch;
  whole.insert(whole.end(), own.matrix.begin(), own.matrix.end());
  return ReshapeBy(op, x, Join(op, {op.IntVector({-1}), LastTwo(op, x, whole)}));
}

// The sizes of rows that are multiplied with `inner` elements each: the other operand may be the
// one of which they are known.
Shape WithInner(Shape rows, const Dim& inner) {
  if (inner.known()) rows.back() = inner;
  return rows;
}

// Operands of rank 2 and more.
Result<Value*> Product(RelayOp& op, Value* a, const Shape& a_shape, Value* b, const Shape& b_shape,
                       const Shape& result) {
  if (b_shape.size() == 2 && (a_shape.size() == 2 || KnownShape(b_shape)))
    return DenseOfRows(op, a, WithInner(a_shape, b_shape.front()), Transposed(op, b), result);
  const Shape batch = StackOf(result).batch;
  const auto known = KnownShape(batch);
  const bool needs_sizes = !KnownShape(a_shape) || !KnownShape(b_shape) || !KnownShape(result);
  Value* sizes = nullptr;
  if (needs_sizes) sizes = known ? op.IntVector(*known) : BatchSizes(op, a, a_shape, b, b_shape);
  Value* left = AsStack(op, a, a_shape, batch, sizes);
  Value* right = AsStack(op, b, b_shape, batch, sizes);
  Value* product =
      op.Do("nn.batch_matmul", {left, right}, {{"transpose_a", false}, {"transpose_b", false}});
  // In one function with what follows, TVM 0.19 does not find the open sizes.
  if (needs_sizes) product = Alone(op.builder, product);
  if (batch.size() == 1) return product;
  const Result<Value*> apart =
      ReshapeTo(op, product, {Dim(), result[batch.size()], result.back()}, result);
  if (apart.ok()) return *apart;
  return ReshapeBy(op, product, Join(op, {sizes, LastTwo(op, product, {Dim(), Dim(), Dim()})}));
}

}  // namespace

Result<Value*> ProductOfRows(RelayOp& op, Value* x, const Shape& shape, const Shape& result,
                             const std::function<Value*(Value* rows)>& product) {
  if (shape.size() == 2) return product(x);
  const Dim& inner = shape.back();
  if (!inner.known() || !result.back().known())
    return op.Refuse("a product over a size that is known at run time only");
  Value* rows = product(op.Do("reshape", {x}, {{"newshape", Ints{-1, inner.value()}}}));
  const Result<Value*> apart = ReshapeTo(op, rows, {Dim(), result.back()}, result);
  if (apart.ok()) return *apart;
  Value* leading = Part(op, SizesOf(op, x), 0, static_cast<std::int64_t>(shape.size()) - 1);
  return ReshapeBy(op, rows, Join(op, {leading, op.IntVector({result.back().value()})}));
}

Result<Value*> ProductOfStacks(RelayOp& op, Value* a, const Shape& a_shape, Value* b,
                               const Shape& b_shape, Shape result) {
  if (a_shape.size() == 1) result.insert(result.end() - (b_shape.size() == 1 ? 0 : 1), Dim(1));
  if (b_shape.size() == 1) result.push_back(Dim(1));
  DRAGOMAN_ASSIGN(Value * product,
                  Product(op, MatrixOf(op, a, a_shape, true), AsMatrix(a_shape, true),
                          MatrixOf(op, b, b_shape, false), AsMatrix(b_shape, false), result));
  Ints ones;
  const auto rank = static_cast<std::int64_t>(result.size());
  if (a_shape.size() == 1) ones.push_back(rank - 2);
  if (b_shape.size() == 1) ones.push_back(rank - 1);
  return ones.empty() ? product : op.Do("squeeze", {product}, {{"axis", std::move(ones)}});
}

namespace {

// x · weightᵀ + bias
Emitted EmitLinear(RelayOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(const Shape weight, op.shape(1));
  DRAGOMAN_ASSIGN(const Shape result, op.result_shape());
  if (!IsFloating(op.dtype())) return op.Refuse("products of integers");
  shape = WithInner(std::move(shape), weight.back());
  Value* product = nullptr;
  if (shape.size() == 1) {
    Value* row = op.Do("expand_dims", {op.arg(0)}, {{"axis", std::int64_t{0}}});
    product = op.Do("squeeze", {Dense(op, row, op.arg(1))}, {{"axis", Ints{0}}});
  } else {
    DRAGOMAN_ASSIGN(product, DenseOfRows(op, op.arg(0), shape, op.arg(1), result));
  }
  if (!op.has(2)) return One(product);
  const bool vector = op.type(2).shape() != nullptr && op.type(2).shape()->size() == 1;
  if (!vector) return One(op.Do("add", {product, op.arg(2)}));
  return One(op.Do("nn.bias_add", {product, op.arg(2)}, {{"axis", std::int64_t{-1}}}));
}

Emitted EmitMatMul(RelayOp& op) {
  DRAGOMAN_ASSIGN(const Shape a, op.shape(0));
  DRAGOMAN_ASSIGN(const Shape b, op.shape(1));
  DRAGOMAN_ASSIGN(const Shape result, op.result_shape());
  const bool wide = !IsFloating(op.dtype()) && op.dtype() != DType::kI32;
  if (wide) return op.Refuse("products of integers other than int32");
  DRAGOMAN_ASSIGN(Value * product, ProductOfStacks(op, op.arg(0), a, op.arg(1), b, result));
  return One(product);
}

Emitted EmitGemm(RelayOp& op) {
  const float alpha = op.Float("alpha");
  const float beta = op.Float("beta");
  if (!IsFloating(op.dtype()) && (alpha != 1.0f || beta != 1.0f || op.dtype() != DType::kI32))
    return op.Refuse("products of integers");
  Value* a = op.Int("transA") != 0 ? Transposed(op, op.arg(0)) : op.arg(0);
  Value* weight = op.Int("transB") != 0 ? op.arg(1) : Transposed(op, op.arg(1));
  Value* product = Dense(op, a, weight);
  if (alpha != 1.0f) product = op.Do("multiply", {product, op.Number(alpha)});
  if (!op.has(2)) return One(product);
  Value* c = op.arg(2);
  if (beta != 1.0f) c = op.Do("multiply", {c, op.Number(beta)});
  const bool vector = op.type(2).shape() != nullptr && op.type(2).shape()->size() == 1 &&
                      op.result_type().shape() != nullptr &&
                      op.type(2).shape()->front() == op.result_type().shape()->back();
  if (!vector) return One(op.Do("add", {product, c}));
  return One(op.Do("nn.bias_add", {product, c}, {{"axis", std::int64_t{-1}}}));
}

}  // namespace

std::span<const Row> LinearRows() {
  static constexpr Row kRows[] = {
      {"Gemm", EmitGemm, "", true},
      {"MatMul", EmitMatMul},
      {"dragoman.Linear", EmitLinear},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit
