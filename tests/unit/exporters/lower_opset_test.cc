// SPDX-License-Identifier: Apache-2.0
// Common models as ONNX files of older and younger operator sets, in the form that each has.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "importers/onnx/lower.h"
#include "tests/unit/exporters/export_onnx_fixture.h"

namespace dragoman {
namespace {

constexpr char kMean[] = R"(graph main(%x: f32[n, 4]) -> (%y) {
  const %axes: i64[1] = [1]
  %m = onnx.ReduceMean(%x, %axes) {keepdims = 0}
  %y = onnx.Unsqueeze(%m, %axes)
})";

TEST_F(ExportOnnxTest, AxesAreAttributesInOlderOpsets) {
  EXPECT_EQ(GraphAtOpset(kMean, 22), "ReduceMean keepdims=0/2;Unsqueeze/2;");
  EXPECT_EQ(GraphAtOpset(kMean, 17), "ReduceMean keepdims=0 axes=[1]/1;Unsqueeze/2;");
  EXPECT_EQ(GraphAtOpset(kMean, 11), "ReduceMean keepdims=0 axes=[1]/1;Unsqueeze axes=[1]/1;");
}

TEST_F(ExportOnnxTest, WhatAnOpsetLacksIsRefusedByName) {
  const std::string error = GraphAtOpset(R"(graph main(%x: f32[4], %k: i64[1]) -> (%y, %z) {
    %y = onnx.BitwiseAnd(%k, %k)
    %z = onnx.ReduceSum(%x, %k)
  })",
                                         12);
  EXPECT_NE(error.find("BitwiseAnd"), std::string::npos) << error;
  EXPECT_NE(error.find("exists from opset 18 on"), std::string::npos) << error;
  EXPECT_NE(error.find("its axes is computed"), std::string::npos) << error;
}

TEST_F(ExportOnnxTest, FirstOpsetsHaveAttributesForOperands) {
  constexpr char kText[] = R"(graph main(%x: f32[2, 3, 4, 4]) -> (%y, %t, %u) {
    const %low: f32[] = 0.5
    const %starts: i64[1] = [1]
    const %ends: i64[1] = [3]
    const %axes: i64[1] = [-1]
    const %k: i64[1] = [2]
    const %scales: f32[4] = [1.0, 1.0, 2.0, 2.0]
    %c: f32[2, 3, 4, 4] = onnx.Clip(%x, %low)
    %y: f32[2, 3, 4, 2] = onnx.Slice(%c, %starts, %ends, %axes)
    %t: f32[2, 3, 4, 2], %i: i64[2, 3, 4, 2] = onnx.TopK(%x, %k)
    %u: f32[2, 3, 8, 8] = onnx.Resize(%x, _, %scales)
        {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor"}
  })";
  EXPECT_EQ(GraphAtOpset(kText, 10), "Clip min=0.5/1;Slice/4;TopK/2;Resize mode=\"nearest\"/2;");
  EXPECT_EQ(GraphAtOpset(kText, 9),
            "Clip min=0.5/1;Slice axes=[3] ends=[3] starts=[1]/1;TopK k=2/1;"
            "Upsample mode=\"nearest\"/2;");
  EXPECT_EQ(GraphAtOpset(kText, 7),
            "Clip min=0.5/1;Slice axes=[3] ends=[3] starts=[1]/1;TopK k=2/1;"
            "Upsample mode=\"nearest\" scales=[1.0, 1.0, 2.0, 2.0]/1;");
}

// Attributes that a node leaves out count as those that it could state: of 14 elements, single and
// double precision take other nearest ones where half pixels count, not where ends meet.
TEST_F(ExportOnnxTest, NearestElementsAreGatheredWithoutAttributes) {
  const auto resized = [](const std::string& attributes) {
    return "graph main(%x: f32[2, 14]) -> (%y) {\n const %sizes: i64[2] = [2, 17]\n"
           "%y: f32[2, 17] = onnx.Resize(%x, _, _, %sizes)" +
           attributes + "\n}";
  };
  const std::string gathered = "Gather axis=1/2;";
  EXPECT_EQ(GraphAtOpset(resized(""), 22), gathered);
  for (const char* stated : {"mode = \"nearest\"", "nearest_mode = \"round_prefer_floor\"",
                             "coordinate_transformation_mode = \"half_pixel\"",
                             "keep_aspect_ratio_policy = \"stretch\""})
    EXPECT_EQ(GraphAtOpset(resized(" {" + std::string(stated) + "}"), 22), gathered) << stated;
  EXPECT_EQ(GraphAtOpset(resized(" {coordinate_transformation_mode = \"align_corners\"}"), 22)
                .substr(0, 6),
            "Resize");
}

TEST_F(ExportOnnxTest, YoungerOperatorsAreMadeOfOlderOnes) {
  constexpr char kText[] = R"(graph main(%x: f32[2, 3], %s: f32[3]) -> (%y, %z) {
    %n: f32[2, 3] = onnx.LayerNormalization(%x, %s)
    %y: f32[2, 3] = onnx.HardSwish(%n)
    %z: bool[2, 3] = onnx.GreaterOrEqual(%x, %s)
  })";
  EXPECT_EQ(GraphAtOpset(kText, 17), "LayerNormalization/2;HardSwish/1;GreaterOrEqual/2;");
  EXPECT_EQ(GraphAtOpset(kText, 11),
            "ReduceMean axes=[1]/1;Sub/2;Mul/2;ReduceMean axes=[1]/1;Add/2;Sqrt/1;Div/2;Mul/2;"
            "HardSigmoid alpha=0.16666667 beta=0.5/1;Mul/2;Greater/2;Equal/2;Or/2;");
  EXPECT_NE(GraphAtOpset(kText, 9).find("it compares neither bools, i32 nor i64"),
            std::string::npos);
}

TEST_F(ExportOnnxTest, EndsAreJoinedWherePadCannotWrap) {
  constexpr char kText[] = R"(graph main(%x: f32[2, 3]) -> (%y) {
    const %pads: i64[2] = [2, 1]
    const %axes: i64[1] = [-1]
    %y: f32[2, 6] = onnx.Pad(%x, %pads, _, %axes) {mode = "wrap"}
  })";
  EXPECT_EQ(GraphAtOpset(kText, 22), "Pad mode=\"wrap\"/4;");
  EXPECT_EQ(GraphAtOpset(kText, 13), "Slice/4;Slice/4;Concat axis=1/3;Pad/2;");
}

TEST_F(ExportOnnxTest, SwishIsAProductBelowItsOperatorSet) {
  constexpr char kText[] =
      "graph main(%x: f16[2, n]) -> (%y: f16[2, n]) {\n  %y = onnx.Swish(%x) {alpha = 0.5}\n}";
  EXPECT_EQ(GraphAtOpset(kText, 22), "Mul/2;Sigmoid/1;Mul/2;");
  EXPECT_EQ(GraphAtOpset(kText, 26), "Swish alpha=0.5/1;");
}

TEST_F(ExportOnnxTest, PartsOfSizesThatOnlyTheRunKnowsAreStated) {
  constexpr char kText[] = R"(graph main(%x: f32[4, n]) -> (%y: f32[4, _], %z: f32[4, _]) {
    %y, %z = onnx.Split(%x) {axis = 1, num_outputs = 2}
  })";
  EXPECT_EQ(GraphAtOpset(kText, 18), "Split axis=1 num_outputs=2/1;");
  EXPECT_EQ(GraphAtOpset(kText, 17),
            "Shape/1;Slice/4;Add/2;Div/2;Mul/2;Sub/2;Concat axis=0/2;Split axis=1/2;");
  EXPECT_NE(GraphAtOpset(kText, 12).find("its split is computed"), std::string::npos);
}

TEST_F(ExportOnnxTest, NothingIsReshapedToSizesOfZero) {
  constexpr char kText[] = R"(graph main(%x: f32[2, n]) -> (%y: f32[0, 7]) {
    const %sizes: i64[2] = [0, 7]
    %y = onnx.Reshape(%x, %sizes) {allowzero = 1}
  })";
  EXPECT_EQ(GraphAtOpset(kText, 14), "Reshape allowzero=1/2;");
  EXPECT_EQ(GraphAtOpset(kText, 13), "Reshape/2;");
}

TEST_F(ExportOnnxTest, NothingStandsForAnOperandWhereTheRunComputesASizeOfZero) {
  constexpr char kText[] = R"(graph main(%x: f32[2, n], %sizes: i64[2]) -> (%y: f32[_, _]) {
    %y = onnx.Reshape(%x, %sizes) {allowzero = 1}
  })";
  const std::string graph = GraphAtOpset(kText, 13);
  EXPECT_TRUE(graph.starts_with("Equal/2;Cast to=6/1;ReduceMax keepdims=0/1;Cast to=9/1;If "));
  EXPECT_NE(graph.find("onnx.ConstantOfShape(%sizes)"), std::string::npos);
  EXPECT_TRUE(graph.ends_with("/1;Reshape/2;"));
  EXPECT_NE(GraphAtOpset(kText, 8).find("the operator exists from opset 9 on"), std::string::npos)
      << GraphAtOpset(kText, 8);
}

TEST_F(ExportOnnxTest, NewerOperatorSetsAreKept) {
  ExportOptions options;
  options.kept_opset = 25;
  const Result<Model> model = RoundTrip(kMean, options);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->OpsetVersion(""), 25);
  EXPECT_NE(GraphAtOpset(kMean, 29).find("not between 7 and 28"), std::string::npos);
}

TEST_F(ExportOnnxTest, OperatorsThatAreNotKnownStayInTheirOperatorSet) {
  constexpr char kText[] = R"(graph main(%x: f32[4]) -> (%y: f32[4]) {
    %y: f32[4] = onnx.LinearAttention(%x)
  })";
  ExportOptions options;
  options.kept_opset = 26;
  EXPECT_TRUE(RoundTrip(kText, options).ok());
  options.opset = 25;
  const Result<Model> other = RoundTrip(kText, options);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().ToString().find("in other operator sets are not known"),
            std::string::npos);
}

TEST_F(ExportOnnxTest, OperandsOfSliceKeepOneType) {
  constexpr char kText[] = R"(graph main(%x: f32[4, n], %s: i32[1], %e: i32[1]) -> (%y: f32[4, _]) {
    const %axes: i32[1] = [-1]
    %y = onnx.Slice(%x, %s, %e, %axes)
  })";
  ExportOptions options;
  options.opset = 10;
  const Result<Model> model = RoundTrip(kText, options);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->main().nodes().begin()->operand(3)->type().ToString(), "i32[1]");
}

TEST_F(ExportOnnxTest, IntegersOf16BitsAreQuantizedFromSet21On) {
  constexpr char kText[] = R"(graph main(%x: i16[2], %s: f32[]) -> (%y: f32[2]) {
    %y = onnx.DequantizeLinear(%x, %s)
  })";
  EXPECT_EQ(GraphAtOpset(kText, 21), "DequantizeLinear/2;");
  EXPECT_NE(GraphAtOpset(kText, 20).find("it has 16-bit integers, which needs opset 21"),
            std::string::npos);
}

TEST_F(ExportOnnxTest, GroupsAreChannelsOfAnInstanceNormalization) {
  constexpr char kText[] = R"(graph main(%x: f32[n, 4, h, 5], %s: f32[4]) -> (%y) {
    %y: f32[n, 4, h, 5] = onnx.GroupNormalization(%x, %s, %s) {epsilon = 0.5, num_groups = 2}
  })";
  EXPECT_EQ(GraphAtOpset(kText, 21), "GroupNormalization epsilon=0.5 num_groups=2/3;");
  EXPECT_EQ(GraphAtOpset(kText, 18),
            "Reshape/2;InstanceNormalization epsilon=0.5/3;Shape/1;Reshape/2;Unsqueeze/2;Mul/2;"
            "Unsqueeze/2;Add/2;");
}

TEST_F(ExportOnnxTest, BoolsAreReducedAsNumbersAndBitsAreTurnedBySubtraction) {
  constexpr char kText[] = R"(graph main(%p: bool[2, 3], %k: u8[3]) -> (%all, %not) {
    const %axes: i64[1] = [1]
    %all: bool[2] = onnx.ReduceMin(%p, %axes) {keepdims = 0}
    %not: u8[3] = onnx.BitwiseNot(%k)
  })";
  EXPECT_EQ(GraphAtOpset(kText, 20), "ReduceMin keepdims=0/2;BitwiseNot/1;");
  EXPECT_EQ(GraphAtOpset(kText, 17),
            "Cast to=1/1;ReduceMin keepdims=0 axes=[1]/1;Greater/2;Sub/2;Sub/2;");
}

TEST_F(ExportOnnxTest, SomeSizesAreASliceOfAllBefore15) {
  constexpr char kText[] = R"(graph main(%x: f32[n, 3, m]) -> (%y, %z) {
    %y: i64[2] = onnx.Shape(%x) {start = -2}
    %z: i64[1] = onnx.Shape(%x) {start = 0, end = 1}
  })";
  EXPECT_EQ(GraphAtOpset(kText, 15), "Shape start=-2/1;Shape start=0 end=1/1;");
  EXPECT_EQ(GraphAtOpset(kText, 13), "Shape/1;Slice/3;Shape/1;Slice/3;");
  EXPECT_EQ(GraphAtOpset(kText, 9),
            "Shape/1;Slice ends=[9223372036854775807] starts=[-2]/1;"
            "Shape/1;Slice ends=[1] starts=[0]/1;");
}

TEST_F(ExportOnnxTest, TransformsAreProductsBefore17) {
  const std::string text = GraphAtOpset(R"(graph main(%x: f32[n, 8, 1]) -> (%y) {
    %y: f32[n, 5, 2] = onnx.DFT(%x) {onesided = 1}
  })",
                                        16);
  EXPECT_NE(text.find("Cos/1;Sin/1;"), std::string::npos) << text;
  EXPECT_NE(text.find("MatMul/2;MatMul/2;Neg/1;"), std::string::npos) << text;
}

TEST_F(ExportOnnxTest, TheAxisOfAnOlderTransformIsAnAttribute) {
  constexpr char kText[] = R"(graph main(%x: f32[2, 8, 3, 1]) -> (%y) {
    const %axis: i64[] = -3
    %y: f32[2, 5, 3, 2] = onnx.DFT(%x, _, %axis) {onesided = 1}
  })";
  EXPECT_EQ(GraphAtOpset(kText, 20), "DFT onesided=1/3;");
  EXPECT_EQ(GraphAtOpset(kText, 19), "DFT onesided=1 axis=1/1;");
}

// ONNX Runtime gives the last iteration's number for all iterations otherwise; OpenVINO takes a
// condition or a state that stays for a further input.
TEST_F(ExportOnnxTest, WhatALoopsBodyIsGivenIsCopiedBeforeItIsAResult) {
  Result<Model> model = RoundTrip(R"(graph main(%n: i64[], %x: f32[2]) -> (%last, %iterations) {
    %last: f32[2], %iterations: i64[k] = onnx.Loop(%n, _, %x) {body = graph body(%i: i64[], %go: bool[], %state: f32[2]) -> (%go, %state, %i) {}}
  })");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  const Graph& body = *model->main().first_node()->subgraphs().front();
  for (std::size_t i = 0; i < body.num_outputs(); ++i) {
    ASSERT_NE(body.output(i)->producer(), nullptr);
    EXPECT_EQ(body.output(i)->producer()->op().type, "Identity");
  }
}

// ONNX Runtime gives memory that nothing wrote otherwise.
TEST_F(ExportOnnxTest, WhatAScansBodyIsGivenIsCopiedBeforeItIsAResult) {
  Result<Model> model = RoundTrip(R"(graph main(%h: f32[2], %x: f32[3, 2]) -> (%last, %rows) {
    %last: f32[2], %rows: f32[3, 2] = onnx.Scan(%h, %x) {num_scan_inputs = 1, body = graph body(%state: f32[2], %row: f32[2]) -> (%state, %row) {}}
  })");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  const Graph& body = *model->main().first_node()->subgraphs().front();
  for (std::size_t i = 0; i < body.num_outputs(); ++i) {
    ASSERT_NE(body.output(i)->producer(), nullptr);
    EXPECT_EQ(body.output(i)->producer()->op().type, "Identity");
  }
}

// ONNX: "Inputs (2 - ∞)"; what an iteration says of the next one counts where a condition is given.
TEST_F(ExportOnnxTest, LoopsHaveTwoOperandsThoughTheyHaveNoConditionAndCarryNothing) {
  Result<Model> model = RoundTrip(R"(graph main(%count: i64[]) -> (%rows) {
    %rows: i64[?] = onnx.Loop(%count) {body = graph body(%turn: i64[], %go: bool[]) -> (%more, %row) {
      %more: bool[] = onnx.Identity(%go)
      %row: i64[] = onnx.Neg(%turn)
    }}
  })");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  const Node& loop = *model->main().first_node();
  ASSERT_EQ(loop.num_operands(), 2U);
  ASSERT_TRUE(loop.operand(1) != nullptr && loop.operand(1)->is_constant());
  EXPECT_EQ(loop.operand(1)->tensor()->IntAt(0), 1);
}

// Substitution from the last row on; larger matrices stay, which a warning says.
TEST_F(ExportOnnxTest, SmallMatricesAreSolvedRowByRow) {
  const auto text = [](const std::string& n) {
    return "graph main(%a: f32[b, " + n + ", " + n + "], %b: f32[b, " + n + R"(, 5]) -> (%x) {
      %x: f32[b, )" +
           n + R"(, 5] = dragoman.TriangularSolve(%a, %b) {upper = 1}
    })";
  };
  const std::string element = "Gather axis=-2/2;Gather axis=-1/2;";
  EXPECT_EQ(GraphAtOpset(text("2"), 22), "Gather axis=-2/2;" + element + "Div/2;Gather axis=-2/2;" +
                                             element + "MatMul/2;Sub/2;" + element +
                                             "Div/2;Concat axis=-2/2;");
  ExportOptions options;
  options.strict = true;
  for (const char* n : {"17", "n"}) {
    const Result<Model> looped = RoundTrip(text(n), options);
    ASSERT_TRUE(looped.ok()) << looped.error().ToString();
    EXPECT_NE(PrintGraph(looped->main()).find("onnx.Loop"), std::string::npos);
  }
}

TEST_F(ExportOnnxTest, WhatOnlyDragomanHasIsWrittenWhereThatIsAllowed) {
  const std::string text = R"(graph main(%x: f32[*], %b: f32[*]) -> (%y) {
    %y: f32[*] = dragoman.TriangularSolve(%x, %b)
  })";
  ExportOptions options;
  const Result<Model> refused = RoundTrip(text, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().ToString().find("of an unknown or a large size"), std::string::npos);
  EXPECT_NE(refused.error().ToString().find("--allow-domain dragoman"), std::string::npos);
  options.own_domain = true;
  ASSERT_TRUE(RoundTrip(text, options).ok());
}

TEST_F(ExportOnnxTest, OlderSoftmaxHasItsAxisLast) {
  EXPECT_EQ(GraphAtOpset(R"(graph main(%x: f32[2, 3, 4]) -> (%y) {
    %y: f32[2, 3, 4] = onnx.Softmax(%x) {axis = 1}
  })",
                         10),
            "Transpose perm=[0, 2, 1]/1;Softmax axis=2/1;Transpose perm=[0, 2, 1]/1;");
}

TEST_F(ExportOnnxTest, ElementTypesThatAnOpsetLacksAreRefused) {
  constexpr char kTypes[] = R"(graph main(%x: f16[4], %p: bool[4]) -> (%y, %z) {
    const %axis: i64[] = 0
    const %pads: i64[2] = [1, 0]
    %y = onnx.CumSum(%x, %axis)
    %z = onnx.Pad(%p, %pads)
  })";
  const std::string error = GraphAtOpset(kTypes, 12);
  EXPECT_NE(error.find("it takes f16, which needs opset 14"), std::string::npos) << error;
  EXPECT_NE(error.find("it takes elements of type bool, which needs opset 13"), std::string::npos)
      << error;
  EXPECT_EQ(GraphAtOpset(kTypes, 14), "CumSum/2;Pad/2;");
}

TEST_F(ExportOnnxTest, YoungElementTypesAreWrittenForTheFirstOpsetThatHasThem) {
  constexpr char kFloat8[] = R"(graph main(%x: f32[4]) -> (%y) {
    %q: f8e4m3fn[4] = onnx.Cast(%x) {to = 17}
    %s: f8e4m3fn[4] = onnx.Identity(%q)
    %y: f32[4] = onnx.Cast(%s) {to = 1}
  })";
  EXPECT_EQ(GraphAtOpset(kFloat8, 19), "Cast to=17/1;Identity/1;Cast to=1/1;");
  EXPECT_NE(GraphAtOpset(kFloat8, 18).find("its element types need opset 19"), std::string::npos);
  constexpr char kTransposed[] = R"(graph main(%x: f8e5m2[4, 2]) -> (%y) {
    %y: f8e5m2[2, 4] = onnx.Transpose(%x) {perm = [1, 0]}
  })";
  EXPECT_NE(GraphAtOpset(kTransposed, 19).find("need opset 21"), std::string::npos);
  constexpr char kPower[] = R"(graph main(%x: f32[4], %p: bf16[4]) -> (%y) {
    %y: f32[4] = onnx.Pow(%x, %p)
  })";
  EXPECT_EQ(GraphAtOpset(kPower, 13), "Cast to=1/1;Pow/2;");
}

TEST_F(ExportOnnxTest, NormalizationsOfMixedTypesNeedTheOpsetThatHasThem) {
  constexpr char kMixed[] = R"(graph main(%x: f16[2, 3], %s: f16[3], %m: f32[3]) -> (%y) {
    %y: f16[2, 3] = onnx.BatchNormalization(%x, %s, %s, %m, %m)
  })";
  EXPECT_EQ(GraphAtOpset(kMixed, 14), "BatchNormalization/5;");
  EXPECT_NE(GraphAtOpset(kMixed, 13).find("its mean and variance have another type"),
            std::string::npos);
  constexpr char kScaled[] = R"(graph main(%x: f16[2, 3], %s: f32[3], %m: f16[3]) -> (%y) {
    %y: f16[2, 3] = onnx.BatchNormalization(%x, %s, %s, %m, %m)
  })";
  EXPECT_NE(GraphAtOpset(kScaled, 14).find("its scale and bias have another type"),
            std::string::npos);
}

TEST_F(ExportOnnxTest, OnlyOptionalsWereAskedForTheirElementsAtFirst) {
  constexpr char kTensor[] = R"(graph main(%x: f32[4]) -> (%p) {
    %p = onnx.OptionalHasElement(%x)
  })";
  EXPECT_EQ(GraphAtOpset(kTensor, 18), "OptionalHasElement/1;");
  const std::string error = GraphAtOpset(kTensor, 17);
  EXPECT_NE(error.find("its operand is not an optional, which needs opset 18"), std::string::npos)
      << error;
}

}  // namespace
}  // namespace dragoman
