// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/lower/loaded_cells.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/find_as.h"
#include "importers/torch/container/quantized_grid.h"
#include "importers/torch/container/sparse_parts.h"
#include "importers/torch/lower/shared_storages.h"
#include "importers/torch/ops/foreign_values.h"
#include "importers/torch/script/class_table.h"

namespace dragoman::torch {
namespace {

// "self.lstm.h0" is called "lstm.h0" outside.
std::string InterfaceName(const std::string& path) {
  constexpr std::string_view kRoot = "self.";
  if (path == "self") return "";
  return path.starts_with(kRoot) ? path.substr(kRoot.size()) : path;
}

Error NotUnderstood(const std::string& name) {
  return InvalidInput("state '" + name + "' is not as a TorchScript source graph has it");
}

Status SetGridOf(const Attribute::Dict& tensor, const CellPtr& cell, Heap& heap) {
  DRAGOMAN_ASSIGN(std::optional<QuantizedGrid> grid, GridOf(tensor));
  if (!grid) return {};
  heap.SetDecode(cell, [q = *std::move(grid)](GraphBuilder& root, Value* stored) {
    Value* scale = root.Constant(q.scale);
    Value* zero_point = root.Constant(q.zero_point);
    return root.Add("DequantizeLinear", {stored, scale, zero_point}, {{"axis", q.axis}});
  });
  return {};
}

// Where in its storage the elements of a tensor lie.
void SetPlaceOf(const Attribute::Dict& tensor, const CellPtr& cell) {
  const Attribute* offset = Find(tensor, "offset");
  if (offset != nullptr && offset->As<std::int64_t>() != nullptr)
    cell->offset = *offset->As<std::int64_t>();
  const Attribute* strides = Find(tensor, "strides");
  const auto* steps = strides != nullptr ? strides->As<Attribute::Ints>() : nullptr;
  const Attribute* stored = Find(tensor, "tensor");
  const Tensor* data = stored != nullptr ? stored->tensor() : nullptr;
  if (steps == nullptr || data == nullptr) return;
  cell->strides = MakeStrides({steps->begin(), steps->end()},
                              Shape(data->sizes().begin(), data->sizes().end()));
}

Abstract EmptyCell(const State& state, Heap& heap) {
  switch (state.type.kind()) {
    case Type::Kind::kSequence:
      return ListRef{heap.NewCell(ListContents{})};
    case Type::Kind::kMap:
      return DictRef{heap.NewCell(DictContents{})};
    case Type::Kind::kOpaque:
      if (state.type.opaque_name().starts_with("Dict["))
        return DictRef{heap.NewCell(DictContents{})};
      return ObjectRef{heap.NewCell(ObjectContents{state.type.opaque_name(), {}})};
    default:
      return TensorRef{heap.NewCell(StorageContents{}), nullptr};
  }
}

std::unordered_set<std::string_view> BuffersOf(const Model& source, const std::string& class_name) {
  const Attribute::Dict* description = FindClass(source, class_name);
  const auto* names = FindAs<Attribute::Strings>(description, "buffers");
  if (names == nullptr) return {};
  return {names->begin(), names->end()};
}

const CellPtr& CellOf(const Abstract& reference) {
  if (const auto* object = reference.As<ObjectRef>()) return object->cell;
  if (const auto* tensor = reference.As<TensorRef>()) return tensor->storage;
  if (const auto* list = reference.As<ListRef>()) return list->cell;
  return reference.As<DictRef>()->cell;
}

Status FillTensor(const State& state, const CellPtr& cell, Heap& heap) {
  auto& contents = std::get<StorageContents>(cell->contents);
  const Attribute* data = &state.initial;
  if (const auto* parts = data->As<Attribute::Dict>()) {
    DRAGOMAN_TRY(SetGridOf(*parts, cell, heap));
    SetPlaceOf(*parts, cell);
    data = Find(*parts, "tensor");
    if (Find(*parts, "layout") != nullptr) {
      DRAGOMAN_ASSIGN(contents.constant, ExpandParts(*parts));
    }
  }
  if (data != nullptr && data->tensor() != nullptr) contents.constant = *data->tensor();
  return {};
}

}  // namespace

Result<Abstract> ConstantValue(const Model& source, const Attribute& value, Heap& heap) {
  return LoadedCells(source).ValueOf(value, heap);
}

const Attribute::Dict* FindClass(const Model& source, const std::string& name) {
  return FindAs<Attribute::Dict>(FindAs<Attribute::Dict>(source.extra, kClassTable), name);
}

// `qualified`: "__torch__.m.Color.RED".
Abstract LoadedCells::EnumeratorOf(const std::string& qualified, Heap& heap) const {
  const std::size_t dot = qualified.rfind('.');
  Enumerator enumerator;
  enumerator.class_name = qualified.substr(0, dot);
  enumerator.name = qualified.substr(dot + 1);
  const Attribute::Dict* description = FindClass(*source_, enumerator.class_name);
  const auto* table = FindAs<Attribute::Dict>(description, "values");
  const Attribute* value = table != nullptr ? Find(*table, enumerator.name) : nullptr;
  if (value != nullptr && value->As<Symbol>() == nullptr) {
    Result<Abstract> made = ValueOf(*value, heap);
    if (made.ok()) enumerator.value = std::make_shared<const Abstract>(std::move(*made));
  }
  return enumerator;
}

Result<Abstract> LoadedCells::ValueOf(const Attribute& value, Heap& heap) const {
  if (value.kind() == Attribute::Kind::kNone) return Abstract(None());
  if (const auto* v = value.As<std::int64_t>()) return Abstract(Number::Int(*v));
  if (const auto* v = value.As<double>()) return Abstract(Number::Float(*v));
  if (const auto* v = value.As<float>()) return Abstract(Number::Float(*v));
  if (const auto* v = value.As<bool>()) return Abstract(Number::Bool(*v));
  if (const auto* v = value.As<Attribute::Complex>()) return Abstract(Number::Complex(*v));
  if (const auto* v = value.As<std::string>()) return Abstract(String{*v});
  if (const Tensor* v = value.tensor()) {
    return Abstract(TensorRef{heap.NewCell(StorageContents{nullptr, *v}), nullptr});
  }
  if (const auto* v = value.As<Symbol>()) {
    const auto found = cells_.find(v->name);
    return found != cells_.end() ? found->second : EnumeratorOf(v->name, heap);
  }
  if (const auto* v = value.As<Attribute::Dict>()) {
    if (const Attribute* device = Find(*v, "device"); device && device->As<std::string>())
      return Abstract(Device{*device->As<std::string>()});
    if (const Attribute* tensor = Find(*v, "tensor"); tensor && tensor->tensor() != nullptr) {
      DRAGOMAN_ASSIGN(Abstract made, ValueOf(*tensor, heap));
      DRAGOMAN_TRY(SetGridOf(*v, made.As<TensorRef>()->storage, heap));
      SetPlaceOf(*v, made.As<TensorRef>()->storage);
      return made;
    }
  }
  std::vector<Abstract> items;
  auto add = [&](const auto& list) -> Status {
    for (const auto& item : list) {
      DRAGOMAN_ASSIGN(Abstract made, ValueOf(Attribute(item), heap));
      items.push_back(std::move(made));
    }
    return {};
  };
  if (const auto* v = value.As<Attribute::List>()) {
    DRAGOMAN_TRY(add(*v));
  } else if (const auto* v = value.As<Attribute::Ints>()) {
    DRAGOMAN_TRY(add(*v));
  } else if (const auto* v = value.As<Attribute::Doubles>()) {
    DRAGOMAN_TRY(add(*v));
  } else if (const auto* v = value.As<Attribute::Strings>()) {
    DRAGOMAN_TRY(add(*v));
  } else if (const auto* v = value.As<Attribute::Tensors>()) {
    DRAGOMAN_TRY(add(*v));
  } else {
    return Unsupported("a constant of kind " + std::string(Name(value.kind())));
  }
  return Abstract(Tuple{std::make_shared<const std::vector<Abstract>>(std::move(items))});
}

Status LoadedCells::FillObject(const State& state, ObjectContents& contents, Heap& heap) const {
  const auto* attributes = state.initial.As<Attribute::Dict>();
  if (attributes == nullptr) return NotUnderstood(state.name);
  const std::unordered_set<std::string_view> buffers = BuffersOf(*source_, contents.class_name);
  for (const NamedAttribute& attribute : *attributes) {
    DRAGOMAN_ASSIGN(Abstract value, ValueOf(attribute.value, heap));
    if (const auto* tensor = value.As<TensorRef>();
        tensor != nullptr && buffers.contains(attribute.name))
      std::get<StorageContents>(tensor->storage->contents).is_buffer = true;
    contents.attributes.emplace_back(attribute.name, std::move(value));
  }
  return {};
}

void LoadedCells::NoteOverlap(const State& state, const CellPtr& cell) {
  const std::optional<Placement> placement = PlacementOf(state);
  if (placement && MayOverlap(*placement))
    barriers_.emplace(cell.get(), Barrier{"several of its elements lie in one place", ""});
}

Status LoadedCells::Fill(const State& state, Heap& heap) {
  if (joined_.contains(state.name)) return {};
  const Abstract& reference = cells_.at(state.name);
  const CellPtr& cell = CellOf(reference);
  cell->path = InterfaceName(state.name);
  if (auto* object = std::get_if<ObjectContents>(&cell->contents))
    return FillObject(state, *object, heap);
  if (reference.Is<TensorRef>()) {
    NoteOverlap(state, cell);
    return FillTensor(state, cell, heap);
  }
  DRAGOMAN_ASSIGN(Abstract value, ValueOf(state.initial, heap));
  const auto* tuple = value.As<Tuple>();
  if (tuple == nullptr) return NotUnderstood(state.name);
  const std::vector<Abstract>& items = *tuple->items;
  if (auto* list = std::get_if<ListContents>(&cell->contents)) {
    list->items = items;
    return {};
  }
  auto& dict = std::get<DictContents>(cell->contents);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2)
    dict.items.emplace_back(items[i], items[i + 1]);
  return {};
}

Result<LoadedCells> LoadedCells::Load(const Model& source, Heap& heap,
                                      const std::set<std::string>& joined) {
  LoadedCells loaded(source);
  for (const State& state : source.states)
    loaded.cells_.emplace(state.name, EmptyCell(state, heap));
  for (const SharedGroup& group : SharedGroups(source)) {
    const bool is_joined = std::ranges::any_of(
        group, [&](const PlacedTensor& tensor) { return joined.contains(tensor.state->name); });
    if (is_joined && loaded.Join(group, heap)) continue;
    for (const PlacedTensor& tensor : group) {
      const PlacedTensor& other = tensor.state == group.front().state ? group[1] : group.front();
      const bool can_join = !is_joined && JoinStorage(group).has_value();
      loaded.barriers_[CellOf(loaded.cells_.at(tensor.state->name)).get()] = {
          "'" + InterfaceName(other.state->name) + "' has some of its elements in another form",
          can_join ? tensor.state->name : ""};
    }
  }
  for (const State& state : source.states) DRAGOMAN_TRY(loaded.Fill(state, heap));
  return loaded;
}

bool LoadedCells::Join(const SharedGroup& group, Heap& heap) {
  std::optional<JoinedStorage> joined = JoinStorage(group);
  if (!joined) return false;
  const std::string& first = group[joined->first].state->name;
  const TensorRef whole = *cells_.at(first).As<TensorRef>();
  whole.storage->path = InterfaceName(first);
  whole.storage->offset = joined->offset;
  heap.Replace(whole.storage, StorageContents{nullptr, joined->elements});
  for (const PlacedTensor& tensor : group) {
    joined_.insert(tensor.state->name);
    cells_[tensor.state->name] = Heap::View(whole, StepTo(tensor.placement, *joined));
  }
  if (joined->is_first) cells_[first] = whole;
  return true;
}

const LoadedCells::Barrier* LoadedCells::BarrierOf(const CellPtr& cell) const {
  const auto found = barriers_.find(cell.get());
  return found != barriers_.end() ? &found->second : nullptr;
}

Result<Abstract> LoadedCells::Root() const {
  const auto found = cells_.find("self");
  if (found == cells_.end()) return InvalidInput("the model has no root object");
  return found->second;
}

}  // namespace dragoman::torch
