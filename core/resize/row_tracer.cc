// SPDX-License-Identifier: Apache-2.0
#include "core/resize/row_tracer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/ir/for_each_value.h"
#include "core/ir/type_algebra.h"
#include "core/ops/op_def.h"
#include "core/resize/new_sizes.h"
#include "core/resize/rules.h"

namespace dragoman {
namespace {

using Sizes = std::vector<std::int64_t>;

bool HoldsSymbol(const Dim& size, const Dim& symbol) {
  return std::ranges::count(size.Symbols(), *symbol.symbol()) > 0;
}

bool HoldsSymbol(const Elements& elements, const Dim& symbol) {
  return std::ranges::any_of(elements, [&](const Dim& e) { return HoldsSymbol(e, symbol); });
}

std::optional<Sizes> KnownSizes(const Shape* shape) {
  return shape != nullptr ? KnownShape(*shape) : std::nullopt;
}

// The nodes that give what `node` reads, in bodies of it too; inputs of the entry that it reads.
void AddSources(const Node& node, std::vector<const Node*>& sources,
                std::set<std::size_t>& inputs) {
  const auto add = [&](const Value* value) {
    if (value == nullptr) return;
    const Node* source =
        value->producer() != nullptr ? value->producer() : value->graph()->parent();
    if (source != nullptr && source != &node) sources.push_back(source);
    if (source == nullptr && value->kind() == Value::Kind::kInput) inputs.insert(value->index());
  };
  for (const Use& use : node.operands()) add(use.value());
  for (const Graph* body : node.subgraphs()) {
    ForEachGraph(*body, [&](const Graph& graph) {
      for (const Node& inner : graph.nodes()) sources.push_back(&inner);
    });
  }
}

// Rows of a tensor of `samples` samples that lie in `outer` groups, `bytes` each: whether those of
// each group are equal, and then one of each.
std::optional<std::string> EqualRows(std::span<const std::byte> data, std::size_t groups,
                                     std::size_t samples, std::size_t bytes) {
  std::string kept;
  for (std::size_t group = 0; group < groups; ++group) {
    const auto* first = reinterpret_cast<const char*>(data.data()) + group * samples * bytes;
    const std::string_view row(first, bytes);
    for (std::size_t s = 1; s < samples; ++s) {
      if (std::string_view(first + s * bytes, bytes) != row) return std::nullopt;
    }
    kept += row;
  }
  return kept;
}

}  // namespace

Result<RowTracer> RowTracer::Make(Graph& entry, Dim samples, std::int64_t old_samples,
                                  TraceMemory& memory) {
  RowTracer tracer;
  tracer.entry_ = &entry;
  tracer.samples_ = std::move(samples);
  tracer.old_samples_ = Dim(old_samples);
  tracer.memory_ = &memory;
  memory.choices.Restart();
  DRAGOMAN_ASSIGN(tracer.context_, PassContext::Make(entry, nullptr));
  std::size_t site = entry.num_inputs();
  ForEachGraph(entry, [&](Graph& graph) {
    ForEachValue(graph, [&](Value& value) { tracer.old_types_[&value] = value.type(); });
    for (Node& node : graph.nodes()) tracer.sites_[&node] = site++;
  });
  for (const auto& input : entry.inputs()) tracer.rows_[input.get()] = Rows::Shared(true);
  return tracer;
}

void RowTracer::SetInput(std::size_t i, const Rows& rows) {
  Value* input = entry_->input(i);
  SetRows(input, rows);
  input->set_type(input->type().WithShape(NewShape(input)));
}

Status RowTracer::TraceEntry() {
  Status status = TraceNodes(*entry_);
  if (!status.ok() || refused_.empty()) return status;
  return Internal("nodes were refused without a finding");
}

bool RowTracer::TryAgain() {
  if (std::exchange(again_, false)) return true;
  return std::ranges::any_of(
      refused_, [&](const Node* node) { return memory_->choices.TryNext(SitesBefore(*node)); });
}

const Rows& RowTracer::RowsOf(const Value* value) const {
  static const Rows kShared;
  const auto found = value != nullptr ? rows_.find(value) : rows_.end();
  return found != rows_.end() ? found->second : kShared;
}

void RowTracer::SetRows(const Value* value, Rows rows) { rows_[value] = std::move(rows); }

const Shape* RowTracer::OldShape(const Value* value) const {
  const auto found = old_types_.find(value);
  return found != old_types_.end() ? found->second.shape() : value->type().shape();
}

Shape RowTracer::NewShape(const Value* value) const {
  Shape shape = *OldShape(value);
  const Rows& rows = RowsOf(value);
  if (rows.is_axis()) shape[static_cast<std::size_t>(rows.axis)] = rows.Size(samples_);
  return shape;
}

Error RowTracer::Refuse(const Node& node, std::string why) const {
  return Unsupported(std::move(why)).At(node.Describe());
}

Status RowTracer::TraceNodes(Graph& graph) {
  Error refusals = Unsupported("");
  refusals.findings().clear();
  for (Node& node : graph.nodes()) {
    Status status = TraceNode(node);
    if (status.ok()) continue;
    if (again_) return status;
    SetResults(node, Rows::Lost());
    refused_.push_back(&node);
    for (Finding& finding : status.error().findings())
      refusals.findings().push_back(std::move(finding));
  }
  if (refusals.findings().empty()) return {};
  return refusals;
}

Status RowTracer::TraceBody(Graph& body) {
  // A body that is a group of nodes reads nothing around it, not even the number of samples.
  const bool is_group = body.parent()->IsDragoman("Fused");
  in_group_ += is_group ? 1 : 0;
  Status status = TraceNodes(body);
  in_group_ -= is_group ? 1 : 0;
  return status;
}

Status RowTracer::SetBodyInput(Graph& body, std::size_t i, const Rows& rows) {
  Value* input = body.input(i);
  SetRows(input, rows);
  if (!rows.is_axis() || !input->type().is_tensor()) return {};
  if (OldShape(input) == nullptr)
    return Refuse(*body.parent(), "the rank of '" + input->name() + "' in its body is not known");
  input->set_type(input->type().WithShape(NewShape(input)));
  return {};
}

Status RowTracer::AlignOutput(Graph& body, std::size_t i, const Rows& rows) {
  Value* value = body.output(i);
  if (RowsOf(value).is_axis() && SamePlace(RowsOf(value), rows)) return {};
  Value* const operands[] = {value};
  Node* copy = body.Append(FindOp("Identity")->name, operands, value->name());
  Value* result = copy->AddResult(context_.UniqueName(value->name()), value->type());
  old_types_[result] = value->type().is_tensor() && OldShape(value) != nullptr
                           ? value->type().WithShape(*OldShape(value))
                           : value->type();
  body.SetOutput(i, result);
  DRAGOMAN_TRY(Align(*copy, 0, rows));
  SetRows(result, rows);
  return Infer(*copy);
}

void RowTracer::SetResults(Node& node, const Rows& rows) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) SetRows(node.result(i), rows);
  }
}

// What there is among the operands and what bodies capture.
Rows RowTracer::Reads(const Node& node) const {
  bool axis = false;
  bool count = false;
  bool lost = false;
  bool of_input = false;
  const auto look = [&](const Value* value) {
    const Rows& rows = RowsOf(value);
    axis = axis || rows.is_axis();
    count = count || rows.is_count();
    lost = lost || rows.is_lost();
    of_input = of_input || rows.of_input;
  };
  for (const Use& use : node.operands()) look(use.value());
  for (const Graph* body : node.subgraphs()) {
    ForEachGraph(*body, [&](const Graph& graph) {
      for (const Node& inner : graph.nodes()) {
        for (const Use& use : inner.operands()) look(use.value());
      }
      for (const Use& use : graph.outputs()) look(use.value());
    });
  }
  if (lost) return Rows::Lost();
  if (axis) return Rows::At(0);
  return count ? Rows::Count() : Rows::Shared(of_input);
}

// Rules address axes by their numbers from the front.
Status RowTracer::CheckRanks(const Node& node) const {
  const auto check = [&](const Value* value) -> Status {
    if (value == nullptr || OldShape(value) != nullptr) return {};
    if (value->type().known() && !value->type().is_tensor()) return {};
    return Refuse(node, "the rank of '" + value->name() + "' is not known; state it by --shape");
  };
  for (std::size_t i = 0; i < node.num_operands(); ++i) DRAGOMAN_TRY(check(node.operand(i)));
  for (std::size_t i = 0; i < node.num_results(); ++i) DRAGOMAN_TRY(check(node.result(i)));
  return {};
}

Status RowTracer::TraceNode(Node& node) {
  const Rows reads = Reads(node);
  if (reads.is_lost() || reads.is_shared()) {
    SetResults(node, reads);
    return {};
  }
  if (reads.is_count()) return TraceCount(node);
  const RowRule* rule = FindRowRule(node);
  if (rule == nullptr)
    return Refuse(node, "what the operator does with the samples of a batch is not known");
  DRAGOMAN_TRY(CheckRanks(node));
  DRAGOMAN_TRY(rule->trace(node, *this));
  return Infer(node);
}

// What is repeated to the number of samples may be of the old one already.
Status RowTracer::TakeFirstOfExpanded(Node& node) {
  const std::optional<Elements> sizes = context_.inference.Know(node.operand(1)).elements;
  const Shape* old = OldShape(node.operand(0));
  if (!sizes || old == nullptr || !RowsOf(node.operand(0)).is_shared()) return {};
  for (std::size_t back = 1; back <= std::min(sizes->size(), old->size()); ++back) {
    const auto axis = static_cast<int>(old->size() - back);
    const Dim& size = (*sizes)[sizes->size() - back];
    if (!HoldsSymbol(size, samples_) || (*old)[old->size() - back] == Dim(1)) continue;
    DRAGOMAN_ASSIGN(Value * one, FirstSample(node, node.operand(0), Rows::At(axis)));
    node.set_operand(0, one);
    break;
  }
  return {};
}

// Integers that are computed from the number of samples, or tensors whose sizes they state.
Status RowTracer::TraceCount(Node& node) {
  if (node.Is("Expand")) DRAGOMAN_TRY(TakeFirstOfExpanded(node));
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) node.result(i)->set_type(WithoutShapes(node.result(i)->type()));
  }
  DRAGOMAN_TRY(context_.inference.InferNode(node));
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result == nullptr) continue;
    const Shape* shape = result->type().shape();
    if (shape == nullptr)
      return Refuse(node, "the number of samples decides the rank of its result");
    const auto holds = [&](const Dim& size) { return HoldsSymbol(size, samples_); };
    const auto at = std::ranges::find_if(*shape, holds);
    const std::optional<Elements> elements = context_.inference.Know(result).elements;
    if (at == shape->end() && elements) {
      SetRows(result, HoldsSymbol(*elements, samples_) ? Rows::Count() : Rows::Shared(false));
      continue;
    }
    // By name: their results are equal along an axis that the number of samples makes.
    const bool repeats =
        node.Is("ConstantOfShape") || (node.Is("Expand") && RowsOf(node.operand(0)).is_shared());
    const Dim inner = at != shape->end() ? FloorDiv(*at, samples_) : Dim();
    if (!repeats || std::ranges::count_if(*shape, holds) != 1 || inner * samples_ != *at ||
        HoldsSymbol(inner, samples_)) {
      return Refuse(node, "it computes with the number of samples");
    }
    SetRows(result, Rows::At(static_cast<int>(at - shape->begin()), 1, inner));
  }
  return {};
}

// Errors: `result` does not hold the samples where its rows say.
Status RowTracer::CheckResult(const Node& node, Value& result) const {
  const Rows& rows = RowsOf(&result);
  if (!result.type().is_tensor() || OldShape(&result) == nullptr || rows.is_count()) return {};
  const Shape expected = NewShape(&result);
  const Shape* inferred = result.type().shape();
  bool agrees = inferred == nullptr || inferred->size() == expected.size();
  Shape shape = expected;
  for (std::size_t i = 0; agrees && inferred != nullptr && i < shape.size(); ++i) {
    const Dim& size = (*inferred)[i];
    const bool is_axis = rows.is_axis() && rows.axis == static_cast<int>(i);
    const Truth equal = size.unknown() ? Truth::kYes : Equal(size, expected[i]);
    agrees = equal == Truth::kYes ||
             (equal == Truth::kUnknown && !is_axis && !HoldsSymbol(size, samples_));
    if (!size.unknown()) shape[i] = size;
  }
  if (!agrees) {
    return Refuse(
        node, fmt::format("'{}' would be {}, expected {}", result.name(), result.type().ToString(),
                          result.type().WithShape(expected).ToString()));
  }
  result.set_type(result.type().WithShape(std::move(shape)));
  return {};
}

Status RowTracer::Infer(Node& node) {
  const Status status = InferNewSizes(node, context_.inference);
  if (!status.ok()) return Refuse(node, status.error().findings().front().message);
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) DRAGOMAN_TRY(CheckResult(node, *node.result(i)));
  }
  return {};
}

bool RowTracer::InfersAsExpected(Node& node) { return Infer(node).ok(); }

std::size_t RowTracer::Choose(const Node& node, std::size_t count, const std::string& pattern) {
  const auto site = sites_.find(&node);
  return site == sites_.end() ? 0 : memory_->choices.Choose(site->second, count, pattern);
}

std::size_t RowTracer::ChooseInput(std::size_t input, std::size_t count) {
  return memory_->choices.Choose(input, count, "input " + std::to_string(input));
}

std::optional<Rows> RowTracer::CarriedRows(const Node& loop, std::size_t i) const {
  const auto of_loop = memory_->carried.find(sites_.at(&loop));
  if (of_loop == memory_->carried.end()) return std::nullopt;
  const auto rows = of_loop->second.find(i);
  return rows != of_loop->second.end() ? std::optional(rows->second) : std::nullopt;
}

void RowTracer::NeedCarried(const Node& loop, std::size_t i, const Rows& rows) {
  again_ = memory_->carried[sites_.at(&loop)].emplace(i, rows).second;
}

std::set<std::size_t> RowTracer::SitesBefore(const Node& node) const {
  std::set<std::size_t> sites;
  std::set<const Node*> seen = {&node};
  std::vector<const Node*> pending = {&node};
  while (!pending.empty()) {
    const Node* at = pending.back();
    pending.pop_back();
    if (const auto site = sites_.find(at); site != sites_.end()) sites.insert(site->second);
    std::vector<const Node*> sources;
    AddSources(*at, sources, sites);
    if (at->graph()->parent() != nullptr) sources.push_back(at->graph()->parent());
    for (const Node* source : sources) {
      if (seen.insert(source).second) pending.push_back(source);
    }
  }
  return sites;
}

std::set<std::size_t> RowTracer::SitesBefore(const Value& value) const {
  if (value.producer() != nullptr) return SitesBefore(*value.producer());
  return value.kind() == Value::Kind::kInput ? std::set<std::size_t>{value.index()}
                                             : std::set<std::size_t>{};
}

Result<Value*> RowTracer::Insert(Node& position, std::string_view label,
                                 std::vector<Value*> operands,
                                 std::vector<NamedAttribute> attributes, Shape old, Rows rows) {
  DRAGOMAN_ASSIGN(Value * value, context_.Insert(position, label, operands, std::move(attributes)));
  old_types_[value] = value->type().WithShape(std::move(old));
  SetRows(value, std::move(rows));
  return value;
}

Value* RowTracer::Ints(Node& position, Sizes values) {
  Value* value =
      context_.AddConstant(*position.graph(), Tensor::Ints(values), "sizes", position.origin());
  old_types_[value] = value->type();
  return value;
}

Status RowTracer::SetInts(Node& node, std::size_t i, const Sizes& values) {
  const Value* old = node.operand(i);
  const std::optional<Sizes> before = context_.inference.KnownInts(old);
  const bool is_i32 = old->type().dtype() == DType::kI32;
  const std::vector<std::int32_t> narrow(values.begin(), values.end());
  const auto count = static_cast<std::int64_t>(values.size());
  Tensor tensor = is_i32 ? Tensor::Of<std::int32_t>({count}, narrow) : Tensor::Ints(values);
  Value* constant =
      context_.AddConstant(*node.graph(), std::move(tensor), old->name(), old->origin());
  old_types_[constant] = constant->type();
  node.set_operand(i, constant);
  changes_.Add(
      {.node = node.Describe(),
       .operand = i,
       .what = "'" + old->name() + "' is",
       .after = fmt::format("[{}]", fmt::join(values, ", ")),
       .before = before ? fmt::format("[{}]", fmt::join(*before, ", ")) : "what is computed"});
  return {};
}

// The number of samples, as a list of one.
Result<Value*> RowTracer::CountVector(Node& node) {
  if (in_group_ > 0) return Refuse(node, "a group of nodes needs the number of samples");
  if (count_ != nullptr) return count_;
  const auto& inputs = entry_->inputs();
  const auto input = std::ranges::find_if(
      inputs, [&](const auto& value) { return RowsOf(value.get()).is_axis(); });
  Node& first = *entry_->first_node();
  const auto rank = static_cast<std::int64_t>(OldShape(input->get())->size());
  const auto axis = static_cast<std::int64_t>(RowsOf(input->get()).axis);
  DRAGOMAN_ASSIGN(Value * shape, Insert(first, "Shape", {input->get()}, {}, {rank}, Rows::Count()));
  Value* index = Ints(first, {axis});
  DRAGOMAN_ASSIGN(count_, Insert(first, "Gather", {shape, index}, {{"axis", std::int64_t{0}}}, {1},
                                 Rows::Count()));
  return count_;
}

// One sample of a constant in which all are equal.
Result<Value*> RowTracer::FirstSample(Node& node, Value* value, const Rows& rows) {
  const Tensor* tensor = value->is_constant() ? value->tensor() : nullptr;
  const bool fits = tensor != nullptr && tensor->dtype() != DType::kString && rows.outer.known() &&
                    rows.inner.known() && Info(tensor->dtype()).bits % 8 == 0;
  if (!fits) {
    return Refuse(node, "'" + value->name() + "' is of " + old_samples_.ToString() +
                            " samples, but depends on no input that has them");
  }
  const auto axis = static_cast<std::size_t>(rows.axis);
  Sizes sizes = tensor->sizes();
  std::size_t groups = static_cast<std::size_t>(rows.outer.value());
  std::size_t bytes = static_cast<std::size_t>(rows.inner.value() * Info(tensor->dtype()).bits / 8);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    (i < axis ? groups : bytes) *= i == axis ? 1 : static_cast<std::size_t>(sizes[i]);
  const auto samples = static_cast<std::size_t>(old_samples_.value());
  std::optional<std::string> kept = EqualRows(tensor->bytes(), groups, samples, bytes);
  if (!kept)
    return Refuse(node, "constant '" + value->name() + "' differs from one sample to the next");
  sizes[axis] /= old_samples_.value();
  DRAGOMAN_ASSIGN(Tensor one, Tensor::Make(tensor->dtype(), sizes, Buffer::Own(std::move(*kept))));
  const auto reads = std::ranges::find(node.operands(), value, &Use::value);
  changes_.Add({.node = node.Describe(),
                .operand = static_cast<std::size_t>(reads - node.operands().begin()),
                .what = "constant '" + value->name() + "' is of one sample"});
  Value* constant =
      context_.AddConstant(*node.graph(), std::move(one), value->name(), value->origin());
  old_types_[constant] = constant->type();
  return constant;
}

// `value`, which holds no samples, once for each.
Result<Value*> RowTracer::Repeated(Node& node, Value* value, const Rows& rows) {
  const Shape old = *OldShape(value);
  const auto axis = static_cast<std::size_t>(rows.axis);
  Value* one = value;
  if (!single()) {
    DRAGOMAN_ASSIGN(one, FirstSample(node, value, rows));
  }
  const std::optional<Sizes> sizes = KnownSizes(&old);
  if (!rows.alone() && (!sizes || !rows.outer.known() || !rows.inner.known()))
    return Refuse(node, "'" + value->name() + "' would be repeated along a size that is not known");
  Shape spread = old;
  Rows at = rows;
  spread[axis] = Dim(1);
  if (!rows.alone()) {
    Sizes apart = *sizes;
    apart[axis] = rows.inner.value();
    apart.insert(apart.begin() + rows.axis, {rows.outer.value(), 1});
    spread = Shape(apart.begin(), apart.end());
    at = Rows::At(rows.axis + 1);
    DRAGOMAN_ASSIGN(
        one, Insert(node, "Reshape", {one, Ints(node, apart)}, {}, spread, Rows::Shared(false)));
  }
  DRAGOMAN_ASSIGN(Value * count, CountVector(node));
  std::vector<Value*> parts;
  if (at.axis > 0) parts.push_back(Ints(node, Sizes(static_cast<std::size_t>(at.axis), 1)));
  parts.push_back(count);
  const std::size_t behind = spread.size() - static_cast<std::size_t>(at.axis) - 1;
  if (behind > 0) parts.push_back(Ints(node, Sizes(behind, 1)));
  Value* target = count;
  if (parts.size() > 1) {
    DRAGOMAN_ASSIGN(target, Insert(node, "Concat", parts, {{"axis", std::int64_t{0}}},
                                   {static_cast<std::int64_t>(spread.size())}, Rows::Count()));
  }
  spread[static_cast<std::size_t>(at.axis)] = old_samples_;
  DRAGOMAN_ASSIGN(Value * repeated, Insert(node, "Expand", {one, target}, {}, spread, at));
  if (rows.alone()) return repeated;
  Sizes together = *sizes;
  together[axis] = -1;
  return Insert(node, "Reshape", {repeated, Ints(node, together)}, {}, old, rows);
}

Status RowTracer::Align(Node& node, std::size_t i, const Rows& rows) {
  Value* value = node.operand(i);
  const Rows& own = RowsOf(value);
  if (own.is_axis() && SamePlace(own, rows)) return {};
  if (!own.is_shared() || OldShape(value) == nullptr) {
    return Refuse(node, "its operands hold the samples at different places");
  }
  const Dim size = (*OldShape(value))[static_cast<std::size_t>(rows.axis)];
  if (own.of_input && !memory_->repeats_inputs)
    return Refuse(node, "'" + value->name() + "' depends on an input without a batch");
  if (Equal(size, rows.Size(old_samples_)) != Truth::kYes)
    return Refuse(node, "'" + value->name() + "' has no axis of the samples");
  DRAGOMAN_ASSIGN(Value * repeated, Repeated(node, value, rows));
  node.set_operand(i, repeated);
  changes_.Add({.node = node.Describe(),
                .operand = i,
                .what = "'" + value->name() + "' is repeated for each sample"});
  return {};
}

Status RowTracer::AlignBroadcast(Node& node, std::size_t i, const Rows& rows, int rank) {
  Value* value = node.operand(i);
  if (value == nullptr) return {};
  const Rows& own = RowsOf(value);
  const Shape* shape = OldShape(value);
  if (shape == nullptr) return Refuse(node, "the rank of '" + value->name() + "' is not known");
  if (own.is_count()) return Refuse(node, "it computes with the number of samples");
  const int shift = rank - static_cast<int>(shape->size());
  if (own.is_axis()) {
    if (SamePlace(own.Moved(own.axis + shift), rows)) return {};
    return Refuse(node, "its operands hold the samples at different places");
  }
  const int axis = rows.axis - shift;
  if (axis < 0 || (*shape)[static_cast<std::size_t>(axis)] == Dim(1)) return {};
  if (single() || !rows.alone()) return Align(node, i, rows.Moved(axis));
  DRAGOMAN_ASSIGN(Value * one, FirstSample(node, value, rows.Moved(axis)));
  node.set_operand(i, one);
  return {};
}

}  // namespace dragoman
