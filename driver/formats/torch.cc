// SPDX-License-Identifier: Apache-2.0
#include "driver/formats/rows.h"

#include "core/ir/find_as.h"
#include "driver/describe_torchscript.h"
#include "driver/record_calls.h"
#include "driver/run_source.h"
#include "exporters/pt2/export_program.h"
#include "exporters/pt2/write_model.h"
#include "exporters/torch/write_package.h"
#include "importers/tensorflow/graph/detect.h"
#include "importers/torch/container/archive.h"
#include "importers/torch/export_archive/composed.h"
#include "importers/torch/export_archive/lower.h"
#include "importers/torch/export_archive/read_model.h"
#include "importers/torch/lower/argument_names.h"
#include "importers/torch/lower/lower.h"
#include "importers/torch/ops/supported.h"
#include "importers/torch/script/read_model.h"
#include "importers/torch/script/traced_inputs.h"

namespace dragoman {
namespace {

Likeness DetectTorchScript(const Candidate& candidate) {
  return CertainIf(torch::IsTorchFile(candidate.bytes) &&
                   !torch::IsExportArchive(candidate.bytes) &&
                   TensorFlowFileKind(candidate.bytes) == TensorFlowFile::kNone);
}

const Type* TracedType(const Value& argument) {
  return FindAs<Type>(argument.extra_if_any(), torch::kTraced);
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
  for (std::string& name : TorchControlOperators()) {
    if (name.starts_with(std::string(dialect) + ".")) operators.push_back({std::move(name), ""});
  }
  return operators;
}

Status WriteExportFile(const Model& model, const std::string& path, const WriteOptions& options) {
  if (model.level == Level::kSource) return WriteExportArchive(model, path);
  Omissions omissions(options);
  const std::string version = options.torch_version.value_or("latest");
  DRAGOMAN_TRY(ExportProgram(model, path, *pt2::ReleaseFromName(version), omissions.Sink(),
                             torch::DigestsOfRemarks));
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

}  // namespace

Format TorchScriptFormat() {
  return {.name = "torchscript",
          .suffixes = {".pt"},
          .what = "TorchScript archive",
          .detect = DetectTorchScript,
          .read = [](const std::string& path,
                     const ReadOptions&) { return ReadTorchScript(path, RunTorchSource); },
          .dialect = "torchscript",
          .instead = "; PyTorch loads a .pt2, or the modules that --to torch writes",
          .ordered = {"aten", "prim"},
          .lower = LowerTorchScript,
          .calls = &kTorchScriptCalls,
          .describe = DescribeTorchScript,
          .describes_at_length = true,
          .vocabularies = {"aten", "prim", "torchaudio", "torchvision", "torchscript", "prims",
                           "quantized", "quantized_decomposed", "torchao", "transformers"},
          .operators = TorchOperators};
}

Format ExportArchiveFormat() {
  return {
      .name = "pt2",
      .suffixes = {".pt2"},
      .what = "torch.export archive",
      .detect = [](const Candidate& c) { return CertainIf(torch::IsExportArchive(c.bytes)); },
      .read = [](const std::string& path, const ReadOptions&) { return ReadExportArchive(path); },
      .dialect = "pt2",
      .ordered = {"aten", "higher_order"},
      .lower = LowerExportArchive,
      .options = {{.name = "--torch-version",
                   .value = &WriteOptions::torch_version,
                   .what = "PyTorch release that is to read the .pt2; default: latest",
                   .one_of = pt2::ReleaseNames(),
                   .lowers = true}},
      .write = WriteExportFile,
      .check = CheckExportProgram,
      .support = ExportProgramSupport,
      .names = {.outputs = true}};
}

Format TorchPackageFormat() {
  return {
      .name = "torch",
      .suffixes = {"_torch"},
      .what = "Python package for PyTorch: modules, weights in safetensors",
      .write = WriteTorchFolder,  // it has what pt2 has, which is the target that answers for both
      .print = PrintTorch,
      .passes = "default,-fold-batch-normalization"};
}

}  // namespace dragoman
