// dragoman inspect MODEL
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/inspect_node.h"
#include "cli/options.h"
#include "cli/report.h"
#include "core/ir/print.h"
#include "core/support/nearest_name.h"
#include "driver/data.h"
#include "driver/model_costs.h"
#include "driver/structured_calls.h"
#include "driver/targets.h"

namespace dragoman::cli {
namespace {

constexpr std::size_t kMaxRows = 12;

struct InspectOptions {
  std::string model;
  std::optional<std::string> to;
  std::optional<std::string> node;
  bool nodes = false;
  LoweringFlags lowering;
  CommonOptions common;
};

// What the graphs of a model hold together.
struct Census {
  std::vector<std::pair<std::string, std::size_t>> ops;  // most frequent first
  std::size_t nodes = 0;
  WeightCensus weights;
};

Census CensusOf(const Model& model) {
  Census census;
  std::map<std::string, std::size_t> ops;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) ++ops[node.op().ToString()];
    census.nodes += graph.num_nodes();
  });
  census.weights = WeightsOf(model);
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

// Lowered with the facts, not rewritten.
Result<Model> LowerToInspect(const Session& session, const Model& source,
                             const InspectOptions& options) {
  DRAGOMAN_ASSIGN(LoweringOptions lowering, ParseLowering(options.lowering));
  lowering.passes = "none";
  return session.ToCommon(source, lowering);
}

Result<Model> RewriteForTargets(const Session& session, const Result<Model>& lowered,
                                const std::string& passes) {
  if (!lowered.ok()) return lowered.error();
  Model common = Clone(*lowered);
  DRAGOMAN_TRY(session.Rewrite(common, passes));
  return common;
}

// Of all targets, or of the one that --to names, after such passes.
std::vector<Answer> AskTargets(const Session& session, const Result<Model>& lowered,
                               const InspectOptions& options, const std::string& passes) {
  const Result<Model> common = RewriteForTargets(session, lowered, passes);
  std::vector<Answer> answers;
  for (const Target& target : TargetsOf(session.formats)) {
    if (target.name != options.to.value_or(std::string(target.name))) continue;
    const Status status = common.ok() ? target.check(*common) : Status(common.error());
    answers.push_back({std::string(target.name),
                       status.ok() ? std::vector<Finding>() : status.error().findings()});
  }
  return answers;
}

constexpr char kWithoutWeights[] =
    "default,-fuse-recurrences,-merge-common,-fuse-linear,-fold-transposes,-roll-chains,-fuse-"
    "gates";

// The same after the default passes. Those that read weights are left out at first where weights
// are large: what can be expressed without them can be with them.
std::vector<Answer> AskTargets(const Session& session, const Result<Model>& lowered,
                               const InspectOptions& options) {
  constexpr std::uint64_t kLarge = 64'000'000;
  if (lowered.ok() && WeightsOf(*lowered).bytes > kLarge) {
    std::vector<Answer> answers = AskTargets(session, lowered, options, kWithoutWeights);
    if (std::ranges::all_of(answers, &Answer::works)) return answers;
  }
  return AskTargets(session, lowered, options, "default");
}

void PrintSlots(std::string_view label, const std::vector<Slot>& slots) {
  for (std::size_t i = 0; i < slots.size() && i < kMaxRows; ++i) {
    fmt::print("  {:<7} {}: {}\n", i == 0 ? label : "", slots[i].name, TypeText(slots[i].type));
  }
  if (slots.size() > kMaxRows) fmt::print("  {:<7} … and {} more\n", "", slots.size() - kMaxRows);
}

void PrintStates(const std::vector<State>& states) {
  for (std::size_t i = 0; i < states.size() && i < kMaxRows; ++i) {
    fmt::print("state    {}: {}\n", states[i].name, TypeText(states[i].type));
  }
  if (states.size() > kMaxRows) fmt::print("         … and {} more\n", states.size() - kMaxRows);
}

void PrintCensus(const Census& census, std::size_t absent) {
  std::string ops;
  for (std::size_t i = 0; i < census.ops.size() && i < kMaxRows; ++i) {
    ops += fmt::format("{}{} {}", i == 0 ? "" : ", ", census.ops[i].second, census.ops[i].first);
  }
  if (census.ops.size() > kMaxRows) ops += ", …";
  fmt::print("nodes    {}{}{}\n", census.nodes, ops.empty() ? "" : ": ", ops);
  fmt::print("weights  {} constants, {} parameters, {}{}\n", census.weights.constants,
             Grouped(census.weights.parameters), SizeText(census.weights.bytes),
             absent == 0 ? "" : fmt::format("; the elements of {} are not there", absent));
}

// Files of weights that are not there, with the places where they are looked for.
void PrintMissing(const std::vector<MissingFile>& files, const std::string& model) {
  for (const MissingFile& file : files) {
    const std::filesystem::path place = std::filesystem::path(model).parent_path() / file.name;
    fmt::print("missing  {}, at least {}, with the elements of {} constant{}\n", place.string(),
               SizeText(file.bytes), file.constants, file.constants == 1 ? "" : "s");
  }
}

// "1,024 multiply-adds, 2.1 kB of activations at most"; empty: sizes are missing.
void PrintCosts(const Model& common) {
  const ModelCosts costs = CostsOf(common);
  std::string text;
  if (costs.multiply_adds)
    text = Grouped(static_cast<std::uint64_t>(*costs.multiply_adds)) + " multiply-adds";
  if (costs.peak_activation_bytes) {
    text += fmt::format("{}{} of activations at most", text.empty() ? "" : ", ",
                        SizeText(static_cast<std::uint64_t>(*costs.peak_activation_bytes)));
  }
  if (!text.empty()) fmt::print("a call   {}\n", text);
}

// An entry of the message of an ONNX file; nullptr: there is none.
template <class T>
const T* FileEntry(const Model& model, std::string_view name) {
  const Attribute* entry = Find(model.extra, name);
  return entry != nullptr ? entry->As<T>() : nullptr;
}

// "pytorch 2.1.0, IR version 8"; empty: the file does not say.
std::string WriterText(const Model& model) {
  std::string text;
  for (const char* name : {"onnx.producer_name", "onnx.producer_version"}) {
    const auto* part = FileEntry<std::string>(model, name);
    if (part != nullptr && !part->empty()) text += (text.empty() ? "" : " ") + *part;
  }
  if (const auto* version = FileEntry<std::int64_t>(model, "onnx.ir_version"))
    text += fmt::format("{}IR version {}", text.empty() ? "" : ", ", *version);
  return text;
}

// Facts that would let the model be lowered, guessed from the first matrix or filter among its
// weights; empty: there is nothing to go by.
std::string GuessedFacts(const Model& source, const std::vector<Slot>& slots) {
  const std::string name = slots.empty() ? "" : slots.front().name;
  for (const State& state : source.states) {
    const Tensor* tensor = state.initial.tensor();
    if (name.empty() || tensor == nullptr) continue;
    const auto& sizes = tensor->sizes();
    if (sizes.size() == 2) return fmt::format(" --shape {}=1,{}", name, sizes[1]);
    if (sizes.size() == 4) return fmt::format(" --shape {}=1,{},224,224", name, sizes[1]);
  }
  return name.empty() ? "" : fmt::format(" --shape {}=1,…", name);
}

// One line in place of the same error of each target.
void PrintWhyNotLowered(const Error& error, const Model& source, const std::vector<Slot>& slots,
                        const InspectOptions& options) {
  const std::string finding = error.findings().front().ToString();
  fmt::print("  none   {}\n", finding.substr(0, finding.find('\n')));
  if (error.findings().size() > 1)
    fmt::print("         (and {} more)\n", error.findings().size() - 1);
  if (finding.find("--shape") == std::string::npos) {
    fmt::print("\nnext:  dragoman inspect {} --to cpp\n", options.model);
    return;
  }
  fmt::print("\nnext:  dragoman inspect {}{}   (sizes guessed from the weights)\n", options.model,
             GuessedFacts(source, slots));
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

// A node with what it costs; types are as far as they are known.
nlohmann::ordered_json NodeJson(const Node& node) {
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
  std::int64_t weights = 0;
  for (const Use& use : node.operands()) {
    const Value* value = use.value();
    inputs.push_back(value == nullptr ? "" : value->name());
    if (value != nullptr && value->is_constant() && value->tensor() != nullptr)
      weights += value->tensor()->size();
  }
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) == nullptr) continue;
    outputs.push_back(
        {{"name", node.result(i)->name()}, {"type", TypeText(node.result(i)->type())}});
  }
  nlohmann::ordered_json json = {{"name", node.name()},
                                 {"op", node.op().ToString()},
                                 {"inputs", std::move(inputs)},
                                 {"outputs", std::move(outputs)},
                                 {"weights", weights}};
  const std::optional<std::int64_t> products = MultiplyAdds(node);
  json["multiply_adds"] = products ? nlohmann::ordered_json(*products) : nullptr;
  return json;
}

nlohmann::ordered_json NodesJson(const Model& model) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) nodes.push_back(NodeJson(node));
  });
  return nodes;
}

// One line a node: what it is, its results, its weights, its products.
void PrintNodes(const Model& model) {
  for (const nlohmann::ordered_json& node : NodesJson(model)) {
    std::string results;
    for (const auto& result : node["outputs"]) {
      results += fmt::format("{}{}: {}", results.empty() ? "" : ", ",
                             result["name"].get_ref<const std::string&>(),
                             result["type"].get_ref<const std::string&>());
    }
    const auto weights = node["weights"].get<std::uint64_t>();
    std::string costs;
    if (weights > 0) costs += fmt::format("  {} weights", Grouped(weights));
    if (node["multiply_adds"].is_null())
      costs += "  products: sizes are missing";
    else if (const auto products = node["multiply_adds"].get<std::uint64_t>(); products > 0)
      costs += fmt::format("  {} multiply-adds", Grouped(products));
    fmt::print("{:<24} {}{}\n", node["op"].get_ref<const std::string&>(), results, costs);
  }
}

nlohmann::ordered_json CostsJson(const Model& common) {
  const ModelCosts costs = CostsOf(common);
  nlohmann::ordered_json json;
  json["multiply_adds"] =
      costs.multiply_adds ? nlohmann::ordered_json(*costs.multiply_adds) : nullptr;
  json["peak_activation_bytes"] =
      costs.peak_activation_bytes ? nlohmann::ordered_json(*costs.peak_activation_bytes) : nullptr;
  return json;
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
  json["constants"] = census.weights.constants;
  json["parameters"] = census.weights.parameters;
  json["weight_bytes"] = census.weights.bytes;
  json["written_by"] = WriterText(model);
  json["absent_weights"] = CountAbsentWeights(model);
  if (format != nullptr && format->missing_files != nullptr) {
    for (const MissingFile& file : format->missing_files(model)) {
      json["missing_files"].push_back(
          {{"name", file.name}, {"bytes", file.bytes}, {"constants", file.constants}});
    }
  }
  for (const Answer& answer : answers) json["targets"][answer.target] = AnswerJson(answer);
  return json;
}

// Without the result of a method that returns nothing.
std::vector<Slot> WithoutNone(std::vector<Slot> slots) {
  std::erase_if(slots, [](const Slot& slot) { return TypeText(slot.type) == "NoneType"; });
  return slots;
}

void PrintDescription(const Model& model, const Format* format, bool verbose) {
  if (format == nullptr || format->describe == nullptr) return;
  if (verbose || !format->describes_at_length)
    fmt::print("{}", format->describe(model, verbose ? SIZE_MAX : kMaxRows));
  else
    fmt::print(
        "classes  with -v, and the lines of the source where their methods call operators\n");
}

void PrintEntries(const Model& model, const Format* format) {
  for (const Entry& entry : model.entries) {
    fmt::print("entry {}\n", entry.name);
    PrintSlots("input", GivenSlots(format, entry));
    PrintSlots("output", WithoutNone(OutputSlots(entry)));
  }
}

void PrintScreen(const Session& session, const Model& model, const Result<Model>& lowered,
                 const InspectOptions& options) {
  const Format* format = FormatOfModel(session.formats, model);
  std::string versions;
  for (const OpsetImport& opset : model.opsets) {
    versions += fmt::format("{}{} {}", versions.empty() ? "" : ", ",
                            opset.domain.empty() ? "ai.onnx" : opset.domain, opset.version);
  }
  fmt::print("{}: {} model, {} level, operator sets: {}\n", options.model, model.dialect,
             model.level == Level::kSource ? "source" : "common",
             versions.empty() ? "none" : versions);
  if (const std::string writer = WriterText(model); !writer.empty())
    fmt::print("written by {}\n", writer);
  // What the user states, and which inputs are states, shows when the model is lowered.
  const bool shows_lowered =
      lowered.ok() && (options.lowering.has_facts() || HidesStates(session, model));
  PrintEntries(shows_lowered ? *lowered : model, shows_lowered ? nullptr : format);
  const bool lists_objects = format != nullptr && format->calls != nullptr;
  if (lowered.ok()) {
    PrintStates(lowered->states);
  } else if (!lists_objects) {
    PrintStates(model.states);
  }
  if (!model.functions.empty()) fmt::print("functions {}\n", model.functions.size());
  PrintCensus(CensusOf(model), CountAbsentWeights(model));
  if (format != nullptr && format->missing_files != nullptr)
    PrintMissing(format->missing_files(model), options.model);
  if (lowered.ok()) PrintCosts(*lowered);
  PrintDescription(model, format, options.common.verbose);
  fmt::print("targets\n");
  if (!lowered.ok()) {
    const Entry& entry = model.entries.front();
    return PrintWhyNotLowered(lowered.error(), model, GivenSlots(format, entry), options);
  }
  PrintTargets(AskTargets(session, lowered, options), options);
}

// The whole graph; where people read it, the bits of large constants are left out.
void PrintGraphText(const Model& model) {
  std::string text = PrintText(model);
  constexpr std::size_t kShown = 24;
  constexpr std::string_view kBits = "base64 \"";
  for (std::size_t at = 0; ::isatty(STDOUT_FILENO) != 0; ++at) {
    at = text.find(kBits, at);
    if (at == std::string::npos) break;
    at += kBits.size();
    const std::size_t end = text.find('"', at);
    if (end == std::string::npos) break;
    if (end - at > 2 * kShown) text.replace(at + kShown, end - at - kShown, "…");
  }
  fmt::print("\n{}", text);
}

int ReportNoNode(const Model& model, const InspectOptions& options) {
  std::vector<std::string> names;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      names.push_back(node.name());
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        if (node.result(i) != nullptr) names.push_back(node.result(i)->name());
      }
    }
  });
  return Report(InvalidInput("there is no node or value '" + *options.node + "'" +
                             DidYouMean(*options.node, names)),
                options.model);
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

// Every node, lowered where that is possible.
int PrintAllNodes(const Model& model, const Result<Model>& lowered, const InspectOptions& options) {
  if (!lowered.ok()) {
    for (const Finding& finding : lowered.error().findings()) SayWarning(finding);
  }
  const Model& shown = lowered.ok() ? *lowered : model;
  if (options.common.json) {
    PrintJson(NodesJson(shown));
  } else {
    PrintNodes(shown);
  }
  return kDone;
}

int RunInspect(const InspectOptions& options) {
  Session session = SilentSession();
  session.warn = SayWarning;
  Result<Model> model = session.Read(options.model, std::nullopt, ReadOptionsOf(options.lowering));
  if (!model.ok()) return Report(model.error());
  const Result<Model> lowered = LowerToInspect(session, *model, options);
  if (options.node) {
    const bool shown =
        PrintNode(*options.node, *model, lowered.ok() ? &*lowered : nullptr, options.common.json);
    return shown ? kDone : ReportNoNode(*model, options);
  }
  if (options.nodes) return PrintAllNodes(*model, lowered, options);
  if (options.to)
    return PrintAnswer(std::move(AskTargets(session, lowered, options).front()), options);
  if (options.common.json) {
    const Format* format = FormatOfModel(session.formats, *model);
    nlohmann::ordered_json json = ModelJson(*model, format, AskTargets(session, lowered, options));
    if (lowered.ok()) json.update(CostsJson(*lowered));
    PrintJson(json);
    return kDone;
  }
  PrintScreen(session, *model, lowered, options);
  if (options.common.verbose) PrintGraphText(*model);
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
  command.AddFlag("--nodes", options->nodes,
                  "List every node with the types of its results, its weights and multiply-adds");
  command.Add("--node", &options->node,
              "Show one node, by its name or that of a result: its operands and their\n"
              "origins, attributes, results and what reads them");
  AddFacts(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetRun([options] { return RunInspect(*options); });
}

}  // namespace dragoman::cli
