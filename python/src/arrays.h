// SPDX-License-Identifier: Apache-2.0
// Arrays between Python and the library.
#ifndef DRAGOMAN_PYTHON_SRC_ARRAYS_H_
#define DRAGOMAN_PYTHON_SRC_ARRAYS_H_

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "dragoman/run.h"

namespace dragoman::binding {

// What NumPy lacks, bfloat16 and types of 8 bits and less, has the element types of ml_dtypes where
// that is installed, else unsigned integers of the same bits. Strings are objects.

// A new array.
nanobind::object ArrayObject(const Array& array);
// An array that cannot be written to, of the tensor's own memory where that has an element a byte
// or more.
nanobind::object TensorObject(const Tensor& tensor);

// Of anything with DLPack or the buffer protocol in main memory, and whatever numpy.asarray takes.
NamedArray ToNamedArray(std::string name, nanobind::handle object);
Array ToArray(const NamedArray& array);
Tensor ToTensor(nanobind::handle object);

// The inputs of a call: a dict by name, a list or tuple by position, or one array. A list of arrays
// is a sequence, a dict a map.
std::vector<NamedArray> ToNamedArrays(nanobind::handle inputs);
// The same on the memory of the caller's arrays, where that can be used as it is
// (NamedArray::lent). To be destroyed under Python's lock.
std::vector<NamedArray> LendArrays(nanobind::handle inputs);

// The outputs of a call, by name.
nanobind::dict ArraysObject(const FlatArrays& arrays);

}  // namespace dragoman::binding

#endif  // DRAGOMAN_PYTHON_SRC_ARRAYS_H_
