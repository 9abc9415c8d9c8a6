// SPDX-License-Identifier: Apache-2.0
// Blocks, windows and gaps along axes.
#include "importers/relay/ops/op_rows.h"

#include <algorithm>
#include <string>
#include <vector>

namespace dragoman::relay {
namespace {

// Block sizes of the spatial axes, which come after the batch, and the axes after those.
struct Blocks {
  Ints sizes;
  int count = 0;
  int rank = 0;
};

Blocks TakeBlocks(Call& c, Value* x) {
  Blocks blocks;
  blocks.sizes = c.IntList("block_shape", {1, 1});
  blocks.count = static_cast<int>(blocks.sizes.size());
  blocks.rank = c.Rank(x);
  if (std::ranges::any_of(blocks.sizes, [](std::int64_t size) { return size < 1; }))
    c.Fail(InvalidInput("a block size below 1"));
  if (!c.failed() && blocks.count >= blocks.rank)
    c.Fail(InvalidInput("block_shape has more entries than there are axes"));
  return blocks;
}

// A pair an axis.
std::vector<Ints> Edges(Call& c, std::string_view name, const Blocks& blocks) {
  std::vector<Ints> pairs = c.IntPairs(name);
  if (!c.failed() && pairs.size() != blocks.sizes.size())
    c.Fail(InvalidInput(std::string(name) + " has another number of entries than block_shape"));
  pairs.resize(blocks.sizes.size(), {0, 0});
  return pairs;
}

std::int64_t Product(const Ints& sizes) {
  std::int64_t product = 1;
  for (std::int64_t size : sizes) product *= size;
  return product;
}

// (batch, spatial, rest) to (blocks · batch, spatial / block, rest).
Value* LowerSpaceToBatch(Call& c) {
  Value* x = c.Tensor(0);
  const Blocks blocks = TakeBlocks(c, x);
  const std::vector<Ints> pads = Edges(c, "paddings", blocks);
  const double fill = c.Float("pad_value", 0);
  if (c.failed()) return nullptr;
  const auto rank = static_cast<std::size_t>(blocks.rank);
  Ints edges(2 * rank, 0);
  for (std::size_t i = 0; i < pads.size(); ++i) {
    edges[1 + i] = pads[i][0];
    edges[rank + 1 + i] = pads[i][1];
  }
  x = c.Op("Pad", {x, c.Ints(std::move(edges)), c.Number(fill, x)});
  std::vector<Value*> split = {c.SizeVector(x, 0, 1)};
  std::vector<Value*> joined = {c.Mul(c.SizeVector(x, 0, 1), c.Ints({Product(blocks.sizes)}))};
  Ints order;
  for (int i = 0; i < blocks.count; ++i) {
    Value* block = c.Ints({blocks.sizes[static_cast<std::size_t>(i)]});
    Value* outer = c.Div(c.SizeVector(x, i + 1, 1), block);
    split.insert(split.end(), {outer, block});
    joined.push_back(outer);
    order.push_back(2 * i + 2);
  }
  order.push_back(0);
  for (int i = 0; i < blocks.count; ++i) order.push_back(2 * i + 1);
  for (int i = blocks.count + 1; i < blocks.rank; ++i) {
    split.push_back(c.SizeVector(x, i, 1));
    joined.push_back(c.SizeVector(x, i, 1));
    order.push_back(i + blocks.count);
  }
  Value* parts = c.Transpose(c.Reshape(x, c.ConcatSizes(std::move(split))), std::move(order));
  return c.Reshape(parts, c.ConcatSizes(std::move(joined)));
}

// The inverse, but for crops in place of pads.
Value* LowerBatchToSpace(Call& c) {
  Value* x = c.Tensor(0);
  const Blocks blocks = TakeBlocks(c, x);
  const std::vector<Ints> crops = Edges(c, "crops", blocks);
  if (c.failed()) return nullptr;
  Value* batch = c.Div(c.SizeVector(x, 0, 1), c.Ints({Product(blocks.sizes)}));
  std::vector<Value*> split;
  std::vector<Value*> joined = {batch};
  Ints order = {blocks.count};
  for (int i = 0; i < blocks.count; ++i) {
    Value* block = c.Ints({blocks.sizes[static_cast<std::size_t>(i)]});
    split.push_back(block);
    joined.push_back(c.Mul(c.SizeVector(x, i + 1, 1), block));
    order.insert(order.end(), {blocks.count + 1 + i, i});
  }
  split.push_back(batch);
  split.push_back(c.SizeVector(x, 1, blocks.rank - 1));
  for (int i = blocks.count + 1; i < blocks.rank; ++i) {
    joined.push_back(c.SizeVector(x, i, 1));
    order.push_back(blocks.count + i);
  }
  Value* parts = c.Transpose(c.Reshape(x, c.ConcatSizes(std::move(split))), std::move(order));
  Value* y = c.Reshape(parts, c.ConcatSizes(std::move(joined)));
  for (std::size_t i = 0; i < crops.size(); ++i) {
    if (crops[i][0] == 0 && crops[i][1] == 0) continue;
    const std::int64_t end = crops[i][1] == 0 ? kEnd : -crops[i][1];
    y = c.Slice(y, static_cast<int>(i) + 1, crops[i][0], end);
  }
  return y;
}

// Gaps between the elements of each axis.
Value* LowerDilate(Call& c) {
  Value* x = c.Tensor(0);
  const Ints strides = c.RequiredInts("strides");
  const double fill = c.Float("dilation_value", 0);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (strides.size() != static_cast<std::size_t>(rank))
    return c.Fail(InvalidInput("strides has another number of entries than there are axes"));
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t stride = strides[static_cast<std::size_t>(axis)];
    if (stride < 1) return c.Fail(InvalidInput("a stride below 1"));
    if (stride == 1) continue;
    std::vector<Value*> sizes;
    for (int i = 0; i < rank; ++i) sizes.push_back(c.SizeVector(x, i, 1));
    Value*& size = sizes[static_cast<std::size_t>(axis)];
    size = c.Mul(size, c.Ints({stride}));
    Ints pads(2 * (static_cast<std::size_t>(rank) + 1), 0);
    pads[static_cast<std::size_t>(rank + 1 + axis + 1)] = stride - 1;
    Value* apart =
        c.Op("Pad", {c.Unsqueeze(x, {axis + 1}), c.Ints(std::move(pads)), c.Number(fill, x)});
    x = c.Slice(c.Reshape(apart, c.ConcatSizes(std::move(sizes))), axis, 0, -(stride - 1));
  }
  return x;
}

// Windows over the axes from `axis` on: (axes before, places of windows, sizes of a window).
Value* LowerSlidingWindow(Call& c) {
  Value* x = c.Tensor(0);
  const Ints window = c.RequiredInts("window_shape");
  const Ints strides = c.RequiredInts("strides");
  const std::int64_t given = c.RequiredInt("axis");
  const int rank = c.Rank(x);
  const int first = c.Axis(given, rank);
  if (c.failed()) return nullptr;
  const int count = rank - first;
  if (window.size() != static_cast<std::size_t>(count) || strides.size() != window.size())
    return c.Fail(InvalidInput("window_shape or strides has another number of entries"));
  Ints order = AllAxes(first);
  Ints inner;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int axis = first + 2 * i;
    const std::optional<std::int64_t> size = c.KnownSize(x, axis);
    if (!size) return c.Fail("windows along an axis whose size is not known");
    if (window[at] < 1 || strides[at] < 1 || window[at] > *size)
      return c.Fail(InvalidInput("a window that does not fit"));
    const std::int64_t places = (*size - window[at]) / strides[at] + 1;
    Ints indices;
    for (std::int64_t place = 0; place < places; ++place) {
      for (std::int64_t k = 0; k < window[at]; ++k) indices.push_back(place * strides[at] + k);
    }
    x = c.Gather(x, c.Reshape(c.Ints(std::move(indices)), Ints{places, window[at]}), axis);
    order.push_back(axis);
    inner.push_back(axis + 1);
  }
  order.insert(order.end(), inner.begin(), inner.end());
  return c.Transpose(x, std::move(order));
}

// What comes in last pushes out what came in first.
Value* LowerFifoBuffer(Call& c) {
  Value* x = c.Tensor(0);
  Value* buffer = c.Tensor(1);
  const int axis = c.AxisOf(c.Int("axis", 0), x);
  if (c.failed()) return nullptr;
  Value* kept =
      c.Slice(buffer, axis, c.SizeVector(x, axis, 1), c.SizeVector(buffer, axis, 1), c.Ints({1}));
  return c.Concat({kept, x}, axis);
}

}  // namespace

std::span<const OpRow> BlocksRows() {
  static constexpr OpRow kRows[] = {
      {"nn.batch_to_space_nd", LowerBatchToSpace}, {"nn.dilate", LowerDilate},
      {"nn.fifo_buffer", LowerFifoBuffer},         {"nn.space_to_batch_nd", LowerSpaceToBatch},
      {"sliding_window", LowerSlidingWindow},
  };
  return kRows;
}

}  // namespace dragoman::relay
