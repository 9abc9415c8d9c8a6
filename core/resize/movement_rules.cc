// SPDX-License-Identifier: Apache-2.0
// Operators whose results are elements of their operands at other places.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "core/ir/node_attributes.h"
#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/resize/rules.h"
#include "runtime/params/checked.h"

namespace dragoman {
namespace {

using Ints = std::vector<std::int64_t>;
constexpr std::int64_t kToEnd = std::numeric_limits<std::int64_t>::max();

int AxisOfNode(const Node& node, int rank) {
  return rt::WrapAxis(IntAttribute(node, "axis"), rank);
}

std::optional<Ints> IntsAt(const Node& node, std::size_t i, RowTracer& tracer) {
  return node.operand(i) != nullptr ? tracer.context().inference.KnownInts(node.operand(i))
                                    : std::nullopt;
}

// Errors: an operand from `first` on holds samples.
Status OthersAreShared(Node& node, std::size_t first, const RowTracer& tracer) {
  for (std::size_t i = first; i < node.num_operands(); ++i) {
    const Rows& rows = tracer.RowsOf(node.operand(i));
    // Bounds and sizes may be computed from the number of samples; inference judges what follows.
    const bool may_count = rows.is_count() && (node.Is("Slice") || node.Is("Tile"));
    if (node.operand(i) != nullptr && !rows.is_shared() && !may_count)
      return tracer.Refuse(node,
                           "its operand '" + node.operand(i)->name() + "' depends on the sample");
  }
  if (tracer.RowsOf(node.operand(0)).is_axis()) return {};
  return tracer.Refuse(node, "its operands, but not its data, depend on the sample");
}

Status TraceTranspose(Node& node, RowTracer& tracer) {
  const Rows& rows = tracer.RowsOf(node.operand(0));
  const int rank = tracer.OldRank(node.operand(0));
  int to = rank - 1 - rows.axis;
  if (const Ints* perm = IntsAttribute(node, "perm"))
    to = static_cast<int>(std::ranges::find(*perm, rows.axis) - perm->begin());
  tracer.SetRows(node.result(), rows.Moved(to));
  return {};
}

Status TraceExpand(Node& node, RowTracer& tracer) {
  const Rows& rows = tracer.RowsOf(node.operand(0));
  if (!rows.is_axis()) return tracer.Refuse(node, "its sizes depend on the sample");
  const int shift = tracer.OldRank(node.result()) - tracer.OldRank(node.operand(0));
  tracer.SetRows(node.result(), rows.Moved(rows.axis + shift));
  if (tracer.InfersAsExpected(node)) return {};
  std::optional<Ints> sizes = IntsAt(node, 1, tracer);
  const auto behind = static_cast<std::size_t>(tracer.OldRank(node.operand(0)) - rows.axis);
  if (!sizes || sizes->size() < behind) return tracer.Refuse(node, "its sizes are not known");
  const std::int64_t said = (*sizes)[sizes->size() - behind];
  if (Dim(said) != rows.Size(tracer.old_samples()))
    return tracer.Refuse(node, "it repeats along the axis of the samples");
  (*sizes)[sizes->size() - behind] = 1;
  return tracer.SetInts(node, 1, *sizes);
}

Status TraceTile(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(OthersAreShared(node, 1, tracer));
  const Rows& rows = tracer.RowsOf(node.operand(0));
  const std::optional<Ints> repeats = IntsAt(node, 1, tracer);
  if (!repeats) return tracer.Refuse(node, "how often it repeats is not known");
  const std::int64_t times = (*repeats)[static_cast<std::size_t>(rows.axis)];
  tracer.SetRows(node.result(), Rows::At(rows.axis, rows.outer * Dim(times), rows.inner));
  return {};
}

// The first operand that holds samples.
const Rows& FirstRows(const Node& node, const RowTracer& tracer) {
  for (const Use& use : node.operands()) {
    if (tracer.RowsOf(use.value()).is_axis()) return tracer.RowsOf(use.value());
  }
  return tracer.RowsOf(node.operand(0));
}

// Joined along the axis of the samples, groups of them follow one another.
Status TraceConcatOfRows(Node& node, const Rows& first, RowTracer& tracer) {
  Dim outer = 0;
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    const Rows& own = tracer.RowsOf(node.operand(i));
    const Dim size = (*tracer.OldShape(node.operand(i)))[static_cast<std::size_t>(first.axis)];
    if (own.is_shared()) {
      if (first.inner != Dim(1) || !tracer.single())
        return tracer.Refuse(node, "it joins samples and what is none");
      DRAGOMAN_TRY(tracer.Align(node, i, Rows::At(first.axis, size)));
      outer = outer + size;
    } else if (own.is_axis() && own.axis == first.axis && own.inner == first.inner) {
      outer = outer + own.outer;
    } else {
      return tracer.Refuse(node, "its operands hold the samples at different places");
    }
  }
  tracer.SetRows(node.result(), Rows::At(first.axis, outer, first.inner));
  return {};
}

Status TraceConcat(Node& node, RowTracer& tracer) {
  const Rows rows = FirstRows(node, tracer);
  const int axis = AxisOfNode(node, tracer.OldRank(node.result()));
  if (axis == rows.axis) return TraceConcatOfRows(node, rows, tracer);
  for (std::size_t i = 0; i < node.num_operands(); ++i) DRAGOMAN_TRY(tracer.Align(node, i, rows));
  tracer.SetRows(node.result(), rows);
  return {};
}

// Of equal parts along the axis of the samples, each takes as many groups of them.
Status TraceSplitOfRows(Node& node, const Rows& rows, RowTracer& tracer) {
  const auto axis = static_cast<std::size_t>(rows.axis);
  const auto count = static_cast<std::int64_t>(node.num_results());
  const Dim outer = FloorDiv(rows.outer, Dim(count));
  const Dim size = outer * tracer.old_samples() * rows.inner;
  bool equal = outer * Dim(count) == rows.outer;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* part = node.result(i);
    equal = equal && part != nullptr && (*tracer.OldShape(part))[axis] == size;
    if (part != nullptr) tracer.SetRows(part, Rows::At(rows.axis, outer, rows.inner));
  }
  if (!equal) return tracer.Refuse(node, "it takes samples apart");
  while (node.num_operands() > 1) node.RemoveTrailingOperand();
  node.SetAttribute("num_outputs", count);
  return {};
}

Status TraceSplit(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(OthersAreShared(node, 1, tracer));
  const Rows rows = tracer.RowsOf(node.operand(0));
  if (AxisOfNode(node, tracer.OldRank(node.operand(0))) == rows.axis)
    return TraceSplitOfRows(node, rows, tracer);
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) tracer.SetRows(node.result(i), rows);
  }
  return {};
}

// A slice of the axis of the samples takes all of it, whatever their number.
Status TraceSliceOfRows(Node& node, std::size_t entry, const Rows& rows, RowTracer& tracer) {
  const auto axis = static_cast<std::size_t>(rows.axis);
  const Dim& old_size = (*tracer.OldShape(node.operand(0)))[axis];
  std::optional<Ints> starts = IntsAt(node, 1, tracer);
  std::optional<Ints> ends = IntsAt(node, 2, tracer);
  std::optional<Ints> steps = IntsAt(node, 4, tracer);
  const bool whole = (*tracer.OldShape(node.result()))[axis] == old_size;
  const bool forward = node.operand(4) == nullptr || (steps && (*steps)[entry] == 1);
  if (!whole || !(forward || old_size == Dim(1)))
    return tracer.Refuse(node, "it takes a part of the samples");
  if (!starts || !ends || (node.operand(4) != nullptr && !steps))
    return tracer.Refuse(node, "its bounds are not known");
  const bool is_i32 = node.operand(2)->type().dtype() == DType::kI32;
  const std::int64_t end = is_i32 ? std::numeric_limits<std::int32_t>::max() : kToEnd;
  if ((*starts)[entry] != 0) {
    (*starts)[entry] = 0;
    DRAGOMAN_TRY(tracer.SetInts(node, 1, *starts));
  }
  if ((*ends)[entry] < std::numeric_limits<std::int32_t>::max()) {
    (*ends)[entry] = end;
    DRAGOMAN_TRY(tracer.SetInts(node, 2, *ends));
  }
  if (forward) return {};
  (*steps)[entry] = 1;
  return tracer.SetInts(node, 4, *steps);
}

Status TraceSlice(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(OthersAreShared(node, 1, tracer));
  const Rows rows = tracer.RowsOf(node.operand(0));
  tracer.SetRows(node.result(), rows);
  if (tracer.RowsOf(node.operand(2)).is_count() && tracer.InfersAsExpected(node)) return {};
  const int rank = tracer.OldRank(node.operand(0));
  std::optional<Ints> axes = IntsAt(node, 3, tracer);
  if (node.operand(3) != nullptr && !axes) return tracer.Refuse(node, "its axes are not known");
  const Shape* starts = tracer.OldShape(node.operand(1));
  const std::size_t count = starts != nullptr && starts->size() == 1 && (*starts)[0].known()
                                ? static_cast<std::size_t>((*starts)[0].value())
                                : 0;
  if (count == 0) return tracer.Refuse(node, "its axes are not known");
  for (std::size_t i = 0; i < count; ++i) {
    const int axis = axes ? rt::WrapAxis((*axes)[i], rank) : static_cast<int>(i);
    if (axis == rows.axis) return TraceSliceOfRows(node, i, rows, tracer);
  }
  return {};
}

Status TraceGather(Node& node, RowTracer& tracer) {
  const Rows data = tracer.RowsOf(node.operand(0));
  const Rows indices = tracer.RowsOf(node.operand(1));
  const int axis = AxisOfNode(node, tracer.OldRank(node.operand(0)));
  if (data.is_shared()) {
    tracer.SetRows(node.result(), indices.Moved(axis + indices.axis));
    return {};
  }
  if (!data.is_axis() || !indices.is_shared())
    return tracer.Refuse(node, "what it takes of a sample depends on the sample");
  const int added = tracer.OldRank(node.operand(1));
  if (axis != data.axis) {
    tracer.SetRows(node.result(), data.Moved(axis < data.axis ? data.axis - 1 + added : data.axis));
    return {};
  }
  const std::optional<Ints> taken = IntsAt(node, 1, tracer);
  const bool is_only = taken && taken->size() == 1 && tracer.single() && data.alone();
  if (!is_only) return tracer.Refuse(node, "it takes a part of the samples");
  return TraceReshapedRows(node, tracer);
}

// Data and indices, and updates, of a sample each.
Status TraceElements(Node& node, RowTracer& tracer) {
  const Rows rows = FirstRows(node, tracer);
  if (AxisOfNode(node, tracer.OldRank(node.operand(0))) == rows.axis)
    return tracer.Refuse(node, "its indices are those of samples");
  for (std::size_t i = 0; i < node.num_operands(); ++i) DRAGOMAN_TRY(tracer.Align(node, i, rows));
  tracer.SetRows(node.result(), rows);
  return {};
}

Status TraceGatherNd(Node& node, RowTracer& tracer) {
  const Rows data = tracer.RowsOf(node.operand(0));
  const Rows indices = tracer.RowsOf(node.operand(1));
  const std::int64_t batch_axes = IntAttribute(node, "batch_dims");
  const Rows& rows = indices.is_axis() ? indices : data;
  const bool is_last = rows.axis == tracer.OldRank(node.operand(1)) - 1;
  if (data.is_count() || indices.is_count())
    return tracer.Refuse(node, "it computes with the number of samples");
  if (data.is_axis() && rows.axis >= batch_axes)
    return tracer.Refuse(node, "its indices are those of samples");
  if (indices.is_axis() && is_last)
    return tracer.Refuse(node, "its indices depend on the sample in part");
  if (rows.axis < batch_axes) {
    DRAGOMAN_TRY(tracer.Align(node, 0, rows));
    DRAGOMAN_TRY(tracer.Align(node, 1, rows));
  }
  tracer.SetRows(node.result(), rows);
  return {};
}

Status TracePad(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(OthersAreShared(node, 1, tracer));
  const Rows& rows = tracer.RowsOf(node.operand(0));
  tracer.SetRows(node.result(), rows);
  const auto axis = static_cast<std::size_t>(rows.axis);
  // Inference finds pads that are not zero, but not those that undo each other.
  const std::optional<Ints> pads = IntsAt(node, 1, tracer);
  const std::optional<Ints> axes = IntsAt(node, 3, tracer);
  if (!pads || (node.operand(3) != nullptr && !axes))
    return tracer.Refuse(node, "what it adds is not known");
  const int rank = tracer.OldRank(node.operand(0));
  const std::size_t count = pads->size() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const int at = axes ? rt::WrapAxis((*axes)[i], rank) : static_cast<int>(i);
    if (static_cast<std::size_t>(at) == axis && ((*pads)[i] != 0 || (*pads)[count + i] != 0))
      return tracer.Refuse(node, "it adds to the samples");
  }
  return {};
}

Status TraceOneHot(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(OthersAreShared(node, 1, tracer));
  const Rows& rows = tracer.RowsOf(node.operand(0));
  const int axis = AxisOfNode(node, tracer.OldRank(node.result()));
  tracer.SetRows(node.result(), rows.Moved(axis <= rows.axis ? rows.axis + 1 : rows.axis));
  return {};
}

Status TraceReverseSequence(Node& node, RowTracer& tracer) {
  const Rows rows = tracer.RowsOf(node.operand(0));
  if (!rows.is_axis()) return tracer.Refuse(node, "its lengths, but not its data, have samples");
  const auto batch = static_cast<int>(IntAttribute(node, "batch_axis"));
  if (IntAttribute(node, "time_axis") == rows.axis)
    return tracer.Refuse(node, "it reverses the order of samples");
  if (batch == rows.axis) DRAGOMAN_TRY(tracer.Align(node, 1, rows.Moved(0)));
  if (batch != rows.axis && !tracer.RowsOf(node.operand(1)).is_shared())
    return tracer.Refuse(node, "its lengths depend on the sample");
  tracer.SetRows(node.result(), rows);
  return {};
}

Status TraceShape(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(tracer.context().inference.InferNode(node));
  const auto elements = tracer.context().inference.Know(node.result()).elements;
  if (!elements) return tracer.Refuse(node, "the rank of its operand is not known");
  const std::string& symbol = *tracer.samples().symbol();
  const bool counts = std::ranges::any_of(
      *elements, [&](const Dim& size) { return std::ranges::count(size.Symbols(), symbol) > 0; });
  tracer.SetRows(node.result(), counts ? Rows::Count() : Rows::Shared(false));
  return {};
}

// A list of tensors that hold the samples at one place, and what is taken of it.
Status TraceList(Node& node, RowTracer& tracer) {
  const Rows rows = FirstRows(node, tracer);
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    Value* value = node.operand(i);
    const bool is_element = node.Is("SequenceConstruct") || (node.Is("SequenceInsert") && i == 1);
    const bool is_empty = ProducerOf(value, "SequenceEmpty") != nullptr;
    if (is_element) DRAGOMAN_TRY(tracer.Align(node, i, rows));
    if (is_element || value == nullptr || is_empty) continue;
    const Rows& own = tracer.RowsOf(value);
    if (i == 0 ? !own.is_axis() || !SamePlace(own, rows) : !own.is_shared())
      return tracer.Refuse(node, "its operands hold the samples at different places");
  }
  tracer.SetRows(node.result(), node.Is("SequenceLength") ? Rows::Shared(true) : rows);
  return {};
}

}  // namespace

// By name: each says in its own way where elements go.
std::span<const RowRule> MovementRowRules() {
  static constexpr RowRule kRules[] = {
      {"Concat", TraceConcat},
      {"Expand", TraceExpand},
      {"Gather", TraceGather},
      {"GatherElements", TraceElements},
      {"GatherND", TraceGatherNd},
      {"OneHot", TraceOneHot},
      {"Pad", TracePad},
      {"ReverseSequence", TraceReverseSequence},
      {"ScatterElements", TraceElements},
      {"SequenceAt", TraceList},
      {"SequenceConstruct", TraceList},
      {"SequenceInsert", TraceList},
      {"SequenceLength", TraceList},
      {"Shape", TraceShape},
      {"Size", TraceShape},
      {"Slice", TraceSlice},
      {"Split", TraceSplit},
      {"Tile", TraceTile},
      {"Transpose", TraceTranspose},
  };
  return kRules;
}

}  // namespace dragoman
