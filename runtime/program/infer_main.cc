#include "runtime/program/infer_main.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <set>
#include <utility>

#include "runtime/params/unsupported.h"
#include "runtime/program/error.h"
#include "runtime/program/expect.h"
#include "runtime/program/infer_options.h"
#include "runtime/program/npy.h"
#include "runtime/program/npz.h"
#include "runtime/program/output_folder.h"

namespace dragoman::rt {
namespace {

using Arrays = std::vector<std::pair<std::string, NpyArray>>;

Arrays ReadInputs(const InferOptions& options) {
  Arrays arrays;
  for (const std::string& archive : options.archives) {
    for (auto& array : ReadNpz(archive)) arrays.push_back(std::move(array));
  }
  for (const auto& [name, path] : options.inputs) arrays.emplace_back(name, ReadNpy(path));
  return arrays;
}

const NpyArray* FindArray(const Arrays& arrays, const std::string& name) {
  for (const auto& [each, array] : arrays) {
    if (each == name) return &array;
  }
  return nullptr;
}

// One tensor over all calls of its entry.
struct InputTensor {
  AnyTensor whole;
  bool sliced = false;

  AnyTensor At(std::int64_t call) const {
    if (!sliced) return whole;
    AnyTensor slice;
    Shape shape;
    for (int i = 1; i < whole.shape.size(); ++i) shape.push_back(whole.shape[i]);
    slice.Resize(whole.type->name, shape);
    const std::int64_t count = NumElements(shape);
    if (whole.type->bytes == 0) {
      std::copy_n(whole.strings.begin() + call * count, count, slice.strings.begin());
    } else {
      const std::int64_t bytes = count * whole.type->bytes;
      std::copy_n(whole.bytes.begin() + call * bytes, bytes, slice.bytes.begin());
    }
    return slice;
  }
};

// One input: a tensor, or what a sequence holds.
struct InputData {
  std::vector<InputTensor> tensors;

  AnyValue At(std::int64_t call) const {
    AnyValue value;
    for (const InputTensor& tensor : tensors) value.push_back(tensor.At(call));
    return value;
  }
};

InputTensor MakeTensor(const NpyArray& array, const TensorInfo& info, const std::string& name,
                       bool stacked, std::int64_t calls) {
  InputTensor input;
  try {
    input.whole = ToTensor(array, *FindElementType(info.dtype));
  } catch (const Error& error) {
    throw Error("input '" + name + "': " + error.what());
  }
  const Shape& shape = input.whole.shape;
  if (!info.known_rank) return input;
  input.sliced = stacked && shape.size() == info.sizes.size() + 1 && shape[0] == calls;
  if (!input.sliced && shape.size() != info.sizes.size()) {
    throw Error("input '" + name + "' has rank " + std::to_string(shape.size()) + ", expected " +
                info.dtype + info.shape);
  }
  return input;
}

// By name, else by position.
InputData MakeInput(const Arrays& arrays, const TensorInfo& info, int index, bool stacked,
                    std::int64_t calls) {
  InputData input;
  const std::string names[] = {info.name, std::to_string(index)};
  for (const std::string& name : names) {
    for (int i = 0; input.tensors.empty() || info.IsSequence(); ++i) {
      const std::string part = info.IsSequence() ? name + "." + std::to_string(i) : name;
      const NpyArray* array = FindArray(arrays, part);
      if (array == nullptr) break;
      input.tensors.push_back(MakeTensor(*array, info, part, stacked, calls));
    }
    if (!input.tensors.empty()) return input;
  }
  if (info.kind == ValueKind::kTensor) {
    throw Error("input '" + names[0] + "' is missing; give --input " + names[0] + "=FILE.npy");
  }
  return input;
}

// A tensor of one output over all calls of its entry.
struct OutputTensor {
  std::string name;
  AnyTensor tensor;

  void Add(const AnyTensor& one, std::int64_t call, std::int64_t calls, bool stacked) {
    if (!stacked) {
      tensor = one;
      return;
    }
    if (call == 0) {
      if (one.shape.size() == kMaxRank) throw Error("the stacked outputs' rank is too high");
      Shape shape = {calls};
      for (std::int64_t size : one.shape) shape.push_back(size);
      tensor.Resize(one.type->name, shape);
    }
    const std::int64_t count = one.size();
    if (!std::equal(one.shape.begin(), one.shape.end(), tensor.shape.begin() + 1) ||
        one.shape.size() + 1 != tensor.shape.size()) {
      throw Error("output '" + name + "' has other sizes in call " + std::to_string(call) +
                  " and cannot be stacked");
    }
    if (one.type->bytes == 0) {
      std::copy_n(one.strings.begin(), count, tensor.strings.begin() + call * count);
    } else {
      const std::int64_t bytes = count * one.type->bytes;
      std::copy_n(one.bytes.begin(), bytes, tensor.bytes.begin() + call * bytes);
    }
  }
};

struct OutputData {
  const TensorInfo* info;
  std::vector<OutputTensor> tensors;

  void Add(const AnyValue& one, std::int64_t call, std::int64_t calls, bool stacked) {
    if (call == 0 || !stacked) tensors.clear();
    for (std::size_t i = 0; i < one.size() && call == 0; ++i) {
      const std::string name = info->name;
      tensors.push_back({info->IsSequence() ? name + "." + std::to_string(i) : name, {}});
    }
    if (one.size() != tensors.size()) {
      throw Error("output '" + std::string(info->name) + "' has another length in call " +
                  std::to_string(call) + " and cannot be stacked");
    }
    for (std::size_t i = 0; i < one.size(); ++i) tensors[i].Add(one[i], call, calls, stacked);
  }
};

struct EntryRun {
  const EntryInfo* info = nullptr;
  std::int64_t calls = 0;
  std::int64_t done = 0;
  std::vector<InputData> inputs;
  std::vector<OutputData> outputs;
};

void CallOnce(InferTarget& target, EntryRun& run, int entry, bool stacked) {
  std::vector<AnyValue> inputs;
  for (const InputData& input : run.inputs) inputs.push_back(input.At(run.done));
  std::vector<AnyValue> outputs(run.outputs.size());
  ThrowIfError(target.Call(entry, inputs, outputs));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    run.outputs[i].Add(outputs[i], run.done, run.calls, stacked);
  ++run.done;
}

std::vector<EntryRun> PrepareRuns(const ModelInfo& info, const InferOptions& options) {
  const Arrays arrays = ReadInputs(options);
  std::vector<EntryRun> runs(static_cast<std::size_t>(info.entries.size));
  for (int entry : options.calls) ++runs[static_cast<std::size_t>(entry)].calls;
  for (int e = 0; e < info.entries.size; ++e) {
    EntryRun& run = runs[static_cast<std::size_t>(e)];
    run.info = &info.entries[e];
    if (run.calls == 0) continue;
    for (int i = 0; i < run.info->inputs.size; ++i) {
      run.inputs.push_back(MakeInput(arrays, run.info->inputs[i], i, options.stacked, run.calls));
    }
    for (const TensorInfo& output : run.info->outputs) run.outputs.push_back({&output, {}});
  }
  return runs;
}

std::string JsonString(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      json += escape;
    } else {
      json += c;
    }
  }
  return json + "\"";
}

std::string FileStem(const std::string& name, std::set<std::string>& taken) {
  std::string stem;
  for (const char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       std::strchr("_.-", c) != nullptr;
    stem += plain && c != '\0' ? c : '_';
  }
  stem.resize(std::min<std::size_t>(stem.size(), 200));
  if (stem.empty()) stem = "_";
  std::string unique = stem;
  for (int i = 2; !taken.insert(unique).second; ++i) unique = stem + "_" + std::to_string(i);
  return unique;
}

template <class F>
void ForEachOutput(const std::vector<EntryRun>& runs, F&& visit) {
  for (const EntryRun& run : runs) {
    for (const OutputData& output : run.outputs) {
      for (const OutputTensor& tensor : output.tensors) visit(tensor);
    }
  }
}

void ThrowIfProblem(const std::string& folder, const std::string& problem) {
  if (!problem.empty()) throw Error(folder + ": " + problem);
}

void WriteOutputs(const std::string& folder, const std::vector<EntryRun>& runs) {
  StagedOutputs staged(folder);
  ThrowIfProblem(folder, staged.Begin());
  std::string index;
  std::set<std::string> taken;
  ForEachOutput(runs, [&](const OutputTensor& output) {
    const std::string file = FileStem(output.name, taken) + ".npy";
    WriteNpy(staged.PathOf(file), output.tensor);
    std::string sizes;
    for (std::int64_t size : output.tensor.shape)
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    index += std::string(index.empty() ? "" : ",") + "\n    {\"name\": " + JsonString(output.name) +
             ", \"file\": " + JsonString(file) + ", \"dtype\": \"" + output.tensor.type->name +
             "\", \"shape\": [" + sizes + "]}";
  });
  WriteWholeFile(staged.PathOf(kOutputIndex),
                 kOutputIndexHead + index + (index.empty() ? "" : "\n  ") + "]\n}\n");
  ThrowIfProblem(folder, staged.Commit());
}

// Calls the first entry of the run N times, each from the same state.
void Repeat(InferTarget& target, EntryRun& run, int entry, int count) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  std::vector<AnyValue> outputs(run.outputs.size());
  std::vector<AnyValue> inputs;
  for (const InputData& input : run.inputs) inputs.push_back(input.At(0));
  target.SaveState();
  for (int i = 0; i < count; ++i) {
    const Clock::time_point start = Clock::now();
    const Status status = target.Call(entry, inputs, outputs);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    ThrowIfError(status);
    ThrowIfError(target.RestoreState());
  }
  std::sort(times.begin(), times.end());
  const std::size_t last = times.size() - 1;
  std::printf(
      "{\"repeat\": %d, \"unit\": \"us\", \"min\": %.3f, \"median\": %.3f, \"p99\": %.3f}\n", count,
      times[0], times[last / 2], times[last * 99 / 100]);
}

// The longest first.
void PrintProfile(const Trace& trace) {
  std::vector<StepProfile> steps = trace.Profile();
  std::stable_sort(steps.begin(), steps.end(),
                   [](const StepProfile& a, const StepProfile& b) { return a.time > b.time; });
  std::printf("%12s %8s  %s\n", "us", "calls", "step");
  for (const StepProfile& step : steps) {
    const std::string how =
        step.implementation.empty() ? std::string() : ": " + step.implementation;
    std::printf("%12.3f %8lld  %s%s\n",
                std::chrono::duration<double, std::micro>(step.time).count(),
                static_cast<long long>(step.calls), step.step.c_str(), how.c_str());
  }
}

const OutputTensor& FindOutput(const std::vector<EntryRun>& runs, const std::string& name) {
  const OutputTensor* found = nullptr;
  ForEachOutput(runs, [&](const OutputTensor& output) {
    if (found == nullptr && output.name == name) found = &output;
  });
  if (found == nullptr) throw Error("--expect: there is no output '" + name + "'");
  return *found;
}

// One line an expected output.
bool AreAsExpected(const std::vector<EntryRun>& runs, const InferOptions& options) {
  bool equal = true;
  for (const auto& [name, path] : options.expected) {
    const AnyTensor& found = FindOutput(runs, name).tensor;
    const Verdict verdict = Compare(found, ToTensor(ReadNpy(path), *found.type), options.rms);
    std::printf("%s: %s: %s\n", name.c_str(), verdict.equal ? "ok" : "DIFFERENT",
                verdict.message.c_str());
    equal = equal && verdict.equal;
  }
  return equal;
}

// Whether all outputs are as expected.
bool Run(const ModelInfo& info, MakeTarget make, const InferOptions& options) {
  if (!options.output_dir.empty())
    ThrowIfProblem(options.output_dir, RefusalOf(options.output_dir));
  std::vector<EntryRun> runs = PrepareRuns(info, options);
  const std::unique_ptr<InferTarget> target = make(options.weights, options.threads);
  const int first = options.calls.front();
  if (options.repeat > 0) {
    Repeat(*target, runs[static_cast<std::size_t>(first)], first, options.repeat);
  }
  if (options.profile) target->trace().StartProfile();
  for (int entry : options.calls) {
    CallOnce(*target, runs[static_cast<std::size_t>(entry)], entry, options.stacked);
  }
  if (options.profile) PrintProfile(target->trace());
  if (!options.output_dir.empty()) WriteOutputs(options.output_dir, runs);
  return AreAsExpected(runs, options);
}

}  // namespace

int InferMain(const ModelInfo& info, MakeTarget make, int argc, char** argv) {
  const char* name = argc > 0 ? argv[0] : "infer";
  auto fail = [name](const char* message, int exit_code) {
    std::fprintf(stderr, "%s: error: %s\n", name, message);
    return exit_code;
  };
  try {
    const InferOptions options = ParseInferOptions(info, argc, argv);
    if (options.help) {
      std::fputs(InferHelp(info).c_str(), stdout);
      return 0;
    }
    return Run(info, make, options) ? 0 : 1;
  } catch (const Error& error) {
    return fail(error.what(), IsUnsupported(error.what()) ? 4 : 2);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", 2);
  } catch (const std::exception& error) {
    return fail(error.what(), 3);
  }
}

}  // namespace dragoman::rt
