// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's .npy files.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#ifndef DRAGOMAN_RUNTIME_PROGRAM_NPY_H_
#define DRAGOMAN_RUNTIME_PROGRAM_NPY_H_

#include <string>
#include <string_view>

#include "runtime/program/any_tensor.h"
#include "runtime/program/element_type.h"

namespace dragoman::rt {

// An array as the file has it: NumPy's letter, the bytes of one element, and the elements in
// row-major order. Text ('U', and bytes, 'S', which are reported as 'U') is in `tensor.strings` as
// UTF-8, without trailing NULs.
struct NpyArray {
  char kind = 'f';
  int item_bytes = 4;
  AnyTensor tensor;  // its `type` says nothing
};

// Versions 1 to 3, little-endian, C and Fortran order. All functions throw Error with what is
// wrong; ReadNpy and WriteNpy name the file.
NpyArray ParseNpy(std::string_view file);
NpyArray ReadNpy(const std::string& path);

// The array as a tensor of `type`. Errors: the array holds another type; integers that type lacks.
AnyTensor ToTensor(NpyArray array, const ElementType& type);

void WriteNpy(const std::string& path, const AnyTensor& tensor);

std::string ReadWholeFile(const std::string& path);
void WriteWholeFile(const std::string& path, std::string_view content);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_NPY_H_
