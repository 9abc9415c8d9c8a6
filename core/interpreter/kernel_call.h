// SPDX-License-Identifier: Apache-2.0
// Calls runtime kernels with run-time values: one generic thunk reads a kernel's C++ parameter
// types and supplies params, operands, results and scratch memory in their order.
#ifndef DRAGOMAN_CORE_INTERPRETER_KERNEL_CALL_H_
#define DRAGOMAN_CORE_INTERPRETER_KERNEL_CALL_H_

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/interpreter/array.h"
#include "core/ops/params.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/status.h"

namespace dragoman {

// The arguments of one call. An absent optional operand or result is an Array that is not present.
struct KernelArguments {
  const Params* params = nullptr;
  std::span<const Array> operands;
  std::span<const Array> results;
  void* scratch = nullptr;
};

// A kernel instance behind one type.
struct KernelEntry {
  rt::Status (*call)(const KernelArguments&) = nullptr;
  std::int64_t (*scratch_bytes)(const KernelArguments&) = nullptr;  // null: needs none
  // The sizes of results that depend on data (NonZero); null: inference knows them.
  rt::Status (*result_shapes)(const KernelArguments&, std::span<rt::Shape> shapes) = nullptr;
};

namespace kernel_internal {

// How many views stand before a parameter: which operand and which result it is or begins with.
struct Position {
  std::size_t operand = 0;
  std::size_t result = 0;
};

// The array at a place; an absent one after the last.
const Array& OperandAt(const KernelArguments& arguments, std::size_t place);
const Array& ResultAt(const KernelArguments& arguments, std::size_t place);

// The data of an absent array is null, as that of an absent view.
template <class T>
rt::TensorView<T> ViewOf(const Array& array) {
  return {static_cast<T*>(array.data()), array.shape()};
}

template <class T>
struct ViewList {
  explicit ViewList(std::span<const Array> arrays) {
    views.reserve(arrays.size());
    for (const Array& array : arrays) views.push_back(ViewOf<T>(array));
  }
  operator rt::Views<T>() const { return {views.data(), static_cast<std::int64_t>(views.size())}; }

  std::vector<rt::TensorView<T>> views;
};

// Apart from the thunks, which are many: compiled once per struct.
template <class A>
[[gnu::noinline]] const A& ParamsOf(const KernelArguments& arguments) {
  return arguments.params->As<A>();
}

template <class A>
struct Supply {  // a parameter struct
  static const A& From(const KernelArguments& arguments, Position) {
    return ParamsOf<A>(arguments);
  }
};
template <class T>
struct Supply<rt::TensorView<const T>> {
  static rt::TensorView<const T> From(const KernelArguments& arguments, Position at) {
    return ViewOf<const T>(OperandAt(arguments, at.operand));
  }
};
template <class T>
requires(!std::is_const_v<T>) struct Supply<rt::TensorView<T>> {
  static rt::TensorView<T> From(const KernelArguments& arguments, Position at) {
    return ViewOf<T>(ResultAt(arguments, at.result));
  }
};
template <class T>
struct Supply<rt::Views<const T>> {
  static ViewList<const T> From(const KernelArguments& arguments, Position at) {
    return ViewList<const T>(arguments.operands.subspan(at.operand));
  }
};
template <class T>
requires(!std::is_const_v<T>) struct Supply<rt::Views<T>> {
  static ViewList<T> From(const KernelArguments& arguments, Position at) {
    return ViewList<T>(arguments.results.subspan(at.result));
  }
};
template <>
struct Supply<void*> {
  static void* From(const KernelArguments& arguments, Position) { return arguments.scratch; }
};

template <class A>
inline constexpr Position kViews = {0, 0};
template <class T>
inline constexpr Position kViews<rt::TensorView<const T>> = {1, 0};
template <class T>
requires(!std::is_const_v<T>) inline constexpr Position kViews<rt::TensorView<T>> = {0, 1};

template <class... A>
constexpr std::array<Position, sizeof...(A)> Positions() {
  std::array<Position, sizeof...(A)> positions;
  Position next;
  std::size_t parameter = 0;
  ((positions[parameter++] = next, next.operand += kViews<A>.operand,
    next.result += kViews<A>.result),
   ...);
  return positions;
}

template <class R, class... A, std::size_t... I>
R ApplyAt(R (*function)(A...), const KernelArguments& arguments, std::index_sequence<I...>) {
  constexpr auto kPositions = Positions<std::decay_t<A>...>();
  return function(Supply<std::decay_t<A>>::From(arguments, kPositions[I])...);
}

template <class R, class... A>
R Apply(R (*function)(A...), const KernelArguments& arguments) {
  return ApplyAt(function, arguments, std::index_sequence_for<A...>());
}

template <class R, class... A>
rt::Status Call(R (*function)(A...), const KernelArguments& arguments) {
  if constexpr (std::is_void_v<R>) {
    Apply(function, arguments);
    return rt::Status();
  } else {
    return Apply(function, arguments);
  }
}

}  // namespace kernel_internal

// DRAGOMAN_KERNEL_ENTRY(Softmax, float) is the entry of rt::Softmax<float>; the form with scratch
// also knows rt::SoftmaxScratchBytes<float>.
#define DRAGOMAN_KERNEL_ENTRY(NAME, ...)                                                       \
  ::dragoman::KernelEntry {                                                                    \
    [](const ::dragoman::KernelArguments& arguments) {                                         \
      return ::dragoman::kernel_internal::Call(&::dragoman::rt::NAME<__VA_ARGS__>, arguments); \
    },                                                                                         \
        nullptr, nullptr                                                                       \
  }
#define DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(NAME, ...)                                          \
  ::dragoman::KernelEntry {                                                                    \
    [](const ::dragoman::KernelArguments& arguments) {                                         \
      return ::dragoman::kernel_internal::Call(&::dragoman::rt::NAME<__VA_ARGS__>, arguments); \
    },                                                                                         \
        [](const ::dragoman::KernelArguments& arguments) {                                     \
          return ::dragoman::kernel_internal::Apply(                                           \
              &::dragoman::rt::NAME##ScratchBytes<__VA_ARGS__>, arguments);                    \
        },                                                                                     \
        nullptr                                                                                \
  }

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_KERNEL_CALL_H_
