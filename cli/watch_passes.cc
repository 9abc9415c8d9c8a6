// SPDX-License-Identifier: Apache-2.0
#include "cli/watch_passes.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "cli/report.h"
#include "core/rewrite/pipeline.h"

namespace dragoman::cli {
namespace {

constexpr char kAll[] = "all";

// Writes the model after each run of a pass that changed something, as NUMBER-PASS.dgt.
class ModelPrinter {
 public:
  static Result<ModelPrinter> Make(const WatchFlags& flags) {
    if (flags.print_after.empty() != !flags.print_to)
      return InvalidInput("--print-after names passes, --print-to the folder: give both");
    for (const std::string& name : flags.print_after) {
      if (name != kAll) DRAGOMAN_TRY(CheckPass(name));
    }
    return ModelPrinter(flags.print_after, flags.print_to.value_or(""));
  }

  Status operator()(const PassRun& run, const Model& model) {
    if (!run.changed || !IsWanted(run.pass)) return {};
    std::error_code problem;
    std::filesystem::create_directories(folder_, problem);
    if (problem) return InvalidInput(fmt::format("{}: {}", folder_, problem.message()));
    const std::string file = fmt::format("{:03}-{}.dgt", ++printed_, run.pass);
    const Session writer;
    DRAGOMAN_ASSIGN(const Format* const text, FormatByName(writer.formats, "text"));
    return writer.Write(model, (std::filesystem::path(folder_) / file).string(), *text);
  }

 private:
  ModelPrinter(std::vector<std::string> passes, std::string folder)
      : passes_(std::move(passes)), folder_(std::move(folder)) {}

  bool IsWanted(std::string_view pass) const {
    return std::ranges::any_of(
        passes_, [&](const std::string& name) { return name == kAll || name == pass; });
  }

  std::vector<std::string> passes_;
  std::string folder_;
  int printed_ = 0;
};

// Adds up the time of each pass, and prints the sums when it goes.
class PassTimes {
 public:
  PassTimes() = default;
  PassTimes(const PassTimes&) = delete;
  PassTimes& operator=(const PassTimes&) = delete;
  ~PassTimes() {
    Say(fmt::format("{:>10}  {:>5}  {:>7}  pass", "ms", "runs", "changes"));
    for (const PassInfo& pass : AllPasses()) {
      const auto found = sums_.find(pass.name);
      if (found == sums_.end()) continue;
      const auto& [time, runs, changes] = found->second;
      const double ms = std::chrono::duration<double, std::milli>(time).count();
      Say(fmt::format("{:>10.3f}  {:>5}  {:>7}  {}", ms, runs, changes, pass.name));
    }
  }

  void Add(const PassRun& run) {
    Sum& sum = sums_[run.pass];
    sum.time += run.time;
    ++sum.runs;
    sum.changes += run.changed ? 1 : 0;
  }

 private:
  struct Sum {
    std::chrono::nanoseconds time{};
    int runs = 0;
    int changes = 0;
  };
  std::map<std::string_view, Sum> sums_;
};

void SayRun(const PassRun& run) {
  Say(fmt::format("pass {}: {} on entry '{}'{}", run.number, run.pass, Printable(run.entry),
                  run.changed ? ": changed it" : ""));
}

}  // namespace

void AddWatch(Command& command, WatchFlags& flags) {
  std::vector<std::string> words = {kAll};
  for (const PassInfo& pass : AllPasses()) words.emplace_back(pass.name);
  command.Add("--print-after", &flags.print_after,
              "Passes, or all: write the model after each run that changed it to --print-to",
              {.placeholder = "NAME,…", .suggested = std::move(words), .commas = true});
  command.Add("--print-to", &flags.print_to, "The folder for the models of --print-after",
              {.placeholder = "FOLDER"});
  command.AddFlag("--time-passes", flags.time_passes, "Print the time that each pass took");
  command.AddFlag("--verify-each", flags.verify_each,
                  "Check after each pass that the graph is well-formed");
  command.Add("--bisect-limit", &flags.bisect_limit,
              "Run only the first N passes, and print their names: to find the pass at fault",
              {.placeholder = "N", .range = {{0, 1'000'000'000}}});
}

Status WatchPasses(Session& session, const WatchFlags& flags) {
  DRAGOMAN_ASSIGN(const ModelPrinter made, ModelPrinter::Make(flags));
  const auto printer = std::make_shared<ModelPrinter>(made);
  const auto times = flags.time_passes ? std::make_shared<PassTimes>() : nullptr;
  session.verify_each_pass = flags.verify_each;
  session.max_pass_runs = flags.bisect_limit;
  session.after_pass = [=, bisects = flags.bisect_limit.has_value()](const PassRun& run,
                                                                     const Model& model) -> Status {
    if (bisects) SayRun(run);
    if (times) times->Add(run);
    return (*printer)(run, model);
  };
  return {};
}

}  // namespace dragoman::cli
