// Products. nn.dense takes matrices, nn.batch_matmul stacks of them.
#include <algorithm>

#include "codegen/relay/ops/emitters.h"
#include "codegen/relay/ops/sizes.h"

namespace dragoman::relay::emit {
namespace {

Value* Transposed(RelayOp& op, Value* matrix) { return Transpose(op, matrix, {1, 0}); }

// x · weightᵀ of matrices.
Value* Dense(RelayOp& op, Value* x, Value* weight) {
  return op.Do("nn.dense", {x, weight}, {{"units", Attribute()}});
}

// x with all axes but the last as one, times weightᵀ, and apart again.
Result<Value*> DenseOfRows(RelayOp& op, Value* x, const Shape& shape, Value* weight,
                           const Shape& result) {
  if (shape.size() == 2) return Dense(op, x, weight);
  const Dim& inner = shape.back();
  if (!inner.known()) return op.Refuse("a product over a size that is known at run time only");
  Value* rows = op.Do("reshape", {x}, {{"newshape", Ints{-1, inner.value()}}});
  return ReshapeTo(op, Dense(op, rows, weight), {Dim(), result.back()}, result);
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

// (…, m, k) as (batch, m, k), repeated for leading axes that it lacks.
Result<Value*> AsStack(RelayOp& op, Value* x, const Shape& shape, const Shape& batch) {
  const Stack own = StackOf(shape);
  if (own.batch != batch) {
    Shape wide = batch;
    wide.insert(wide.end(), own.matrix.begin(), own.matrix.end());
    DRAGOMAN_ASSIGN(Ints sizes, op.KnownSizes(wide));
    x = op.Do("broadcast_to", {x}, {{"shape", std::move(sizes)}});
  }
  if (batch.size() == 1) return x;
  Ints codes = {-1};
  for (const Dim& size : own.matrix) {
    if (!size.known()) return op.Refuse("stacks of matrices whose sizes run time knows");
    codes.push_back(size.value());
  }
  return op.Do("reshape", {x}, {{"newshape", std::move(codes)}});
}

// Operands of rank 2 and more.
Result<Value*> Product(RelayOp& op, Value* a, const Shape& a_shape, Value* b, const Shape& b_shape,
                       const Shape& result) {
  if (b_shape.size() == 2) return DenseOfRows(op, a, a_shape, Transposed(op, b), result);
  const Shape batch = StackOf(result).batch;
  DRAGOMAN_ASSIGN(Value * left, AsStack(op, a, a_shape, batch));
  DRAGOMAN_ASSIGN(Value * right, AsStack(op, b, b_shape, batch));
  Value* product =
      op.Do("nn.batch_matmul", {left, right}, {{"transpose_a", false}, {"transpose_b", false}});
  if (batch.size() == 1) return product;
  return ReshapeTo(op, product, {Dim(), result[batch.size()], result.back()}, result);
}

}  // namespace

// x · weightᵀ + bias
Emitted EmitLinear(RelayOp& op) {
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(const Shape result, op.result_shape());
  if (!IsFloating(op.dtype())) return op.Refuse("products of integers");
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
  DRAGOMAN_ASSIGN(const Shape given, op.result_shape());
  const bool wide = !IsFloating(op.dtype()) && op.dtype() != DType::kI32;
  if (wide) return op.Refuse("products of integers other than int32");
  Shape result = given;
  if (a.size() == 1) result.insert(result.end() - (b.size() == 1 ? 0 : 1), Dim(1));
  if (b.size() == 1) result.push_back(Dim(1));
  DRAGOMAN_ASSIGN(Value * product,
                  Product(op, MatrixOf(op, op.arg(0), a, true), AsMatrix(a, true),
                          MatrixOf(op, op.arg(1), b, false), AsMatrix(b, false), result));
  Ints ones;
  const auto rank = static_cast<std::int64_t>(result.size());
  if (a.size() == 1) ones.push_back(rank - 2);
  if (b.size() == 1) ones.push_back(rank - 1);
  return One(ones.empty() ? product : op.Do("squeeze", {product}, {{"axis", std::move(ones)}}));
}

Emitted EmitGemm(RelayOp& op) {
  const float alpha = op.Float("alpha", 1.0f);
  const float beta = op.Float("beta", 1.0f);
  if (!IsFloating(op.dtype()) && (alpha != 1.0f || beta != 1.0f || op.dtype() != DType::kI32))
    return op.Refuse("products of integers");
  Value* a = op.Int("transA", 0) != 0 ? Transposed(op, op.arg(0)) : op.arg(0);
  Value* weight = op.Int("transB", 0) != 0 ? op.arg(1) : Transposed(op, op.arg(1));
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

Emitted EmitEinsum(RelayOp& op) {
  const std::string equation = op.String("equation", "");
  if (!IsFloating(op.dtype())) return op.Refuse("products of integers");
  return One(op.Do("einsum", {op.builder.Tuple(op.args())}, {{"equation", equation}}));
}

}  // namespace dragoman::relay::emit
