// SPDX-License-Identifier: Apache-2.0
// Operators of the language rather than of tensors: Python numbers, strings, containers, objects,
// and what a program asks a tensor. They have names in common with operators of tensors
// ("aten.add"): a table says to what arguments its rows apply.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_SCRIPT_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_SCRIPT_LOWERINGS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/lowering/composer.h"
#include "importers/torch/ops/op_lowering.h"

namespace dragoman::torch {

// The lowering of an operator of the language for these arguments, or nullopt.
std::optional<OpLowering> FindScriptLowering(const OpName& op, std::span<const Abstract> arguments);

// Whether some arguments have one.
bool HasScriptLowering(const OpName& op);
// The names of those that have one, "aten.len"; some more than once.
std::vector<std::string_view> ScriptOperators();

struct ScriptRow {
  std::string_view name;  // "aten.len"
  OpLowering lower;
};

// Sorted by name. All arguments are numbers.
std::span<const ScriptRow> NumberRows();
std::span<const ScriptRow> MathRows();
// An argument is a string.
std::span<const ScriptRow> StringRows();
// A string is known only at run time.
std::span<const ScriptRow> RunTimeStringRows();
// An argument is a list, a dict or a tuple.
std::span<const ScriptRow> ContainerRows();
// The first argument is a dict.
std::span<const ScriptRow> DictRows();
// The first argument is a dict whose keys only run time knows: what differs from DictRows. Or it is
// what `items` gives of one.
std::span<const ScriptRow> RunTimeDictRows();
std::span<const ScriptRow> DictItemRows();
// The first argument is a list whose length is known only at run time.
std::span<const ScriptRow> SequenceRows();
// The first argument is a list of numbers, and its length or one of its items is known at run time
// only.
std::span<const ScriptRow> NumberListRows();
// Any arguments.
std::span<const ScriptRow> ObjectRows();
std::span<const ScriptRow> TensorQueryRows();
std::span<const ScriptRow> MutationRows();

// None where a call has fewer arguments.
const Abstract& Argument(const Call& call, std::size_t i);

// Functions of module math that are compositions, where a number is not known.
Result<Results> LowerMathOfRunTime(Call& call);
// A tensor, number or string as an item of a sequence.
Result<Value*> ItemValue(Call& call, const Abstract& item);
// The strings of a sequence as a vector; there may be none.
Value* StackTexts(Composer& c, Value* sequence);
// The items of a list of run-time length along a new first axis.
Result<Value*> StackItems(Call& call, const ListContents& list);
// One item of a list of known length at an index known only at run time.
Result<Results> SelectItem(Call& call, const std::vector<Abstract>& items, const Number& index);
// Whether one of the items equals `wanted`.
Result<Results> IsAmong(Call& call, std::span<const Abstract> items, const Abstract& wanted);
// Sequence `to` with the items of `from` after its own.
Result<Value*> ExtendedSequence(Call& call, Value* to, Value* from);

// `item` of `list`, which holds a copy of it if only run time knows the list's length.
Result<Abstract> FromSequence(Call& call, const ListContents& list, Value* item);
// Puts `value` under `key` into the dict `cell`; the latter where only run time knows keys.
Status SetInDict(Call& call, const CellPtr& cell, const Abstract& key, const Abstract& value);
Status SetInRunTimeDict(Call& call, const CellPtr& cell, const Abstract& key,
                        const Abstract& value);
// Puts the entries of `added`, whose keys only run time knows, into the dict `cell`.
Status UpdateByRunTimeDict(Call& call, const CellPtr& cell, const DictContents& added);
// The lowering among RunTimeDictRows, of a dict that is known not to be empty.
Result<Results> LowerRunTimeDict(Call& call);
// Whether `value` is what `items` gives of a dict whose keys only run time knows.
bool IsDictItems(const Abstract& value);
// The items of a list or tuple; nullptr if it is none, or one of run-time length.
const std::vector<Abstract>* ItemsOf(const Abstract& value);
Abstract MakeTuple(std::vector<Abstract> items);
// Which of `count` items Python's [begin:end:step] takes, in order: arguments 1 to 3 of the call,
// each of which may be None or absent. Errors: a bound known only at run time.
Result<std::vector<std::size_t>> SlicePlaces(const Call& call, std::size_t count);

// Whether two values are equal in Python: known, or a bool number known at run time.
Result<Number> ValuesEqual(Call& call, const Abstract& a, const Abstract& b);
// The same of two strings, one of which only run time knows.
Result<Number> TextsEqual(Call& call, const Abstract& a, const Abstract& b);
// What a format puts in place of its marks: "%s" % takes one value, or a tuple of them.
std::vector<Abstract> FormattedValues(const Call& call);
// str(value), for messages and formats. Errors: it is known at run time only.
Result<std::string> TextOf(const Abstract& value);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_SCRIPT_LOWERINGS_H_
