// SPDX-License-Identifier: Apache-2.0
// Operators of detection models.
#include "codegen/relax/ops/op_rows.h"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codegen/relax/ops/runtime_sizes.h"
#include "codegen/tvm/suppression.h"

namespace dragoman::relax {
namespace {

// Relax's max takes the greatest sample, ONNX's the greatest of all weighted neighbours. `aligned`
// lets regions be smaller than an element of the image; to move them by half of one is left to the
// caller.
Expressions EmitRoiAlign(RelaxOp& op) {
  if (op.String("mode", "avg") != "avg") return op.Refuse("the maximum over weighted neighbours");
  const std::string image =
      op.BindPlain(fmt::format("R.expand_dims({}, axis=[1])", op.ArgAs(2, op.dtype(1))));
  const bool half = op.String("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  double scale = op.Float("spatial_scale");
  std::string boxes = op.arg(1);
  if (half) {
    if (scale != 1) boxes = op.Do("multiply", boxes, op.Const(scale, 1));
    boxes = op.Do("subtract", boxes, op.Const(0.5, 1));
    scale = 1;
  }
  const std::string rois = op.BindPlain(fmt::format("R.concat(({}, {}), axis=1)", image, boxes));
  const std::int64_t samples = op.Int("sampling_ratio");
  return One(fmt::format(
      "R.vision.roi_align({}, {}, pooled_size=[{}, {}], spatial_scale={}, sample_ratio={}, "
      "aligned={}, layout=\"NCHW\", mode=\"avg\")",
      op.arg(0), rois, op.Int("output_height"), op.Int("output_width"), PythonFloat(scale, false),
      samples == 0 ? -1 : samples, half ? "True" : "False"));
}

// To the nearest integer, halves away from zero. Not the floor of a sum, which is rounded: up to 1
// below 1/2.
std::string RoundHalvesAway(RelaxOp& op, const std::string& x) {
  const std::string size = op.Do("abs", x);
  const std::string whole = op.Do("floor", size);
  const std::string up = op.Do("greater_equal", op.Do("subtract", size, whole), op.Const(0.5, 1));
  return op.Do("multiply", op.Do("sign", x),
               op.Do("where", up, op.Do("add", whole, op.Const(1, 1)), whole));
}

// Corners are rounded before, halves away from zero: TVM rounds them to even numbers.
Expressions EmitMaxRoiPool(RelaxOp& op) {
  const std::vector<std::int64_t> sizes = op.Ints("pooled_shape");
  const auto columns = [&](std::int64_t begin, std::int64_t end) {
    return op.BindPlain(fmt::format(
        "R.strided_slice({}, axes=[1], begin=[{}], end=[{}], strides=[1], assume_inbound=False)",
        op.arg(1), begin, end));
  };
  const double scale = op.Float("spatial_scale");
  std::string corners = columns(1, 5);
  if (scale != 1) corners = op.Do("multiply", corners, op.Const(scale, 1));
  const std::string rois = op.BindPlain(
      fmt::format("R.concat(({}, {}), axis=1)", columns(0, 1), RoundHalvesAway(op, corners)));
  return One(
      fmt::format("R.vision.roi_pool({}, {}, pooled_size={}, spatial_scale=1.0, layout=\"NCHW\")",
                  op.arg(0), rois, ListText(sizes)));
}

// An optional operand of one element as a 0-d tensor.
std::string ScalarOr(RelaxOp& op, std::size_t i, const std::string& otherwise) {
  if (i >= op.node.num_operands() || !op.has(i)) return otherwise;
  const Shape* shape = op.type(i).shape();
  if (shape != nullptr && shape->empty()) return op.arg(i);
  return op.Do("reshape", op.arg(i), "R.shape([])");
}

// Centres and sizes as corners.
std::string Corners(RelaxOp& op) {
  const std::string parts =
      op.BindPlain(fmt::format("R.split({}, indices_or_sections=[1, 2, 3], axis=2)", op.arg(0)));
  const auto part = [&](int i) { return fmt::format("{}[{}]", parts, i); };
  const std::string x = op.BindPlain(part(0)), y = op.BindPlain(part(1));
  const std::string width = op.Do("divide", op.BindPlain(part(2)), op.Const(2));
  const std::string height = op.Do("divide", op.BindPlain(part(3)), op.Const(2));
  return op.BindPlain(fmt::format("R.concat(({}, {}, {}, {}), axis=2)",
                                  op.Do("subtract", y, height), op.Do("subtract", x, width),
                                  op.Do("add", y, height), op.Do("add", x, width)));
}

// How many boxes of a class are chosen at most: TVM takes it from a constant only.
Result<std::optional<std::int64_t>> KnownLimit(const RelaxOp& op) {
  if (op.node.num_operands() < 3 || !op.has(2)) return std::optional<std::int64_t>(0);
  const std::optional<std::vector<std::int64_t>> known = op.inference.KnownInts(op.node.operand(2));
  if (known && known->size() == 1) return std::optional(known->front());
  return std::optional<std::int64_t>();
}

// Of rows that come class by class, the first `limit` of each.
Result<std::string> FirstOfEachClass(RelaxOp& op, std::string rows, const std::string& limit) {
  DRAGOMAN_ASSIGN(const Shape scores, op.shape(1));
  DRAGOMAN_ASSIGN(const std::string classes, op.ShapeValue({scores[0] * scores[1]}));
  const Dim all = Dim::Symbol(op.node.result(0)->name() + ".all");
  const Type sized = Type::Tensor(DType::kI64, Shape{all, Dim(3)});
  DRAGOMAN_TRY(op.declare(sized));
  rows = op.BindPlain(fmt::format("R.match_cast({}, {})", rows, TypeText(sized, op.symbols)));
  const auto column = [&](int i) {
    return op.BindPlain(fmt::format("R.take({}, {}, axis=1, mode=\"fast\")", rows, Int64Const(i)));
  };
  DRAGOMAN_ASSIGN(const std::string width, op.ShapeValue({scores[1]}));
  const std::string per_image = op.Do("reshape", op.Do("shape_to_tensor", width), "R.shape([])");
  const std::string key = op.Do("add", op.Do("multiply", column(0), per_image), column(1));
  const std::string ones = op.Do("ones_like", key);
  const std::string counts =
      op.BindPlain(fmt::format("R.scatter_elements(R.zeros({}, dtype=\"int64\"), {}, {}, axis=0, "
                               "reduction=\"add\")",
                               classes, key, ones));
  const auto sums = [&](const std::string& x) {
    const std::string sum =
        op.BindPlain(fmt::format("R.cumsum({}, axis=0, dtype=\"int64\", exclusive=False)", x));
    return op.Do("subtract", sum, x);
  };
  const std::string begins =
      op.BindPlain(fmt::format("R.take({}, {}, axis=0, mode=\"fast\")", sums(counts), key));
  const std::string is_first = op.Do("less", op.Do("subtract", sums(ones), begins), limit);
  const Type places = Type::Tensor(DType::kI64, Shape{Dim(1), (*op.result_type().shape())[0]});
  const std::string found = op.BindPlain(fmt::format(
      "R.match_cast({}, {})", op.Do("nonzero", is_first), TypeText(places, op.symbols)));
  return fmt::format("R.take({}, R.squeeze({}, axis=[0]), axis=0, mode=\"fast\")", rows, found);
}

// The overlap that suppresses a box: TVM asks whether one reaches it, and finds no box below 0.
std::string LeastOverlap(RelaxOp& op) {
  if (op.node.num_operands() < 4 || !op.has(3)) return op.Const(tvm::kLeastOverlap);
  if (const Tensor* known = op.node.operand(3)->tensor())
    return op.Const(tvm::LeastOverlapAbove(known->FloatAt(0)));
  const std::string overlap = ScalarOr(op, 3, "");
  const std::string above = op.Do("add", overlap, op.Do("multiply", overlap, op.Const(tvm::kStep)));
  return op.Do("maximum", above, op.Const(tvm::kLeastOverlap));
}

struct Scores {
  std::string scores, least;
};

// TVM takes a score that is not positive for that of a box that was suppressed: in the place of
// scores that need not be positive stand their ranks.
Scores PositiveScores(RelaxOp& op) {
  const bool has_least = op.node.num_operands() > 4 && op.has(4);
  const Tensor* known = has_least ? op.node.operand(4)->tensor() : nullptr;
  if (known != nullptr && known->FloatAt(0) >= 0) return {op.arg(1), op.Const(known->FloatAt(0))};
  const auto order = [&](const std::string& x, const char* descending) {
    return op.BindPlain(
        fmt::format("R.argsort({}, axis=-1, descending={}, dtype=\"int32\")", x, descending));
  };
  const std::string rank =
      op.Astype(order(order(op.arg(1), "True"), "False"), DType::kI32, DType::kF32);
  std::string positive = op.Do("subtract", op.Const(tvm::kMostBoxes), rank);
  if (has_least) {
    const std::string counts = op.Do("greater", op.arg(1), ScalarOr(op, 4, ""));
    positive = op.Do("where", counts, positive, op.Const(0));
  }
  return {std::move(positive), op.Const(0)};
}

// The number of boxes that are chosen is a size that run time knows. TVM gives as many rows as
// there might be, and how many of them count.
Expressions EmitNonMaxSuppression(RelaxOp& op) {
  if (op.dtype() != DType::kF32) return op.Refuse("boxes of another element type than f32");
  DRAGOMAN_ASSIGN(const Shape sizes, op.shape(0));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> known, KnownLimit(op));
  if (!known && !sizes[1].known()) return op.Refuse("a limit that is known at run time only");
  const std::string boxes = op.Int("center_point_box") != 0 ? Corners(op) : op.arg(0);
  DRAGOMAN_TRY(op.declare(op.result_type()));
  const std::string result = TypeText(op.result_type(), op.symbols);
  if (known && *known <= 0) {
    return One(fmt::format("R.match_cast(R.zeros(R.shape([0, 3]), dtype=\"int64\"), {})", result));
  }
  const Scores scores = PositiveScores(op);
  const std::string both = op.BindPlain(fmt::format(
      "R.vision.all_class_non_max_suppression({}, {}, {}, {}, {}, output_format=\"onnx\")", boxes,
      scores.scores, Int64Const(known ? *known : sizes[1].value()), LeastOverlap(op),
      scores.least));
  const std::string end =
      op.BindPlain(fmt::format("R.concat(({}[1], R.const([3], \"int64\")), axis=0)", both));
  const std::string rows =
      op.BindPlain(fmt::format("R.dynamic_strided_slice({}[0], R.const([0, 0], \"int64\"), {}, "
                               "R.const([1, 1], \"int64\"))",
                               both, end));
  if (known) return One(fmt::format("R.match_cast({}, {})", rows, result));
  DRAGOMAN_ASSIGN(std::string first, FirstOfEachClass(op, rows, ScalarOr(op, 2, "")));
  return One(std::move(first));
}

}  // namespace

std::span<const Row> VisionRows() {
  static constexpr Row kRows[] = {
      {"MaxRoiPool", EmitMaxRoiPool},
      {"NonMaxSuppression", EmitNonMaxSuppression},
      {"RoiAlign", EmitRoiAlign},
  };
  return kRows;
}

}  // namespace dragoman::relax
