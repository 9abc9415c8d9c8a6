// SPDX-License-Identifier: Apache-2.0
#include "driver/formats.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "codegen/relax/write_relax.h"
#include "codegen/relax/write_source.h"
#include "codegen/relay/write_relay.h"
#include "codegen/relay/write_source.h"
#include "core/ir/print.h"
#include "core/support/mapped_file.h"
#include "core/support/nearest_name.h"
#include "core/support/output_file.h"
#include "driver/describe_tensorflow.h"
#include "driver/describe_torchscript.h"
#include "driver/foreign_files.h"
#include "driver/record_calls.h"
#include "driver/run_source.h"
#include "exporters/dot/write_model.h"
#include "exporters/json/write_model.h"
#include "exporters/native/write_model.h"
#include "exporters/onnx/export_onnx.h"
#include "exporters/onnx/write_model.h"
#include "exporters/pt2/export_program.h"
#include "exporters/pt2/write_model.h"
#include "exporters/tensorflow/write_model.h"
#include "exporters/text/write_model.h"
#include "exporters/torch/write_package.h"
#include "importers/json/read_model.h"
#include "importers/native/read_model.h"
#include "importers/onnx/detect.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/missing_data.h"
#include "importers/onnx/ops/domains.h"
#include "importers/onnx/parse_syntax.h"
#include "importers/onnx/read_model.h"
#include "importers/onnx/restore_states.h"
#include "importers/onnx/validate.h"
#include "importers/relax/graph/read_model.h"
#include "importers/relax/lower/composed.h"
#include "importers/relax/lower/lower.h"
#include "importers/relay/graph/read_model.h"
#include "importers/relay/lower/composed.h"
#include "importers/relay/lower/lower.h"
#include "importers/relay/ops/op_table.h"
#include "importers/tensorflow/graph/cut.h"
#include "importers/tensorflow/graph/detect.h"
#include "importers/tensorflow/graph/read_model.h"
#include "importers/tensorflow/lower/lower.h"
#include "importers/tensorflow/ops/op_table.h"
#include "importers/text/read_model.h"
#include "importers/torch/container/archive.h"
#include "importers/torch/export_archive/lower.h"
#include "importers/torch/export_archive/read_model.h"
#include "importers/torch/lower/argument_names.h"
#include "importers/torch/lower/lower.h"
#include "importers/torch/ops/supported.h"
#include "importers/torch/script/read_model.h"
#include "importers/torch/script/traced_inputs.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

Likeness CertainIf(bool recognized) { return recognized ? Likeness::kCertain : Likeness::kNone; }

// --- ONNX

Likeness DetectOnnx(const Candidate& candidate) {
  if (OnnxTextForm(candidate.bytes) || IsOnnxSyntax(candidate.bytes)) return Likeness::kCertain;
  return IsOnnxModel(candidate.bytes) ? Likeness::kLikely : Likeness::kNone;
}

Result<Model> ReadOnnxFile(const std::string& path, const ReadOptions&) {
  return ReadOnnx(path, {.data_folder = {}, .require_data = false});
}

std::vector<SourceOperator> OnnxOperators(std::string_view domain) {
  std::vector<SourceOperator> operators;
  for (std::string_view name : LoweredOperators(domain))
    operators.push_back({std::string(name), {}});
  return operators;
}

WriteOnnxOptions LayoutOf(const WriteOptions& options) {
  WriteOnnxOptions file;
  file.strict = options.strict;
  file.warn = options.warn;
  if (!options.weight_files) return file;
  file.file_each = options.weight_files->each;
  file.data = options.weight_files->least_bytes ? WriteOnnxOptions::Data::kBySize
                                                : WriteOnnxOptions::Data::kInline;
  file.min_external_bytes = options.weight_files->least_bytes.value_or(0);
  return file;
}

Status WriteCommonOnnx(const Model& model, const std::string& path, const WriteOptions& options) {
  ExportOptions target;
  target.opset = options.opset;
  target.kept_opset = options.kept_opset;
  target.lift_state = options.lift_state;
  target.functions = options.functions;
  target.own_domain = options.own_domain;
  target.strict = options.strict;
  target.warn = options.warn;
  target.show = options.show;
  target.file = LayoutOf(options);
  return ExportOnnx(model, path, target);
}

Model DefaultEntry(const Model& model) {
  Model single = Clone(model);
  single.entries.resize(1);
  return single;
}

// An ONNX file has one entry.
Status WriteDefaultEntry(const Model& model, const std::string& path, const WriteOptions& options) {
  std::string left_out;
  for (std::size_t i = 1; i < model.entries.size(); ++i)
    left_out += (i > 1 ? ", " : "") + model.entries[i].name;
  const std::string message = "an ONNX file has one entry; left out: " + left_out;
  if (options.strict) return Unsupported(message);
  if (options.warn) options.warn(message);
  return WriteCommonOnnx(DefaultEntry(model), path, options);
}

Status WriteOnnxFile(const Model& model, const std::string& path, const WriteOptions& options) {
  if (model.level == Level::kSource) return WriteOnnx(model, path, LayoutOf(options));
  if (model.entries.size() > 1) return WriteDefaultEntry(model, path, options);
  return WriteCommonOnnx(model, path, options);
}

Status CheckOnnxFile(const Model& common) {
  if (common.entries.size() > 1) return CheckExport(DefaultEntry(common), {});
  return CheckExport(common, {});
}

// --- TorchScript

Likeness DetectTorchScript(const Candidate& candidate) {
  return CertainIf(torch::IsTorchFile(candidate.bytes) &&
                   !torch::IsExportArchive(candidate.bytes) &&
                   TensorFlowFileKind(candidate.bytes) == TensorFlowFile::kNone);
}

const Type* TracedType(const Value& argument) {
  const Extra* extra = argument.extra_if_any();
  const Attribute* traced = extra != nullptr ? Find(*extra, torch::kTraced) : nullptr;
  return traced != nullptr ? traced->As<Type>() : nullptr;
}

// The first input of a method is its object.
constexpr StructuredCalls kTorchScriptCalls = {
    .first = 1, .canonical = torch::CanonicalInput, .example = TracedType};

std::vector<SourceOperator> TorchOperators(std::string_view dialect) {
  std::vector<SourceOperator> operators;
  for (torch::SupportedOverload& overload :
       torch::SupportedOverloads(dialect == "torchscript" ? "aten" : dialect)) {
    operators.push_back({std::move(overload.name), std::move(overload.schema)});
  }
  return operators;
}

// --- TensorFlow

// What a GraphDef is has no signature, but hardly anything else has its structure.
Likeness DetectTensorFlow(const Candidate& candidate) {
  if (candidate.is_folder) return CertainIf(IsSavedModelFolder(candidate.path));
  const TensorFlowFile kind = TensorFlowFileKind(candidate.bytes);
  if (kind == TensorFlowFile::kNone) return Likeness::kNone;
  return kind >= TensorFlowFile::kChunkedSavedModel ? Likeness::kCertain : Likeness::kLikely;
}

Result<Model> ReadTensorFlowFile(const std::string& path, const ReadOptions& options) {
  return ReadTensorFlow(path, {.tags = options.tags});
}

std::vector<SourceOperator> TensorFlowOperators(std::string_view dialect) {
  std::vector<SourceOperator> operators;
  if (dialect != "tf") return operators;
  for (const std::string_view name : tf::SupportedOperators())
    operators.push_back({std::string(name), {}});
  return operators;
}

Status WriteTensorFlowFile(const Model& model, const std::string& path, const WriteOptions&) {
  return WriteTensorFlow(model, path);
}

// --- TVM

Likeness DetectRelay(const Candidate& candidate) {
  return CertainIf(RelayFileKind(candidate.bytes) != RelayFile::kNone);
}

std::vector<SourceOperator> RelayOperators(std::string_view dialect) {
  std::vector<SourceOperator> operators;
  if (dialect != "relay") return operators;
  for (std::string_view name : relay::OperatorNames()) operators.push_back({std::string(name), {}});
  return operators;
}

// Takes what a writer leaves out: each is a warning or, if that is wanted, an error.
class Omissions {
 public:
  explicit Omissions(const WriteOptions& options) : options_(options) {}

  std::function<void(std::string_view)> Sink() {
    return [this](std::string_view what) { Add(what); };
  }
  const Status& status() const { return status_; }  // the first error

 private:
  void Add(std::string_view what) {
    if (!options_.strict && options_.warn) options_.warn(what);
    if (options_.strict && status_.ok()) status_ = Unsupported(std::string(what));
  }

  const WriteOptions& options_;
  Status status_;
};

Status WriteExportFile(const Model& model, const std::string& path, const WriteOptions& options) {
  if (model.level == Level::kSource) return WriteExportArchive(model, path);
  Omissions omissions(options);
  const std::optional<pt2::Release> release = pt2::ReleaseFromName(options.torch_version);
  if (!release)
    return InvalidInput(fmt::format("no release of PyTorch is known as '{}'; known are {}",
                                    options.torch_version, fmt::join(TorchVersions(), ", ")));
  DRAGOMAN_TRY(ExportProgram(model, path, *release, omissions.Sink()));
  return omissions.status();
}

// Weights and all of a package are new: a source graph is nothing that it could keep.
Status WriteTorchFolder(const Model& model, const std::string& path, const WriteOptions& options) {
  constexpr std::size_t kRecordedCalls = 3;
  Omissions omissions(options);
  Result<std::vector<RecordedCall>> calls = RecordCalls(model, kRecordedCalls);
  if (!calls.ok() && options.warn)
    options.warn("check.safetensors holds no call: " + calls.error().findings().front().message);
  DRAGOMAN_TRY(WriteTorchPackage(model, path, calls.ok() ? *calls : std::vector<RecordedCall>(),
                                 omissions.Sink()));
  return omissions.status();
}

Result<std::string> PrintTorch(const Model& model, const WriteOptions& options) {
  Omissions omissions(options);
  DRAGOMAN_ASSIGN(std::string text, PrintTorchModel(model, omissions.Sink()));
  DRAGOMAN_TRY(omissions.status());
  return text;
}

Status WriteRelayModule(const Model& model, const std::string& path, const WriteOptions& options) {
  if (model.level == Level::kSource && model.dialect == "relay")
    return WriteRelaySource(model, path);
  Omissions omissions(options);
  DRAGOMAN_ASSIGN(const Model module, EmitRelay(model, omissions.Sink(), DigestsOfComposedCalls));
  DRAGOMAN_TRY(omissions.status());
  return WriteRelaySource(module, path);
}

Result<std::string> PrintRelay(const Model& model, const WriteOptions& options) {
  if (model.level == Level::kSource && model.dialect == "relay") return PrintRelaySource(model);
  Omissions omissions(options);
  DRAGOMAN_ASSIGN(const Model module, EmitRelay(model, omissions.Sink(), DigestsOfComposedCalls));
  DRAGOMAN_TRY(omissions.status());
  return PrintRelaySource(module);
}

Status CheckRelay(const Model& common) {
  const Result<Model> module = EmitRelay(common);
  return module.ok() ? Status() : module.error();
}

// "@I.ir_module", "@tvm.script.ir_module" and the like, at the beginning of a line.
Likeness DetectRelax(const Candidate& candidate) {
  const std::string_view head = candidate.Head();
  constexpr std::string_view kDecorator = "ir_module";
  for (std::size_t at = head.find(kDecorator); at != std::string_view::npos;
       at = head.find(kDecorator, at + 1)) {
    const std::string_view line = head.substr(head.rfind('\n', at) + 1);
    if (line.starts_with('@')) return Likeness::kLikely;
  }
  return Likeness::kNone;
}

Result<RelaxOptions> RelaxOptionsOf(const WriteOptions& options) {
  const std::optional<relax::Release> release = relax::ReleaseFromName(options.relax_version);
  if (!release)
    return InvalidInput(fmt::format("no release of TVM is known as '{}'; known are {}",
                                    options.relax_version, fmt::join(RelaxVersions(), ", ")));
  return RelaxOptions{.release = *release, .packed = options.packed, .digests = DigestsOfComposed};
}

Status WriteRelaxModule(const Model& model, const std::string& path, const WriteOptions& options) {
  if (model.level == Level::kSource && model.dialect == "relax")
    return WriteRelaxSource(model, path);
  DRAGOMAN_ASSIGN(const RelaxOptions relax, RelaxOptionsOf(options));
  Omissions omissions(options);
  DRAGOMAN_ASSIGN(const RelaxModule module, EmitRelax(model, relax, omissions.Sink()));
  DRAGOMAN_TRY(omissions.status());
  return WriteRelax(module, path);
}

Result<std::string> PrintRelax(const Model& model, const WriteOptions& options) {
  if (model.level == Level::kSource && model.dialect == "relax") return PrintRelaxSource(model);
  DRAGOMAN_ASSIGN(const RelaxOptions relax, RelaxOptionsOf(options));
  Omissions omissions(options);
  DRAGOMAN_ASSIGN(RelaxModule module, EmitRelax(model, relax, omissions.Sink()));
  DRAGOMAN_TRY(omissions.status());
  return std::move(module.text);
}

std::vector<SourceOperator> RelaxOperators(std::string_view dialect) {
  std::vector<SourceOperator> operators;
  if (dialect != "relax") return operators;
  for (std::string_view name : LoweredRelaxOperators())
    operators.push_back({std::string(name), {}});
  return operators;
}

Status CheckRelax(const Model& common) {
  const Result<RelaxModule> module = EmitRelax(common);
  return module.ok() ? Status() : module.error();
}

// --- Our own

// By its first word: the head of a model, or what a short text begins with. Comments may stand
// before it.
Likeness DetectText(const Candidate& candidate) {
  std::string_view text = candidate.Head();
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto skip_blanks = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  };
  skip_blanks();
  while (text.starts_with('#')) {
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    skip_blanks();
  }
  if (text.starts_with("dragoman ")) return Likeness::kCertain;
  const bool is_short = text.starts_with("graph ") || text.starts_with("entry ");
  return is_short ? Likeness::kLikely : Likeness::kNone;
}

// A message of protobuf may begin with a line feed and a brace too, but JSON is text.
Likeness DetectJson(const Candidate& candidate) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::string_view head = candidate.Head();
  const std::size_t first = head.find_first_not_of(kBlanks);
  const bool is_text = std::ranges::all_of(head, [&](char c) {
    return static_cast<unsigned char>(c) >= ' ' || kBlanks.find(c) != std::string_view::npos;
  });
  return CertainIf(is_text && first != std::string_view::npos && head[first] == '{');
}

Status WriteNativeFile(const Model& model, const std::string& path, const WriteOptions&) {
  return WriteNative(model, path);
}

Status WriteTextFile(const Model& model, const std::string& path, const WriteOptions&) {
  return WriteText(model, path);
}

Status WriteJsonFile(const Model& model, const std::string& path, const WriteOptions&) {
  DRAGOMAN_ASSIGN(const std::string text, WriteJsonText(model));
  return WriteFile(path, text);
}

Status WriteDotFile(const Model& model, const std::string& path, const WriteOptions&) {
  return WriteFile(path, PrintDot(model));
}

std::vector<Format> MakeFormats() {
  return {
      {.name = "onnx",
       .suffixes = {".onnx", ".textproto", ".onnxjson", ".onnxtxt"},
       .what = "ONNX, any operator set; also in ONNX's text, protobuf's text format or JSON",
       .detect = DetectOnnx,
       .read = ReadOnnxFile,
       .reader_verifies = true,
       .dialect = "onnx",
       .lower = LowerOnnx,
       .validate = ValidateOnnx,
       .missing_files = MissingFiles,
       .changes_inputs = RecordsStates,
       .operators = OnnxOperators,
       .write = WriteOnnxFile,
       .check = CheckOnnxFile,
       .support = OnnxSupport},
      {.name = "torchscript",
       .suffixes = {".pt"},
       .what = "TorchScript archive",
       .detect = DetectTorchScript,
       .read = [](const std::string& path,
                  const ReadOptions&) { return ReadTorchScript(path, RunTorchSource); },
       .dialect = "torchscript",
       .ordered = {"aten", "prim"},
       .lower = LowerTorchScript,
       .calls = &kTorchScriptCalls,
       .describe = DescribeTorchScript,
       .describes_at_length = true,
       .operators = TorchOperators},
      {.name = "pt2",
       .suffixes = {".pt2"},
       .what = "torch.export archive",
       .detect = [](const Candidate& c) { return CertainIf(torch::IsExportArchive(c.bytes)); },
       .read = [](const std::string& path, const ReadOptions&) { return ReadExportArchive(path); },
       .dialect = "pt2",
       .ordered = {"aten", "higher_order"},
       .lower = LowerExportArchive,
       .write = WriteExportFile,
       .check = CheckExportProgram,
       .support = ExportProgramSupport},
      {.name = "torch",
       .suffixes = {"_torch"},
       .what = "Python package for PyTorch: modules, weights in safetensors",
       .write = WriteTorchFolder,  // it has what pt2 has, which is the target that answers for both
       .print = PrintTorch,
       .passes = "default,-fold-batch-normalization"},
      {.name = "tf",
       .suffixes = {".pb", ".pbtxt", ".meta"},
       .what = "TensorFlow GraphDef, MetaGraphDef or SavedModel",
       .detect = DetectTensorFlow,
       .read = ReadTensorFlowFile,
       .has_tagged_graphs = true,
       .dialect = "tf",
       .lower = LowerTensorFlow,
       .cut = CutTensorFlow,
       .describe = DescribeTensorFlow,
       .operators = TensorFlowOperators,
       .write = WriteTensorFlowFile},
      {.name = "relay",
       .suffixes = {".relay"},
       .what = "TVM Relay text, parameters beside it in .params",
       .detect = DetectRelay,
       .read = [](const std::string& path, const ReadOptions&) { return ReadRelay(path); },
       .dialect = "relay",
       .lower = LowerRelay,
       .operators = RelayOperators,
       .write = WriteRelayModule,
       .print = PrintRelay,
       .check = CheckRelay,
       .support = RelaySupport},
      {.name = "relax",
       .suffixes = {".py"},
       .what = "TVM Relax module, weights beside it in .npz",
       .detect = DetectRelax,
       .read = [](const std::string& path, const ReadOptions&) { return ReadRelax(path); },
       .dialect = "relax",
       .lower = LowerRelax,
       .changes_inputs = RelaxChangesInputs,
       .operators = RelaxOperators,
       .write = WriteRelaxModule,
       .print = PrintRelax,
       .check = CheckRelax,
       .support = RelaxSupport},
      {.name = "dragoman",
       .suffixes = {".dgm"},
       .what = "our own container, lossless",
       .is_container = true,
       .detect = [](const Candidate& c) { return CertainIf(IsNative(c.bytes)); },
       .read = [](const std::string& path, const ReadOptions&) { return ReadNative(path); },
       .write = WriteNativeFile},
      {.name = "text",
       .suffixes = {".dgt"},
       .what = "graph text, lossless, to read and edit",
       .is_container = true,
       .detect = DetectText,
       .read = [](const std::string& path, const ReadOptions&) { return ReadText(path); },
       .locate = LocateInText,
       .write = WriteTextFile,
       .print = [](const Model& model, const WriteOptions&) -> Result<std::string> {
         return PrintText(model);
       }},
      {.name = "json",
       .suffixes = {".json"},
       .what = "our own container as JSON, lossless",
       .is_container = true,
       .detect = DetectJson,
       .read = [](const std::string& path, const ReadOptions&) { return ReadJson(path); },
       .write = WriteJsonFile,
       .print = [](const Model& model, const WriteOptions&) { return WriteJsonText(model); }},
      {.name = "dot",
       .suffixes = {".dot"},
       .what = "Graphviz, to look at",
       .is_container = true,
       .write = WriteDotFile,
       .print = [](const Model& model, const WriteOptions&) -> Result<std::string> {
         return PrintDot(model);
       }},
  };
}

const Format* BySuffix(Formats formats, const std::string& path) {
  const fs::path whole(path);
  const std::string file =  // of a folder without its slash
      (whole.has_filename() ? whole : whole.parent_path()).filename().string();
  for (const Format& format : formats) {
    for (std::string_view suffix : format.suffixes) {
      if (file.size() > suffix.size() && file.ends_with(suffix)) return &format;
    }
  }
  return nullptr;
}

const Format* ByContent(Formats formats, const Candidate& candidate) {
  const Format* likely = nullptr;
  for (const Format& format : formats) {
    if (format.detect == nullptr) continue;
    const Likeness likeness = format.detect(candidate);
    if (likeness == Likeness::kCertain) return &format;
    if (likeness == Likeness::kLikely && likely == nullptr) likely = &format;
  }
  return likely;
}

}  // namespace

std::vector<std::string> RelaxVersions() { return relax::ReleaseNames(); }
std::vector<std::string> TorchVersions() { return pt2::ReleaseNames(); }

std::string_view Candidate::Head() const {
  constexpr std::size_t kEnough = 4096;
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kEnough)};
}

bool Candidate::Holds(std::string_view name) const {
  std::error_code ignored;
  return is_folder && fs::exists(fs::path(path) / name, ignored);
}

const std::vector<Format>& BuiltInFormats() {
  static const std::vector<Format> formats = MakeFormats();
  return formats;
}

Result<const Format*> FormatByName(Formats formats, std::string_view name) {
  std::vector<std::string> names;
  for (const Format& format : formats) {
    if (name == format.name) return &format;
    names.emplace_back(format.name);
  }
  return InvalidInput("there is no format '" + std::string(name) + "'" +
                      WhatThereIs(name, "formats are", names));
}

Result<const Format*> FormatOfOutput(Formats formats, const std::string& path) {
  if (const Format* format = BySuffix(formats, path)) return format;
  return InvalidInput("unknown suffix; name the format with --to").InFile(path);
}

Result<const Format*> FormatOfInput(Formats formats, const std::string& path) {
  Candidate candidate = {.path = path};
  std::error_code ignored;
  candidate.is_folder = fs::is_directory(path, ignored);
  std::shared_ptr<const MappedFile> file;
  if (!candidate.is_folder) {
    DRAGOMAN_ASSIGN(file, MappedFile::Open(path));
    candidate.bytes = file->bytes();
    if (candidate.bytes.empty())
      return InvalidInput("is empty; expected a model").At("byte 0").InFile(path);
  }
  const Format* const format = ByContent(formats, candidate);
  if (std::optional<Error> foreign = RecognizeForeignContent(candidate))
    return std::move(*foreign).InFile(path);
  if (format != nullptr) return format;
  if (std::optional<Error> foreign = RecognizeForeignName(candidate))
    return std::move(*foreign).InFile(path);
  if (candidate.is_folder)
    return InvalidInput("is a folder, and no SavedModel; expected a model file").InFile(path);
  if (const Format* by_suffix = BySuffix(formats, path)) return by_suffix;
  return InvalidInput("neither content nor suffix determine the format; name it with --from")
      .InFile(path);
}

const Format* FormatOfModel(Formats formats, const Model& source) {
  if (source.level != Level::kSource) return nullptr;
  for (const Format& format : formats) {
    if (!format.dialect.empty() && format.dialect == source.dialect) return &format;
  }
  return nullptr;
}

}  // namespace dragoman
