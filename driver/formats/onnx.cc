// SPDX-License-Identifier: Apache-2.0
#include "driver/formats/rows.h"

#include <filesystem>

#include <fmt/format.h>

#include "codegen/relax/write_npz.h"
#include "core/support/text.h"
#include "exporters/onnx/export_onnx.h"
#include "exporters/onnx/lower_opset.h"
#include "exporters/onnx/write_model.h"
#include "importers/onnx/detect.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/missing_data.h"
#include "importers/onnx/ops/domains.h"
#include "importers/onnx/parse_syntax.h"
#include "importers/onnx/read_model.h"
#include "importers/onnx/restore_states.h"
#include "importers/onnx/validate.h"

namespace dragoman {
namespace {

Likeness DetectOnnx(const Candidate& candidate) {
  if (OnnxTextForm(candidate.bytes) || IsOnnxSyntax(candidate.bytes)) return Likeness::kCertain;
  return IsOnnxModel(candidate.bytes) ? Likeness::kLikely : Likeness::kNone;
}

Result<Model> ReadOnnxFile(const std::string& path, const ReadOptions&) {
  return ReadOnnx(path, {.data_folder = {}, .require_data = false});
}

std::vector<std::string> DataFilesOf(const std::string& path) {
  const Result<Model> model = ReadOnnxFile(path, {});
  std::vector<std::string> files = model.ok() ? DataFiles(*model) : std::vector<std::string>();
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (std::string& file : files) file = (folder / file).string();
  return files;
}

Result<WriteOnnxOptions> LayoutOf(const WriteOptions& options) {
  WriteOnnxOptions file;
  file.strict = options.strict;
  file.warn = options.warn;
  if (options.data_files && options.external_data.value_or("none") == "none")
    return InvalidInput("--data-files needs --external-data BYTES, which chooses the weights");
  if (!options.external_data) return file;
  file.file_each = options.data_files == "each";
  file.data = WriteOnnxOptions::Data::kInline;
  if (*options.external_data == "none") return file;
  file.data = WriteOnnxOptions::Data::kBySize;
  const std::optional<std::uint64_t> bytes = ParseUint64(*options.external_data);
  if (!bytes)
    return InvalidInput("--external-data takes a number of bytes or none, not " +
                        Quote(*options.external_data));
  file.min_external_bytes = *bytes;
  return file;
}

// The first values of states that are inputs of the file, beside it and by the names of these, as
// `run --inputs` takes them.
Status WriteFirstValues(const Model& model, const std::string& path, const WriteOptions& options) {
  Omissions omissions(options);
  std::vector<std::pair<std::string, Tensor>> values;
  for (const StateBinding& binding : model.entries.front().states) {
    const Tensor* value = model.states[binding.state].initial.tensor();
    const std::string& input = model.main().input(binding.input)->name();
    if (value != nullptr) {
      values.emplace_back(input, *value);
    } else {
      omissions.Sink()("left out: the first value of input '" + input + "', which is not a tensor");
    }
  }
  DRAGOMAN_TRY(omissions.status());
  if (values.empty()) return {};
  return WriteNpz(std::filesystem::path(path).replace_extension(".states.npz").string(), values);
}

Status WriteCommonOnnx(const Model& model, const std::string& path, const WriteOptions& options) {
  ExportOptions target;
  target.opset = options.opset;
  target.kept_opset = options.kept_opset;
  target.lift_state = options.state == "lift";
  target.functions = options.functions;
  target.own_domain = options.allowed_domain.has_value();
  target.strict = options.strict;
  target.warn = options.warn;
  target.show = options.show;
  DRAGOMAN_ASSIGN(target.file, LayoutOf(options));
  DRAGOMAN_TRY(ExportOnnx(model, path, target));
  return target.lift_state ? WriteFirstValues(model, path, options) : Status();
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
  if (model.level == Level::kSource) {
    DRAGOMAN_ASSIGN(const WriteOnnxOptions layout, LayoutOf(options));
    return WriteOnnx(model, path, layout);
  }
  if (model.entries.size() > 1) return WriteDefaultEntry(model, path, options);
  return WriteCommonOnnx(model, path, options);
}

Status CheckOnnxFile(const Model& common) {
  if (common.entries.size() > 1) return CheckExport(DefaultEntry(common), {});
  return CheckExport(common, {});
}

std::vector<WriteOption> Options() {
  return {
      {.name = "--state",
       .value = &WriteOptions::state,
       .what = "keep (default): record which outputs feed which inputs; lift: do not, and write "
               "what they begin with to OUT.states.npz",
       .one_of = {"keep", "lift"},
       .lowers = true},
      {.name = "--opset",
       .value = &WriteOptions::opset,
       .what = fmt::format("Operator set of an ONNX file written from a lowered graph: {} to {}; "
                           "default: that of an ONNX file, else the lowest from {} on that has "
                           "all operators",
                           kMinExportOpset, kMaxExportOpset, kUsualOpset),
       .range = {{kMinExportOpset, kMaxExportOpset}},
       .lowers = true},
      {.name = "--functions",
       .value = &WriteOptions::functions,
       .what = "Write fused groups as model-local functions of an ONNX file, not in line",
       .lowers = true},
      {.name = "--allow-domain",
       .value = &WriteOptions::allowed_domain,
       .what = "dragoman: write what ONNX lacks as operators that only Dragoman runs",
       .one_of = {"dragoman"}},
      {.name = "--external-data",
       .value = &WriteOptions::external_data,
       .what = "Weights of so many bytes or more go to a data file beside an ONNX file, all others "
               "into it; none: all; default: as in MODEL",
       .placeholder = "BYTES|none"},
      {.name = "--data-files",
       .value = &WriteOptions::data_files,
       .what = "one: OUT.data for all weights of --external-data (default); each: one for each",
       .one_of = {"one", "each"}},
  };
}

}  // namespace

Format OnnxFormat() {
  return {
      .name = "onnx",
      .suffixes = {".onnx", ".textproto", ".onnxjson", ".onnxtxt"},
      .what = "ONNX, any operator set; also in ONNX's text, protobuf's text format or JSON",
      .detect = DetectOnnx,
      .read = ReadOnnxFile,
      .reader_verifies = true,
      .dialect = "onnx",
      .lower = LowerOnnx,
      .validate = ValidateOnnx,
      .missing_files = MissingFiles,
      .data_files = DataFilesOf,
      .changes_inputs = RecordsStates,
      .vocabularies = {"onnx", "ai.onnx.ml", "com.microsoft", "ai.onnx", "ai.onnx.preview.training",
                       "ai.onnx.contrib"},
      .operators = [](std::string_view domain) { return OperatorsNamed(LoweredOperators(domain)); },
      .options = Options(),
      .write = WriteOnnxFile,
      .check = CheckOnnxFile,
      .support = OnnxSupport,
      .names = kAllNames,
      .keeps_metadata = true};
}

}  // namespace dragoman
