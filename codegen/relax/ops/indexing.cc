// SPDX-License-Identifier: Apache-2.0
// Operators that address elements by index. Relax does not count negative indices from the end
// (scatter_elements alone does), so they are raised before.
#include "codegen/relax/ops/op_rows.h"

#include <optional>

#include <fmt/format.h>

#include "codegen/relax/ops/runtime_sizes.h"
#include "codegen/tvm/ordering.h"
#include "codegen/tvm/scatter.h"

namespace dragoman::relax {
namespace {

std::string Cast(const std::string& x, DType dtype) {
  return fmt::format("R.astype({}, dtype=\"{}\")", x, RelaxDType(dtype));
}

// The size of one axis of operand 0 as a 0-d tensor of an integer type.
std::string LimitOf(RelaxOp& op, const Dim& size, std::int64_t axis, DType dtype) {
  if (size.known()) return ConstOf(static_cast<double>(size.value()), dtype);
  const std::string whole = SizeOf(op, 0, size, axis);
  return dtype == DType::kI64 ? whole : op.BindPlain(Cast(whole, dtype));
}

// where(i < 0, i + size, i)
std::string Raised(RelaxOp& op, const std::string& indices, const Type& type,
                   const std::string& size) {
  const std::string zero = ConstOf(0, type.dtype());
  const std::string negative =
      op.bind(fmt::format("R.less({}, {})", indices, zero), type.WithDType(DType::kBool));
  const std::string raised = op.bind(fmt::format("R.add({}, {})", indices, size), type);
  return op.bind(fmt::format("R.where({}, {}, {})", negative, raised, indices), type);
}

// Indices along one axis of operand 0.
Result<std::string> Indices(RelaxOp& op, std::size_t operand, std::int64_t axis) {
  if (op.KnownNotNegative(operand)) return op.arg(operand);
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const Dim& size = shape[static_cast<std::size_t>(axis)];
  return Raised(op, op.arg(operand), op.type(operand), LimitOf(op, size, axis, op.dtype(operand)));
}

// Index tuples in the last axis, into axes `first` … of operand 0.
Result<std::string> IndexTuples(RelaxOp& op, std::size_t operand, std::size_t first) {
  if (op.KnownNotNegative(operand)) return op.arg(operand);
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(Shape indices, op.shape(operand));
  const Dim& depth = indices.back();
  if (!depth.known()) return op.Refuse("index tuples of unknown length");
  const std::size_t last = first + static_cast<std::size_t>(depth.value());
  std::vector<std::int64_t> sizes;
  for (std::size_t i = first; i < last && shape[i].known(); ++i) sizes.push_back(shape[i].value());
  std::string limits =
      fmt::format("R.const({}, \"{}\")", ListText(sizes), RelaxDType(op.dtype(operand)));
  if (sizes.size() < last - first) {
    limits = op.BindPlain(fmt::format(
        "R.strided_slice({}, axes=[0], begin=[{}], end=[{}], strides=[1], assume_inbound=False)",
        SizesOf(op, op.arg(0)), first, last));
    limits = op.Astype(limits, DType::kI64, op.dtype(operand));
  }
  return Raised(op, op.arg(operand), op.type(operand), limits);
}

Result<std::string> ScatterReduction(const RelaxOp& op) {
  const std::string reduction = op.String("reduction", "none");
  return reduction == "none" ? "update" : reduction;
}

Expressions EmitGather(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::int64_t axis, op.Axis("axis"));
  DRAGOMAN_ASSIGN(std::string indices, Indices(op, 1, axis));
  return One(fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", op.arg(0), indices, axis));
}

Expressions EmitGatherElements(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::int64_t axis, op.Axis("axis"));
  DRAGOMAN_ASSIGN(std::string indices, Indices(op, 1, axis));
  return One(fmt::format("R.gather_elements({}, {}, axis={})", op.arg(0), indices, axis));
}

Expressions EmitGatherNd(RelaxOp& op) {
  const std::int64_t batch = op.Int("batch_dims");
  DRAGOMAN_ASSIGN(std::string indices, IndexTuples(op, 1, static_cast<std::size_t>(batch)));
  return One(fmt::format("R.gather_nd({}, {}, batch_dims={})", op.arg(0), indices, batch));
}

// The places of elements of which `indices` gives one coordinate, as index tuples in a last axis.
Result<std::string> TuplesOf(RelaxOp& op, const std::string& indices, const Shape& sizes,
                             std::int64_t axis) {
  Shape whole = sizes;
  whole.push_back(Dim(1));
  DRAGOMAN_ASSIGN(const std::string shape, op.ShapeValue(whole));
  std::vector<std::string> coordinates;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (static_cast<std::int64_t>(i) == axis) {
      const std::string wide = op.Astype(indices, op.dtype(1), DType::kI64);
      coordinates.push_back(op.BindPlain(fmt::format("R.expand_dims({}, axis=[-1])", wide)));
      continue;
    }
    Shape along(whole.size(), Dim(1));
    along[i] = sizes[i];
    DRAGOMAN_ASSIGN(const std::string line, op.ShapeValue(along));
    const std::optional<std::string> count = DimText(sizes[i], op.symbols);
    if (!count) return op.Refuse("a number of indices that is known at run time only");
    coordinates.push_back(op.Do("broadcast_to", op.Do("reshape", Places(op, *count), line), shape));
  }
  return op.BindPlain(fmt::format("R.concat(({}), axis=-1)", fmt::join(coordinates, ", ")));
}

Expressions EmitScatterElements(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::int64_t axis, op.Axis("axis"));
  DRAGOMAN_ASSIGN(std::string reduction, ScatterReduction(op));
  DRAGOMAN_ASSIGN(std::string indices, Indices(op, 1, axis));
  DRAGOMAN_ASSIGN(const Shape data, op.shape(0));
  DRAGOMAN_ASSIGN(const Shape sizes, op.shape(1));
  const std::string updates = CastTo(op, 2, sizes);
  if (!tvm::CountsAsData(data, sizes, axis)) {
    DRAGOMAN_ASSIGN(const std::string tuples, TuplesOf(op, indices, sizes, axis));
    return One(fmt::format("R.scatter_nd({}, {}, {}, reduction=\"{}\")", op.arg(0), tuples, updates,
                           reduction));
  }
  return One(fmt::format("R.scatter_elements({}, {}, {}, axis={}, reduction=\"{}\")", op.arg(0),
                         indices, updates, axis, reduction));
}

Expressions EmitScatterNd(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::string reduction, ScatterReduction(op));
  DRAGOMAN_ASSIGN(std::string indices, IndexTuples(op, 1, 0));
  DRAGOMAN_ASSIGN(const Shape data, op.shape(0));
  DRAGOMAN_ASSIGN(Shape sizes, op.shape(1));
  const Dim depth = sizes.back();
  sizes.pop_back();
  if (depth.known()) sizes.insert(sizes.end(), data.begin() + depth.value(), data.end());
  const std::string updates = depth.known() ? CastTo(op, 2, std::move(sizes)) : op.arg(2);
  return One(fmt::format("R.scatter_nd({}, {}, {}, reduction=\"{}\")", op.arg(0), indices, updates,
                         reduction));
}

// The first operand as what TVM puts into order.
std::string Ordered(RelaxOp& op) {
  const std::string x = op.ArgAs(0, tvm::OrderedAs(op.dtype()));
  if (op.dtype() != DType::kU64) return x;
  return op.Do("bitwise_xor", x, "R.const(-9223372036854775808, \"int64\")");
}

// All elements along `axis` in order, and their places.
std::vector<std::string> InOrder(RelaxOp& op, std::int64_t axis) {
  const std::string places =
      op.BindPlain(fmt::format("R.argsort({}, axis={}, descending={}, dtype=\"int64\")",
                               Ordered(op), axis, op.Int("largest") != 0 ? "True" : "False"));
  return {fmt::format("R.gather_elements({}, {}, axis={})", op.arg(0), places, axis), places};
}

// Of a number of elements that run time knows, or of 0, which Relax takes for that of all: all are
// put in order, and the first of them taken.
Expressions EmitTopK(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::int64_t axis, op.Axis("axis"));
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const auto known = op.inference.KnownInts(op.node.operand(1));
  if (known && known->front() > 0) {
    const std::string both = op.BindPlain(
        fmt::format("R.topk({}, k={}, axis={}, ret_type=\"both\", largest={}, dtype=\"int64\")",
                    Ordered(op), known->front(), axis, op.Int("largest") != 0 ? "True" : "False"));
    if (op.dtype() == tvm::OrderedAs(op.dtype())) return std::vector{both + "[0]", both + "[1]"};
    const std::string places = op.BindPlain(both + "[1]");
    return std::vector{fmt::format("R.gather_elements({}, {}, axis={})", op.arg(0), places, axis),
                       places};
  }
  std::vector<std::string> results = InOrder(op, axis);
  const std::size_t first = op.node.result(0) != nullptr ? 0 : 1;
  DRAGOMAN_ASSIGN(Shape result, op.result_shape(first));
  if (result[static_cast<std::size_t>(axis)] == shape[static_cast<std::size_t>(axis)])
    return results;
  results[0] = op.BindPlain(results[0]);
  const std::string wanted = op.Do("reshape", op.arg(1), "R.shape([])");
  DRAGOMAN_ASSIGN(std::string count, NameSize(op, wanted, result[static_cast<std::size_t>(axis)]));
  const std::string places = Places(op, count);
  for (std::string& part : results)
    part = fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", part, places, axis);
  return results;
}

// The indices compared with 0, 1, … along a new axis, which chooses between the two values.
Expressions EmitOneHot(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape result, op.result_shape());
  const auto rank = static_cast<std::int64_t>(result.size());
  std::int64_t axis = op.Int("axis");
  if (axis < 0) axis += rank;
  const Dim& depth = result[static_cast<std::size_t>(axis)];
  const std::string wanted = op.Do("reshape", AsInt64(op, 1), "R.shape([])");
  DRAGOMAN_ASSIGN(std::string count, NameSize(op, wanted, depth));
  const std::string whole = op.dtype() == DType::kI64 ? op.arg(0)
                                                      : op.bind(Cast(op.arg(0), DType::kI64),
                                                                op.type().WithDType(DType::kI64));
  const std::string raised = Raised(op, whole, op.type().WithDType(DType::kI64),
                                    depth.known() ? Int64Const(depth.value()) : wanted);
  const std::string wide = op.BindPlain(fmt::format("R.expand_dims({}, axis=[{}])", raised, axis));
  Shape row(result.size(), Dim(1));
  row[static_cast<std::size_t>(axis)] = depth;
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(row));
  const std::string aligned = op.Do("reshape", Places(op, count), sizes);
  const std::string hit = op.bind(fmt::format("R.equal({}, {})", wide, aligned),
                                  op.result_type().WithDType(DType::kBool));
  auto value = [&](int i) {
    return op.BindPlain(
        fmt::format("R.take({}, {}, axis=0, mode=\"fast\")", op.arg(2), ConstOf(i, DType::kI64)));
  };
  const std::string off = value(0);
  return One(fmt::format("R.where({}, {}, {})", hit, value(1), off));
}

// The number of elements found is a size known only at run time: match_cast names it.
Expressions EmitNonZero(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  if (shape.empty()) return op.Refuse("a scalar");
  DRAGOMAN_TRY(op.declare(op.result_type()));
  const std::string found = op.BindPlain(fmt::format("R.nonzero({})", op.arg(0)));
  return One(fmt::format("R.match_cast({}, {})", found, TypeText(op.result_type(), op.symbols)));
}

Expressions EmitCompress(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape result, op.result_shape());
  const bool flat = op.node.attribute("axis") == nullptr;
  std::int64_t axis = 0;
  std::string data = op.arg(0);
  if (flat) {
    data = op.BindPlain(fmt::format("R.flatten({})", data));
  } else {
    DRAGOMAN_ASSIGN(axis, op.Axis("axis"));
  }
  const Dim& count = result[static_cast<std::size_t>(axis)];
  const Type found = Type::Tensor(DType::kI64, Shape{Dim(1), count});
  DRAGOMAN_TRY(op.declare(found));
  const std::string places = op.BindPlain(fmt::format("R.nonzero({})", op.arg(1)));
  const std::string cast =
      op.bind(fmt::format("R.match_cast({}, {})", places, TypeText(found, op.symbols)), found);
  const std::string list = op.BindPlain(fmt::format("R.squeeze({}, axis=[0])", cast));
  return One(fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", data, list, axis));
}

// Both axes as one, of which the places are taken in order.
Expressions ReverseByIndex(RelaxOp& op, bool time_first) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  Shape merged(shape.begin() + 1, shape.end());
  merged.front() = shape[0] * shape[1];
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(merged));
  const auto places = [&](int axis, bool first) -> Result<std::string> {
    const std::optional<std::string> count =
        DimText(shape[static_cast<std::size_t>(axis)], op.symbols);
    if (!count) return op.Refuse("a size is known at run time only");
    return op.Do("expand_dims", Places(op, *count), first ? "axis=[1]" : "axis=[0]");
  };
  DRAGOMAN_ASSIGN(const std::string steps, places(time_first ? 0 : 1, time_first));
  DRAGOMAN_ASSIGN(const std::string rows, places(time_first ? 1 : 0, !time_first));
  const std::string lengths =
      op.Do("expand_dims", AsInt64(op, 1), time_first ? "axis=[0]" : "axis=[1]");
  const std::string last = op.Do("subtract", lengths, Int64Const(1));
  const std::string from =
      op.Do("where", op.Do("less", steps, lengths), op.Do("subtract", last, steps),
            op.Do("add", steps, op.Do("zeros_like", lengths)));
  const std::string width = SizeOf(op, 0, shape[1], 1);
  const std::string& major = time_first ? from : rows;
  const std::string& minor = time_first ? rows : from;
  const std::string flat = op.Do("add", op.Do("multiply", major, width), minor);
  return One(fmt::format("R.take({}, {}, axis=0, mode=\"fast\")",
                         op.Do("reshape", op.arg(0), sizes), flat));
}

Expressions EmitReverseSequence(RelaxOp& op) {
  const std::int64_t batch = op.Int("batch_axis");
  const std::int64_t time = op.Int("time_axis");
  if (op.release < Release::k026) return ReverseByIndex(op, time == 0);
  return One(fmt::format("R.reverse_sequence({}, {}, seq_axis={}, batch_axis={})", op.arg(0),
                         op.arg(1), time, batch));
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
      {"TopK", EmitTopK},
  };
  return kRows;
}

}  // namespace dragoman::relax
