// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/state_plan.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/support/count_elements.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

Result<Tensor> InitialTensor(const Leaf& leaf, const Abstract& value) {
  if (const auto* number = value.As<Number>(); number != nullptr && number->known()) {
    const Number model{leaf.number.value_or(number->kind), std::int64_t{0}};
    if (model.kind == Number::Kind::kInt) return Tensor::Int(number->AsInt());
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

// Tensors of one type along a new first axis.
Result<Tensor> Stacked(const Leaf& leaf, std::span<const Tensor> rows) {
  std::vector<std::string> strings;
  std::vector<std::byte> bytes;
  for (const Tensor& row : rows) {
    if (row.type() != rows.front().type())
      return Unsupported("attribute '" + leaf.name +
                         "' starts as tensors of several types, which no state can hold");
    if (row.dtype() == DType::kString)
      strings.insert(strings.end(), row.strings().begin(), row.strings().end());
    bytes.insert(bytes.end(), row.bytes().begin(), row.bytes().end());
  }
  std::vector<std::int64_t> sizes = rows.front().sizes();
  sizes.insert(sizes.begin(), std::ssize(rows));
  const DType dtype = rows.front().dtype();
  if (dtype == DType::kString) return Tensor::MakeStrings(std::move(sizes), std::move(strings));
  return Tensor::Make(dtype, std::move(sizes), Buffer::Copy(bytes));
}

// The keys or the values of a dict that has some.
Result<Tensor> InitialEntries(const Leaf& leaf, const DictContents& dict) {
  std::vector<Tensor> rows;
  for (const auto& [key, value] : dict.items) {
    DRAGOMAN_ASSIGN(rows.emplace_back(),
                    InitialTensor(leaf, leaf.kind == Leaf::Kind::kKeys ? key : value));
  }
  return Stacked(leaf, rows);
}

// `type`: what takes its place later.
Result<Attribute> InitialOf(const Leaf& leaf, const Type& type) {
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
    const auto* dict = std::get_if<DictContents>(&(*cell)->contents);
    if (dict != nullptr && !dict->items.empty()) {
      DRAGOMAN_ASSIGN(Tensor entries, InitialEntries(leaf, *dict));
      return Attribute(std::move(entries));
    }
    const auto* storage = std::get_if<StorageContents>(&(*cell)->contents);
    if (storage != nullptr && storage->constant) return Attribute(*storage->constant);
  }
  std::vector<std::int64_t> sizes;
  for (const Dim& dim : type.shape() != nullptr ? *type.shape() : Shape())
    sizes.push_back(dim.known() ? dim.value() : 0);
  const bool text = type.dtype() == DType::kString;
  const auto count = static_cast<std::size_t>(CountElements(sizes).value_or(0));
  DRAGOMAN_ASSIGN(Tensor nothing, text ? Tensor::MakeStrings(sizes, std::vector<std::string>(count))
                                       : Tensor::Full(type.dtype(), sizes, 0));
  return Attribute(std::move(nothing));
}

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

// What was written in place into the cells that hold states. The objects around them change
// nothing, unless they hold other cells now.
Status TakeLeafChanges(PlannedEntry& entry, std::span<const CellChange> changes,
                       const Graph& graph) {
  const auto held = [](const Cell::Contents& contents) -> Value* {
    if (const auto* storage = std::get_if<StorageContents>(&contents)) return storage->value;
    const auto* list = std::get_if<ListContents>(&contents);
    return list != nullptr ? list->sequence : nullptr;
  };
  for (const CellChange& change : changes) {
    if (change.cell->number < entry.first_leaf || change.cell->number > entry.last_leaf) continue;
    const auto input = std::ranges::find(entry.inputs, held(change.cell->contents));
    Value* after = held(change.contents);
    const bool is_input = input != entry.inputs.end();
    const auto at = static_cast<std::size_t>(input - entry.inputs.begin());
    if (is_input && entry.returned[at] != *input) continue;  // another cell is in its place now
    if (!is_input || after == nullptr)
      return Unsupported("entry '" + graph.name() +
                         "' writes into what another entry puts in its place");
    entry.returned[at] = after;
  }
  return {};
}

}  // namespace

PlannedEntry StatePlan::Begin(Heap& heap, GraphBuilder& builder) const {
  PlannedEntry entry;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    entry.inputs.push_back(
        builder.graph().AddInput(builder.UniqueName(leaves[i].name, "state"), types[i]));
  }
  entry.first_leaf = heap.last_cell() + 1;
  for (const auto& [cell, contents] : cells) heap.Replace(cell, contents(heap, entry.inputs));
  entry.last_leaf = heap.last_cell();
  return entry;
}

Status StatePlan::Compare(PlannedEntry& entry, std::span<const CellChange> changes,
                          std::uint64_t last_cell, Heap& heap, GraphBuilder& builder) {
  Merger merger({}, changes);
  merger.EndNames();
  for (const CellChange& change : changes) {
    if (change.cell->number > last_cell) continue;
    DRAGOMAN_ASSIGN(MergedContents merged, merger.MergeCell(change.cell));
    entry.changed.emplace_back(change.cell, std::move(merged));
  }
  const std::vector<Leaf>& leaves = merger.leaves();
  DRAGOMAN_ASSIGN(const std::vector<Value*> before, LeafSideValues(heap, builder, leaves, true));
  heap.Enter();
  for (const CellChange& change : changes) heap.Replace(change.cell, change.contents);
  Result<std::vector<Value*>> after = LeafSideValues(heap, builder, leaves, false);
  for (std::size_t i = 0; after.ok() && i < leaves.size(); ++i) {
    const Type a = before[i] != nullptr ? before[i]->type() : Type();
    const Type b = (*after)[i] != nullptr ? (*after)[i]->type() : Type();
    entry.joined.push_back(WithoutSymbols(JoinTypes(leaves[i], a, b)));
    if ((*after)[i] != nullptr) continue;
    Result<Value*> value = LeafValue(heap, builder, leaves[i], leaves[i].b, entry.joined[i]);
    if (!value.ok()) {
      after = std::move(value).error();
    } else {
      (*after)[i] = *value;
    }
  }
  heap.Leave();
  if (!after.ok()) return std::move(after).error();
  entry.stable = TakeReturned({before, *after, entry.joined}, entry.inputs, entry.returned) &&
                 !ForgetsMore(changes, last_cell);
  return TakeLeafChanges(entry, changes, builder.graph());
}

Status StatePlan::Extend(const PlannedEntry& entry, Heap& heap) {
  auto between = std::make_shared<Graph>();
  std::vector<Value*> stand_ins;
  for (const Type& type : entry.joined) stand_ins.push_back(between->AddInput("", type));
  const JoinedCells joined_cells = JoinCells(heap, cells, entry.changed, stand_ins);
  heap.Leave();
  kept.push_back(std::move(between));

  Merger merger;
  merger.EndNames();
  cells.clear();
  for (const auto& [cell, contents] : joined_cells) {
    DRAGOMAN_ASSIGN(MergedContents merged, merger.MergeContents(cell->contents, contents, cell,
                                                                std::monostate(), cell->path));
    cells.emplace_back(cell, std::move(merged));
  }
  leaves = merger.leaves();
  types.clear();
  initial.clear();
  for (const Leaf& leaf : leaves) {
    const Type later = TypeOf(leaf.b);
    DRAGOMAN_ASSIGN(Attribute start, InitialOf(leaf, later));
    types.push_back(WithoutSymbols(JoinTypes(leaf, TypeOfInitial(start), later)));
    initial.push_back(std::move(start));
  }
  return {};
}

std::vector<State> StatePlan::States() const {
  std::vector<State> states;
  for (std::size_t i = 0; i < leaves.size(); ++i)
    states.push_back({leaves[i].name, types[i], initial[i]});
  return states;
}

void BindStates(PlannedEntry& planned, Entry& entry) {
  Graph& graph = *entry.graph;
  for (std::size_t i = planned.inputs.size(); i-- > 0;) {
    if (planned.returned[i] != planned.inputs[i] || planned.inputs[i]->used()) continue;
    // Another state may take over what this one holds.
    if (std::ranges::count(planned.returned, planned.inputs[i]) > 1) continue;
    graph.RemoveInput(planned.inputs[i]->index());
    planned.inputs[i] = nullptr;
  }
  for (std::size_t i = 0; i < planned.inputs.size(); ++i) {
    if (planned.inputs[i] == nullptr) continue;
    entry.states.push_back({i, planned.inputs[i]->index(), graph.num_outputs()});
    graph.AddOutput(planned.returned[i]);
  }
}

void DropUnusedStates(Model& model) {
  std::vector<bool> used(model.states.size());
  for (const Entry& entry : model.entries) {
    for (const StateBinding& binding : entry.states) used[binding.state] = true;
  }
  std::vector<std::size_t> places(used.size());
  std::vector<State> states;
  NameScope names;  // an attribute may be two States: its first tensor, and what takes its place
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

}  // namespace dragoman
