// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/heap.h"

#include <algorithm>
#include <utility>

#include "core/ir/weight_role.h"
#include "core/lowering/composer.h"

namespace dragoman {
namespace {

// The attributes of a Reshape to `shape`: sizes of 0 are not sizes of the operand.
std::vector<NamedAttribute> LiteralSizes(const GraphBuilder& builder, const Value* shape) {
  const auto sizes = builder.KnownInts(shape);
  if (sizes && std::ranges::count(*sizes, 0) == 0) return {};
  return {{"allowzero", std::int64_t{1}}};
}

// Of each element of `base`, whose sizes are `shape`, its number, row-major.
Result<Value*> Positions(GraphBuilder& builder, Value* base, Value* shape) {
  Composer c(builder);  // counts and, below, scatters complex elements by their parts
  Value* range = c.Op("Range", {c.Int(0), c.Op("Size", {base}), c.Int(1)});
  return c.Done(c.Op("Reshape", {range, shape}, LiteralSizes(builder, shape)));
}

// Puts `value` into `base` where `step` would read it, whatever way it moves elements.
Result<Value*> PutByPosition(GraphBuilder& builder, const ViewStep& step, Value* base,
                             Value* value) {
  Composer c(builder);
  DRAGOMAN_ASSIGN(Value * shape, c.Done(c.Op("Shape", {base})));
  DRAGOMAN_ASSIGN(Value * positions, Positions(builder, base, shape));
  DRAGOMAN_ASSIGN(Value * read, step.get(builder, positions));
  Value* scattered = c.Op("ScatterElements", {c.Flatten(base), c.Flatten(read), c.Flatten(value)});
  return c.Done(c.Op("Reshape", {scattered, shape}, LiteralSizes(builder, shape)));
}

Result<Value*> Put(GraphBuilder& builder, const ViewStep& step, Value* base, Value* value) {
  if (step.put) return step.put(builder, base, value);
  return PutByPosition(builder, step, base, value);
}

// The steps from the storage to the view.
std::vector<const ViewPath*> Steps(const TensorRef& tensor) {
  std::vector<const ViewPath*> steps;
  for (const ViewPath* path = tensor.path.get(); path != nullptr; path = path->base.get()) {
    steps.push_back(path);
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace

Heap::Heap() : scopes_{0} {}
Heap::~Heap() = default;

void Heap::SetRoot(GraphBuilder& root) {
  root_ = &root;
  constants_.clear();
}

CellPtr Heap::NewCell(Cell::Contents contents) {
  auto cell = std::make_shared<Cell>();
  cell->contents = std::move(contents);
  cell->number = ++cells_;
  cell->version = ++versions_;
  return cell;
}

Abstract Heap::NewTensor(Value* value, Strides strides) {
  CellPtr cell = NewCell(StorageContents{value, std::nullopt});
  cell->strides = std::move(strides);
  return TensorRef{std::move(cell), nullptr};
}

Abstract Heap::NewList(std::vector<Abstract> items) {
  return ListRef{NewCell(ListContents{std::move(items), nullptr, std::nullopt})};
}

TensorRef Heap::View(const TensorRef& base, ViewStep step) {
  base.storage->has_views = true;
  return {base.storage, std::make_shared<const ViewPath>(ViewPath{std::move(step), base.path})};
}

const Strides& Heap::StridesOf(const TensorRef& tensor) {
  return tensor.path != nullptr ? tensor.path->step.strides : tensor.storage->strides;
}

bool Heap::InScope(std::uint64_t scope) const {
  return std::binary_search(scopes_.begin(), scopes_.end(), scope);
}

Result<Value*> Heap::StorageValue(const CellPtr& cell) {
  const auto& contents = std::get<StorageContents>(cell->contents);
  if (contents.value != nullptr) return contents.value;
  if (IsForgotten(contents)) {
    return Unsupported(
        "reading a tensor that a write to another one may have changed: whether they share "
        "elements is not known");
  }
  Value*& constant = constants_[cell->version];
  if (constant != nullptr) return constant;
  Value* stored = root_->Constant(*contents.constant, cell->path);
  if (contents.is_buffer) MarkBuffer(*stored);
  const auto decode = decodes_.find(cell->version);
  if (decode == decodes_.end()) return constant = stored;
  DRAGOMAN_ASSIGN(constant, decode->second(*root_, stored));
  return constant;
}

void Heap::SetDecode(const CellPtr& cell, Decode decode) {
  decodes_.insert_or_assign(cell->version, std::move(decode));
}

Result<Value*> Heap::Read(GraphBuilder& builder, const TensorRef& tensor) {
  const std::uint64_t version = tensor.storage->version;
  const std::vector<const ViewPath*> steps = Steps(tensor);
  std::size_t next = steps.size();
  auto is_cached = [&](const ViewPath& path) {
    return path.cached.value != nullptr && path.cached.version == version &&
           InScope(path.cached.scope);
  };
  while (next > 0 && !is_cached(*steps[next - 1])) --next;
  DRAGOMAN_ASSIGN(Value * value, StorageValue(tensor.storage));
  if (next > 0) value = steps[next - 1]->cached.value;
  for (; next < steps.size(); ++next) {
    DRAGOMAN_ASSIGN(value, steps[next]->step.get(builder, value));
    steps[next]->cached = {value, version, scopes_.back()};
  }
  return value;
}

Result<Value*> Heap::Places(GraphBuilder& builder, const TensorRef& tensor) {
  DRAGOMAN_ASSIGN(Value * storage, StorageValue(tensor.storage));
  const DType stored = storage->type().dtype();
  DRAGOMAN_ASSIGN(Value * shape, builder.Add("Shape", {storage}));
  DRAGOMAN_ASSIGN(Value * value, Positions(builder, storage, shape));
  for (const ViewPath* path : Steps(tensor)) {
    DRAGOMAN_ASSIGN(value, path->step.get(builder, value));
  }
  DRAGOMAN_ASSIGN(const Value* read, Read(builder, tensor));
  if (!tensor.storage->strides.row_major || read->type().dtype() != stored ||
      value->type().dtype() != DType::kI64)
    return Unsupported("where the elements of the tensor lie is not known");
  return value;
}

void Heap::SetRead(const TensorRef& view, Value* value) {
  view.path->cached = {value, view.storage->version, scopes_.back()};
}

Status Heap::Write(GraphBuilder& builder, const TensorRef& tensor, Value* value) {
  const std::vector<const ViewPath*> steps = Steps(tensor);
  std::vector<Value*> bases;
  DRAGOMAN_ASSIGN(Value * base, StorageValue(tensor.storage));
  for (const ViewPath* path : steps) {
    bases.push_back(base);
    DRAGOMAN_ASSIGN(base, path->step.get(builder, base));
  }
  Value* updated = value;
  for (std::size_t i = steps.size(); i-- > 0;) {
    DRAGOMAN_ASSIGN(updated, Put(builder, steps[i]->step, bases[i], updated));
  }
  return Overwrite(tensor.storage, updated);
}

Status Heap::Overwrite(const CellPtr& storage, Value* value) {
  if (storage->is_item)
    return Unsupported(
        "a write to an item of a list or dict whose length is known only at run time");
  Replace(storage, StorageContents{value, std::nullopt});
  ForgetChoices(storage);
  return {};
}

void Heap::NoteChoice(const CellPtr& storage, std::vector<CellPtr> others) {
  for (const CellPtr& other : others) chosen_[other->number].push_back(storage);
  choices_.insert_or_assign(storage->number, std::move(others));
}

void Heap::ForgetChoices(const CellPtr& cell) {
  // Those that may be the one written to, and then all that may be one of these.
  std::vector<CellPtr> reached = {cell};
  const auto follow = [&](const auto& further) {
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const auto found = further.find(reached[i]->number);
      if (found == further.end()) continue;
      for (const CellPtr& other : found->second) {
        if (other == cell || IsForgotten(std::get<StorageContents>(other->contents))) continue;
        Replace(other, StorageContents());
        reached.push_back(other);
      }
    }
  };
  follow(choices_);
  follow(chosen_);
}

void Heap::Record(const CellPtr& cell) {
  if (!stretches_.empty()) {
    Stretch& stretch = stretches_.back();
    if (cell->number < stretch.first_cell &&
        stretch.index.try_emplace(cell.get(), stretch.saved.size()).second) {
      stretch.saved.push_back({cell, cell->contents, cell->version});
    }
  }
  cell->version = ++versions_;
}

void Heap::Enter() {
  stretches_.push_back({{}, {}, cells_ + 1, scopes_.size()});
  scopes_.push_back(++last_scope_);
}

std::vector<CellChange> Heap::Leave() {
  std::vector<CellChange> changes;
  for (Saved& saved : stretches_.back().saved) {
    changes.push_back({saved.cell, std::exchange(saved.cell->contents, std::move(saved.contents))});
    saved.cell->version = saved.version;
  }
  scopes_.resize(stretches_.back().outer_scopes);
  stretches_.pop_back();
  return changes;
}

void Heap::Keep() {
  Stretch inner = std::move(stretches_.back());
  stretches_.pop_back();
  if (stretches_.empty()) return;
  Stretch& outer = stretches_.back();
  for (Saved& saved : inner.saved) {
    if (saved.cell->number < outer.first_cell &&
        outer.index.try_emplace(saved.cell.get(), outer.saved.size()).second) {
      outer.saved.push_back(std::move(saved));
    }
  }
}

}  // namespace dragoman
