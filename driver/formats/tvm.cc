// SPDX-License-Identifier: Apache-2.0
#include "driver/formats/rows.h"

#include <filesystem>

#include "codegen/relax/write_relax.h"
#include "codegen/relax/write_source.h"
#include "codegen/relay/check_source.h"
#include "codegen/relay/write_relay.h"
#include "codegen/relay/write_source.h"
#include "importers/relax/graph/read_model.h"
#include "importers/relax/lower/composed.h"
#include "importers/relax/lower/lower.h"
#include "importers/relay/graph/read_model.h"
#include "importers/relay/lower/composed.h"
#include "importers/relay/lower/lower.h"
#include "importers/relay/ops/op_table.h"

namespace dragoman {
namespace {

Likeness DetectRelay(const Candidate& candidate) {
  return CertainIf(RelayFileKind(candidate.bytes) != RelayFile::kNone);
}

// A graph text need not be what the reader gives.
Result<Model> LowerRelayModule(const Model& source, const Facts& facts,
                               const std::function<void(std::string_view)>& note) {
  DRAGOMAN_TRY(relay::emit::CheckSource(source));
  return LowerRelay(source, facts, note);
}

// The module that is written of a common model.
Result<Model> RelayOf(const Model& common, const WriteOptions& options) {
  Omissions omissions(options);
  DRAGOMAN_ASSIGN(Model module, EmitRelay(common, omissions.Sink(), DigestsOfComposedCalls));
  DRAGOMAN_TRY(omissions.status());
  return module;
}

Status WriteRelayModule(const Model& model, const std::string& path, const WriteOptions& options) {
  if (model.level == Level::kSource && model.dialect == "relay")
    return WriteRelaySource(model, path);
  DRAGOMAN_ASSIGN(const Model module, RelayOf(model, options));
  return WriteRelaySource(module, path);
}

Result<std::string> PrintRelay(const Model& model, const WriteOptions& options) {
  if (model.level == Level::kSource && model.dialect == "relay") return PrintRelaySource(model);
  DRAGOMAN_ASSIGN(const Model module, RelayOf(model, options));
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

Result<RelaxModule> RelaxOf(const Model& common, const WriteOptions& options) {
  const std::string version = options.relax_version.value_or("latest");
  Omissions omissions(options);
  DRAGOMAN_ASSIGN(RelaxModule module, EmitRelax(common,
                                                {.release = *relax::ReleaseFromName(version),
                                                 .packed = options.packed,
                                                 .digests = DigestsOfComposed},
                                                omissions.Sink()));
  DRAGOMAN_TRY(omissions.status());
  return module;
}

Status WriteRelaxModule(const Model& model, const std::string& path, const WriteOptions& options) {
  if (model.level == Level::kSource && model.dialect == "relax")
    return WriteRelaxSource(model, path);
  DRAGOMAN_ASSIGN(const RelaxModule module, RelaxOf(model, options));
  return WriteRelax(module, path);
}

Result<std::string> PrintRelax(const Model& model, const WriteOptions& options) {
  if (model.level == Level::kSource && model.dialect == "relax") return PrintRelaxSource(model);
  DRAGOMAN_ASSIGN(RelaxModule module, RelaxOf(model, options));
  return std::move(module.text);
}

Status CheckRelax(const Model& common) {
  const Result<RelaxModule> module = EmitRelax(common);
  return module.ok() ? Status() : module.error();
}

// The file of the same name with another suffix.
std::vector<std::string> Beside(std::filesystem::path path, const char* suffix) {
  return {path.replace_extension(suffix).string()};
}

}  // namespace

Format RelayFormat() {
  return {.name = "relay",
          .suffixes = {".relay"},
          .what = "TVM Relay text, parameters beside it in .params",
          .detect = DetectRelay,
          .read = [](const std::string& path, const ReadOptions&) { return ReadRelay(path); },
          .dialect = "relay",
          .lower = LowerRelayModule,
          .data_files = [](const std::string& path) { return Beside(path, ".params"); },
          .vocabularies = {"relay"},
          .operators =
              [](std::string_view) { return OperatorsNamed(relay::OpRows(), RelayConstructs()); },
          .write = WriteRelayModule,
          .print = PrintRelay,
          .check = CheckRelay,
          .support = RelaySupport};
}

Format RelaxFormat() {
  return {.name = "relax",
          .suffixes = {".py"},
          .what = "TVM Relax module, weights beside it in .npz",
          .detect = DetectRelax,
          .read = [](const std::string& path, const ReadOptions&) { return ReadRelax(path); },
          .dialect = "relax",
          .lower = LowerRelax,
          .data_files = [](const std::string& path) { return Beside(path, ".npz"); },
          .changes_inputs = RelaxChangesInputs,
          .vocabularies = {"relax"},
          .operators =
              [](std::string_view) {
                return OperatorsNamed(LoweredRelaxOperators(), RelaxConstructs());
              },
          .options = {{.name = "--relax-version",
                       .value = &WriteOptions::relax_version,
                       .what = "TVM release that is to read the Relax module; default: latest",
                       .placeholder = "RELEASE",
                       .one_of = relax::ReleaseNames(),
                       .lowers = true},
                      {.name = "--packed",
                       .value = &WriteOptions::packed,
                       .what = "Where operators of Relax do not suffice, call Python functions on "
                               "NumPy, which are written beside the module",
                       .lowers = true}},
          .write = WriteRelaxModule,
          .print = PrintRelax,
          .check = CheckRelax,
          .support = RelaxSupport,
          .names = {.sizes = true}};
}

}  // namespace dragoman
