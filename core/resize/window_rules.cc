// SPDX-License-Identifier: Apache-2.0
// Operators that compute each part along axis 0, or each line along another axis, alone.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/node_attributes.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/resize/rules.h"

namespace dragoman {
namespace {

using Axes = std::vector<std::int64_t>;

void SetAllRows(Node& node, const Rows& rows, RowTracer& tracer) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) tracer.SetRows(node.result(i), rows);
  }
}

// Errors: an operand other than the first depends on the sample, or the first does not.
Status OnlyFirstHoldsRows(Node& node, const RowTracer& tracer) {
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    const Value* value = node.operand(i);
    if (value == nullptr) continue;
    const Rows& rows = tracer.RowsOf(value);
    // Sizes may be computed from the number of samples; inference judges what follows.
    const bool may_count = rows.is_count() && node.Is("Resize");
    if (i == 0 ? rows.is_axis() : rows.is_shared() || may_count) continue;
    return tracer.Refuse(node, "its operand '" + value->name() +
                                   (i == 0 ? "' does not depend on the sample, but others do"
                                           : "' depends on the sample"));
  }
  return {};
}

// Parts along axis 0 are alone, whatever else lies along it.
Status TraceFirstAxis(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(OnlyFirstHoldsRows(node, tracer));
  const Rows& rows = tracer.RowsOf(node.operand(0));
  if (rows.axis != 0) {
    return tracer.Refuse(node, "it takes samples along axis 0, but they lie along axis " +
                                   std::to_string(rows.axis));
  }
  SetAllRows(node, rows, tracer);
  return {};
}

Status TraceBatchNormalization(Node& node, RowTracer& tracer) {
  if (IntAttribute(node, "training_mode") != 0)
    return tracer.Refuse(node, "it takes means over the samples");
  return TraceFirstAxis(node, tracer);
}

// Indices count through all samples.
Status TraceMaxPool(Node& node, RowTracer& tracer) {
  if (node.result(1) != nullptr && node.result(1)->used())
    return tracer.Refuse(node, "its indices count through all samples");
  return TraceFirstAxis(node, tracer);
}

Status TraceGridSample(Node& node, RowTracer& tracer) {
  const bool by_data = tracer.RowsOf(node.operand(0)).is_axis();
  const Rows rows = tracer.RowsOf(node.operand(by_data ? 0 : 1));
  if (rows.axis != 0) return tracer.Refuse(node, "it takes samples along axis 0");
  DRAGOMAN_TRY(tracer.Align(node, 0, rows));
  DRAGOMAN_TRY(tracer.Align(node, 1, rows));
  tracer.SetRows(node.result(), rows);
  return {};
}

int AxisOf(const Node& node, const RowTracer& tracer) {
  const std::int64_t axis = IntAttribute(node, "axis");
  return static_cast<int>(axis < 0 ? axis + tracer.OldRank(node.operand(0)) : axis);
}

Status RefuseLine(const Node& node, const RowTracer& tracer) {
  return tracer.Refuse(node, "it computes along the axis of the samples");
}

// Lines along the attribute `axis`, or parts from it on, are alone.
Status TraceLines(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(OnlyFirstHoldsRows(node, tracer));
  const Rows rows = tracer.RowsOf(node.operand(0));
  const int axis = AxisOf(node, tracer);
  const bool from_axis_on = AxisUseOf(node) == AxisUse::kFromAxisOn;
  if (from_axis_on ? rows.axis >= axis : rows.axis == axis) return RefuseLine(node, tracer);
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result == nullptr) continue;
    const bool lacks_axis = tracer.OldRank(result) < tracer.OldRank(node.operand(0));
    tracer.SetRows(result, rows.Moved(rows.axis - (lacks_axis && axis < rows.axis ? 1 : 0)));
  }
  return {};
}

// Scales of the whole tensor, or by a line along `axis`.
Status TraceQuantize(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(OnlyFirstHoldsRows(node, tracer));
  const Rows& rows = tracer.RowsOf(node.operand(0));
  const Shape* scales = tracer.OldShape(node.operand(1));
  if (scales == nullptr || IntAttribute(node, "block_size") != 0)
    return tracer.Refuse(node, "its scales are given by blocks");
  const bool one = std::ranges::all_of(*scales, [](const Dim& size) { return size == Dim(1); });
  if (!one && AxisOf(node, tracer) == rows.axis) return RefuseLine(node, tracer);
  tracer.SetRows(node.result(), rows);
  return {};
}

// The operand `i`, or the attribute, that says along which axis a node computes.
Status TraceAlongOperand(Node& node, std::size_t i, std::int64_t absent, RowTracer& tracer) {
  DRAGOMAN_TRY(OnlyFirstHoldsRows(node, tracer));
  const Rows& rows = tracer.RowsOf(node.operand(0));
  const auto axis = node.operand(i) != nullptr
                        ? tracer.context().inference.KnownInts(node.operand(i))
                        : Axes{absent};
  if (!axis || axis->size() != 1) return tracer.Refuse(node, "its axis is not known");
  const int rank = tracer.OldRank(node.operand(0));
  if ((axis->front() < 0 ? axis->front() + rank : axis->front()) == rows.axis)
    return RefuseLine(node, tracer);
  tracer.SetRows(node.result(), rows);
  return {};
}

Status TraceCumSum(Node& node, RowTracer& tracer) { return TraceAlongOperand(node, 1, 0, tracer); }
Status TraceDft(Node& node, RowTracer& tracer) { return TraceAlongOperand(node, 2, -2, tracer); }

// Matrices in the last two axes are alone.
Status TraceLastTwo(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(OnlyFirstHoldsRows(node, tracer));
  const Rows& rows = tracer.RowsOf(node.operand(0));
  if (rows.axis >= tracer.OldRank(node.operand(0)) - 2) return RefuseLine(node, tracer);
  SetAllRows(node, rows, tracer);
  return {};
}

// Over all axes but that of the samples, and then in the shape that the result has.
Status ReduceEach(Node& node, Axes axes, const Rows& rows, RowTracer& tracer) {
  std::erase(axes, rows.axis);
  if (axes.empty() || !rows.alone() || !tracer.single())
    return tracer.Refuse(node, "it reduces over the samples");
  Shape kept = *tracer.OldShape(node.operand(0));
  for (const std::int64_t axis : axes) kept[static_cast<std::size_t>(axis)] = Dim(1);
  DRAGOMAN_ASSIGN(Value * reduced,
                  tracer.Insert(node, node.op().type, {node.operand(0), tracer.Ints(node, axes)},
                                {{"keepdims", std::int64_t{1}}}, kept, rows));
  node.set_op(FindOp("Reshape")->name);
  node.attributes().clear();
  while (node.num_operands() > 0) node.RemoveTrailingOperand();
  node.AddOperand(reduced);
  Axes sizes;
  for (const Dim& size : *tracer.OldShape(node.result()))
    sizes.push_back(size.known() ? size.value() : -1);
  node.AddOperand(tracer.Ints(node, sizes));
  return TraceReshapedRows(node, tracer);
}

Status TraceReduce(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(OnlyFirstHoldsRows(node, tracer));
  const Rows rows = tracer.RowsOf(node.operand(0));
  const int rank = tracer.OldRank(node.operand(0));
  auto axes = node.operand(1) != nullptr ? tracer.context().inference.KnownInts(node.operand(1))
                                         : std::optional(Axes());
  if (!axes) return tracer.Refuse(node, "its axes are not known");
  if (axes->empty() && IntAttribute(node, "noop_with_empty_axes") != 0) {
    tracer.SetRows(node.result(), rows);
    return {};
  }
  for (std::int64_t& axis : *axes) axis += axis < 0 ? rank : 0;
  for (int i = 0; i < rank && node.operand(1) == nullptr; ++i) axes->push_back(i);
  if (std::ranges::count(*axes, rows.axis) > 0) return ReduceEach(node, *axes, rows, tracer);
  const bool keeps = IntAttribute(node, "keepdims") != 0;
  const auto before = std::ranges::count_if(*axes, [&](auto axis) { return axis < rows.axis; });
  tracer.SetRows(node.result(), rows.Moved(rows.axis - (keeps ? 0 : static_cast<int>(before))));
  return {};
}

Status TraceMeanVariance(Node& node, RowTracer& tracer) {
  const Rows& rows = tracer.RowsOf(node.operand(0));
  const Axes* said = IntsAttribute(node, "axes");
  const Axes axes = said != nullptr ? *said : Axes{0, 2, 3};
  const int rank = tracer.OldRank(node.operand(0));
  for (const std::int64_t axis : axes) {
    if ((axis < 0 ? axis + rank : axis) == rows.axis) return RefuseLine(node, tracer);
  }
  tracer.SetRows(node.result(), rows);
  return {};
}

// The size of the samples' axis stays.
Status TraceResize(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(OnlyFirstHoldsRows(node, tracer));
  const Rows rows = tracer.RowsOf(node.operand(0));
  const auto axis = static_cast<std::size_t>(rows.axis);
  tracer.SetRows(node.result(), rows);
  const Dim& size = (*tracer.OldShape(node.operand(0)))[axis];
  if ((*tracer.OldShape(node.result()))[axis] != size) return RefuseLine(node, tracer);
  if (node.operand(3) == nullptr || tracer.InfersAsExpected(node)) return {};
  const auto sizes = tracer.context().inference.KnownInts(node.operand(3));
  const int rank = tracer.OldRank(node.operand(0));
  if (!sizes || IntsAttribute(node, "axes") != nullptr || static_cast<int>(sizes->size()) != rank)
    return tracer.Refuse(node, "its sizes are not known");
  Axes others;
  Axes kept = *sizes;
  for (int i = 0; i < rank; ++i) {
    if (i != rows.axis) others.push_back(i);
  }
  kept.erase(kept.begin() + rows.axis);
  node.SetAttribute("axes", others);
  return tracer.SetInts(node, 3, kept);
}

// Steps along an axis, samples along another.
Status TraceRecurrent(Node& node, RowTracer& tracer) {
  const bool samples_first = IntAttribute(node, "layout") != 0;
  const int of_x = samples_first ? 0 : 1;
  Rows rows = tracer.RowsOf(node.operand(0));
  constexpr std::size_t kLengths = 4;
  constexpr std::size_t kFirstState = 5;
  constexpr std::size_t kSecondState = 6;
  if (!rows.is_axis()) {
    const Rows& state = tracer.RowsOf(node.operand(kFirstState));
    if (!state.is_axis()) return tracer.Refuse(node, "its steps do not depend on the sample");
    rows = state.Moved(of_x);
    DRAGOMAN_TRY(tracer.Align(node, 0, rows));
  }
  if (rows.axis != of_x) {
    return tracer.Refuse(node, "it takes samples along axis " + std::to_string(of_x) +
                                   ", but they lie along axis " + std::to_string(rows.axis));
  }
  for (std::size_t i = 1; i < node.num_operands(); ++i) {
    if (node.operand(i) == nullptr) continue;
    const bool is_state = i == kFirstState || (i == kSecondState && node.op().type == "LSTM");
    if (i == kLengths || is_state) {
      DRAGOMAN_TRY(tracer.Align(node, i, rows.Moved(i == kLengths ? 0 : of_x)));
    } else if (!tracer.RowsOf(node.operand(i)).is_shared()) {
      return tracer.Refuse(node, "its weights depend on the sample");
    }
  }
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) == nullptr) continue;
    tracer.SetRows(node.result(i), rows.Moved(samples_first ? 0 : (i == 0 ? 2 : 1)));
  }
  return {};
}

// A message; no result.
Status TraceEffect(Node&, RowTracer&) { return {}; }

}  // namespace

// By name: which axis is whose, no definition says.
std::span<const RowRule> WindowRowRules() {
  static constexpr RowRule kRules[] = {
      {"ArgMax", TraceLines},
      {"ArgMin", TraceLines},
      {"AveragePool", TraceFirstAxis},
      {"BatchNormalization", TraceBatchNormalization},
      {"Conv", TraceFirstAxis},
      {"ConvInteger", TraceFirstAxis},
      {"ConvTranspose", TraceFirstAxis},
      {"CumSum", TraceCumSum},
      {"DFT", TraceDft},
      {"DepthToSpace", TraceFirstAxis},
      {"DequantizeLinear", TraceQuantize},
      {"Det", TraceLastTwo},
      {"GRU", TraceRecurrent},
      {"GlobalAveragePool", TraceFirstAxis},
      {"GlobalLpPool", TraceFirstAxis},
      {"GlobalMaxPool", TraceFirstAxis},
      {"GridSample", TraceGridSample},
      {"GroupNormalization", TraceFirstAxis},
      {"Hardmax", TraceLines},
      {"InstanceNormalization", TraceFirstAxis},
      {"LRN", TraceFirstAxis},
      {"LSTM", TraceRecurrent},
      {"LayerNormalization", TraceLines},
      {"LogSoftmax", TraceLines},
      {"LpNormalization", TraceLines},
      {"LpPool", TraceFirstAxis},
      {"MaxPool", TraceMaxPool},
      {"MeanVarianceNormalization", TraceMeanVariance},
      {"QLinearConv", TraceFirstAxis},
      {"QuantizeLinear", TraceQuantize},
      {"RMSNormalization", TraceLines},
      {"RNN", TraceRecurrent},
      {"ReduceL1", TraceReduce},
      {"ReduceL2", TraceReduce},
      {"ReduceLogSum", TraceReduce},
      {"ReduceLogSumExp", TraceReduce},
      {"ReduceMax", TraceReduce},
      {"ReduceMean", TraceReduce},
      {"ReduceMin", TraceReduce},
      {"ReduceProd", TraceReduce},
      {"ReduceSum", TraceReduce},
      {"ReduceSumSquare", TraceReduce},
      {"Resize", TraceResize},
      {"Softmax", TraceLines},
      {"SpaceToDepth", TraceFirstAxis},
      {"TopK", TraceLines},
      {"Trilu", TraceLastTwo},
      {"dragoman.LSTM", TraceRecurrent},
      {"dragoman.Print", TraceEffect},
      {"dragoman.TreeEnsemble", TraceFirstAxis},
  };
  return kRules;
}

}  // namespace dragoman
