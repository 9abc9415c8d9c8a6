// SPDX-License-Identifier: Apache-2.0
// Normalisations, in inference.
#include "codegen/relax/ops/op_rows.h"

#include <fmt/format.h>

#include "core/ir/wide_float.h"

namespace dragoman::relax {
namespace {

std::string Epsilon(const RelaxOp& op) { return op.FloatArgument(op.Float("epsilon")); }

std::vector<std::int64_t> AxesFrom(std::int64_t first, std::size_t rank) {
  std::vector<std::int64_t> axes;
  for (auto i = first; i < static_cast<std::int64_t>(rank); ++i) axes.push_back(i);
  return axes;
}

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

// x less its mean if `centres`, over the root of the mean of its squares; those of halves, which
// need not fit one, are taken in float32.
std::string Unit(RelaxOp& op, const std::vector<std::int64_t>& axes, bool centres) {
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
  if (centres) x = op.Do("subtract", x, mean(x));
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
    std::vector<std::int64_t> axes = AxesFrom(1, shape.size());
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
  const std::vector<std::int64_t> axes = AxesFrom(2, shape.size());
  const std::string scale = PerChannel(op, 1, axes.size());
  const std::string scaled =
      op.BindLike(fmt::format("R.multiply({}, {})", Unit(op, axes, true), scale));
  return One(fmt::format("R.add({}, {})", scaled, PerChannel(op, 2, axes.size())));
}

Expressions EmitGroupNormalization(RelaxOp& op) {
  DRAGOMAN_TRY(CheckVectors(op, 3));
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  return One(
      fmt::format("R.nn.group_norm({}, {}, {}, num_groups={}, channel_axis=1, axes={}, epsilon={}, "
                  "center=True, scale=True)",
                  op.arg(0), op.arg(1), op.arg(2), op.Int("num_groups"),
                  ListText(AxesFrom(2, shape.size())), Epsilon(op)));
}

// Whether scale and bias have exactly the sizes that are normalised, as Relax demands.
Result<bool> HasPlainAffine(const RelaxOp& op, std::int64_t axis) {
  DRAGOMAN_TRY(op.EqualElementTypes());
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const Shape wanted(shape.begin() + axis, shape.end());
  for (std::size_t i = 1; i < op.node.num_operands(); ++i) {
    if (!op.has(i)) continue;
    DRAGOMAN_ASSIGN(Shape given, op.shape(i));
    if (given != wanted) return false;
  }
  return true;
}

// `unit` times the scale plus the bias, whatever sizes they have.
std::string WithAffine(RelaxOp& op, const std::string& unit) {
  const std::string scaled = fmt::format("R.multiply({}, {})", unit, op.arg(1));
  const bool has_bias = op.node.num_operands() > 2 && op.has(2);
  return has_bias ? fmt::format("R.add({}, {})", op.BindPlain(scaled), op.arg(2)) : scaled;
}

// Mean and 1 / sqrt(variance + epsilon).
Status AddStatistics(RelaxOp& op, const std::vector<std::int64_t>& axes,
                     std::vector<std::string>& expressions) {
  if (op.node.result(1) == nullptr && op.node.result(2) == nullptr) return {};
  if (op.result_type(op.node.result(1) != nullptr ? 1 : 2).dtype() != op.dtype())
    return op.Refuse("mean and deviation of another element type");
  expressions.push_back(
      fmt::format("R.mean({}, axis={}, keepdims=True)", op.arg(0), ListText(axes)));
  const std::string variance =
      op.bind(fmt::format("R.variance({}, axis={}, keepdims=True)", op.arg(0), ListText(axes)),
              Reduced(op.type(), axes));
  const std::string raised =
      op.BindPlain(fmt::format("R.add({}, {})", variance, op.Const(op.Float("epsilon"))));
  expressions.push_back(fmt::format("R.rsqrt({})", raised));
  return {};
}

Expressions EmitLayerNormalization(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::int64_t axis, op.Axis("axis"));
  const std::vector<std::int64_t> axes = AxesFrom(axis, shape.size());
  DRAGOMAN_ASSIGN(const bool plain, HasPlainAffine(op, axis));
  std::vector<std::string> expressions;
  if (plain) {
    std::string bias = op.has(2) ? op.arg(2) : "";
    if (bias.empty()) bias = op.bind(fmt::format("R.zeros_like({})", op.arg(1)), op.type(1));
    expressions.push_back(
        fmt::format("R.nn.layer_norm({}, {}, {}, axes={}, epsilon={}, center=True, scale=True)",
                    op.arg(0), op.arg(1), bias, ListText(axes), Epsilon(op)));
  } else {
    expressions.push_back(WithAffine(op, Unit(op, axes, true)));
  }
  DRAGOMAN_TRY(AddStatistics(op, axes, expressions));
  return expressions;
}

Expressions EmitRmsNormalization(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::int64_t axis, op.Axis("axis"));
  DRAGOMAN_ASSIGN(const bool plain, HasPlainAffine(op, axis));
  // TVM 0.27 does not compile R.nn.rms_norm over all axes.
  if (!plain || axis == 0)
    return One(WithAffine(op, Unit(op, AxesFrom(axis, shape.size()), false)));
  return One(fmt::format("R.nn.rms_norm({}, {}, axes={}, epsilon={})", op.arg(0), op.arg(1),
                         ListText(AxesFrom(axis, shape.size())), Epsilon(op)));
}

}  // namespace

std::span<const Row> NormalizationRows() {
  static constexpr Row kRows[] = {
      {"BatchNormalization", EmitBatchNormalization},
      {"GroupNormalization", EmitGroupNormalization},
      {"InstanceNormalization", EmitInstanceNormalization},
      {"LayerNormalization", EmitLayerNormalization},
      {"RMSNormalization", EmitRmsNormalization},
  };
  return kRows;
}

}  // namespace dragoman::relax
