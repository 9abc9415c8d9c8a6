// SPDX-License-Identifier: Apache-2.0
// Operators that address elements by index. Relay counts no negative indices from the end, so they
// are raised before.
#include "codegen/relay/ops/op_rows.h"

#include <numeric>
#include <utility>

#include "codegen/relay/nd_array.h"
#include "codegen/relay/ops/sizes.h"
#include "codegen/relay/ops/unary.h"
#include "codegen/tvm/scatter.h"

namespace dragoman::relay::emit {
namespace {

// where(i < 0, i + size, i)
Value* Raised(RelayOp& op, Value* indices, DType dtype, Value* size) {
  Value* negative = op.Do("less", {indices, op.Number(0, dtype)});
  return op.Do("where", {negative, op.Do("add", {indices, size}), indices});
}

// Indices along one axis of operand 0.
Result<Value*> Indices(RelayOp& op, std::size_t i, std::int64_t axis) {
  if (op.KnownNotNegative(i)) return op.arg(i);
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(0));
  const Dim& size = shape[static_cast<std::size_t>(axis)];
  const Tensor* constant = op.node.operand(i)->tensor();
  if (constant != nullptr && size.known() && constant->dtype() == DType::kI64) {
    Ints places = constant->ToInts();
    for (std::int64_t& place : places) place += place < 0 ? size.value() : 0;
    return op.builder.Constant(Tensor::Of<std::int64_t>(constant->sizes(), places));
  }
  return Raised(op, op.arg(i), op.dtype(i), SizeOf(op, op.arg(0), size, axis, op.dtype(i)));
}

// Index tuples in the first axis, into axes `first` … of operand 0.
Result<Value*> IndexTuples(RelayOp& op, std::size_t i, std::int64_t first) {
  DRAGOMAN_ASSIGN(const Shape indices, op.shape(i));
  const auto rank = static_cast<std::int64_t>(indices.size());
  Value* tuples = op.arg(i);
  if (!op.KnownNotNegative(i)) {
    const Dim& depth = indices.back();
    if (!depth.known()) return op.Refuse("index tuples of unknown length");
    Value* limits = Part(op, SizesOf(op, op.arg(0)), first, first + depth.value());
    tuples = Raised(op, tuples, op.dtype(i), op.Cast(limits, DType::kI64, op.dtype(i)));
  }
  if (rank < 2) return tuples;
  Ints order = {rank - 1};
  for (std::int64_t axis = 0; axis + 1 < rank; ++axis) order.push_back(axis);
  return Transpose(op, tuples, std::move(order));
}

NamedAttribute ReductionOf(const RelayOp& op, std::string_view name) {
  const std::string given = op.String("reduction", "none");
  return {std::string(name), given == "none" ? "update" : given};
}

// Indices that are known stand as they are: clipping changes none of them.
Emitted EmitGather(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis"));
  const bool known = op.Contents(1).has_value();
  Attribute::Dict attributes = {{"axis", axis}};
  DRAGOMAN_ASSIGN(Value * indices, Indices(op, 1, axis));
  if (!known) attributes.emplace_back("mode", "fast");
  if (known || op.type(1).rank() != 0 || op.type().rank() == 1 || !HasOpenSizes(op.node))
    return One(op.Do("take", {op.arg(0), indices}, std::move(attributes)));
  Value* taken = op.Do("take", {op.arg(0), ScalarAsVector(op.builder, indices)}, attributes);
  return One(op.Do("squeeze", {taken}, {{"axis", Ints{axis}}}));
}

// Relay's gather takes as many indices along the other axes as there are elements.
Emitted EmitGatherElements(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis"));
  DRAGOMAN_ASSIGN(Value * indices, Indices(op, 1, axis));
  DRAGOMAN_ASSIGN(const Shape from, op.shape(0));
  DRAGOMAN_ASSIGN(const Shape to, op.shape(1));
  Ints axes, end;
  for (std::size_t i = 0; i < from.size() && i < to.size(); ++i) {
    if (static_cast<std::int64_t>(i) == axis || from[i] == to[i]) continue;
    if (!to[i].known()) return op.Refuse("a number of indices that is known at run time only");
    axes.push_back(static_cast<std::int64_t>(i));
    end.push_back(to[i].value());
  }
  Value* x = op.arg(0);
  if (!axes.empty()) {
    x = op.Do("strided_slice", {x},
              {{"begin", Ints(axes.size(), 0)},
               {"end", std::move(end)},
               {"strides", Ints(axes.size(), 1)},
               {"axes", std::move(axes)}});
  }
  return One(op.Do("gather", {x, indices}, {{"axis", axis}}));
}

Emitted EmitGatherNd(RelayOp& op) {
  const std::int64_t batch = op.Int("batch_dims");
  DRAGOMAN_ASSIGN(const Shape indices, op.shape(1));
  DRAGOMAN_ASSIGN(Value * tuples, IndexTuples(op, 1, batch));
  Attribute::Dict attributes;
  if (batch != 0) attributes.emplace_back("batch_dims", batch);
  if (indices.back().known()) attributes.emplace_back("index_rank", indices.back().value());
  return One(op.Do("gather_nd", {op.arg(0), tuples}, std::move(attributes)));
}

// The places of elements of which `indices` gives one coordinate, as index tuples in a first axis.
Result<Value*> TuplesOf(RelayOp& op, Value* indices, const Shape& shape, std::int64_t axis) {
  DRAGOMAN_ASSIGN(const Ints sizes, op.KnownSizes(shape));
  Ints whole = sizes;
  whole.insert(whole.begin(), 1);
  Values coordinates;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (static_cast<std::int64_t>(i) == axis) {
      Value* wide = op.Cast(indices, op.dtype(1), DType::kI64);
      coordinates.push_back(op.Do("expand_dims", {wide}, {{"axis", std::int64_t{0}}}));
      continue;
    }
    Ints places(static_cast<std::size_t>(sizes[i]));
    std::iota(places.begin(), places.end(), 0);
    Ints along(whole.size(), 1);
    along[i + 1] = sizes[i];
    Value* line = op.builder.Constant(Tensor::Ints(places).Reshaped(std::move(along)));
    coordinates.push_back(op.Do("broadcast_to", {line}, {{"shape", whole}}));
  }
  return op.Do("concatenate", {op.builder.Tuple(std::move(coordinates))},
               {{"axis", std::int64_t{0}}});
}

Emitted EmitScatterElements(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis"));
  DRAGOMAN_ASSIGN(Value * indices, Indices(op, 1, axis));
  DRAGOMAN_ASSIGN(const Shape data, op.shape(0));
  DRAGOMAN_ASSIGN(const Shape sizes, op.shape(1));
  if (!tvm::CountsAsData(data, sizes, axis)) {
    DRAGOMAN_ASSIGN(Value * tuples, TuplesOf(op, indices, sizes, axis));
    return One(op.Do("scatter_nd", {op.arg(0), tuples, op.arg(2)}, {ReductionOf(op, "mode")}));
  }
  return One(op.Do("scatter_elements", {op.arg(0), indices, op.arg(2)},
                   {{"axis", axis}, ReductionOf(op, "reduction")}));
}

Emitted EmitScatterNd(RelayOp& op) {
  DRAGOMAN_ASSIGN(Value * tuples, IndexTuples(op, 1, 0));
  return One(op.Do("scatter_nd", {op.arg(0), tuples, op.arg(2)}, {ReductionOf(op, "mode")}));
}

Emitted EmitNonZero(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  if (rank == 0) return op.Refuse("a scalar");
  Value* places = Transpose(op, op.Do("argwhere", {op.arg(0)}), {1, 0});
  return One(op.Cast(places, DType::kI32, DType::kI64));
}

Emitted EmitCompress(RelayOp& op) {
  const bool flat = op.node.attribute("axis") == nullptr;
  std::int64_t axis = 0;
  Value* x = op.arg(0);
  if (flat) {
    x = op.Do("reshape", {x}, {{"newshape", Ints{-1}}});
  } else {
    DRAGOMAN_ASSIGN(axis, op.Axis("axis"));
  }
  Value* places = op.Do("squeeze", {op.Do("argwhere", {op.arg(1)})}, {{"axis", Ints{1}}});
  return One(op.Do("take", {x, places}, {{"axis", axis}, {"mode", "fast"}}));
}

// A negative index counts from the end. Of open sizes one_hot takes no values of rank 0, so that
// the indices are compared with 0, 1, … along the axis.
Emitted EmitOneHot(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  const std::int64_t given = op.Int("axis");
  const std::int64_t axis = given < 0 ? given + rank + 1 : given;
  const std::optional<Ints> depth = op.MaybeInts(1);
  const auto value = [&](std::int64_t i) {
    return op.Do("take", {op.arg(2), op.Int64(i)}, {{"axis", std::int64_t{0}}});
  };
  Value* size =
      depth ? op.Int64(depth->front()) : AsScalar(op.builder, op.ArgAs(1, DType::kI64), op.type(1));
  Value* indices = op.ArgAs(0, DType::kI64);
  if (!op.KnownNotNegative(0)) indices = Raised(op, indices, DType::kI64, size);
  Value* on = value(1);
  Value* off = value(0);
  if (depth && !HasOpenSizes(op.node)) {
    return One(op.Do("one_hot", {indices, on, off},
                     {{"depth", depth->front()},
                      {"axis", axis},
                      {"dtype", std::string(RelayDType(op.result_type().dtype()))}}));
  }
  Value* places = WithAxesBehind(op, Places(op, size), rank - axis);
  Value* hit = op.Do("equal", {op.Do("expand_dims", {indices}, {{"axis", axis}}), places});
  const auto line = [&](Value* x) { return ScalarAsVector(op.builder, x); };
  return One(op.Do("where", {hit, line(on), line(off)}));
}

Emitted EmitTrilu(RelayOp& op) {
  Value* k = op.has(1) ? AsScalar(op.builder, op.ArgAs(1, DType::kI32), op.type(1))
                       : op.Number(0, DType::kI32);
  if (const std::optional<Ints> known = op.has(1) ? op.MaybeInts(1) : std::nullopt)
    k = op.Number(static_cast<double>(known->front()), DType::kI32);
  const bool upper = op.Int("upper") != 0;
  if (!HasOpenSizes(op.node)) {
    // Fused with another operator, it reads a variable that TVM 0.19 does not declare.
    Value* kept = op.Do("trilu", {Alone(op.builder, op.arg(0)), k}, {{"upper", upper}});
    return One(Alone(op.builder, kept));
  }
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(0));
  const std::size_t rows = shape.size() - 2;
  const auto places = [&](std::size_t axis) {
    const auto place = static_cast<std::int64_t>(axis);
    return Places(op, SizeOf(op, op.arg(0), shape[axis], place));
  };
  Value* diagonal = op.Do("subtract", {places(rows + 1), WithAxesBehind(op, places(rows), 1)});
  Value* stays = op.Do(upper ? "greater_equal" : "less_equal",
                       {diagonal, op.Cast(k, DType::kI32, DType::kI64)});
  return One(op.Do("where", {stays, op.arg(0), op.Number(0)}));
}

// Where column - row is k.
Emitted EmitEyeLike(RelayOp& op) {
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(0));
  Value* rows = Places(op, SizeOf(op, op.arg(0), shape[0], 0));
  Value* columns = Places(op, SizeOf(op, op.arg(0), shape[1], 1));
  Value* wanted = op.Do("add", {WithAxesBehind(op, rows, 1), op.Int64(op.Int("k"))});
  return One(op.Cast(op.Do("equal", {columns, wanted}), DType::kBool, op.result_type().dtype()));
}

}  // namespace

std::span<const Row> IndexingRows() {
  static constexpr Row kRows[] = {
      {"Compress", EmitCompress},   {"EyeLike", EmitEyeLike, "", true},
      {"Gather", EmitGather},       {"GatherElements", EmitGatherElements},
      {"GatherND", EmitGatherNd},   {"NonZero", EmitNonZero},
      {"OneHot", EmitOneHot},       {"ScatterElements", EmitScatterElements},
      {"ScatterND", EmitScatterNd}, {"Trilu", EmitTrilu},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit
