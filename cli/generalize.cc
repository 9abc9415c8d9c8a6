// SPDX-License-Identifier: Apache-2.0
// dragoman generalize A B -o OUT
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/report.h"
#include "core/edit/generalize.h"
#include "core/support/plural.h"
#include "driver/edit_model.h"
#include "driver/verify_model.h"

namespace dragoman::cli {
namespace {

struct GeneralizeOptions {
  std::string first;
  std::string second;
  std::string output;
  std::vector<std::string> names;
  LoweringFlags lowering;
  std::int64_t check = 1;
  CommonOptions common;
};

// Runs the model at the sizes of `example`, against it.
Status CheckAt(const Session& session, const Model& example, const std::string& path,
               const Model& model, const GeneralizeOptions& options) {
  const VerifyRequest request{.random = options.check};
  DRAGOMAN_ASSIGN(const std::vector<Verification> checks,
                  VerifyAgainstModel(session, example, model, options.output, request));
  for (const Verification& check : checks) {
    for (const OutputComparison& output : check.outputs) {
      if (output.ok) continue;
      return Unsupported("at the sizes of this file the model would compute something else: " +
                         output.message)
          .InFile(path);
    }
  }
  return {};
}

void PrintWhatIsOpen(const Generalized& done, bool verbose) {
  for (const OpenSize& size : done.sizes) {
    Print("{}: {} and {}: {}\n", size.symbol, size.first, size.second,
          fmt::format("{}", fmt::join(size.places, ", ")));
  }
  if (!verbose && !done.changes.empty())
    Print("{} follow{} the sizes (--verbose lists them)\n", Plural(done.changes.size(), "constant"),
          done.changes.size() == 1 ? "s" : "");
  for (const std::string& change : done.changes) {
    if (verbose) Print("  {}\n", change);
  }
}

nlohmann::ordered_json SizesJson(const std::vector<OpenSize>& sizes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OpenSize& size : sizes) {
    list.push_back(
        {{"symbol", size.symbol}, {"a", size.first}, {"b", size.second}, {"places", size.places}});
  }
  return list;
}

Status Generalize(const GeneralizeOptions& options) {
  const Session session = MakeSession(options.common, options.first);
  DRAGOMAN_ASSIGN(const Format* const target, FormatOfOutput(session.formats, options.output));
  DRAGOMAN_ASSIGN(const LoweringOptions lowering, ParseLowering(options.lowering));
  const ReadOptions tags = ReadOptionsOf(options.lowering);
  Facts names;
  for (const std::string& text : options.names) {
    DRAGOMAN_ASSIGN(ShapeFact fact, ParseShapeFact(text));
    names.shapes.push_back(std::move(fact));
  }
  DRAGOMAN_ASSIGN(const CommonModel first, ReadCommon(session, options.first, lowering, tags));
  DRAGOMAN_ASSIGN(const CommonModel second, ReadCommon(session, options.second, lowering, tags));
  DRAGOMAN_ASSIGN(const Generalized done, GeneralizeModels(first.model, second.model, names));
  DRAGOMAN_TRY(CheckAt(session, first.model, options.first, done.model, options));
  DRAGOMAN_TRY(CheckAt(session, second.model, options.second, done.model, options));
  DRAGOMAN_TRY(session.Write(done.model, options.output, *target, {.kept_opset = first.opset}));
  if (options.common.json) {
    nlohmann::ordered_json json = WrittenJson(options.output, target->name);
    json["sizes"] = SizesJson(done.sizes);
    json["changes"] = done.changes;
    PrintJson(json);
  } else if (!options.common.quiet) {
    PrintWhatIsOpen(done, options.common.verbose);
  }
  return {};
}

int RunGeneralize(const GeneralizeOptions& options) {
  return Report(Generalize(options), options.first);
}

}  // namespace

void AddGeneralize(CommandLine& program) {
  auto options = std::make_shared<GeneralizeOptions>();
  Command command =
      program.AddCommand("generalize", "Make one model of open sizes of two exports at two sizes");
  command.Add("A", &options->first, "A model file", {.required = true});
  command.Add("B", &options->second, "The same model, exported at other sizes", {.required = true});
  command.Add("-o,--output", &options->output, "File to write",
              {.placeholder = "FILE", .required = true});
  command.Add("--names", &options->names, "What the sizes of an input are called where they differ",
              {.placeholder = "INPUT=D,…", .repeatable = true});
  command.Add("--check", &options->check, "How many random inputs both sizes are run on",
              {.placeholder = "N", .range = {{1, 1000}}});
  command.Add("--entry", &options->lowering.entry, "The entry to take of several",
              {.placeholder = "NAME"});
  command.Add("--tags", &options->lowering.tags,
              "Tags of the graphs of SavedModels; default: serve, if there is one",
              {.placeholder = "NAME,…", .commas = true});
  AddCut(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "Sizes of inputs that differ become symbols, one for each pair of numbers: export at sizes\n"
      "that differ from one another. Constants that differ become expressions of the sizes; one\n"
      "that cannot is named, and nothing is written. The model is run at both sizes before.\n"
      "\n"
      "  dragoman generalize at_224.onnx at_320.onnx -o open.onnx --names x=n,3,h,w");
  command.SetRun([options] { return RunGeneralize(*options); });
}

}  // namespace dragoman::cli
