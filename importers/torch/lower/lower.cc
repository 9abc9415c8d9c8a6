// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/lower/lower.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/lowering/lower_entries.h"
#include "core/lowering/results.h"
#include "importers/torch/lower/argument_names.h"
#include "importers/torch/lower/arguments.h"
#include "importers/torch/lower/evaluator.h"
#include "importers/torch/lower/loaded_cells.h"
#include "importers/torch/ops/quantized.h"
#include "importers/torch/script/inline.h"

namespace dragoman {
namespace torch {
namespace {

// A quantised tensor leaves the model as the integers that it stores.
Result<Value*> StoredForm(GraphBuilder& builder, Value* value) {
  const std::optional<ValueGrid> grid = ValueGridOf(value);
  if (!grid) return value;
  Composer c(builder);
  return c.Done(StoredOn(c, value, *grid));
}

class ScriptLowering {
 public:
  explicit ScriptLowering(const Model& source) : source_(source) {}

  // Tensors that have elements in common are joined once one of them turns out to be written: what
  // is only read stays as the file has it.
  Result<Model> Run(const Facts& facts, const std::function<void(std::string_view)>& note) {
    while (true) {
      std::vector<std::string> notes;
      const std::size_t joined = joined_.size();
      Result<Model> model =
          RunEntries(facts, [&notes](std::string_view text) { notes.emplace_back(text); });
      if (joined_.size() > joined) continue;
      for (const std::string& text : notes) {
        if (note) note(text);
      }
      if (model.ok() && !mutated_.empty())
        model->metadata.emplace_back("dragoman.mutated_inputs", mutated_);
      return model;
    }
  }

 private:
  Result<Model> RunEntries(const Facts& facts, const std::function<void(std::string_view)>& note) {
    heap_ = Heap();
    DRAGOMAN_ASSIGN(cells_, LoadedCells::Load(source_, heap_, joined_));
    EntryProgram program;
    program.arguments = [](const Entry& entry) { return ArgumentsOf(*entry.graph); };
    program.run = [this](EntryRun& run) { return RunEntry(run); };
    return LowerEntries(source_, facts, note, heap_, program);
  }

  Status RunEntry(EntryRun& run) {
    const Graph& function = *run.source.graph;
    Inference inference;
    Evaluator evaluator(source_, *cells_, schemas_, heap_, *run.lowered.entry.graph, inference);
    GraphBuilder& builder = evaluator.builder();
    DRAGOMAN_ASSIGN(Abstract root, cells_->Root());
    DRAGOMAN_ASSIGN(
        std::vector<Abstract> arguments,
        MakeArguments(source_, function, run.facts, heap_, builder, run.lowered.assumed));
    arguments.insert(arguments.begin(), root);
    DRAGOMAN_ASSIGN(const std::vector<Given> given, TensorsOf(function, arguments, builder));
    run.Begin(builder);
    const Abstract result = evaluator.Run(function, std::move(arguments));
    run.lowered.findings = evaluator.findings();
    Status status;
    if (run.lowered.findings.empty()) {
      const bool is_script = source_.dialect == "torchscript";
      status = AddResults(result, heap_, builder, is_script ? StoredForm : ResultForm());
      if (status.ok() && !is_script) status = AddArguments(given, builder);
    }
    return run.End(std::move(status), builder,
                   [this](std::span<const CellChange> changes) -> Status {
                     for (const CellChange& change : changes)
                       DRAGOMAN_TRY(CheckBarrier(change.cell));
                     return {};
                   });
  }

  // A tensor that the entry is given, and what it holds then.
  struct Given {
    std::string name;
    TensorRef tensor;
    const Value* value;
  };

  Result<std::vector<Given>> TensorsOf(const Graph& function,
                                       const std::vector<Abstract>& arguments,
                                       GraphBuilder& builder) {
    std::vector<Given> given;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto* tensor = arguments[i].As<TensorRef>();
      if (tensor == nullptr) continue;
      DRAGOMAN_ASSIGN(const Value* value, heap_.Read(builder, *tensor));
      given.push_back({function.input(i)->name(), *tensor, value});
    }
    return given;
  }

  // Programs of torch.export leave results in what they are given: each is a further output.
  Status AddArguments(const std::vector<Given>& given, GraphBuilder& builder) {
    mutated_.clear();
    for (const Given& one : given) {
      DRAGOMAN_ASSIGN(const Value* value, heap_.Read(builder, one.tensor));
      if (value == one.value) continue;
      DRAGOMAN_TRY(AddResults(one.tensor, heap_, builder));
      Value& output = *builder.graph().output(builder.graph().num_outputs() - 1);
      output.set_name(builder.UniqueName(one.name + "_out"));
      mutated_ += fmt::format("{}{}: {}", mutated_.empty() ? "" : ", ", one.name, output.name());
    }
    return {};
  }

  // Errors: not all that share elements with `cell` would see what is written to it.
  Status CheckBarrier(const CellPtr& cell) {
    const LoadedCells::Barrier* barrier = cells_->BarrierOf(cell);
    if (barrier == nullptr) return {};
    if (!barrier->state.empty()) joined_.insert(barrier->state);
    return Unsupported("tensor '" + cell->path + "' is written in place, and " + barrier->reason);
  }

  const Model& source_;
  SchemaTable schemas_;
  std::set<std::string> joined_;  // States, of each group of tensors one
  Heap heap_;
  std::optional<LoadedCells> cells_;
  std::string mutated_;  // arguments and the outputs that are their new values: "x: x_out"
};

}  // namespace
}  // namespace torch

Result<Model> LowerTorchScript(const Model& source, const Facts& facts,
                               const std::function<void(std::string_view)>& note) {
  DRAGOMAN_ASSIGN(const Model inlined, InlineCalls(source));
  return torch::ScriptLowering(inlined).Run(facts, note);
}

std::vector<std::string> TorchControlOperators() { return torch::Evaluator::ControlOperators(); }

}  // namespace dragoman
