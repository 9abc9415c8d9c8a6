// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/infer_main.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "runtime/params/unsupported.h"
#include "runtime/program/error.h"
#include "runtime/program/expect.h"
#include "runtime/program/infer_options.h"
#include "runtime/program/infer_runs.h"
#include "runtime/program/npy.h"
#include "runtime/program/output_folder.h"
#include "runtime/program/printable.h"

namespace dragoman::rt {
namespace {

void CallOnce(InferTarget& target, EntryRun& run, int entry, bool stacked) {
  std::vector<AnyValue> inputs;
  for (const InputData& input : run.inputs) inputs.push_back(input.At(run.done));
  std::vector<AnyValue> outputs(run.outputs.size());
  ThrowIfError(target.Call(entry, inputs, outputs));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    run.outputs[i].Add(outputs[i], run.done, run.calls, stacked);
  ++run.done;
}

// The inputs of the first calls of a run, so many that operands do not stay in a cache.
std::vector<std::vector<AnyValue>> FirstInputs(const EntryRun& run) {
  constexpr std::int64_t kDifferent = 8;
  std::vector<std::vector<AnyValue>> calls;
  for (std::int64_t i = 0; i < std::min(run.calls, kDifferent); ++i) {
    calls.emplace_back();
    for (const InputData& input : run.inputs) calls.back().push_back(input.At(i));
  }
  return calls;
}

// Of memory that the program held at once, until now.
long long PeakBytes() {
  constexpr long long kUnit = 1024;  // of ru_maxrss
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss * kUnit : 0;
}

// Calls the first entry of the run N times, each from the same state, with its inputs in turn.
void Repeat(InferTarget& target, EntryRun& run, int entry, int count) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  std::vector<AnyValue> outputs(run.outputs.size());
  std::vector<std::vector<AnyValue>> inputs = FirstInputs(run);
  target.SaveState();
  for (int i = 0; i < count; ++i) {
    std::vector<AnyValue>& given = inputs[static_cast<std::size_t>(i) % inputs.size()];
    const Clock::time_point start = Clock::now();
    const Status status = target.Call(entry, given, outputs);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    ThrowIfError(status);
    ThrowIfError(target.RestoreState());
  }
  std::sort(times.begin(), times.end());
  const std::size_t last = times.size() - 1;
  std::printf(
      "{\"repeat\": %d, \"unit\": \"us\", \"min\": %.3f, \"median\": %.3f, \"p99\": %.3f, "
      "\"peak_bytes\": %lld}\n",
      count, times[0], times[last / 2], times[last * 99 / 100], PeakBytes());
}

// The first call of a program is slower than all others.
void WarmUp(InferTarget& target, const EntryRun& run, int entry) {
  std::vector<AnyValue> inputs;
  for (const InputData& input : run.inputs) inputs.push_back(input.At(0));
  std::vector<AnyValue> outputs(run.outputs.size());
  target.SaveState();
  ThrowIfError(target.Call(entry, inputs, outputs));
  ThrowIfError(target.RestoreState());
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
                static_cast<long long>(step.calls), Printable(step.step).c_str(), how.c_str());
  }
}

void ThrowIfRefused(const std::string& folder) {
  const std::string refusal = RefusalOf(folder);
  if (!refusal.empty()) throw Error(folder + ": " + refusal);
}

// One line an expected output.
bool AreAsExpected(const std::vector<EntryRun>& runs, const InferOptions& options) {
  bool equal = true;
  for (const auto& [name, path] : options.expected) {
    const AnyTensor& found = FindOutput(runs, name).tensor;
    const Verdict verdict = Compare(found, ToTensor(ReadNpy(path), *found.type), options.rms);
    std::printf("%s: %s: %s\n", Printable(name).c_str(), verdict.equal ? "ok" : "DIFFERENT",
                verdict.message.c_str());
    equal = equal && verdict.equal;
  }
  return equal;
}

// Output is buffered: a disk that is full may show only here.
void ThrowIfOutputIsLost() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw Error(std::string("standard output: cannot write: ") +
              (errno != 0 ? std::strerror(errno) : "some output was lost"));
}

// Else the next file that is opened would take the number of a standard stream that is closed, and
// what is printed.
void OccupyClosedStreams() {
  constexpr int kFlags[] = {O_WRONLY, O_RDONLY, O_RDONLY};  // neither read nor written
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      static_cast<void>(::open("/dev/null", kFlags[stream]));
  }
}

// Whether all outputs are as expected.
bool Run(const ModelInfo& info, MakeTarget make, const InferOptions& options) {
  if (!options.output_dir.empty()) ThrowIfRefused(options.output_dir);
  std::vector<EntryRun> runs = PrepareRuns(info, options);
  const std::unique_ptr<InferTarget> target = make(options.weights, options.threads);
  const int first = options.calls.front();
  if (options.repeat > 0) {
    Repeat(*target, runs[static_cast<std::size_t>(first)], first, options.repeat);
  } else if (options.profile) {
    WarmUp(*target, runs[static_cast<std::size_t>(first)], first);
  }
  target->SetSeed(options.seed);
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
    std::fprintf(stderr, "%s: error: %s\n", name, Printable(message).c_str());
    return exit_code;
  };
  OccupyClosedStreams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of writing
  try {
    const InferOptions options = ParseInferOptions(info, argc, argv);
    if (options.help) {
      std::fputs(InferHelp(info).c_str(), stdout);
      ThrowIfOutputIsLost();
      return 0;
    }
    const bool equal = Run(info, make, options);
    ThrowIfOutputIsLost();
    return equal ? 0 : 1;
  } catch (const Error& error) {
    return fail(error.what(), IsUnsupported(error.what()) ? 4 : 2);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", 2);
  } catch (const std::exception& error) {
    return fail(error.what(), 3);
  }
}

}  // namespace dragoman::rt
