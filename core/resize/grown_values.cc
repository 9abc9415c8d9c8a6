// SPDX-License-Identifier: Apache-2.0
// Values that depend on no input, or are resized, with other sizes along some of their axes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/interpreter/evaluate.h"
#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/resize/size_tracer.h"
#include "core/support/count_elements.h"

namespace dragoman {
namespace {

// Tables of positions and masks are not larger, and made by few nodes.
constexpr std::int64_t kMaxComputed = std::int64_t{1} << 22;
constexpr int kMaxDepth = 32;
// Where positions begin that a table is read at: after a few that stand for padding.
constexpr double kMaxStart = 1 << 10;

// The elements where `axis` is 0, if all along it are equal.
std::optional<Tensor> FirstOfEqual(const Tensor& tensor, std::size_t axis) {
  const int bits = Info(tensor.dtype()).bits;
  if (bits < 8 || tensor.dtype() == DType::kString || tensor.size() == 0) return std::nullopt;
  std::size_t outer = 1, inner = static_cast<std::size_t>(bits) / 8;
  for (std::size_t i = 0; i < tensor.sizes().size(); ++i) {
    if (i != axis) (i < axis ? outer : inner) *= static_cast<std::size_t>(tensor.sizes()[i]);
  }
  const auto size = static_cast<std::size_t>(tensor.sizes()[axis]);
  const auto* data = reinterpret_cast<const char*>(tensor.bytes().data());
  std::string first;
  for (std::size_t i = 0; i < outer; ++i, data += size * inner) {
    if (std::memcmp(data, data + inner, (size - 1) * inner) != 0) return std::nullopt;
    first.append(data, inner);
  }
  std::vector<std::int64_t> sizes = tensor.sizes();
  sizes[axis] = 1;
  Result<Tensor> made =
      Tensor::Make(tensor.dtype(), std::move(sizes), Buffer::Own(std::move(first)));
  return made.ok() ? std::optional(*std::move(made)) : std::nullopt;
}

// s of elements s, s + 1, s + 2, …; nullopt: they are others.
std::optional<std::int64_t> CountsUpFrom(const Tensor& tensor) {
  const bool is_integer = IsInteger(tensor.dtype());
  if (tensor.size() < 2 || (!is_integer && !IsFloating(tensor.dtype()))) return std::nullopt;
  const double first = is_integer ? static_cast<double>(tensor.IntAt(0)) : tensor.FloatAt(0);
  if (first < 0 || first > kMaxStart || first != std::floor(first)) return std::nullopt;
  const auto start = static_cast<std::int64_t>(first);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const bool is_next = is_integer ? tensor.IntAt(i) == start + i
                                    : tensor.FloatAt(i) == static_cast<double>(start + i);
    if (!is_next) return std::nullopt;
  }
  return start;
}

std::vector<std::int64_t> AxesBut(const std::vector<std::int64_t>& sizes, std::size_t axis) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i != axis) axes.push_back(static_cast<std::int64_t>(i));
  }
  return axes;
}

// Whether `node` may read `value`, of its graph.
bool ComesBefore(const Value& value, const Node& node) {
  if (value.producer() == nullptr) return true;
  for (const Node& each : node.graph()->nodes()) {
    if (&each == &node) return false;
    if (&each == value.producer()) return true;
  }
  return false;
}

// One element of `tensor` as a scalar.
std::optional<Tensor> ElementAt(const Tensor& tensor, std::int64_t i) {
  const int bits = Info(tensor.dtype()).bits;
  if (bits < 8 || tensor.dtype() == DType::kString) return std::nullopt;
  const auto width = static_cast<std::size_t>(bits) / 8;
  Result<Tensor> made = Tensor::Make(
      tensor.dtype(), {},
      Buffer::Copy(tensor.bytes().subspan(static_cast<std::size_t>(i) * width, width)));
  return made.ok() ? std::optional(*std::move(made)) : std::nullopt;
}

}  // namespace

Value* SizeTracer::Constant(Tensor tensor, std::string_view name, Node& position) {
  return context_.AddConstant(*position.graph(), std::move(tensor), name, position.origin());
}

// --- Sizes as values

Result<Value*> SizeTracer::Size(const Dim& size, Node& position) {
  if (size.known()) return Constant(Tensor::Ints(std::vector{size.value()}), "size", position);
  const auto place = places_.find(size.ToString());
  if (place != places_.end()) {
    DRAGOMAN_ASSIGN(Value * shape, context_.Insert(position, "Shape", {{place->second.value}}));
    const std::vector axis = {static_cast<std::int64_t>(place->second.axis)};
    return context_.Insert(position, "Gather",
                           {{shape, Constant(Tensor::Ints(axis), "axis", position)}});
  }
  const auto merged = merged_.find(size.ToString());
  if (merged == merged_.end()) return nullptr;
  Value* product = nullptr;
  for (const Dim& part : merged->second) {
    DRAGOMAN_ASSIGN(Value * factor, Size(part, position));
    if (factor == nullptr || product == nullptr) {
      product = factor;
    } else {
      DRAGOMAN_ASSIGN(product, context_.Insert(position, "Mul", {{product, factor}}));
    }
    if (product == nullptr) return nullptr;
  }
  return product;
}

Result<Value*> SizeTracer::Sizes(const std::vector<Dim>& sizes, Node& position) {
  std::vector<Value*> parts;
  std::vector<std::int64_t> known;
  const auto flush = [&] {
    if (!known.empty()) parts.push_back(Constant(Tensor::Ints(known), "sizes", position));
    known.clear();
  };
  for (const Dim& size : sizes) {
    if (size.known()) {
      known.push_back(size.value());
      continue;
    }
    flush();
    DRAGOMAN_ASSIGN(Value * part, Size(size, position));
    if (part == nullptr) return nullptr;
    parts.push_back(part);
  }
  flush();
  if (parts.size() == 1) return parts.front();
  return context_.Insert(position, "Concat", parts, {{"axis", std::int64_t{0}}});
}

// --- What has them

// The elements of a value that depends on no input.
std::optional<Tensor> SizeTracer::Computed(const Value& value, int depth) const {
  if (const Tensor* tensor = ConstantOf(&value)) return *tensor;
  const Node* node = value.producer();
  const auto sizes =
      value.type().shape() != nullptr ? KnownShape(*value.type().shape()) : std::nullopt;
  const auto count = sizes ? CountElements(*sizes) : std::nullopt;
  if (node == nullptr || depth > kMaxDepth || !count || *count > kMaxComputed) return std::nullopt;
  const OpDef* def = FindOp(*node);
  if (def == nullptr || def->effect || def->random || !node->subgraphs().empty())
    return std::nullopt;
  std::vector<Tensor> operands;
  for (const Use& use : node->operands()) {
    if (use.value() == nullptr) return std::nullopt;
    std::optional<Tensor> operand = Computed(*use.value(), depth + 1);
    if (!operand) return std::nullopt;
    operands.push_back(*std::move(operand));
  }
  std::vector<const Tensor*> given;
  for (const Tensor& operand : operands) given.push_back(&operand);
  Result<std::vector<Tensor>> results = EvaluateOnTensors(*node, given);
  if (!results.ok()) return std::nullopt;
  for (std::size_t i = 0; i < node->num_results() && i < results->size(); ++i) {
    if (node->result(i) == &value) return (*results)[i];
  }
  return std::nullopt;
}

Result<Value*> SizeTracer::Grown(Value& value, const WantedSizes& wanted, bool broadcasts,
                                 Node& position) {
  if (steps_ == 0) return nullptr;
  --steps_;
  Node* node = value.producer();
  if (Node* resize = ResizeBefore(value, wanted)) {
    DRAGOMAN_ASSIGN(Value * resized, GrownResize(*resize, wanted, value));
    if (resized != nullptr)
      ReportUnproven(*resize, "its result is of the sizes that " + position.Describe() +
                                  " joins it with, as it was");
    return resized;
  }
  if (node != nullptr && node->Is("Slice")) {
    DRAGOMAN_ASSIGN(Value * slice, GrownSlice(*node, wanted, position));
    if (slice != nullptr) return slice;
  }
  if (node != nullptr && (node->Is("Gather") || node->Is("GatherND"))) {
    DRAGOMAN_ASSIGN(Value * rows, GrownRows(*node, wanted, broadcasts, position));
    if (rows != nullptr) return rows;
  }
  if (node != nullptr && IsElementwise(*node)) {
    DRAGOMAN_ASSIGN(Value * made, GrownElementwise(*node, wanted, broadcasts, position));
    if (made != nullptr) return made;
  }
  if (node != nullptr && node->Is("Unsqueeze")) {
    DRAGOMAN_ASSIGN(Value * made, GrownUnsqueeze(*node, wanted, broadcasts, position));
    if (made != nullptr) return made;
  }
  std::optional<Tensor> tensor = Computed(value);
  if (!tensor) return nullptr;
  return GrownConstant(*std::move(tensor), value, wanted, broadcasts, position);
}

// Rows of a table, by positions.
Result<Value*> SizeTracer::GrownRows(const Node& gather, const WantedSizes& wanted, bool broadcasts,
                                     Node& position) {
  const std::optional<int> table_rank = gather.operand(0)->type().rank();
  const std::optional<int> rank = gather.operand(1)->type().rank();
  if (!table_rank || !rank) return nullptr;
  const bool is_nd = gather.Is("GatherND");  // the last axis of its positions holds one position
  if (is_nd && IntAttribute(gather, "batch_dims") != 0) return nullptr;
  const std::int64_t stated = is_nd ? 0 : IntAttribute(gather, "axis");
  const auto axis = static_cast<std::size_t>(stated < 0 ? stated + *table_rank : stated);
  const auto end = axis + static_cast<std::size_t>(is_nd ? *rank - 1 : *rank);
  WantedSizes of_positions;
  for (const auto& [at, size] : wanted) {
    if (at < axis || at >= end) return nullptr;
    of_positions.emplace(at - axis, size);
  }
  DRAGOMAN_ASSIGN(Value * rows, Grown(*gather.operand(1), of_positions, broadcasts, position));
  if (rows == nullptr) return nullptr;
  return context_.Insert(position, is_nd ? "GatherND" : "Gather", {{gather.operand(0), rows}},
                         gather.attributes());
}

// What an elementwise operator makes of operands of these sizes.
Result<Value*> SizeTracer::GrownElementwise(const Node& node, const WantedSizes& wanted,
                                            bool broadcasts, Node& position) {
  const Shape* result = OldShape(node.result());
  if (result == nullptr) return nullptr;
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) operands.push_back(use.value());
  bool changed = false;
  for (std::size_t i = 0; i < (IsUnary(node) ? 1 : operands.size()); ++i) {
    const Shape* shape = operands[i] != nullptr ? operands[i]->type().shape() : nullptr;
    if (shape == nullptr || shape->size() > result->size()) return nullptr;
    const std::size_t lead = result->size() - shape->size();
    WantedSizes own;
    for (const auto& [axis, size] : wanted) {
      if (axis < lead) continue;
      const Dim& before = (*shape)[axis - lead];
      if (before != size && before != Dim(1)) own.emplace(axis - lead, size);
    }
    if (own.empty()) continue;
    DRAGOMAN_ASSIGN(operands[i], Grown(*operands[i], own, broadcasts, position));
    if (operands[i] == nullptr) return nullptr;
    changed = true;
  }
  if (!changed) return nullptr;
  return context_.Insert(position, FindOp(node)->Label(), operands, node.attributes());
}

// A node that adds axes of size 1: its operand of these sizes.
Result<Value*> SizeTracer::GrownUnsqueeze(const Node& unsqueeze, const WantedSizes& wanted,
                                          bool broadcasts, Node& position) {
  const auto axes = context_.inference.KnownInts(unsqueeze.operand(1));
  const std::optional<int> rank = unsqueeze.result()->type().rank();
  if (!axes || !rank) return nullptr;
  WantedSizes own;
  for (const auto& [axis, size] : wanted) {
    std::size_t added = 0;
    for (const std::int64_t stated : *axes) {
      const auto at = static_cast<std::size_t>(stated < 0 ? stated + *rank : stated);
      if (at == axis) return nullptr;
      added += at < axis ? 1 : 0;
    }
    own.emplace(axis - added, size);
  }
  DRAGOMAN_ASSIGN(Value * operand, Grown(*unsqueeze.operand(0), own, broadcasts, position));
  if (operand == nullptr) return nullptr;
  return context_.Insert(position, "Unsqueeze", {{operand, unsqueeze.operand(1)}});
}

// The beginning of a table.
Result<Value*> SizeTracer::GrownSlice(const Node& slice, const WantedSizes& wanted,
                                      Node& position) {
  const auto ints = [&](std::size_t i) { return context_.inference.KnownInts(slice.operand(i)); };
  const auto starts = ints(1), ends = ints(2), axes = ints(3);
  const auto steps = slice.operand(4) != nullptr ? ints(4) : std::nullopt;
  if (!starts || !ends || !axes || starts->size() != axes->size()) return nullptr;
  std::vector<Dim> sizes(ends->begin(), ends->end());
  for (const auto& [axis, size] : wanted) {
    const auto found = std::ranges::find(*axes, static_cast<std::int64_t>(axis));
    const auto i = static_cast<std::size_t>(found - axes->begin());
    if (found == axes->end() || (*starts)[i] != 0 || (steps && (*steps)[i] != 1) ||
        IsOpen(slice.operand(0), axis) || sizes[i] != size.Substitute(old_sizes_))
      return nullptr;
    sizes[i] = size;
  }
  DRAGOMAN_ASSIGN(Value * end, Sizes(sizes, position));
  if (end == nullptr) return nullptr;
  std::vector<Value*> operands;
  for (const Use& use : slice.operands()) operands.push_back(use.value());
  operands[2] = end;
  return context_.Insert(position, "Slice", operands, slice.attributes());
}

// The Resize that gives `value` the sizes of these axes: operators in between keep them.
Node* SizeTracer::ResizeBefore(const Value& value, const WantedSizes& wanted) const {
  const Value* at = &value;
  for (int i = 0; i < kMaxDepth && at != nullptr && at->producer() != nullptr; ++i) {
    const Shape* shape = OldShape(at);
    if (shape == nullptr) return nullptr;
    for (const auto& [axis, size] : wanted) {
      if (axis >= shape->size() || (*shape)[axis] != size.Substitute(old_sizes_)) return nullptr;
    }
    if (at->producer()->Is("Resize")) return at->producer();
    if (!IsElementwise(*at->producer())) return nullptr;  // others move elements
    at = at->producer()->operand(0);
  }
  return nullptr;
}

// A Resize to sizes that another value has, for `value` after it.
Result<Value*> SizeTracer::GrownResize(Node& resize, const WantedSizes& wanted, Value& value) {
  const auto said = context_.inference.KnownInts(resize.operand(3));
  const std::optional<int> rank = resize.result()->type().rank();
  if (!said || !rank || said->size() != static_cast<std::size_t>(*rank) ||
      resize.attribute("axes") != nullptr)
    return nullptr;
  std::vector<Dim> sizes(said->begin(), said->end());
  for (const auto& [axis, size] : wanted) {
    const auto place = places_.find(size.ToString());
    if (place == places_.end() || !ComesBefore(*place->second.value, resize)) return nullptr;
    sizes[axis] = size;
  }
  DRAGOMAN_ASSIGN(Value * operand, Sizes(sizes, resize));
  if (operand == nullptr) return nullptr;
  resize.set_operand(3, operand);
  return &value;
}

Result<Value*> SizeTracer::GrownConstant(Tensor tensor, const Value& like, WantedSizes wanted,
                                         bool broadcasts, Node& position) {
  std::vector<Dim> sizes(tensor.sizes().begin(), tensor.sizes().end());
  for (const auto& [axis, size] : WantedSizes(wanted)) {
    sizes[axis] = size;
    std::optional<Tensor> first = FirstOfEqual(tensor, axis);
    if (!first) continue;
    tensor = *std::move(first);
    wanted.erase(axis);
  }
  Value* grown = nullptr;
  if (wanted.empty()) {
    grown = Constant(std::move(tensor), like.name(), position);
  } else if (wanted.size() == 1) {
    const auto& [axis, size] = *wanted.begin();
    DRAGOMAN_ASSIGN(grown, GrownRange(tensor, like, axis, size, position));
  } else {
    DRAGOMAN_ASSIGN(grown, GrownTriangle(tensor, like, wanted, position));
  }
  if (grown == nullptr || broadcasts) return grown;
  DRAGOMAN_ASSIGN(Value * all, Sizes(sizes, position));
  if (all == nullptr) return nullptr;
  return context_.Insert(position, "Expand", {{grown, all}});
}

// s, s + 1, s + 2, … along an axis, alone.
Result<Value*> SizeTracer::GrownRange(const Tensor& tensor, const Value& like, std::size_t axis,
                                      const Dim& size, Node& position) {
  const auto start = CountsUpFrom(tensor);
  if (!start || tensor.size() != tensor.sizes()[axis]) return nullptr;
  DRAGOMAN_ASSIGN(Value * count, Size(size, position));
  if (count == nullptr) return nullptr;
  if (const auto known = SizeOf(static_cast<double>(*start), 2)) {
    ReportOnce(fmt::format("'{}' counts from {}, which may stand for size {}, and is kept",
                           like.name(), *start, *known));
  }
  const std::vector<std::int64_t> first = {0};
  DRAGOMAN_ASSIGN(count,
                  context_.Insert(position, "Squeeze",
                                  {{count, Constant(Tensor::Ints(first), "axes", position)}}));
  DRAGOMAN_ASSIGN(Value * range,
                  context_.Insert(position, "Range",
                                  {{Constant(Tensor::Int(0), "start", position), count,
                                    Constant(Tensor::Int(1), "step", position)}}));
  if (*start != 0) {
    DRAGOMAN_ASSIGN(range,
                    context_.Insert(position, "Add",
                                    {{range, Constant(Tensor::Int(*start), "first", position)}}));
  }
  if (tensor.dtype() != DType::kI64) {
    DRAGOMAN_ASSIGN(range,
                    context_.Insert(position, "Cast", {{range}},
                                    {{"to", static_cast<std::int64_t>(like.type().dtype())}}));
  }
  const std::vector<std::int64_t> axes = AxesBut(tensor.sizes(), axis);
  if (axes.empty()) return range;
  return context_.Insert(position, "Unsqueeze",
                         {{range, Constant(Tensor::Ints(axes), "axes", position)}});
}

// One element up to the diagonal of two axes, another after it: what hides later positions.
Result<Value*> SizeTracer::GrownTriangle(const Tensor& tensor, const Value& like,
                                         const WantedSizes& wanted, Node& position) {
  const std::size_t rank = tensor.sizes().size();
  if (wanted.size() != 2 || wanted.begin()->first + 1 != wanted.rbegin()->first ||
      wanted.begin()->second != wanted.rbegin()->second)
    return nullptr;
  const std::size_t row = wanted.begin()->first;
  const std::int64_t size = tensor.sizes()[row];
  if (size < 2 || tensor.sizes()[row + 1] != size || tensor.size() != size * size) return nullptr;
  const std::optional<Tensor> below = ElementAt(tensor, size), above = ElementAt(tensor, 1);
  if (!below || !above) return nullptr;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const std::optional<Tensor> element = ElementAt(tensor, i);
    if (*element != (i % size <= i / size ? *below : *above)) return nullptr;
  }
  ReportOnce(
      fmt::format("'{}' hides what comes later; it would be the same if it hid what is {} or more "
                  "before, too",
                  like.name(), size));
  std::vector<std::int64_t> counted(rank, 1);
  counted[row] = size;
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) numbers[static_cast<std::size_t>(i)] = i;
  const Tensor line = Tensor::Ints(numbers);
  const Value& index = *Constant(line, "position", position);
  const Dim& wanted_size = wanted.begin()->second;
  DRAGOMAN_ASSIGN(Value * rows,
                  GrownRange(line.Reshaped(counted), index, row, wanted_size, position));
  std::swap(counted[row], counted[row + 1]);
  DRAGOMAN_ASSIGN(Value * columns,
                  GrownRange(line.Reshaped(counted), index, row + 1, wanted_size, position));
  if (rows == nullptr || columns == nullptr) return nullptr;
  DRAGOMAN_ASSIGN(Value * is_after, context_.Insert(position, "Greater", {{columns, rows}}));
  return context_.Insert(position, "Where",
                         {{is_after, Constant(*above, like.name(), position),
                           Constant(*below, like.name(), position)}});
}

}  // namespace dragoman
