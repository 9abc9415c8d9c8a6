// Operators of detection models.
#include <limits>

#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"
#include "codegen/relax/ops/runtime_sizes.h"

namespace dragoman::relax {

// Relax's max takes the greatest sample, ONNX's the greatest of all weighted neighbours.
Expressions EmitRoiAlign(RelaxOp& op) {
  if (op.String("mode", "avg") != "avg") return op.Refuse("the maximum over weighted neighbours");
  const std::string image =
      op.BindPlain(fmt::format("R.expand_dims({}, axis=[1])", op.ArgAs(2, op.dtype(1))));
  const std::string rois =
      op.BindPlain(fmt::format("R.concat(({}, {}), axis=1)", image, op.arg(1)));
  const std::int64_t samples = op.Int("sampling_ratio", 0);
  const bool half = op.String("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  return One(fmt::format(
      "R.vision.roi_align({}, {}, pooled_size=[{}, {}], spatial_scale={}, sample_ratio={}, "
      "aligned={}, layout=\"NCHW\", mode=\"avg\")",
      op.arg(0), rois, op.Int("output_height", 1), op.Int("output_width", 1),
      PythonFloat(op.Float("spatial_scale", 1), false), samples == 0 ? -1 : samples,
      half ? "True" : "False"));
}

namespace {

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

}  // namespace

// The number of boxes that are chosen is a size that run time knows.
Expressions EmitNonMaxSuppression(RelaxOp& op) {
  if (op.dtype() != DType::kF32) return op.Refuse("boxes of another element type than f32");
  const std::string boxes = op.Int("center_point_box", 0) != 0 ? Corners(op) : op.arg(0);
  const std::string limit = ScalarOr(op, 2, Int64Const(0));
  const std::string overlap = ScalarOr(op, 3, op.Const(0));
  const std::string least = ScalarOr(op, 4, op.Const(std::numeric_limits<float>::lowest()));
  DRAGOMAN_TRY(op.declare(op.result_type()));
  const std::string both = op.BindPlain(fmt::format(
      "R.vision.all_class_non_max_suppression({}, {}, {}, {}, {}, output_format=\"onnx\")", boxes,
      op.arg(1), limit, overlap, least));
  const std::string rows = op.BindPlain(both + "[0]");
  return One(fmt::format("R.match_cast({}, {})", rows, TypeText(op.result_type(), op.symbols)));
}

}  // namespace dragoman::relax
