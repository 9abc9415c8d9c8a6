// SPDX-License-Identifier: Apache-2.0
// Constants and windows that stay as they are although they may stand for sizes that change: the
// report names them.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/ir/type_algebra.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/resize/size_tracer.h"

namespace dragoman {
namespace {

// Floats that stand for smaller sizes occur by chance.
constexpr std::int64_t kLeastReported = 16;
// Nodes before one that are looked at.
constexpr std::size_t kMaxSeen = 32;

}  // namespace

void SizeTracer::ReportKept(const Node& node) {
  ReportKeptNumbers(node);
  const Value* x = node.operand(0);
  const Shape* before = x != nullptr ? OldShape(x) : nullptr;
  if (before == nullptr || node.result() == nullptr) return;
  const Shape* to = node.result()->type().shape();
  for (std::size_t axis = 0; axis < before->size() && to != nullptr; ++axis) {
    if (!IsOpen(x, axis) || to->size() != before->size()) continue;
    const std::string of = (*x->type().shape())[axis].ToString();
    if (node.Is("Resize") && (*to)[axis].known()) {
      ReportUnproven(node, fmt::format("its result stays of size {} along axis {}, whatever {} is",
                                       (*to)[axis].ToString(), axis, of));
    } else if (node.Is("Slice") && (*to)[axis].Substitute(old_sizes_) != (*before)[axis]) {
      ReportUnproven(
          node, fmt::format("its bounds along axis {}, which is of size {}, are kept", axis, of));
    } else if ((node.Is("AveragePool") || node.Is("MaxPool")) &&
               (*to)[axis].Substitute(old_sizes_) == Dim(1)) {
      ReportUnproven(node, fmt::format("its window, which was all of axis {}, is kept", axis));
    }
  }
}

// Positions in values of open sizes, counts, and factors that are a size or one over it.
void SizeTracer::ReportKeptNumbers(const Node& node) {
  const Value* x = node.operand(0);
  // By name: operators whose operand 1 states positions or a count along axes of operand 0.
  const bool reads_positions = node.Is("Gather") || node.Is("GatherElements") ||
                               node.Is("GatherND") || node.Is("ScatterElements") ||
                               node.Is("ScatterND") || node.Is("TopK");
  const std::size_t rank =
      x != nullptr && x->type().shape() != nullptr ? x->type().shape()->size() : 0;
  bool is_open = false;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const bool is_read = !node.Is("Gather") && !node.Is("TopK");
    const std::int64_t stated = is_read ? 0 : IntAttribute(node, "axis");
    const std::int64_t own = stated < 0 ? stated + static_cast<std::int64_t>(rank) : stated;
    is_open |= (is_read || own == static_cast<std::int64_t>(axis)) && IsOpen(x, axis);
  }
  if (reads_positions && is_open && ConstantOf(node.operand(1)) != nullptr) {
    ReportUnproven(node, "its constant '" + node.operand(1)->name() +
                             "', beside an axis of an open size, is kept");
  }
  if (!node.Is("Loop") && !IsElementwise(node)) return;
  for (std::size_t i = 0; i < (node.Is("Loop") ? 1 : node.num_operands()); ++i) {
    const Tensor* tensor = ConstantOf(node.operand(i));
    if (tensor == nullptr || tensor->size() != 1) continue;
    if (!IsInteger(tensor->dtype()) && !IsFloating(tensor->dtype())) continue;
    const double number =
        IsInteger(tensor->dtype()) ? static_cast<double>(tensor->IntAt(0)) : tensor->FloatAt(0);
    const bool by_chance = IsFloating(tensor->dtype()) && !SumsOpenSizes(node);
    if (const auto size = SizeOf(number, by_chance ? kLeastReported : 2)) {
      ReportUnproven(node, "its constant '" + node.operand(i)->name() +
                               "', which may stand for size " + *size + ", is kept");
    }
  }
}

// Whether an operand is, but for elementwise operators, of a node that sums over an open size: it
// gives fewer open axes than it reads.
bool SizeTracer::SumsOpenSizes(const Node& node) const {
  const auto open_axes = [&](const Value* value) {
    std::size_t count = 0;
    const Shape* shape = value != nullptr ? value->type().shape() : nullptr;
    for (std::size_t axis = 0; shape != nullptr && axis < shape->size(); ++axis)
      count += !(*shape)[axis].known();
    return count;
  };
  std::vector<const Node*> seen = {&node};
  for (std::size_t i = 0; i < seen.size() && seen.size() < kMaxSeen; ++i) {
    for (const Use& use : seen[i]->operands()) {
      const Node* producer = use.value() != nullptr ? use.value()->producer() : nullptr;
      if (producer == nullptr) continue;
      const bool sums = std::ranges::any_of(producer->operands(), [&](const Use& read) {
        return open_axes(read.value()) > open_axes(use.value());
      });
      if (sums && !producer->Is("Reshape")) return true;
      if (IsElementwise(*producer) || producer->Is("Reshape")) seen.push_back(producer);
    }
  }
  return false;
}

// The open size, `least` at least, that was `number`, one over it, or one less.
std::optional<std::string> SizeTracer::SizeOf(double number, std::int64_t least) const {
  const auto is_of = [&](const Dim& size) {
    const Dim old = size.Substitute(old_sizes_);
    const bool is_open = std::ranges::any_of(
        size.Symbols(), [&](const std::string& symbol) { return open_.contains(symbol); });
    if (is_open || !old.known() || old.value() < least) return false;
    const auto value = static_cast<double>(old.value());
    return number == value || (number > 1 && number == value - 1) ||
           std::abs(number * value - 1) < 1e-3;
  };
  for (const auto& [text, place] : places_) {
    const Shape* shape = place.value->type().shape();
    if (shape != nullptr && place.axis < shape->size() && is_of((*shape)[place.axis])) return text;
  }
  for (const auto& [text, parts] : merged_) {
    if (is_of(NumElements(parts))) return text;
  }
  for (const auto& [name, old] : old_sizes_) {
    if (is_of(Dim::Symbol(name))) return name;
  }
  return std::nullopt;
}

}  // namespace dragoman
