// Calls runtime kernels with run-time values: one generic thunk reads a kernel's C++ parameter
// types and supplies params, operands, results and scratch memory in their order.
#ifndef DRAGOMAN_CORE_INTERPRETER_KERNEL_CALL_H_
#define DRAGOMAN_CORE_INTERPRETER_KERNEL_CALL_H_

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
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
  // The sizes of results that only the data tell (NonZero); null: inference tells them.
  rt::Status (*result_shapes)(const KernelArguments&, std::span<rt::Shape> shapes) = nullptr;
};

namespace kernel_internal {

template <class T>
rt::TensorView<T> ViewOf(const Array& array) {
  rt::TensorView<T> view;
  if (!array.present()) return view;
  view.data = static_cast<T*>(array.data());
  view.shape = array.shape();
  return view;
}

// Hands out the arguments of a call one after the other.
struct Cursor {
  const KernelArguments& arguments;
  std::size_t operand = 0;
  std::size_t result = 0;

  const Array& NextOperand();
  const Array& NextResult();
};

template <class T>
struct ViewList {
  std::vector<rt::TensorView<T>> views;
  operator rt::Views<T>() const { return {views.data(), static_cast<std::int64_t>(views.size())}; }
};

template <class A>
struct Supply {  // a parameter struct
  static const A& From(Cursor& cursor) { return cursor.arguments.params->As<A>(); }
};
template <class T>
struct Supply<rt::TensorView<const T>> {
  static rt::TensorView<const T> From(Cursor& cursor) {
    return ViewOf<const T>(cursor.NextOperand());
  }
};
template <class T>
requires(!std::is_const_v<T>) struct Supply<rt::TensorView<T>> {
  static rt::TensorView<T> From(Cursor& cursor) { return ViewOf<T>(cursor.NextResult()); }
};
template <class T>
struct Supply<rt::Views<const T>> {
  static ViewList<const T> From(Cursor& cursor) {
    ViewList<const T> list;
    while (cursor.operand < cursor.arguments.operands.size()) {
      list.views.push_back(ViewOf<const T>(cursor.NextOperand()));
    }
    return list;
  }
};
template <class T>
requires(!std::is_const_v<T>) struct Supply<rt::Views<T>> {
  static ViewList<T> From(Cursor& cursor) {
    ViewList<T> list;
    while (cursor.result < cursor.arguments.results.size()) {
      list.views.push_back(ViewOf<T>(cursor.NextResult()));
    }
    return list;
  }
};
template <>
struct Supply<void*> {
  static void* From(Cursor& cursor) { return cursor.arguments.scratch; }
};

template <class R, class... A>
R Apply(R (*function)(A...), const KernelArguments& arguments) {
  Cursor cursor{arguments};
  // Braces fix the order of evaluation.
  std::tuple<decltype(Supply<std::decay_t<A>>::From(cursor))...> supplied{
      Supply<std::decay_t<A>>::From(cursor)...};
  return std::apply([&](auto&... values) { return function(static_cast<A>(values)...); }, supplied);
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
