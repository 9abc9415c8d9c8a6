// dragoman diff A B
#include <array>
#include <memory>
#include <optional>
#include <string>
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
  CompareOptions compare;
  CommonOptions common;
};

Status ReadIgnored(DiffOptions& options) {
  for (const std::string& word : options.ignore) {
    if (word == "weights") {
      options.compare.ignore_weights = true;
    } else if (word == "shapes") {
      options.compare.ignore_shapes = true;
    } else if (word == "origins") {
      options.compare.ignore_origins = true;
    } else {
      return InvalidInput("--ignore " + word + ": it is one of weights, shapes, origins");
    }
  }
  return {};
}

Result<DiffReport> Compare(DiffOptions& options) {
  DRAGOMAN_TRY(ReadIgnored(options));
  const Session session = SilentSession();
  // Never destroyed: the process ends next, which frees a million nodes faster than destructors do.
  static auto* const models = new std::array<Model, 2>;
  auto& [a, b] = *models;
  DRAGOMAN_ASSIGN(a, session.Read(options.a));
  DRAGOMAN_ASSIGN(b, session.Read(options.b));
  const bool source = options.level ? *options.level == "source" : compare::SameVocabulary(a, b);
  options.compare.level = source && a.level == Level::kSource ? Level::kSource : Level::kCommon;
  if (!source) {
    auto lower = [&session](Model& model, const std::string& file) -> Status {
      if (model.level == Level::kCommon) return {};
      Result<Model> lowered = session.Lower(model, {});
      if (!lowered.ok()) return std::move(lowered).error().InFile(file);
      model = std::move(*lowered);
      return {};
    };
    DRAGOMAN_TRY(lower(a, options.a));
    DRAGOMAN_TRY(lower(b, options.b));
  }
  return session.Diff(a, b, options.compare);
}

int RunDiff(DiffOptions& options) {
  Result<DiffReport> report = Compare(options);
  if (!report.ok()) return Report(report.error());
  const bool json = options.common.json || options.format == "json";
  if (!options.common.quiet) fmt::print("{}", json ? RenderJson(*report) : RenderText(*report));
  return report->equal() ? kDone : kAnswerIsNo;
}

}  // namespace

void AddDiff(CommandLine& program) {
  auto options = std::make_shared<DiffOptions>();
  Command command =
      program.AddCommand("diff", "Say whether two graphs are the same, and where they differ");
  command.Add("A", &options->a, "A model file", {.required = true});
  command.Add("B", &options->b, "Another", {.required = true});
  command.Add("--level", &options->level,
              "source (as in the files) or common; default: source if dialect and versions agree",
              {.one_of = {"source", "common"}});
  command.Add("--ignore", &options->ignore, "What may differ: weights, shapes, origins",
              {.commas = true});
  command.AddFlag("--commute", options->compare.commute,
                  "Operands of commutative operators in any order");
  command.AddFlag("--modulo-sharing", options->compare.modulo_sharing,
                  "Equal computations may be shared or repeated");
  command.Add("--rtol", &options->compare.rtol,
              "Relative tolerance of floating-point and complex constants:\n"
              "|a-b| <= rtol * max(|a|, |b|)");
  command.Add("--format", &options->format, "text or json", {.one_of = {"text", "json"}});
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "What does not count: names, the order of independent nodes, whether equal constants are\n"
      "shared, documentation, metadata, quantization annotations, training information.\n"
      "Exit codes: 0 equal, 1 different, 2 or 4 not comparable.");
  command.SetRun([options] { return RunDiff(*options); });
}

}  // namespace dragoman::cli
