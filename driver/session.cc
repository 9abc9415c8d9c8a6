// SPDX-License-Identifier: Apache-2.0
#include "driver/session.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "codegen/onednn/codegen.h"
#include "core/analysis/inference.h"
#include "core/analysis/no_entry.h"
#include "core/compare/repeated_entries.h"
#include "core/ir/model_symbols.h"
#include "core/ir/verify.h"
#include "core/rewrite/apply_facts.h"
#include "core/rewrite/cut.h"
#include "core/support/nearest_name.h"
#include "core/support/output_file.h"
#include "core/support/posix.h"
#include "core/support/temporary_folder.h"
#include "core/support/text.h"
#include "driver/batch.h"
#include "driver/default_inputs.h"
#include "driver/given_names.h"
#include "driver/sizes.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// Symbols that lowering makes for sizes of an argument that are not stated: "x_0", "x_1", …
bool NamesSizeOfArgument(const Model& source, std::string_view symbol) {
  const std::size_t end = symbol.rfind('_');
  if (end == std::string_view::npos) return false;
  const std::string_view path = symbol.substr(0, end);
  for (const Entry& entry : source.entries) {
    for (const auto& input : entry.graph->inputs()) {
      if (path.starts_with(Identifier(input->name()))) return true;
    }
  }
  return false;
}

// Errors: a --dim whose symbol no size has.
Status CheckDims(const Model& source, const Facts& facts, bool structured) {
  if (facts.dims.empty()) return {};
  std::set<std::string> symbols = SymbolsOf(source);
  for (const ShapeFact& fact : facts.shapes) {
    for (const std::optional<Dim>& dim : fact.dims) {
      for (std::string& symbol : dim.value_or(Dim()).Symbols()) symbols.insert(std::move(symbol));
    }
  }
  for (const auto& [symbol, size] : facts.dims) {
    if (symbols.contains(symbol) || (structured && NamesSizeOfArgument(source, symbol))) continue;
    const std::vector<std::string> known(symbols.begin(), symbols.end());
    return InvalidInput("--dim " + symbol + ": no size is called so" +
                        WhatThereIs(symbol, "symbols are", known));
  }
  return {};
}

Status CannotBe(const Format& format, std::string_view what) {
  return Unsupported("files of format " + std::string(format.name) + " cannot be " +
                     std::string(what));
}

// Our own containers can be edited by hand: what the verifier finds is the file's fault.
Status VerifyFile(const Model& model) {
  Status status = Verify(model);
  if (status.ok()) return status;
  for (Finding& finding : status.error().findings()) finding.kind = ErrorKind::kInvalidInput;
  return status;
}

// All of standard input as a file in `folder`.
Result<std::string> SaveStandardInput(const TemporaryFolder& folder) {
  DRAGOMAN_ASSIGN(OutputFile file, OutputFile::Create((folder.path() / "model").string()));
  std::vector<std::byte> buffer(std::size_t{1} << 16);
  while (const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size())) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("read", "standard input");
    DRAGOMAN_TRY(file.Append(std::span(buffer).first(static_cast<std::size_t>(count))));
  }
  DRAGOMAN_TRY(file.Commit());
  return (folder.path() / "model").string();
}

// The elements of all constants, states and attributes, as often as they stand in the model.
std::vector<std::span<const std::byte>> ElementsOf(const Model& model) {
  std::vector<std::span<const std::byte>> elements;
  const auto add = [&](const Tensor* tensor) {
    if (tensor != nullptr && !tensor->bytes().empty()) elements.push_back(tensor->bytes());
  };
  for (const State& state : model.states) add(state.initial.tensor());
  ForEachGraph(model, [&](const Graph& graph) {
    for (const auto& input : graph.inputs()) add(input->tensor());
    for (const auto& constant : graph.constants()) add(constant->tensor());
    for (const Node& node : graph.nodes()) {
      for (const NamedAttribute& attribute : node.attributes()) add(attribute.value.tensor());
    }
  });
  return elements;
}

// How many bytes are among `elements`, which may overlap; they are sorted.
std::uint64_t BytesHeld(std::vector<std::span<const std::byte>>& elements) {
  std::sort(elements.begin(), elements.end(),
            [](const auto& a, const auto& b) { return std::less<>()(a.data(), b.data()); });
  std::uint64_t held = 0;
  const std::byte* end = nullptr;
  for (const std::span<const std::byte> each : elements) {
    const std::byte* last = each.data() + each.size();
    const bool apart = end == nullptr || std::less<>()(end, each.data());
    if (!apart && !std::less<>()(end, last)) continue;
    held += static_cast<std::uint64_t>(last - (apart ? each.data() : end));
    end = last;
  }
  return held;
}

// Many tensors may be views of the same bytes. All that is done with them, and what is written, is
// as large as if each had its own.
Status CheckSharedElements(const Model& model, SizeBudget budget) {
  std::vector<std::span<const std::byte>> elements = ElementsOf(model);
  std::uint64_t bytes = 0;
  for (const std::span<const std::byte> each : elements) bytes += each.size();
  const std::uint64_t held = BytesHeld(elements);
  return bytes > held ? budget.Take(bytes - held) : Status();
}

Result<Model> ReadAndVerify(const std::string& path, const Format& format,
                            const ReadOptions& options) {
  if (format.read == nullptr) return CannotBe(format, "read").error();
  if (options.tags && !format.has_tagged_graphs)
    return InvalidInput("--tags: files of format " + std::string(format.name) +
                        " have no graphs with tags");
  DRAGOMAN_ASSIGN(Model model, format.read(path, options));
  if (!format.reader_verifies) DRAGOMAN_TRY(VerifyFile(model));
  return model;
}

// What `format` holds of a common model of which some entries say the same; nullopt: all of it.
std::optional<Model> WithoutRepeatedEntries(const Model& model, const Format& format,
                                            const Note& note) {
  if (model.level != Level::kCommon || format.is_container || model.entries.size() < 2)
    return std::nullopt;
  Model single = Clone(model);
  const std::vector<RepeatedEntry> dropped = DropRepeatedEntries(single);
  if (dropped.empty()) return std::nullopt;
  for (const RepeatedEntry& entry : dropped) {
    if (note)
      note(fmt::format("entry '{}' is written as '{}', which is the same", entry.name,
                       entry.earlier));
  }
  return single;
}

}  // namespace

bool IsStandardInput(const std::string& path) { return path == "-" || path == "/dev/stdin"; }

Result<Model> Session::Read(const std::string& path, const std::optional<std::string>& format,
                            const ReadOptions& options) const {
  if (IsStandardInput(path)) {
    DRAGOMAN_ASSIGN(const TemporaryFolder folder, TemporaryFolder::Create());
    DRAGOMAN_ASSIGN(const std::string file, SaveStandardInput(folder));
    Result<Model> model = Read(file, format, options);
    if (model.ok()) return model;
    for (Finding& finding : model.error().findings()) finding.file = "standard input";
    return model;
  }
  Result<const Format*> chosen =
      format ? FormatByName(formats, *format) : FormatOfInput(formats, path);
  if (!chosen.ok()) return std::move(chosen).error().InFile(path);
  const auto progress = Show("reading " + path);
  *file_bytes += BytesAt(path);
  SizeBudget budget = Budget();
  const SizeBudgetScope scope(budget);
  Result<Model> model = ReadAndVerify(path, **chosen, options);
  if (!model.ok()) return std::move(model).error().InFile(path);
  Status status = CheckSharedElements(*model, Budget());
  if (!status.ok()) return std::move(status).error().InFile(path);
  return model;
}

Result<Model> Session::ReadBytes(std::span<const std::byte> bytes,
                                 const std::optional<std::string>& format,
                                 const ReadOptions& options) const {
  DRAGOMAN_ASSIGN(const TemporaryFolder folder, TemporaryFolder::Create());
  const std::string path = (folder.path() / "model").string();
  DRAGOMAN_TRY(WriteFile(path, bytes));
  Result<Model> model = Read(path, format, options);
  if (model.ok()) return model;
  for (Finding& finding : model.error().findings()) {
    if (finding.file == path) finding.file.clear();
  }
  return model;
}

Session Session::WithoutRules() const {
  Session plain = *this;
  plain.rules = nullptr;
  return plain;
}

Status Session::ApplyRules(Model& model) const {
  if (rules == nullptr) return {};
  const RuleOptions options{.explain = explain, .found = report_rule};
  DRAGOMAN_ASSIGN(const bool changed, RunRules(model, *rules, options));
  return changed && model.level == Level::kCommon ? InferModel(model) : Status();
}

Result<Model> Session::Lower(const Model& source, const Facts& facts, const Note& note) const {
  if (rules == nullptr) return LowerAsItIs(source, facts, note);
  std::optional<Model> rewritten;
  if (source.level == Level::kSource) {
    rewritten = Clone(source);
    DRAGOMAN_TRY(ApplyRules(*rewritten));
  }
  DRAGOMAN_ASSIGN(Model common, LowerAsItIs(rewritten ? *rewritten : source, facts, note));
  DRAGOMAN_TRY(ApplyRules(common));
  return common;
}

Result<Model> Session::LowerAsItIs(const Model& source, const Facts& typed,
                                   const Note& note) const {
  const Facts facts = NamesIn(source, typed);
  const Format* format = FormatOfModel(formats, source);
  DRAGOMAN_TRY(CheckDims(source, facts, format != nullptr && format->calls != nullptr));
  const auto progress = Show("lowering");
  SizeBudget budget = Budget();
  const SizeBudgetScope scope(budget);
  if (source.level == Level::kCommon) return ApplyFactsToModel(source, facts);
  if (format == nullptr || format->lower == nullptr)
    return Unsupported("models of dialect " + source.dialect + " cannot be lowered");
  std::vector<std::string> stated;
  for (const ShapeFact& fact : facts.shapes) stated.push_back(fact.input);
  const std::optional<Model> given =
      format->calls == nullptr ? WithoutDefaults(source, stated) : std::nullopt;
  DRAGOMAN_ASSIGN(Model common, format->lower(given ? *given : source, facts, note));
  // Each call of a function has the constants of its body.
  DRAGOMAN_TRY(CheckSharedElements(common, Budget()));
  return common;
}

Result<std::optional<Model>> Session::Cut(const Model& source,
                                          const std::vector<std::string>& given_inputs,
                                          const std::vector<std::string>& given_outputs,
                                          Facts& facts, const Note& note) const {
  if (given_inputs.empty() && given_outputs.empty()) return std::optional<Model>();
  const std::vector<std::string> inputs = NamesIn(source, given_inputs);
  const std::vector<std::string> outputs = NamesIn(source, given_outputs);
  const Format* format = FormatOfModel(formats, source);
  if (format != nullptr && format->cut != nullptr) {
    Model piece = Clone(source);
    DRAGOMAN_TRY(format->cut(piece, inputs, outputs));
    return std::optional<Model>(std::move(piece));
  }
  DRAGOMAN_ASSIGN(Model model, Lower(source, facts, note));
  DRAGOMAN_TRY(CutModel(model, inputs, outputs));
  facts = {.entry = facts.entry};
  return std::optional<Model>(std::move(model));
}

Result<Model> Session::ToCommon(const Model& source, const LoweringOptions& options) const {
  Status refused;
  const Note note = [&](std::string_view message) {
    const Status status = Warn({ErrorKind::kUnsupported, {}, {}, std::string(message)});
    if (!status.ok()) refused = status;
  };
  Facts facts = options.facts;
  DRAGOMAN_ASSIGN(std::optional<Model> piece,
                  Cut(source, options.cut_inputs, options.cut_outputs, facts, note));
  DRAGOMAN_TRY(std::move(refused));
  const Model& whole = piece ? *piece : source;
  if (options.batch) {
    BatchReport report;
    DRAGOMAN_ASSIGN(piece, LowerForBatch(*this, whole, facts, *options.batch, note, report));
    if (options.tell_batch) options.tell_batch(report);
  } else if (whole.level != Level::kCommon || !piece) {
    DRAGOMAN_ASSIGN(piece, LowerForSizes(*this, whole, facts, note));
  }
  DRAGOMAN_TRY(std::move(refused));
  DRAGOMAN_TRY(Rewrite(*piece, options.passes));
  return *std::move(piece);
}

Status Session::Rewrite(Model& model, const std::string& passes) const {
  const auto progress = Show("rewriting");
  return RunPipeline(model, Pipeline(passes));
}

PipelineOptions Session::Pipeline(std::string passes) const {
  PipelineOptions pipeline;
  pipeline.passes = std::move(passes);
  pipeline.explain = explain;
  pipeline.restores_names = true;
  pipeline.after_pass = after_pass;
  pipeline.max_runs = max_pass_runs;
  pipeline.verify_each = pipeline.verify_each || verify_each_pass;
  pipeline.warn = [sink = warn](std::string_view message) {
    if (sink) sink({ErrorKind::kInternal, {}, {}, std::string(message)});
  };
  return pipeline;
}

Result<DiffReport> Session::Diff(const Model& a, const Model& b, CompareOptions options,
                                 DiffTrace* trace) const {
  std::vector<std::string_view> ordered;
  for (const Format& format : formats)
    ordered.insert(ordered.end(), format.ordered.begin(), format.ordered.end());
  options.ordered_dialects = ordered;
  const auto progress = Show("comparing");
  return DiffModels(a, b, options, trace);
}

Status Session::Write(const Model& model, const std::string& path, const Format& format,
                      WriteOptions options) const {
  const auto progress = Show("writing " + path);
  options.strict = strict;
  options.warn = [&](std::string_view message) {
    if (warn) warn({ErrorKind::kUnsupported, path, {}, std::string(message)});
  };
  DRAGOMAN_TRY(CheckWriteOptions(format, options));
  const std::optional<Model> shorter = WithoutRepeatedEntries(model, format, options.warn);
  OutputGroup files;
  Status status = format.write != nullptr ? format.write(shorter ? *shorter : model, path, options)
                                          : CannotBe(format, "written");
  if (status.ok()) status = files.Commit();
  if (status.ok()) return status;
  for (Finding& finding : status.error().findings()) {
    // A finding with a place is about the model, which the caller names.
    if (finding.file.empty() && finding.place.empty()) finding.file = path;
  }
  return status;
}

Result<std::string> Session::Print(const Model& model, const Format& format,
                                   WriteOptions options) const {
  DRAGOMAN_TRY(CheckWriteOptions(format, options));
  options.strict = strict;
  const std::optional<Model> shorter = WithoutRepeatedEntries(model, format, options.warn);
  if (format.print != nullptr) return format.print(shorter ? *shorter : model, options);
  return InvalidInput("format " + std::string(format.name) + " has no text form to print");
}

Status Session::Generate(const Model& common, const std::string& folder,
                         const std::string& name) const {
  CodegenOptions options;
  options.name = name;
  return Generate(common, folder, options);
}

Status Session::Generate(const Model& common, const std::string& folder,
                         const CodegenOptions& options) const {
  const auto progress = Show("generating the program");
  DRAGOMAN_ASSIGN(const GeneratedProgram program, GenerateCpp(common, options));
  for (const std::string& left_out : program.plan.left_out)
    DRAGOMAN_TRY(Warn({ErrorKind::kUnsupported, {}, {}, left_out}));
  return WriteProgram(program, folder);
}

Status Session::Warn(Finding warning) const {
  if (strict) return Error(std::move(warning));
  if (warn) warn(warning);
  return {};
}

SizeBudget Session::Budget() const {
  return SizeBudget(expand_limit.value_or(SizeBudget::LimitOf(*file_bytes)));
}

std::unique_ptr<Progress> Session::Show(std::string what) const {
  return shows_progress ? std::make_unique<Progress>(std::move(what)) : nullptr;
}

Status CheckEntry(const Model& source, const Facts& facts) {
  if (!facts.entry || source.FindEntry(NameIn(source, *facts.entry)) != nullptr) return {};
  return NoEntry(source, *facts.entry);
}

const Entry& ChosenEntry(const Model& source, const Facts& facts) {
  const Entry* chosen = facts.entry ? source.FindEntry(NameIn(source, *facts.entry)) : nullptr;
  return chosen != nullptr ? *chosen : source.entries.front();
}

std::size_t CountAbsentWeights(const Model& model) {
  std::size_t count = 0;
  ForEachGraph(model, [&](const Graph& graph) {
    count += static_cast<std::size_t>(
        std::count_if(graph.constants().begin(), graph.constants().end(), [](const auto& constant) {
          return constant->tensor() == nullptr && constant->sparse_tensor() == nullptr;
        }));
  });
  return count;
}

}  // namespace dragoman
