#include "importers/torchscript/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "importers/torchscript/argument_names.h"
#include "importers/torchscript/arguments.h"
#include "importers/torchscript/evaluator.h"
#include "importers/torchscript/inline.h"
#include "importers/torchscript/loaded_cells.h"
#include "importers/torchscript/merge.h"
#include "importers/torchscript/results.h"
#include "importers/torchscript/state_plan.h"

namespace dragoman {
namespace torchscript {
namespace {

constexpr int kMaxPasses = 32;

// One entry lowered under a plan.
struct LoweredEntry {
  Entry entry;
  std::vector<Finding> findings;
  std::vector<std::string> assumed;  // inputs whose element type nothing tells
  std::vector<Value*> inputs;        // of states, one a leaf of the plan
  std::vector<Value*> returned;      // what they become
  std::uint64_t first_leaf = 0;      // the cells that were made to hold them
  std::uint64_t last_leaf = 0;
  std::vector<std::pair<CellPtr, MergedContents>> changed;
  std::vector<Type> joined;
  bool stable = true;
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
  Status Compare(LoweredEntry& lowered, std::span<const CellChange> changes, GraphBuilder& builder);
  Status TakeLeafChanges(LoweredEntry& lowered, std::span<const CellChange> changes);
  void BindStates(LoweredEntry& lowered);
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
  return CanonicalFacts(*entry.graph, facts);
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
  if (!status.ok() || lowered.stable) heap_.Leave();
  if (!status.ok()) {
    if (lowered.findings.empty()) return std::move(status).error();
    return Error(lowered.findings);
  }
  return lowered;
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
  for (std::size_t i = 0; i < plan_.leaves.size(); ++i) {
    lowered.inputs.push_back(
        graph.AddInput(builder.UniqueName(plan_.leaves[i].name, "state"), plan_.types[i]));
  }
  lowered.first_leaf = heap_.last_cell() + 1;
  for (const auto& [cell, contents] : plan_.cells)
    heap_.Replace(cell, contents(heap_, lowered.inputs));
  lowered.last_leaf = heap_.last_cell();
  heap_.Enter();
  const Abstract result = evaluator.Run(function, std::move(arguments));
  lowered.findings = evaluator.findings();
  Status status;
  if (lowered.findings.empty()) status = AddResults(result, heap_, builder);
  const std::vector<CellChange> changes = heap_.Leave();
  DRAGOMAN_TRY(std::move(status));
  return Compare(lowered, changes, builder);
}

// Finds what the entry left changed. A stable entry changes what the plan says, and no more.
Status ModelLowering::Compare(LoweredEntry& lowered, std::span<const CellChange> changes,
                              GraphBuilder& builder) {
  Merger merger({}, changes);
  for (const CellChange& change : changes) {
    if (change.cell->number > last_cell_) continue;
    DRAGOMAN_ASSIGN(MergedContents merged, merger.MergeCell(change.cell));
    lowered.changed.emplace_back(change.cell, std::move(merged));
  }
  const std::vector<Leaf>& leaves = merger.leaves();
  DRAGOMAN_ASSIGN(std::vector<Value*> before, LeafSideValues(heap_, builder, leaves, true));
  heap_.Enter();
  for (const CellChange& change : changes) heap_.Replace(change.cell, change.contents);
  Result<std::vector<Value*>> after = LeafSideValues(heap_, builder, leaves, false);
  for (std::size_t i = 0; after.ok() && i < leaves.size(); ++i) {
    const Type a = before[i] != nullptr ? before[i]->type() : Type();
    const Type b = (*after)[i] != nullptr ? (*after)[i]->type() : Type();
    lowered.joined.push_back(WithoutSymbols(JoinTypes(a, b)));
    if ((*after)[i] != nullptr) continue;
    Result<Value*> value = LeafValue(heap_, builder, leaves[i], leaves[i].b, lowered.joined[i]);
    if (!value.ok()) {
      after = std::move(value).error();
    } else {
      (*after)[i] = *value;
    }
  }
  heap_.Leave();
  if (!after.ok()) return std::move(after).error();
  lowered.returned = lowered.inputs;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto input = std::find(lowered.inputs.begin(), lowered.inputs.end(), before[i]);
    if (input == lowered.inputs.end()) {
      lowered.stable = false;
      continue;
    }
    Value*& returned = lowered.returned[static_cast<std::size_t>(input - lowered.inputs.begin())];
    if (returned == *input) returned = (*after)[i];
    lowered.stable = lowered.stable && lowered.joined[i] == (*input)->type();
  }
  return TakeLeafChanges(lowered, changes);
}

// What was written in place into the cells that hold states. The objects around them tell of
// nothing, unless they hold other cells now.
Status ModelLowering::TakeLeafChanges(LoweredEntry& lowered, std::span<const CellChange> changes) {
  const auto held = [](const Cell::Contents& contents) -> Value* {
    if (const auto* storage = std::get_if<StorageContents>(&contents)) return storage->value;
    const auto* list = std::get_if<ListContents>(&contents);
    return list != nullptr ? list->sequence : nullptr;
  };
  for (const CellChange& change : changes) {
    if (change.cell->number < lowered.first_leaf || change.cell->number > lowered.last_leaf)
      continue;
    const auto input = std::ranges::find(lowered.inputs, held(change.cell->contents));
    Value* after = held(change.contents);
    if (input == lowered.inputs.end() || after == nullptr)
      return Unsupported("entry '" + lowered.entry.name +
                         "' writes into what another entry puts in its place");
    Value*& returned = lowered.returned[static_cast<std::size_t>(input - lowered.inputs.begin())];
    if (returned == *input) returned = after;
  }
  return {};
}

// States come after all other inputs and outputs; those that the entry does not touch are left out.
void ModelLowering::BindStates(LoweredEntry& lowered) {
  Graph& graph = *lowered.entry.graph;
  for (std::size_t i = lowered.inputs.size(); i-- > 0;) {
    if (lowered.returned[i] != lowered.inputs[i] || lowered.inputs[i]->used()) continue;
    graph.RemoveInput(lowered.inputs[i]->index());
    lowered.inputs[i] = nullptr;
  }
  for (std::size_t i = 0; i < lowered.inputs.size(); ++i) {
    if (lowered.inputs[i] == nullptr) continue;
    lowered.entry.states.push_back({i, lowered.inputs[i]->index(), graph.num_outputs()});
    graph.AddOutput(lowered.returned[i]);
  }
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
      if (lowered.ok() && !lowered->stable) heap_.Leave();
      Error error = lowered.ok() ? Error(lowered->findings) : std::move(lowered).error();
      if (is_default) return error;
      left_out_[entry.name] = Summary(error);
      continue;
    }
    const bool stable = lowered->stable;
    if (!stable) {
      DRAGOMAN_TRY(plan_.Extend(lowered->changed, lowered->joined, heap_));
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
    if (!entries.back().stable) continue;
    TellNotes(entries);
    Model model;
    model.level = Level::kCommon;
    model.dialect = source_.dialect;
    model.metadata = source_.metadata;
    model.opsets.push_back({"", kCommonOpset});
    for (std::size_t i = 0; i < plan_.leaves.size(); ++i)
      model.states.push_back({plan_.leaves[i].name, plan_.types[i], plan_.initial[i]});
    for (LoweredEntry& lowered : entries) {
      BindStates(lowered);
      model.entries.push_back(std::move(lowered.entry));
    }
    DropUnusedStates(model);
    return model;
  }
  return Unsupported("what the entries leave changed does not settle");
}

}  // namespace
}  // namespace torchscript

Result<Model> LowerTorchScript(const Model& source, const Facts& facts,
                               const std::function<void(std::string_view)>& note) {
  DRAGOMAN_ASSIGN(const Model inlined, InlineCalls(source));
  return torchscript::ModelLowering(inlined, facts, note).Run();
}

}  // namespace dragoman
