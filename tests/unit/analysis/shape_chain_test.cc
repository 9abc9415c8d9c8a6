// SPDX-License-Identifier: Apache-2.0
// The chains of integer arithmetic that exporters leave between Shape and what takes sizes are
// followed to their end: each case is a graph as an exporter writes it, and the type of its output.
#include <gtest/gtest.h>

#include <string>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"

namespace dragoman {
namespace {

// The type of the first output of the graph `text`, or the error.
std::string InferredOutput(const std::string& text) {
  Result<Model> model = ParseText(text);
  if (!model.ok()) return model.error().ToString();
  const Status status = InferModel(*model);
  if (!status.ok()) return status.error().ToString();
  return model->main().output(0)->type().ToString();
}

TEST(ShapeChain, ReshapeToGatheredSizes) {
  // torch: x.view(x.size(0), -1)
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, 3, 4, 5]) -> (%y) {
    const %zero: i64[] = 0
    const %axes: i64[1] = [0]
    const %minus_one: i64[1] = [-1]
    %shape = onnx.Shape(%x)
    %n = onnx.Gather(%shape, %zero) {axis = 0}
    %list = onnx.Unsqueeze(%n, %axes)
    %sizes = onnx.Concat(%list, %minus_one) {axis = 0}
    %y = onnx.Reshape(%x, %sizes)
  })"),
            "f32[n, 60]");
}

TEST(ShapeChain, ExpandToSlicedSizes) {
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, c, h, w], %bias: f32[c, 1, 1]) -> (%y) {
    const %start: i64[1] = [-2]
    const %end: i64[1] = [9223372036854775807]
    const %one: i64[1] = [1]
    const %two: i64[1] = [2]
    %shape = onnx.Shape(%x)
    %spatial = onnx.Slice(%shape, %start, %end)
    %sizes = onnx.Concat(%one, %two, %spatial) {axis = 0}
    %first = onnx.Slice(%bias, %start, %end)
    %y = onnx.Expand(%bias, %spatial)
  })"),
            "f32[c, h, w]");
}

TEST(ShapeChain, ConcatKeepsWhatIsKnown) {
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, 6], %k: i64[1]) -> (%y) {
    const %three: i64[1] = [3]
    const %axis: i64[1] = [0]
    %shape = onnx.Shape(%x) {end = 1}
    %sizes = onnx.Concat(%shape, %k, %three) {axis = 0}
    %y = onnx.ConstantOfShape(%sizes)
  })"),
            "f32[n, y, 3]");
}

TEST(ShapeChain, TorchExpand) {
  // torch: x.expand(n, -1, 4); -1 stands for the size that is there
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[1, c, 1], %z: f32[n]) -> (%y) {
    const %rank: i64[1] = [3]
    const %minus_one: i64[] = -1
    const %kept: i64[1] = [-1]
    const %four: i64[1] = [4]
    %n = onnx.Shape(%z)
    %wanted = onnx.Concat(%n, %kept, %four) {axis = 0}
    %ones = onnx.ConstantOfShape(%rank) {value = i64[1] [1]}
    %negative = onnx.Mul(%ones, %minus_one)
    %is_kept = onnx.Equal(%wanted, %negative)
    %sizes = onnx.Where(%is_kept, %ones, %wanted)
    %y = onnx.Expand(%x, %sizes)
  })"),
            "f32[n, c, 4]");
}

TEST(ShapeChain, RangeOverASize) {
  // torch: torch.arange(x.size(1)).unsqueeze(0)
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, seq, 8]) -> (%y) {
    const %zero: i64[] = 0
    const %one: i64[] = 1
    const %axes: i64[1] = [0]
    %shape = onnx.Shape(%x)
    %seq = onnx.Gather(%shape, %one) {axis = 0}
    %positions = onnx.Range(%zero, %seq, %one)
    %y = onnx.Unsqueeze(%positions, %axes)
  })"),
            "i64[1, seq]");
}

TEST(ShapeChain, ViewSplitsHeads) {
  // torch: x.view(b, s, 8, e // 8).transpose(1, 2), with the division left in the graph
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[batch, seq, 512]) -> (%y) {
    const %zero: i64[] = 0
    const %one: i64[] = 1
    const %two: i64[] = 2
    const %eight: i64[] = 8
    const %heads: i64[1] = [8]
    const %axes: i64[1] = [0]
    %shape = onnx.Shape(%x)
    %b = onnx.Gather(%shape, %zero)
    %s = onnx.Gather(%shape, %one)
    %e = onnx.Gather(%shape, %two)
    %width = onnx.Div(%e, %eight)
    %b1 = onnx.Unsqueeze(%b, %axes)
    %s1 = onnx.Unsqueeze(%s, %axes)
    %w1 = onnx.Unsqueeze(%width, %axes)
    %sizes = onnx.Concat(%b1, %s1, %heads, %w1) {axis = 0}
    %split = onnx.Reshape(%x, %sizes)
    %y = onnx.Transpose(%split) {perm = [0, 2, 1, 3]}
  })"),
            "f32[batch, 8, seq, 64]");
}

TEST(ShapeChain, ViewInfersAQuotient) {
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[batch, seq, 64]) -> (%y) {
    const %sizes: i64[2] = [-1, 64]
    %y = onnx.Reshape(%x, %sizes)
  })"),
            "f32[batch*seq, 64]");
}

TEST(ShapeChain, HalvesOfASize) {
  // torch: x[:, : x.size(1) // 2]
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, c]) -> (%y) {
    const %zero: i64[1] = [0]
    const %one: i64[] = 1
    const %two: i64[] = 2
    const %axis: i64[1] = [1]
    const %front: i64[1] = [0]
    %shape = onnx.Shape(%x)
    %c = onnx.Gather(%shape, %one)
    %half = onnx.Div(%c, %two)
    %end = onnx.Unsqueeze(%half, %front)
    %y = onnx.Slice(%x, %zero, %end, %axis)
  })"),
            "f32[n, min(c, c // 2)]");
}

TEST(ShapeChain, TensorFlowStridedSliceAndPack) {
  // tf2onnx: Cast to int32, Slice, Squeeze, Concat of unsqueezed scalars, Cast back
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, 10, 4]) -> (%y) {
    const %zero: i64[1] = [0]
    const %one: i64[1] = [1]
    const %forty: i32[1] = [40]
    %shape = onnx.Shape(%x)
    %shape32 = onnx.Cast(%shape) {to = 6}
    %slice = onnx.Slice(%shape32, %zero, %one, %zero)
    %scalar = onnx.Squeeze(%slice, %zero)
    %list = onnx.Unsqueeze(%scalar, %zero)
    %packed = onnx.Concat(%list, %forty) {axis = 0}
    %sizes = onnx.Cast(%packed) {to = 7}
    %y = onnx.Reshape(%x, %sizes)
  })"),
            "f32[n, 40]");
}

TEST(ShapeChain, ResizeToScaledSizes) {
  // torch: interpolate(x, scale_factor=2) by sizes computed in the graph
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, 3, h, w]) -> (%y) {
    const %two: i64[] = 2
    const %start: i64[1] = [0]
    const %middle: i64[1] = [2]
    const %end: i64[1] = [4]
    %shape = onnx.Shape(%x)
    %outer = onnx.Slice(%shape, %start, %middle)
    %inner = onnx.Slice(%shape, %middle, %end)
    %doubled = onnx.Mul(%inner, %two)
    %sizes = onnx.Concat(%outer, %doubled) {axis = 0}
    %y = onnx.Resize(%x, _, _, %sizes) {mode = "nearest"}
  })"),
            "f32[n, 3, 2*h, 2*w]");
}

TEST(ShapeChain, ProductOfASlice) {
  // Keras' Flatten: the product of all sizes but the first
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, h, w, 2]) -> (%y) {
    const %one: i64[1] = [1]
    const %end: i64[1] = [2147483647]
    const %minus_one: i64[1] = [-1]
    %shape = onnx.Shape(%x)
    %inner = onnx.Slice(%shape, %one, %end)
    %size = onnx.ReduceProd(%inner) {keepdims = 1}
    %sizes = onnx.Concat(%minus_one, %size) {axis = 0}
    %y = onnx.Reshape(%x, %sizes)
  })"),
            "f32[n, 2*h*w]");
}

TEST(ShapeChain, PaddingComputedInTheGraph) {
  // torch: pad(x, (1, 2)), whose exporter reverses and reshapes the list of pads
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, c]) -> (%y) {
    const %pads: i64[2] = [1, 2]
    const %added: i64[1] = [2]
    const %rows: i64[2] = [-1, 2]
    const %start: i64[1] = [-1]
    const %end: i64[1] = [-9223372036854775807]
    const %axis: i64[1] = [0]
    const %step: i64[1] = [-1]
    const %flat: i64[1] = [-1]
    %zeros = onnx.ConstantOfShape(%added) {value = i64[1] [0]}
    %all = onnx.Concat(%pads, %zeros) {axis = 0}
    %pairs = onnx.Reshape(%all, %rows)
    %reversed = onnx.Slice(%pairs, %start, %end, %axis, %step)
    %turned = onnx.Transpose(%reversed) {perm = [1, 0]}
    %list = onnx.Reshape(%turned, %flat)
    %sizes = onnx.Cast(%list) {to = 7}
    %y = onnx.Pad(%x, %sizes)
  })"),
            "f32[n, c + 3]");
}

TEST(ShapeChain, TileByASize) {
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, 4], %row: f32[1, 4]) -> (%y) {
    const %one: i64[1] = [1]
    %n = onnx.Shape(%x) {end = 1}
    %repeats = onnx.Concat(%n, %one) {axis = 0}
    %y = onnx.Tile(%row, %repeats)
  })"),
            "f32[n, 4]");
}

TEST(ShapeChain, SplitOfAShape) {
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, seq, 16]) -> (%y) {
    const %lengths: i64[2] = [2, 1]
    %shape = onnx.Shape(%x)
    %outer, %inner = onnx.Split(%shape, %lengths) {axis = 0}
    %y = onnx.ConstantOfShape(%outer)
  })"),
            "f32[n, seq]");
}

TEST(ShapeChain, PositionsOfAllOnes) {
  // torch before opset 11: arange(5) as NonZero of ones
  EXPECT_EQ(InferredOutput(R"(graph g() -> (%y) {
    const %five: i64[1] = [5]
    const %axis: i64[1] = [1]
    %ones = onnx.ConstantOfShape(%five) {value = i64[1] [1]}
    %positions = onnx.NonZero(%ones)
    %turned = onnx.Transpose(%positions)
    %list = onnx.Squeeze(%turned, %axis)
    %y = onnx.ConstantOfShape(%list)
  })"),
            "f32[0, 1, 2, 3, 4]");
}

TEST(ShapeChain, CountsThatOnlyDataTellAreSymbols) {
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, 4]) -> (%y) {
    const %zero: i64[] = 0
    %where = onnx.NonZero(%x)
    %shape = onnx.Shape(%where) {start = 1}
    %y = onnx.ConstantOfShape(%shape)
  })"),
            "f32[where]");
}

TEST(ShapeChain, SlicesOfSymbolicSizes) {
  const auto sliced = [](const std::string& start, const std::string& end) {
    return InferredOutput("graph g(%x: f32[n]) -> (%y) {\n const %start: i64[1] = [" + start +
                          "]\n const %end: i64[1] = [" + end +
                          "]\n %y = onnx.Slice(%x, %start, %end)\n}");
  };
  EXPECT_EQ(sliced("0", "9223372036854775807"), "f32[n]");
  EXPECT_EQ(sliced("0", "-1"), "f32[max(0, n - 1)]");
  EXPECT_EQ(sliced("1", "9223372036854775807"), "f32[max(0, n - 1)]");
  EXPECT_EQ(sliced("-1", "9223372036854775807"), "f32[min(1, n)]");
  EXPECT_EQ(sliced("0", "4"), "f32[min(4, n)]");
}

TEST(ShapeChain, WrongSizesAreRefused) {
  EXPECT_NE(InferredOutput(R"(graph g(%x: f32[n, 3]) -> (%y) {
    const %sizes: i64[3] = [-1, -1, 3]
    %y = onnx.Reshape(%x, %sizes)
  })")
                .find("-1 twice"),
            std::string::npos);
  EXPECT_NE(InferredOutput(R"(graph g(%x: f32[n, 3]) -> (%y) {
    const %axes: i64[1] = [1]
    %y = onnx.Squeeze(%x, %axes)
  })")
                .find("has size 3, not 1"),
            std::string::npos);
}

TEST(ShapeChain, DataDependentSizesAreNotThoseOfInputs) {
  EXPECT_EQ(InferredOutput(R"(graph g(%x: f32[n, y]) -> (%y) { %y = onnx.NonZero(%x) })"),
            "i64[2, y_2]");
}

}  // namespace
}  // namespace dragoman
