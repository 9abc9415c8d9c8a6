// SPDX-License-Identifier: Apache-2.0
// dragoman merge A B -o OUT, extract MODEL -o OUT, split MODEL -o OUT
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/convert.h"
#include "core/edit/parts.h"
#include "core/rewrite/cut.h"
#include "driver/edit_model.h"
#include "driver/given_names.h"

namespace dragoman::cli {
namespace {

struct MergeOptions {
  std::string first;
  std::string second;
  std::string output;
  std::vector<std::string> connections;
  std::optional<std::string> passes;
  LoweringFlags of_first, of_second;
  CommonOptions common;
};

Result<std::vector<Connection>> ParseConnections(const std::vector<std::string>& texts) {
  std::vector<Connection> connections;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return InvalidInput("--connect " + text + " is not OUTPUT=INPUT");
    connections.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return connections;
}

Status Merge(const MergeOptions& options) {
  const Session session = MakeSession(options.common, options.first);
  DRAGOMAN_ASSIGN(std::vector<Connection> connections, ParseConnections(options.connections));
  DRAGOMAN_ASSIGN(const Format* const target, FormatOfOutput(session.formats, options.output));
  const auto read = [&](const std::string& path,
                        const LoweringFlags& flags) -> Result<CommonModel> {
    DRAGOMAN_ASSIGN(LoweringOptions lowering, ParseLowering(flags));
    return ReadCommon(session, path, std::move(lowering), ReadOptionsOf(flags));
  };
  DRAGOMAN_ASSIGN(CommonModel first, read(options.first, options.of_first));
  DRAGOMAN_ASSIGN(CommonModel second, read(options.second, options.of_second));
  for (auto& [output, input] : connections) {
    output = NameIn(first.model, output);
    input = NameIn(second.model, input);
  }
  DRAGOMAN_ASSIGN(Model merged, MergeModels(first.model, second.model, std::move(connections)));
  DRAGOMAN_TRY(session.Rewrite(merged, options.passes.value_or("none")));
  const std::optional<std::int64_t> opset = std::max(first.opset, second.opset);
  DRAGOMAN_TRY(session.Write(merged, options.output, *target, {.kept_opset = opset}));
  if (options.common.json) PrintJson(WrittenJson(options.output, target->name));
  return {};
}

int RunMerge(const MergeOptions& options) { return Report(Merge(options)); }

struct ExtractOptions {
  std::optional<std::string> scope;
  ConvertOptions convert;
};

// The values at the border of the scope, as those to cut at.
Status CutAtScope(ExtractOptions& options) {
  LoweringFlags& flags = options.convert.lowering;
  if (flags.has_cut() == options.scope.has_value())
    return InvalidInput("extract takes either --inputs and --outputs, or --scope");
  if (!options.scope) return {};
  Session session = MakeSession(options.convert.common, options.convert.model);
  session.warn = nullptr;  // they are printed when the model is converted
  DRAGOMAN_ASSIGN(LoweringOptions lowering, ParseLowering(flags));
  DRAGOMAN_ASSIGN(const CommonModel common, ReadCommon(session, options.convert.model,
                                                       std::move(lowering), ReadOptionsOf(flags)));
  DRAGOMAN_ASSIGN(ModelPart part, PartOfScope(common.model, NameIn(common.model, *options.scope)));
  flags.cut_inputs = std::move(part.inputs);
  flags.cut_outputs = std::move(part.outputs);
  return {};
}

int RunExtract(ExtractOptions options) {
  const Status status = CutAtScope(options);
  return status.ok() ? RunConvert(options.convert) : Report(status.error(), options.convert.model);
}

struct SplitOptions {
  std::string model;
  std::string output;
  std::vector<std::string> borders;
  LoweringFlags lowering;
  CommonOptions common;
};

// "parts.onnx" gives "parts_1.onnx".
std::string PartPath(const std::string& output, std::size_t number) {
  const std::filesystem::path path(output);
  const std::string name =
      fmt::format("{}_{}{}", path.stem().string(), number, path.extension().string());
  return (path.parent_path() / name).string();
}

std::string Listed(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

Status Split(const SplitOptions& options) {
  const Session session = MakeSession(options.common, options.model);
  DRAGOMAN_ASSIGN(const Format* const target, FormatOfOutput(session.formats, options.output));
  DRAGOMAN_ASSIGN(LoweringOptions lowering, ParseLowering(options.lowering));
  DRAGOMAN_ASSIGN(const CommonModel common, ReadCommon(session, options.model, std::move(lowering),
                                                       ReadOptionsOf(options.lowering)));
  std::vector<std::vector<std::string>> borders;
  for (const std::string& border : options.borders)
    borders.push_back(NamesIn(common.model, AtCommas(border)));
  Result<std::vector<ModelPart>> parts = PartsAt(common.model, borders);
  if (!parts.ok()) return std::move(parts).error().InFile(options.model);
  std::vector<Model> pieces;
  for (const ModelPart& part : *parts)
    DRAGOMAN_TRY(CutModel(pieces.emplace_back(Clone(common.model)), part.inputs, part.outputs));
  nlohmann::ordered_json written = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < parts->size(); ++i) {
    const ModelPart& part = (*parts)[i];
    const std::string path = PartPath(options.output, i + 1);
    DRAGOMAN_TRY(session.Write(pieces[i], path, *target, {.kept_opset = common.opset}));
    if (options.common.json) {
      nlohmann::ordered_json& entry = written.emplace_back(WrittenJson(path, target->name));
      entry["inputs"] = part.inputs;
      entry["outputs"] = part.outputs;
    } else if (!options.common.quiet) {
      Print("{}: {} -> {}\n", path, Listed(part.inputs), Listed(part.outputs));
    }
  }
  if (options.common.json) PrintJson(written);
  return {};
}

int RunSplit(const SplitOptions& options) { return Report(Split(options), options.model); }

}  // namespace

void AddMerge(CommandLine& program) {
  auto options = std::make_shared<MergeOptions>();
  Command command =
      program.AddCommand("merge", "Make one model of two, of which one reads what the other gives");
  command.Add("A", &options->first, "A model file", {.required = true});
  command.Add("B", &options->second, "A model file", {.required = true});
  command.Add("-o,--output", &options->output, "File to write",
              {.placeholder = "FILE", .required = true});
  command.Add("--connect", &options->connections,
              "Output of A that is an input of B; default: those of equal names",
              {.placeholder = "OUTPUT=INPUT", .repeatable = true});
  for (const bool is_first : {true, false}) {
    LoweringFlags& flags = is_first ? options->of_first : options->of_second;
    const std::string suffix = is_first ? "-a" : "-b";
    const std::string of = is_first ? " of A" : " of B";
    command.Add("--shape" + suffix, &flags.shapes, "Sizes of an input" + of + ", as for convert",
                {.placeholder = "NAME=D,…", .repeatable = true});
    command.Add("--entry" + suffix, &flags.entry, "The entry" + of + " to take",
                {.placeholder = "NAME"});
    command.Add("--tags" + suffix, &flags.tags, "Tags of the graph" + of + ", a SavedModel",
                {.placeholder = "NAME,…", .commas = true});
    command.Add("--cut-inputs" + suffix, &flags.cut_inputs,
                "Values" + of + " that become its inputs",
                {.placeholder = "NAME,…", .commas = true});
    command.Add("--cut-outputs" + suffix, &flags.cut_outputs,
                "Values" + of + " that become its outputs",
                {.placeholder = "NAME,…", .commas = true});
  }
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "The model has the inputs of both that are not connected, and the outputs of both that are\n"
      "not. Names in B that A has get a number.\n"
      "\n"
      "  dragoman merge encoder.onnx decoder.onnx -o both.onnx --connect hidden=memory");
  command.SetRun([options] { return RunMerge(*options); });
}

void AddExtract(CommandLine& program) {
  auto options = std::make_shared<ExtractOptions>();
  ConvertOptions& convert = options->convert;
  convert.lowering.passes = "none";
  Command command = program.AddCommand(
      "extract", "Make a model of a part, as convert --cut-inputs --cut-outputs does");
  command.Add("MODEL", &convert.model, "A model file", {.required = true});
  command.Add("-o,--output", &convert.output, "File to write",
              {.placeholder = "FILE", .required = true});
  command.Add("--inputs", &convert.lowering.cut_inputs, "Values that become the inputs",
              {.placeholder = "NAME,…", .commas = true});
  command.Add("--outputs", &convert.lowering.cut_outputs, "Values that become the outputs",
              {.placeholder = "NAME,…", .commas = true});
  command.Add("--scope", &options->scope,
              "The nodes whose names begin so, in place of --inputs and --outputs",
              {.placeholder = "NAME"});
  AddFacts(command, convert.lowering);
  AddPasses(command, convert.lowering);
  AddCommonOptions(command, convert.common);
  command.SetFooter(
      "  dragoman extract model.onnx -o head.onnx --inputs /encoder/out --outputs logits\n"
      "  dragoman extract model.onnx -o layer0.onnx --scope /layers.0");
  command.SetRun([options] { return RunExtract(*options); });
}

void AddSplit(CommandLine& program) {
  auto options = std::make_shared<SplitOptions>();
  Command command =
      program.AddCommand("split", "Make models of the parts of one, which follow one another");
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add("-o,--output", &options->output,
              "parts.onnx: the files are parts_1.onnx, parts_2.onnx, …",
              {.placeholder = "FILE", .required = true});
  command.Add("--at", &options->borders, "Values at which a part ends; once for each border",
              {.placeholder = "NAME,…", .required = true, .repeatable = true});
  AddFacts(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "Each part also gives what later ones read of it. A line for each lists its inputs and\n"
      "outputs.\n"
      "\n"
      "  dragoman split model.onnx -o parts.onnx --at /layers.3/out --at /layers.7/out");
  command.SetRun([options] { return RunSplit(*options); });
}

}  // namespace dragoman::cli
