// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/rewrite/pipeline.h"

namespace dragoman::cli {

void AddCommonOptions(Command& command, CommonOptions& options) {
  command.AddFlag("--explain", options.explain, "Report each rewrite and each near miss");
  command.AddFlag("--json", options.json, "Print the answer as JSON");
  command.AddFlag("-q,--quiet", options.quiet, "Print no warnings except about bugs in dragoman");
  command.AddFlag("-v,--verbose", options.verbose,
                  "Print more details; inspect prints the whole graph");
  command.AddFlag("--strict", options.strict, "Treat warnings as errors");
  command.Add("--expand-limit", &options.expand_limit,
              "MB that sparse, repeated and shared data of a model may be expanded to; default:\n"
              "64 times the size of its files, at least 268",
              {.range = {{0, 1'000'000'000}}});
}

void AddFacts(Command& command, LoweringFlags& options) {
  command.Add(
      "--shape", &options.shapes,
      "Sizes of an input: NAME=D,… where D is a size, a symbol, ? (unknown) or _ (as it was);\n"
      "NAME=int64:D,… also states the element type",
      {.repeatable = true});
  command.Add("--dim", &options.dims, "SYMBOL=SIZE: the size of a symbol, wherever it occurs",
              {.repeatable = true});
  command.Add("--entry", &options.entry, "The only entry to keep");
  command.Add("--tags", &options.tags,
              "Tags of the graph of a SavedModel; default: serve, if there is one",
              {.commas = true});
}

void AddCut(Command& command, LoweringFlags& options) {
  command.Add("--cut-inputs", &options.cut_inputs, "Values that become the inputs",
              {.commas = true});
  command.Add("--cut-outputs", &options.cut_outputs, "Values that become the outputs",
              {.commas = true});
}

Result<Model> ReadCut(const Session& session, const std::string& path, const LoweringFlags& options,
                      Facts& facts) {
  DRAGOMAN_ASSIGN(Model model, session.Read(path, std::nullopt, ReadOptionsOf(options)));
  Result<std::optional<Model>> piece =
      session.Cut(model, options.cut_inputs, options.cut_outputs, facts);
  if (!piece.ok()) return std::move(piece).error().InFile(path);
  return *piece ? std::move(**piece) : std::move(model);
}

void AddPasses(Command& command, LoweringFlags& options) {
  std::vector<std::string> words = {"none", "default"};
  for (const PassInfo& pass : AllPasses()) {
    words.emplace_back(pass.name);
    if (pass.by_default) words.push_back("-" + std::string(pass.name));
  }
  command.Add("--passes", &options.passes,
              "none, default, pass names, or default,-NAME to omit one; `dragoman ops` lists them",
              {.suggested = std::move(words)});
}

std::string TypedFacts(const LoweringFlags& options) {
  std::string typed;
  for (const std::string& shape : options.shapes) typed += " --shape " + ShellWord(shape);
  for (const std::string& dim : options.dims) typed += " --dim " + ShellWord(dim);
  if (options.entry) typed += " --entry " + ShellWord(*options.entry);
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
    if (!dim.ok() || (dim->known() && dim->value() < 0))
      return InvalidInput("--dim " + text + ": not a size");
    const std::string symbol = text.substr(0, equals);
    if (!facts.dims.emplace(symbol, std::move(*dim)).second)
      return InvalidInput("--dim names the size '" + symbol + "' twice");
  }
  facts.entry = options.entry;
  return facts;
}

Result<LoweringOptions> ParseLowering(const LoweringFlags& options) {
  DRAGOMAN_ASSIGN(Facts facts, ParseFacts(options));
  return LoweringWith(std::move(facts), options);
}

LoweringOptions LoweringWith(Facts facts, const LoweringFlags& options) {
  return {std::move(facts), options.cut_inputs, options.cut_outputs,
          options.passes.value_or("default")};
}

Session MakeSession(const CommonOptions& options, const std::string& model) {
  Session session;
  session.shows_progress = true;
  session.strict = options.strict;
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
