// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/merge.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/lowering/dict_entries.h"
#include "core/lowering/tuples.h"

namespace dragoman {
namespace {

MergedValue Keep(Abstract value) {
  return [value = std::move(value)](Heap&, LeafValues) { return value; };
}

Error NoCommonForm(const Abstract& a, const Abstract& b) {
  return Unsupported(Describe(a) + " on one way and " + Describe(b) +
                     " on another have no common form");
}

std::string Join(const std::string& name, const std::string& part) {
  return name.empty() ? part : name + "." + part;
}

// What a key of a dict is called in names.
std::string KeyText(const Abstract& key) {
  if (const auto* string = key.As<String>()) return string->known() ? string->text() : "";
  const auto* number = key.As<Number>();
  if (number == nullptr || !number->known()) return "";
  return number->kind == Number::Kind::kFloat ? std::to_string(number->AsDouble())
                                              : std::to_string(number->AsInt());
}

bool SameKey(const std::pair<Abstract, Abstract>& a, const std::pair<Abstract, Abstract>& b) {
  const auto* string = a.first.As<String>();
  const auto* other_string = b.first.As<String>();
  if (string != nullptr && other_string != nullptr) return string->value == other_string->value;
  const auto* number = a.first.As<Number>();
  const auto* other = b.first.As<Number>();
  return number != nullptr && other != nullptr && *number == *other;
}

// The kind of a list's elements: nullopt for tensors, or if there are none.
std::optional<Number::Kind> ElementKind(const ListContents& list) {
  if (list.sequence != nullptr || list.items.empty()) return list.numbers;
  const auto* number = list.items.front().As<Number>();
  return number != nullptr ? std::optional(number->kind) : std::nullopt;
}

bool CanBeSequence(const ListContents& list) {
  return std::all_of(list.items.begin(), list.items.end(), [](const Abstract& item) {
    return item.Is<TensorRef>() || item.Is<Number>() || item.Is<String>();
  });
}

// Values but tuples, which may nest deeper.
constexpr int kMaxDepth = 500;
// A tuple may hold another one any number of times.
constexpr std::size_t kMaxParts = 1'000'000;

// Two tuples, or one and nothing, whose items are walked.
struct TuplePair {
  std::span<const Abstract> a;
  std::span<const Abstract> b;
  std::vector<Abstract> absent;  // what a side without a tuple has
  std::string name;
  std::size_t next = 0;
};

bool IsTuplePair(const Abstract& a, const Abstract& b) {
  const auto* x = a.As<Tuple>();
  const auto* y = b.As<Tuple>();
  if (x != nullptr && y != nullptr) return x->items != y->items;
  return (x != nullptr && b.Is<Uninitialized>()) || (y != nullptr && a.Is<Uninitialized>());
}

Result<TuplePair> PairOf(const Abstract& a, const Abstract& b, std::string name) {
  const auto* x = a.As<Tuple>();
  const auto* y = b.As<Tuple>();
  TuplePair pair;
  pair.name = std::move(name);
  if (x == nullptr || y == nullptr)
    pair.absent.assign((x != nullptr ? x : y)->items->size(), Uninitialized());
  pair.a = x != nullptr ? std::span(*x->items) : std::span<const Abstract>(pair.absent);
  pair.b = y != nullptr ? std::span(*y->items) : std::span<const Abstract>(pair.absent);
  if (pair.a.size() != pair.b.size())
    return Unsupported("tuples of different length have no common form");
  return pair;
}

// Makes a value, or a tuple of so many values made before.
using TupleStep = std::variant<MergedValue, std::size_t>;

Abstract RunSteps(const std::vector<TupleStep>& steps, Heap& heap, LeafValues values) {
  std::vector<Abstract> made;
  for (const TupleStep& step : steps) {
    if (const auto* value = std::get_if<MergedValue>(&step)) {
      made.push_back((*value)(heap, values));
      continue;
    }
    const auto first = made.end() - static_cast<std::ptrdiff_t>(std::get<std::size_t>(step));
    std::vector<Abstract> items(std::make_move_iterator(first),
                                std::make_move_iterator(made.end()));
    made.erase(first, made.end());
    made.push_back(NestedTuple(std::move(items)));
  }
  return std::move(made.front());
}

}  // namespace

bool SameTensor(const TensorRef& a, const TensorRef& b) {
  return a.storage == b.storage && a.path == b.path;
}

Merger::Merger(std::span<const CellChange> a, std::span<const CellChange> b) {
  for (const CellChange& change : a) changed_a_[change.cell.get()] = &change.contents;
  for (const CellChange& change : b) changed_b_[change.cell.get()] = &change.contents;
}

const Cell::Contents& Merger::ContentsOf(const CellPtr& cell, const Changed& changed) const {
  const auto found = changed.find(cell.get());
  return found != changed.end() ? *found->second : cell->contents;
}

std::size_t Merger::AddLeaf(Leaf leaf) {
  leaves_.push_back(std::move(leaf));
  return leaves_.size() - 1;
}

Status Merger::CountPart() {
  if (++parts_ > kMaxParts) return Unsupported("values of too many parts where two ways meet");
  return {};
}

Result<MergedValue> Merger::Merge(const Abstract& a, const Abstract& b, const std::string& name) {
  if (depth_ == kMaxDepth) return Unsupported("values nest too deep where two ways meet");
  DRAGOMAN_TRY(CountPart());
  ++depth_;
  Result<MergedValue> merged = MergeForms(a, b, name);
  --depth_;
  return merged;
}

Result<MergedValue> Merger::MergeForms(const Abstract& a, const Abstract& b,
                                       const std::string& name) {
  if (a.Is<Poison>() || b.Is<Poison>()) return Keep(Poison());
  if (a.Is<Uninitialized>() && b.Is<Uninitialized>()) return Keep(a);
  if (a.Is<None>() && b.Is<None>()) return Keep(a);
  if ((a.Is<None>() && b.Is<Uninitialized>()) || (b.Is<None>() && a.Is<Uninitialized>()))
    return Keep(None());
  if (a.Is<None>() || b.Is<None>() || a.Is<Maybe>() || b.Is<Maybe>()) return MergeMaybe(a, b, name);
  const Abstract& some = a.Is<Uninitialized>() ? b : a;
  if (a.value.index() != b.value.index() && !a.Is<Uninitialized>() && !b.Is<Uninitialized>())
    return NoCommonForm(a, b);
  if (some.Is<TensorRef>()) return MergeTensors(a, b, name);
  if (some.Is<Number>()) return MergeNumbers(a, b, name);
  if (some.Is<Tuple>()) return MergeTuples(a, b, name);
  auto cell_of = [](const Abstract& value) {
    if (const auto* list = value.As<ListRef>()) return list->cell;
    if (const auto* dict = value.As<DictRef>()) return dict->cell;
    if (const auto* object = value.As<ObjectRef>()) return object->cell;
    return CellPtr();
  };
  if (cell_of(some) != nullptr) return MergeCells(a, b, cell_of(a), cell_of(b), name);
  if (a.Is<Uninitialized>() || b.Is<Uninitialized>()) return Keep(some);
  if (const auto* string = a.As<String>()) {
    if (string->value == b.As<String>()->value) return Keep(a);
    const std::size_t index = AddLeaf({Leaf::Kind::kString, std::nullopt, a, b, name});
    return MergedValue(
        [index](Heap&, LeafValues values) { return Abstract(String{values[index]}); });
  }
  if (const auto* foreign = a.As<ForeignPtr>()) {
    if ((*foreign)->IsSame(**b.As<ForeignPtr>())) return Keep(a);
    return NoCommonForm(a, b);
  }
  return Keep(a);
}

Result<MergedValue> Merger::MergeMaybe(const Abstract& a, const Abstract& b,
                                       const std::string& name) {
  auto present = [](const Abstract& value) -> Abstract {
    if (value.Is<None>()) return Number::Bool(false);
    if (value.Is<Uninitialized>()) return value;
    const auto* maybe = value.As<Maybe>();
    return maybe != nullptr ? Number{Number::Kind::kBool, maybe->present} : Number::Bool(true);
  };
  auto payload = [](const Abstract& value) -> Abstract {
    if (value.Is<None>()) return Uninitialized();
    const auto* maybe = value.As<Maybe>();
    return maybe != nullptr ? *maybe->payload : value;
  };
  DRAGOMAN_ASSIGN(MergedValue flag, Merge(present(a), present(b), Join(name, "present")));
  DRAGOMAN_ASSIGN(MergedValue value, Merge(payload(a), payload(b), name));
  return MergedValue([flag, value](Heap& heap, LeafValues values) -> Abstract {
    const Abstract is_present = flag(heap, values);
    Abstract content = value(heap, values);
    Value* known = is_present.As<Number>()->symbolic();
    if (known == nullptr) return is_present.As<Number>()->AsInt() != 0 ? content : Abstract(None());
    return Maybe{known, std::make_shared<const Abstract>(std::move(content))};
  });
}

Result<MergedValue> Merger::MergeNumbers(const Abstract& a, const Abstract& b,
                                         const std::string& name) {
  const auto* x = a.As<Number>();
  const auto* y = b.As<Number>();
  if (x == nullptr && y->known()) return Keep(b);
  if (y == nullptr && x->known()) return Keep(a);
  if (x != nullptr && y != nullptr && *x == *y) return Keep(a);
  const Number::Kind kind = std::max((x != nullptr ? x : y)->kind, (y != nullptr ? y : x)->kind);
  Leaf leaf{Leaf::Kind::kNumber, kind, {}, {}, name};
  if (x != nullptr) leaf.a = a;
  if (y != nullptr) leaf.b = b;
  const std::size_t index = AddLeaf(std::move(leaf));
  return MergedValue([index, kind](Heap&, LeafValues values) {
    return Abstract(Number{kind, values[index]});
  });
}

Result<MergedValue> Merger::MergeTensors(const Abstract& a, const Abstract& b,
                                         const std::string& name) {
  const auto* x = a.As<TensorRef>();
  const auto* y = b.As<TensorRef>();
  if (x != nullptr && y != nullptr && SameTensor(*x, *y)) return Keep(a);
  Leaf leaf{Leaf::Kind::kTensor, std::nullopt, {}, {}, name};
  if (x != nullptr) leaf.a = a;
  if (y != nullptr) leaf.b = b;
  const Strides strides = x != nullptr && y != nullptr
                              ? JoinStrides(Heap::StridesOf(*x), Heap::StridesOf(*y))
                              : Heap::StridesOf(x != nullptr ? *x : *y);
  std::vector<CellPtr> chosen;
  bool is_item = false;
  for (const TensorRef* side : {x, y}) {
    if (side == nullptr || !keeps_names_) continue;
    chosen.push_back(side->storage);
    is_item = is_item || side->storage->is_item;
  }
  const std::size_t index = AddLeaf(std::move(leaf));
  return MergedValue([index, strides, chosen, is_item](Heap& heap, LeafValues values) {
    const Abstract merged = heap.NewTensor(values[index], strides);
    const CellPtr& storage = merged.As<TensorRef>()->storage;
    storage->is_item = is_item;
    heap.NoteChoice(storage, chosen);
    return merged;
  });
}

// Without recursion: a file controls how deep tuples nest.
Result<MergedValue> Merger::MergeTuples(const Abstract& a, const Abstract& b,
                                        const std::string& name) {
  if (!IsTuplePair(a, b)) return Keep(a);
  std::vector<TuplePair> open;
  std::vector<TupleStep> steps;
  DRAGOMAN_ASSIGN(TuplePair whole, PairOf(a, b, name));
  open.push_back(std::move(whole));
  while (!open.empty()) {
    TuplePair& pair = open.back();
    if (pair.next == pair.a.size()) {
      steps.emplace_back(pair.next);
      open.pop_back();
      continue;
    }
    const std::size_t i = pair.next++;
    std::string part = Join(pair.name, std::to_string(i));
    if (!IsTuplePair(pair.a[i], pair.b[i])) {
      DRAGOMAN_ASSIGN(MergedValue item, Merge(pair.a[i], pair.b[i], part));
      steps.emplace_back(std::move(item));
      continue;
    }
    DRAGOMAN_TRY(CountPart());
    DRAGOMAN_ASSIGN(TuplePair inner, PairOf(pair.a[i], pair.b[i], std::move(part)));
    open.push_back(std::move(inner));
  }
  return MergedValue([steps = std::move(steps)](Heap& heap, LeafValues values) {
    return RunSteps(steps, heap, values);
  });
}

Result<MergedValue> Merger::MergeCells(const Abstract& a, const Abstract& b, const CellPtr& cell_a,
                                       const CellPtr& cell_b, const std::string& name) {
  if (cell_a == cell_b) return Keep(a);
  const CellPtr& some = cell_a != nullptr ? cell_a : cell_b;
  const Cell::Contents& contents_a = ContentsOf(cell_a != nullptr ? cell_a : some, changed_a_);
  const Cell::Contents& contents_b = ContentsOf(cell_b != nullptr ? cell_b : some, changed_b_);
  DRAGOMAN_ASSIGN(MergedContents contents,
                  MergeContents(contents_a, contents_b, cell_a != nullptr ? cell_a : some,
                                cell_b != nullptr ? cell_b : some, name));
  const Abstract& model = cell_a != nullptr ? a : b;
  return MergedValue([contents, model](Heap& heap, LeafValues values) -> Abstract {
    CellPtr cell = heap.NewCell(contents(heap, values));
    if (model.Is<ListRef>()) return ListRef{std::move(cell)};
    if (model.Is<DictRef>()) return DictRef{std::move(cell)};
    return ObjectRef{std::move(cell)};
  });
}

Result<MergedContents> Merger::MergeCell(const CellPtr& cell) {
  return MergeContents(ContentsOf(cell, changed_a_), ContentsOf(cell, changed_b_), cell, cell,
                       cell->path);
}

Result<MergedContents> Merger::MergeContents(const Cell::Contents& a, const Cell::Contents& b,
                                             const LeafSide& side_a, const LeafSide& side_b,
                                             const std::string& name) {
  if (const auto* x = std::get_if<StorageContents>(&a))
    return MergeStorages(*x, std::get<StorageContents>(b), side_a, side_b, name);
  if (const auto* x = std::get_if<ListContents>(&a))
    return MergeLists(*x, std::get<ListContents>(b), side_a, side_b, name);
  if (const auto* x = std::get_if<DictContents>(&a))
    return MergeDicts(*x, std::get<DictContents>(b), side_a, side_b, name);
  return MergeObjects(std::get<ObjectContents>(a), std::get<ObjectContents>(b), name);
}

MergedContents Merger::MergeStorages(const StorageContents& a, const StorageContents& b,
                                     const LeafSide& side_a, const LeafSide& side_b,
                                     const std::string& name) {
  if (a.value != nullptr && a.value == b.value)
    return [a](Heap&, LeafValues) -> Cell::Contents { return a; };
  if (IsForgotten(a) || IsForgotten(b))
    return [](Heap&, LeafValues) -> Cell::Contents { return StorageContents(); };
  const std::size_t index =
      AddLeaf({Leaf::Kind::kTensor, std::nullopt, a.value != nullptr ? LeafSide(a.value) : side_a,
               b.value != nullptr ? LeafSide(b.value) : side_b, name});
  return [index](Heap&, LeafValues values) -> Cell::Contents {
    return StorageContents{values[index], std::nullopt};
  };
}

Result<MergedContents> Merger::MergeDicts(const DictContents& a, const DictContents& b,
                                          const LeafSide& side_a, const LeafSide& side_b,
                                          const std::string& name) {
  const bool same_entries = a.keys == b.keys && a.values == b.values;
  if (!same_entries || !std::ranges::equal(a.items, b.items, SameKey))
    return MergeEntries(a, b, side_a, side_b, name);
  std::vector<MergedValue> items;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    DRAGOMAN_ASSIGN(MergedValue item, Merge(a.items[i].second, b.items[i].second,
                                            Join(name, KeyText(a.items[i].first))));
    items.push_back(std::move(item));
  }
  return MergedContents([items, model = a](Heap& heap, LeafValues values) -> Cell::Contents {
    DictContents merged = model;
    for (std::size_t i = 0; i < items.size(); ++i) merged.items[i].second = items[i](heap, values);
    return merged;
  });
}

// Of dicts with different keys.
Result<MergedContents> Merger::MergeEntries(const DictContents& a, const DictContents& b,
                                            const LeafSide& side_a, const LeafSide& side_b,
                                            const std::string& name) {
  const bool take_b = a.IsEmpty();
  const std::optional<Number::Kind> kind = KindOfValues(take_b ? b : a);
  const auto side = [](const DictContents& dict, Value* entries, const LeafSide& whole) {
    return dict.keys != nullptr ? LeafSide(entries) : whole;
  };
  const std::size_t keys = AddLeaf({Leaf::Kind::kKeys, std::nullopt, side(a, a.keys, side_a),
                                    side(b, b.keys, side_b), Join(name, "keys")});
  const std::size_t values = AddLeaf({Leaf::Kind::kValues, std::nullopt, side(a, a.values, side_a),
                                      side(b, b.values, side_b), Join(name, "values")});
  return MergedContents([keys, values, kind](Heap&, LeafValues given) -> Cell::Contents {
    return DictContents{{}, given[keys], given[values], kind};
  });
}

Result<MergedContents> Merger::MergeObjects(const ObjectContents& a, const ObjectContents& b,
                                            const std::string& name) {
  if (a.class_name != b.class_name)
    return Unsupported("objects of " + a.class_name + " and " + b.class_name +
                       " have no common form");
  std::vector<std::pair<std::string, MergedValue>> attributes;
  for (const auto& [key, value] : a.attributes) {
    const auto other = std::find_if(b.attributes.begin(), b.attributes.end(),
                                    [&key = key](const auto& item) { return item.first == key; });
    const Abstract absent = Uninitialized();
    DRAGOMAN_ASSIGN(
        MergedValue merged,
        Merge(value, other != b.attributes.end() ? other->second : absent, Join(name, key)));
    attributes.emplace_back(key, std::move(merged));
  }
  return MergedContents(
      [attributes, name = a.class_name](Heap& heap, LeafValues values) -> Cell::Contents {
        ObjectContents merged{name, {}};
        for (const auto& [key, value] : attributes)
          merged.attributes.emplace_back(key, value(heap, values));
        return merged;
      });
}

Result<MergedContents> Merger::MergeLists(const ListContents& a, const ListContents& b,
                                          const LeafSide& side_a, const LeafSide& side_b,
                                          const std::string& name) {
  const bool listed = a.sequence == nullptr && b.sequence == nullptr;
  if (listed && a.items.size() == b.items.size()) {
    std::vector<MergedValue> items;
    for (std::size_t i = 0; i < a.items.size(); ++i) {
      DRAGOMAN_ASSIGN(MergedValue item,
                      Merge(a.items[i], b.items[i], Join(name, std::to_string(i))));
      items.push_back(std::move(item));
    }
    return MergedContents([items](Heap& heap, LeafValues values) -> Cell::Contents {
      ListContents merged;
      for (const MergedValue& item : items) merged.items.push_back(item(heap, values));
      return merged;
    });
  }
  if (!CanBeSequence(a) || !CanBeSequence(b)) {
    return Unsupported(
        "a list of other things than tensors, numbers or strings has a length known only at run "
        "time");
  }
  if (!listed && a.sequence == b.sequence)
    return MergedContents([a](Heap&, LeafValues) -> Cell::Contents { return a; });
  const bool take_b = a.IsEmpty();
  const std::optional<Number::Kind> kind = ElementKind(take_b ? b : a);
  const std::size_t index =
      AddLeaf({Leaf::Kind::kSequence, kind, a.sequence != nullptr ? LeafSide(a.sequence) : side_a,
               b.sequence != nullptr ? LeafSide(b.sequence) : side_b, name});
  return MergedContents([index, kind](Heap&, LeafValues values) -> Cell::Contents {
    return ListContents{{}, values[index], kind};
  });
}

}  // namespace dragoman
