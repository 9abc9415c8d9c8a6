#include "importers/torchscript/state_plan.h"

#include <variant>

#include "core/support/text.h"

namespace dragoman::torchscript {
namespace {

Result<Tensor> InitialTensor(const Leaf& leaf, const Abstract& value) {
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
    const auto& storage = std::get<StorageContents>((*cell)->contents);
    if (storage.constant) return Attribute(*storage.constant);
  }
  std::vector<std::int64_t> sizes;
  for (const Dim& dim : type.shape() != nullptr ? *type.shape() : Shape())
    sizes.push_back(dim.known() ? dim.value() : 0);
  DRAGOMAN_ASSIGN(Tensor nothing, Tensor::Full(type.dtype(), sizes, 0));
  return Attribute(std::move(nothing));
}

Type TypeOfInitial(const Attribute& initial) {
  if (const Tensor* tensor = initial.tensor()) return tensor->type();
  return {};
}

}  // namespace

Type WithoutSymbols(const Type& type) {
  if (type.kind() == Type::Kind::kSequence) return Type::Sequence(WithoutSymbols(type.element()));
  if (type.shape() == nullptr) return type;
  Shape shape;
  for (const Dim& dim : *type.shape()) shape.push_back(dim.known() ? dim : Dim::Unknown());
  return type.WithShape(std::move(shape));
}

Status StatePlan::Extend(std::span<const std::pair<CellPtr, MergedContents>> changed,
                         std::span<const Type> joined, Heap& heap) {
  auto between = std::make_shared<Graph>();
  std::vector<Value*> stand_ins;
  for (const Type& type : joined) stand_ins.push_back(between->AddInput("", type));
  const JoinedCells joined_cells = JoinCells(heap, cells, changed, stand_ins);
  heap.Leave();
  kept.push_back(std::move(between));

  Merger merger;
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
    types.push_back(WithoutSymbols(JoinTypes(TypeOfInitial(start), later)));
    initial.push_back(std::move(start));
  }
  return {};
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

}  // namespace dragoman::torchscript
