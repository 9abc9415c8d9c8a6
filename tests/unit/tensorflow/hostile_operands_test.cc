// SPDX-License-Identifier: Apache-2.0
// Sizes, indices and attributes that no program of TensorFlow has: each is refused in words.
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ir/parse.h"
#include "core/support/size_budget.h"
#include "importers/tensorflow/lower/lower.h"
#include "importers/tensorflow/lower/vocabulary.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

// What lowering says of an entry with input x of type `type`, whose result y:0 the lines of `body`
// compute; "" if it is lowered.
std::string Refusal(const std::string& type, const std::string& body,
                    const std::string& functions = "") {
  const std::string text = fmt::format(R"(dragoman 1 source tf
opset "tf" 27
entry main(%x: {0}) -> (%y: f32[*]) {{
  %y = tf:graph.main(%x) {{feeds = ["x:0"], fetches = ["y:0"]}}
}}

function tf:graph.main() -> () {{
  %x = tf.Placeholder() {{dtype = type {3}[*]}} @x
{1}}}
{2})",
                                       type, body, functions, type.substr(0, type.find('[')));
  const Result<Model> model = ParseText(text);
  if (!model.ok()) return "text: " + model.error().ToString();
  SizeBudget budget(SizeBudget::kAtLeast);
  const SizeBudgetScope scope(budget);
  const Result<Model> common = LowerTensorFlow(*model);
  return common.ok() ? "" : common.error().ToString();
}

std::string Int(const std::string& name, const std::string& elements) {
  return fmt::format("  %{0} = tf.Const() {{dtype = type i32[*], value = i32{1}}} @{0}\n", name,
                     elements);
}

TEST(HostileTensorFlowTest, ElementsBeyond64Bits) {
  EXPECT_THAT(Refusal("f32[4294967296, 4294967296]",
                      "  %y = tf.Size(%x) {T = type f32[*], out_type = type i64[*]} @y\n"),
              HasSubstr("more elements than 64 bits count"));
}

TEST(HostileTensorFlowTest, MoreOrFewerOperandsThanTheOperatorHas) {
  EXPECT_THAT(Refusal("f32[2]", "  %y = tf.Relu(%x, %x) {T = type f32[*]} @y\n"),
              HasSubstr("there are 2 operands, expected 1"));
  EXPECT_THAT(Refusal("f32[2]", "  %y = tf.AddV2(%x, %x, %x) {T = type f32[*]} @y\n"),
              HasSubstr("there are 3 operands, expected 2"));
  EXPECT_THAT(Refusal("f32[2]", "  %y = tf.AddV2(%x) {T = type f32[*]} @y\n"),
              HasSubstr("there are 1 operands, expected 2"));
  EXPECT_THAT(Refusal("f32[2]", "  %y = tf.AddN(%x, %x) {N = 3, T = type f32[*]} @y\n"),
              HasSubstr("there are 2 operands, expected 3"));
  EXPECT_THAT(Refusal("f32[2]", "  %y = tf.Identity(%x, %x) {T = type f32[*]} @y\n"),
              HasSubstr("there are 2 operands, expected 1"));
}

TEST(HostileTensorFlowTest, OffsetsOfListsWithoutSizes) {
  const std::string body =
      Int("axis", "[] 0") + "  %y, %\"y:1\" = tf.ConcatOffset(%axis, %x, %x) {N = 2} @y\n";
  EXPECT_THAT(Refusal("i32[0]", body), HasSubstr("a list of 0 sizes"));
  EXPECT_THAT(Refusal("i32[1099511627776]", body), HasSubstr("a list of 1099511627776 sizes"));
}

TEST(HostileTensorFlowTest, MoreAxesToReverseThanTensorsHave) {
  const std::string body =
      Int("k", "[] 0") + "  %y = tf.ReverseV2(%k, %x) {T = type i32[*], Tidx = type i32[*]} @y\n";
  EXPECT_THAT(Refusal("i32[1099511627776]", body), HasSubstr("a list of 1099511627776 axes"));
}

TEST(HostileTensorFlowTest, PartsBeyond64Bits) {
  const std::string big = "9223372036854775807";
  const std::string body =
      fmt::format("  %s = tf.Const() {{dtype = type i64[*], value = i64[3] [{0}, {0}, -1]}} @s\n",
                  big) +
      Int("axis", "[] 0") +
      "  %y, %\"y:1\", %\"y:2\" = tf.SplitV(%x, %s, %axis) "
      "{num_split = 3, T = type f32[*], Tlen = type i64[*]} @y\n";
  EXPECT_THAT(Refusal("f32[8]", body), HasSubstr("the sizes of the parts are not sizes"));
}

TEST(HostileTensorFlowTest, BlocksBeyond64Bits) {
  const std::string body = Int("b", "[3] [2147483647, 2147483647, 2147483647]") +
                           Int("p", "[3, 2] [[0, 0], [0, 0], [0, 0]]") +
                           "  %y = tf.SpaceToBatchND(%x, %b, %p) {T = type f32[*]} @y\n";
  EXPECT_THAT(Refusal("f32[1, 2, 2, 2]", body), HasSubstr("blocks of more elements than 64 bits"));
}

// As many parts as the node has results, whatever the attribute says.
TEST(HostileTensorFlowTest, MorePartsThanResults) {
  const std::string body = Int("p", "[2] [0, 1]") +
                           "  %y, %\"y:1\" = tf.DynamicPartition(%x, %p) {T = type f32[*], "
                           "num_partitions = 9223372036854775807} @y\n";
  EXPECT_EQ(Refusal("f32[2]", body), "");
}

TEST(HostileTensorFlowTest, NumbersOfLinesBeyond64Bits) {
  tf::VocabularyFormat format;
  format.key_column = tf::kLineNumber;
  format.value_column = tf::kWholeLine;
  format.key_type = DType::kI64;
  format.value_type = DType::kString;
  format.delimiter = "\t";
  format.offset = std::numeric_limits<std::int64_t>::max();
  const auto contents = tf::ReadVocabulary("a\nb\n", format);
  ASSERT_FALSE(contents.ok());
  EXPECT_THAT(contents.error().ToString(), HasSubstr("do not fit in int64"));
}

TEST(HostileTensorFlowTest, BoundsOfTooManyAxes) {
  const std::string body =
      "  %y = tf.Slice(%x, %x, %x) {T = type i32[*], Index = type i32[*]} @y\n";
  EXPECT_THAT(Refusal("i32[1099511627776]", body), HasSubstr("bounds of 1099511627776 axes"));
}

std::string Pool(const std::string& strides) {
  return Int("k", "[4] [1, 2, 2, 1]") + Int("s", "[4] " + strides) +
         "  %y = tf.MaxPoolV2(%x, %k, %s) {T = type f32[*], padding = \"SAME\"} @y\n";
}

TEST(HostileTensorFlowTest, StridesOfPoolsThatAreOperands) {
  EXPECT_EQ(Refusal("f32[1, 4, 4, 1]", Pool("[1, 2, 2, 1]")), "");
  EXPECT_THAT(Refusal("f32[1, 4, 4, 1]", Pool("[1, 0, 2, 1]")), HasSubstr("below 1"));
  EXPECT_THAT(Refusal("f32[1, 4, 4, 1]", Pool("[1, -1, 2, 1]")), HasSubstr("below 1"));
}

std::string Convolution(const std::string& attributes) {
  return "  %y = tf.Conv2D(%x, %x) {T = type f32[*], " + attributes + "} @y\n";
}

TEST(HostileTensorFlowTest, WindowsBeyond64Bits) {
  const std::string same = "padding = \"SAME\", strides = [1, 2, 2, 1]";
  EXPECT_THAT(Refusal("f32[4611686018427387904, 3, 1, 1]",
                      Convolution(same + ", dilations = [1, 4, 4, 1]")),
              HasSubstr("a filter has too many elements"));
  EXPECT_THAT(Refusal("f32[2, 2, 1, 1]",
                      Convolution(same + ", dilations = [1, 9223372036854775807, 4, 1]")),
              HasSubstr("dilations below 1 or above"));
  EXPECT_THAT(
      Refusal("f32[2, 2, 1, 1]",
              Convolution("padding = \"EXPLICIT\", strides = [1, 1, 1, 1], "
                          "explicit_paddings = [0, 0, 9223372036854775807, 1, 0, 0, 0, 0]")),
      HasSubstr("explicit_paddings has an entry"));
  EXPECT_THAT(
      Refusal("f32[2, 2, 4294967296, 4294967296]",
              "  %y = tf.DepthwiseConv2dNative(%x, %x) {T = type f32[*], " + same + "} @y\n"),
      HasSubstr("a filter has too many elements"));
}

TEST(HostileTensorFlowTest, RadiusBeyond64Bits) {
  EXPECT_THAT(Refusal("f32[1, 2, 2, 4]",
                      "  %y = tf.LRN(%x) {T = type f32[*], depth_radius = 9223372036854775807, "
                      "alpha = 1.0, beta = 0.5, bias = 1.0} @y\n"),
              HasSubstr("depth_radius is not a radius"));
}

TEST(HostileTensorFlowTest, SeedsWrap) {
  EXPECT_EQ(Refusal("i32[2]",
                    "  %y = tf.RandomUniform(%x) {T = type i32[*], dtype = type f32[*], "
                    "seed = 9223372036854775807, seed2 = 9223372036854775807} @y\n"),
            "");
}

TEST(HostileTensorFlowTest, InfiniteRanges) {
  for (const char* range : {"min = -inf, max = 1.0", "min = -3e38, max = 3e38"}) {
    EXPECT_THAT(
        Refusal("f32[2]", fmt::format("  %y = tf.FakeQuantWithMinMaxArgs(%x) {{{}, num_bits "
                                      "= 8, narrow_range = false}} @y\n",
                                      range)),
        HasSubstr("an infinite range"))
        << range;
  }
}

TEST(HostileTensorFlowTest, RangesWithoutSteps) {
  EXPECT_THAT(Refusal("f32[2]",
                      "  %y = tf.FakeQuantWithMinMaxArgs(%x) {min = 0.0, max = 1e-45, num_bits = "
                      "8, narrow_range = false} @y\n"),
              HasSubstr("too small for float32"));
  const auto ends = [](const char* name, const char* elements) {
    return fmt::format("  %{0} = tf.Const() {{dtype = type f32[*], value = f32[2] {1}}} @{0}\n",
                       name, elements);
  };
  EXPECT_THAT(Refusal("f32[2]", ends("a", "[-1.0, -1.0]") + ends("b", "[1.0, 1.0]") +
                                    "  %y = tf.FakeQuantWithMinMaxVars(%x, %a, %b) {num_bits = 8, "
                                    "narrow_range = false} @y\n"),
              HasSubstr("are not one number"));
}

// What fails in front is not padded.
TEST(HostileTensorFlowTest, BoxesWithoutSizes) {
  EXPECT_THAT(
      Refusal("f32[2]",
              Int("n", "[] 1") +
                  "  %y, %\"y:1\", %\"y:2\", %\"y:3\" = tf.CombinedNonMaxSuppression(%x, %x, "
                  "%n, %n, %x, %x) {pad_per_class = false, clip_boxes = false} @y\n"),
      HasSubstr("perm is not of the rank"));
}

std::string Cudnn(const std::string& attributes) {
  return "  %y, %\"y:1\", %\"y:2\", %\"y:3\" = tf.CudnnRNN(%x, %x, %x, %x) {T = type f32[*], "
         "rnn_mode = \"lstm\", input_mode = \"linear_input\", direction = \"unidirectional\"" +
         attributes + "} @y\n";
}

TEST(HostileTensorFlowTest, RecurrencesOfImpossibleSizes) {
  EXPECT_THAT(Refusal("f32[1099511627776, 2, 2]", Cudnn("")),
              HasSubstr("a state of 1099511627776 layers"));
  EXPECT_THAT(Refusal("f32[1, 2, 9223372036854775807]", Cudnn("")),
              HasSubstr("a state of 1 layers"));
}

TEST(HostileTensorFlowTest, LengthsBeyond64Bits) {
  const std::string body =
      "  %l = tf.Const() {dtype = type i64[*], value = i64[3] [9223372036854775807, 1, 1]} @l\n" +
      Int("s", "[1] [2]") +
      "  %h = tf.TensorListSplit(%x, %s, %l) {element_dtype = type f32[*], shape_type = type "
      "i32[*]} @h\n" +
      Int("i", "[] 0") +
      "  %y = tf.TensorListGetItem(%h, %i, %s) {element_dtype = type f32[*]} @y\n";
  EXPECT_THAT(Refusal("f32[4, 2]", body), HasSubstr("the lengths of the elements are not lengths"));
}

TEST(HostileTensorFlowTest, BranchThatNoNumberChooses) {
  const std::string body = Int("i", "[0] []") +
                           "  %y = tf.Case(%i, %x) {Tin = types [f32[*]], Tout = types [f32[*]], "
                           "branches = list [@f]} @y\n";
  const std::string function = R"(
function tf.f(%a: f32[*]) -> (%b: f32[*]) {
  %b = tf.Neg(%a) {T = type f32[*]} @b
}
)";
  EXPECT_THAT(Refusal("f32[2]", body, function), HasSubstr("number of its branch"));
}

TEST(HostileTensorFlowTest, FramesThatNeverClose) {
  const std::string enter =
      "  %e = tf.Enter(%x) {T = type f32[*], frame_name = \"loop\", is_constant = false} @e\n";
  EXPECT_THAT(Refusal("f32[2]", enter + "  %y = tf.Identity(%e) {T = type f32[*]} @y\n"),
              HasSubstr("frame 'loop': error: the frame has no LoopCond"));
  EXPECT_THAT(Refusal("f32[2]", enter + "  %y = tf.Exit(%e) {T = type f32[*]} @y\n"),
              HasSubstr("the frame has no LoopCond"));
  EXPECT_THAT(Refusal("f32[2]", enter + R"(  %m, %"m:1" = tf.Merge(%e, %n) {N = 2} @m
  %n = tf.NextIteration(%m) {T = type f32[*]} @n
  %y = tf.Exit(%m) {T = type f32[*]} @y
)"),
              HasSubstr("the frame has no LoopCond"));
}

TEST(HostileTensorFlowTest, PartsOfLoopsOutsideOfOne) {
  EXPECT_THAT(Refusal("f32[2]", "  %y = tf.Exit(%x) {T = type f32[*]} @y\n"),
              HasSubstr("neither a condition nor a loop"));
  EXPECT_THAT(Refusal("f32[2]", "  %y = tf.NextIteration(%x) {T = type f32[*]} @y\n"),
              HasSubstr("it is in no loop"));
  EXPECT_THAT(Refusal("f32[2]", "  %y, %\"y:1\" = tf.Merge(%x, %y) {N = 2} @y\n"),
              HasSubstr("it depends on itself"));
}

TEST(HostileTensorFlowTest, NumbersInPlaceOfTexts) {
  const std::string split = "  %y, %\"y:1\", %\"y:2\" = tf.StringSplitV2(%x, %s) @y\n";
  EXPECT_THAT(Refusal("str[2]", Int("s", "[] 0") + split),
              HasSubstr("operand 1 has elements of i32, expected str"));
  EXPECT_THAT(
      Refusal("str[2]", "  %s = tf.Const() {dtype = type str[*], value = i8[] 32} @s\n" + split),
      HasSubstr("its elements are not of attribute dtype"));
  EXPECT_THAT(Refusal("str[2]", "  %y = tf.LogicalNot(%x) @y\n"),
              HasSubstr("operand 0 has elements of str, expected bool"));
}

TEST(HostileTensorFlowTest, BandsOfManyDiagonals) {
  const std::string body = "  %y = tf.MatrixDiagPartV3(%x, %k, %p) {T = type f32[*]} @y\n";
  const std::string padding = "  %p = tf.Const() {dtype = type f32[*], value = f32[] 0.0} @p\n";
  EXPECT_THAT(Refusal("f32[2, 3]", padding + Int("k", "[2] [-2147483648, 2147483647]") + body),
              HasSubstr("k is not a range of diagonals"));
  EXPECT_THAT(Refusal("f32[2, 3]", padding + Int("k", "[2] [1, 0]") + body),
              HasSubstr("k is not a range of diagonals"));
}

// Each of 40 functions calls the next one twice.
TEST(HostileTensorFlowTest, CallsThatGrowWithoutBound) {
  constexpr int kFunctions = 40;
  std::string functions;
  for (int i = 0; i < kFunctions; ++i) {
    const std::string op = i + 1 == kFunctions ? "tf.Neg" : fmt::format("tf.f{}", i + 1);
    functions += fmt::format(R"(
function tf.f{0}(%a: f32[*]) -> (%c: f32[*]) {{
  %b = {1}(%a) {{T = type f32[*]}} @b
  %c = {1}(%b) {{T = type f32[*]}} @c
}}
)",
                             i, op);
  }
  EXPECT_THAT(Refusal("f32[2]", "  %y = tf.f0(%x) @y\n", functions),
              HasSubstr("--expand-limit raises that"));
}

}  // namespace
}  // namespace dragoman
