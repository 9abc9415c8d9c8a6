// SPDX-License-Identifier: Apache-2.0
// Elements at places that tensors hold.
#include "exporters/pt2/ops/op_rows.h"

#include <algorithm>
#include <utility>

#include "core/ir/dtype_kinds.h"
#include "core/ops/op_def.h"
#include "exporters/pt2/ops/sizes.h"

namespace dragoman::pt2 {
namespace {

using OptionalTerms = std::vector<std::optional<Term>>;

// x[…] with a tensor of places for each of the first axes, or none.
Term Index(const AtenOp& op, const Term& x, const OptionalTerms& indices, Shape shape) {
  return op.Call("aten.index.Tensor", {{"self", x}, {"indices", indices}},
                 {x.dtype, std::move(shape)});
}

// Places as int64.
Term Places(const AtenOp& op, std::size_t operand) { return op.Cast(op.arg(operand), DType::kI64); }

// Whether no element is negative, as far as is seen within a few operators that move elements. By
// name: places, sizes and numbers of elements.
bool IsNeverNegative(const Value& value, int depth = 8) {
  const Node* node = value.producer();
  if (node == nullptr || depth == 0) return false;
  const bool keeps = OnlyMoves(*node) || (node->Is("Cast") && value.type().dtype() == DType::kI64 &&
                                          IsInteger(node->operand(0)->type().dtype()));
  if (keeps) return IsNeverNegative(*node->operand(0), depth - 1);
  constexpr std::string_view kCounting[] = {"ArgMax", "ArgMin", "NonZero", "Shape", "Size"};
  const auto is_it = [&](std::string_view type) { return node->Is(type); };
  return std::ranges::any_of(kCounting, is_it) || (node->Is("TopK") && value.index() == 1);
}

// Places counted from the front of an axis of `size` elements: negative ones count from the end.
Result<Term> FromFront(const AtenOp& op, std::size_t operand, const Dim& size) {
  const dragoman::Tensor* known = op.Known(operand);
  Term places = Places(op, operand);
  if (IsNeverNegative(*op.node.operand(operand))) return places;
  if (known != nullptr) {
    const Ints numbers = known->ToInts();
    if (std::ranges::all_of(numbers, [](std::int64_t i) { return i >= 0; })) return places;
  }
  const std::optional<Size> count = op.graph.SizeOf(size);
  if (!count) return op.Refuse("a size is known at run time only");
  const Term from_end = op.Call("aten.add.Scalar", {{"self", places}, {"other", *count}},
                                {DType::kI64, places.shape});
  return op.Where(op.CompareNumber("aten.lt.Scalar", places, 0), from_end, places);
}

Emitted EmitGather(AtenOp& op) {
  const Term x = op.arg(0);
  const std::int64_t axis = op.Axis();
  Shape shape(x.shape.begin(), x.shape.begin() + axis);
  const Shape& places = op.arg(1).shape;
  shape.insert(shape.end(), places.begin(), places.end());
  shape.insert(shape.end(), x.shape.begin() + axis + 1, x.shape.end());
  if (const std::optional<double> place = op.KnownNumber(1, 0))
    return One(op.Select(x, axis, static_cast<std::int64_t>(*place)));
  if (const dragoman::Tensor* known = op.Known(1); known != nullptr && known->rank() == 1) {
    DRAGOMAN_ASSIGN(const Term front, FromFront(op, 1, x.shape[static_cast<std::size_t>(axis)]));
    return One(op.Call("aten.index_select.default", {{"self", x}, {"dim", axis}, {"index", front}},
                       {x.dtype, std::move(shape)}));
  }
  OptionalTerms indices(static_cast<std::size_t>(axis));
  Term at = Places(op, 1);
  // What is taken lies in the order of the places, which torch's passes do not know.
  if (op.graph.FindPermuted(at))
    at = op.Call("aten.contiguous.default", {{"self", at}}, {at.dtype, at.shape});
  indices.emplace_back(std::move(at));
  return One(Index(op, x, indices, std::move(shape)));
}

Emitted EmitGatherElements(AtenOp& op) {
  const Term x = op.arg(0);
  const std::int64_t axis = op.Axis();
  DRAGOMAN_ASSIGN(const Term places, FromFront(op, 1, x.shape[static_cast<std::size_t>(axis)]));
  return One(op.Call("aten.gather.default", {{"self", x}, {"dim", axis}, {"index", places}},
                     {x.dtype, places.shape}));
}

// For the first `batch` axes the places themselves, then one tensor for each element of the last
// axis of `places`.
Result<OptionalTerms> TuplesOf(const AtenOp& op, const Term& x, const Term& places,
                               std::int64_t batch) {
  const Dim& count = places.shape.back();
  if (!count.known()) return op.Refuse("a number of indices known at run time only");
  OptionalTerms indices;
  const std::int64_t rank = places.rank() - 1;
  for (std::int64_t i = 0; i < batch; ++i) {
    const Dim& size = x.shape[static_cast<std::size_t>(i)];
    const std::optional<Size> end = op.graph.SizeOf(size);
    if (!end) return op.Refuse("a size is known at run time only");
    Term along = op.Arange(*end, size, DType::kI64);
    while (along.rank() < rank - i) along = op.Unsqueeze(along, along.rank());
    indices.emplace_back(std::move(along));
  }
  for (std::int64_t i = 0; i < count.value(); ++i) indices.emplace_back(op.Select(places, rank, i));
  return indices;
}

Emitted EmitGatherNd(AtenOp& op) {
  const Term x = op.arg(0);
  DRAGOMAN_ASSIGN(const OptionalTerms indices,
                  TuplesOf(op, x, Places(op, 1), op.Int("batch_dims")));
  if (indices.empty()) return One(x);
  return One(Index(op, x, indices, op.result().shape));
}

// Numbers that torch scatters: int64 in place of unsigned integers of more than 8 bits, whose order
// is that of int64 but for uint64.
Term Scattered(const AtenOp& op, std::size_t operand) {
  const Term x = op.arg(operand);
  return IsWideUnsigned(x.dtype) ? op.Cast(x, DType::kI64) : x;
}

bool KeepsItsOrder(DType dtype, const std::string& reduction) {
  return dtype != DType::kU64 || (reduction != "max" && reduction != "min");
}

std::string_view ReductionOf(const std::string& name) {
  if (name == "add") return "sum";
  if (name == "mul") return "prod";
  return name == "max" ? "amax" : "amin";
}

Emitted EmitScatterElements(AtenOp& op) {
  const Term x = Scattered(op, 0);
  const std::int64_t axis = op.Axis();
  DRAGOMAN_ASSIGN(const Term places, FromFront(op, 1, x.shape[static_cast<std::size_t>(axis)]));
  const std::string reduction = op.String("reduction", "none");
  if (!KeepsItsOrder(op.dtype(), reduction)) return op.Refuse("an extreme of uint64");
  Arguments arguments = {{"self", x}, {"dim", axis}, {"index", places}, {"src", Scattered(op, 2)}};
  if (reduction == "none")
    return One(op.Cast(op.Call("aten.scatter.src", arguments, {x.dtype, x.shape}), op.dtype()));
  arguments.push_back({"reduce", std::string(ReductionOf(reduction))});
  return One(
      op.Cast(op.Call("aten.scatter_reduce.two", arguments, {x.dtype, x.shape}), op.dtype()));
}

// Reductions that index_put has not: rows of the tensor whose first axes are one.
Emitted ReduceRows(const AtenOp& op, const Term& x, const Term& places, const Term& updates,
                   const std::string& reduction) {
  const std::int64_t depth = places.shape.back().known() ? places.shape.back().value() : -1;
  if (depth < 0) return op.Refuse("a number of indices known at run time only");
  const Shape rest(x.shape.begin() + depth, x.shape.end());
  Dim rows = 1;
  std::optional<Term> row;
  for (std::int64_t i = 0; i < depth; ++i) {
    const Dim& size = x.shape[static_cast<std::size_t>(i)];
    const std::optional<Size> count = op.graph.SizeOf(size);
    if (!count) return op.Refuse("a size is known at run time only");
    Term place = op.Select(places, places.rank() - 1, i);
    const Term from_end = op.Call("aten.add.Scalar", {{"self", place}, {"other", *count}},
                                  {DType::kI64, place.shape});
    place = op.Where(op.CompareNumber("aten.lt.Scalar", place, 0), from_end, place);
    if (row) {
      const Term scaled = op.Call("aten.mul.Scalar", {{"self", *row}, {"other", *count}},
                                  {DType::kI64, row->shape});
      place = op.Binary("aten.add.Tensor", scaled, place);
    }
    row = place;
    rows = rows * size;
  }
  if (!row) return op.Refuse("indices of no axis");
  Shape flat_shape = {rows};
  flat_shape.insert(flat_shape.end(), rest.begin(), rest.end());
  DRAGOMAN_ASSIGN(const Term flat, op.Reshape(x, flat_shape));
  Shape source_shape = {NumElements(row->shape)};
  source_shape.insert(source_shape.end(), rest.begin(), rest.end());
  DRAGOMAN_ASSIGN(const Term source, op.Reshape(updates, source_shape));
  Shape column(source_shape.size(), Dim(1));
  column[0] = source_shape[0];
  DRAGOMAN_ASSIGN(const Term column_index, op.Reshape(*row, column));
  DRAGOMAN_ASSIGN(const Term index, op.Expand(column_index, source_shape));
  const Term reduced = op.Call("aten.scatter_reduce.two",
                               {{"self", flat},
                                {"dim", 0},
                                {"index", index},
                                {"src", source},
                                {"reduce", std::string(ReductionOf(reduction))}},
                               {x.dtype, flat_shape});
  DRAGOMAN_ASSIGN(Term result, op.Reshape(reduced, x.shape));
  return One(std::move(result));
}

Emitted EmitScatterNd(AtenOp& op) {
  const Term x = Scattered(op, 0);
  const Term places = Places(op, 1);
  const std::string reduction = op.String("reduction", "none");
  if (!KeepsItsOrder(op.dtype(), reduction)) return op.Refuse("an extreme of uint64");
  if (reduction != "none" && reduction != "add") {
    DRAGOMAN_ASSIGN(const Terms reduced, ReduceRows(op, x, places, Scattered(op, 2), reduction));
    return One(op.Cast(reduced.front(), op.dtype()));
  }
  DRAGOMAN_ASSIGN(const OptionalTerms indices, TuplesOf(op, x, places, 0));
  if (indices.empty()) return op.Refuse("indices of no axis");
  Arguments arguments = {{"self", x}, {"indices", indices}, {"values", Scattered(op, 2)}};
  if (reduction == "add") arguments.push_back({"accumulate", true});
  return One(op.Cast(op.Call("aten.index_put.default", arguments, {x.dtype, x.shape}), op.dtype()));
}

// On where the place along the new axis is that of the index, negative ones from its end.
Emitted EmitOneHot(AtenOp& op) {
  const std::int64_t rank = op.rank();
  const std::int64_t stated = op.Int("axis");
  const std::int64_t axis = stated < 0 ? stated + rank + 1 : stated;
  const TermType result = op.result();
  Dim depth = result.shape[static_cast<std::size_t>(axis)];
  std::optional<Size> end = op.graph.SizeOf(depth);
  if (!end) {
    const Item item = op.ItemAt(op.Cast(op.arg(1), DType::kI64), 0);
    end = item.size;
    depth = item.dim;
  }
  const Term places = op.Cast(op.arg(0), DType::kI64);
  const Term from_end =
      op.Call("aten.add.Scalar", {{"self", places}, {"other", *end}}, {DType::kI64, places.shape});
  const Term front = op.Where(op.CompareNumber("aten.lt.Scalar", places, 0), from_end, places);
  Term along = op.Arange(*end, depth, DType::kI64);
  for (std::int64_t i = axis; i < rank; ++i) along = op.Unsqueeze(along, along.rank());
  const Term is_on = op.Compare("aten.eq.Tensor", op.Unsqueeze(front, axis), along);
  const Term values = op.arg(2);
  return One(op.Where(is_on, op.Select(values, 0, 1), op.Select(values, 0, 0)));
}

Emitted EmitNonZero(AtenOp& op) {
  const Term x = op.arg(0);
  const TermType result = op.result();
  const Term places = op.Call("aten.nonzero.default", {{"self", x}},
                              {DType::kI64, {result.shape.at(1), Dim(x.rank())}});
  return One(op.SwapAxes(places, 0, 1));
}

// What a mask along an axis, or of all elements in a row, lets pass; the mask may be shorter.
Emitted EmitCompress(AtenOp& op) {
  Term x = op.arg(0);
  const TermType result = op.result();
  std::int64_t axis = 0;
  if (op.node.attribute("axis") != nullptr) {
    axis = op.Axis();
  } else {
    x = op.Reshape(x, {Size(-1)}, {NumElements(x.shape)});
  }
  const Dim& count = result.shape[static_cast<std::size_t>(axis)];
  const Term places =
      op.Call("aten.nonzero.default", {{"self", op.arg(1)}}, {DType::kI64, {count, Dim(1)}});
  return One(op.Call("aten.index_select.default",
                     {{"self", x}, {"dim", axis}, {"index", op.Squeeze(places, 1)}},
                     {x.dtype, result.shape}));
}

// Within its length each sequence runs backwards; what is after stays.
Emitted EmitReverseSequence(AtenOp& op) {
  const std::int64_t time = op.Axis("time_axis");
  const std::int64_t batch = op.Axis("batch_axis");
  const Term x = op.arg(0);
  const Dim& steps = x.shape[static_cast<std::size_t>(time)];
  const Dim& count = x.shape[static_cast<std::size_t>(batch)];
  const std::optional<Size> end = op.graph.SizeOf(steps);
  const std::optional<Size> rows = op.graph.SizeOf(count);
  if (!end || !rows) return op.Refuse("a size is known at run time only");
  const Term step = op.Arange(*end, steps, DType::kI64);
  const Term length = op.Unsqueeze(op.Cast(op.arg(1), DType::kI64), 1);
  const Term last = op.WithNumber("aten.sub.Scalar", length, 1);
  const Term back = op.Binary("aten.sub.Tensor", last, step);
  const Term place = op.Where(op.Compare("aten.lt.Tensor", step, length), back, step);
  const Term row = op.Unsqueeze(op.Arange(*rows, count, DType::kI64), 1);
  // To the front, then back.
  Ints order = {batch, time};
  for (std::int64_t axis = 0; axis < x.rank(); ++axis) {
    if (axis != batch && axis != time) order.push_back(axis);
  }
  Ints inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  const Term front = op.Permute(x, order);
  return One(op.Permute(Index(op, front, {row, place}, front.shape), inverse));
}

// torch gives neither first places nor the order in which elements come; both follow from where
// each element's value lies among the sorted ones.
Emitted EmitUnique(AtenOp& op) {
  Term x = op.arg(0);
  const TermType result = op.result();
  const bool has_axis = op.node.attribute("axis") != nullptr;
  const std::int64_t axis = has_axis ? op.Axis() : 0;
  if (!has_axis) x = op.Reshape(x, {Size(-1)}, {NumElements(x.shape)});
  const Dim all = x.shape[static_cast<std::size_t>(axis)];
  const Dim count = result.shape[static_cast<std::size_t>(axis)];
  Arguments arguments = {{"self", x}};
  if (has_axis) arguments.push_back({"dim", axis});
  arguments.push_back({"sorted", true});
  arguments.push_back({"return_inverse", true});
  arguments.push_back({"return_counts", true});
  const Terms unique = op.graph.CallMany(
      has_axis ? "aten.unique_dim.default" : "aten._unique2.default", arguments,
      {{x.dtype, result.shape}, {DType::kI64, {all}}, {DType::kI64, {count}}}, false);
  const std::optional<Size> elements = op.graph.SizeOf(all);
  const std::optional<Size> values =
      op.graph.SizeOf(unique[0].shape[static_cast<std::size_t>(axis)]);
  if (!elements || !values) return op.Refuse("a size is known at run time only");
  const Term place = op.Arange(*elements, all, DType::kI64);
  const Term last =
      op.Call("aten.full.default",
              {{"size", Sizes{*values}}, {"fill_value", *elements}, Kw("dtype", DType::kI64)},
              {DType::kI64, unique[2].shape});
  const Term first = op.Call(
      "aten.scatter_reduce.two",
      {{"self", last}, {"dim", 0}, {"index", unique[1]}, {"src", place}, {"reduce", "amin"}},
      {DType::kI64, unique[2].shape});
  Terms results = {unique[0], first, unique[1], unique[2]};
  if (op.Int("sorted") == 0) {
    const auto by = [&](const Term& of, std::int64_t along, const Term& order) {
      return op.Call("aten.index_select.default", {{"self", of}, {"dim", along}, {"index", order}},
                     {of.dtype, of.shape});
    };
    const auto order_of = [&](const Term& of) {
      return op.Call("aten.argsort.default", {{"self", of}}, {DType::kI64, of.shape});
    };
    const Term order = order_of(first);
    results = {by(unique[0], axis, order), by(first, 0, order), by(order_of(order), 0, unique[1]),
               by(unique[2], 0, order)};
    results[2].shape = unique[1].shape;
  }
  results.resize(op.node.num_results());
  return results;
}

}  // namespace

std::span<const Row> IndexingRows() {
  static constexpr Row kRows[] = {
      {"Compress", EmitCompress},
      {"Gather", EmitGather},
      {"GatherElements", EmitGatherElements},
      {"GatherND", EmitGatherNd},
      {"NonZero", EmitNonZero},
      {"OneHot", EmitOneHot},
      {"ReverseSequence", EmitReverseSequence},
      {"ScatterElements", EmitScatterElements},
      {"ScatterND", EmitScatterNd},
      {"Unique", EmitUnique},
  };
  return kRows;
}

}  // namespace dragoman::pt2
