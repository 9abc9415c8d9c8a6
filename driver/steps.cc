// SPDX-License-Identifier: Apache-2.0
#include "driver/steps.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/analysis/no_entry.h"
#include "core/support/plural.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

Array SliceOf(const Array& array, std::int64_t index) {
  rt::Shape shape;
  for (int i = 1; i < array.shape().size(); ++i) shape.push_back(array.shape()[i]);
  return array.Slice(index, shape);
}

Result<FlatArrays> Stack(const std::vector<FlatArrays>& calls) {
  FlatArrays stacked;
  for (std::size_t i = 0; i < calls.front().size(); ++i) {
    const auto& [name, first] = calls.front()[i];
    std::vector<Array> arrays;
    for (const FlatArrays& call : calls) {
      if (i >= call.size() || call[i].second.shape() != first.shape())
        return Unsupported("output '" + name + "' has other sizes at each step: not stacked");
      arrays.push_back(call[i].second);
    }
    DRAGOMAN_ASSIGN(Array whole, StackArrays(arrays));
    stacked.emplace_back(name, std::move(whole));
  }
  return stacked;
}

// Which of `calls` a step continues; the first one is meant where it names none.
std::size_t IndexOf(const std::vector<EntryCalls>& calls, const Step& step) {
  if (step.entry.empty()) return 0;
  return static_cast<std::size_t>(std::ranges::find(calls, step.entry, &EntryCalls::entry) -
                                  calls.begin());
}

}  // namespace

Result<std::vector<Step>> ParseSteps(const std::string& text) {
  std::vector<Step> steps;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t star = word.find('*');
    Step step;
    std::optional<std::int64_t> count =
        ParseInt64(star == std::string_view::npos ? word : word.substr(star + 1));
    if (star != std::string_view::npos) {
      step.entry = word.substr(0, star);
    } else if (!count) {
      step.entry = word;
      count = 1;
    }
    if (!count || *count < 1)
      return InvalidInput("--steps " + text + " is not a number or ENTRY*N,…");
    step.count = *count;
    steps.push_back(std::move(step));
  }
  if (steps.empty()) return InvalidInput("--steps is empty");
  return steps;
}

std::int64_t CountCalls(const std::vector<Step>& steps, const std::string& entry) {
  std::int64_t total = 0;
  for (const Step& step : steps)
    total += step.entry.empty() || step.entry == entry ? step.count : 0;
  return total;
}

std::vector<RuntimeValue> StepInputs::At(std::int64_t call) const {
  std::vector<RuntimeValue> values = whole;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (sliced[i]) values[i].array = SliceOf(values[i].array, call);
  }
  return values;
}

Result<std::vector<EntryCalls>> CallsByEntry(const Model& model, const Entry& chosen,
                                             const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (!step.entry.empty() && model.FindEntry(step.entry) == nullptr)
      return NoEntry(model, step.entry);
  }
  std::vector<EntryCalls> calls;
  const std::int64_t total = CountCalls(steps, chosen.name);
  if (total > 0) calls.push_back({chosen.name, total, {}});
  for (const Entry& entry : model.entries) {
    if (entry.name == chosen.name) continue;
    std::int64_t count = 0;
    for (const Step& step : steps) count += step.entry == entry.name ? step.count : 0;
    if (count > 0) calls.push_back({entry.name, count, {}});
  }
  return calls;
}

Result<StepInputs> BindSteps(const std::vector<Slot>& slots, const std::vector<NamedArray>& arrays,
                             std::int64_t calls, bool stepped) {
  StepInputs inputs;
  inputs.sliced.resize(slots.size(), false);
  std::vector<Slot> widened = slots;
  for (std::size_t i = 0; i < slots.size() && stepped; ++i) {
    const Shape* shape = slots[i].type.shape();
    for (const NamedArray& named : arrays) {
      if (named.name != slots[i].name && named.name != std::to_string(i)) continue;
      const std::vector<std::int64_t>& sizes = named.array.shape;
      if (shape == nullptr || sizes.size() != shape->size() + 1) continue;
      if (sizes.front() != calls) {
        return InvalidInput(
            fmt::format("input '{}' holds {}, and --steps asks for {}", slots[i].name,
                        Plural(static_cast<std::size_t>(sizes.front()), "step"), calls));
      }
      Shape with_calls = *shape;
      with_calls.insert(with_calls.begin(), Dim(calls));
      widened[i].type = slots[i].type.WithShape(std::move(with_calls));
      inputs.sliced[i] = true;
    }
  }
  DRAGOMAN_ASSIGN(inputs.whole, BindArrays(widened, arrays, "input"));
  DRAGOMAN_TRY(CheckSizes(widened, inputs.whole));
  return inputs;
}

Result<FlatArrays> RunSteps(Interpreter& interpreter, const Model& model,
                            const std::vector<Step>& steps, const std::vector<EntryCalls>& calls,
                            const std::vector<StepInputs>& inputs, bool stepped) {
  std::vector<std::vector<FlatArrays>> outputs(calls.size());
  for (const Step& step : steps) {
    const std::size_t e = IndexOf(calls, step);
    const Entry* entry = model.FindEntry(calls[e].entry);
    if (entry == nullptr) return Unsupported("entry '" + calls[e].entry + "' is left out");
    for (std::int64_t i = 0; i < step.count; ++i) {
      std::vector<RuntimeValue> values = inputs[e].At(std::ssize(outputs[e]));
      DRAGOMAN_ASSIGN(const std::vector<RuntimeValue> results,
                      interpreter.Run(*entry, std::move(values)));
      outputs[e].push_back(Flatten(OutputSlots(*entry), results));
    }
  }
  FlatArrays all;
  for (std::vector<FlatArrays>& of_entry : outputs) {
    FlatArrays whole = of_entry.front();
    if (stepped) {
      DRAGOMAN_ASSIGN(whole, Stack(of_entry));
    }
    std::ranges::move(whole, std::back_inserter(all));
  }
  return all;
}

}  // namespace dragoman
