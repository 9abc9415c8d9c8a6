// SPDX-License-Identifier: Apache-2.0
// dragoman codegen MODEL -o DIR
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/watch_passes.h"
#include "codegen/onednn/codegen.h"
#include "codegen/onednn/emit/emit_use.h"
#include "codegen/onednn/program_name.h"
#include "core/rewrite/pipeline.h"
#include "core/support/output_file.h"
#include "core/support/plural.h"
#include "core/support/text.h"
#include "driver/data.h"
#include "driver/data_sets.h"
#include "driver/prove.h"
#include "driver/steps.h"
#include "driver/structured_calls.h"

namespace dragoman::cli {
namespace {

struct CodegenCommand {
  std::string model;
  std::string output;
  std::optional<std::string> name;
  std::string precision = "f32";
  bool exact_conv = false;
  bool embed_weights = false;
  bool no_reference = false;
  std::optional<std::string> data;
  std::optional<std::string> steps;
  LoweringFlags lowering;
  WatchFlags watch;
  CommonOptions common;
};

// The namespace: as given, or made of the stem of the model file.
Result<std::string> NamespaceOf(const CodegenCommand& options) {
  if (!options.name && IsStandardInput(options.model)) return std::string("model");
  if (!options.name) return ProgramName(std::filesystem::path(options.model).stem().string());
  DRAGOMAN_TRY(CheckProgramName(*options.name));
  return *options.name;
}

// The recorded runs in `data`. Inputs of structured calls are named by argument.
Result<std::vector<Recording>> ReadRecordings(const std::string& data, const Entry& entry,
                                              const StructuredCalls* calls) {
  const bool structured = calls != nullptr;
  DRAGOMAN_ASSIGN(std::vector<std::string> folders, FindDataSets(data));
  std::vector<Recording> recordings;
  for (std::string& folder : folders) {
    DRAGOMAN_ASSIGN(DataSet set,
                    ReadDataSet(folder, structured ? std::vector<Slot>() : InputSlots(entry),
                                structured ? std::vector<Slot>() : OutputSlots(entry)));
    if (structured) set.inputs = NameByArgument(*calls, entry, std::move(set.inputs));
    recordings.push_back({std::move(folder), std::move(set)});
  }
  return recordings;
}

// What the folder's own tests replay; outputs of structured calls are matched by their order among
// those of the lowered `entry`.
Result<std::vector<ReplayCase>> ReplayCases(const std::vector<Recording>& recordings,
                                            bool structured, const Entry& entry) {
  const std::vector<Slot> slots = OutputSlots(entry);
  std::vector<ReplayCase> cases;
  for (const auto& [folder, set] : recordings) {
    if (structured && set.outputs.size() != slots.size()) {
      return InvalidInput(fmt::format("found {} recorded outputs, expected {}", set.outputs.size(),
                                      slots.size()))
          .InFile(folder);
    }
    ReplayCase& made = cases.emplace_back();
    for (const NamedArray& input : set.inputs) made.inputs.emplace_back(input.name, input.array);
    for (std::size_t i = 0; i < set.outputs.size(); ++i) {
      const auto& [name, array] = set.outputs[i];
      made.outputs.emplace_back(structured ? slots[i].name : name, ToNpy(array));
    }
  }
  return cases;
}

// Facts that hold for all recordings.
Result<Facts> FactsOfRecordings(const StructuredCalls& calls,
                                const std::vector<Recording>& recordings, const Entry& entry,
                                const std::optional<std::string>& steps, const Facts& facts) {
  std::optional<std::int64_t> count;
  if (steps) {
    DRAGOMAN_ASSIGN(const std::vector<Step> parsed, ParseSteps(*steps));
    count = CountCalls(parsed, entry.name);
  }
  std::vector<Facts> each;
  for (const Recording& recording : recordings)
    each.push_back(FactsOfArrays(calls, entry, recording.set.inputs, count, facts));
  return JoinFacts(each);
}

// `text` with two spaces before each line.
std::string Indented(std::string_view text) {
  std::string indented;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    indented += end == 0 ? "\n" : fmt::format("  {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return indented;
}

// "Slow steps, by reference kernels: node 'rnn' (onnx.LSTM), 98 % of the work"
void PrintReferenceSteps(const onednn::Plan& plan) {
  constexpr std::size_t kMost = 5;
  std::vector<onednn::ReferenceStep> steps = plan.reference_steps;
  if (steps.empty()) return;
  std::ranges::stable_sort(steps, std::greater(), &onednn::ReferenceStep::share);
  double whole = 0;
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    whole += steps[i].share;
    if (i < kMost) text += (i == 0 ? "" : ", ") + steps[i].name;
  }
  if (steps.size() > kMost) text += " and " + Plural(steps.size() - kMost, "other");
  Print("Slow steps, by reference kernels: {}: {:.0f} % of the work\n", text, 100 * whole);
}

void PrintUse(const std::string& output, const onednn::Plan& plan) {
  Print("{0}: C++ program `{1}`; a call {2}\n", output, plan.name,
        onednn::DescribeAllocations(plan));
  PrintReferenceSteps(plan);
  for (const std::string& note : plan.renamed) Print("note: {}\n", note);
  Print(
      "\n"
      "  cmake -S {0} -B {0}/build && cmake --build {0}/build\n\n"
      "In your CMakeLists.txt:\n"
      "  add_subdirectory({0})\n"
      "  target_link_libraries(app PRIVATE {1}::{1})\n\n"
      "In your program ({0}/{1}.h has all methods):\n",
      output, plan.name);
  PrintLines(Indented(onednn::EmitUse(plan)));
}

void PrintProgram(const std::string& output, const onednn::Plan& plan,
                  const std::optional<Proof>& proof) {
  nlohmann::ordered_json json = {{"folder", output},
                                 {"name", plan.name},
                                 {"allocations", onednn::DescribeAllocations(plan)},
                                 {"use", onednn::EmitUse(plan)}};
  json["reference_steps"] = nlohmann::ordered_json::array();
  for (const onednn::ReferenceStep& step : plan.reference_steps)
    json["reference_steps"].push_back({{"step", step.name}, {"share", step.share}});
  if (proof) json["data"] = {{"equal", proof->equal}, {"report", proof->text}};
  PrintJson(json);
}

// By name: the products whose operands are integers of 8 bits.
bool HasIntegerProducts(const Model& model) {
  bool found = false;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      found = found || node.Is("QLinearConv") || node.Is("QLinearMatMul") ||
              node.Is("ConvInteger") || node.Is("MatMulInteger");
    }
  });
  return found;
}

// Integers are the model's business: a quantised one has them in any precision.
Status CheckInt8(Model model) {
  DRAGOMAN_TRY(RunPipeline(model, {.passes = "use-integer-products", .explain = {}}));
  if (HasIntegerProducts(model)) return {};
  return Unsupported(
      "--precision int8: the model is not quantised, and its scales cannot be determined without "
      "calibration; quantise it first (QuantizeLinear and DequantizeLinear, or QLinear operators)");
}

// What --precision asks for. A note reports that this machine lacks the arithmetic.
Result<rt::Precision> PrecisionOf(const Session& session, const CodegenCommand& options,
                                  const Model& model) {
  if (options.precision == "int8") DRAGOMAN_TRY(CheckInt8(Clone(model)));
  if (options.precision == "int8" || options.precision == "f32") return rt::Precision::kF32;
  const auto precision = options.precision == "f16" ? rt::Precision::kF16 : rt::Precision::kBF16;
  if (rt::HasArithmetic(precision)) return precision;
  std::string message = fmt::format(
      "--precision {0}: this machine has no {0} arithmetic; here the program keeps weights in {0} "
      "and computes in f32",
      options.precision);
  DRAGOMAN_TRY(session.Warn({ErrorKind::kUnsupported, options.model, {}, std::move(message)}));
  return precision;
}

Result<GeneratedProgram> GenerateProgram(const Session& session, const Model& model,
                                         const CodegenOptions& options) {
  const auto progress = session.Show("generating the program");
  return GenerateCpp(model, options);
}

Result<bool> Generate(const CodegenCommand& options) {
  if (options.output == "-") return InvalidInput("-o - prints texts; a program is a folder");
  if (options.steps && !options.data) return InvalidInput("--steps needs --data");
  DRAGOMAN_ASSIGN(std::string name, NamespaceOf(options));
  DRAGOMAN_TRY(OutputFolder::Check(options.output));  // before any work is done
  Session session = MakeSession(options.common, options.model);
  DRAGOMAN_TRY(WatchPasses(session, options.watch));
  DRAGOMAN_TRY(UseRules(session, options.lowering));
  DRAGOMAN_ASSIGN(Model source,
                  session.Read(options.model, std::nullopt, ReadOptionsOf(options.lowering)));
  DRAGOMAN_ASSIGN(Facts facts, ParseFacts(options.lowering));
  const Entry& entry = ChosenEntry(source, facts);
  const StructuredCalls* const calls = CallsOf(session, source);
  std::vector<Recording> recordings;
  if (options.data) {
    DRAGOMAN_ASSIGN(recordings, ReadRecordings(*options.data, entry, calls));
    if (calls != nullptr) {
      DRAGOMAN_ASSIGN(facts, FactsOfRecordings(*calls, recordings, entry, options.steps, facts));
    }
  }
  DRAGOMAN_ASSIGN(Model model,
                  session.ToCommon(source, LoweringWith(std::move(facts), options.lowering)));
  CodegenOptions codegen;
  codegen.name = name;
  codegen.steps = options.steps.value_or("");
  codegen.plan.exact_conv = options.exact_conv;
  codegen.embed_weights = options.embed_weights;
  codegen.plan.no_reference = options.no_reference;
  DRAGOMAN_ASSIGN(codegen.cases, ReplayCases(recordings, calls != nullptr, model.entries.front()));
  DRAGOMAN_ASSIGN(codegen.plan.precision, PrecisionOf(session, options, model));
  DRAGOMAN_ASSIGN(GeneratedProgram program, GenerateProgram(session, model, codegen));
  for (const std::string& message : program.plan.left_out)
    DRAGOMAN_TRY(session.Warn({ErrorKind::kUnsupported, options.model, {}, message}));
  DRAGOMAN_TRY(WriteProgram(program, options.output));
  std::optional<Proof> proof;
  if (options.data) {
    DRAGOMAN_ASSIGN(proof, ProveProgram(session, model, recordings, {options.steps, codegen.plan}));
  }
  if (options.common.json) {
    PrintProgram(options.output, program.plan, proof);
  } else if (!options.common.quiet) {
    if (proof) PrintLines("Checked against recorded data:\n" + proof->text + "\n");
    PrintUse(options.output, program.plan);
  }
  return !proof || proof->equal;
}

int RunCodegen(const CodegenCommand& options) {
  Result<bool> equal = Generate(options);
  if (!equal.ok()) return Report(equal.error(), options.model);
  return *equal ? kDone : kAnswerIsNo;
}

}  // namespace

void AddCodegen(CommandLine& program) {
  auto options = std::make_shared<CodegenCommand>();
  Command command = program.AddCommand("codegen", "Generate a standalone C++ program on oneDNN");
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add("-o,--output", &options->output, "Folder to write",
              {.placeholder = "FOLDER", .required = true});
  command.Add("--name", &options->name, "Namespace of the program; default: the file's stem",
              {.placeholder = "NAME"});
  command.Add("--precision", &options->precision,
              "Precision of products with constant weights: f32, bf16 or f16 (weights of half the "
              "size, last layers in f32); int8 for quantised models",
              {.one_of = {"f32", "bf16", "f16", "int8"}});
  command.AddFlag("--exact-conv", options->exact_conv,
                  "Compute convolutions directly, never by Winograd's algorithm");
  command.AddFlag("--no-reference", options->no_reference,
                  "Refuse products, convolutions, pools, recurrences and the like that only a "
                  "reference kernel computes");
  command.AddFlag("--embed-weights", options->embed_weights,
                  "Embed the weights in the library instead of mapping a file of weights");
  command.Add("--data", &options->data,
              "Recorded data that the program must reproduce; determines TorchScript's input sizes",
              {.placeholder = "FOLDER"});
  command.Add("--steps", &options->steps, "Calls that --data records, as for run",
              {.placeholder = "N|ENTRY*N,…"});
  AddPasses(command, options->lowering);
  AddRuleFile(command, options->lowering);
  AddFacts(command, options->lowering);
  AddCut(command, options->lowering);
  AddWatch(command, options->watch);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "The folder builds with CMake, a C++17 compiler and oneDNN, nothing else.\n"
      "\n"
      "  dragoman codegen policy.onnx -o policy_cpp --data test_data_set_0\n"
      "  cmake -S policy_cpp -B build && cmake --build build");
  command.SetRun([options] { return RunCodegen(*options); });
}

}  // namespace dragoman::cli
