// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/pieces.h"

#include <string>
#include <utility>

#include "core/interpreter/kernel_table.h"
#include "core/ops/kernel_name.h"
#include "runtime/params/concat.h"
#include "runtime/params/split.h"

namespace dragoman {
namespace {

Status ToStatus(rt::Status status) {
  return status.ok() ? Status() : Status(InvalidInput(status.message()));
}

// Runs the instance of `kernel` for the storage of `dtype`.
Status Run(std::string_view kernel, DType dtype, const KernelArguments& arguments) {
  const std::string instance = std::string(kernel) + "<" + std::string(CppBitsType(dtype)) + ">";
  const KernelEntry* entry = FindKernel(instance);
  if (entry == nullptr) return Unsupported("the interpreter has no kernel " + instance);
  return ToStatus(entry->call(arguments));
}

rt::Shape Without(const rt::Shape& shape, int axis) {
  rt::Shape rest;
  for (int i = 0; i < shape.size(); ++i) {
    if (i != axis) rest.push_back(shape[i]);
  }
  return rest;
}

rt::Shape WithOne(const rt::Shape& shape, int axis) {
  rt::Shape wider;
  for (int i = 0; i <= shape.size(); ++i) {
    if (i == axis) wider.push_back(1);
    if (i < shape.size()) wider.push_back(shape[i]);
  }
  return wider;
}

}  // namespace

Result<int> ResolveAxis(std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return InvalidInput("axis " + std::to_string(axis) + " is out of range for rank " +
                        std::to_string(rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<std::vector<Array>> SplitAlong(const Array& array, int axis,
                                      std::span<const std::int64_t> sizes) {
  if (sizes.empty() && array.shape()[axis] == 0) return std::vector<Array>();
  const rt::SplitParams split{axis, 0};
  const auto count = static_cast<std::int64_t>(sizes.size());
  std::vector<rt::Shape> shapes(sizes.size());
  DRAGOMAN_TRY(
      ToStatus(rt::SplitShape(split, array.shape(), {sizes.data(), count}, shapes.data(), count)));
  std::vector<Array> parts;
  for (const rt::Shape& shape : shapes) {
    DRAGOMAN_ASSIGN(Array part, Array::Make(array.dtype(), shape));
    parts.push_back(std::move(part));
  }
  const Array operands[] = {array, Array()};
  const Params params = Params::Of(split, {});
  DRAGOMAN_TRY(Run("Split", array.dtype(), {&params, operands, parts, nullptr}));
  return parts;
}

Result<std::vector<Array>> Slices(const Array& array, int axis) {
  const std::vector<std::int64_t> ones(static_cast<std::size_t>(array.shape()[axis]), 1);
  DRAGOMAN_ASSIGN(std::vector<Array> slices, SplitAlong(array, axis, ones));
  for (Array& slice : slices) slice = slice.Reshaped(Without(slice.shape(), axis));
  return slices;
}

Result<Array> Concatenate(std::span<const Array> arrays, int axis) {
  const rt::ConcatParams concat{axis};
  std::vector<rt::Shape> shapes;
  for (const Array& array : arrays) {
    if (array.dtype() != arrays.front().dtype())
      return InvalidInput("the element types of what is joined differ");
    shapes.push_back(array.shape());
  }
  rt::Shape shape;
  DRAGOMAN_TRY(ToStatus(
      rt::ConcatShape(concat, shapes.data(), static_cast<std::int64_t>(shapes.size()), &shape)));
  DRAGOMAN_ASSIGN(Array joined, Array::Make(arrays.front().dtype(), shape));
  const Params params = Params::Of(concat, {});
  DRAGOMAN_TRY(Run("Concat", joined.dtype(), {&params, arrays, {&joined, 1}, nullptr}));
  return joined;
}

Result<Array> Stack(std::span<const Array> arrays, int axis) {
  std::vector<Array> wider;
  for (const Array& array : arrays) {
    if (array.shape().size() >= rt::kMaxRank)
      return Unsupported("the rank of what is stacked is too high");
    wider.push_back(array.Reshaped(WithOne(array.shape(), axis)));
  }
  return Concatenate(wider, axis);
}

}  // namespace dragoman
