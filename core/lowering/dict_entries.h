// SPDX-License-Identifier: Apache-2.0
// Dicts whose keys only run time knows: two tensors, which hold keys and values along their first
// axis, in the order of insertion. A key is found by comparing it with all of them.
#ifndef DRAGOMAN_CORE_LOWERING_DICT_ENTRIES_H_
#define DRAGOMAN_CORE_LOWERING_DICT_ENTRIES_H_

#include <optional>

#include "core/analysis/builder.h"
#include "core/lowering/abstract.h"
#include "core/lowering/composer.h"
#include "core/lowering/heap.h"
#include "core/support/result.h"

namespace dragoman {

// One key or value: of rank 0 if it is a number or a string. Errors: it is something else than
// these and tensors, or complex.
Result<Value*> EntryValue(Heap& heap, GraphBuilder& builder, const Abstract& item);
// The keys (entries), or the values (entries, …), of a dict that has some. Errors: items that are
// none of tensors of one size, numbers and strings.
Result<Value*> KeysOf(Heap& heap, GraphBuilder& builder, const DictContents& dict);
Result<Value*> ValuesOf(Heap& heap, GraphBuilder& builder, const DictContents& dict);
// Those of an empty dict, where `type` holds some. Errors: sizes of values that are not known.
Result<Value*> NoEntries(GraphBuilder& builder, const Type& type);
// The kind of the values: nullopt if they are not numbers, or if there are none.
std::optional<Number::Kind> KindOfValues(const DictContents& dict);

// The functions below work on dicts that have `keys`, and on keys of rank 0.

Value* Contains(Composer& c, const DictContents& dict, Value* key);
// The value under `key`; `otherwise` if the dict has no such key.
Value* ValueUnder(Composer& c, const DictContents& dict, Value* key, Value* otherwise);
// The same where the dict is asserted to have it.
Value* ValueUnder(Composer& c, const DictContents& dict, Value* key);
// What a value could be: zeros, or empty strings.
Value* NoValue(Composer& c, const DictContents& dict);

// The dict with `value` under `key`, in the place of what is there or after all others.
DictContents WithEntry(Composer& c, const DictContents& dict, Value* key, Value* value);
// The same for all entries of `other`, in their order.
DictContents WithEntries(Composer& c, const DictContents& dict, const DictContents& other);
// The dict without `key`, if it has it.
DictContents WithoutEntry(Composer& c, const DictContents& dict, Value* key);
// By ascending keys.
DictContents Sorted(Composer& c, const DictContents& dict);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_DICT_ENTRIES_H_
