// SPDX-License-Identifier: Apache-2.0
// dragoman reduce MODEL --test COMMAND -o OUT
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/fusion_summary.h"
#include "cli/options.h"
#include "codegen/onednn/process.h"
#include "core/support/plural.h"
#include "core/support/temporary_folder.h"
#include "driver/reduce.h"

namespace dragoman::cli {
namespace {

struct ReduceCommand {
  std::string model;
  std::string output;
  std::string test;
  std::optional<std::string> match;
  std::int64_t timeout = 60;
  LoweringFlags lowering;
  CommonOptions common;
};

// The user's command, called with files of one format. Each model for which it fails in the same
// way becomes the output: whatever ends the program, the smallest so far is there.
class FaultTest {
 public:
  FaultTest(const ReduceCommand& options, const Format& format, TemporaryFolder folder)
      : options_(options),
        format_(format),
        folder_(std::move(folder)),
        file_(folder_.path() / ("candidate" + std::string(format.suffixes.front()))) {}

  // Learns how the command fails for the model that is to be reduced. Error: it does not.
  Status Start(const Model& model) {
    DRAGOMAN_TRY(writer_.Write(model, file_.string(), format_));
    DRAGOMAN_ASSIGN(const ProcessResult result, Call());
    if (result.exit_code == 0) {
      return InvalidInput("--test: the command succeeds for the model: there is no fault to keep");
    }
    if (!Matches(result)) {
      return InvalidInput(fmt::format("--match: the command does not print '{}'", *options_.match));
    }
    exit_code_ = result.exit_code;
    return Save(model);
  }

  bool Shows(const Model& candidate) {
    if (!writer_.Write(candidate, file_.string(), format_).ok()) return false;
    const Result<ProcessResult> result = Call();
    if (!result.ok() || result->exit_code != exit_code_ || !Matches(*result)) return false;
    static_cast<void>(Save(candidate));  // where it fails, so does the last writing, which says why
    return true;
  }

  int calls() const { return calls_; }

 private:
  Status Save(const Model& model) { return writer_.Write(model, options_.output, format_); }

  // The file's name is an argument of the shell, so that nothing in it is part of the command.
  Result<ProcessResult> Call() {
    ++calls_;
    std::string command = options_.test;
    if (command.find("{}") == std::string::npos) command += " {}";
    for (std::size_t at = 0; (at = command.find("{}", at)) != std::string::npos;)
      command.replace(at, 2, "\"$1\"");
    return RunProcess({"timeout", "-k", "1", std::to_string(options_.timeout), "sh", "-c", command,
                       "sh", file_.string()},
                      folder_.path());
  }

  bool Matches(const ProcessResult& result) const {
    const auto prints = [&](const std::string& text) {
      return text.find(*options_.match) != std::string::npos;
    };
    return !options_.match || prints(result.out) || prints(result.error);
  }

  const ReduceCommand& options_;
  const Format& format_;
  TemporaryFolder folder_;
  std::filesystem::path file_;
  Session writer_;  // without warnings
  int exit_code_ = 0;
  int calls_ = 0;
};

// The graph of the file where the output can hold it, else that of lowering.
Result<Model> ReadReducible(const Session& session, const ReduceCommand& options,
                            const Format& target) {
  DRAGOMAN_ASSIGN(Model source,
                  session.Read(options.model, std::nullopt, ReadOptionsOf(options.lowering)));
  const bool fits = target.is_container || target.dialect == source.dialect;
  if (fits && !options.lowering.has_facts()) return source;
  DRAGOMAN_ASSIGN(LoweringOptions lowering, ParseLowering(options.lowering));
  lowering.passes = "none";
  Result<Model> common = session.ToCommon(source, lowering);
  return common.ok() ? std::move(common) : std::move(common).error().InFile(options.model);
}

Status ReduceModel(const ReduceCommand& options) {
  const Session session = MakeSession(options.common, options.model);
  DRAGOMAN_ASSIGN(const Format* const target, FormatOfOutput(session.formats, options.output));
  DRAGOMAN_ASSIGN(Model model, ReadReducible(session, options, *target));
  const NodeCount before = CountNodes(model);
  DRAGOMAN_ASSIGN(TemporaryFolder folder, TemporaryFolder::Create());
  FaultTest test(options, *target, std::move(folder));
  DRAGOMAN_TRY(test.Start(model));
  ReduceOptions reduce;
  reduce.shows = [&](const Model& candidate) { return test.Shows(candidate); };
  if (!options.common.quiet) reduce.report = [](std::string_view line) { Say(line); };
  const Model reduced = Reduce(std::move(model), reduce);
  DRAGOMAN_TRY(session.Write(reduced, options.output, *target));
  const NodeCount after = CountNodes(reduced);
  if (options.common.json) {
    PrintJson(nlohmann::ordered_json{{"output", options.output},
                                     {"nodes_before", before.nodes},
                                     {"nodes", after.nodes},
                                     {"calls", test.calls()}});
  } else if (!options.common.quiet) {
    Print("{}: {} of {}, after {} of the command\n", options.output, after.nodes,
          Plural(before.nodes, "node"), Plural(static_cast<std::size_t>(test.calls()), "call"));
  }
  return {};
}

int RunReduce(const ReduceCommand& options) { return Report(ReduceModel(options), options.model); }

}  // namespace

void AddReduce(CommandLine& program) {
  auto options = std::make_shared<ReduceCommand>();
  Command command =
      program.AddCommand("reduce", "Make a model for which a command fails as small as possible");
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add("-o,--output", &options->output,
              "File to write; the command gets files with its suffix",
              {.placeholder = "FILE", .required = true});
  command.Add("--test", &options->test,
              "Shell command that fails for the model, in which {} stands for the file (by default "
              "its last argument). A smaller model is kept if the exit code is the same",
              {.placeholder = "COMMAND", .required = true});
  command.Add("--match", &options->match, "Text that the command must print as well",
              {.placeholder = "TEXT"});
  command.Add("--timeout", &options->timeout, "When a call is ended, with exit code 124",
              {.placeholder = "SECONDS", .range = {{1, 1'000'000}}});
  AddFacts(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "Removes entries, states, nodes, functions, outputs, inputs, attributes and metadata, sets\n"
      "weights to zero and makes sizes smaller, as long as the command fails in the same way.\n"
      "If it is ended, the file is the smallest model so far.\n"
      "\n"
      "  dragoman reduce model.onnx -o small.onnx --test 'dragoman run {} --random'\n"
      "  dragoman reduce model.onnx -o small.onnx --match 'shape mismatch' \\\n"
      "      --test 'python3 load.py {}'");
  command.SetRun([options] { return RunReduce(*options); });
}

}  // namespace dragoman::cli
