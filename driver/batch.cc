// SPDX-License-Identifier: Apache-2.0
#include "driver/batch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/port_name.h"
#include "driver/given_names.h"

namespace dragoman {
namespace {

std::vector<std::string> InputNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const auto& input : graph.inputs()) names.push_back(input->name());
  return names;
}

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

// Whether `fact` differs from `type` along axis 0 alone, where a number becomes another size.
bool StatesOtherSamples(const ShapeFact& fact, const Type& type) {
  const Shape& declared = *type.shape();
  if (fact.from_data || (fact.dtype && *fact.dtype != type.dtype()) || declared.empty() ||
      fact.dims.size() != declared.size())
    return false;
  const std::optional<Dim>& size = fact.dims.front();
  if (!size || !declared.front().known() || *size == declared.front()) return false;
  if (size->known() ? size->value() < 1 : size->symbol() == nullptr) return false;
  for (std::size_t i = 1; i < declared.size(); ++i) {
    if (fact.dims[i] && *fact.dims[i] != declared[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<BatchRequest> BatchOfShapes(const Model& source, const Facts& facts) {
  if (facts.shapes.empty() || !facts.dims.empty() || source.entries.empty()) return std::nullopt;
  const Graph& graph = *ChosenEntry(source, facts).graph;
  const Facts named = WithNames(NamesIn(source, facts), InputNames(graph));
  BatchRequest request;
  std::optional<Dim> declared;
  for (const ShapeFact& fact : named.shapes) {
    const auto& inputs = graph.inputs();
    const auto input = std::ranges::find_if(
        inputs, [&](const auto& value) { return value->name() == fact.input; });
    const Shape* shape = input != inputs.end() ? (*input)->type().shape() : nullptr;
    if (shape == nullptr || !StatesOtherSamples(fact, (*input)->type())) return std::nullopt;
    const bool agrees = !declared || (*declared == shape->front() && request.size == *fact.dims[0]);
    if (!agrees) return std::nullopt;
    declared = shape->front();
    request.size = *fact.dims[0];
    request.axes[fact.input] = 0;
  }
  return request;
}

std::optional<SizesOfShapes> OtherSizesOf(const Model& source, const Facts& facts) {
  if (facts.shapes.empty() || source.entries.empty()) return std::nullopt;
  const Graph& graph = *ChosenEntry(source, facts).graph;
  SizesOfShapes found{.declared = WithNames(NamesIn(source, facts), InputNames(graph))};
  for (ShapeFact& fact : found.declared.shapes) {
    const auto input = std::ranges::find_if(
        graph.inputs(), [&](const auto& value) { return value->name() == fact.input; });
    const Shape* shape = input != graph.inputs().end() ? (*input)->type().shape() : nullptr;
    if (shape == nullptr || fact.from_data || fact.dims.size() != shape->size())
      return std::nullopt;
    ShapeFact sizes{.input = fact.input}, ones{.input = fact.input};
    sizes.dims.resize(shape->size());
    ones.dims.resize(shape->size());
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      if (!(*shape)[axis].known() || !fact.dims[axis] || *fact.dims[axis] == (*shape)[axis])
        continue;
      const bool is_one = (*shape)[axis].value() <= 1;
      (is_one ? ones : sizes).dims[axis] = std::exchange(fact.dims[axis], std::nullopt);
    }
    const auto add = [](std::vector<ShapeFact>& to, ShapeFact& stated) {
      if (std::ranges::any_of(stated.dims, &std::optional<Dim>::has_value))
        to.push_back(std::move(stated));
    };
    add(found.sizes, sizes);
    add(found.ones, ones);
  }
  const bool is_same = found.sizes.empty() && found.ones.empty();
  return is_same ? std::nullopt : std::optional(std::move(found));
}

Result<std::vector<ShapeFact>> ResizeOnes(Model& model, const std::vector<ShapeFact>& ones) {
  // Above 1 its axis is seen everywhere; a prime number divides few other sizes.
  constexpr std::int64_t kSamples = 11;
  if (ones.empty()) return std::vector<ShapeFact>();
  BatchRequest request{.size = kSamples, .axes = {}};
  std::optional<Dim> asked;
  for (const ShapeFact& fact : ones) {
    for (std::size_t axis = 0; axis < fact.dims.size(); ++axis) {
      if (!fact.dims[axis]) continue;
      const Dim size = fact.dims[axis]->unknown() ? Dim::Symbol("batch") : *fact.dims[axis];
      const bool is_first = request.axes.emplace(fact.input, static_cast<int>(axis)).second;
      if (!is_first || (asked && *asked != size)) {
        return Unsupported("--shape: axis " + std::to_string(axis) + " of input '" + fact.input +
                           "' is of size 1, as another that is to be of another size");
      }
      asked = size;
    }
  }
  if (!model.states.empty())
    return Unsupported("--shape: a model with states is made one of other sizes by --batch alone");
  DRAGOMAN_ASSIGN(const BatchReport report, ResizeBatch(model, request));
  std::vector<ShapeFact> sizes;
  for (const BatchedValue& input : report.inputs) {
    if (!input.axis) continue;
    ShapeFact& fact = sizes.emplace_back(ShapeFact{.input = input.name});
    const auto value = std::ranges::find_if(
        model.main().inputs(), [&](const auto& each) { return each->name() == input.name; });
    fact.dims.resize((*value)->type().shape()->size());
    fact.dims[static_cast<std::size_t>(*input.axis)] = *asked;
  }
  return sizes;
}

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
