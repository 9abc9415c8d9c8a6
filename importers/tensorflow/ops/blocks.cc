// SPDX-License-Identifier: Apache-2.0
// SpaceToBatch and BatchToSpace: blocks of the spatial axes that become images of their own.
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ops/elements.h"
#include "core/support/count_elements.h"
#include "importers/tensorflow/ops/dilated.h"

namespace dragoman::tf {
namespace {

// Block sizes, and pads or crops, of the spatial axes, which come after the batch.
struct Blocks {
  Ints sizes;
  std::optional<Ints> edges;   // (begin, end) an axis, if known
  std::vector<Value*> begins;  // int64 vectors of one element
  std::vector<Value*> ends;

  bool NoEdges(int axis) const {
    const auto at = 2 * static_cast<std::size_t>(axis);
    return edges && (*edges)[at] == 0 && (*edges)[at + 1] == 0;
  }
};

Blocks TakeBlocks(Call& c) {
  Blocks blocks;
  const std::size_t edges = c.Has("block_size") ? 1 : 2;
  blocks.sizes =
      edges == 1 ? Ints(2, c.IntAttribute("block_size")) : c.KnownInts(1, "a list of block sizes");
  blocks.edges = c.MaybeKnownInts(edges);
  const std::size_t count = blocks.sizes.size();
  if (blocks.edges && blocks.edges->size() != 2 * count)
    c.Fail(InvalidInput("the pads do not have two entries an axis"));
  if (std::any_of(blocks.sizes.begin(), blocks.sizes.end(), [](auto size) { return size < 1; }))
    c.Fail(InvalidInput("a block size below 1"));
  if (c.failed()) return blocks;
  Value* flat = blocks.edges ? nullptr : c.Flatten(c.Index(edges));
  const auto edge = [&](std::size_t i) {
    if (blocks.edges) return c.Ints({(*blocks.edges)[i]});
    const auto at = static_cast<std::int64_t>(i);
    return c.Slice(flat, 0, at, at + 1);
  };
  for (std::size_t i = 0; i < count; ++i) {
    blocks.begins.push_back(edge(2 * i));
    blocks.ends.push_back(edge(2 * i + 1));
  }
  return blocks;
}

// How many spatial axes there are; 0 if it fails.
int SpatialAxes(Call& c, Value* x, const Blocks& blocks) {
  const int rank = c.Rank(x);
  const auto count = static_cast<int>(blocks.sizes.size());
  if (!c.failed() && rank < count + 1)
    c.Fail(InvalidInput("there are fewer axes than block sizes"));
  return c.failed() ? 0 : count;
}

// Each element 0-d, as lists of sizes of rank 1.
Value* Vectors(Call& c, const std::vector<Value*>& sizes) {
  std::vector<Value*> parts;
  for (Value* size : sizes) parts.push_back(c.Vector(size));
  return c.ConcatSizes(std::move(parts));
}

// How many blocks an image has for each of its elements, 0-d.
Value* BlockSize(Call& c, const Ints& sizes) {
  const std::optional<std::int64_t> size = CountElements(sizes);
  return size ? c.Int(*size) : c.Fail(InvalidInput("blocks of more elements than 64 bits count"));
}

// Pads of all axes: none of the batch, and none after the spatial axes.
Value* PadBlocks(Call& c, Value* x, const Blocks& blocks, int count) {
  bool pads = false;
  for (int i = 0; i < count; ++i) pads = pads || !blocks.NoEdges(i);
  if (!pads) return x;
  const auto behind = static_cast<std::size_t>(c.Rank(x) - count - 1);
  std::vector<Value*> parts = {c.Ints({0})};
  parts.insert(parts.end(), blocks.begins.begin(), blocks.begins.end());
  parts.push_back(c.Ints(Ints(behind + 1, 0)));
  parts.insert(parts.end(), blocks.ends.begin(), blocks.ends.end());
  parts.push_back(c.Ints(Ints(behind, 0)));
  return c.Op("Pad", {x, c.ConcatSizes(std::move(parts))});
}

// (batch, spatial, rest) to (blocks · batch, spatial / block, rest).
Value* LowerSpaceToBatch(Call& c) {
  Value* x = c.Tensor(0);
  const Blocks blocks = TakeBlocks(c);
  const int rank = c.Rank(x);
  const int count = SpatialAxes(c, x, blocks);
  if (c.failed()) return nullptr;
  x = PadBlocks(c, x, blocks, count);
  std::vector<Value*> split = {c.Size(x, 0)};
  std::vector<Value*> joined = {c.Mul(c.Size(x, 0), BlockSize(c, blocks.sizes))};
  Ints order;
  for (int i = 0; i < count; ++i) {
    Value* block = c.Int(blocks.sizes[static_cast<std::size_t>(i)]);
    Value* outer = c.Div(c.Size(x, i + 1), block);
    split.insert(split.end(), {outer, block});
    joined.push_back(outer);
    order.push_back(2 * i + 2);
  }
  order.push_back(0);
  for (int i = 0; i < count; ++i) order.push_back(2 * i + 1);
  for (int i = count + 1; i < rank; ++i) {
    split.push_back(c.Size(x, i));
    joined.push_back(c.Size(x, i));
    order.push_back(i + count);
  }
  Value* parts = c.Transpose(c.Reshape(x, Vectors(c, split)), order);
  return c.Reshape(parts, Vectors(c, joined));
}

// What is cut off of each axis, as far as it is known.
std::vector<Crop> CropsOf(Call& c, const Blocks& blocks) {
  std::vector<Crop> crops;
  const auto known = [&](Value* edge) {
    if (const std::optional<std::int64_t> number = c.KnownNumber(edge)) return Dim(*number);
    return OnlyElement(c.builder().inference().Know(edge));
  };
  for (std::size_t i = 0; i < blocks.sizes.size() && !c.failed(); ++i)
    crops.push_back({known(blocks.begins[i]), known(blocks.ends[i])});
  return crops;
}

// The inverse; what is cropped lies at the ends of the spatial axes.
Value* LowerBatchToSpace(Call& c) {
  Value* x = c.Tensor(0);
  const Blocks blocks = TakeBlocks(c);
  const int rank = c.Rank(x);
  const int count = SpatialAxes(c, x, blocks);
  if (c.failed()) return nullptr;
  if (Value* conv = AsDilatedConvolution(c, x, blocks.sizes, CropsOf(c, blocks))) return conv;
  std::vector<Value*> split;
  for (const std::int64_t block : blocks.sizes) split.push_back(c.Int(block));
  Value* batch = c.Div(c.Size(x, 0), BlockSize(c, blocks.sizes));
  split.push_back(batch);
  std::vector<Value*> joined = {batch};
  Ints order = {count};
  for (int i = 0; i < count; ++i) {
    Value* block = split[static_cast<std::size_t>(i)];
    split.push_back(c.Size(x, i + 1));
    joined.push_back(c.Mul(split.back(), block));
    order.insert(order.end(), {count + 1 + i, i});
  }
  for (int i = count + 1; i < rank; ++i) {
    split.push_back(c.Size(x, i));
    joined.push_back(c.Size(x, i));
    order.push_back(count + i);
  }
  Value* y = c.Reshape(c.Transpose(c.Reshape(x, Vectors(c, split)), order), Vectors(c, joined));
  for (int i = 0; i < count; ++i) {
    if (blocks.NoEdges(i)) continue;
    const auto at = static_cast<std::size_t>(i);
    Value* end = c.Sub(c.SizeVector(y, i + 1, 1), blocks.ends[at]);
    y = c.Slice(y, i + 1, blocks.begins[at], end, c.Ints({1}));
  }
  return y;
}

}  // namespace

std::span<const OpRow> BlocksRows() {
  static constexpr OpRow kRows[] = {
      {"BatchToSpace", LowerBatchToSpace},
      {"BatchToSpaceND", LowerBatchToSpace},
      {"SpaceToBatch", LowerSpaceToBatch},
      {"SpaceToBatchND", LowerSpaceToBatch},
  };
  return kRows;
}

}  // namespace dragoman::tf
