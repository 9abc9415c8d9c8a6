// SPDX-License-Identifier: Apache-2.0
// dragoman diff A B
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/options.h"
#include "core/compare/calling.h"
#include "core/compare/diff.h"

namespace dragoman::cli {
namespace {

struct DiffOptions {
  std::string a;
  std::string b;
  std::optional<std::string> level;
  std::vector<std::string> ignore;
  std::string format = "text";
  bool all = false;
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

// What is stated about one of the two models; `passes` if the user names none.
LoweringFlags FlagsOf(const DiffOptions& options, std::size_t side, const std::string& passes) {
  LoweringFlags flags = options.both;
  const std::vector<std::string>&shapes = options.shapes[side], &dims = options.dims[side];
  flags.shapes.insert(flags.shapes.end(), shapes.begin(), shapes.end());
  flags.dims.insert(flags.dims.end(), dims.begin(), dims.end());
  if (options.entries[side]) flags.entry = options.entries[side];
  if (!flags.passes) flags.passes = passes;
  return flags;
}

// Names for the sizes of inputs that have none, as texts of TVM need them.
std::vector<ShapeFact> NamesOfOpenSizes(const Graph& entry) {
  std::vector<ShapeFact> facts;
  for (std::size_t i = 0; i < entry.num_inputs(); ++i) {
    const Shape* shape = entry.input(i)->type().shape();
    if (shape == nullptr || std::ranges::none_of(*shape, &Dim::unknown)) continue;
    ShapeFact fact{.input = entry.input(i)->name(), .dtype = {}, .dims = {}};
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      const bool is_open = (*shape)[axis].unknown();
      fact.dims.push_back(is_open ? std::optional(Dim::Symbol(fmt::format("open_{}_{}", i, axis)))
                                  : std::nullopt);
    }
    facts.push_back(std::move(fact));
  }
  return facts;
}

// `names_sizes`: a size without a name is one of its own.
Result<Model> ToCommon(const Session& session, const Model& model, const LoweringFlags& flags,
                       bool names_sizes) {
  DRAGOMAN_ASSIGN(LoweringOptions lowering, ParseLowering(flags));
  if (!names_sizes) return session.ToCommon(model, lowering);
  LoweringFlags plain = flags;
  plain.passes = "none";
  DRAGOMAN_ASSIGN(const LoweringOptions lowered, ParseLowering(plain));
  DRAGOMAN_ASSIGN(const Model common, session.ToCommon(model, lowered));
  if (common.entries.empty()) return session.ToCommon(model, lowering);
  lowering.facts = {};
  lowering.facts.shapes = NamesOfOpenSizes(common.main());
  return session.ToCommon(common, lowering);
}

// Whether something asks for graphs that are not those of the files.
bool AsksForLowered(const DiffOptions& options) {
  const auto states = [&](std::size_t side) {
    return !options.shapes[side].empty() || !options.dims[side].empty() ||
           options.entries[side].has_value();
  };
  return options.both.has_facts() || options.both.passes || states(0) || states(1);
}

Result<Level> LevelOf(const DiffOptions& options, const Model& a, const Model& b) {
  const bool lowered = AsksForLowered(options);
  if (options.level == "source" && lowered)
    return InvalidInput("--level source does not go with facts and passes");
  if (options.level == "source") {
    const bool source = a.level == Level::kSource && b.level == Level::kSource;
    return source ? Level::kSource : Level::kCommon;
  }
  const bool source = !options.level && !lowered && compare::SameVocabulary(a, b);
  return source && a.level == Level::kSource ? Level::kSource : Level::kCommon;
}

Result<DiffReport> Compare(DiffOptions& options) {
  SetIgnored(options);
  const Session session = MakeSession(options.common);
  // Never destroyed: the process ends next, which frees a million nodes faster than destructors do.
  static auto* const models = new std::array<Model, 2>;
  const std::array<std::string, 2> files = {options.a, options.b};
  for (std::size_t i = 0; i < files.size(); ++i) {
    DRAGOMAN_ASSIGN((*models)[i],
                    session.Read(files[i], std::nullopt, ReadOptionsOf(options.both)));
  }
  auto& [a, b] = *models;
  DRAGOMAN_ASSIGN(options.compare.level, LevelOf(options, a, b));
  const bool lowers = options.compare.level == Level::kCommon && options.level != "source";
  // Lowerings of different formats spell the same in different ways.
  const bool foreign = a.dialect != b.dialect;
  for (std::size_t i = 0; lowers && i < files.size(); ++i) {
    if ((*models)[i].level == Level::kCommon && !AsksForLowered(options) && !foreign) continue;
    const LoweringFlags flags = FlagsOf(options, i, foreign ? "default" : "none");
    Result<Model> lowered = ToCommon(session, (*models)[i], flags, foreign);
    if (!lowered.ok()) return std::move(lowered).error().InFile(files[i]);
    (*models)[i] = std::move(*lowered);
  }
  return session.Diff(a, b, options.compare);
}

// The report, its first word in colour on a terminal.
void PrintReport(const DiffReport& report, bool all) {
  const std::string text = RenderText(report, all ? Listing::kEach : Listing::kGroups);
  const std::size_t end = text.find(' ');
  Print("{}", Colored(report.equal() ? Color::kGreen : Color::kRed, text.substr(0, end)));
  PrintLines(text.substr(end));
}

int RunDiff(DiffOptions& options) {
  Result<DiffReport> report = Compare(options);
  if (!report.ok()) return Report(report.error());
  const bool json = options.common.json || options.format == "json";
  if (!options.common.quiet && json) {
    fmt::print("{}", RenderJson(*report));
  } else if (!options.common.quiet) {
    PrintReport(*report, options.all);
  }
  return report->equal() ? kDone : kAnswerIsNo;
}

}  // namespace

void AddDiff(CommandLine& program) {
  auto options = std::make_shared<DiffOptions>();
  Command command = program.AddCommand("diff", "Compare two graphs and show where they differ");
  command.Add("A", &options->a, "A model file", {.required = true});
  command.Add("B", &options->b, "Another model file", {.required = true});
  command.Add("--level", &options->level,
              "source (as in the files) or common; default: source if dialect and versions agree",
              {.one_of = {"source", "common"}});
  command.Add("--ignore", &options->ignore, "Ignore differences in weights, shapes, origins",
              {.one_of = {"weights", "shapes", "origins"}, .commas = true});
  command.AddFlag("--strict-attributes", options->compare.strict_attributes,
                  "Distinguish an attribute with its default value from an absent one");
  command.AddFlag(
      "--strict-types", options->compare.strict_types,
      "Distinguish a stated type or size of a node's result from one that is not stated");
  command.AddFlag("--commute", options->compare.commute,
                  "Accept operands of commutative operators in any order");
  command.AddFlag("--modulo-sharing", options->compare.modulo_sharing,
                  "Accept equal computations that one graph shares and the other repeats");
  command.Add("--rtol", &options->compare.rtol,
              "Relative tolerance of floating-point and complex constants:\n"
              "|a-b| <= rtol * max(|a|, |b|)");
  command.AddFlag("--all", options->all,
                  "List each edit; else those that say the same of several nodes are one line");
  command.Add("--format", &options->format, "text or json", {.one_of = {"text", "json"}});
  AddPasses(command, options->both);
  AddFacts(command, options->both);
  command.Add("--shape-a", &options->shapes[0], "Like --shape, for A only", {.repeatable = true});
  command.Add("--shape-b", &options->shapes[1], "Like --shape, for B only", {.repeatable = true});
  command.Add("--dim-a", &options->dims[0], "Like --dim, for A only", {.repeatable = true});
  command.Add("--dim-b", &options->dims[1], "Like --dim, for B only", {.repeatable = true});
  command.Add("--entry-a", &options->entries[0], "Like --entry, for A only");
  command.Add("--entry-b", &options->entries[1], "Like --entry, for B only");
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
      "Exit codes: 0 equal, 1 different, 2 or 4 not comparable.");
  command.SetRun([options] { return RunDiff(*options); });
}

}  // namespace dragoman::cli
