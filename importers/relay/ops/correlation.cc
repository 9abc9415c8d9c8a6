// SPDX-License-Identifier: Apache-2.0
// How alike the surroundings of elements are in two images.
#include "importers/relay/ops/op_rows.h"

#include <string>
#include <utility>
#include <vector>

#include "importers/relay/ops/layout.h"

namespace dragoman::relay {
namespace {

constexpr std::int64_t kMostDisplacements = 4096;  // each of which takes some nodes

// What is read along one axis of the padded images.
struct Span {
  std::int64_t results = 0;
  std::int64_t begin = 0;  // of the first image; the second is displaced
  std::int64_t length = 0;
};

// A channel of the result for each displacement of the second image, in order of rows: the mean of
// products, or of differences, over channels and a window.
Value* LowerCorrelation(Call& c) {
  c.ExpectText("layout", {"NCHW"});
  const std::int64_t window = c.Int("kernel_size", 1);
  const std::int64_t most = c.Int("max_displacement", 1);
  const std::int64_t stride = c.Int("stride1", 1);
  const std::int64_t step = c.Int("stride2", 1);
  const Ints pads = PadsOf(c, "padding", 2);
  const bool multiplies = c.Bool("is_multiply", true);
  Value* first = c.Tensor(0);
  Value* second = c.Tensor(1);
  const auto sizes = c.KnownSizes(first);
  if (c.failed()) return nullptr;
  if (window < 1 || window % 2 == 0 || most < 0 || stride < 1 || step < 1)
    return c.Fail(InvalidInput("kernel_size, max_displacement, stride1 or stride2 is no such"));
  if (!sizes || sizes->size() != 4) return c.Fail("an image whose sizes are not known");
  const std::int64_t radius = most / step;
  if (radius > kMostDisplacements || (2 * radius + 1) * (2 * radius + 1) > kMostDisplacements)
    return c.Fail("over " + std::to_string(kMostDisplacements) + " displacements");
  std::vector<Span> spans;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t border = most + (window - 1) / 2;
    const std::int64_t padded = (*sizes)[axis + 2] + pads[axis] + pads[axis + 2];
    const std::int64_t room = padded - 2 * border;
    if (room < 1) return c.Fail(InvalidInput("an image that is smaller than the displacements"));
    const std::int64_t results = (room + stride - 1) / stride;
    spans.push_back({results, most, (results - 1) * stride + window});
  }
  Value* edges = c.Ints({0, 0, pads[0], pads[1], 0, 0, pads[2], pads[3]});
  first = c.Op("Pad", {first, edges});
  second = c.Op("Pad", {second, edges});
  const auto part = [&](Value* image, std::int64_t down, std::int64_t right) {
    const std::int64_t top = spans[0].begin + down, left = spans[1].begin + right;
    return c.Slice(c.Slice(image, 2, top, top + spans[0].length), 3, left, left + spans[1].length);
  };
  Value* still = part(first, 0, 0);
  std::vector<Value*> channels;
  for (std::int64_t down = -radius; down <= radius; ++down) {
    for (std::int64_t right = -radius; right <= radius; ++right) {
      Value* moved = part(second, down * step, right * step);
      Value* each = multiplies ? c.Mul(still, moved) : c.Abs(c.Sub(still, moved));
      channels.push_back(c.ReduceMean(each, {1}, true));
    }
  }
  Value* means = c.Concat(std::move(channels), 1);
  return c.Op("AveragePool", {means},
              {{"kernel_shape", Ints{window, window}}, {"strides", Ints{stride, stride}}});
}

}  // namespace

std::span<const OpRow> CorrelationRows() {
  static constexpr OpRow kRows[] = {
      {"nn.correlation", LowerCorrelation},
  };
  return kRows;
}

}  // namespace dragoman::relay
