// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/export_program.h"

#include <fmt/format.h>

#include <cstddef>
#include <deque>
#include <map>
#include <string_view>
#include <utility>

#include "core/rewrite/lower_factors.h"
#include "exporters/pt2/archive_contents.h"
#include "exporters/pt2/aten_op.h"
#include "exporters/pt2/program_builder.h"
#include "exporters/pt2/saved_tensors.h"

namespace dragoman {
namespace pt2 {
namespace {

// How many records the programs before have.
struct RecordCount {
  std::size_t weights = 0;
  std::size_t constants = 0;
};

// `program` must outlive `contents`.
Status AddProgram(const std::string& name, Program& program, RecordCount& count,
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
  const auto add = [&](const std::string& record, const Json& json) -> Status {
    DRAGOMAN_ASSIGN(std::string text, JsonText(json));
    contents.Own(record, std::move(text));
    return {};
  };
  DRAGOMAN_TRY(add("models/" + name + ".json", program.json));
  DRAGOMAN_TRY(
      add("data/weights/" + name + "_weights_config.json", Json{{"config", std::move(weights)}}));
  DRAGOMAN_TRY(add("data/constants/" + name + "_constants_config.json",
                   Json{{"config", std::move(constants)}}));
  contents.Own("data/sample_inputs/" + name + ".pt", "");
  return {};
}

// With the digests of its remarks.
Status AddDigests(const RemarkDigests& digests, Program& program) {
  std::map<std::string_view, const dragoman::Tensor*> weights;
  for (const Weight& weight : program.weights) weights.emplace(weight.term.name, &weight.tensor);
  const auto weight_of = [&](const std::string& placeholder) -> const dragoman::Tensor* {
    const auto found = weights.find(placeholder);
    return found != weights.end() ? found->second : nullptr;
  };
  return StateDigests(digests, weight_of, program.json);
}

// The form before PyTorch 2.9: one program, and its weights as torch.save writes them.
Status WriteFlat(const Program& program, Release release, const std::string& path) {
  std::vector<const Weight*> weights;
  std::vector<const Weight*> constants;
  for (const Weight& weight : program.weights)
    (weight.kind == WeightKind::kConstant ? constants : weights).push_back(&weight);
  ArchiveContents contents;
  DRAGOMAN_ASSIGN(std::string text, TextOf(release, program.json));
  contents.Own("serialized_exported_program.json", std::move(text));
  DRAGOMAN_ASSIGN(std::string saved_weights, SavedTensors(weights));
  contents.Own("serialized_state_dict.pt", std::move(saved_weights));
  DRAGOMAN_ASSIGN(std::string saved_constants, SavedTensors(constants));
  contents.Own("serialized_constants.pt", std::move(saved_constants));
  contents.Own("serialized_example_inputs.pt", "");
  contents.Own("version", "8.2");
  return contents.Write("", path);
}

// The name of a file without folders and suffix.
std::string StemOf(const std::string& path) {
  std::string stem = path.substr(path.find_last_of('/') + 1);
  if (stem.ends_with(".pt2")) stem.resize(stem.size() - 4);
  return stem.empty() ? "model" : stem;
}

}  // namespace
}  // namespace pt2

Status ExportProgram(const Model& model, const std::string& path, pt2::Release release,
                     const ExportNote& note, const pt2::RemarkDigests& digests) {
  Model own = Clone(model);
  std::deque<pt2::Program> programs;
  pt2::ArchiveContents contents;
  pt2::RecordCount count;
  NameScope names;
  names.Reserve("model");
  for (std::size_t i = 0; i < own.entries.size(); ++i) {
    if (i > 0 && release < pt2::Release::k29) {
      if (note)
        note(
            fmt::format("entry '{}' is left out: an archive of PyTorch before 2.9 holds "
                        "one program; --entry chooses it",
                        own.entries[i].name));
      continue;
    }
    Result<pt2::Program> program = pt2::BuildProgram(own, own.entries[i]);
    if (program.ok()) {
      DRAGOMAN_TRY(pt2::StateRelease(release, program->json));
      DRAGOMAN_TRY(pt2::AddDigests(digests, *program));
      const std::string name = i == 0 ? "model" : names.Unique(FileName(own.entries[i].name));
      programs.push_back(*std::move(program));
      DRAGOMAN_TRY(pt2::AddProgram(name, programs.back(), count, contents));
      continue;
    }
    if (i == 0) return std::move(program).error();
    if (note) {
      note(fmt::format("entry '{}' is left out: {}", own.entries[i].name,
                       program.error().findings().front().message));
    }
  }
  if (release < pt2::Release::k29) return pt2::WriteFlat(programs.front(), release, path);
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
  if (pt2::FindRow(def.Label()) != nullptr) return {OpSupport::Kind::kNative};
  if (IsOfStrings(def)) return {OpSupport::Kind::kNone, "PyTorch has no strings"};
  const bool is_list_operator = IsOfLists(def) && !def.effect;
  if (def.expand || IsFactorisation(def.Label()) || is_list_operator)
    return {OpSupport::Kind::kComposed};
  return {OpSupport::Kind::kNone, "no translation to operators of ATen"};
}

}  // namespace dragoman
