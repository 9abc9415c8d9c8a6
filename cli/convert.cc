// dragoman convert MODEL -o OUT
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/fusion_summary.h"
#include "cli/options.h"
#include "core/rewrite/pipeline.h"
#include "core/rewrite/unroll.h"

namespace dragoman::cli {
namespace {

struct ConvertOptions {
  std::string model;
  std::string output;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<std::string> level;
  std::string state = "keep";
  std::optional<std::int64_t> opset;
  bool unroll = false;
  LoweringOptions lowering;
  CommonOptions common;
};

// Whether the file can hold the source graph as it is, and nothing asks for more.
bool IsPlainCopy(const Model& source, Format target, const ConvertOptions& options) {
  if (options.lowering.has_facts() || options.lowering.has_cut() || options.opset) return false;
  if (options.unroll) return false;
  if (options.lowering.passes.value_or("none") != "none" || options.level == "common") return false;
  if (Info(target).is_container) return true;
  return source.level == Level::kSource && Info(target).name == source.dialect;
}

// Sequence operators become cells, which then are simplified as the passes say.
Result<Model> Unrolled(const Model& source, LoweringOptions lowering, const CommonOptions& common) {
  const std::string passes = lowering.passes.value_or("default");
  lowering.passes = passes + ",-fuse-recurrences,-roll-chains,-fuse-gates";
  DRAGOMAN_ASSIGN(Model model, ToCommon(source, lowering, common));
  const PipelineOptions pipeline = PipelineOf(lowering, common);
  DRAGOMAN_TRY(UnrollSequences(model, pipeline.explain));
  DRAGOMAN_TRY(RunPipeline(model, pipeline));
  return model;
}

Result<Model> Prepare(Model source, Format target, const ConvertOptions& options) {
  if (IsPlainCopy(source, target, options)) return source;
  if (options.level == "source") {
    return InvalidInput("--level source does not go with facts, cuts, passes or this format");
  }
  LoweringOptions lowering = options.lowering;
  // A container at the common level gets what lowering gives, unless passes are asked for.
  if (Info(target).is_container && !lowering.passes) lowering.passes = "none";
  if (options.unroll) return Unrolled(source, std::move(lowering), options.common);
  return ToCommon(source, lowering, options.common);
}

// A copy keeps the references of weights that lie in files which are not there.
Status CheckWeights(const Model& model, const ConvertOptions& options) {
  const std::size_t absent = CountAbsentWeights(model);
  if (absent == 0) return {};
  const std::string what = fmt::format("the elements of {} constants are not there", absent);
  if (options.common.strict) return InvalidInput(what);
  Warn(options.common, options.model, what + "; the copy is without them, too");
  return {};
}

void PrintFile(const NodeCount& before, const NodeCount& after, Format target,
               const ConvertOptions& options) {
  const nlohmann::ordered_json json = {{"output", options.output},
                                       {"format", Info(target).name},
                                       {"nodes_before", before.nodes},
                                       {"nodes", after.nodes}};
  PrintJson(json);
}

// One line on standard error.
void SayWhatWasFused(const NodeCount& before, const NodeCount& after,
                     const ConvertOptions& options) {
  if (options.common.quiet) return;
  std::error_code ignored;
  const std::uint64_t bytes_before = std::filesystem::file_size(options.model, ignored);
  if (ignored) return;
  const std::uint64_t bytes_after =
      options.output == "-" ? 0 : std::filesystem::file_size(options.output, ignored);
  if (ignored) return;
  const std::string line = FusionSummary(before, after, bytes_before, bytes_after);
  if (!line.empty()) Say(line);
}

Result<Format> TargetOf(const ConvertOptions& options) {
  if (options.to) return FormatByName(*options.to);
  return options.output == "-" ? Format::kText : FormatOfOutput(options.output);
}

Status Convert(const ConvertOptions& options) {
  DRAGOMAN_ASSIGN(const Format target, TargetOf(options));
  if (!Info(target).writes) {
    return Unsupported("files of format " + std::string(Info(target).name) + " cannot be written");
  }
  DRAGOMAN_ASSIGN(Model source, LoadModel(options.model, options.from));
  const NodeCount before = CountNodes(source);
  Result<Model> prepared = Prepare(std::move(source), target, options);
  if (!prepared.ok()) return std::move(prepared).error().InFile(options.model);
  if (Status status = CheckWeights(*prepared, options); !status.ok()) {
    return std::move(status).error().InFile(options.model);
  }
  SaveOptions save;
  save.opset = options.opset;
  save.lift_state = options.state == "lift";
  save.common = options.common;
  DRAGOMAN_TRY(SaveModel(*prepared, options.output, target, save));
  const NodeCount after = CountNodes(*prepared);
  SayWhatWasFused(before, after, options);
  if (options.common.json && options.output != "-") PrintFile(before, after, target, options);
  return {};
}

int RunConvert(const ConvertOptions& options) {
  const Status status = Convert(options);
  return status.ok() ? kDone : Report(status.error(), options.model);
}

}  // namespace

void AddConvert(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = program.add_subcommand("convert", "Write a model in another format");
  command->add_option("MODEL", options->model, "A model file")->required();
  command
      ->add_option("-o,--output", options->output,
                   "The file to write; - prints a text form (graph text, or --to)")
      ->required();
  command->add_option("--from", options->from,
                      "Format of MODEL, if neither content nor suffix tell");
  command->add_option("--to", options->to, "Format of OUT, if its suffix does not tell");
  command
      ->add_option("--level", options->level,
                   "Of containers: source (the default, as the file says it) or common (lowered)")
      ->check(CLI::IsMember({"source", "common"}));
  AddPasses(*command, options->lowering);
  command
      ->add_option("--state", options->state,
                   "keep: record which outputs feed which inputs; lift: do not")
      ->check(CLI::IsMember({"keep", "lift"}));
  command->add_option("--opset", options->opset, "Of ONNX files made from a lowered graph: 7 to 22")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--unroll", options->unroll, "Lower sequence operators to cells");
  AddFacts(*command, options->lowering);
  AddCut(*command, options->lowering);
  AddCommonOptions(*command, options->common);
  command->footer(
      "A file in its own dialect, or a container (.dgm, .dgt, .json), gets the source graph as it "
      "is: a\n"
      "lossless copy. With --passes, facts or a cut, or in another dialect, the graph is lowered,\n"
      "rewritten and written anew.\n"
      "\n"
      "  dragoman convert model.onnx -o model.py\n"
      "  dragoman convert model.onnx -o -\n"
      "  dragoman convert model.onnx -o small.onnx --passes default --shape x=1,3,224,224\n"
      "  dragoman convert model.onnx -o head.onnx --cut-outputs /encoder/out");
  command->callback([options, &exit_code] { exit_code = RunConvert(*options); });
}

}  // namespace dragoman::cli
