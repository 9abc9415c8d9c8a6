// SPDX-License-Identifier: Apache-2.0
#include "core/resize/resize_batch.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>

#include "core/ir/input_names.h"
#include "core/ir/model_symbols.h"
#include "core/resize/row_tracer.h"
#include "core/rewrite/apply_facts.h"
#include "core/support/nearest_name.h"

namespace dragoman {
namespace {

// How often a model is traced, with other guesses each time, and on how many nodes in all.
constexpr std::size_t kMaxTraces = 400;
constexpr std::size_t kMaxTracedNodes = 4'000'000;

constexpr char kHint[] =
    "; if an input holds its samples along another axis, state it by --batch-axis INPUT=AXIS";

using InputAxes = std::vector<std::vector<std::optional<int>>>;  // candidates, by input

Result<const Value*> StatedInput(const Graph& graph, const std::string& name, int axis) {
  const Value* input = InputCalled(graph, name);
  if (input == nullptr) {
    return InvalidInput("--batch-axis names the input '" + name + "', which does not exist" +
                        WhatThereIs(name, "inputs are", InputNames(graph)));
  }
  const std::optional<int> rank = input->type().rank();
  if (rank && axis >= 0 && axis < *rank) return input;
  return InvalidInput("--batch-axis " + name + "=" + std::to_string(axis) +
                      ": the input is of type " + input->type().ToString());
}

const Dim* SizeAt(const Value& input, int axis) {
  const Shape* shape = input.type().shape();
  const bool has = shape != nullptr && static_cast<std::size_t>(axis) < shape->size();
  return has ? &(*shape)[static_cast<std::size_t>(axis)] : nullptr;
}

// Whether an input that is stated holds its samples along `axis` and is like `input` otherwise.
bool IsLikeStated(const Graph& graph, const Value& input, int axis, const BatchRequest& request) {
  return std::ranges::any_of(graph.inputs(), [&](const auto& other) {
    const auto stated = request.axes.find(other->name());
    return stated != request.axes.end() && stated->second == axis &&
           other->type().rank() == input.type().rank();
  });
}

// Where an input may hold the samples, the likeliest first.
std::vector<std::optional<int>> AxesOf(const Graph& graph, const Value& input, std::int64_t samples,
                                       const BatchRequest& request) {
  if (const auto stated = request.axes.find(input.name()); stated != request.axes.end())
    return {stated->second};
  std::vector<std::optional<int>> axes;
  for (int axis = 0; axis < input.type().rank().value_or(0); ++axis) {
    if (*SizeAt(input, axis) != Dim(samples)) continue;
    const bool is_likely = IsLikeStated(graph, input, axis, request);
    axes.insert(is_likely ? axes.begin() : axes.end(), axis);
  }
  const bool is_likely =
      !axes.empty() && (*axes.front() == 0 || IsLikeStated(graph, input, *axes.front(), request));
  if (is_likely && request.axes.empty()) return axes;
  axes.insert(is_likely ? axes.end() : axes.begin(), std::nullopt);
  return axes;
}

// The symbol that stands for the number of samples while the model is traced.
Result<Dim> SamplesSymbol(const Model& model, const Dim& size) {
  const std::set<std::string> symbols = SymbolsOf(model);
  if (size.symbol() != nullptr) {
    if (!symbols.contains(*size.symbol())) return size;
    return InvalidInput("--batch " + *size.symbol() + ": another size is called so");
  }
  if (!size.known() || size.value() < 0)
    return InvalidInput("--batch takes a number or a symbol, not " + size.ToString());
  std::string name = "batch";
  while (symbols.contains(name)) name += "_";
  return Dim::Symbol(name);
}

// One entry, traced until all guesses fit.
class EntryResizer {
 public:
  EntryResizer(const Entry& source, Dim samples, std::int64_t old_samples, InputAxes axes)
      : source_(source),
        samples_(std::move(samples)),
        old_samples_(old_samples),
        axes_(std::move(axes)) {}

  Result<BatchReport> Run(std::unique_ptr<Graph>& graph) {
    const std::size_t nodes = source_.graph->num_nodes() + 1;
    for (std::size_t traces = 0; traces < kMaxTraces && traces * nodes < kMaxTracedNodes;
         ++traces) {
      graph = std::make_unique<Graph>();
      graph->set_name(source_.graph->name());
      ValueMap map;
      CloneInto(*source_.graph, *graph, map);
      Result<bool> done = Trace(*graph);
      if (!done.ok()) return std::move(done).error();
      if (*done) return std::move(report_);
      if (again_) continue;
      if (std::exchange(memory_.repeats_inputs, true)) break;
      memory_.choices = {};
    }
    return *std::move(refusal_);
  }

 private:
  // Whether all guesses fit; again_: there are others.
  Result<bool> Trace(Graph& graph) {
    DRAGOMAN_ASSIGN(RowTracer tracer, RowTracer::Make(graph, samples_, old_samples_, memory_));
    report_ = {};
    for (std::size_t i = 0; i < graph.num_inputs(); ++i) {
      const std::optional<int> axis = axes_[i][tracer.ChooseInput(i, axes_[i].size())];
      if (axis) tracer.SetInput(i, Rows::At(*axis));
      report_.inputs.push_back({graph.input(i)->name(), axis});
    }
    Status status = tracer.TraceEntry();
    again_ = !status.ok() && tracer.TryAgain();
    if (status.ok()) status = CheckOutputs(graph, tracer);
    if (status.ok()) {
      report_.changes = tracer.changes();
      return true;
    }
    if (status.error().kind() == ErrorKind::kInternal) return std::move(status).error();
    Keep(std::move(status).error());
    return false;
  }

  // Samples that lie in an output as they do in a state, and side by side.
  Status CheckOutputs(Graph& graph, RowTracer& tracer) {
    for (std::size_t i = 0; i < graph.num_outputs(); ++i) {
      const Value* output = graph.output(i);
      const Rows& rows = tracer.RowsOf(output);
      const std::string name = "output '" + output->name() + "'";
      if (rows.is_count()) return Unsupported(name + " is computed from the number of samples");
      if (rows.is_axis() && rows.outer != Dim(1)) {
        again_ = tracer.TryOthers(*output);
        return Unsupported(name + " would hold parts of samples in turn");
      }
      const auto state = std::ranges::find(source_.states, i, &StateBinding::output);
      if (state != source_.states.end()) {
        const Rows& before = tracer.RowsOf(graph.input(state->input));
        if (rows.kind != before.kind || (rows.is_axis() && !SamePlace(rows, before))) {
          again_ = tracer.TryOthers(*output) || tracer.TryOthers(*graph.input(state->input));
          return Unsupported(name + ", the next value of a state, would not be of its sizes");
        }
      }
      report_.outputs.push_back(
          {output->name(), rows.is_axis() ? std::optional(rows.axis) : std::nullopt});
    }
    return {};
  }

  // The shortest list is of the guesses that go furthest.
  void Keep(Error error) {
    if (!refusal_ || error.findings().size() < refusal_->findings().size())
      refusal_ = std::move(error);
  }

  const Entry& source_;
  Dim samples_;
  std::int64_t old_samples_;
  InputAxes axes_;
  TraceMemory memory_;
  BatchReport report_;
  std::optional<Error> refusal_;
  bool again_ = false;
};

// An initial value of `count` samples along `axis` in place of `old_count`, which are equal.
Result<Tensor> RepeatedSamples(const State& state, std::size_t axis, std::int64_t old_count,
                               std::int64_t count) {
  const Tensor* tensor = state.initial.tensor();
  const int bits = tensor != nullptr ? Info(tensor->dtype()).bits : 0;
  if (bits == 0 || bits % 8 != 0)
    return Unsupported("the initial value of state '" + state.name + "' cannot be repeated");
  std::vector<std::int64_t> sizes = tensor->sizes();
  std::size_t groups = 1;
  auto bytes = static_cast<std::size_t>(bits / 8);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i != axis) (i < axis ? groups : bytes) *= static_cast<std::size_t>(sizes[i]);
  }
  const auto* data = reinterpret_cast<const char*>(tensor->bytes().data());
  std::string repeated;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::string_view first(data, bytes);
    for (std::int64_t i = 0; i < old_count; ++i, data += bytes) {
      if (std::string_view(data, bytes) == first) continue;
      return Unsupported("the initial value of state '" + state.name +
                         "' differs from one sample to the next");
    }
    for (std::int64_t i = 0; i < count; ++i) repeated += first;
  }
  sizes[axis] = count;
  return Tensor::Make(tensor->dtype(), std::move(sizes), Buffer::Own(std::move(repeated)));
}

Status ResizeStates(Model& model, const Entry& entry, const BatchReport& report,
                    std::int64_t old_count, const Dim& count, std::set<std::size_t>& resized) {
  for (const StateBinding& binding : entry.states) {
    const std::optional<int> axis = report.inputs[binding.input].axis;
    State& state = model.states[binding.state];
    if (!axis || !resized.insert(binding.state).second) continue;
    if (!count.known()) {
      return InvalidInput("state '" + state.name +
                          "' has an initial value for each sample: --batch takes a number here");
    }
    DRAGOMAN_ASSIGN(Tensor initial, RepeatedSamples(state, static_cast<std::size_t>(*axis),
                                                    old_count, count.value()));
    state.type = initial.type();
    state.initial = Attribute(std::move(initial));
  }
  return {};
}

// Reports of several entries as one.
void Join(BatchReport& all, BatchReport more) {
  const auto add = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  add(all.inputs, more.inputs);
  add(all.outputs, more.outputs);
  all.changes.Add(more.changes);
}

}  // namespace

Result<std::optional<std::int64_t>> SamplesOf(const Graph& graph, const BatchRequest& request) {
  std::optional<Dim> samples;
  for (const auto& [name, axis] : request.axes) {
    DRAGOMAN_ASSIGN(const Value* input, StatedInput(graph, name, axis));
    const Dim* size = SizeAt(*input, axis);
    if (samples && *samples != *size) {
      return InvalidInput("--batch-axis names axes of size " + samples->ToString() + " and " +
                          size->ToString());
    }
    samples = *size;
  }
  for (const auto& input : graph.inputs()) {
    if (!samples && SizeAt(*input, 0) != nullptr) samples = *SizeAt(*input, 0);
  }
  if (!samples) return InvalidInput("--batch: no input has an axis");
  return samples->known() ? std::optional(samples->value()) : std::nullopt;
}

Result<BatchReport> ResizeBatch(Model& model, const BatchRequest& request) {
  if (model.entries.empty()) return InvalidInput("the model has no entry");
  DRAGOMAN_ASSIGN(const Dim samples, SamplesSymbol(model, request.size));
  BatchReport report;
  std::set<std::size_t> resized_states;
  std::map<std::size_t, std::optional<int>> state_axes;
  for (Entry& entry : model.entries) {
    DRAGOMAN_ASSIGN(const std::optional<std::int64_t> old, SamplesOf(*entry.graph, request));
    if (!old || *old < 1)
      return InvalidInput("--batch: the number of samples that the model is for is not stated");
    InputAxes axes;
    for (const auto& input : entry.graph->inputs())
      axes.push_back(AxesOf(*entry.graph, *input, *old, request));
    // What the number was read off, where no input is stated.
    const auto first = std::ranges::find_if(axes, [](const auto& a) { return a.front() == 0; });
    if (request.axes.empty() && first != axes.end()) *first = {0};
    for (const StateBinding& binding : entry.states) {
      if (state_axes.contains(binding.state)) axes[binding.input] = {state_axes[binding.state]};
    }
    std::unique_ptr<Graph> graph;
    Result<BatchReport> traced = EntryResizer(entry, samples, *old, axes).Run(graph);
    if (!traced.ok() && request.axes.empty() && traced.error().kind() == ErrorKind::kUnsupported)
      traced.error().findings().back().message += kHint;
    DRAGOMAN_ASSIGN(BatchReport own, std::move(traced));
    DRAGOMAN_TRY(ResizeStates(model, entry, own, *old, request.size, resized_states));
    for (const StateBinding& binding : entry.states)
      state_axes[binding.state] = own.inputs[binding.input].axis;
    entry.graph = std::move(graph);
    Join(report, std::move(own));
  }
  if (!request.size.known()) return report;
  Facts facts;
  facts.dims.emplace(*samples.symbol(), request.size);
  DRAGOMAN_ASSIGN(model, ApplyFactsToModel(model, facts));
  return report;
}

}  // namespace dragoman
