// SPDX-License-Identifier: Apache-2.0
// dragoman diff A B
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/page_file.h"
#include "cli/verification_report.h"
#include "core/compare/diff.h"
#include "core/compare/diff_trace.h"
#include "driver/diff_sources.h"
#include "driver/pages.h"
#include "driver/verify_model.h"

namespace dragoman::cli {
namespace {

struct DiffOptions {
  std::string a;
  std::string b;
  std::optional<std::string> level;
  std::vector<std::string> ignore;
  bool all = false;
  std::optional<std::string> html;
  bool exports = false;
  std::optional<std::int64_t> run;
  LoweringFlags both;                                 // --shape, --dim, --entry, --tags, --passes
  std::array<std::vector<std::string>, 2> shapes;     // --shape-a, --shape-b
  std::array<std::vector<std::string>, 2> dims;       // --dim-a, --dim-b
  std::array<std::optional<std::string>, 2> entries;  // --entry-a, --entry-b
  CompareOptions compare;
  CommonOptions common;
};

void SetIgnored(DiffOptions& options) {
  for (const std::string& word : options.ignore) {
    if (word == "weights") options.compare.ignore_weights = true;
    if (word == "shapes") options.compare.ignore_shapes = true;
    if (word == "origins") options.compare.ignore_origins = true;
  }
}

// What is stated about one of the two models.
Result<Facts> FactsOfSide(const DiffOptions& options, std::size_t side) {
  LoweringFlags flags = options.both;
  const std::vector<std::string>&shapes = options.shapes[side], &dims = options.dims[side];
  flags.shapes.insert(flags.shapes.end(), shapes.begin(), shapes.end());
  flags.dims.insert(flags.dims.end(), dims.begin(), dims.end());
  if (options.entries[side]) flags.entry = options.entries[side];
  return ParseFacts(flags);
}

using Models = std::array<Model, 2>;

// Leaves in `models` what was compared.
Result<DiffReport> Compare(const Session& session, DiffOptions& options, Models& models) {
  SetIgnored(options);
  DiffRequest request;
  if (options.level) request.level = *options.level == "source" ? Level::kSource : Level::kCommon;
  request.passes = options.both.passes;
  request.exports = options.exports;
  request.compare = options.compare;
  const std::array<std::string, 2> files = {options.a, options.b};
  for (std::size_t i = 0; i < files.size(); ++i) {
    DRAGOMAN_ASSIGN(request.facts[i], FactsOfSide(options, i));
    DRAGOMAN_ASSIGN(models[i], session.Read(files[i], std::nullopt, ReadOptionsOf(options.both)));
  }
  if (!options.html) return DiffSources(session, models, files, std::move(request));
  DiffTrace trace;
  DRAGOMAN_ASSIGN(DiffReport report,
                  DiffSources(session, models, files, std::move(request), &trace));
  std::array<std::string, 2> names = {FileNameOf(files[0]), FileNameOf(files[1])};
  if (names[0] == names[1]) names = files;
  const std::string page = PageOfDiff(models[0], models[1], report, trace, names);
  DRAGOMAN_TRY(WritePageFile(*options.html, page, {files[0], files[1]}));
  return report;
}

// The report, its first word in colour on a terminal.
void PrintReport(const DiffReport& report, bool all) {
  const std::string text = RenderText(report, all ? Listing::kEach : Listing::kGroups);
  const std::size_t end = text.find(' ');
  Print("{}", Colored(report.equal() ? Color::kGreen : Color::kRed, text.substr(0, end)));
  PrintLines(text.substr(end));
}

// Of what was compared, on random inputs; empty if --run does not ask for it.
Result<std::vector<Verification>> CompareOutputs(const Session& session, const DiffOptions& options,
                                                 const Models& models) {
  if (!options.run) return std::vector<Verification>();
  VerifyRequest request;
  request.random = *options.run;
  request.run.print = [](std::string_view line) { Say(Printable(line)); };
  return VerifyAgainstModel(session, models[0], models[1], options.b, request);
}

// Files of some formats hold one entry of a model that has several.
void PrintHowToCompareOneEntry(const Models& models, const DiffOptions& options) {
  if (models[0].entries.size() == models[1].entries.size()) return;
  std::string chosen;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (models[i].entries.size() > 1)
      chosen += fmt::format(" --entry-{} {}", "ab"[i],
                            ShellWord(Printable(models[i].entries.front().name)));
  }
  Print("\nnext:  dragoman diff {} {}{}\n", ShellWord(options.a), ShellWord(options.b), chosen);
}

void PrintAnswer(const DiffReport& report, const std::vector<Verification>& runs,
                 const Models& models, const DiffOptions& options) {
  const bool json = options.common.json;
  if (!json) {
    PrintReport(report, options.all);
    PrintVerifications(runs);
    PrintHowToCompareOneEntry(models, options);
  } else if (!options.run) {
    fmt::print("{}", RenderJson(report));
  } else {
    auto answer = nlohmann::ordered_json::parse(RenderJson(report));
    answer["run"] = VerificationsJson(runs);
    PrintJson(answer);
  }
}

int RunDiff(DiffOptions& options) {
  Session session = MakeSession(options.common);
  if (Status status = UseRules(session, options.both); !status.ok()) return Report(status.error());
  // Never destroyed: the process ends next, which frees a million nodes faster than destructors do.
  static auto* const models = new Models;
  const Result<DiffReport> report = Compare(session, options, *models);
  if (!report.ok()) return Report(report.error());
  const Result<std::vector<Verification>> runs = CompareOutputs(session, options, *models);
  if (!runs.ok()) return Report(runs.error(), options.a);
  if (!options.common.quiet) PrintAnswer(*report, *runs, *models, options);
  const bool equal = report->equal() && std::ranges::all_of(*runs, &Verification::ok);
  return equal ? kDone : kAnswerIsNo;
}

// What counts as a difference.
void AddComparison(Command& command, DiffOptions& options) {
  command.Add("--level", &options.level,
              "source (as in the files) or common; default: source if dialect and versions agree",
              {.one_of = {"source", "common"}});
  command.Add(
      "--ignore", &options.ignore, "Ignore differences in parts of the models",
      {.placeholder = "PART,…", .one_of = {"weights", "shapes", "origins"}, .commas = true});
  command.AddFlag("--strict-attributes", options.compare.strict_attributes,
                  "Distinguish an attribute with its default value from an absent one");
  command.AddFlag(
      "--strict-types", options.compare.strict_types,
      "Distinguish a stated type or size of a node's result from one that is not stated");
  command.AddFlag("--commute", options.compare.commute,
                  "Accept operands of commutative operators in any order");
  command.AddFlag("--modulo-sharing", options.compare.modulo_sharing,
                  "Accept equal computations that one graph shares and the other repeats");
  command.Add(
      "--rtol", &options.compare.rtol,
      "Relative tolerance of floating-point and complex constants: |a-b| <= rtol * max(|a|, |b|)");
}

void AddFactsOfOne(Command& command, DiffOptions& options) {
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string suffix = i == 0 ? "-a" : "-b";
    const std::string help = i == 0 ? ", for A only" : ", for B only";
    command.Add("--shape" + suffix, &options.shapes[i], "Like --shape" + help,
                {.placeholder = "NAME=D,…", .repeatable = true});
    command.Add("--dim" + suffix, &options.dims[i], "Like --dim" + help,
                {.placeholder = "SYMBOL=SIZE", .repeatable = true});
    command.Add("--entry" + suffix, &options.entries[i], "Like --entry" + help,
                {.placeholder = "NAME"});
  }
}

}  // namespace

void AddDiff(CommandLine& program) {
  auto options = std::make_shared<DiffOptions>();
  Command command = program.AddCommand("diff", "Compare two graphs and show where they differ");
  command.Add("A", &options->a, "A model file", {.required = true});
  command.Add("B", &options->b, "Another model file", {.required = true});
  AddComparison(command, *options);
  command.AddFlag("--all", options->all,
                  "List each edit; else those that say the same of several nodes are one line");
  command.Add(
      "--run", &options->run,
      "Compare outputs as well, on N random inputs; sizes that are not known are drawn from 2 to 5",
      {.placeholder = "N", .range = {{1, 1'000'000}}});
  command.Add("--html", &options->html,
              "Write both graphs side by side, with their differences, as a page for a browser",
              {.placeholder = "FILE"});
  command.AddFlag("--exports", options->exports,
                  "Compare two files of one format as exports of one model: in normal forms, as "
                  "files of different formats are");
  AddPasses(command, options->both);
  AddRuleFile(command, options->both);
  AddFacts(command, options->both);
  AddFactsOfOne(command, *options);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "With --shape, --dim, --entry or --passes, both graphs are lowered first. Files of "
      "different\n"
      "formats are lowered and rewritten by the default passes.\n"
      "Not compared: names, the order of independent nodes, sharing of equal constants, "
      "attributes\n"
      "with their default value (ai.onnx), types of results that one side does not state, "
      "documentation,\n"
      "metadata, quantization annotations, training information.\n"
      "Exit codes: 0 equal, 1 different, 2 or 4 not comparable.\n"
      "\n"
      "  dragoman diff a.onnx b.onnx\n"
      "  dragoman diff model.pt2 model.onnx --rtol 1e-6 --run 3");
  command.SetRun([options] { return RunDiff(*options); });
}

}  // namespace dragoman::cli
