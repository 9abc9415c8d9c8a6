// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/read_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "importers/torch/container/read_values.h"
#include "importers/torch/script/cell_table.h"
#include "importers/torch/script/class_table.h"
#include "importers/torch/script/clean_up.h"
#include "importers/torch/script/function_emitter.h"
#include "importers/torch/script/program.h"
#include "importers/torch/script/root_hooks.h"
#include "importers/torch/script/traced_inputs.h"

namespace dragoman {
namespace torch {
namespace {

constexpr std::size_t kMaxFindings = 20;

// Reads one archive.
class ModelReader {
 public:
  ModelReader(const Archive& archive, RunSource run)
      : archive_(archive),
        run_(std::move(run)),
        program_(archive),
        script_functions_(archive.version()) {}

  Result<Model> Read() {
    model_.level = Level::kSource;
    model_.dialect = "torchscript";
    model_.opsets = {{"torch", archive_.version()}};
    DRAGOMAN_ASSIGN(StoredProgram values, ReadValues(archive_));
    RestoreContext restoring{values.constants,
                             CallEvaluator(program_, schemas_, script_functions_, values.heap,
                                           archive_.version(), run_)};
    CellTable cells(program_, values.heap, model_, restoring);
    auto status = cells.AddRoot(values.root);
    if (!status.ok()) return WithProgramFindings(std::move(status).error());
    for (std::size_t i = 0; i < values.constants.size(); ++i) {
      DRAGOMAN_ASSIGN(auto constant,
                      cells.Constant(values.constants[i], fmt::format("CONSTANTS.c{}", i)));
      constants_.push_back(std::move(constant));
    }
    cells.Finish();
    program_.set_constants(constants_);
    const std::string root = std::get<const StoredObject*>(values.root)->class_name;
    EmitContext context{program_, schemas_, script_functions_, constants_};
    EmitEntries(root, context);
    EmitCalled(cells.classes(), context);
    if (!program_.findings().empty() || !findings_.empty()) {
      return WithProgramFindings(std::nullopt);
    }
    if (model_.entries.empty()) {
      return InvalidInput(fmt::format("{} has no method that could be called", root));
    }
    AddTracedInputs(values.traced_inputs, model_);
    AddExtraFiles();
    AddClassTable(program_, model_);
    return std::move(model_);
  }

 private:
  // Findings of the sources come first: what is reported later may follow from them.
  Error WithProgramFindings(std::optional<Error> error) {
    std::vector<Finding> all = program_.findings();
    all.insert(all.end(), findings_.begin(), findings_.end());
    if (error) all.insert(all.end(), error->findings().begin(), error->findings().end());
    if (all.size() > kMaxFindings) all.resize(kMaxFindings);
    return Error(std::move(all));
  }

  void EmitEntries(const std::string& root, EmitContext& context) {
    const ScriptClass* owner = program_.FindClass(root);
    if (owner == nullptr) return;
    std::vector<const FunctionDef*> methods;
    for (const FunctionDef& method : owner->def->methods) {
      if (!method.name.starts_with("_")) methods.push_back(&method);
    }
    std::stable_partition(methods.begin(), methods.end(), [](const FunctionDef* method) {
      return method->name == "forward" || method->name.starts_with("forward__");
    });
    for (const FunctionDef* method : methods) {
      const std::string name = root + "." + method->name;
      ScriptFunction function{name, method, owner->file};
      if (method->name == "forward" && HasHooks(*owner)) {
        auto hooked = HookedForward(program_, *owner, *method);
        if (!hooked.ok()) {
          for (const Finding& finding : hooked.error().findings()) findings_.push_back(finding);
          continue;
        }
        hooked_ = *std::move(hooked);
        function = {name + " with hooks", &hooked_, owner->file};
      } else if (!done_.insert(name).second) {
        continue;
      }
      auto graph = Emit(function, context);
      if (graph == nullptr) continue;
      Entry entry;
      entry.name = method->name;
      entry.graph = std::move(graph);
      model_.entries.push_back(std::move(entry));
    }
  }

  // Functions that functions call, until there are no new ones.
  void EmitCalled(const std::set<std::string>& stored_classes, EmitContext& context) {
    for (std::size_t before = 0; before != done_.size();) {
      before = done_.size();
      std::set<std::string> wanted = context.called;
      for (const auto& [interface, method] : context.interface_calls) {
        AddImplementations(stored_classes, interface, method, wanted);
        AddImplementations(context.created, interface, method, wanted);
      }
      for (const std::string& name : wanted) {
        if (!done_.contains(name)) EmitFunction(name, context);
      }
    }
  }

  void AddImplementations(const std::set<std::string>& classes, const std::string& interface,
                          const std::string& method, std::set<std::string>& wanted) {
    for (const std::string& name : classes) {
      if (program_.Implements(name, interface)) wanted.insert(name + "." + method);
    }
  }

  void EmitFunction(const std::string& name, EmitContext& context) {
    done_.insert(name);
    const std::size_t dot = name.rfind('.');
    auto function = program_.FindMethod(name.substr(0, dot), name.substr(dot + 1));
    if (!function) function = program_.FindFunction(name);
    if (!function) return;
    auto graph = Emit(*function, context);
    if (graph == nullptr) return;
    Function result;
    result.op = InternOp("torchscript", name);
    result.graph = std::move(graph);
    model_.functions.push_back(std::move(result));
  }

  std::unique_ptr<Graph> Emit(const ScriptFunction& function, EmitContext& context) {
    auto graph = std::make_unique<Graph>();
    graph->set_name(function.def->name);
    auto status = FunctionEmitter(context, *graph, *function.file).Emit(function);
    if (!status.ok()) {
      for (const Finding& finding : status.error().findings()) findings_.push_back(finding);
      return nullptr;
    }
    CleanUp(*graph, schemas_);
    return graph;
  }

  void AddExtraFiles() {
    constexpr std::string_view kFolder = "extra/";
    for (std::string_view name : archive_.NamesUnder(kFolder)) {
      auto bytes = archive_.Read(name);
      if (!bytes.ok()) continue;
      const auto* text = reinterpret_cast<const char*>(bytes->bytes().data());
      model_.metadata.emplace_back(name.substr(kFolder.size()), std::string(text, bytes->size()));
    }
  }

  const Archive& archive_;
  RunSource run_;
  Program program_;
  SchemaTable schemas_;
  ScriptFunctions script_functions_;
  ConstantTable constants_;
  Model model_;
  FunctionDef hooked_;  // forward, with the hooks of the root around it
  std::set<std::string> done_;
  std::vector<Finding> findings_;
};

}  // namespace
}  // namespace torch

Result<Model> ReadTorchScript(const std::string& path, const torch::RunSource& run) {
  DRAGOMAN_ASSIGN(const torch::Archive archive, torch::Archive::Open(path));
  auto model = ReadTorchScript(archive, run);
  if (!model.ok()) return std::move(model).error().InFile(path);
  return model;
}

Result<Model> ReadTorchScript(const torch::Archive& archive, const torch::RunSource& run) {
  return torch::ModelReader(archive, run).Read();
}

}  // namespace dragoman
