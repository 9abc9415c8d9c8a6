// SPDX-License-Identifier: Apache-2.0
// The kernels that the interpreter can call, by instance name. One file a family
// (kernels_<family>.cc) lists them with the element types that ai.onnx allows.
//
// Adding an operator's kernel: one row in the file of its family:
//
//     Add<Floats>(table, "Softmax", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Softmax, T); });
#ifndef DRAGOMAN_CORE_INTERPRETER_KERNEL_TABLE_H_
#define DRAGOMAN_CORE_INTERPRETER_KERNEL_TABLE_H_

#include <complex>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/interpreter/kernel_call.h"
#include "runtime/kernels/element.h"

namespace dragoman {

using KernelTable = std::map<std::string, KernelEntry, std::less<>>;

// The entry of "Softmax<float>" (see core/ops/kernel_name.h), or nullptr.
const KernelEntry* FindKernel(std::string_view instance);

template <class... T>
struct Types {};

template <class A, class B>
struct Concat;
template <class... A, class... B>
struct Concat<Types<A...>, Types<B...>> {
  using type = Types<A..., B...>;
};
template <class A, class B>
using Plus = typename Concat<A, B>::type;

using Floats = Types<float, double, rt::Half, rt::BFloat16>;
using Signed = Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using Unsigned = Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using Integers = Plus<Signed, Unsigned>;
using Numbers = Plus<Floats, Integers>;
using Index = Types<std::int32_t, std::int64_t>;
using Bool = Types<bool>;
using String = Types<std::string>;
using Float8s = Types<rt::Float8E4M3FN, rt::Float8E4M3FNUZ, rt::Float8E5M2, rt::Float8E5M2FNUZ>;
using Complexes = Types<std::complex<float>, std::complex<double>>;
// Storage by size, for kernels that only move elements.
using Bits =
    Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, rt::Bytes16, std::string>;

// The text of a type argument, as KernelInstance writes it.
template <class T>
inline constexpr std::string_view kCppName = "";
#define DRAGOMAN_CPP_NAME(TYPE) \
  template <>                   \
  inline constexpr std::string_view kCppName<TYPE> = #TYPE;
DRAGOMAN_CPP_NAME(float)
DRAGOMAN_CPP_NAME(double)
DRAGOMAN_CPP_NAME(bool)
DRAGOMAN_CPP_NAME(std::int8_t)
DRAGOMAN_CPP_NAME(std::int16_t)
DRAGOMAN_CPP_NAME(std::int32_t)
DRAGOMAN_CPP_NAME(std::int64_t)
DRAGOMAN_CPP_NAME(std::uint8_t)
DRAGOMAN_CPP_NAME(std::uint16_t)
DRAGOMAN_CPP_NAME(std::uint32_t)
DRAGOMAN_CPP_NAME(std::uint64_t)
DRAGOMAN_CPP_NAME(std::string)
DRAGOMAN_CPP_NAME(std::complex<float>)
DRAGOMAN_CPP_NAME(std::complex<double>)
DRAGOMAN_CPP_NAME(rt::Half)
DRAGOMAN_CPP_NAME(rt::BFloat16)
DRAGOMAN_CPP_NAME(rt::Float8E4M3FN)
DRAGOMAN_CPP_NAME(rt::Float8E4M3FNUZ)
DRAGOMAN_CPP_NAME(rt::Float8E5M2)
DRAGOMAN_CPP_NAME(rt::Float8E5M2FNUZ)
DRAGOMAN_CPP_NAME(rt::Float8E8M0)
DRAGOMAN_CPP_NAME(rt::Float4E2M1)
DRAGOMAN_CPP_NAME(rt::Int4)
DRAGOMAN_CPP_NAME(rt::UInt4)
DRAGOMAN_CPP_NAME(rt::Int2)
DRAGOMAN_CPP_NAME(rt::UInt2)
DRAGOMAN_CPP_NAME(rt::Bytes16)
#undef DRAGOMAN_CPP_NAME

namespace kernel_internal {

// Adds the instance of kernel `name` for the types of these names: "Pow<float, double>".
void AddEntry(KernelTable& table, std::string_view name, std::span<const std::string_view> types,
              const KernelEntry& entry);

template <class List, class... Lists>
struct Product;

template <class... T, class... Rest>
struct Product<Types<T...>, Rest...> {
  template <class... Chosen, class Make>
  static void Add(KernelTable& table, std::string_view name, const Make& make) {
    (AddOne<Chosen..., T>(table, name, make), ...);
  }
  template <class... Chosen, class Make>
  static void AddOne(KernelTable& table, std::string_view name, const Make& make) {
    if constexpr (sizeof...(Rest) == 0) {
      static constexpr std::string_view kNames[] = {kCppName<Chosen>...};
      AddEntry(table, name, kNames, make.template operator()<Chosen...>());
    } else {
      Product<Rest...>::template Add<Chosen...>(table, name, make);
    }
  }
};

}  // namespace kernel_internal

// Adds instances of kernel `name` for all combinations of one type from each of `Lists`, as
// `make<T...>()` gives them.
template <class... Lists, class Make>
void Add(KernelTable& table, std::string_view name, const Make& make) {
  kernel_internal::Product<Lists...>::template Add<>(table, name, make);
}

// The families, one file each.
void AddActivationKernels(KernelTable& table);
void AddBinaryKernels(KernelTable& table);
void AddComparisonKernels(KernelTable& table);
void AddConvKernels(KernelTable& table);
void AddCountKernels(KernelTable& table);
void AddFloatCastKernels(KernelTable& table);
void AddGatherKernels(KernelTable& table);
void AddGenerateKernels(KernelTable& table);
void AddIntegerCastKernels(KernelTable& table);
void AddMatMulKernels(KernelTable& table);
void AddMovementKernels(KernelTable& table);
void AddNormalizationKernels(KernelTable& table);
void AddPoolKernels(KernelTable& table);
void AddPowKernels(KernelTable& table);
void AddQuantizeKernels(KernelTable& table);
void AddRecurrentKernels(KernelTable& table);
void AddReduceKernels(KernelTable& table);
void AddResizeKernels(KernelTable& table);
void AddSmallCastKernels(KernelTable& table);
void AddSoftmaxKernels(KernelTable& table);
void AddUnaryKernels(KernelTable& table);
void AddWhereKernels(KernelTable& table);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_KERNEL_TABLE_H_
