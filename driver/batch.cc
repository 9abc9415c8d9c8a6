// SPDX-License-Identifier: Apache-2.0
#include "driver/batch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/input_names.h"
#include "core/support/port_name.h"
#include "driver/given_names.h"

namespace dragoman {
namespace {

// The request with inputs as `graph` calls them.
BatchRequest InNamesOf(const Model& source, const Graph& graph, const BatchRequest& request) {
  const std::vector<std::string> names = InputNames(graph);
  BatchRequest named{.size = request.size, .axes = {}};
  for (const auto& [given, axis] : request.axes)
    named.axes[WithoutPort(NameIn(source, given), names)] = axis;
  return named;
}

// The inputs whose sizes along the axes of the samples are open, and these axes.
std::vector<BatchedValue> OpenInputs(const Graph& graph, const BatchRequest& request) {
  std::vector<BatchedValue> open;
  for (const auto& input : graph.inputs()) {
    const auto stated = request.axes.find(input->name());
    const int axis = stated != request.axes.end() ? stated->second : 0;
    const Shape* shape = input->type().shape();
    const bool is_open = shape != nullptr && static_cast<int>(shape->size()) > axis &&
                         !(*shape)[static_cast<std::size_t>(axis)].known();
    open.push_back({input->name(), is_open ? std::optional(axis) : std::nullopt});
  }
  return open;
}

// The facts, and that the open sizes are `size`.
Facts Stated(const Graph& graph, const std::vector<BatchedValue>& open, const Dim& size,
             Facts facts) {
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (!open[i].axis) continue;
    const auto axis = static_cast<std::size_t>(*open[i].axis);
    const Shape& shape = *graph.input(i)->type().shape();
    if (const std::string* symbol = shape[axis].symbol()) facts.dims.emplace(*symbol, size);
    auto fact = std::ranges::find(facts.shapes, open[i].name, &ShapeFact::input);
    if (fact == facts.shapes.end()) {
      facts.shapes.push_back({.input = open[i].name});
      fact = facts.shapes.end() - 1;
    }
    fact->dims.resize(shape.size());
    fact->dims[axis] = size;
  }
  return facts;
}

}  // namespace

Result<Model> LowerForBatch(const Session& session, const Model& source, const Facts& facts,
                            const BatchRequest& given, const Note& note, BatchReport& report) {
  DRAGOMAN_ASSIGN(Model model, session.Lower(source, facts, note));
  const Graph& graph = *model.entries.front().graph;
  const BatchRequest request = InNamesOf(source, graph, given);
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> samples, SamplesOf(graph, request));
  if (samples) {
    DRAGOMAN_ASSIGN(report, ResizeBatch(model, request));
    return model;
  }
  // What is proven for two holds for any number, of what the model computes for that; where its own
  // constants are for one sample, only that can be lowered.
  const std::vector<BatchedValue> open = OpenInputs(graph, request);
  Result<Model> of_two = session.Lower(source, Stated(graph, open, Dim(2), facts), nullptr);
  if (of_two.ok()) {
    model = std::move(*of_two);
  } else {
    DRAGOMAN_ASSIGN(model, session.Lower(source, Stated(graph, open, Dim(1), facts), nullptr));
  }
  Result<BatchReport> resized = ResizeBatch(model, request);
  if (!resized.ok() && resized.error().kind() == ErrorKind::kUnsupported)
    resized.error().findings().back().message += "; --dim states a size without proof";
  DRAGOMAN_ASSIGN(report, std::move(resized));
  return model;
}

}  // namespace dragoman
