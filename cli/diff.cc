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
#include "core/support/progress.h"

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
  // Never destroyed: the process ends next, which frees a million nodes faster than destructors do.
  static auto* const models = new std::array<Model, 2>;
  auto& [a, b] = *models;
  DRAGOMAN_ASSIGN(a, LoadModel(options.a));
  DRAGOMAN_ASSIGN(b, LoadModel(options.b));
  const bool source = options.level ? *options.level == "source" : compare::SameVocabulary(a, b);
  options.compare.level = source && a.level == Level::kSource ? Level::kSource : Level::kCommon;
  if (!source) {
    auto lower = [](Model& model, const std::string& file) -> Status {
      if (model.level == Level::kCommon) return {};
      Result<Model> lowered = Lower(model, {});
      if (!lowered.ok()) return std::move(lowered).error().InFile(file);
      model = std::move(*lowered);
      return {};
    };
    DRAGOMAN_TRY(lower(a, options.a));
    DRAGOMAN_TRY(lower(b, options.b));
  }
  const Progress progress("comparing");
  return DiffModels(a, b, options.compare);
}

int RunDiff(DiffOptions& options) {
  Result<DiffReport> report = Compare(options);
  if (!report.ok()) return Report(report.error());
  const bool json = options.common.json || options.format == "json";
  if (!options.common.quiet) fmt::print("{}", json ? RenderJson(*report) : RenderText(*report));
  return report->equal() ? kDone : kAnswerIsNo;
}

}  // namespace

void AddDiff(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command =
      program.add_subcommand("diff", "Say whether two graphs are the same, and where they differ");
  command->add_option("A", options->a, "A model file")->required();
  command->add_option("B", options->b, "Another")->required();
  command
      ->add_option(
          "--level", options->level,
          "source (as the files say it) or common; default: source if dialect and versions agree")
      ->check(CLI::IsMember({"source", "common"}));
  command->add_option("--ignore", options->ignore, "What may differ: weights, shapes, origins")
      ->delimiter(',');
  command->add_flag("--commute", options->compare.commute,
                    "Operands of commutative operators in any order");
  command->add_flag("--modulo-sharing", options->compare.modulo_sharing,
                    "Equal computations may be shared or repeated");
  command->add_option("--rtol", options->compare.rtol,
                      "Relative tolerance of floating-point and complex constants:\n"
                      "|a-b| <= rtol * max(|a|, |b|)");
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  AddCommonOptions(*command, options->common);
  command->footer(
      "What does not count: names, the order of independent nodes, whether equal constants are\n"
      "shared, documentation, metadata, quantization annotations, training information.\n"
      "Exit codes: 0 equal, 1 different, 2 or 4 not comparable.");
  command->callback([options, &exit_code] { exit_code = RunDiff(*options); });
}

}  // namespace dragoman::cli
