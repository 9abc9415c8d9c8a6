// SPDX-License-Identifier: Apache-2.0
// Operators of torch, lowered by themselves and run. Expected numbers are torch 1.13's.
#include "importers/torch/ops/op_lowering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/ir/element_text.h"
#include "core/ir/parse.h"
#include "core/lowering/heap.h"
#include "core/support/find_by_key.h"
#include "importers/torch/ops/op_table.h"

namespace dragoman::torch {
namespace {

using testing::HasSubstr;

// A constant of the graph by name ("%x"), or a value of the program.
struct Argument {
  Argument(const char* text) : constant(text[0] == '%' ? text + 1 : "") {
    if (constant.empty()) value = String{std::string(text)};
  }
  Argument(int v) : value(Number::Int(v)) {}
  Argument(double v) : value(Number::Float(v)) {}
  Argument(bool v) : value(Number::Bool(v)) {}
  Argument(None v) : value(v) {}
  Argument(std::vector<int> v) : ints(std::move(v)), is_list(true) {}

  std::string constant;
  Abstract value;
  std::vector<int> ints;
  bool is_list = false;
};
using Arguments = std::vector<std::pair<std::string, Argument>>;

std::string Text(const RuntimeValue& value) {
  const Tensor tensor = value.array.ToTensor();
  std::string text = tensor.type().ToString();
  for (std::int64_t i = 0; i < tensor.size(); ++i) text += " " + FormatElement(tensor, i);
  return text;
}

Abstract Resolve(const Argument& argument, const Graph& graph, Heap& heap) {
  if (argument.is_list) {
    std::vector<Abstract> items;
    for (int item : argument.ints) items.push_back(Number::Int(item));
    return heap.NewList(std::move(items));
  }
  if (argument.constant.empty()) return argument.value;
  for (const auto& constant : graph.constants()) {
    if (constant->name() == argument.constant) return heap.NewTensor(constant.get());
  }
  return Abstract();
}

// The results of `op` ("sum.dim_IntList"), joined by "; ", or the message of the error.
std::string Lowered(const std::string& op, const std::string& constants,
                    const Arguments& arguments) {
  Result<Model> model = ParseText("graph g() -> () {\n" + constants + "\n}");
  if (!model.ok()) return model.error().ToString();
  Graph& graph = *model->entries[0].graph;
  Inference inference;
  std::unordered_set<std::string> used;
  for (const auto& constant : graph.constants()) used.insert(constant->name());
  GraphBuilder builder(graph, inference, used);
  Heap heap;
  heap.SetRoot(builder);
  std::vector<std::string> names;
  std::vector<Abstract> values;
  for (const auto& [name, argument] : arguments) {
    names.push_back(name);
    values.push_back(Resolve(argument, graph, heap));
  }
  const std::size_t dot = op.find('.');
  const std::string type = op.substr(0, dot);
  const std::string overload = dot == std::string::npos ? "" : op.substr(dot + 1);
  Graph source;
  const Node& node = *source.Append(InternOp("aten", type, "", overload), {});
  Call call(heap, builder, node, names, values);
  const OpRow* row = FindOpRow("aten." + type);
  if (row == nullptr) return "no lowering";
  const Result<Results> results = row->lower(call);
  if (!results.ok()) return results.error().ToString();
  for (const Abstract& result : *results) {
    Result<Value*> value = heap.Read(builder, *result.As<TensorRef>());
    if (!value.ok()) return value.error().ToString();
    graph.AddOutput(*value);
  }
  Result<Interpreter> interpreter = Interpreter::Make(*model);
  if (!interpreter.ok()) return interpreter.error().ToString();
  const Result<std::vector<RuntimeValue>> ran = interpreter->Run(model->entries[0], {});
  if (!ran.ok()) return ran.error().ToString();
  std::string text;
  for (const RuntimeValue& value : *ran) text += (text.empty() ? "" : "; ") + Text(value);
  return text;
}

constexpr char kInts[] = "const %a: i64[4] = [7, -7, 5, -1]\nconst %b: i64[4] = [2, 2, -3, 4]";

TEST(OpLoweringTest, DividesAsTheRoundingModeSays) {
  EXPECT_EQ(Lowered("div.Tensor", kInts, {{"self", "%a"}, {"other", "%b"}}),
            "f32[4] 3.5 -3.5 -1.6666666 -0.25");
  const auto with_mode = [](const char* mode) {
    return Lowered("div.Tensor_mode", kInts,
                   {{"self", "%a"}, {"other", "%b"}, {"rounding_mode", mode}});
  };
  EXPECT_EQ(with_mode("floor"), "i64[4] 3 -4 -2 -1");
  EXPECT_EQ(with_mode("trunc"), "i64[4] 3 -3 -1 0");
}

TEST(OpLoweringTest, GivesRemaindersTheSignOfTheDivisor) {
  EXPECT_EQ(Lowered("remainder.Tensor", kInts, {{"self", "%a"}, {"other", "%b"}}),
            "i64[4] 1 1 -1 3");
  EXPECT_EQ(Lowered("fmod.Tensor", kInts, {{"self", "%a"}, {"other", "%b"}}), "i64[4] 1 -1 2 -1");
  EXPECT_EQ(Lowered("remainder.Scalar", "const %x: f32[3] = [5.5, -5.5, 4]",
                    {{"self", "%x"}, {"other", 2.0}}),
            "f32[3] 1.5 0.5 0.0");
}

TEST(OpLoweringTest, RoundsFloatQuotientsDownAsPythonDoes) {
  EXPECT_EQ(Lowered("floor_divide", "const %x: f32[3] = [1, -1, 7]\nconst %y: f32[] = 0.1",
                    {{"self", "%x"}, {"other", "%y"}}),
            "f32[3] 9.0 -10.0 69.0");
}

// Torch 2.14: tensor([1.3984375], dtype=bfloat16) // 0.7, and so on. A bfloat16 of 0.7 would go
// into it twice.
TEST(OpLoweringTest, RoundsNoDivisorOfHalves) {
  constexpr char kHalf[] = "const %x: bf16[1] = [1.3984375]\nconst %wide: f64[] = 0.7";
  EXPECT_EQ(Lowered("floor_divide.Scalar", kHalf, {{"self", "%x"}, {"other", 0.7}}), "bf16[1] 1.0");
  EXPECT_EQ(Lowered("floor_divide", kHalf, {{"self", "%x"}, {"other", "%wide"}}), "bf16[1] 1.0");
  EXPECT_EQ(Lowered("div.Scalar_mode", kHalf,
                    {{"self", "%x"}, {"other", 0.7}, {"rounding_mode", "trunc"}}),
            "bf16[1] 1.0");
}

// Torch 2.14: tensor([1.046875], dtype=bfloat16) * 0.7, and so on; a bfloat16 of 0.7 gives 0.7305
// and 1.5. A factor on the left is rounded.
TEST(OpLoweringTest, RoundsNoFactorOfHalves) {
  constexpr char kHalf[] = "const %x: bf16[2] = [1.046875, 1]\nconst %wide: f32[] = 0.7";
  EXPECT_EQ(Lowered("mul.Scalar", kHalf, {{"self", "%x"}, {"other", 0.7}}), "bf16[2] 0.734 0.7");
  EXPECT_EQ(Lowered("mul.Tensor", kHalf, {{"self", "%x"}, {"other", "%wide"}}),
            "bf16[2] 0.734 0.7");
  EXPECT_EQ(Lowered("mul.Tensor", kHalf, {{"self", "%wide"}, {"other", "%x"}}), "bf16[2] 0.73 0.7");
  EXPECT_EQ(Lowered("div.Scalar", kHalf, {{"self", "%x"}, {"other", 0.7}}), "bf16[2] 1.49 1.43");
}

// Torch 2.14: the product alone, rounded, would give -0.334.
TEST(OpLoweringTest, RoundsSumsWithProductsOfHalvesOnce) {
  constexpr char kHalf[] =
      "const %s: bf16[1, 1] = [[0.326171875]]\nconst %a: bf16[1, 1] = [[-0.478515625]]\n"
      "const %b: bf16[1, 1] = [[1.3828125]]";
  EXPECT_EQ(Lowered("addmm", kHalf,
                    {{"self", "%s"}, {"mat1", "%a"}, {"mat2", "%b"}, {"beta", 1}, {"alpha", 1}}),
            "bf16[1, 1] -0.336");
}

// Torch 2.14: logit(tensor([0.8984375, 1.5], dtype=bfloat16), 1e-3), where 1 - eps is 1.
TEST(OpLoweringTest, RoundsLogitsOfHalvesAtEachStep) {
  EXPECT_EQ(
      Lowered("logit", "const %x: bf16[2] = [0.8984375, 1.5]", {{"self", "%x"}, {"eps", 1e-3}}),
      "bf16[2] 2.19 inf");
}

TEST(OpLoweringTest, ComparesBothPartsOfComplexNumbers) {
  EXPECT_EQ(
      Lowered(
          "isclose", "const %x: c64[2] = [(1, 2), (1, 0)]\nconst %y: c64[2] = [(1, -2), (1, 1e-9)]",
          {{"self", "%x"}, {"other", "%y"}, {"rtol", 1e-5}, {"atol", 1e-8}, {"equal_nan", false}}),
      "bool[2] false true");
}

// Torch 2.14; a program that states the exponent 0 gets 1.
TEST(OpLoweringTest, RaisesComplexZeroAsCDoes) {
  const std::string x = "const %x: c64[3] = [(0, 0), (0, 0), (0, 0)]\n";
  EXPECT_EQ(Lowered("pow.Tensor_Tensor", x + "const %y: c64[3] = [(0.5, 1), (-0.5, 1), (0, 0)]",
                    {{"self", "%x"}, {"exponent", "%y"}}),
            "c64[3] (0.0, 0.0) (inf, nan) (nan, nan)");
  EXPECT_EQ(Lowered("pow.Tensor_Scalar", x, {{"self", "%x"}, {"exponent", 0}}),
            "c64[3] (1.0, 0.0) (1.0, 0.0) (1.0, 0.0)");
}

// Torch 2.14: the first query may look nowhere.
TEST(OpLoweringTest, GivesNaNWhereFusedLayersHideAllKeys) {
  constexpr char kLayer[] =
      "const %x: f32[1, 2, 1] = [[[1], [2]]]\nconst %w: f32[3, 1] = [[1], [1], [1]]\n"
      "const %b: f32[3] = [0, 0, 0]\nconst %o: f32[1, 1] = [[1]]\nconst %z: f32[1] = [0]\n"
      "const %m: bool[2, 2] = [[true, true], [false, true]]";
  EXPECT_THAT(Lowered("_native_multi_head_attention", kLayer,
                      {{"query", "%x"},
                       {"key", "%x"},
                       {"value", "%x"},
                       {"embed_dim", 1},
                       {"num_head", 1},
                       {"qkv_weight", "%w"},
                       {"qkv_bias", "%b"},
                       {"proj_weight", "%o"},
                       {"proj_bias", "%z"},
                       {"mask", "%m"},
                       {"need_weights", true},
                       {"average_attn_weights", true},
                       {"mask_type", 0}}),
              HasSubstr("f32[1, 2, 1] nan"));
}

// Torch 2.14: C++ computes the product of int8 in int.
TEST(OpLoweringTest, WrapsMultiplesOnce) {
  EXPECT_EQ(Lowered("lcm", "const %x: i8[1] = [127]\nconst %y: i8[1] = [4]",
                    {{"self", "%x"}, {"other", "%y"}}),
            "i8[1] -4");
}

// Torch 2.14: add(tensor([0], dtype=bfloat16), tensor([9], dtype=bfloat16), alpha=0.7); times 0.7
// of float32, it would be 6.31.
TEST(OpLoweringTest, RoundsFactorsOfHalves) {
  EXPECT_EQ(Lowered("add.Tensor", "const %x: bf16[1] = [0]\nconst %y: bf16[1] = [9]",
                    {{"self", "%x"}, {"other", "%y"}, {"alpha", 0.7}}),
            "bf16[1] 6.28");
}

TEST(OpLoweringTest, PromotesNumbersByCategory) {
  EXPECT_EQ(Lowered("add.Scalar", kInts, {{"self", "%a"}, {"other", 1}, {"alpha", 2}}),
            "i64[4] 9 -5 7 1");
  EXPECT_EQ(Lowered("mul.Scalar", "const %x: i8[2] = [3, -2]", {{"self", "%x"}, {"other", 0.5}}),
            "f32[2] 1.5 -1.0");
  EXPECT_EQ(
      Lowered("add.Tensor", "const %x: bool[2] = [true, false]", {{"self", "%x"}, {"other", "%x"}}),
      "bool[2] true false");
}

TEST(OpLoweringTest, KeepsAccuracyNearZero) {
  const std::string x = "const %x: f32[3] = [1e-6, 0, -1e-7]";
  EXPECT_THAT(Lowered("expm1", x, {{"self", "%x"}}), HasSubstr(" 0.0 -"));
  EXPECT_THAT(Lowered("log1p", x, {{"self", "%x"}}), HasSubstr(" 0.0 -"));
}

TEST(OpLoweringTest, RefusesStatisticsOfABatchWithoutChannels) {
  EXPECT_THAT(Lowered("batch_norm", "const %x: f32[3] = [1, 2, 3]\nconst %w: f32[1] = [1]",
                      {{"input", "%x"},
                       {"weight", "%w"},
                       {"bias", None()},
                       {"training", true},
                       {"momentum", 0.1},
                       {"eps", 1e-5}}),
              HasSubstr("rank 1"));
}

TEST(OpLoweringTest, SumsIntegersAsInt64) {
  const std::string x = "const %x: u8[2, 2] = [[200, 100], [1, 2]]";
  EXPECT_EQ(Lowered("sum", x, {{"self", "%x"}, {"dtype", None()}}), "i64[] 303");
  EXPECT_EQ(
      Lowered("sum.dim_IntList", x,
              {{"self", "%x"}, {"dim", std::vector{-1}}, {"keepdim", true}, {"dtype", None()}}),
      "i64[2, 1] 300 3");
  EXPECT_EQ(Lowered("any.dim", x, {{"self", "%x"}, {"dim", 0}, {"keepdim", false}}), "u8[2] 1 1");
}

TEST(OpLoweringTest, CorrectsVariances) {
  const std::string x = "const %x: f32[4] = [1, 2, 3, 6]";
  EXPECT_EQ(Lowered("var", x, {{"self", "%x"}, {"unbiased", true}}), "f32[] 4.6666665");
  EXPECT_EQ(Lowered("var", x, {{"self", "%x"}, {"unbiased", false}}), "f32[] 3.5");
}

TEST(OpLoweringTest, ChunksUnevenly) {
  EXPECT_EQ(Lowered("narrow", kInts, {{"self", "%a"}, {"dim", 0}, {"start", -3}, {"length", 2}}),
            "i64[2] -7 5");
  EXPECT_EQ(Lowered("roll", kInts, {{"self", "%a"}, {"shifts", 1}, {"dims", 0}}),
            "i64[4] -1 7 -7 5");
}

TEST(OpLoweringTest, PadsTheLastAxesFirst) {
  const std::string x = "const %x: i64[2, 2] = [[1, 2], [3, 4]]";
  EXPECT_EQ(Lowered("constant_pad_nd", x,
                    {{"self", "%x"}, {"pad", std::vector{1, 0, 0, -1}}, {"value", 9}}),
            "i64[1, 3] 9 1 2");
}

TEST(OpLoweringTest, PoolsToSizesThatDoNotDivide) {
  EXPECT_EQ(Lowered("adaptive_avg_pool1d", "const %x: f32[1, 5] = [[3, 6, 9, 12, 15]]",
                    {{"self", "%x"}, {"output_size", std::vector{2}}}),
            "f32[1, 2] 6.0 12.0");
  EXPECT_EQ(Lowered("adaptive_max_pool1d", "const %x: f32[1, 5] = [[1, 9, 3, 4, 5]]",
                    {{"self", "%x"}, {"output_size", std::vector{3}}}),
            "f32[1, 3] 9.0 9.0 5.0; i64[1, 3] 1 1 4");
}

TEST(OpLoweringTest, IgnoresTargetsInMeans) {
  EXPECT_EQ(Lowered("nll_loss",
                    "const %x: f32[3, 2] = [[1, 2], [3, 4], [5, 6]]\n"
                    "const %t: i64[3] = [0, 1, -100]",
                    {{"self", "%x"},
                     {"target", "%t"},
                     {"weight", None()},
                     {"reduction", 1},
                     {"ignore_index", -100}}),
            "f32[] -2.5");
}

TEST(OpLoweringTest, TreatsInfinityAndNaNAsTorchDoes) {
  EXPECT_EQ(Lowered("bucketize.Tensor",
                    "const %x: f32[3] = [nan, 0.5, 7.0]\nconst %b: f32[2] = [0.0, 1.0]",
                    {{"self", "%x"}, {"boundaries", "%b"}, {"out_int32", false}, {"right", false}}),
            "i64[3] 2 1 2");
  EXPECT_EQ(Lowered("cummax", "const %x: f32[3] = [1.0, nan, 2.0]", {{"self", "%x"}, {"dim", 0}}),
            "f32[3] 1.0 nan nan; i64[3] 0 1 1");
  EXPECT_EQ(Lowered("atan2", "const %y: f32[2] = [inf, -inf]\nconst %x: f32[2] = [-inf, inf]",
                    {{"self", "%y"}, {"other", "%x"}}),
            "f32[2] 2.3561945 -0.7853982");
  EXPECT_EQ(Lowered("pow.Tensor_Scalar", "const %x: f32[2] = [-0.0, 4.0]",
                    {{"self", "%x"}, {"exponent", 0.5}}),
            "f32[2] -0.0 2.0");
}

// Those of [1 i; i 1] are √2 both, those of the magnitudes 2 and 0.
TEST(OpLoweringTest, TakesNormsOfComplexMatricesByTheirSingularValues) {
  EXPECT_EQ(
      Lowered(
          "linalg_norm.ord_str",
          "const %x: c64[2, 2] = [[(1.0, 0.0), (0.0, 1.0)], [(0.0, 1.0), (1.0, 0.0)]]",
          {{"self", "%x"}, {"ord", "nuc"}, {"dim", None()}, {"keepdim", false}, {"dtype", None()}}),
      "f32[] 2.828427");
}

// Two files could have rows of one name, of which only one would be found.
TEST(OpLoweringTest, GathersNothingByAnIndexOfAnyRank) {
  constexpr char kGrid[] =
      "const %x: f32[2, 2] = [[1, 2], [3, 4]]\nconst %v: f32[3] = [5, 6, 7]\n"
      "const %none: i64[0] = []\nconst %two: i64[] = 2";
  EXPECT_EQ(Lowered("gather", kGrid, {{"self", "%x"}, {"dim", 0}, {"index", "%none"}}), "f32[0]");
  EXPECT_EQ(Lowered("gather", kGrid, {{"self", "%v"}, {"dim", 0}, {"index", "%two"}}), "f32[] 7.0");
}

TEST(OpLoweringTest, ScattersNothingByAnIndexOfAnyRank) {
  constexpr char kGrid[] =
      "const %x: f32[1, 2] = [[1, 2]]\nconst %none: i64[0] = []\nconst %nothing: f32[0] = []";
  const auto scattered = [&](const char* op, const Arguments& more) {
    Arguments all = {{"self", "%x"}, {"dim", 0}, {"index", "%none"}, {"src", "%nothing"}};
    all.insert(all.end(), more.begin(), more.end());
    return Lowered(op, kGrid, all);
  };
  EXPECT_EQ(scattered("scatter.src", {}), "f32[1, 2] 1.0 2.0");
  EXPECT_EQ(scattered("scatter_add", {}), "f32[1, 2] 1.0 2.0");
  EXPECT_EQ(scattered("scatter_reduce.two", {{"reduce", "amax"}, {"include_self", false}}),
            "f32[1, 2] 1.0 2.0");
}

// Torch 2.14, which computes in float32 and takes its smallest step where no epsilon is given.
TEST(OpLoweringTest, GivesNormsOfHalvesTheEpsilonOfFloats) {
  const auto norm = [](const std::string& type) {
    return Lowered("rms_norm", "const %x: " + type + "[2] = [0.03125, -0.03125]",
                   {{"input", "%x"}, {"normalized_shape", std::vector{2}}});
  };
  EXPECT_EQ(norm("f16"), "f16[2] 1.0 -1.0");
  EXPECT_EQ(norm("bf16"), "bf16[2] 1.0 -1.0");
}

TEST(OpTable, HasOneRowOfEachName) {
  EXPECT_GT(OpRows().size(), 800u);
  EXPECT_TRUE(IsSortedBy(OpRows(), &OpRow::name));
  for (const OpRow& row : OpRows()) EXPECT_EQ(FindOpRow(row.name), &row) << row.name;
}

TEST(OpLoweringTest, RefusesByNameWhatItCannotDo) {
  const std::string x = "const %x: f32[1, 3] = [[1, 2, 3]]";
  EXPECT_THAT(Lowered("dropout", x, {{"input", "%x"}, {"p", 2.0}, {"train", "yes"}}),
              HasSubstr("'train'"));
  EXPECT_THAT(Lowered("pad", x, {{"self", "%x"}, {"pad", std::vector{1, 1}}, {"mode", "mirror"}}),
              HasSubstr("mode = 'mirror'"));
  EXPECT_THAT(Lowered("transpose.int", x, {{"self", "%x"}, {"dim0", 0}, {"dim1", 2}}),
              HasSubstr("dimension 2 is out of range for rank 2"));
}

}  // namespace
}  // namespace dragoman::torch
