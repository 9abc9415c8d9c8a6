#include "cli/model_io.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "codegen/relax/write_relax.h"
#include "core/ir/for_each_value.h"
#include "core/ir/print.h"
#include "core/ir/type_algebra.h"
#include "core/ir/verify.h"
#include "core/rewrite/apply_facts.h"
#include "core/rewrite/cut.h"
#include "core/rewrite/pipeline.h"
#include "core/support/output_file.h"
#include "core/support/progress.h"
#include "core/support/text.h"
#include "exporters/dot/write_model.h"
#include "exporters/json/write_model.h"
#include "exporters/native/write_model.h"
#include "exporters/onnx/export_onnx.h"
#include "exporters/onnx/write_model.h"
#include "exporters/text/write_model.h"
#include "importers/json/read_model.h"
#include "importers/native/read_model.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/read_model.h"
#include "importers/text/read_model.h"
#include "importers/torch/lower/lower.h"
#include "importers/torch/script/read_model.h"

namespace dragoman::cli {
namespace {

Result<Model> Read(const std::string& path, Format format) {
  switch (format) {
    case Format::kOnnx:
      return ReadOnnx(path, {.data_folder = {}, .require_data = false});
    case Format::kTorchScript:
      return ReadTorchScript(path);
    case Format::kDragoman:
      return ReadNative(path);
    case Format::kText:
      return ReadText(path);
    case Format::kJson:
      return ReadJson(path);
    default:
      return Unsupported("files of format " + std::string(Info(format).name) + " cannot be read");
  }
}

// A text for standard output. Errors: the format has no text form.
Result<std::string> ToText(const Model& model, Format format) {
  switch (format) {
    case Format::kText:
      return PrintText(model);
    case Format::kJson:
      return WriteJsonText(model);
    case Format::kDot:
      return PrintDot(model);
    case Format::kRelax: {
      DRAGOMAN_ASSIGN(RelaxModule module, EmitRelax(model));
      return module.text;
    }
    default:
      return InvalidInput("format " + std::string(Info(format).name) +
                          " has no text form to print");
  }
}

Status Write(const Model& model, const std::string& path, Format format,
             const SaveOptions& options) {
  switch (format) {
    case Format::kOnnx: {
      if (model.level == Level::kSource) return WriteOnnx(model, path);
      ExportOptions target;
      target.opset = options.opset;
      target.lift_state = options.lift_state;
      target.strict = options.common.strict;
      target.warn = [&](std::string_view message) { Warn(options.common, path, message); };
      return ExportOnnx(model, path, target);
    }
    case Format::kRelax:
      return WriteRelax(model, path,
                        [&](std::string_view left_out) { Warn(options.common, path, left_out); });
    case Format::kDragoman:
      return WriteNative(model, path);
    case Format::kText:
      return WriteText(model, path);
    case Format::kJson:
    case Format::kDot: {
      DRAGOMAN_ASSIGN(std::string text, ToText(model, format));
      return WriteFile(path, text);
    }
    default:
      return Unsupported("files of format " + std::string(Info(format).name) +
                         " cannot be written");
  }
}

// An ONNX file has one entry.
Status WriteDefaultEntry(const Model& model, const std::string& path, const SaveOptions& options) {
  std::string left_out;
  for (std::size_t i = 1; i < model.entries.size(); ++i)
    left_out += (i > 1 ? ", " : "") + model.entries[i].name;
  const std::string message = "an ONNX file has one entry; left out: " + left_out;
  if (options.common.strict) return Unsupported(message);
  Warn(options.common, path, message);
  Model single = Clone(model);
  single.entries.resize(1);
  return Write(single, path, Format::kOnnx, options);
}

// Symbols that lowering makes for sizes of an argument that are not stated: "x_0", "x_1", …
bool NamesSizeOfArgument(const Model& source, std::string_view symbol) {
  const std::size_t end = symbol.rfind('_');
  if (source.dialect != "torchscript" || end == std::string_view::npos) return false;
  const std::string_view path = symbol.substr(0, end);
  for (const Entry& entry : source.entries) {
    for (const auto& input : entry.graph->inputs()) {
      if (path.starts_with(Identifier(input->name()))) return true;
    }
  }
  return false;
}

// Errors: a --dim whose symbol no size has.
Status CheckDims(const Model& source, const Facts& facts) {
  if (facts.dims.empty()) return {};
  std::set<std::string> symbols;
  ForEachGraph(source, [&](const Graph& graph) {
    ForEachValue(graph, [&](const Value& value) { AddSymbols(value.type(), symbols); });
  });
  for (const ShapeFact& fact : facts.shapes) {
    for (const std::optional<Dim>& dim : fact.dims) {
      for (std::string& symbol : dim.value_or(Dim()).Symbols()) symbols.insert(std::move(symbol));
    }
  }
  for (const auto& [symbol, size] : facts.dims) {
    if (symbols.contains(symbol) || NamesSizeOfArgument(source, symbol)) continue;
    std::string message = "--dim " + symbol + ": no size is called so; ";
    message += symbols.empty() ? "there are no symbols" : "symbols are";
    for (const std::string& known : symbols) message += " '" + known + "'";
    return InvalidInput(std::move(message));
  }
  return {};
}

}  // namespace

Result<Model> LoadModel(const std::string& path, const std::optional<std::string>& from) {
  Result<Format> format = from ? FormatByName(*from) : FormatOfInput(path);
  if (!format.ok()) return std::move(format).error().InFile(path);
  const Progress progress("reading " + path);
  Result<Model> model = Read(path, *format);
  if (!model.ok()) return std::move(model).error().InFile(path);
  if (*format != Format::kOnnx) {
    // Our own containers can be edited by hand.
    if (Status status = Verify(*model); !status.ok()) {
      Error error = std::move(status).error();
      for (Finding& finding : error.findings()) finding.kind = ErrorKind::kInvalidInput;
      return std::move(error).InFile(path);
    }
  }
  return model;
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

Result<Facts> ParseFacts(const LoweringOptions& options) {
  Facts facts;
  for (const std::string& text : options.shapes) {
    DRAGOMAN_ASSIGN(ShapeFact fact, ParseShapeFact(text));
    facts.shapes.push_back(std::move(fact));
  }
  for (const std::string& text : options.dims) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return InvalidInput("--dim " + text + " is not SYMBOL=SIZE");
    Result<Dim> dim = ParseDim(text.substr(equals + 1));
    if (!dim.ok() || (dim->known() && dim->value() < 0))
      return InvalidInput("--dim " + text + ": not a size");
    facts.dims.insert_or_assign(text.substr(0, equals), std::move(*dim));
  }
  facts.entry = options.entry;
  return facts;
}

const Entry& ChosenEntry(const Model& source, const Facts& facts) {
  const Entry* chosen = facts.entry ? source.FindEntry(*facts.entry) : nullptr;
  return chosen != nullptr ? *chosen : source.entries.front();
}

Result<Model> Lower(const Model& source, const Facts& facts,
                    const std::function<void(std::string_view)>& note) {
  DRAGOMAN_TRY(CheckDims(source, facts));
  const Progress progress("lowering");
  if (source.level == Level::kCommon) return ApplyFactsToModel(source, facts);
  if (source.dialect == "onnx") return LowerOnnx(source, facts, note);
  if (source.dialect == "torchscript") return LowerTorchScript(source, facts, note);
  return Unsupported("models of dialect " + source.dialect + " cannot be lowered");
}

PipelineOptions PipelineOf(const LoweringOptions& options, const CommonOptions& common) {
  PipelineOptions pipeline;
  pipeline.passes = options.passes.value_or("default");
  if (common.explain) pipeline.explain = Say;
  pipeline.warn = [&common](std::string_view message) { Warn(common, "", message); };
  return pipeline;
}

Result<Model> ToCommon(const Model& source, const LoweringOptions& options,
                       const CommonOptions& common) {
  DRAGOMAN_ASSIGN(Facts facts, ParseFacts(options));
  return ToCommon(source, facts, options, common);
}

Result<Model> ToCommon(const Model& source, const Facts& facts, const LoweringOptions& options,
                       const CommonOptions& common) {
  Status strict;
  const auto note = [&](std::string_view message) {
    if (common.strict) strict = Unsupported(std::string(message));
    Warn(common, "", message);
  };
  DRAGOMAN_ASSIGN(Model model, Lower(source, facts, note));
  DRAGOMAN_TRY(std::move(strict));
  if (options.has_cut()) DRAGOMAN_TRY(CutModel(model, options.cut_inputs, options.cut_outputs));
  const Progress progress("rewriting");
  DRAGOMAN_TRY(RunPipeline(model, PipelineOf(options, common)));
  return model;
}

Status SaveModel(const Model& model, const std::string& path, Format format,
                 const SaveOptions& options) {
  if (path == "-") {
    DRAGOMAN_ASSIGN(std::string text, ToText(model, format));
    fmt::print("{}", text);
    return {};
  }
  const Progress progress("writing " + path);
  Status status =
      format == Format::kOnnx && model.level == Level::kCommon && model.entries.size() > 1
          ? WriteDefaultEntry(model, path, options)
          : Write(model, path, format, options);
  if (status.ok()) return status;
  for (Finding& finding : status.error().findings()) {
    // A finding with a place is about the model, which the caller names.
    if (finding.file.empty() && finding.place.empty()) finding.file = path;
  }
  return status;
}

}  // namespace dragoman::cli
