#include "importers/torchscript/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/support/text.h"
#include "importers/torchscript/arguments.h"
#include "importers/torchscript/evaluator.h"
#include "importers/torchscript/inline.h"
#include "importers/torchscript/loaded_cells.h"
#include "importers/torchscript/merge.h"
#include "importers/torchscript/results.h"

namespace dragoman {
namespace torchscript {
namespace {

constexpr int kMaxPasses = 32;

// What lives between calls: how the contents of the file's cells are made from the values of
// States.
struct StatePlan {
  std::vector<std::pair<CellPtr, MergedContents>> cells;
  std::vector<Leaf> leaves;  // side a: what the file holds
  std::vector<Type> types;
  std::vector<Attribute> initial;
  std::vector<std::shared_ptr<Graph>> kept;  // that Abstracts of the plan point into
};

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
  Status Compare(LoweredEntry& lowered, std::span<const CellChange> changes, GraphBuilder& builder);
  Status Extend(LoweredEntry& lowered);
  Result<Attribute> InitialOf(const Leaf& leaf, const Type& type);
  Result<Tensor> InitialTensor(const Leaf& leaf, const Abstract& value);
  Status TakeLeafChanges(LoweredEntry& lowered, std::span<const CellChange> changes);
  void BindStates(LoweredEntry& lowered);
  static void DropUnusedStates(Model& model);
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

Type TypeOfInitial(const Attribute& initial) {
  if (const Tensor* tensor = initial.tensor()) return tensor->type();
  return {};
}

// Sizes that are expressions over an entry's inputs mean nothing between calls.
Type WithoutSymbols(const Type& type) {
  if (type.kind() == Type::Kind::kSequence) return Type::Sequence(WithoutSymbols(type.element()));
  if (type.shape() == nullptr) return type;
  Shape shape;
  for (const Dim& dim : *type.shape()) shape.push_back(dim.known() ? dim : Dim::Unknown());
  return type.WithShape(std::move(shape));
}

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
  Graph& graph = *lowered.entry.graph;
  graph.set_name(entry.name);
  Facts facts = facts_;
  if (is_default) {
    DRAGOMAN_ASSIGN(facts, FactsOfDefault(entry));
  }
  Inference inference;
  heap_.Enter();
  Evaluator evaluator(source_, *cells_, schemas_, heap_, graph, inference);
  auto run = [&]() -> Status {
    DRAGOMAN_ASSIGN(Abstract root, cells_->Root());
    DRAGOMAN_ASSIGN(
        std::vector<Abstract> arguments,
        MakeArguments(source_, *entry.graph, facts, heap_, evaluator.builder(), lowered.assumed));
    arguments.insert(arguments.begin(), root);
    for (std::size_t i = 0; i < plan_.leaves.size(); ++i) {
      lowered.inputs.push_back(graph.AddInput(
          evaluator.builder().UniqueName(plan_.leaves[i].name, "state"), plan_.types[i]));
    }
    lowered.first_leaf = heap_.last_cell() + 1;
    for (const auto& [cell, contents] : plan_.cells)
      heap_.Replace(cell, contents(heap_, lowered.inputs));
    lowered.last_leaf = heap_.last_cell();
    heap_.Enter();
    const Abstract result = evaluator.Run(*entry.graph, std::move(arguments));
    lowered.findings = evaluator.findings();
    Status status;
    if (lowered.findings.empty()) status = AddResults(result, heap_, evaluator.builder());
    const std::vector<CellChange> changes = heap_.Leave();
    DRAGOMAN_TRY(std::move(status));
    return Compare(lowered, changes, evaluator.builder());
  };
  Status status = run();
  if (!status.ok() || lowered.stable) heap_.Leave();
  if (!status.ok()) {
    if (lowered.findings.empty()) return std::move(status).error();
    return Error(lowered.findings);
  }
  return lowered;
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

// Makes what the entry changed beyond the plan part of the plan.
Status ModelLowering::Extend(LoweredEntry& lowered) {
  auto between = std::make_shared<Graph>();
  std::vector<Value*> stand_ins;
  for (const Type& type : lowered.joined) stand_ins.push_back(between->AddInput("", type));
  const JoinedCells cells = JoinCells(heap_, plan_.cells, lowered.changed, stand_ins);
  heap_.Leave();
  plan_.kept.push_back(std::move(between));
  plan_.kept.push_back(std::move(lowered.entry.graph));

  Merger merger;
  plan_.cells.clear();
  for (const auto& [cell, joined] : cells) {
    DRAGOMAN_ASSIGN(MergedContents merged, merger.MergeContents(cell->contents, joined, cell,
                                                                std::monostate(), cell->path));
    plan_.cells.emplace_back(cell, std::move(merged));
  }
  plan_.leaves = merger.leaves();
  plan_.types.clear();
  plan_.initial.clear();
  for (const Leaf& leaf : plan_.leaves) {
    const Type later = TypeOf(leaf.b);
    DRAGOMAN_ASSIGN(Attribute initial, InitialOf(leaf, later));
    plan_.types.push_back(WithoutSymbols(JoinTypes(TypeOfInitial(initial), later)));
    plan_.initial.push_back(std::move(initial));
  }
  return {};
}

Result<Tensor> ModelLowering::InitialTensor(const Leaf& leaf, const Abstract& value) {
  if (const auto* number = value.As<Number>(); number != nullptr && number->known()) {
    if (leaf.kind == Leaf::Kind::kNumber && *leaf.number == Number::Kind::kInt)
      return Tensor::Int(number->AsInt());
    const Number model{leaf.number.value_or(number->kind), std::int64_t{0}};
    return Tensor::Full(model.dtype(), {}, number->AsDouble());
  }
  if (const auto* string = value.As<String>(); string != nullptr && string->known())
    return Tensor::MakeStrings({}, {string->text()});
  const auto* tensor = value.As<TensorRef>();
  if (tensor != nullptr && tensor->path == nullptr) {
    const auto& contents = std::get<StorageContents>(tensor->storage->contents);
    if (contents.constant) return *contents.constant;
  }
  return Unsupported("attribute '" + leaf.name + "' starts as " + Describe(value) +
                     ", which no state can hold");
}

Result<Attribute> ModelLowering::InitialOf(const Leaf& leaf, const Type& type) {
  if (const auto* value = std::get_if<Abstract>(&leaf.a)) {
    DRAGOMAN_ASSIGN(Tensor tensor, InitialTensor(leaf, *value));
    return Attribute(std::move(tensor));
  }
  if (const auto* cell = std::get_if<CellPtr>(&leaf.a)) {
    if (const auto* list = std::get_if<ListContents>(&(*cell)->contents)) {
      Attribute::List items;
      for (const Abstract& item : list->items) {
        DRAGOMAN_ASSIGN(Tensor tensor, InitialTensor(leaf, item));
        items.emplace_back(std::move(tensor));
      }
      return Attribute(std::move(items));
    }
    const auto& storage = std::get<StorageContents>((*cell)->contents);
    if (storage.constant) return Attribute(*storage.constant);
  }
  std::vector<std::int64_t> sizes;
  for (const Dim& dim : type.shape() != nullptr ? *type.shape() : Shape())
    sizes.push_back(dim.known() ? dim.value() : 0);
  DRAGOMAN_ASSIGN(Tensor nothing, Tensor::Full(type.dtype(), sizes, 0));
  return Attribute(std::move(nothing));
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

// Those that no entry reads or writes: what was replaced before anyone read it. One attribute may
// still be two states, its first tensor and what takes its place: their names differ.
void ModelLowering::DropUnusedStates(Model& model) {
  std::vector<bool> used(model.states.size());
  for (const Entry& entry : model.entries) {
    for (const StateBinding& binding : entry.states) used[binding.state] = true;
  }
  std::vector<std::size_t> places(used.size());
  std::vector<State> states;
  NameScope names;
  for (std::size_t i = 0; i < used.size(); ++i) {
    places[i] = states.size();
    if (!used[i]) continue;
    states.push_back(std::move(model.states[i]));
    states.back().name = names.Unique(states.back().name);
  }
  for (Entry& entry : model.entries) {
    for (StateBinding& binding : entry.states) binding.state = places[binding.state];
  }
  model.states = std::move(states);
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
    if (!stable) DRAGOMAN_TRY(Extend(*lowered));
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
