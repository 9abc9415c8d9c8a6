// SPDX-License-Identifier: Apache-2.0
// Normalisations, in inference.
#include "codegen/relax/ops/op_rows.h"

#include <fmt/format.h>

#include "core/ir/axes.h"
#include "core/ir/wide_float.h"
#include "core/ops/declared_attributes.h"

namespace dragoman::relax {
namespace {

std::string Epsilon(const RelaxOp& op) { return op.FloatArgument(op.Float("epsilon")); }

Type Reduced(const Type& type, const std::vector<std::int64_t>& axes) {
  Shape shape = *type.shape();
  for (std::int64_t axis : axes) shape[static_cast<std::size_t>(axis)] = Dim(1);
  return type.WithShape(std::move(shape));
}

// A vector over channels as (C, 1, …).
std::string PerChannel(RelaxOp& op, std::size_t i, std::size_t spatial) {
  std::vector<std::int64_t> axes = AxesFrom(1, spatial + 1);
  if (axes.empty()) return op.arg(i);
  return op.BindPlain(fmt::format("R.expand_dims({}, axis={})", op.arg(i), ListText(axes)));
}

// Every operand after the first is a vector over channels.
Status CheckVectors(const RelaxOp& op, std::size_t lowest_rank) {
  DRAGOMAN_TRY(op.EqualElementTypes());
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  if (shape.size() < lowest_rank) return op.Refuse("an operand of so low a rank");
  for (std::size_t i = 1; i < op.node.num_operands(); ++i) {
    DRAGOMAN_ASSIGN(Shape vector, op.shape(i));
    if (vector.size() != 1) return op.Refuse("scale and bias that are not vectors");
  }
  return {};
}

// x less its mean, over the root of the mean of its squares; those of halves, which need not fit
// one, are taken in float32.
std::string Unit(RelaxOp& op, const std::vector<std::int64_t>& axes) {
  const DType wide = WideFloat(op.dtype());
  const auto as = [&](const std::string& x, DType dtype) {
    if (wide == op.dtype()) return x;
    return op.BindPlain(fmt::format("R.astype({}, dtype=\"{}\")", x, RelaxDType(dtype)));
  };
  const auto mean = [&](const std::string& x) {
    return op.bind(fmt::format("R.mean({}, axis={}, keepdims=True)", x, ListText(axes)),
                   Reduced(op.type().WithDType(wide), axes));
  };
  std::string x = as(op.arg(0), wide);
  x = op.Do("subtract", x, mean(x));
  const std::string square = mean(op.Do("multiply", x, x));
  const std::string raised = op.Do("add", square, ConstOf(op.Float("epsilon"), wide));
  return as(op.Do("divide", x, op.Do("sqrt", raised)), op.dtype());
}

// (x - mean) / sqrt(variance + epsilon) * scale + bias, of vectors over channels.
std::string ByMoments(RelaxOp& op, const std::string& mean, const std::string& variance,
                      std::size_t spatial) {
  const std::vector<std::int64_t> axes = AxesFrom(1, spatial + 1);
  const auto aligned = [&](const std::string& vector) {
    return axes.empty()
               ? vector
               : op.BindPlain(fmt::format("R.expand_dims({}, axis={})", vector, ListText(axes)));
  };
  const std::string centred = op.Do("subtract", op.arg(0), aligned(mean));
  const std::string raised = op.Do("add", aligned(variance), op.Const(op.Float("epsilon")));
  const std::string unit = op.Do("divide", centred, op.Do("sqrt", raised));
  return fmt::format("R.add({}, {})", op.Do("multiply", unit, aligned(op.arg(1))),
                     aligned(op.arg(2)));
}

// In training mode by the moments of the batch, with which the given ones are blended. Releases
// before 0.21 have no word for inference: what they compute depends on how the module is lowered.
Expressions EmitBatchNormalization(RelaxOp& op) {
  DRAGOMAN_TRY(CheckVectors(op, 2));
  const bool trains = op.Int("training_mode") != 0;
  const float momentum = op.Float("momentum");
  std::string mean = op.arg(3), variance = op.arg(4);
  std::vector<std::string> results = {""};
  if (trains) {
    DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
    std::vector<std::int64_t> axes = AxesFrom(1, std::ssize(shape));
    axes.front() = 0;
    const auto moment = [&](std::string_view function, const std::string& given) {
      const std::string of_batch = op.BindPlain(
          fmt::format("R.{}({}, axis={}, keepdims=False)", function, op.arg(0), ListText(axes)));
      results.push_back(fmt::format("R.add({}, {})", op.Do("multiply", given, op.Const(momentum)),
                                    op.Do("multiply", of_batch, op.Const(1.0f - momentum))));
      return of_batch;
    };
    mean = moment("mean", mean);
    variance = moment("variance", variance);
  }
  if (op.release < Release::k021) {
    DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
    results.front() = ByMoments(op, mean, variance, shape.size() - 2);
    return results;
  }
  const std::string all = op.BindPlain(fmt::format(
      "R.nn.batch_norm({}, {}, {}, {}, {}, axis=1, epsilon={}, center=True, scale=True, "
      "momentum={}, training=False)",
      op.arg(0), op.arg(1), op.arg(2), mean, variance, Epsilon(op),
      PythonFloat(1.0f - momentum, false)));
  results.front() = all + "[0]";
  return results;
}

// (x - mean) / sqrt(variance + epsilon) * scale + bias
Expressions EmitInstanceNormalization(RelaxOp& op) {
  DRAGOMAN_TRY(CheckVectors(op, 3));
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::vector<std::int64_t> axes = AxesFrom(2, std::ssize(shape));
  const std::string scale = PerChannel(op, 1, axes.size());
  const std::string scaled = op.BindLike(fmt::format("R.multiply({}, {})", Unit(op, axes), scale));
  return One(fmt::format("R.add({}, {})", scaled, PerChannel(op, 2, axes.size())));
}

// TVM 0.27 compiles R.nn.layer_norm and R.nn.group_norm of no other types.
bool IsOfFloatOrHalf(const Node& node) {
  const DType dtype = node.operand(0)->type().dtype();
  return dtype == DType::kF32 || dtype == DType::kF16;
}

Expressions EmitGroupNormalization(RelaxOp& op) {
  DRAGOMAN_TRY(CheckVectors(op, 3));
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  return One(
      fmt::format("R.nn.group_norm({}, {}, {}, num_groups={}, channel_axis=1, axes={}, epsilon={}, "
                  "center=True, scale=True)",
                  op.arg(0), op.arg(1), op.arg(2), op.Int("num_groups"),
                  ListText(AxesFrom(2, std::ssize(shape))), Epsilon(op)));
}

bool TakesLayerNormalization(const Node& node) {
  return tvm::HasPlainAffine(node) && IsOfFloatOrHalf(node);
}

Expressions EmitLayerNormalization(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::int64_t axis, op.Axis("axis"));
  const std::string bias =
      op.has(2) ? op.arg(2) : op.bind(fmt::format("R.zeros_like({})", op.arg(1)), op.type(1));
  return One(fmt::format(
      "R.nn.layer_norm({}, {}, {}, axes={}, epsilon={}, center=True, scale=True)", op.arg(0),
      op.arg(1), bias, ListText(AxesFrom(axis, std::ssize(shape))), Epsilon(op)));
}

// TVM 0.27 computes R.nn.rms_norm in float32, and does not compile it over all axes.
bool TakesRmsNormalization(const Node& node) {
  const Type& x = node.operand(0)->type();
  const std::int64_t axis = IntAttribute(node, "axis");
  return tvm::HasPlainAffine(node) && axis != 0 && x.rank() != -axis && x.dtype() != DType::kF64;
}

Expressions EmitRmsNormalization(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::int64_t axis, op.Axis("axis"));
  return One(fmt::format("R.nn.rms_norm({}, {}, axes={}, epsilon={})", op.arg(0), op.arg(1),
                         ListText(AxesFrom(axis, std::ssize(shape))), Epsilon(op)));
}

}  // namespace

std::span<const Row> NormalizationRows() {
  static constexpr Row kRows[] = {
      {"BatchNormalization", EmitBatchNormalization},
      {.label = "GroupNormalization", .emit = EmitGroupNormalization, .takes = IsOfFloatOrHalf},
      {"InstanceNormalization", EmitInstanceNormalization},
      {.label = "LayerNormalization",
       .emit = EmitLayerNormalization,
       .takes = TakesLayerNormalization},
      {.label = "RMSNormalization", .emit = EmitRmsNormalization, .takes = TakesRmsNormalization},
  };
  return kRows;
}

}  // namespace dragoman::relax
