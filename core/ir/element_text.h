// SPDX-License-Identifier: Apache-2.0
// The elements of tensors as text, exact for every element type.
#ifndef DRAGOMAN_CORE_IR_ELEMENT_TEXT_H_
#define DRAGOMAN_CORE_IR_ELEMENT_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/tensor.h"
#include "core/support/result.h"

namespace dragoman {

// Element `i`: "-3", "true", "0.1" (the shortest decimal that rounds to the same element), "nan"
// for the quiet NaN of the type, any other NaN with its bits ("nan:0x7e01"), "(1.0, -0.0)" for
// complex numbers, a string literal for strings.
std::string FormatElement(const Tensor& tensor, std::int64_t i);

// Whether the texts of all elements determine every bit: false if bits after the last packed
// element are set.
bool ElementsDetermineBytes(const Tensor& tensor);

// Collects elements from what FormatElement writes and makes a tensor of them.
class ElementBuffer {
 public:
  explicit ElementBuffer(DType dtype) : dtype_(dtype) {}

  // False if `text` is not an element of the type, or does not fit. Floats are rounded to nearest.
  bool Append(std::string_view text);
  Result<Tensor> Finish(std::vector<std::int64_t> sizes);

 private:
  bool AppendInt(std::string_view text);
  bool AppendComplex(std::string_view text);
  void AppendBits(std::uint64_t bits);

  DType dtype_;
  std::string bytes_;
  std::vector<std::string> strings_;
  std::size_t count_ = 0;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_ELEMENT_TEXT_H_
