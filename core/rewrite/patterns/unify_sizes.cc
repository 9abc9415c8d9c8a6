// SPDX-License-Identifier: Apache-2.0
// Sizes that are read of tensors, and elements that are taken by grids of places.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ir/producer.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/spelling_patterns.h"

namespace dragoman {
namespace {

// The sizes of axes `from` to before `to` of `x`.
Result<Value*> InsertShape(Node& node, Value* x, std::size_t from, std::size_t to,
                           PassContext& context) {
  std::vector<NamedAttribute> attributes;
  if (from > 0) attributes.emplace_back("start", static_cast<std::int64_t>(from));
  if (to < static_cast<std::size_t>(*x->type().rank()))
    attributes.emplace_back("end", static_cast<std::int64_t>(to));
  return context.Insert(node, "Shape", {{x}}, std::move(attributes));
}

// What the sizes in `part` are read of: the operand of the Shape after moves of its elements.
Value* ReadOf(Value* part) {
  for (int moves = 0; moves < 4 && part != nullptr && part->producer() != nullptr; ++moves) {
    const Node& node = *part->producer();
    if (node.Is("Shape")) return node.operand(0);
    if (!node.Is("Gather") && !node.Is("Reshape") && !node.Is("Slice") && !node.Is("Squeeze") &&
        !node.Is("Unsqueeze"))
      return nullptr;
    part = node.operand(0);
  }
  return nullptr;
}

// The first axis from which on `shape` has these sizes.
std::optional<std::size_t> PlaceOf(const Elements& sizes, const Shape& shape) {
  const auto is_same = [](const Dim& a, const Dim& b) { return Equal(a, b) == Truth::kYes; };
  const auto found = std::search(shape.begin(), shape.end(), sizes.begin(), sizes.end(), is_same);
  if (found == shape.end()) return std::nullopt;
  return static_cast<std::size_t>(found - shape.begin());
}

// Concat(Shape(x)[a], Shape(x)[a + 1], …) = Shape(x) from a on, numbers among them too
Result<bool> JoinSizes(Node& node, PassContext& context) {
  if (!node.Is("Concat") || node.result()->type().dtype() != DType::kI64) return false;
  const std::optional<Elements> sizes = context.inference.Know(node.result()).elements;
  if (!sizes || sizes->size() < 2) return false;
  Value* x = nullptr;
  for (std::size_t i = 0; i < node.num_operands() && x == nullptr; ++i) x = ReadOf(node.operand(i));
  const Shape* shape = x != nullptr ? x->type().shape() : nullptr;
  const std::optional<std::size_t> from = shape != nullptr ? PlaceOf(*sizes, *shape) : std::nullopt;
  if (!from) return false;
  DRAGOMAN_ASSIGN(Value * y, InsertShape(node, x, *from, *from + sizes->size(), context));
  return context.ReplaceIfAllowed(node, y);
}

// Sizes, one after the other: those of a run of axes of an input, a value that is kept, or numbers.
struct SizeRun {
  Value* input = nullptr;
  Value* kept = nullptr;
  std::size_t from = 0;  // the first axis
  Elements sizes;
};

// The first input of the graph that has the longest possible run of `sizes`, from its begin on.
std::optional<SizeRun> RunOfInput(std::span<const Dim> sizes, const Graph& graph) {
  SizeRun best;
  for (std::size_t i = 0; i < graph.num_inputs(); ++i) {
    const Shape* shape = graph.input(i)->type().shape();
    for (std::size_t from = 0; shape != nullptr && from < shape->size(); ++from) {
      std::size_t count = 0;
      while (count < sizes.size() && from + count < shape->size() &&
             Equal(sizes[count], (*shape)[from + count]) == Truth::kYes)
        ++count;
      if (count <= best.sizes.size()) continue;
      best = {graph.input(i), nullptr, from, Elements(sizes.begin(), sizes.begin() + count)};
    }
  }
  return best.input != nullptr ? std::optional(std::move(best)) : std::nullopt;
}

// The operand of `concat` that is the size at `place` alone.
Value* SizeAt(const Node* concat, std::size_t place) {
  for (std::size_t i = 0, at = 0; concat != nullptr && i < concat->num_operands(); ++i) {
    const auto count = SizeAlong(*concat->operand(i), 0);
    if (!count) return nullptr;
    if (at == place && *count == 1) return concat->operand(i);
    at += static_cast<std::size_t>(*count);
  }
  return nullptr;
}

// All of `sizes`, of which `concat` (or nullptr) computes those that are neither numbers nor sizes
// of inputs; nullopt: it does not, or all are numbers.
std::optional<std::vector<SizeRun>> RunsOf(const Elements& sizes, const Graph& graph,
                                           const Node* concat) {
  std::vector<SizeRun> runs;
  bool reads_inputs = false;
  for (std::size_t at = 0; at < sizes.size(); at += runs.back().sizes.size()) {
    const std::span<const Dim> rest = std::span(sizes).subspan(at);
    const auto numbers =
        static_cast<std::size_t>(std::ranges::find_if_not(rest, &Dim::known) - rest.begin());
    std::optional<SizeRun> run =
        numbers > 0 ? SizeRun{nullptr, nullptr, 0, Elements(rest.begin(), rest.begin() + numbers)}
                    : RunOfInput(rest, graph);
    if (Value* const kept = run ? nullptr : SizeAt(concat, at))
      run = SizeRun{nullptr, kept, 0, {rest.front()}};
    if (!run) return std::nullopt;
    reads_inputs = reads_inputs || run->input != nullptr;
    runs.push_back(*std::move(run));
  }
  return reads_inputs ? std::optional(std::move(runs)) : std::nullopt;
}

// Whether `value` is `run` as InsertRuns has it.
bool IsRun(const Value& value, const SizeRun& run) {
  if (run.input == nullptr) return run.kept != nullptr ? &value == run.kept : value.is_constant();
  const Node* const shape = ProducerOf(&value, "Shape");
  if (shape == nullptr || shape->operand(0) != run.input ||
      IntAttribute(*shape, "start", 0) != static_cast<std::int64_t>(run.from))
    return false;
  const auto rank = static_cast<std::size_t>(*run.input->type().rank());
  return shape->attribute("end") != nullptr || run.from + run.sizes.size() == rank;
}

bool AreRuns(const Value& value, const std::vector<SizeRun>& runs) {
  if (runs.size() == 1) return IsRun(value, runs.front());
  const Node* const concat = ProducerOf(&value, "Concat");
  if (concat == nullptr || concat->num_operands() != runs.size()) return false;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!IsRun(*concat->operand(i), runs[i])) return false;
  }
  return true;
}

Result<Value*> InsertRuns(Node& node, const std::vector<SizeRun>& runs, PassContext& context) {
  std::vector<Value*> parts;
  for (const SizeRun& run : runs) {
    if (run.kept != nullptr) {
      parts.push_back(run.kept);
      continue;
    }
    if (run.input != nullptr) {
      DRAGOMAN_ASSIGN(Value * part,
                      InsertShape(node, run.input, run.from, run.from + run.sizes.size(), context));
      parts.push_back(part);
      continue;
    }
    std::vector<std::int64_t> numbers;
    for (const Dim& size : run.sizes) numbers.push_back(size.value());
    parts.push_back(
        context.AddConstant(*node.graph(), Tensor::Ints(numbers), "sizes", node.origin()));
  }
  if (parts.size() == 1) return parts.front();
  return context.Insert(node, "Concat", parts, {{"axis", std::int64_t{0}}});
}

// The integers that `node` computes of sizes; nullopt: it does not, or they are numbers.
std::optional<Elements> ComputedSizes(const Node& node, const PassContext& context) {
  if (node.num_results() != 1 || node.result() == nullptr || node.graph()->parent() != nullptr ||
      node.num_operands() == 0 || node.result()->type().dtype() != DType::kI64 ||
      FindOp(node) == nullptr || HasEffect(node))
    return std::nullopt;
  std::optional<Elements> sizes = context.inference.Know(node.result()).elements;
  if (!sizes || sizes->empty() || std::ranges::any_of(*sizes, &Dim::unknown)) return std::nullopt;
  return sizes;
}

// Sizes that inputs of the graph have, too = Shape(x) from a on of the first such input, numbers
// and several of them by Concat
Result<bool> ReadSizesOfInputs(Node& node, PassContext& context) {
  const std::optional<Elements> sizes = ComputedSizes(node, context);
  if (!sizes || node.result()->type().rank() != 1) return false;
  const auto runs = RunsOf(*sizes, *node.graph(), node.Is("Concat") ? &node : nullptr);
  if (!runs || AreRuns(*node.result(), *runs)) return false;
  DRAGOMAN_ASSIGN(Value * y, InsertRuns(node, *runs, context));
  return context.ReplaceIfAllowed(node, y);
}

// A number that is a size of an input = Gather(Shape(x), a) of the first such input
Result<bool> ReadSizeOfInput(Node& node, PassContext& context) {
  const std::optional<Elements> size = ComputedSizes(node, context);
  if (!size || node.result()->type().rank() != 0) return false;
  const auto runs = RunsOf(*size, *node.graph(), nullptr);
  if (!runs) return false;
  const auto& [input, kept, from, sizes] = runs->front();
  const Node* const shape = node.Is("Gather") ? ProducerOf(node.operand(0), "Shape") : nullptr;
  if (shape != nullptr && shape->operand(0) == input && IntAttribute(*shape, "start", 0) == 0 &&
      IntOf(context, node.operand(1)) == static_cast<std::int64_t>(from))
    return false;
  DRAGOMAN_ASSIGN(Value * all, context.Insert(node, "Shape", {{input}}));
  Value* place = context.AddConstant(*node.graph(), Tensor::Int(static_cast<std::int64_t>(from)),
                                     "place", node.origin());
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Gather", {{all, place}}));
  return context.ReplaceIfAllowed(node, y);
}

// Reshape(x, [n, -1]) and Expand(x, [n, 1]) = the same with the sizes of the result, where those
// are computed
Result<bool> StateComputedSizes(Node& node, PassContext& context) {
  const bool expands = node.Is("Expand");
  if (!expands && !node.Is("Reshape")) return false;
  const Shape* const shape = node.result()->type().shape();
  const std::optional<Elements> given = context.inference.Know(node.operand(1)).elements;
  if (node.operand(1)->is_constant() || node.graph()->parent() != nullptr || shape == nullptr ||
      !given || given->size() != shape->size() || std::ranges::any_of(*shape, &Dim::unknown))
    return false;
  const bool copies = !expands && IntAttribute(node, "allowzero", 0) == 0;
  Elements stated = *given;
  bool differs = false;
  for (std::size_t i = 0; i < stated.size(); ++i) {
    const bool is_left_open =
        expands ? stated[i] == Dim(1) : stated[i] == Dim(-1) || (copies && stated[i] == Dim(0));
    if (!is_left_open || stated[i] == (*shape)[i]) continue;
    if (!(*shape)[i].known() && !RunsOf({(*shape)[i]}, *node.graph(), nullptr)) continue;
    stated[i] = (*shape)[i];
    differs = true;
  }
  if (!differs) return false;
  const auto runs = RunsOf(stated, *node.graph(), ProducerOf(node.operand(1), "Concat"));
  if (!runs) return false;
  DRAGOMAN_ASSIGN(Value * sizes, InsertRuns(node, *runs, context));
  node.set_operand(1, sizes);
  return true;
}

// Reshape(x: [n, 6], [-1, 2, 3]) = Reshape(x, [0, 2, 3])
Result<bool> CopyInferredSize(Node& node, PassContext& context) {
  const Tensor* const sizes = node.Is("Reshape") ? ConstantOf(node.operand(1)) : nullptr;
  const Shape* const from = sizes != nullptr ? node.operand(0)->type().shape() : nullptr;
  const Shape* const to = from != nullptr ? node.result()->type().shape() : nullptr;
  if (to == nullptr || IntAttribute(node, "allowzero", 0) != 0) return false;
  std::vector<std::int64_t> stated = sizes->ToInts();
  const auto inferred = std::ranges::find(stated, -1);
  const auto axis = static_cast<std::size_t>(inferred - stated.begin());
  if (axis >= std::min({stated.size(), from->size(), to->size()}) ||
      Equal((*from)[axis], (*to)[axis]) != Truth::kYes)
    return false;
  *inferred = 0;
  node.set_operand(1, context.AddConstant(*node.graph(), Tensor::Ints(stated), "sizes",
                                          node.operand(1)->origin()));
  return true;
}

// Sizes of a Reshape to `to` that refer to those of its operand: numbers, 0 where the operand has
// the size at the same place, -1 for one that is left.
std::optional<std::vector<std::int64_t>> ReferringForm(const Shape& from, const Shape& to) {
  std::vector<std::int64_t> form;
  Dim product = 1;
  for (std::size_t i = 0; i < to.size(); ++i) {
    product = product * to[i];
    if (to[i].known() && to[i].value() == 0) return std::nullopt;
    const bool is_copied = i < from.size() && Equal(from[i], to[i]) == Truth::kYes;
    form.push_back(to[i].known() ? to[i].value() : is_copied ? 0 : -1);
  }
  const auto left = std::ranges::count(form, -1);
  if (left > 1 || (left == 1 && Equal(product, NumElements(from)) != Truth::kYes))
    return std::nullopt;
  return form;
}

// Reshape(x: [n, m, 6], [n, m, 2, 3]) = Reshape(x, [0, 0, 2, 3]), where no size is 0
Result<bool> ReferToSizes(Node& node, PassContext& context) {
  const Shape* const from = node.Is("Reshape") ? node.operand(0)->type().shape() : nullptr;
  const Shape* const to = from != nullptr ? node.result()->type().shape() : nullptr;
  if (to == nullptr || std::ranges::any_of(*to, &Dim::unknown) ||
      std::ranges::any_of(*from, &Dim::unknown))
    return false;
  const auto form = ReferringForm(*from, *to);
  const Tensor* const given = ConstantOf(node.operand(1));
  const bool is_plain = node.attribute("allowzero") == nullptr;
  if (!form || (is_plain && given != nullptr && given->ToInts() == *form)) return false;
  node.RemoveAttribute("allowzero");
  if (given == nullptr || given->ToInts() != *form) {
    node.set_operand(1, context.AddConstant(*node.graph(), Tensor::Ints(*form), "sizes",
                                            node.operand(1)->origin()));
  }
  return true;
}

// Unsqueeze(ConstantOfShape(sizes)) = ConstantOfShape(the sizes of the result); Reshape, Squeeze
// and Expand likewise
Result<bool> FillAtOnce(Node& node, PassContext& context) {
  if (!node.Is("Unsqueeze") && !node.Is("Squeeze") && !node.Is("Reshape") && !node.Is("Expand"))
    return false;
  const Node* const fill = ProducerOf(node.operand(0), "ConstantOfShape");
  const Shape* const shape = fill != nullptr ? node.result()->type().shape() : nullptr;
  if (shape == nullptr || node.graph()->parent() != nullptr) return false;
  const auto runs = RunsOf(Elements(shape->begin(), shape->end()), *node.graph(), nullptr);
  if (!runs) return false;
  DRAGOMAN_ASSIGN(Value * sizes, InsertRuns(node, *runs, context));
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "ConstantOfShape", {{sizes}}, fill->attributes()));
  return context.ReplaceIfAllowed(node, y);
}

// Gather(x, 0, 1, … up to the size of the axis) = x
Result<bool> TakeWholeAxis(Node& node, PassContext& context) {
  const Node* const range = node.Is("Gather") ? ProducerOf(node.operand(1), "Range") : nullptr;
  const Shape* const shape = range != nullptr ? node.operand(0)->type().shape() : nullptr;
  if (shape == nullptr || IntOf(context, range->operand(0)) != 0 ||
      IntOf(context, range->operand(2)) != 1)
    return false;
  const int axis = FromFront(IntAttribute(node, "axis", 0), *node.operand(0));
  const std::optional<Elements> end = context.inference.Know(range->operand(1)).elements;
  const Dim& size = (*shape)[static_cast<std::size_t>(axis)];
  if (!end || end->size() != 1 || Equal(end->front(), size) != Truth::kYes) return false;
  Value* by[] = {node.operand(0)};
  DRAGOMAN_TRY(context.InsertCopies(node, by));
  context.Replace(node, by);
  return true;
}

// Gather(x, i) = Gather(x, i + n) for constant places i < 0 along an axis of n elements;
// GatherElements and ScatterElements likewise
Result<bool> CountFromFront(Node& node, PassContext& context) {
  if (!node.Is("Gather") && !node.Is("GatherElements") && !node.Is("ScatterElements")) return false;
  const Tensor* const stated = ConstantOf(node.operand(1));
  const Shape* const shape = stated != nullptr ? node.operand(0)->type().shape() : nullptr;
  if (shape == nullptr || shape->empty()) return false;
  const int axis = FromFront(IntAttribute(node, "axis", 0), *node.operand(0));
  const Dim& size = (*shape)[static_cast<std::size_t>(axis)];
  if (!size.known()) return false;
  std::vector<std::int64_t> places = stated->ToInts();
  bool changes = false;
  for (std::int64_t& place : places) {
    if (place >= 0 || place < -size.value()) continue;
    place += size.value();
    changes = true;
  }
  if (!changes) return false;
  node.set_operand(
      1, context.AddConstant(*node.graph(), Tensor::Of<std::int64_t>(stated->sizes(), places),
                             node.operand(1)->name(), node.operand(1)->origin()));
  return true;
}

// The axes that an Unsqueeze adds, counted from the front and sorted; nullopt: it is none.
std::optional<std::vector<std::int64_t>> AddedAxes(const Node* node, const PassContext& context) {
  if (node == nullptr || !node->Is("Unsqueeze") || !node->result()->type().rank())
    return std::nullopt;
  auto axes = IntsOf(context, node->operand(1));
  if (!axes) return std::nullopt;
  for (std::int64_t& axis : *axes) axis = FromFront(axis, *node->result());
  std::ranges::sort(*axes);
  return axes;
}

Result<bool> ReplaceByUnsqueezed(Node& node, Value* x, std::span<const std::int64_t> axes,
                                 PassContext& context) {
  if (axes.empty()) return context.ReplaceIfAllowed(node, x);
  Value* added = context.AddConstant(*node.graph(), Tensor::Ints(axes), "axes", node.origin());
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Unsqueeze", {{x, added}}));
  return context.ReplaceIfAllowed(node, y);
}

// Gather(x, Unsqueeze(places)) = Unsqueeze(Gather(x, places))
Result<bool> TakeBeforeUnsqueezing(Node& node, PassContext& context) {
  if (!node.Is("Gather")) return false;
  const Node* const added = node.operand(1)->producer();
  auto axes = AddedAxes(added, context);
  if (!axes || !node.operand(0)->type().rank()) return false;
  const int axis = FromFront(IntAttribute(node, "axis", 0), *node.operand(0));
  for (std::int64_t& each : *axes) each += axis;
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Gather", {{node.operand(0), added->operand(0)}},
                                            {{"axis", std::int64_t{axis}}}));
  return ReplaceByUnsqueezed(node, y, *axes, context);
}

// Gather(Unsqueeze(x), places) = Unsqueeze(Gather(x, places)), for places along one axis of x
Result<bool> TakeOfNarrower(Node& node, PassContext& context) {
  if (!node.Is("Gather") || node.operand(1)->type().rank() != 1) return false;
  const Node* const added = node.operand(0)->producer();
  const auto axes = AddedAxes(added, context);
  if (!axes) return false;
  const std::int64_t axis = FromFront(IntAttribute(node, "axis", 0), *node.operand(0));
  if (std::ranges::binary_search(*axes, axis)) return false;
  const auto before = std::ranges::lower_bound(*axes, axis) - axes->begin();
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Gather", {{added->operand(0), node.operand(1)}},
                                            {{"axis", axis - before}}));
  return ReplaceByUnsqueezed(node, y, *axes, context);
}

// The places along one axis of x.
struct OpenPlaces {
  Value* places = nullptr;  // of one axis
  int axis = 0;             // of the indices
};

// `part`, of indices of `rank` axes, as what varies along one axis alone and is expanded along
// others.
std::optional<OpenPlaces> ReadOpenPlaces(Value* part, int rank, const PassContext& context) {
  if (const Node* const expanded = ProducerOf(part, "Expand")) part = expanded->operand(0);
  const Node* const added = part->producer();
  const auto axes = AddedAxes(added, context);
  if (!axes) {
    if (part->type().rank() != 1) return std::nullopt;
    return OpenPlaces{part, rank - 1};
  }
  Value* const places = added->operand(0);
  if (places->type().rank() != 1) return std::nullopt;
  std::int64_t kept = 0;  // the axis that was not added
  while (std::ranges::binary_search(*axes, kept)) ++kept;
  return OpenPlaces{places, static_cast<int>(kept) + rank - *part->type().rank()};
}

// The last component of each index.
std::optional<std::vector<OpenPlaces>> ReadOpenGrid(const Node& concat, int rank,
                                                    const PassContext& context) {
  std::vector<OpenPlaces> grid;
  for (const Use& use : concat.operands()) {
    const Node* const added = use.value()->producer();
    const auto axes = AddedAxes(added, context);
    if (!axes || axes->size() != 1 || axes->front() != rank) return std::nullopt;
    auto along = ReadOpenPlaces(added->operand(0), rank, context);
    if (!along || (!grid.empty() && along->axis <= grid.back().axis)) return std::nullopt;
    grid.push_back(*along);
  }
  return grid;
}

// Of a size that no input has it is not known. Where there are no indices, none is out of range.
bool MayBeZero(const Dim& size, const Graph& graph) {
  return size.known() ? size.value() == 0 : !RunOfInput(std::span(&size, 1), graph);
}

// GatherND(x, places along each axis that are expanded to a grid) = Unsqueeze(Gather(…Gather(x, i₀,
// axis 0)…, iₙ, axis n))
Result<bool> TakeAlongAxes(Node& node, PassContext& context) {
  if (!node.Is("GatherND") || IntAttribute(node, "batch_dims", 0) != 0) return false;
  const Node* const concat = ProducerOf(node.operand(1), "Concat");
  const std::optional<int> rank = node.operand(1)->type().rank();
  const Shape* const shape = node.result()->type().shape();
  const Shape* const indices = node.operand(1)->type().shape();
  if (concat == nullptr || shape == nullptr || indices == nullptr ||
      FromFront(IntAttribute(*concat, "axis", 0), *node.operand(1)) != *rank - 1)
    return false;
  const auto grid = ReadOpenGrid(*concat, *rank - 1, context);
  if (!grid) return false;
  std::vector<std::int64_t> ones;
  for (int axis = 0; axis + 1 < *rank; ++axis) {
    const auto at = std::ranges::find(*grid, axis, &OpenPlaces::axis);
    const Dim& size = (*indices)[static_cast<std::size_t>(axis)];
    if (at == grid->end()) ones.push_back(axis);
    const Dim wanted = at == grid->end() ? Dim(1) : at->places->type().shape()->front();
    if (Equal(size, wanted) != Truth::kYes || MayBeZero(size, *node.graph())) return false;
  }
  Value* y = node.operand(0);
  for (std::size_t i = 0; i < grid->size(); ++i) {
    DRAGOMAN_ASSIGN(y, context.Insert(node, "Gather", {{y, (*grid)[i].places}},
                                      {{"axis", static_cast<std::int64_t>(i)}}));
  }
  return ReplaceByUnsqueezed(node, y, ones, context);
}

}  // namespace

std::span<const Pattern> JoinedSizePatterns() {
  static constexpr Pattern kPatterns[] = {{"join-sizes", JoinSizes}};
  return kPatterns;
}

std::span<const Pattern> ReferringSizePatterns() {
  static constexpr Pattern kPatterns[] = {{"refer-to-sizes", ReferToSizes}};
  return kPatterns;
}

std::span<const Pattern> SizePatterns() {
  static constexpr Pattern kPatterns[] = {{"read-sizes-of-inputs", ReadSizesOfInputs},
                                          {"read-size-of-input", ReadSizeOfInput},
                                          {"state-computed-sizes", StateComputedSizes},
                                          {"copy-inferred-size", CopyInferredSize},
                                          {"fill-at-once", FillAtOnce},
                                          {"take-whole-axis", TakeWholeAxis},
                                          {"count-from-front", CountFromFront},
                                          {"take-before-unsqueezing", TakeBeforeUnsqueezing},
                                          {"take-of-narrower", TakeOfNarrower},
                                          {"take-along-axes", TakeAlongAxes}};
  return kPatterns;
}

}  // namespace dragoman
