// SPDX-License-Identifier: Apache-2.0
#ifndef DRAGOMAN_CORE_INTERPRETER_FITS_H_
#define DRAGOMAN_CORE_INTERPRETER_FITS_H_

#include <algorithm>
#include <cstdint>

#include "core/interpreter/array.h"
#include "core/ir/type.h"

namespace dragoman {

// Whether an array has the sizes that a type says; one that is open holds for any.
inline bool Fits(const Array& array, const Type& type) {
  const Shape* shape = type.is_tensor() ? type.shape() : nullptr;
  if (shape == nullptr) return true;
  const rt::Shape& sizes = array.shape();
  return std::equal(
      shape->begin(), shape->end(), sizes.begin(), sizes.end(),
      [](const Dim& dim, std::int64_t size) { return !dim.known() || dim.value() == size; });
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_FITS_H_
