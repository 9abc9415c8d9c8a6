// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/bit_cast.h"
#include "runtime/kernels/concat.h"
#include "runtime/kernels/constant_of_shape.h"
#include "runtime/kernels/copy.h"
#include "runtime/kernels/depth_to_space.h"
#include "runtime/kernels/expand.h"
#include "runtime/kernels/pad.h"
#include "runtime/kernels/reverse_sequence.h"
#include "runtime/kernels/shape_of.h"
#include "runtime/kernels/size.h"
#include "runtime/kernels/slice.h"
#include "runtime/kernels/split.h"
#include "runtime/kernels/tile.h"
#include "runtime/kernels/transpose.h"
#include "runtime/kernels/trilu.h"

namespace dragoman {

namespace {

template <class T>
void AddBitCast(KernelTable& table) {
  Add<Types<T>, Types<T>>(table, "BitCast",
                          []<class X, class Y>() { return DRAGOMAN_KERNEL_ENTRY(BitCast, X, Y); });
}

}  // namespace

void AddMovementKernels(KernelTable& table) {
  AddBitCast<std::uint8_t>(table);
  AddBitCast<std::uint16_t>(table);
  AddBitCast<std::uint32_t>(table);
  AddBitCast<std::uint64_t>(table);
  Add<Bits>(table, "Concat", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Concat, T); });
  Add<Unsigned>(table, "ConstantOfShape",
                []<class T>() { return DRAGOMAN_KERNEL_ENTRY(ConstantOfShape, T); });
  Add<Bits>(table, "Copy", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Copy, T); });
  Add<Bits>(table, "DepthToSpace",
            []<class T>() { return DRAGOMAN_KERNEL_ENTRY(DepthToSpace, T); });
  Add<Bits>(table, "Expand", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Expand, T); });
  Add<Bits, Index>(table, "Pad",
                   []<class T, class Tind>() { return DRAGOMAN_KERNEL_ENTRY(Pad, T, Tind); });
  Add<Bits>(table, "ReverseSequence",
            []<class T>() { return DRAGOMAN_KERNEL_ENTRY(ReverseSequence, T); });
  Add<Bits>(table, "ShapeOf", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(ShapeOf, T); });
  Add<Bits>(table, "Size", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Size, T); });
  Add<Bits, Index>(table, "Slice",
                   []<class T, class Tind>() { return DRAGOMAN_KERNEL_ENTRY(Slice, T, Tind); });
  Add<Bits>(table, "SpaceToDepth",
            []<class T>() { return DRAGOMAN_KERNEL_ENTRY(SpaceToDepth, T); });
  Add<Bits>(table, "Split", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Split, T); });
  Add<Bits>(table, "Tile", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Tile, T); });
  Add<Bits>(table, "Transpose", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Transpose, T); });
  Add<Bits>(table, "Trilu", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Trilu, T); });
}

}  // namespace dragoman
