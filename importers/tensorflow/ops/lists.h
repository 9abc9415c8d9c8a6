// TensorList and TensorArray. As an abstract value, a list is one of these:
//   a tensor          all elements, stacked along axis 0
//   a list            elements one by one, Uninitialized where none was set; or a sequence
//   a tuple (length)  of so many elements (0-d, int64) of unknown sizes, none of them set
// All are immutable: what sets an element gives another list. An element that was not set reads as
// zeros.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LISTS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LISTS_H_

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

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LISTS_H_
