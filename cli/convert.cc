// SPDX-License-Identifier: Apache-2.0
// dragoman convert MODEL -o OUT
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/batch_report.h"
#include "cli/change_table.h"
#include "cli/convert.h"
#include "cli/fusion_summary.h"
#include "core/support/mapped_file.h"
#include "core/support/plural.h"
#include "core/support/temporary_folder.h"
#include "core/support/text.h"
#include "driver/convert_model.h"
#include "driver/model_costs.h"
#include "driver/verify_model.h"

namespace dragoman::cli {
namespace {

// `--level` and the like as the library takes them.
Result<ConversionOptions> ConversionOf(const ConvertOptions& options) {
  ConversionOptions conversion;
  DRAGOMAN_ASSIGN(conversion.facts, ParseFacts(options.lowering));
  DRAGOMAN_ASSIGN(conversion.batch, ParseBatch(options.lowering));
  conversion.keep_reference = options.check.has_value();
  conversion.cut_inputs = options.lowering.cut_inputs;
  conversion.cut_outputs = options.lowering.cut_outputs;
  conversion.passes = options.lowering.passes;
  if (options.level)
    conversion.level = *options.level == "source" ? Level::kSource : Level::kCommon;
  conversion.unroll = options.unroll;
  conversion.write = options.write;
  return conversion;
}

// A copy keeps the references of weights that lie in files which are not there.
Status CheckWeights(const Session& session, const Model& model, const ConvertOptions& options) {
  const std::size_t absent = CountAbsentWeights(model);
  if (absent == 0) return {};
  std::string what = fmt::format("the elements of {} constants are not there", absent);
  const Format* const format = FormatOfModel(session.formats, model);
  if (format != nullptr && format->missing_files != nullptr) {
    for (const MissingFile& file : format->missing_files(model)) {
      what += fmt::format("; expected {} ({} bytes at least)",
                          (std::filesystem::path(options.model).parent_path() / file.name).string(),
                          file.bytes);
    }
  }
  if (!session.strict) what += "; the copy is without them, too";
  return session.Warn({ErrorKind::kInvalidInput, options.model, {}, std::move(what)});
}

// A graph that was edited in a container and is written as it is: nothing else would find what is
// misspelt in it.
Status CheckEdited(const Session& session, const Model& source, const Format& target,
                   const ConversionOptions& conversion, const ConvertOptions& options) {
  if (IsStandardInput(options.model) && !options.from) return {};
  DRAGOMAN_ASSIGN(const Format* const format, options.from
                                                  ? FormatByName(session.formats, *options.from)
                                                  : FormatOfInput(session.formats, options.model));
  const bool may_be_edited =
      format->is_container && target.validate != nullptr &&
      (source.level == Level::kCommon || IsPlainCopy(source, target, conversion));
  if (options.force && !may_be_edited)
    return InvalidInput("--force is about graphs of " + std::string(target.name) +
                        " in .dgt, .dgm and .json files that are written as they are");
  if (options.force || !may_be_edited || CountAbsentWeights(source) > 0) return {};
  Status status = target.validate(source);
  return status.ok() ? std::move(status) : std::move(status.error().InFile(options.model));
}

void PrintFile(const NodeCount& before, const NodeCount& after, const Format& target,
               const std::optional<BatchReport>& batch, const ConvertOptions& options) {
  nlohmann::ordered_json json = WrittenJson(options.output, target.name);
  json["nodes_before"] = before.nodes;
  json["nodes"] = after.nodes;
  if (batch) json["batch"] = BatchJson(*batch, *options.lowering.batch);
  PrintJson(json);
}

// Counts of a file, for the summary. Those of MODEL are taken before the output is written, which
// may replace it.
struct FileSummary {
  NodeCount nodes;
  FileFigures figures;
};

// All but the bytes.
FileSummary SummaryOf(const Model& model) {
  return {CountNodes(model), {.operators = CountOperators(model)}};
}

// One line on standard error.
void SayWhatWasFused(const FileSummary& original, const FileSummary& saved,
                     const ConvertOptions& options) {
  if (options.common.quiet) return;
  const std::string line =
      FusionSummary(original.nodes, saved.nodes, original.figures.bytes, saved.figures.bytes);
  if (!line.empty()) Say(line);
}

// The table, for a file of ONNX that was made from one.
void SayWhatChanged(FileFigures before, FileFigures after, const ConvertedModel& converted,
                    const ConvertOptions& options) {
  if (options.common.quiet || options.common.json) return;
  if (before.bytes == 0 || after.bytes == 0) return;
  before.multiply_adds = converted.products;
  after.multiply_adds = CostsOf(converted.model).multiply_adds;
  std::string table = ChangeTable(before, after);
  table.pop_back();
  Say(table);
}

Result<const Format*> TargetOf(Formats formats, const ConvertOptions& options) {
  if (options.to) return FormatByName(formats, *options.to);
  return options.output == "-" ? FormatByName(formats, "text")
                               : FormatOfOutput(formats, options.output);
}

// What is said of a file that goes when the command ends is said of `name`.
void Rename(const std::string& path, const std::string& name, Finding& finding) {
  if (finding.file == path) finding.file = name;
}

Error SaidOf(const std::string& path, const std::string& name, Error error) {
  for (Finding& finding : error.findings()) Rename(path, name, finding);
  return error;
}

// A pipe takes one file.
Status CheckNothingBeside(const std::filesystem::path& path) {
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) {
    if (entry.path() == path) continue;
    return InvalidInput("-o - would leave out what lies beside the file, " +
                        Quote(entry.path().filename().string()) + "; name the file");
  }
  return {};
}

// A file of bytes, which goes into a pipe and not onto a terminal.
Status PrintBytes(const Session& session, const Model& model, const Format& target,
                  const WriteOptions& write) {
  if (::isatty(STDOUT_FILENO) != 0) {
    return InvalidInput("-o - would print a file of format " + std::string(target.name) +
                        " on the terminal; redirect it, or add --to text");
  }
  DRAGOMAN_ASSIGN(const TemporaryFolder folder, TemporaryFolder::Create());
  const std::string path = (folder.path() / "model").string();
  Session renaming = session;
  renaming.warn = [&](Finding warning) {
    Rename(path, "standard output", warning);
    session.warn(warning);
  };
  if (Status status = renaming.Write(model, path, target, write); !status.ok())
    return SaidOf(path, "standard output", std::move(status).error());
  DRAGOMAN_TRY(CheckNothingBeside(path));
  DRAGOMAN_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const std::span<const std::byte> bytes = file->bytes();
  // The main function reports bytes that are lost, as for all that is printed.
  static_cast<void>(std::fwrite(bytes.data(), 1, bytes.size(), stdout));
  return {};
}

// Nodes but for those that are constants.
std::size_t NodesOf(const FileFigures& figures) {
  std::size_t nodes = 0;
  for (const auto& [type, count] : figures.operators) nodes += type == "Constant" ? 0 : count;
  return nodes;
}

// Of an ONNX file that is made from a common graph, `saved` has the counts of what is written. If
// there is a `source`, it is copied where it has fewer nodes: operators of other domains may take
// many of ONNX's.
Status Save(const Session& session, const FileSummary& original, const std::optional<Model>& source,
            const ConvertedModel& converted, const Format& target,
            const ConversionOptions& conversion, const ConvertOptions& options,
            FileSummary& saved) {
  const Model& model = converted.model;
  saved.nodes = CountNodes(model);
  bool grows = false;
  WriteOptions write = WriteOptionsOf(converted, conversion);
  write.show = [&](const Model& written) {
    saved = SummaryOf(written);
    grows = source && NodesOf(saved.figures) > NodesOf(original.figures);
    return !grows;
  };
  if (options.output == "-" && target.print == nullptr)
    return PrintBytes(session, model, target, write);
  if (options.output == "-") {
    DRAGOMAN_ASSIGN(const std::string text, session.Print(model, target, write));
    fmt::print("{}", text);
    return {};
  }
  DRAGOMAN_TRY(session.Write(model, options.output, target, write));
  if (grows) {
    if (!options.common.quiet)
      Say(fmt::format("{} nodes would be {}: the model is copied as it is",
                      NodesOf(original.figures), NodesOf(saved.figures)));
    saved = original;
    DRAGOMAN_TRY(session.Write(*source, options.output, target));
  }
  if (!options.common.quiet) saved.figures.bytes = BytesWithData(&target, options.output);
  return {};
}

// Whether the file computes what it was made from; says where it does not.
Result<bool> IsEqual(const Session& session, const std::string& path,
                     const ConvertedModel& converted, const Format& target,
                     const ConvertOptions& options) {
  DRAGOMAN_ASSIGN(const Model written, session.Read(path, std::string(target.name)));
  const Model& reference = converted.reference ? *converted.reference : converted.model;
  const VerifyRequest request{.random = *options.check, .seed = options.seed};
  DRAGOMAN_ASSIGN(
      const std::vector<Verification> checks,
      VerifyAgainstModel(session.WithoutRules(), written, reference, options.model, request));
  for (const Verification& check : checks) {
    for (const OutputComparison& output : check.outputs) {
      if (!output.ok) Say(Printable("check: " + check.what + ": " + output.message));
    }
  }
  const bool equal = std::ranges::all_of(checks, &Verification::ok);
  if (equal && !options.common.quiet) {
    Say("check: equal on " + Plural(checks.size(), "random input"));
  }
  return equal;
}

// Writes the model elsewhere first, reads that and runs it against what it was made from. Whether
// they are equal, so that it may be written.
Result<bool> Check(const Session& session, const FileSummary& original,
                   const std::optional<Model>& kept, const ConvertedModel& converted,
                   const Format& target, const ConversionOptions& conversion,
                   const ConvertOptions& options) {
  if (!options.check) return true;
  if (options.output == "-" || target.read == nullptr)
    return Unsupported("--check: what is written cannot be read back");
  DRAGOMAN_ASSIGN(const TemporaryFolder folder, TemporaryFolder::Create());
  const std::filesystem::path output = std::filesystem::path(options.output + "/").parent_path();
  ConvertOptions copy = options;
  copy.output = (folder.path() / output.filename()).string();
  copy.common.quiet = true;
  Session silent = session;
  silent.warn = nullptr;  // all of it is said of the file itself
  FileSummary saved;
  Status status = Save(silent, original, kept, converted, target, conversion, copy, saved);
  if (!status.ok()) return SaidOf(copy.output, options.output, std::move(status).error());
  Result<bool> equal = IsEqual(session, copy.output, converted, target, options);
  if (!equal.ok()) return SaidOf(copy.output, options.output, std::move(equal).error());
  return equal;
}

Result<int> Convert(const ConvertOptions& options) {
  Session session = MakeSession(options.common, options.model);
  DRAGOMAN_TRY(WatchPasses(session, options.watch));
  DRAGOMAN_TRY(UseRules(session, options.lowering));
  DRAGOMAN_ASSIGN(const Format* const target, TargetOf(session.formats, options));
  DRAGOMAN_ASSIGN(const ConversionOptions conversion, ConversionOf(options));
  DRAGOMAN_TRY(CheckConversion(*target, conversion));
  if (options.seed != 0 && !options.check) return InvalidInput("--seed goes with --check");
  DRAGOMAN_ASSIGN(Model source,
                  session.Read(options.model, options.from, ReadOptionsOf(options.lowering)));
  DRAGOMAN_TRY(CheckEdited(session, source, *target, conversion, options));
  FileSummary original = SummaryOf(source);
  if (!options.common.quiet)
    original.figures.bytes = BytesWithData(FormatOfModel(session.formats, source), options.model);
  std::optional<Model> kept;
  const bool is_onnx = source.level == Level::kSource && source.dialect == target->dialect;
  const bool may_stay = options.never_larger && is_onnx && options.output != "-";
  if (may_stay && !conversion.has_facts() && !options.write.opset) kept = Clone(source);
  Result<ConvertedModel> converted = ConvertModel(session, std::move(source), *target, conversion);
  if (!converted.ok()) return std::move(converted).error().InFile(options.model);
  const Model& model = converted->model;
  DRAGOMAN_TRY(CheckWeights(session, model, options));
  DRAGOMAN_ASSIGN(const bool equal,
                  Check(session, original, kept, *converted, *target, conversion, options));
  if (!equal) {
    Say(Printable(options.output) + " is not written");
    return static_cast<int>(kAnswerIsNo);
  }
  FileSummary saved;
  DRAGOMAN_TRY(Save(session, original, kept, *converted, *target, conversion, options, saved));
  if (converted->kept_opset && options.lowering.passes.value_or("default") != "none")
    SayWhatChanged(original.figures, saved.figures, *converted, options);
  SayWhatWasFused(original, saved, options);
  if (converted->batch && !options.common.quiet && !options.common.json)
    Say(BatchText(*converted->batch, *options.lowering.batch, options.common.verbose));
  if (options.common.json && options.output != "-")
    PrintFile(original.nodes, saved.nodes, *target, converted->batch, options);
  return static_cast<int>(kDone);
}

}  // namespace

int RunConvert(const ConvertOptions& options) {
  const Result<int> done = Convert(options);
  return done.ok() ? *done : Report(done.error(), options.model);
}

namespace {

std::vector<std::string> FormatNames(bool (*is_wanted)(const Format& format)) {
  std::vector<std::string> names;
  for (const Format& format : BuiltInFormats()) {
    if (is_wanted(format)) names.emplace_back(format.name);
  }
  return names;
}

}  // namespace

void AddWriteOptions(Command& command, WriteOptions& options, std::string_view name) {
  for (const Format& format : BuiltInFormats()) {
    for (const WriteOption& option : format.options) {
      if (!name.empty() && option.name != name) continue;
      const auto add = [&](auto& value) {
        if constexpr (std::is_same_v<decltype(value), bool&>) {
          command.AddFlag(std::string(option.name), value, option.what);
        } else {
          command.Add(std::string(option.name), &value, option.what,
                      {.placeholder = std::string(option.placeholder),
                       .one_of = option.one_of,
                       .range = option.range});
        }
      };
      std::visit([&](auto value) { add(options.*value); }, option.value);
    }
  }
}

void AddCheck(Command& command, ConvertOptions& options) {
  command.Add("--check", &options.check,
              "Read what is to be written and run it on N random inputs against MODEL; if an "
              "output differs, nothing is written, and the exit code is 1",
              {.placeholder = "N", .range = {{1, 1'000'000}}});
  command.Add("--seed", &options.seed, "Seed of the random inputs of --check");
}

void AddConvert(CommandLine& program) {
  auto options = std::make_shared<ConvertOptions>();
  Command command = program.AddCommand("convert", "Convert a model to another format");
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add("-o,--output", &options->output,
              "File to write; - prints graph text, or the format of --to",
              {.placeholder = "FILE", .required = true});
  command.Add("--from", &options->from,
              "Format of MODEL, if content and suffix do not determine it",
              {.placeholder = "FORMAT",
               .suggested = FormatNames([](const Format& f) { return f.read != nullptr; })});
  command.Add("--to", &options->to, "Format of OUT, if its suffix does not determine it",
              {.placeholder = "FORMAT",
               .suggested = FormatNames([](const Format& f) { return f.write != nullptr; })});
  command.Add("--level", &options->level,
              "Level of a container: source (default; as in the file) or common (lowered)",
              {.one_of = {"source", "common"}});
  AddPasses(command, options->lowering);
  AddRuleFile(command, options->lowering);
  AddWriteOptions(command, options->write);
  command.AddFlag(
      "--force", options->force,
      "Write an edited graph even if its dialect lacks some of its operators or attributes");
  command.AddFlag("--unroll", options->unroll, "Replace sequence operators by unrolled cells");
  AddFacts(command, options->lowering);
  AddCut(command, options->lowering);
  AddBatch(command, options->lowering);
  AddCheck(command, *options);
  AddWatch(command, options->watch);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "Output in the dialect of MODEL, or in a container (.dgm, .dgt, .json), is a lossless copy "
      "of\n"
      "the source graph. With --passes, --shape, --dim, --batch, --entry or a cut, or in another\n"
      "dialect, the graph is lowered, rewritten and written anew.\n"
      "\n"
      "  dragoman convert model.onnx -o model.py\n"
      "  dragoman convert model.onnx -o -\n"
      "  dragoman convert model.onnx -o small.onnx --passes default --shape x=1,3,224,224\n"
      "  dragoman convert model.onnx -o batched.onnx --batch n\n"
      "  dragoman convert model.onnx -o head.onnx --cut-outputs /encoder/out");
  command.SetRun([options] { return RunConvert(*options); });
}

}  // namespace dragoman::cli
