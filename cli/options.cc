// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cli/batch_report.h"
#include "core/rewrite/pipeline.h"
#include "core/support/new_folders.h"
#include "core/support/printable.h"
#include "driver/rules.h"
#include "driver/sizes.h"

namespace dragoman::cli {

void AddAnswerOptions(Command& command, CommonOptions& options) {
  command.AddFlag("--json", options.json, "Print the answer as JSON");
  command.AddFlag("-q,--quiet", options.quiet, "Print no warnings except about bugs in dragoman");
}

void AddCommonOptions(Command& command, CommonOptions& options) {
  command.AddFlag("--explain", options.explain, "Report each rewrite and each near miss");
  AddAnswerOptions(command, options);
  command.AddFlag("-v,--verbose", options.verbose,
                  "Print more: the whole graph (inspect), each constant that follows sizes");
  command.AddFlag("--strict", options.strict, "Treat warnings as errors");
  command.Add("--expand-limit", &options.expand_limit,
              "Most that sparse, repeated and shared data of a model may be expanded to; default: "
              "64 times the size of its files, at least 268",
              {.placeholder = "MB", .range = {{0, 1'000'000'000}}});
}

void AddFacts(Command& command, LoweringFlags& options) {
  command.Add("--shape", &options.shapes,
              "Sizes of an input, where D is a size, a symbol, ? (unknown) or _ (as it was); "
              "NAME=int64:D,… also states the element type",
              {.placeholder = "NAME=D,…", .repeatable = true});
  command.Add("--dim", &options.dims, "Size of a symbol, wherever it occurs",
              {.placeholder = "SYMBOL=SIZE", .repeatable = true});
  command.Add("--entry", &options.entry, "The only entry to keep", {.placeholder = "NAME"});
  command.Add("--tags", &options.tags,
              "Tags of the graph of a SavedModel; default: serve, if there is one",
              {.placeholder = "NAME,…", .commas = true});
}

void AddCut(Command& command, LoweringFlags& options) {
  command.Add("--cut-inputs", &options.cut_inputs, "Values that become the inputs",
              {.placeholder = "NAME,…", .commas = true});
  command.Add("--cut-outputs", &options.cut_outputs, "Values that become the outputs",
              {.placeholder = "NAME,…", .commas = true});
}

void AddBatch(Command& command, LoweringFlags& options) {
  command.Add("--batch", &options.batch,
              "Samples in a batch: for each the model gives what it gave for one. Constants that "
              "stood for their number are rewritten; what cannot be is listed",
              {.placeholder = "N|SYMBOL"});
  command.Add("--batch-axis", &options.batch_axes,
              "Axis of an input that holds the samples; default: axis 0 of the first input, and of "
              "all that have the same size there. Other inputs and states follow",
              {.placeholder = "INPUT=AXIS", .repeatable = true});
}

Result<Model> ReadCut(const Session& session, const std::string& path, const LoweringFlags& options,
                      Facts& facts) {
  DRAGOMAN_ASSIGN(Model model, session.Read(path, std::nullopt, ReadOptionsOf(options)));
  Result<std::optional<Model>> piece =
      session.Cut(model, options.cut_inputs, options.cut_outputs, facts);
  if (!piece.ok()) return std::move(piece).error().InFile(path);
  return *piece ? std::move(**piece) : std::move(model);
}

Result<Model> ReadToRun(const Session& session, const std::string& path,
                        const LoweringFlags& options, Facts& facts) {
  DRAGOMAN_ASSIGN(Model model, ReadCut(session, path, options, facts));
  if (!StateOtherSizes(model, facts)) return model;
  LoweringOptions sizes{.facts = std::exchange(facts, {}), .passes = "none"};
  Result<Model> resized = session.ToCommon(model, sizes);
  if (!resized.ok()) return std::move(resized).error().InFile(path);
  return resized;
}

void AddPasses(Command& command, LoweringFlags& options) {
  std::vector<std::string> words = {"none", "default"};
  for (const PassInfo& pass : AllPasses()) {
    words.emplace_back(pass.name);
    if (pass.by_default) words.push_back("-" + std::string(pass.name));
  }
  command.Add(
      "--passes", &options.passes,
      "none, default, or names of passes; default,-NAME omits one. `dragoman ops` lists them; a "
      "rewrite of a pass is called as --explain prints it",
      {.placeholder = "NAME,…", .suggested = std::move(words)});
}

void AddRuleFile(Command& command, LoweringFlags& options) {
  command.Add("--rules", &options.rules,
              "File of rules to rewrite the model by, before all passes; see `dragoman rules`",
              {.placeholder = "FILE"});
}

Status UseRules(Session& session, const LoweringFlags& options) {
  if (!options.rules) return {};
  DRAGOMAN_ASSIGN(session.rules, LoadRules(*options.rules));
  return {};
}

std::string TypedChoices(const LoweringFlags& options) {
  std::string typed;
  const auto add = [&](std::string_view option, const std::vector<std::string>& words) {
    if (!words.empty())
      typed += fmt::format(" {} {}", option, ShellWord(fmt::format("{}", fmt::join(words, ","))));
  };
  add("--tags", options.tags);
  add("--cut-inputs", options.cut_inputs);
  add("--cut-outputs", options.cut_outputs);
  for (const std::string& shape : options.shapes) typed += " --shape " + ShellWord(shape);
  for (const std::string& dim : options.dims) typed += " --dim " + ShellWord(dim);
  if (options.entry) typed += " --entry " + ShellWord(*options.entry);
  if (options.batch) typed += " --batch " + ShellWord(*options.batch);
  for (const std::string& axis : options.batch_axes) typed += " --batch-axis " + ShellWord(axis);
  return typed;
}

ReadOptions ReadOptionsOf(const LoweringFlags& options) {
  if (options.tags.empty()) return {};
  return {.tags = options.tags};
}

Result<Facts> ParseFacts(const LoweringFlags& options) {
  Facts facts;
  for (const std::string& text : options.shapes) {
    DRAGOMAN_ASSIGN(ShapeFact fact, ParseShapeFact(text));
    if (std::ranges::find(facts.shapes, fact.input, &ShapeFact::input) != facts.shapes.end())
      return InvalidInput("--shape names the input '" + fact.input + "' twice");
    facts.shapes.push_back(std::move(fact));
  }
  for (const std::string& text : options.dims) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return InvalidInput("--dim " + text + " is not SYMBOL=SIZE");
    Result<Dim> dim = ParseDim(text.substr(equals + 1));
    if (!dim.ok() || (dim->known() && dim->value() < 1))
      return InvalidInput("--dim " + text + ": not a size, which is 1 or more");
    const std::string symbol = text.substr(0, equals);
    if (!facts.dims.emplace(symbol, std::move(*dim)).second)
      return InvalidInput("--dim names the size '" + symbol + "' twice");
  }
  facts.entry = options.entry;
  return facts;
}

Result<std::optional<BatchRequest>> ParseBatch(const LoweringFlags& options) {
  if (!options.batch && !options.batch_axes.empty())
    return InvalidInput("--batch-axis goes with --batch");
  if (!options.batch) return std::optional<BatchRequest>();
  Result<Dim> size = ParseDim(*options.batch);
  const bool fits = size.ok() && (size->known() ? size->value() > 0 : size->symbol() != nullptr);
  if (!fits)
    return InvalidInput("--batch " + *options.batch + ": not a number from 1 on, and no symbol");
  BatchRequest request{.size = std::move(*size), .axes = {}};
  for (const std::string& text : options.batch_axes) {
    const std::size_t equals = text.rfind('=');
    const std::string digits = equals == std::string::npos ? "" : text.substr(equals + 1);
    int axis = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), axis);
    if (equals == 0 || digits.empty() || error != std::errc() ||
        end != digits.data() + digits.size())
      return InvalidInput("--batch-axis " + text + " is not INPUT=AXIS");
    if (!request.axes.emplace(text.substr(0, equals), axis).second)
      return InvalidInput("--batch-axis names the input '" + text.substr(0, equals) + "' twice");
  }
  return std::optional(std::move(request));
}

Result<LoweringOptions> ParseLowering(const LoweringFlags& options) {
  DRAGOMAN_ASSIGN(Facts facts, ParseFacts(options));
  LoweringOptions lowering = LoweringWith(std::move(facts), options);
  DRAGOMAN_ASSIGN(lowering.batch, ParseBatch(options));
  return lowering;
}

LoweringOptions LoweringWith(Facts facts, const LoweringFlags& options) {
  LoweringOptions lowering;
  lowering.facts = std::move(facts);
  lowering.cut_inputs = options.cut_inputs;
  lowering.cut_outputs = options.cut_outputs;
  lowering.passes = options.passes.value_or("default");
  return lowering;
}

Session MakeSession(const CommonOptions& options, const std::string& model) {
  Session session;
  session.shows_progress = true;
  session.strict = options.strict;
  if (!options.quiet) {
    ReportNewFolders(
        [](const std::string& folder) { Say("made the folder " + Printable(folder)); });
    session.report_resized = [verbose = options.verbose](const std::vector<std::string>& changes) {
      if (!changes.empty()) Say(FollowedText(changes, verbose));
    };
  }
  if (options.expand_limit)
    session.expand_limit = static_cast<std::uint64_t>(*options.expand_limit) * 1'000'000;
  if (options.explain) session.explain = [](std::string_view line) { Say(Printable(line)); };
  // A bug is reported in spite of --quiet.
  session.warn = [quiet = options.quiet, model](Finding warning) {
    if (warning.file.empty()) warning.file = model;
    if (!quiet || warning.kind == ErrorKind::kInternal) SayWarning(warning);
  };
  return session;
}

}  // namespace dragoman::cli
