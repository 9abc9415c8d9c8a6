// SPDX-License-Identifier: Apache-2.0
// dragoman inspect MODEL
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/inspect_json.h"
#include "cli/inspect_node.h"
#include "cli/inspect_screen.h"
#include "cli/inspect_targets.h"
#include "cli/options.h"
#include "cli/page_file.h"
#include "cli/report.h"
#include "core/ir/print.h"
#include "core/support/nearest_name.h"
#include "driver/overlay.h"
#include "driver/pages.h"
#include "driver/targets.h"

namespace dragoman::cli {
namespace {

struct InspectOptions {
  std::string model;
  std::optional<std::string> to;
  std::optional<std::string> node;
  bool nodes = false;
  std::optional<std::string> html;
  std::optional<std::string> heat;
  std::optional<std::string> overlay;
  std::optional<std::string> plot;
  LoweringFlags lowering;
  CommonOptions common;
};

// Lowered with the facts, not rewritten.
Result<Model> LowerToInspect(const Session& session, const Model& source, Facts facts) {
  return session.ToCommon(source, {.facts = std::move(facts), .passes = "none"});
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
  PrintLines("\n" + text);
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
    Print("{}: nothing stands in the way of {}\n", options.model, answer.target);
  return kDone;
}

// Says why only the source level is shown, if it is.
void WarnIfNotLowered(const Result<Model>& lowered, const InspectOptions& options) {
  if (lowered.ok()) return;
  const Error why = Error(lowered.error()).InFile(options.model);
  for (const Finding& finding : why.findings()) SayWarning(finding);
}

// Every node, lowered where that is possible.
int PrintAllNodes(const Model& model, const Result<Model>& lowered, const InspectOptions& options) {
  WarnIfNotLowered(lowered, options);
  const Model& shown = lowered.ok() ? *lowered : model;
  if (options.common.json) {
    PrintJson(NodesJson(shown));
  } else {
    PrintNodes(shown);
  }
  return kDone;
}

// Of --heat; none without it.
Result<std::vector<page::Heat>> HeatsOf(const InspectOptions& options) {
  return options.heat ? ReadHeats(*options.heat) : std::vector<page::Heat>();
}

// The graph, at both levels if it can be lowered, as a page for a browser.
int WritePage(const Session& session, const Model& model, const Result<Model>& lowered,
              const InspectOptions& options) {
  Result<std::vector<page::Heat>> heats = HeatsOf(options);
  if (!heats.ok()) return Report(heats.error(), *options.heat);
  WarnIfNotLowered(lowered, options);
  const std::string html = PageOfModel(session, model, lowered.ok() ? &*lowered : nullptr,
                                       FileNameOf(options.model), *std::move(heats));
  if (Status status = WritePageFile(*options.html, html, {options.model}); !status.ok())
    return Report(status.error(), *options.html);
  if (options.common.json)
    PrintJson(WrittenJson(*options.html, "html"));
  else if (!options.common.quiet)
    Print("{}: {}\n", *options.html, SizeText(html.size()));
  return kDone;
}

// The numbers of --heat, or multiply-adds, for a viewer that shows the file itself.
int WriteOverlay(const Session& session, const Result<Model>& lowered,
                 const InspectOptions& options) {
  if (!lowered.ok()) return Report(lowered.error(), options.model);
  const Result<std::vector<page::Heat>> heats = HeatsOf(options);
  if (!heats.ok()) return Report(heats.error(), *options.heat);
  const page::Heat heat = heats->empty() ? CostsOfNodes(*lowered) : heats->front();
  if (heat.rows.empty()) {
    return Report(InvalidInput("--overlay: sizes are not known; state them by --shape or --dim, or "
                               "give numbers by --heat"),
                  options.model);
  }
  const std::string overlay = OverlayOf(session, *lowered, heat, heats->empty());
  return Report(WritePageFile(*options.overlay, overlay, {options.model}), *options.overlay);
}

// The weights' histograms.
int WritePlot(const Model& model, const InspectOptions& options) {
  const std::string plot = PlotOfWeights(model, FileNameOf(options.model));
  return Report(WritePageFile(*options.plot, plot, {options.model}));
}

// Errors: options that are not for one another.
Status CheckInspectOptions(const InspectOptions& options) {
  if (int{options.nodes} + int{options.node.has_value()} + int{options.to.has_value()} +
          int{options.html.has_value()} + int{options.plot.has_value()} +
          int{options.overlay.has_value()} >
      1)
    return InvalidInput("--to, --nodes, --node, --html, --plot and --overlay do not go together");
  if (options.heat && !options.html && !options.overlay)
    return InvalidInput("--heat goes with --html or --overlay");
  return {};
}

int RunInspect(const InspectOptions& options) {
  if (const Status status = CheckInspectOptions(options); !status.ok())
    return Report(status.error());
  const Session session = MakeSession(options.common, options.model);
  Result<Facts> facts = ParseFacts(options.lowering);
  if (!facts.ok()) return Report(facts.error(), options.model);
  const Result<Model> model = ReadCut(session, options.model, options.lowering, *facts);
  if (!model.ok()) return Report(model.error());
  if (options.plot) return WritePlot(*model, options);
  const Result<Model> lowered = LowerToInspect(session, *model, *std::move(facts));
  if (!lowered.ok() && options.lowering.has_facts() &&
      lowered.error().kind() == ErrorKind::kInvalidInput) {
    return Report(lowered.error(), options.model);
  }
  if (options.node) {
    const bool shown =
        PrintNode(*options.node, *model, lowered.ok() ? &*lowered : nullptr, options.common.json);
    return shown ? kDone : ReportNoNode(*model, options);
  }
  if (options.nodes) return PrintAllNodes(*model, lowered, options);
  if (options.html) return WritePage(session, *model, lowered, options);
  if (options.overlay) return WriteOverlay(session, lowered, options);
  if (options.to)
    return PrintAnswer(std::move(AskTargets(session, lowered, options.to).front()), options);
  if (options.common.json) {
    const Format* format = FormatOfModel(session.formats, *model);
    nlohmann::ordered_json json =
        ModelJson(*model, format, lowered, AskTargets(session, lowered, std::nullopt));
    if (lowered.ok()) json.update(CostsJson(*lowered));
    PrintJson(json);
    return kDone;
  }
  PrintScreen(session, *model, lowered,
              {.model = options.model,
               .choices = TypedChoices(options.lowering),
               .has_facts = options.lowering.has_facts(),
               .verbose = options.common.verbose});
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
      program.AddCommand("inspect", "Show what a model contains and which targets can express it");
  const std::vector<std::string> targets = TargetNames();
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add("--to", &options->to, "List everything that a target cannot express",
              {.one_of = targets});
  command.AddFlag("--nodes", options->nodes,
                  "List every node with its result types, weights and multiply-adds");
  command.Add("--node", &options->node,
              "Show one node, given its name or that of a result: operands and their origins, "
              "attributes, results and their users",
              {.placeholder = "NAME"});
  command.Add("--html", &options->html,
              "Write the graph as a page for a browser, one HTML file that needs nothing else",
              {.placeholder = "FILE"});
  command.Add("--heat", &options->heat,
              "With --html or --overlay: what `bench --profile --json` or `verify "
              "--bisect --json`, printed, to be shown as colours of nodes",
              {.placeholder = "FILE"});
  command.Add("--overlay", &options->overlay,
              "Write a number for each node, its multiply-adds or those of --heat, as node data of "
              "Model Explorer",
              {.placeholder = "FILE"});
  command.Add("--plot", &options->plot, "Write the weights' histograms as an SVG picture",
              {.placeholder = "FILE"});
  AddFacts(command, options->lowering);
  AddCut(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "  dragoman inspect model.onnx\n"
      "  dragoman inspect model.onnx --to relax\n"
      "  dragoman inspect policy.pt --shape x=f32:1,6\n"
      "  dragoman inspect model.onnx --html model.html");
  command.SetRun([options] { return RunInspect(*options); });
}

}  // namespace dragoman::cli
