#include "importers/torch/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/lowering/results.h"
#include "core/lowering/state_plan.h"
#include "importers/torch/lower/argument_names.h"
#include "importers/torch/lower/arguments.h"
#include "importers/torch/lower/evaluator.h"
#include "importers/torch/lower/loaded_cells.h"
#include "importers/torch/ops/quantized.h"
#include "importers/torch/script/inline.h"

namespace dragoman {
namespace torch {
namespace {

constexpr int kMaxPasses = 32;

// One entry lowered under a plan.
struct LoweredEntry {
  Entry entry;
  std::vector<Finding> findings;
  std::vector<std::string> assumed;  // inputs whose element type nothing tells
  PlannedEntry planned;
};

class ModelLowering {
 public:
  using Note = std::function<void(std::string_view)>;

  ModelLowering(const Model& source, const Facts& facts, const Note& note)
      : source_(source), facts_(facts), note_(note) {}

  Result<Model> Run();

 private:
  Result<std::vector<LoweredEntry>> RunEntries();
  Result<LoweredEntry> RunEntry(const Entry& entry, bool is_default);
  Result<Facts> FactsOfDefault(const Entry& entry) const;
  Status Evaluate(const Graph& function, const Facts& facts, LoweredEntry& lowered);
  void TellNotes(std::span<const LoweredEntry> entries) const;

  const Model& source_;
  const Facts& facts_;
  const Note& note_;
  std::map<std::string, std::string> left_out_;  // entries, and why
  SchemaTable schemas_;
  Heap heap_;
  std::optional<LoadedCells> cells_;
  std::uint64_t last_cell_ = 0;
  StatePlan plan_;
};

// Without those that name arguments of other entries only.
Result<Facts> ModelLowering::FactsOfDefault(const Entry& entry) const {
  Facts facts = facts_;
  std::erase_if(facts.shapes, [&](const ShapeFact& fact) {
    const bool by_name = fact.input.find_first_not_of("0123456789.") != std::string::npos;
    if (!by_name || facts_.entry || CanonicalInput(*entry.graph, fact.input)) return false;
    return std::ranges::any_of(source_.entries, [&](const Entry& other) {
      return CanonicalInput(*other.graph, fact.input).has_value();
    });
  });
  return CanonicalFacts(ArgumentsOf(*entry.graph), facts);
}

Result<LoweredEntry> ModelLowering::RunEntry(const Entry& entry, bool is_default) {
  LoweredEntry lowered;
  lowered.entry.name = entry.name;
  lowered.entry.graph = std::make_unique<Graph>();
  lowered.entry.graph->set_name(entry.name);
  Facts facts = facts_;
  if (is_default) {
    DRAGOMAN_ASSIGN(facts, FactsOfDefault(entry));
  }
  heap_.Enter();
  Status status = Evaluate(*entry.graph, facts, lowered);
  if (!status.ok() || lowered.planned.stable) heap_.Leave();
  if (!status.ok()) {
    if (lowered.findings.empty()) return std::move(status).error();
    return Error(lowered.findings);
  }
  return lowered;
}

// A quantised tensor leaves the model as the integers that it stores.
Result<Value*> StoredForm(GraphBuilder& builder, Value* value) {
  const std::optional<ValueGrid> grid = ValueGridOf(value);
  if (!grid) return value;
  Composer c(builder);
  return c.Done(StoredOn(c, value, *grid));
}

// Runs `function` on cells that hold the states of the plan.
Status ModelLowering::Evaluate(const Graph& function, const Facts& facts, LoweredEntry& lowered) {
  Graph& graph = *lowered.entry.graph;
  Inference inference;
  Evaluator evaluator(source_, *cells_, schemas_, heap_, graph, inference);
  GraphBuilder& builder = evaluator.builder();
  DRAGOMAN_ASSIGN(Abstract root, cells_->Root());
  DRAGOMAN_ASSIGN(std::vector<Abstract> arguments,
                  MakeArguments(source_, function, facts, heap_, builder, lowered.assumed));
  arguments.insert(arguments.begin(), root);
  lowered.planned = plan_.Begin(heap_, builder);
  heap_.Enter();
  const Abstract result = evaluator.Run(function, std::move(arguments));
  lowered.findings = evaluator.findings();
  Status status;
  if (lowered.findings.empty()) status = AddResults(result, heap_, builder, StoredForm);
  const std::vector<CellChange> changes = heap_.Leave();
  DRAGOMAN_TRY(std::move(status));
  return StatePlan::Compare(lowered.planned, changes, last_cell_, heap_, builder);
}

// The first finding, and how many more there are.
std::string Summary(const Error& error) {
  const std::vector<Finding>& findings = error.findings();
  const Finding& first = findings.front();
  std::string text = first.place.empty() ? first.message : first.place + ": " + first.message;
  text = text.substr(0, text.find('\n'));
  if (findings.size() > 1) text += fmt::format(" (and {} more)", findings.size() - 1);
  return text;
}

void ModelLowering::TellNotes(std::span<const LoweredEntry> entries) const {
  if (!note_) return;
  for (const auto& [name, reason] : left_out_) note_("entry '" + name + "' is left out: " + reason);
  for (const LoweredEntry& lowered : entries) {
    if (lowered.assumed.empty()) continue;
    note_(
        fmt::format("entry '{}': no element type is known of {}; float32 is assumed, --shape "
                    "NAME=TYPE:D,… states another",
                    lowered.entry.name, fmt::join(lowered.assumed, ", ")));
  }
}

Result<std::vector<LoweredEntry>> ModelLowering::RunEntries() {
  std::vector<LoweredEntry> entries;
  const std::string chosen = facts_.entry.value_or(source_.entries.front().name);
  for (const Entry& entry : source_.entries) {
    const bool is_default = entry.name == chosen;
    if (facts_.entry && !is_default) continue;
    Result<LoweredEntry> lowered = RunEntry(entry, is_default);
    if (!lowered.ok() || !lowered->findings.empty()) {
      if (lowered.ok() && !lowered->planned.stable) heap_.Leave();
      Error error = lowered.ok() ? Error(lowered->findings) : std::move(lowered).error();
      if (is_default) return error;
      left_out_[entry.name] = Summary(error);
      continue;
    }
    const bool stable = lowered->planned.stable;
    if (!stable) {
      DRAGOMAN_TRY(plan_.Extend(lowered->planned, heap_));
      plan_.kept.push_back(std::move(lowered->entry.graph));
    }
    entries.push_back(std::move(*lowered));
    if (!stable) break;
  }
  return entries;
}

Result<Model> ModelLowering::Run() {
  if (source_.entries.empty() || (facts_.entry && !source_.FindEntry(*facts_.entry))) {
    return InvalidInput("the model has no entry '" + facts_.entry.value_or("forward") + "'");
  }
  DRAGOMAN_ASSIGN(cells_, LoadedCells::Load(source_, heap_));
  last_cell_ = heap_.last_cell();
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    DRAGOMAN_ASSIGN(std::vector<LoweredEntry> entries, RunEntries());
    if (!entries.back().planned.stable) continue;
    TellNotes(entries);
    Model model;
    model.level = Level::kCommon;
    model.dialect = source_.dialect;
    model.metadata = source_.metadata;
    model.opsets.push_back({"", kCommonOpset});
    model.states = plan_.States();
    for (LoweredEntry& lowered : entries) {
      BindStates(lowered.planned, lowered.entry);
      model.entries.push_back(std::move(lowered.entry));
    }
    DropUnusedStates(model);
    return model;
  }
  return Unsupported("what the entries leave changed does not settle");
}

}  // namespace
}  // namespace torch

Result<Model> LowerTorchScript(const Model& source, const Facts& facts,
                               const std::function<void(std::string_view)>& note) {
  DRAGOMAN_ASSIGN(const Model inlined, InlineCalls(source));
  return torch::ModelLowering(inlined, facts, note).Run();
}

}  // namespace dragoman
