// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/lower/list_forms.h"

#include <algorithm>
#include <utility>

#include "core/lowering/operand_composer.h"
#include "importers/tensorflow/ops/lists.h"

namespace dragoman::tf {

ListForms::Noted ListForms::FormOf(const Abstract& value) {
  if (value.Is<ListRef>() || IsReserved(value)) return {Form::kElements, Type()};
  const auto* tensor = value.As<TensorRef>();
  if (tensor == nullptr) return {};
  const auto& storage = std::get<StorageContents>(tensor->storage->contents);
  if (storage.constant) return {Form::kStacked, storage.constant->type()};
  return {Form::kStacked, storage.value != nullptr ? storage.value->type() : Type()};
}

void ListForms::Note(Way way, std::span<const Abstract> values) {
  std::vector<Noted>& noted = ways_[static_cast<std::size_t>(way)];
  noted.clear();
  for (const Abstract& value : values) noted.push_back(FormOf(value));
}

bool ListForms::Extend() {
  const std::size_t before = stacked_.size();
  const std::size_t count = std::min(ways_[0].size(), ways_[1].size());
  for (std::size_t i = 0; i < count; ++i) {
    const Noted& a = ways_[0][i];
    const Noted& b = ways_[1][i];
    if (a.form == Form::kStacked && b.form == Form::kElements) stacked_.emplace(i, a.type);
    if (a.form == Form::kElements && b.form == Form::kStacked) stacked_.emplace(i, b.type);
  }
  return stacked_.size() > before;
}

Status ListForms::Apply(Heap& heap, GraphBuilder& builder, std::vector<Abstract>& values) const {
  for (const auto& [place, type] : stacked_) {
    if (place >= values.size() || FormOf(values[place]).form != Form::kElements) continue;
    OperandComposer c(heap, builder, {}, "");
    Value* rows = StackedList(c, values[place], type);
    DRAGOMAN_ASSIGN(rows, c.Done(rows));
    values[place] = heap.NewTensor(rows);
  }
  return {};
}

}  // namespace dragoman::tf
