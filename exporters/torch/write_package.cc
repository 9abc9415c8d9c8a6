// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/write_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "core/support/output_file.h"
#include "core/support/text.h"
#include "exporters/torch/model_text.h"
#include "exporters/torch/package_files.h"
#include "exporters/torch/safetensors.h"

namespace dragoman {
namespace pytorch {
namespace {

// A package before it is written.
struct Package {
  std::deque<pt2::Program> programs;  // weights are looked up in them
  std::string model;
  NamedTensors weights;
  std::map<std::string, std::string> metadata;
};

// The other entries of a model, as far as they can be methods of it.
class MethodMaker {
 public:
  MethodMaker(Package& package, const ExportNote& note) : package_(package), note_(note) {}

  // Makes the programs, whose weights `tree` gets places for.
  void Add(Model& model, ModuleTree& tree) {
    for (std::size_t i = 1; i < model.entries.size(); ++i) {
      Result<pt2::Program> program = pt2::BuildProgram(model, model.entries[i]);
      const std::string why =
          !program.ok() ? program.error().findings().front().message : WhyNot(*program);
      if (!why.empty()) {
        if (note_) note_(fmt::format("entry '{}' is left out: {}", model.entries[i].name, why));
        continue;
      }
      package_.programs.push_back(*std::move(program));
      calls_.push_back(ReadProgram(package_.programs.back()));
      names_.push_back(model.entries[i].name);
      tree.Add(calls_.back(), package_.programs.back().weights);
    }
  }

  // What the methods do, once the forms of all modules are known.
  std::vector<ModelMethod> Make(ModuleTree& tree, std::set<std::string>& read) {
    NameScope taken = TakenNames(tree);
    std::vector<ModelMethod> methods;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const Regions regions(calls_[i], tree, true);
      methods.push_back({taken.Unique(PathOf(Identifier(names_[i])).front()),
                         MakeFunction(calls_[i], tree, regions, tree.root(), read)});
    }
    return methods;
  }

 private:
  // Weights of one name must be one.
  std::string WhyNot(const pt2::Program& program) const {
    for (const pt2::Weight& weight : program.weights) {
      for (const pt2::Weight& first : package_.programs.front().weights) {
        if (first.path != weight.path) continue;
        const bool is_same = first.tensor.sizes() == weight.tensor.sizes() &&
                             std::ranges::equal(first.tensor.bytes(), weight.tensor.bytes());
        if (!is_same) return "it has another weight '" + weight.path + "'";
      }
    }
    return "";
  }

  // Attributes of the model that methods must not hide.
  static NameScope TakenNames(ModuleTree& tree) {
    NameScope names;
    for (const auto& child : tree.root().children) names.Reserve(child->name());
    for (const auto& [name, weight] : tree.root().weights) names.Reserve(name);
    return names;
  }

  Package& package_;
  const ExportNote& note_;
  std::deque<ProgramCalls> calls_;
  std::vector<std::string> names_;
};

void KeepWeights(const ModuleTree& tree, const std::set<std::string>& read, Package& package) {
  package.metadata["format"] = "pt";
  for (const StoredWeight& stored : tree.stored()) {
    if (!read.contains(stored.key)) continue;
    package.weights.emplace_back(stored.key, stored.weight->tensor);
    if (stored.source != stored.key) package.metadata[stored.key] = stored.source;
  }
}

Result<Package> MakePackage(const Model& model, const ExportNote& note) {
  Package package;
  Model own = Clone(model);
  DRAGOMAN_ASSIGN(pt2::Program first, pt2::BuildProgram(own, own.entries.front()));
  package.programs.push_back(std::move(first));
  const ProgramCalls program = ReadProgram(package.programs.front());
  ModuleTree tree;
  MethodMaker others(package, note);
  tree.Add(program, package.programs.front().weights);
  others.Add(own, tree);
  const Regions regions(program, tree, false);
  std::set<std::string> read;
  const std::vector<ModelMethod> methods = others.Make(tree, read);
  const Classes classes(program, tree, regions, std::move(read));
  package.model = ModelText(program, tree, regions, classes, methods);
  KeepWeights(tree, classes.read(), package);
  return package;
}

// In the order of the program's arguments and results. States come after all others, and are not
// among the values of a call.
NamedTensors Recorded(const std::vector<RecordedCall>& calls, const pt2::Program& program) {
  NamedTensors tensors;
  const auto add = [&](const char* what, std::size_t call, const std::vector<Tensor>& values,
                       const std::vector<std::size_t>& places) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] < values.size())
        tensors.emplace_back(fmt::format("{:03}.{}.{:03}", call, what, i), values[places[i]]);
    }
  };
  for (std::size_t call = 0; call < calls.size(); ++call) {
    add("input", call, calls[call].inputs, program.inputs);
    add("output", call, calls[call].outputs, program.outputs);
  }
  return tensors;
}

}  // namespace
}  // namespace pytorch

Result<std::string> PrintTorchModel(const Model& model, const ExportNote& note) {
  DRAGOMAN_ASSIGN(pytorch::Package package, pytorch::MakePackage(model, note));
  return std::move(package.model);
}

Status WriteTorchPackage(const Model& model, const std::string& path,
                         const std::vector<RecordedCall>& calls, const ExportNote& note) {
  DRAGOMAN_TRY(OutputFolder::Check(path));
  DRAGOMAN_ASSIGN(const pytorch::Package package, pytorch::MakePackage(model, note));
  DRAGOMAN_ASSIGN(OutputFolder folder, OutputFolder::Create(path));
  for (const auto& [name, text] : pytorch::PackageFiles())
    DRAGOMAN_TRY(folder.WriteFile(name, text));
  DRAGOMAN_TRY(folder.WriteFile("model.py", package.model));
  DRAGOMAN_ASSIGN(OutputFile weights, folder.AddFile("model.safetensors"));
  DRAGOMAN_TRY(pytorch::WriteSafetensors(package.weights, package.metadata, std::move(weights)));
  DRAGOMAN_ASSIGN(OutputFile check, folder.AddFile("check.safetensors"));
  DRAGOMAN_TRY(pytorch::WriteSafetensors(pytorch::Recorded(calls, package.programs.front()),
                                         {{"calls", std::to_string(calls.size())}},
                                         std::move(check)));
  return folder.Commit();
}

}  // namespace dragoman
