// SPDX-License-Identifier: Apache-2.0
// TensorArrays, which are lists that go along an edge of their own, the flow.
#include "importers/tensorflow/ops/op_rows.h"

#include <memory>
#include <optional>
#include <utility>

#include "importers/tensorflow/ops/lists.h"

namespace dragoman::tf {
namespace {

using Results = std::vector<Abstract>;

// Sizes of an element, as an int64 vector, if the attribute element_shape states them all.
Value* ElementSizesAttribute(Call& c) {
  const std::optional<Shape> shape = c.ShapeAttribute("element_shape");
  const std::optional<Ints> sizes = shape ? KnownShape(*shape) : std::nullopt;
  return sizes ? c.Ints(*sizes) : nullptr;
}

// The handle of an array of version 1 or 2 holds what is in it first; that of an array that grows
// ends with None.
bool Grows(const Abstract& handle) {
  const auto* parts = handle.As<Tuple>();
  return parts != nullptr && parts->items->back().Is<None>();
}

// What is in the array goes along its flow, and the handle carries nothing; target "first": it is
// of version 1 or 2, whose handle has what the flow begins with (lower/evaluator.cc).
Results LowerTensorArray(Call& c, bool has_flow) {
  Value* length = c.IndexNumber(0);
  Value* sizes = ElementSizesAttribute(c);
  const bool grows = c.BoolAttribute("dynamic_size");
  const DType dtype = c.TypeAttribute("dtype");
  Abstract made = grows && c.KnownNumber(length) == 0 ? c.heap().NewList({})
                                                      : ReservedList(c, length, sizes, dtype);
  std::vector<Abstract> handle;
  if (!has_flow) handle.push_back(made);
  if (grows) handle.push_back(None());
  const auto parts = std::make_shared<const std::vector<Abstract>>(std::move(handle));
  const Abstract named = parts->empty() ? Abstract(None()) : Abstract(Tuple{parts});
  if (!has_flow) return {named};
  return {named, std::move(made)};
}

Results LowerTensorArrayWrite(Call& c) {
  Value* index = c.Tensor(1);
  return {ListWithElement(c, c.operand(3), index, c.Tensor(2), Grows(c.operand(0)))};
}

Value* LowerTensorArrayRead(Call& c) {
  return ListElement(c, c.operand(2), c.Tensor(1), nullptr, c.TypeAttribute("dtype"));
}

Value* LowerTensorArrayPack(Call& c) {
  return StackElements(c, c.operand(1), ElementSizesAttribute(c), c.TypeAttribute("dtype"));
}

Results LowerTensorArrayUnpack(Call& c) { return {c.NewTensor(c.Tensor(1))}; }

Value* LowerTensorArrayGather(Call& c) {
  Value* indices = c.Tensor(1);
  Value* rows = StackElements(c, c.operand(2), ElementSizesAttribute(c), c.TypeAttribute("dtype"));
  if (c.failed()) return nullptr;
  // All of them, in order.
  if (CountsUp(c, indices)) {
    const Shape* shape = rows->type().shape();
    const Shape* count = indices->type().shape();
    const bool have_axes =
        shape != nullptr && count != nullptr && !shape->empty() && !count->empty();
    if (have_axes && Equal((*shape)[0], (*count)[0]) == Truth::kYes) return rows;
  }
  return c.Gather(rows, indices, 0);
}

Results LowerTensorArrayScatter(Call& c) {
  Value* rows = c.Tensor(2);
  const Abstract& list = c.operand(3);
  if (c.failed()) return {};
  if (!IsReserved(list) && ListLength(c, list) != nullptr && !list.Is<TensorRef>()) {
    const ListContents* contents = ListOf(list);
    if (contents == nullptr || !contents->IsEmpty()) {
      c.Fail("writing several elements of an array of which some were written");
      return {};
    }
  }
  return {ListOfRows(c, rows, c.Index(1), c.failed() ? nullptr : ListLength(c, list))};
}

Value* LowerTensorArraySize(Call& c) { return c.Cast(ListLength(c, c.operand(1)), DType::kI32); }

Results LowerTensorArrayConcat(Call& c) {
  return JoinElements(c, c.operand(1), nullptr, c.TypeAttribute("dtype"));
}

Results LowerTensorArraySplit(Call& c) {
  Value* rows = c.Tensor(1);
  return {SplitIntoList(c, rows, 2)};
}

Results LowerNothing(Call&) { return {}; }

}  // namespace

std::span<const OpRow> TensorArraysRows() {
  static constexpr OpRow kRows[] = {
      {"ControlTrigger", LowerNothing},
      {"DestroyResourceOp", LowerNothing},
      {"DisableCopyOnRead", LowerNothing},
      {"NoOp", LowerNothing},
      {"TensorArray", With<LowerTensorArray, false>},
      {"TensorArrayClose", LowerNothing},
      {"TensorArrayCloseV2", LowerNothing},
      {"TensorArrayCloseV3", LowerNothing},
      {"TensorArrayConcat", LowerTensorArrayConcat},
      {"TensorArrayConcatV2", LowerTensorArrayConcat},
      {"TensorArrayConcatV3", LowerTensorArrayConcat},
      {"TensorArrayGather", LowerTensorArrayGather},
      {"TensorArrayGatherV2", LowerTensorArrayGather},
      {"TensorArrayGatherV3", LowerTensorArrayGather},
      {"TensorArrayPack", LowerTensorArrayPack},
      {"TensorArrayRead", LowerTensorArrayRead},
      {"TensorArrayReadV2", LowerTensorArrayRead},
      {"TensorArrayReadV3", LowerTensorArrayRead},
      {"TensorArrayScatter", LowerTensorArrayScatter},
      {"TensorArrayScatterV2", LowerTensorArrayScatter},
      {"TensorArrayScatterV3", LowerTensorArrayScatter},
      {"TensorArraySize", LowerTensorArraySize},
      {"TensorArraySizeV2", LowerTensorArraySize},
      {"TensorArraySizeV3", LowerTensorArraySize},
      {"TensorArraySplit", LowerTensorArraySplit},
      {"TensorArraySplitV2", LowerTensorArraySplit},
      {"TensorArraySplitV3", LowerTensorArraySplit},
      {"TensorArrayUnpack", LowerTensorArrayUnpack},
      {"TensorArrayV2", With<LowerTensorArray, false>},
      {"TensorArrayV3", With<LowerTensorArray, true>},
      {"TensorArrayWrite", LowerTensorArrayWrite},
      {"TensorArrayWriteV2", LowerTensorArrayWrite},
      {"TensorArrayWriteV3", LowerTensorArrayWrite},
  };
  return kRows;
}

}  // namespace dragoman::tf
