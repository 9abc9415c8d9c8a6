// SPDX-License-Identifier: Apache-2.0
#include "driver/runner.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>

#include <fmt/format.h>

#include "core/support/nearest_name.h"
#include "core/support/text.h"
#include "driver/given_names.h"
#include "driver/structured_calls.h"

namespace dragoman {
namespace {

bool SameType(const NamedArray& a, const NamedArray& b) {
  return a.name == b.name && a.dtype == b.dtype && a.array.kind == b.array.kind &&
         a.array.item_bytes == b.array.item_bytes && a.array.shape == b.array.shape;
}

const NamedArray* FindNamed(const std::vector<NamedArray>& arrays, const std::string& name) {
  const auto found = std::ranges::find(arrays, name, &NamedArray::name);
  return found == arrays.end() ? nullptr : &*found;
}

// Whether an array of `b` has the name of one of `a`, and another type.
bool Contradicts(const std::vector<NamedArray>& a, const std::vector<NamedArray>& b) {
  return std::ranges::any_of(b, [&](const NamedArray& array) {
    const NamedArray* const other = FindNamed(a, array.name);
    return other != nullptr && !SameType(*other, array);
  });
}

// Arrays with the names of inputs in place of positions.
std::vector<NamedArray> WithNames(const std::vector<Slot>& slots, std::vector<NamedArray> arrays) {
  for (NamedArray& array : arrays) {
    if (std::ranges::find(slots, array.name, &Slot::name) != slots.end()) continue;
    const std::optional<std::int64_t> position = ParseInt64(array.name);
    if (position && *position >= 0 && *position < std::ssize(slots))
      array.name = slots[static_cast<std::size_t>(*position)].name;
  }
  return arrays;
}

// More calls than any array has slices, so that none is taken for one slice a call.
std::int64_t CallsThatSliceNothing(const std::vector<NamedArray>& inputs) {
  std::int64_t calls = 1;
  for (const NamedArray& input : inputs) {
    for (const std::int64_t size : input.array.shape) calls = std::max(calls, size);
  }
  return calls + 1;
}

// As ParseSteps reads it.
std::string StepsText(const std::set<std::string>& entries, std::int64_t calls) {
  std::string text;
  for (const std::string& entry : entries)
    text += fmt::format("{}{}*{}", text.empty() ? "" : ",", entry, calls);
  return text;
}

// Whether a caller of the entry gives anything.
bool TakesInputs(const Session& session, const Model& source, const Entry& entry) {
  return !GivenSlots(FormatOfModel(session.formats, source), entry).empty();
}

Attribute ToAttribute(const RuntimeValue& value) {
  if (value.kind == RuntimeValue::Kind::kTensor) return value.array.ToTensor();
  Attribute::List items;
  for (const RuntimeValue& item : value.sequence) items.push_back(ToAttribute(item));
  return items;
}

// Errors: the value has not the state's type.
Status CheckState(const State& state, const RuntimeValue& value) {
  if (value.kind != RuntimeValue::Kind::kTensor || state.initial.tensor() == nullptr) return {};
  const Tensor& initial = *state.initial.tensor();
  const std::vector<std::int64_t> sizes(value.array.shape().begin(), value.array.shape().end());
  if (initial.dtype() == value.array.dtype() && initial.sizes() == sizes) return {};
  return InvalidInput(fmt::format("state '{}' is {}, and the inputs of this call need {}; reset it",
                                  state.name, TypeOf(value).ToString(), initial.type().ToString()));
}

bool IsTensor(const State& state) { return state.initial.tensor() != nullptr; }

// The values that are states of the model, tensors all. Errors: one has not its state's type.
Result<FlatArrays> StatesOf(const Model& model,
                            const std::vector<std::pair<std::string, RuntimeValue>>& values) {
  FlatArrays states;
  for (const auto& [name, value] : values) {
    const auto state = std::ranges::find(model.states, name, &State::name);
    if (state == model.states.end()) continue;
    DRAGOMAN_TRY(CheckState(*state, value));
    states.emplace_back(name, value.array);
  }
  return states;
}

}  // namespace

Runner::Runner(Session session, Model source, RunRequest request)
    : session_(std::move(session)), source_(std::move(source)), request_(std::move(request)) {
  request_.facts = NamesIn(source_, request_.facts);
}

bool Runner::IsPrepared(const std::string& entry, const Arrays& inputs) const {
  const auto given = given_.find(entry);
  return given != given_.end() && given->second.names.size() == inputs.size() &&
         std::ranges::equal(given->second.inputs, inputs, SameType);
}

Status Runner::Prepare(const std::string& entry, const Arrays& inputs) {
  RunRequest request = request_;
  std::map<std::string, Given> ready = given_;  // when all is done
  Arrays all = inputs;
  if (!request.facts.entry && source_.entries.size() > 1) {
    // Entries share the states, so those that have been called, and those that need no inputs, are
    // lowered together.
    std::erase_if(ready, [&](const auto& each) {
      return each.first != entry && Contradicts(all, each.second.inputs);
    });
    std::set<std::string> called = {entry};
    for (const auto& [name, given] : ready) {
      called.insert(name);
      for (const NamedArray& array : given.inputs) {
        if (FindNamed(all, array.name) == nullptr) all.push_back(array);
      }
    }
    for (const Entry& other : source_.entries) {
      if (!TakesInputs(session_, source_, other)) called.insert(other.name);
    }
    for (const std::string& name : called) ready.try_emplace(name);
    request.steps = StepsText(called, CallsThatSliceNothing(all));
  }
  DRAGOMAN_ASSIGN(PreparedRun prepared, PrepareRun(session_, source_, all, request));
  NamedStates states;
  if (!is_fresh_) {
    DRAGOMAN_ASSIGN(states, CurrentStates());
  }
  std::swap(prepared_, prepared.model);
  Status started = is_native() ? Compile(states) : Start(states);
  if (!started.ok()) {
    std::swap(prepared_, prepared.model);
    return started;
  }
  given_ = std::move(ready);
  Given& given = given_[entry];
  given = {inputs, {}};
  const Arrays& taken = std::ranges::find(prepared.calls, entry, &EntryCalls::entry)->arrays;
  const bool one_by_one =
      taken.size() >= inputs.size() &&
      std::ranges::equal(inputs, std::span(taken).first(inputs.size()), std::equal_to<>(),
                         &NamedArray::array, &NamedArray::array);
  for (std::size_t i = 0; one_by_one && i < inputs.size(); ++i)
    given.names.push_back(taken[i].name);
  return {};
}

Status Runner::Compile(const NamedStates& states) {
  if (!is_fresh_ && !std::ranges::all_of(prepared_.states, IsTensor))
    return Unsupported(
        "the program was compiled for other inputs or entries, and its states that are sequences "
        "would be lost; reset it first");
  DRAGOMAN_ASSIGN(const FlatArrays kept, StatesOf(prepared_, states));
  DRAGOMAN_ASSIGN(std::unique_ptr<CompiledModel> compiled,
                  CompiledModel::Load(prepared_, request_.plan, request_.seed));
  if (!kept.empty()) DRAGOMAN_TRY(compiled->SetStates(kept));
  compiled_ = std::move(compiled);
  return {};
}

Result<Runner::NamedStates> Runner::CurrentStates() const {
  NamedStates states;
  if (compiled_ != nullptr) {
    DRAGOMAN_ASSIGN(FlatArrays arrays, compiled_->States());
    for (auto& [name, array] : arrays)
      states.emplace_back(name, RuntimeValue::Of(std::move(array)));
  }
  if (interpreter_ == nullptr) return states;
  for (std::size_t i = 0; i < model_->states.size(); ++i)
    states.emplace_back(model_->states[i].name, interpreter_->states()[i]);
  return states;
}

Status Runner::Start(const NamedStates& states) {
  auto model = std::make_unique<Model>(Clone(prepared_));
  for (const auto& [name, value] : states) {
    const auto state = std::ranges::find(model->states, name, &State::name);
    if (state == model->states.end()) continue;
    DRAGOMAN_TRY(CheckState(*state, value));
    state->initial = ToAttribute(value);
  }
  DRAGOMAN_ASSIGN(Interpreter interpreter, Interpreter::Make(*model));
  interpreter.SetSeed(request_.seed);
  interpreter.set_line_sink(request_.print);
  interpreter_ = std::make_unique<Interpreter>(std::move(interpreter));
  model_ = std::move(model);
  return {};
}

Result<FlatArrays> Runner::Interpret(const std::string& name, const Arrays& inputs) {
  const Entry* const entry = model_->FindEntry(name);
  if (entry == nullptr) return Unsupported("entry '" + name + "' is left out");
  DRAGOMAN_ASSIGN(const StepInputs bound, BindSteps(InputSlots(*entry), inputs, 1, false));
  interpreter_->set_observer(observer_);
  DRAGOMAN_ASSIGN(const std::vector<RuntimeValue> outputs, interpreter_->Run(*entry, bound.At(0)));
  return Flatten(OutputSlots(*entry), outputs);
}

Result<FlatArrays> Runner::Run(const std::string& entry, const std::vector<NamedArray>& arrays) {
  Facts facts = request_.facts;
  if (!entry.empty()) facts.entry = NameIn(source_, entry);
  DRAGOMAN_TRY(CheckEntry(source_, facts));
  const Entry& chosen = ChosenEntry(source_, facts);
  const std::string& name = chosen.name;
  const Format* const format = FormatOfModel(session_.formats, source_);
  const Arrays given = WithNames(GivenSlots(format, chosen), arrays);
  if (!IsPrepared(name, given)) DRAGOMAN_TRY(Prepare(name, given));
  Arrays inputs = given;
  const std::vector<std::string>& names = given_.at(name).names;
  if (names.size() != inputs.size()) {
    // Maps, which are split into two inputs each.
    if (!prepared_.states.empty())
      return Unsupported("inputs that are maps, of a model with states");
    RunRequest request = request_;
    request.facts = facts;
    DRAGOMAN_ASSIGN(RunResult result, RunModel(session_, source_, given, request));
    return std::move(result.outputs);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].name = names[i];
  Result<FlatArrays> outputs = is_native() ? compiled_->Run(name, inputs) : Interpret(name, inputs);
  if (outputs.ok()) is_fresh_ = false;
  return outputs;
}

Status Runner::Reset() {
  is_fresh_ = true;
  if (compiled_ != nullptr) return compiled_->Reset();
  return interpreter_ != nullptr ? Start({}) : Status();
}

Result<FlatArrays> Runner::States() const {
  DRAGOMAN_ASSIGN(const NamedStates states, CurrentStates());
  FlatArrays arrays;
  for (const auto& [name, value] : states) {
    if (value.kind == RuntimeValue::Kind::kTensor) arrays.emplace_back(name, value.array);
  }
  return arrays;
}

Status Runner::SetStates(const FlatArrays& given) {
  if (given_.empty()) return InvalidInput("there are no states before the first call");
  DRAGOMAN_ASSIGN(NamedStates states, CurrentStates());
  std::vector<std::string> names;
  for (const auto& state : states) names.push_back(state.first);
  for (const auto& [name, array] : given) {
    const auto state = std::ranges::find(states, name, &NamedStates::value_type::first);
    if (state == states.end())
      return InvalidInput("the model has no state '" + name + "'" +
                          WhatThereIs(name, "its states are", names));
    state->second = RuntimeValue::Of(array);
  }
  if (compiled_ != nullptr) {
    DRAGOMAN_ASSIGN(const FlatArrays fitting, StatesOf(prepared_, states));
    DRAGOMAN_TRY(compiled_->SetStates(fitting));
  } else {
    DRAGOMAN_TRY(Start(states));
  }
  is_fresh_ = false;
  return {};
}

}  // namespace dragoman
