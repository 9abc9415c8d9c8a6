// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/export_program.h"

#include <fmt/format.h>

#include <cstddef>
#include <deque>
#include <utility>

#include "core/rewrite/lower_factors.h"
#include "exporters/pt2/archive_contents.h"
#include "exporters/pt2/aten_op.h"
#include "exporters/pt2/program_builder.h"

namespace dragoman {
namespace pt2 {
namespace {

// What torch 2.14 writes.
constexpr std::string_view kTorchVersion = "2.14.1";
constexpr int kSchemaMajor = 8;
constexpr int kSchemaMinor = 20;
constexpr int kAtenOpset = 10;

// How many records the programs before have.
struct RecordCount {
  std::size_t weights = 0;
  std::size_t constants = 0;
};

// `program` must outlive `contents`.
void AddProgram(const std::string& name, Program& program, RecordCount& count,
                ArchiveContents& contents) {
  Json weights = Json::object();
  Json constants = Json::object();
  for (const Weight& weight : program.weights) {
    const bool is_constant = weight.kind == WeightKind::kConstant;
    const std::string record = is_constant ? fmt::format("tensor_{}", count.constants++)
                                           : fmt::format("weight_{}", count.weights++);
    (is_constant ? constants : weights)[weight.path] = PayloadOf(weight, record);
    contents.Add((is_constant ? "data/constants/" : "data/weights/") + record,
                 weight.tensor.bytes());
  }
  Json& json = program.json;
  json["schema_version"] = {{"major", kSchemaMajor}, {"minor", kSchemaMinor}};
  json["torch_version"] = kTorchVersion;
  json["opset_version"] = {{"aten", kAtenOpset}};
  json["verifiers"] = Json::array({"TRAINING"});
  contents.Own("models/" + name + ".json", json.dump());
  contents.Own("data/weights/" + name + "_weights_config.json",
               Json{{"config", std::move(weights)}}.dump());
  contents.Own("data/constants/" + name + "_constants_config.json",
               Json{{"config", std::move(constants)}}.dump());
  contents.Own("data/sample_inputs/" + name + ".pt", "");
}

// The name of a file without folders and suffix.
std::string StemOf(const std::string& path) {
  std::string stem = path.substr(path.find_last_of('/') + 1);
  if (stem.ends_with(".pt2")) stem.resize(stem.size() - 4);
  return stem.empty() ? "model" : stem;
}

}  // namespace
}  // namespace pt2

Status ExportProgram(const Model& model, const std::string& path, const ExportNote& note) {
  Model own = Clone(model);
  std::deque<pt2::Program> programs;
  pt2::ArchiveContents contents;
  pt2::RecordCount count;
  NameScope names;
  names.Reserve("model");
  for (std::size_t i = 0; i < own.entries.size(); ++i) {
    Result<pt2::Program> program = pt2::BuildProgram(own, own.entries[i]);
    if (program.ok()) {
      const std::string name = i == 0 ? "model" : names.Unique(FileName(own.entries[i].name));
      programs.push_back(*std::move(program));
      pt2::AddProgram(name, programs.back(), count, contents);
      continue;
    }
    if (i == 0) return std::move(program).error();
    if (note) {
      note(fmt::format("entry '{}' is left out: {}", own.entries[i].name,
                       program.error().findings().front().message));
    }
  }
  contents.Own("archive_format", "pt2");
  contents.Own("archive_version", "0");
  contents.Own("byteorder", "little");
  contents.Own(".data/version", "6\n");
  return contents.Write(pt2::StemOf(path), path);
}

Status CheckExportProgram(const Model& model) {
  Model own = Clone(model);
  Result<pt2::Program> program = pt2::BuildProgram(own, own.entries.front());
  return program.ok() ? Status() : std::move(program).error();
}

OpSupport ExportProgramSupport(const OpDef& def) {
  if (pt2::FindAtenEmitter(def.Label()) != nullptr) return {OpSupport::Kind::kNative};
  if (IsOfStrings(def)) return {OpSupport::Kind::kNone, "PyTorch has no strings"};
  const bool is_list_operator = IsOfLists(def) && !def.effect;
  if (def.expand || IsFactorisation(def.Label()) || is_list_operator)
    return {OpSupport::Kind::kComposed};
  return {OpSupport::Kind::kNone, "no translation to operators of ATen"};
}

}  // namespace dragoman
