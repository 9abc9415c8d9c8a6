// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A line of text that a model writes: what its Print nodes say, and why an Assert failed.
//
// Tensors are written as "f32[2, 2] 1.0 2.0 3.0 4.0", scalars as their element alone, sequences in
// brackets.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_LINE_H_
#define DRAGOMAN_RUNTIME_PROGRAM_LINE_H_

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"
#include "runtime/program/sequence.h"

namespace dragoman::rt {

// The one object of a program that allocates in every run. Memory that is lacking is reported when
// the line is complete.
class Line {
 public:
  // Of a tensor, so many elements are written.
  static constexpr std::int64_t kMaxElements = 1000;

  void Start() noexcept;
  void Add(const char* text) noexcept;
  // `dtype` is the element type as it is to be written.
  template <class T>
  void Add(const char* dtype, TensorView<const T> view) noexcept {
    if (view.rank() > 0) AddType(dtype, view.shape);
    for (std::int64_t i = 0; i < view.size() && i < kMaxElements; ++i) {
      if (view.rank() > 0) Add(" ");
      AddElement(view[i]);
    }
    if (view.size() > kMaxElements) Add(" ...");
  }
  template <class T>
  void Add(const char* dtype, TensorView<T> view) noexcept {
    Add(dtype, TensorView<const T>(view));
  }

  template <class T>
  void Add(const char* dtype, const Sequence<T>& sequence) noexcept {
    Add("[");
    for (std::int64_t i = 0; i < sequence.size(); ++i) {
      if (i > 0) Add(", ");
      Add(dtype, sequence[i]);
    }
    Add("]");
  }

  // Writes the line to standard error.
  Status Print() const noexcept;
  // The line as an error, valid until the next Start.
  Status Fail() const noexcept;

 private:
  void AddType(const char* dtype, const Shape& shape) noexcept;
  void AddInt(std::int64_t value) noexcept;
  void AddUnsigned(std::uint64_t value) noexcept;
  void AddFloat(float value) noexcept;
  void AddDouble(double value) noexcept;
  void AddElement(bool value) noexcept { Add(value ? "true" : "false"); }
  void AddElement(const std::string& value) noexcept;
  template <class T>
  void AddElement(const std::complex<T>& value) noexcept {
    Add("(");
    AddElement(value.real());
    Add(", ");
    AddElement(value.imag());
    Add(")");
  }
  template <class T>
  void AddElement(const T& value) noexcept {
    if constexpr (std::is_same_v<T, double>) {
      AddDouble(value);
    } else if constexpr (kIsFloating<T>) {
      AddFloat(static_cast<float>(value));
    } else if constexpr (std::is_unsigned_v<T>) {
      AddUnsigned(value);
    } else {
      AddInt(value);
    }
  }

  std::string text_;
  bool complete_ = true;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_LINE_H_
