// SPDX-License-Identifier: Apache-2.0
// TensorList and TensorArray. As an abstract value, a list is one of these:
//   a tensor          all elements, stacked along axis 0
//   a list            elements one by one, Uninitialized where none was set; or a sequence
//   a tuple (length)  of so many elements (0-d, int64) of unknown sizes, none of them set
// All are immutable: what sets an element gives another list. An element that was not set reads as
// zeros.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LISTS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LISTS_H_

#include <cstddef>
#include <vector>

#include "core/lowering/abstract.h"
#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// Whether it is a list of which no element was set, and which is not stacked since the sizes of its
// elements are not known.
bool IsReserved(const Abstract& list);
bool IsEmptyList(const Abstract& list);
// The first element that was set, or nullptr.
const Abstract* FirstElement(const Abstract& list);
// How many elements a reserved list has, int64 of rank 0.
Value* ReservedLength(Composer& c, Heap& heap, const Abstract& list);
// All elements, stacked. Where none was set they are as in a stacked list of type `like`.
Value* StackedList(OperandComposer& c, const Abstract& list, const Type& like);

// The second form of a list; nullptr: it has another one.
const ListContents* ListOf(const Abstract& list);
// How many elements there are, 0-d.
Value* ListLength(Call& c, const Abstract& list);
// All elements, stacked. `sizes`: of an element that is not set, or nullptr.
Value* StackElements(OperandComposer& c, const Abstract& list, Value* sizes, DType dtype);
// The element at `index`, 0-d.
Value* ListElement(Call& c, const Abstract& list, Value* index, Value* sizes, DType dtype);
// Elements one after the other along their axis 0, and how long each is.
std::vector<Abstract> JoinElements(Call& c, const Abstract& list, Value* sizes, DType dtype);

// A list of `length` (int64, rank 0) elements that are not set. `sizes`: nullptr if not known.
Abstract ReservedList(Call& c, Value* length, Value* sizes, DType dtype);
// `grows`: the index may be beyond the end.
Abstract ListWithElement(Call& c, const Abstract& list, Value* index, Value* element, bool grows);
// A list of `length` elements (nullptr: as many as the largest index needs) with rows of `rows`.
Abstract ListOfRows(Call& c, Value* rows, Value* indices, Value* length);
// `rows` one after the other along axis 0; data operand `lengths` has how long each is.
Abstract SplitIntoList(Call& c, Value* rows, std::size_t lengths);
// `rows` and zeros after them, `count` (0-d) in all, or as many as there are.
Value* GrowRows(Call& c, Value* rows, Value* count);
// Whether `value` is 0, 1, 2, …
bool CountsUp(Call& c, const Value* value);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LISTS_H_
