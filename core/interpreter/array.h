// SPDX-License-Identifier: Apache-2.0
// Values at run time: what the interpreter passes between kernels.
#ifndef DRAGOMAN_CORE_INTERPRETER_ARRAY_H_
#define DRAGOMAN_CORE_INTERPRETER_ARRAY_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/ir/tensor.h"
#include "core/support/result.h"
#include "runtime/params/shape.h"

namespace dragoman {

// A dense tensor as kernels want it: one element a byte for types below 8 bits, aligned, C++
// strings. Copying shares the elements, which are written once, by the kernel that makes them.
class Array {
 public:
  Array() = default;
  // Zeroed elements. Errors: more bytes than an allocation may have.
  static Result<Array> Make(DType dtype, const rt::Shape& shape);
  // On memory that `elements` keeps, aligned for the type; nobody writes to it. Not strings.
  static Array On(std::shared_ptr<const void> elements, DType dtype, const rt::Shape& shape);
  // Errors: a rank above rt::kMaxRank.
  static Result<Array> FromTensor(const Tensor& tensor);
  Tensor ToTensor() const;

  bool present() const { return dtype_ != DType::kUnknown; }
  DType dtype() const { return dtype_; }
  const rt::Shape& shape() const { return shape_; }
  std::int64_t size() const { return rt::NumElements(shape_); }
  void* data() const { return data_; }
  // The same elements with other sizes of the same count.
  Array Reshaped(const rt::Shape& shape) const;
  // Entry `index` along the leading axis; `shape` has the remaining sizes. Shares the elements.
  Array Slice(std::int64_t index, const rt::Shape& shape) const;

 private:
  DType dtype_ = DType::kUnknown;
  rt::Shape shape_;
  void* data_ = nullptr;  // never null if present
  std::shared_ptr<const void> owner_;
};

// Arrays of equal types along a new leading axis; at least one. Errors: too many axes or bytes.
Result<Array> StackArrays(std::span<const Array> arrays);

// A tensor, a sequence of values, or an optional that holds none (kNone) or what it holds (itself).
struct RuntimeValue {
  enum class Kind { kNone, kTensor, kSequence };

  Kind kind = Kind::kNone;
  Array array;
  std::vector<RuntimeValue> sequence;
  DType sequence_dtype = DType::kUnknown;  // of an empty sequence

  static RuntimeValue Of(Array array) {
    return {Kind::kTensor, std::move(array), {}, DType::kUnknown};
  }
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_ARRAY_H_
