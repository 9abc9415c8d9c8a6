// SPDX-License-Identifier: Apache-2.0
// The values of leaves on either side.
#include <algorithm>
#include <utility>

#include "core/ir/type_algebra.h"
#include "core/lowering/dict_entries.h"
#include "core/lowering/merge.h"
#include "core/lowering/number_value.h"

namespace dragoman {
namespace {

// Something of type `type`, for a side that never uses it.
Result<Value*> Placeholder(GraphBuilder& builder, const Leaf& leaf, const Type& type) {
  if (leaf.kind == Leaf::Kind::kString) {
    DRAGOMAN_ASSIGN(Tensor empty, Tensor::MakeStrings({}, {""}));
    return builder.Constant(std::move(empty));
  }
  if (type.kind() == Type::Kind::kSequence) {
    return builder.Add("SequenceEmpty", {},
                       {{"dtype", static_cast<std::int64_t>(type.element().dtype())}});
  }
  if (type.dtype() == DType::kUnknown)
    return Unsupported("a value that one branch leaves out has an element type that is unknown");
  std::vector<std::int64_t> sizes;
  if (const Shape* shape = type.shape()) {
    for (const Dim& dim : *shape) sizes.push_back(dim.known() ? dim.value() : 1);
  }
  DRAGOMAN_ASSIGN(Tensor zero, Tensor::Full(type.dtype(), sizes, 0));
  return builder.Constant(std::move(zero));
}

// Whether the type of the other side must be known before `side` can be read.
bool WaitsForType(const Leaf& leaf, const LeafSide& side) {
  if (std::holds_alternative<std::monostate>(side)) return true;
  const auto* cell = std::get_if<CellPtr>(&side);
  if (cell == nullptr) return false;
  if (const auto* dict = std::get_if<DictContents>(&(*cell)->contents)) return dict->IsEmpty();
  if (leaf.kind != Leaf::Kind::kSequence) return false;
  return std::get<ListContents>((*cell)->contents).IsEmpty();
}

Result<Value*> ListValue(Heap& heap, GraphBuilder& builder, const CellPtr& cell,
                         const Type& other) {
  const auto& list = std::get<ListContents>(cell->contents);
  if (list.sequence != nullptr) return list.sequence;
  for (const Abstract& item : list.items) {
    if (const auto* tensor = item.As<TensorRef>()) tensor->storage->is_item = true;
  }
  const DType element =
      other.kind() == Type::Kind::kSequence ? other.element().dtype() : DType::kUnknown;
  return SequenceOf(heap, builder, list, element);
}

Result<Value*> DictValue(Heap& heap, GraphBuilder& builder, const Leaf& leaf,
                         const DictContents& dict, const Type& other) {
  if (dict.IsEmpty()) return NoEntries(builder, other);
  return leaf.kind == Leaf::Kind::kKeys ? KeysOf(heap, builder, dict)
                                        : ValuesOf(heap, builder, dict);
}

}  // namespace

Result<Value*> TextValue(GraphBuilder& builder, const String& string) {
  if (string.known()) {
    DRAGOMAN_ASSIGN(Tensor text, Tensor::MakeStrings({}, {string.text()}));
    return builder.Constant(std::move(text));
  }
  Value* value = std::get<Value*>(string.value);
  if (value == nullptr) return Unsupported("a string known only at run time");
  return value;
}

Result<Value*> ItemValue(Heap& heap, GraphBuilder& builder, const Abstract& item) {
  if (const auto* number = item.As<Number>()) return NumberValue(builder, *number, number->dtype());
  if (const auto* tensor = item.As<TensorRef>()) return heap.Read(builder, *tensor);
  if (const auto* string = item.As<String>()) return TextValue(builder, *string);
  return static_cast<Value*>(nullptr);
}

Type TypeOf(const LeafSide& side) {
  if (const auto* value = std::get_if<Value*>(&side)) return (*value)->type();
  const auto* abstract = std::get_if<Abstract>(&side);
  if (abstract == nullptr) return {};
  if (const auto* number = abstract->As<Number>()) return Type::Tensor(number->dtype(), Shape{});
  if (abstract->Is<String>()) return Type::Tensor(DType::kString, Shape{});
  const auto* tensor = abstract->As<TensorRef>();
  if (tensor == nullptr || tensor->path != nullptr) return {};
  const Value* value = std::get<StorageContents>(tensor->storage->contents).value;
  return value != nullptr ? value->type() : Type();
}

Type JoinTypes(const Leaf& leaf, const Type& a, const Type& b) {
  Type joined = a.known() && b.known() ? Generalize(a, b) : a.known() ? a : b;
  if (!leaf.OfDict() || joined.shape() == nullptr || joined.shape()->empty()) return joined;
  Shape shape = *joined.shape();
  shape.front() = Dim::Unknown();
  return joined.WithShape(std::move(shape));
}

Result<Value*> SequenceOf(Heap& heap, GraphBuilder& builder, const ListContents& list,
                          DType element) {
  if (list.sequence != nullptr) return list.sequence;
  if (list.items.empty()) {
    if (element == DType::kUnknown)
      return Unsupported("the element type of a list that starts empty is unknown");
    return builder.Add("SequenceEmpty", {}, {{"dtype", static_cast<std::int64_t>(element)}});
  }
  std::vector<Value*> items;
  for (const Abstract& item : list.items) {
    DRAGOMAN_ASSIGN(items.emplace_back(), ItemValue(heap, builder, item));
    if (items.back() == nullptr) {
      return Unsupported("a list with " + Describe(item) +
                         " cannot have a length known only at run time");
    }
  }
  return builder.Add("SequenceConstruct", std::move(items));
}

Result<Value*> LeafValue(Heap& heap, GraphBuilder& builder, const Leaf& leaf, const LeafSide& side,
                         const Type& other) {
  if (std::holds_alternative<std::monostate>(side)) return Placeholder(builder, leaf, other);
  if (const auto* value = std::get_if<Value*>(&side)) return *value;
  if (const auto* cell = std::get_if<CellPtr>(&side)) {
    if (leaf.kind == Leaf::Kind::kSequence) return ListValue(heap, builder, *cell, other);
    if (const auto* dict = std::get_if<DictContents>(&(*cell)->contents))
      return DictValue(heap, builder, leaf, *dict, other);
    return heap.StorageValue(*cell);
  }
  const auto& abstract = std::get<Abstract>(side);
  if (const auto* number = abstract.As<Number>()) {
    const Number model{*leaf.number, std::int64_t{0}};
    return NumberValue(builder, *number, model.dtype());
  }
  if (const auto* string = abstract.As<String>()) return TextValue(builder, *string);
  const auto* tensor = abstract.As<TensorRef>();
  if (tensor == nullptr) return Internal("a leaf that is " + Describe(abstract));
  return heap.Read(builder, *tensor);
}

bool TakeReturned(const LeafChanges& changes, std::span<Value* const> inputs,
                  std::vector<Value*>& returned) {
  returned.assign(inputs.begin(), inputs.end());
  bool stable = true;
  for (std::size_t i = 0; i < changes.before.size(); ++i) {
    const auto input = std::find(inputs.begin(), inputs.end(), changes.before[i]);
    if (input == inputs.end()) {
      stable = false;
      continue;
    }
    Value*& back = returned[static_cast<std::size_t>(input - inputs.begin())];
    if (back == *input) back = changes.after[i];
    stable = stable && changes.joined[i] == (*input)->type();
  }
  return stable;
}

bool ForgetsMore(std::span<const CellChange> changes, std::uint64_t last_cell) {
  return std::any_of(changes.begin(), changes.end(), [&](const CellChange& change) {
    const auto* after = std::get_if<StorageContents>(&change.contents);
    const auto* before = std::get_if<StorageContents>(&change.cell->contents);
    return change.cell->number <= last_cell && after != nullptr && before != nullptr &&
           IsForgotten(*after) && !IsForgotten(*before);
  });
}

JoinedCells JoinCells(Heap& heap, std::span<const std::pair<CellPtr, MergedContents>> planned,
                      std::span<const std::pair<CellPtr, MergedContents>> changed,
                      LeafValues stand_ins) {
  JoinedCells cells;
  for (const auto& [cell, contents] : planned) cells.emplace_back(cell, cell->contents);
  for (const auto& [cell, contents] : changed) {
    Cell::Contents joined = contents(heap, stand_ins);
    const auto known = std::find_if(cells.begin(), cells.end(), [&cell = cell](const auto& item) {
      return item.first == cell;
    });
    if (known != cells.end()) {
      known->second = std::move(joined);
    } else {
      cells.emplace_back(cell, std::move(joined));
    }
  }
  return cells;
}

Result<std::vector<Value*>> LeafSideValues(Heap& heap, GraphBuilder& builder,
                                           std::span<const Leaf> leaves, bool of_a,
                                           std::span<const Type> types) {
  std::vector<Value*> values(leaves.size(), nullptr);
  const auto read = [&](bool waiting) -> Status {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const LeafSide& side = of_a ? leaves[i].a : leaves[i].b;
      if (WaitsForType(leaves[i], side) != waiting) continue;
      DRAGOMAN_ASSIGN(values[i],
                      LeafValue(heap, builder, leaves[i], side, waiting ? types[i] : Type()));
    }
    return {};
  };
  DRAGOMAN_TRY(read(false));
  if (!types.empty()) DRAGOMAN_TRY(read(true));
  return values;
}

}  // namespace dragoman
