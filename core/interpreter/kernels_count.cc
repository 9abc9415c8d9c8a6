// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/compress.h"
#include "runtime/kernels/image_decoder.h"
#include "runtime/kernels/non_max_suppression.h"
#include "runtime/kernels/non_zero.h"
#include "runtime/kernels/top_k.h"
#include "runtime/kernels/unique.h"

namespace dragoman {
namespace {

using kernel_internal::Apply;

// A count that depends on data, of the operands' elements.
template <class T>
rt::Status NonZeroShapes(const KernelArguments& arguments, std::span<rt::Shape> shapes) {
  const std::int64_t rank = arguments.operands[0].shape().size();
  shapes[0] = {rank, Apply(&rt::NonZeroCount<T>, arguments)};
  return rt::Status();
}

template <class T>
rt::Status CompressShapes(const KernelArguments& arguments, std::span<rt::Shape> shapes) {
  return rt::CompressShape(arguments.params->As<rt::CompressParams>(),
                           arguments.operands[0].shape(), Apply(&rt::CompressCount<T>, arguments),
                           &shapes[0]);
}

// At least `bytes` bytes, aligned for 8-byte elements.
std::vector<std::int64_t> ScratchOf(std::int64_t bytes) {
  constexpr std::size_t kSize = sizeof(std::int64_t);
  return std::vector<std::int64_t>((static_cast<std::size_t>(bytes) + kSize - 1) / kSize);
}

template <class T>
rt::Status UniqueShapes(const KernelArguments& arguments, std::span<rt::Shape> shapes) {
  const auto& params = arguments.params->As<rt::UniqueParams>();
  const rt::Shape& x = arguments.operands[0].shape();
  const std::int64_t bytes = Apply(&rt::UniqueScratchBytes<T>, arguments);
  std::vector<std::int64_t> scratch = ScratchOf(bytes);
  KernelArguments counting = arguments;
  counting.scratch = scratch.data();
  const std::int64_t count = Apply(&rt::UniqueCount<T>, counting);
  const std::int64_t items =
      params.has_axis ? x[rt::WrapAxis(params.axis, x.size())] : rt::NumElements(x);
  const rt::Shape others[] = {{}, {count}, {items}, {count}};
  for (std::size_t i = 1; i < shapes.size(); ++i) shapes[i] = others[i];
  return rt::UniqueShape(params, x, count, &shapes[0]);
}

rt::Status NonMaxSuppressionShapes(const KernelArguments& arguments, std::span<rt::Shape> shapes) {
  DRAGOMAN_RT_TRY(
      rt::CheckNonMaxSuppression(arguments.operands[0].shape(), arguments.operands[1].shape()));
  const std::int64_t bytes = Apply(&rt::NonMaxSuppressionScratchBytes<float>, arguments);
  std::vector<std::int64_t> scratch = ScratchOf(bytes);
  KernelArguments counting = arguments;
  counting.scratch = scratch.data();
  shapes[0] = {Apply(&rt::NonMaxSuppressionCount<float>, counting), 3};
  return rt::Status();
}

rt::Status ImageDecoderShapes(const KernelArguments& arguments, std::span<rt::Shape> shapes) {
  rt::TensorView<const std::uint8_t> file;
  file.data = static_cast<const std::uint8_t*>(arguments.operands[0].data());
  file.shape = arguments.operands[0].shape();
  return rt::ImageDecoderShape(arguments.params->As<rt::ImageDecoderParams>(), file, &shapes[0]);
}

}  // namespace

void AddCountKernels(KernelTable& table) {
  using Ordered = Plus<Plus<Numbers, Bool>, String>;
  Add<Bits>(table, "Compress", []<class T>() {
    KernelEntry entry = DRAGOMAN_KERNEL_ENTRY(Compress, T);
    entry.result_shapes = CompressShapes<T>;
    return entry;
  });
  Add<Types<std::uint8_t>>(table, "ImageDecoder", []<class T>() {
    KernelEntry entry = DRAGOMAN_KERNEL_ENTRY(ImageDecoder, T);
    entry.result_shapes = ImageDecoderShapes;
    return entry;
  });
  Add<Types<float>>(table, "NonMaxSuppression", []<class T>() {
    KernelEntry entry = DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(NonMaxSuppression, T);
    entry.result_shapes = NonMaxSuppressionShapes;
    return entry;
  });
  Add<Plus<Ordered, Complexes>>(table, "NonZero", []<class T>() {
    KernelEntry entry = DRAGOMAN_KERNEL_ENTRY(NonZero, T);
    entry.result_shapes = NonZeroShapes<T>;
    return entry;
  });
  Add<Plus<Integers, Types<float, double, rt::Half>>>(
      table, "TopK", []<class T>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(TopK, T); });
  Add<Ordered>(table, "Unique", []<class T>() {
    KernelEntry entry = DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(Unique, T);
    entry.result_shapes = UniqueShapes<T>;
    return entry;
  });
}

}  // namespace dragoman
