// dragoman run MODEL
#include "cli/run.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "cli/native_engine.h"
#include "cli/options.h"
#include "cli/structured_calls.h"
#include "core/interpreter/interpreter.h"
#include "core/support/text.h"

namespace dragoman::cli {
namespace {

// Inputs that have one more leading axis, of the number of steps, than their slot are given a slice
// a step.
struct StepInputs {
  std::vector<RuntimeValue> whole;
  std::vector<bool> sliced;

  std::vector<RuntimeValue> At(std::int64_t step) const;
};

Array SliceOf(const Array& array, std::int64_t index) {
  rt::Shape shape;
  for (int i = 1; i < array.shape().size(); ++i) shape.push_back(array.shape()[i]);
  return array.Slice(index, shape);
}

std::vector<RuntimeValue> StepInputs::At(std::int64_t step) const {
  std::vector<RuntimeValue> values = whole;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (sliced[i]) values[i].array = SliceOf(values[i].array, step);
  }
  return values;
}

// Binds arrays to slots, for a number of steps: `slots` loses the leading axis where an array has
// it.
Result<StepInputs> BindSteps(const std::vector<Slot>& slots, const std::vector<NamedArray>& arrays,
                             std::int64_t steps, bool stepped) {
  StepInputs inputs;
  inputs.sliced.resize(slots.size(), false);
  std::vector<Slot> widened = slots;
  for (std::size_t i = 0; i < slots.size() && stepped; ++i) {
    const Shape* shape = slots[i].type.shape();
    for (const NamedArray& named : arrays) {
      if (named.name != slots[i].name && named.name != std::to_string(i)) continue;
      const std::vector<std::int64_t>& sizes = named.array.shape;
      if (shape == nullptr || sizes.size() != shape->size() + 1 || sizes.front() != steps) continue;
      Shape with_steps = *shape;
      with_steps.insert(with_steps.begin(), Dim(steps));
      widened[i].type = slots[i].type.WithShape(std::move(with_steps));
      inputs.sliced[i] = true;
    }
  }
  DRAGOMAN_ASSIGN(inputs.whole, BindArrays(widened, arrays));
  return inputs;
}

using FlatOutputs = std::vector<std::pair<std::string, Array>>;

Result<FlatOutputs> Stack(const std::vector<FlatOutputs>& steps) {
  FlatOutputs stacked;
  for (std::size_t i = 0; i < steps.front().size(); ++i) {
    const Array& first = steps.front()[i].second;
    std::vector<Array> arrays;
    for (const FlatOutputs& step : steps) {
      if (i >= step.size() || step[i].second.shape() != first.shape()) {
        return Unsupported("output '" + steps.front()[i].first +
                           "' has other sizes at each step: not stacked");
      }
      arrays.push_back(step[i].second);
    }
    DRAGOMAN_ASSIGN(Array whole, StackArrays(arrays));
    stacked.emplace_back(steps.front()[i].first, std::move(whole));
  }
  return stacked;
}

const Entry& DefaultEntry(const Model& model) { return model.entries.front(); }

// Runs all steps once; outputs are those of the default entry.
Result<FlatOutputs> RunSteps(Interpreter& interpreter, const Model& model,
                             const std::vector<Step>& steps, const StepInputs& inputs,
                             bool stepped) {
  std::vector<FlatOutputs> outputs;
  std::int64_t index = 0;
  for (const Step& step : steps) {
    const Entry* entry = step.entry.empty() ? &DefaultEntry(model) : model.FindEntry(step.entry);
    if (entry == nullptr) return InvalidInput("the model has no entry '" + step.entry + "'");
    for (std::int64_t i = 0; i < step.count; ++i) {
      const bool is_default = entry == &DefaultEntry(model);
      std::vector<RuntimeValue> values =
          is_default ? inputs.At(index++) : std::vector<RuntimeValue>();
      DRAGOMAN_ASSIGN(std::vector<RuntimeValue> results,
                      interpreter.Run(*entry, std::move(values)));
      if (is_default) outputs.push_back(Flatten(OutputSlots(*entry), results));
    }
  }
  if (outputs.empty()) return FlatOutputs();
  if (!stepped) return std::move(outputs.front());
  return Stack(outputs);
}

double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

// As the generated programs print it.
std::string TimesText(const std::vector<double>& microseconds) {
  return fmt::format(
      "{{\"repeat\": {}, \"unit\": \"us\", \"min\": {:.3f}, \"median\": {:.3f}, \"p99\": "
      "{:.3f}}}\n",
      microseconds.size(), Quantile(microseconds, 0.0), Quantile(microseconds, 0.5),
      Quantile(microseconds, 0.99));
}

struct NodeTime {
  double microseconds = 0;
  std::int64_t calls = 0;
};

std::string ProfileText(const std::map<std::string, NodeTime>& times) {
  std::vector<std::pair<std::string, NodeTime>> rows(times.begin(), times.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.microseconds > b.second.microseconds;
  });
  std::string text = fmt::format("{:>12} {:>8}  {}\n", "us", "calls", "step");
  for (const auto& [node, time] : rows)
    text += fmt::format("{:12.3f} {:8}  {}\n", time.microseconds, time.calls, node);
  return text;
}

Result<RunResult> Interpret(const Model& model, const std::vector<Step>& steps,
                            const StepInputs& inputs, const RunRequest& request) {
  DRAGOMAN_ASSIGN(Interpreter interpreter, Interpreter::Make(model));
  interpreter.set_line_sink([](std::string_view line) { fmt::print(stderr, "{}\n", line); });
  std::map<std::string, NodeTime> profile;
  if (request.profile) {
    interpreter.set_observer([&profile](const Node& node, std::chrono::nanoseconds elapsed) {
      NodeTime& time = profile[node.Describe()];
      time.microseconds += static_cast<double>(elapsed.count()) * 1e-3;
      ++time.calls;
    });
  }
  RunResult result;
  std::vector<double> times;
  for (std::int64_t i = 0; i < request.repeat; ++i) {
    DRAGOMAN_TRY(interpreter.Reset());
    const auto start = std::chrono::steady_clock::now();
    DRAGOMAN_ASSIGN(result.outputs,
                    RunSteps(interpreter, model, steps, inputs, request.steps.has_value()));
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - start;
    times.push_back(elapsed.count());
  }
  if (request.repeat > 1 || request.common.json) result.report += TimesText(times);
  if (request.profile) result.report += ProfileText(profile);
  return result;
}

const Entry& ChosenEntry(const Model& source, const Facts& facts) {
  const Entry* chosen = facts.entry ? source.FindEntry(*facts.entry) : nullptr;
  return chosen != nullptr ? *chosen : source.entries.front();
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

namespace {

Result<RunResult> RunStructured(const Model& source, const Entry& entry,
                                const std::vector<NamedArray>& inputs, const Facts& facts,
                                const std::vector<Step>& steps, const RunRequest& request) {
  const bool stepped = request.steps.has_value();
  const std::int64_t total = CountCalls(steps, entry.name);
  const std::vector<NamedArray> arrays = NameByArgument(entry, inputs);
  DRAGOMAN_ASSIGN(
      Model model,
      Lower(source,
            FactsOfArrays(entry, arrays, stepped ? std::optional(total) : std::nullopt, facts)));
  if (request.engine == "native") return RunNative(model, arrays, request);
  DRAGOMAN_ASSIGN(StepInputs bound,
                  BindSteps(InputSlots(model.entries.front()), arrays, total, stepped));
  return Interpret(model, steps, bound, request);
}

}  // namespace

Result<RunResult> RunModel(const Model& source, const std::vector<NamedArray>& inputs,
                           const RunRequest& request) {
  DRAGOMAN_ASSIGN(Facts facts, ParseFacts(request.lowering));
  std::vector<Step> steps = {{}};
  if (request.steps) {
    DRAGOMAN_ASSIGN(steps, ParseSteps(*request.steps));
  }
  const Entry& entry = ChosenEntry(source, facts);
  if (HasStructuredCalls(source))
    return RunStructured(source, entry, inputs, facts, steps, request);
  std::vector<Slot> slots = InputSlots(entry);
  const bool has_states =
      std::any_of(source.metadata.begin(), source.metadata.end(),
                  [](const auto& entry) { return entry.first == "dragoman.states"; });
  if (has_states) {
    // Which inputs are states, and not given, is known when the model is lowered.
    DRAGOMAN_ASSIGN(const Model lowered, Lower(source, facts));
    slots = InputSlots(lowered.entries.front());
  }
  DRAGOMAN_ASSIGN(StepInputs bound, BindSteps(slots, inputs, CountCalls(steps, entry.name),
                                              request.steps.has_value()));
  facts = FactsOf(slots, bound.At(0), std::move(facts));
  DRAGOMAN_ASSIGN(Model model, Lower(source, facts));
  if (request.engine == "native") return RunNative(model, inputs, request);
  return Interpret(model, steps, bound, request);
}

namespace {

struct RunOptions {
  std::string model;
  InputOptions inputs;
  std::string output_dir;
  RunRequest request;
};

int RunCommand(const RunOptions& options) {
  Result<Model> source = LoadModel(options.model);
  if (!source.ok()) return Report(source.error());
  Result<std::vector<NamedArray>> inputs = LoadInputs(options.inputs);
  if (!inputs.ok()) return Report(inputs.error());
  Result<RunResult> result = RunModel(*source, *inputs, options.request);
  if (!result.ok()) return Report(result.error(), options.model);
  if (Status status = WriteOutputs(options.output_dir, result->outputs); !status.ok())
    return Report(status.error());
  if (!options.request.common.quiet) fmt::print("{}", result->report);
  return kDone;
}

}  // namespace

void AddRun(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = program.add_subcommand("run", "Run a model on given inputs");
  command->add_option("MODEL", options->model, "A model file")->required();
  command->add_option("--input", options->inputs.inputs, "NAME=FILE.npy, or POSITION=FILE.npy")
      ->take_all()
      ->expected(1);
  command->add_option("--inputs", options->inputs.archive, "FILE.npz with an array for each input");
  command
      ->add_option("--output-dir", options->output_dir, "Gets one .npy an output, and index.json")
      ->required();
  command->add_option(
      "--steps", options->request.steps,
      "N calls of one object, or ENTRY*N,…; inputs with one more leading axis are sliced");
  command
      ->add_option("--engine", options->request.engine,
                   "interpreter, or native: the generated C++ program")
      ->check(CLI::IsMember({"interpreter", "native"}));
  command
      ->add_option("--repeat", options->request.repeat,
                   "Run N times from the same state, and print times")
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--profile", options->request.profile, "Print the time of each node");
  AddFacts(*command, options->request.lowering);
  AddCommonOptions(*command, options->request.common);
  command->callback([options, &exit_code] { exit_code = RunCommand(*options); });
}

}  // namespace dragoman::cli
