// dragoman inspect MODEL
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/report.h"
#include "core/ir/print.h"
#include "driver/data.h"
#include "driver/targets.h"

namespace dragoman::cli {
namespace {

constexpr std::size_t kMaxRows = 12;

struct InspectOptions {
  std::string model;
  std::optional<std::string> to;
  std::optional<std::string> node;
  LoweringFlags lowering;
  CommonOptions common;
};

// What the graphs of a model hold together.
struct Census {
  std::vector<std::pair<std::string, std::size_t>> ops;  // most frequent first
  std::size_t nodes = 0;
  std::size_t constants = 0;
  std::uint64_t bytes = 0;
};

Census CensusOf(const Model& model) {
  Census census;
  std::map<std::string, std::size_t> ops;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) ++ops[node.op().ToString()];
    census.nodes += graph.num_nodes();
    census.constants += graph.constants().size();
    for (const auto& constant : graph.constants()) {
      if (constant->tensor() != nullptr) census.bytes += constant->tensor()->bytes().size();
    }
  });
  // The weights of a TorchScript program lie in its objects.
  for (const State& state : model.states) {
    const Tensor* tensor = state.initial.tensor();
    if (model.level != Level::kSource || tensor == nullptr) continue;
    ++census.constants;
    census.bytes += tensor->bytes().size();
  }
  census.ops.assign(ops.begin(), ops.end());
  std::stable_sort(census.ops.begin(), census.ops.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return census;
}

// Whether a target takes the model, and what stands in the way.
struct Answer {
  std::string target;
  std::vector<Finding> findings;
  bool works() const { return findings.empty(); }
};

Result<Model> LowerForTargets(const Session& session, const Model& source,
                              const InspectOptions& options) {
  DRAGOMAN_ASSIGN(const LoweringOptions lowering, ParseLowering(options.lowering));
  return session.ToCommon(source, lowering);
}

// Of all targets, or of the one that --to names.
std::vector<Answer> AskTargets(const Session& session, const Model& source,
                               const InspectOptions& options) {
  const Result<Model> common = LowerForTargets(session, source, options);
  std::vector<Answer> answers;
  for (const Target& target : TargetsOf(session.formats)) {
    if (target.name != options.to.value_or(std::string(target.name))) continue;
    const Status status = common.ok() ? target.check(*common) : Status(common.error());
    answers.push_back({std::string(target.name),
                       status.ok() ? std::vector<Finding>() : status.error().findings()});
  }
  return answers;
}

void PrintSlots(std::string_view label, const std::vector<Slot>& slots) {
  for (std::size_t i = 0; i < slots.size() && i < kMaxRows; ++i) {
    fmt::print("  {:<7} {}: {}\n", i == 0 ? label : "", slots[i].name, slots[i].type.ToString());
  }
  if (slots.size() > kMaxRows) fmt::print("  {:<7} … and {} more\n", "", slots.size() - kMaxRows);
}

void PrintStates(const std::vector<State>& states) {
  for (std::size_t i = 0; i < states.size() && i < kMaxRows; ++i) {
    fmt::print("state    {}: {}\n", states[i].name, states[i].type.ToString());
  }
  if (states.size() > kMaxRows) fmt::print("         … and {} more\n", states.size() - kMaxRows);
}

void PrintCensus(const Census& census, std::size_t absent) {
  std::string ops;
  for (std::size_t i = 0; i < census.ops.size() && i < 2 * kMaxRows; ++i) {
    ops += fmt::format("{}{} {}", i == 0 ? "" : ", ", census.ops[i].second, census.ops[i].first);
  }
  if (census.ops.size() > 2 * kMaxRows) ops += ", …";
  fmt::print("nodes    {}{}{}\n", census.nodes, ops.empty() ? "" : ": ", ops);
  fmt::print("weights  {} constants, {}{}\n", census.constants, SizeText(census.bytes),
             absent == 0 ? "" : fmt::format("; the elements of {} are not there", absent));
}

void PrintTargets(const std::vector<Answer>& answers, const InspectOptions& options) {
  for (const Answer& answer : answers) {
    std::string text = "yes";
    if (!answer.works()) {
      const std::string finding = answer.findings.front().ToString();
      text = "no: " + finding.substr(0, finding.find('\n'));
      if (answer.findings.size() > 1)
        text += fmt::format(" (and {} more)", answer.findings.size() - 1);
    }
    fmt::print("  {:<6} {}\n", answer.target, text);
  }
  const bool cpp = std::ranges::find(answers, "cpp", &Answer::target)->works();
  fmt::print("\nnext:  dragoman {}\n", cpp ? "codegen " + options.model + " -o model_cpp"
                                           : "inspect " + options.model + " --to cpp");
}

// What a caller gives. A method lists its object, and has no place among the flat inputs for
// arguments that are left out.
std::vector<Slot> GivenSlots(const Format* format, const Entry& entry) {
  if (format == nullptr || format->calls == nullptr) return InputSlots(entry);
  std::vector<Slot> slots;
  for (const auto& argument : entry.graph->inputs().subspan(format->calls->first))
    slots.push_back({argument->name(), argument->type()});
  return slots;
}

nlohmann::ordered_json SlotsJson(const std::vector<Slot>& slots) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Slot& slot : slots)
    json.push_back({{"name", slot.name}, {"type", slot.type.ToString()}});
  return json;
}

nlohmann::ordered_json AnswerJson(const Answer& answer) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Finding& finding : answer.findings) findings.push_back(finding.ToString());
  return {{"works", answer.works()}, {"findings", findings}};
}

nlohmann::ordered_json ModelJson(const Model& model, const Format* format,
                                 const std::vector<Answer>& answers) {
  nlohmann::ordered_json json;
  json["level"] = model.level == Level::kSource ? "source" : "common";
  json["dialect"] = model.dialect;
  for (const OpsetImport& opset : model.opsets) json["opsets"][opset.domain] = opset.version;
  for (const Entry& entry : model.entries) {
    json["entries"].push_back({{"name", entry.name},
                               {"inputs", SlotsJson(GivenSlots(format, entry))},
                               {"outputs", SlotsJson(OutputSlots(entry))}});
  }
  for (const State& state : model.states) {
    json["states"].push_back({{"name", state.name}, {"type", state.type.ToString()}});
  }
  const Census census = CensusOf(model);
  json["nodes"] = census.nodes;
  for (const auto& [op, count] : census.ops) json["ops"][op] = count;
  json["constants"] = census.constants;
  json["weight_bytes"] = census.bytes;
  json["absent_weights"] = CountAbsentWeights(model);
  for (const Answer& answer : answers) json["targets"][answer.target] = AnswerJson(answer);
  return json;
}

void PrintScreen(const Model& model, const Format* format, const std::vector<Answer>& answers,
                 const InspectOptions& options) {
  std::string versions;
  for (const OpsetImport& opset : model.opsets) {
    versions += fmt::format("{}{} {}", versions.empty() ? "" : ", ",
                            opset.domain.empty() ? "ai.onnx" : opset.domain, opset.version);
  }
  fmt::print("{}: {} model, {} level, operator sets: {}\n", options.model, model.dialect,
             model.level == Level::kSource ? "source" : "common",
             versions.empty() ? "none" : versions);
  for (const Entry& entry : model.entries) {
    fmt::print("entry {}\n", entry.name);
    PrintSlots("input", GivenSlots(format, entry));
    PrintSlots("output", OutputSlots(entry));
  }
  PrintStates(model.states);
  if (!model.functions.empty()) fmt::print("functions {}\n", model.functions.size());
  PrintCensus(CensusOf(model), CountAbsentWeights(model));
  if (format != nullptr && format->describe != nullptr)
    fmt::print("{}", format->describe(model, options.common.verbose ? SIZE_MAX : kMaxRows));
  fmt::print("targets\n");
  PrintTargets(answers, options);
}

// Prints the nodes called so, or that compute a value called so.
int PrintNode(const Model& model, const InspectOptions& options) {
  const std::string& name = *options.node;
  nlohmann::ordered_json found = nlohmann::ordered_json::array();
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      bool is_it = node.name() == name;
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        is_it = is_it || (node.result(i) != nullptr && node.result(i)->name() == name);
      }
      if (!is_it) continue;
      Graph alone;
      ValueMap map;
      CloneNode(node, alone, nullptr, map);
      found.push_back({{"op", node.op().ToString()}, {"text", PrintGraph(alone)}});
    }
  });
  if (found.empty())
    return Report(InvalidInput("there is no node or value '" + name + "'"), options.model);
  if (options.common.json) {
    PrintJson(found);
    return kDone;
  }
  for (const auto& node : found) fmt::print("{}\n", node["text"].get_ref<const std::string&>());
  return kDone;
}

// What stands in the way of one target, as findings are printed, and with --json on standard output
// too.
int PrintAnswer(Answer answer, const InspectOptions& options) {
  if (options.common.json) PrintJson(AnswerJson(answer));
  if (!answer.works()) return Report(Error(std::move(answer.findings)), options.model);
  if (!options.common.json)
    fmt::print("{}: nothing stands in the way of {}\n", options.model, answer.target);
  return kDone;
}

int RunInspect(const InspectOptions& options) {
  Session session = SilentSession();
  session.warn = SayWarning;
  Result<Model> model = session.Read(options.model, std::nullopt, ReadOptionsOf(options.lowering));
  if (!model.ok()) return Report(model.error());
  if (options.node) return PrintNode(*model, options);
  std::vector<Answer> answers = AskTargets(session, *model, options);
  if (options.to) return PrintAnswer(std::move(answers.front()), options);
  const Format* format = FormatOfModel(session.formats, *model);
  if (options.common.json) {
    PrintJson(ModelJson(*model, format, answers));
    return kDone;
  }
  PrintScreen(*model, format, answers, options);
  if (options.common.verbose) fmt::print("\n{}", PrintText(*model));
  return kDone;
}

// "onnx", "relax", …
std::vector<std::string> TargetNames() {
  std::vector<std::string> names;
  for (const Target& target : TargetsOf(BuiltInFormats())) names.emplace_back(target.name);
  return names;
}

}  // namespace

void AddInspect(CommandLine& program) {
  auto options = std::make_shared<InspectOptions>();
  Command command =
      program.AddCommand("inspect", "Tell what is in a model, and what can be done with it");
  const std::vector<std::string> targets = TargetNames();
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add(
      "--to", &options->to,
      fmt::format("List all that stands in the way of a target: {}", fmt::join(targets, ", ")),
      {.one_of = targets});
  command.Add("--node", &options->node, "Print one node, by its name or that of a result");
  AddFacts(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetRun([options] { return RunInspect(*options); });
}

}  // namespace dragoman::cli
