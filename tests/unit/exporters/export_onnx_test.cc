// SPDX-License-Identifier: Apache-2.0
// Common models as ONNX files: read back and lowered, they are the same models, in the form that
// the wanted opset asks for.
#include "exporters/onnx/export_onnx.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/analysis/inference.h"
#include "core/compare/diff.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/read_model.h"
#include "tests/support/onnx_checks.h"

namespace dragoman {
namespace {

Model Parse(const std::string& text) {
  Result<Model> model = ParseText(text);
  EXPECT_TRUE(model.ok()) << model.error().ToString();
  if (!model.ok()) return Model();
  for (Entry& entry : model->entries) {
    const Status inferred = Inference().InferGraph(*entry.graph);
    EXPECT_TRUE(inferred.ok()) << inferred.error().ToString();
  }
  return std::move(*model);
}

class ExportOnnxTest : public testing::Test {
 protected:
  // The last file of each test must be accepted by others, too.
  void TearDown() override {
    if (std::filesystem::exists(path_)) {
      EXPECT_EQ(ComplaintsOfOthers(path_), "");
    }
    std::filesystem::remove(path_);
  }

  // The file that `text` is written to, as its reader gives it.
  Result<Model> RoundTrip(const std::string& text, const ExportOptions& options = {}) {
    DRAGOMAN_TRY(ExportOnnx(Parse(text), path_, options));
    return ReadOnnx(path_);
  }
  std::string GraphAtOpset(const std::string& text, std::int64_t opset) {
    ExportOptions options;
    options.opset = opset;
    Result<Model> source = RoundTrip(text, options);
    if (!source.ok()) return source.error().ToString();
    EXPECT_EQ(source->OpsetVersion(""), opset);
    std::string ops;
    for (const Node& node : source->main().nodes()) {
      ops += node.op().type;
      for (const NamedAttribute& attribute : node.attributes()) {
        ops += " " + attribute.name + "=" + PrintAttribute(attribute.value);
      }
      ops += "/" + std::to_string(node.num_operands()) + ";";
    }
    return ops;
  }

  const std::string path_ =
      (std::filesystem::path(testing::TempDir()) /
       (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".onnx"))
          .string();
};

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
  Result<Model> model = RoundTrip(R"(graph main(%n: i64[], %x: f32[2]) -> (%last, %turns) {
    %last: f32[2], %turns: i64[k] = onnx.Loop(%n, _, %x) {body = graph body(%i: i64[], %go: bool[], %state: f32[2]) -> (%go, %state, %i) {}}
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

// ONNX: "Inputs (2 - ∞)".
TEST_F(ExportOnnxTest, LoopsHaveTwoOperandsThoughTheyHaveNoConditionAndCarryNothing) {
  Result<Model> model = RoundTrip(R"(graph main(%count: i64[]) -> (%rows) {
    %rows: i64[?] = onnx.Loop(%count) {body = graph body(%turn: i64[], %go: bool[]) -> (%more, %row) {
      %more: bool[] = onnx.Identity(%go)
      %row: i64[] = onnx.Neg(%turn)
    }}
  })");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->main().first_node()->num_operands(), 2U);
}

// Substitution from the last row on; larger matrices stay, which a warning tells.
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

TEST_F(ExportOnnxTest, LinearIsGemmForMatricesAndMatMulElse) {
  EXPECT_EQ(GraphAtOpset(R"(graph main(%x: f32[n, 3], %s: f32[b, n, 3]) -> (%y, %z) {
    const %w: f32[2, 3] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    const %b: f32[2] = [0.5, -0.5]
    %y: f32[n, 2] = dragoman.Linear(%x, %w, %b)
    %z: f32[b, n, 2] = dragoman.Linear(%s, %w, %b)
  })",
                         22),
            "Gemm transB=1/3;Transpose perm=[1, 0]/1;MatMul/2;Add/2;");
}

constexpr char kGroups[] = R"(graph main(%x: f32[2], %s: f32[2]) -> (%y, %z) {
    %y: f32[2], %z: f32[2] = dragoman.Fused(%s, %x) {body = graph body(%p, %q) -> (%d, %c) {
      const %one: f32[] = 1.0
      const %row: f32[2] = [3.0, 4.0]
      %b = onnx.Add(%q, %one)
      %c = dragoman.Fused(%b, %row) {body = graph body(%u, %v) -> (%w) {
        %t = onnx.Tanh(%u)
        %w = onnx.Mul(%t, %v)
      }}
      %d = onnx.Sub(%c, %p)
    }}
  })";

TEST_F(ExportOnnxTest, GroupsAreWrittenInLineAndComeBack) {
  const Result<Model> source = RoundTrip(kGroups);
  ASSERT_TRUE(source.ok()) << source.error().ToString();
  EXPECT_TRUE(source->functions.empty());
  std::string operators;
  for (const Node& node : source->main().nodes()) operators += node.op().ToString() + " ";
  EXPECT_EQ(operators, "onnx.Add onnx.Tanh onnx.Mul onnx.Sub ");
  const Result<Model> common = LowerOnnx(*source);
  ASSERT_TRUE(common.ok()) << common.error().ToString();
  const DiffReport report = *DiffModels(*common, Parse(kGroups), {});
  EXPECT_TRUE(report.equal()) << PrintGraph(common->main());
}

// Of a file that another program has changed, nodes that are still next to each other are a group.
TEST_F(ExportOnnxTest, GroupsThatWerePutApartStayInLine) {
  Result<Model> source = RoundTrip(kGroups);
  ASSERT_TRUE(source.ok()) << source.error().ToString();
  Graph& graph = source->main();
  Node* const tanh = graph.first_node()->next();
  Value* const operands[] = {tanh->result()};
  Node* between = graph.Insert(tanh->next(), InternOp("onnx", "Neg"), operands);
  graph.AddOutput(between->AddResult("between"));
  const Result<Model> common = LowerOnnx(*source);
  ASSERT_TRUE(common.ok()) << common.error().ToString();
  for (const Node& node : common->main().nodes()) EXPECT_FALSE(node.IsDragoman("Fused"));
}

TEST_F(ExportOnnxTest, GroupsAreFunctionsWhereThatIsAsked) {
  ExportOptions options;
  options.functions = true;
  const Result<Model> source = RoundTrip(kGroups, options);
  ASSERT_TRUE(source.ok()) << source.error().ToString();
  ASSERT_EQ(source->functions.size(), 2u);
  EXPECT_EQ(source->main().first_node()->op().ToString(), "onnx:dragoman.Fused_2");
  const Result<Model> common = LowerOnnx(*source);
  ASSERT_TRUE(common.ok()) << common.error().ToString();
  EXPECT_EQ(common->main().num_nodes(), 1u);
  EXPECT_TRUE(common->main().first_node()->IsDragoman("Fused"));
}

constexpr char kProjectedLstm[] = R"(graph main(%x: f32[t, 2, 3], %h: f32[1, 2, 2],
      %w: f32[1, 16, 3], %r: f32[1, 16, 2], %p: f32[1, 2, 4]) -> (%last) {
    %y: f32[t, 1, 2, 2], %last: f32[1, 2, 2], _ = dragoman.LSTM(%x, %w, %r, _, _, %h, _, _, %p)
        {cell_clip = 0.5, hidden_size = 4}
  })";

std::size_t CountLoops(const Graph& graph) {
  std::size_t loops = 0;
  for (const Node& node : graph.nodes()) loops += node.Is("Loop") ? 1 : 0;
  return loops;
}

TEST_F(ExportOnnxTest, ProjectedLstmIsTheCallOfAFunctionAndComesBack) {
  const Result<Model> source = RoundTrip(kProjectedLstm);
  ASSERT_TRUE(source.ok()) << source.error().ToString();
  ASSERT_EQ(source->functions.size(), 1u);
  const Node* call = source->main().first_node();
  EXPECT_EQ(call->op().ToString(), "onnx:dragoman.LSTM_1");
  const Graph& body = *source->functions.front().graph;
  EXPECT_EQ(body.num_inputs(), 9u);
  EXPECT_EQ(CountLoops(body), 1u);
  const Result<Model> common = LowerOnnx(*source);
  ASSERT_TRUE(common.ok()) << common.error().ToString();
  EXPECT_EQ(common->main().num_nodes(), 1u);
  const Node* lstm = common->main().first_node();
  EXPECT_TRUE(lstm->IsDragoman("LSTM"));
  EXPECT_EQ(*lstm->attribute("cell_clip")->As<float>(), 0.5f);
}

// Runtimes have RoiAlign of opset 16 and not of 22, which admits more element types; a younger
// operator takes the file to its own opset.
TEST_F(ExportOnnxTest, TheUsualOperatorSetIsTheLowestThatHasAllOperators) {
  const auto opset_of = [&](const std::string& text) {
    const Result<Model> source = RoundTrip(text);
    return source.ok() ? source->OpsetVersion("").value_or(0) : 0;
  };
  EXPECT_EQ(
      opset_of(R"(graph main(%x: f32[1, 3, 8, 8], %boxes: f32[2, 4], %images: i64[2]) -> (%y) {
    %y = onnx.RoiAlign(%x, %boxes, %images)
  })"),
      17);
  EXPECT_EQ(opset_of("graph main(%x: f32[2]) -> (%y) { %y = onnx.Gelu(%x) }"), 20);
  EXPECT_EQ(opset_of("graph main(%x: u4[2]) -> (%y) { %y = onnx.Identity(%x) }"), 21);
  EXPECT_EQ(opset_of(R"(graph main(%x: f32[2, 3], %axes: i64[1]) -> (%y) {
    %y: f32[*] = onnx.ReduceMean(%x, %axes)
  })"),
            18);
}

// The Erf of a GELU that is written out, too.
TEST_F(ExportOnnxTest, NoErfOfFloat64IsLeft) {
  for (const std::string op : {"Erf", "Gelu"}) {
    for (const std::int64_t opset : {17, 22}) {
      const std::string ops =
          GraphAtOpset("graph main(%x: f64[2]) -> (%y) { %y = onnx." + op + "(%x) }", opset);
      EXPECT_EQ(ops.find(op), std::string::npos) << ops;
      EXPECT_NE(ops.find("Exp/1"), std::string::npos) << ops;
    }
  }
}

TEST_F(ExportOnnxTest, NormalisationOverOneElementIsItsFormula) {
  const std::string ops = GraphAtOpset(R"(graph main(%x: f32[n, 1], %s: f32[1]) -> (%y) {
    %y = onnx.LayerNormalization(%x, %s)
  })",
                                       17);
  EXPECT_EQ(ops.find("LayerNormalization"), std::string::npos) << ops;
  EXPECT_NE(ops.find("ReduceMean"), std::string::npos) << ops;
}

// Position 3 of 24 in 80 is 3 / 0.3: in float32 less than 10.
TEST_F(ExportOnnxTest, NearestElementsAreGatheredWhereArithmeticDiffers) {
  const auto resized = [&](const std::string& sizes, const std::string& to) {
    return GraphAtOpset(
        "graph main(%x: f32[" + sizes + "]) -> (%y) {\n  const %to: i64[2] = [" + to +
            "]\n  %y = onnx.Resize(%x, _, _, %to) {coordinate_transformation_mode = "
            "\"asymmetric\", nearest_mode = \"floor\"}\n}",
        18);
  };
  EXPECT_NE(resized("48, 80", "16, 24").find("Gather"), std::string::npos);
  EXPECT_EQ(resized("48, 80", "96, 40").find("Gather"), std::string::npos);
}

TEST_F(ExportOnnxTest, OlderOperatorSetsWantAStateAndAPositiveNumber) {
  EXPECT_EQ(GraphAtOpset(R"(graph main(%x: f32[2, 3]) -> (%v, %i) {
    const %k: i64[1] = [0]
    %v, %i = onnx.TopK(%x, %k)
  })",
                         9),
            "Slice axes=[1] ends=[0] starts=[0]/1;Cast to=7/1;");
  const std::string loop = GraphAtOpset(R"(graph main(%count: i64[]) -> (%rows) {
    %rows: i64[?] = onnx.Loop(%count) {body = graph body(%turn: i64[], %go: bool[]) -> (%more, %row) {
      %more: bool[] = onnx.Identity(%go)
      %row: i64[] = onnx.Neg(%turn)
    }}
  })",
                                        8);
  EXPECT_TRUE(loop.starts_with("Loop") && loop.ends_with("/3;")) << loop;
  EXPECT_NE(GraphAtOpset(R"(graph main(%x: f32[2], %c: bool[]) -> (%y) {
    %y: f32[?] = onnx.If(%c) {else_branch = graph no() -> (%a) {
      %a: f32[4] = onnx.Concat(%x, %x) {axis = 0}
    }, then_branch = graph yes() -> (%b) {
      %b: f32[2] = onnx.Relu(%x)
    }}
  })",
                         9)
                .find("its branches give other sizes, which needs opset 11"),
            std::string::npos);
}

TEST_F(ExportOnnxTest, TextIsWrittenForTheExtensionsOfOnnxRuntimeWhereTheyDoTheSame) {
  const Result<Model> source = RoundTrip(R"(graph main(%x: str[n]) -> (%y, %h) {
    const %pattern: str[] = "a+"
    const %by: str[] = "b"
    %y = dragoman.RegexReplace(%x, %pattern, %by) {all = 0}
    %h = dragoman.HashBucket(%y) {buckets = 7, hash = "farm"}
  })");
  ASSERT_TRUE(source.ok()) << source.error().ToString();
  EXPECT_EQ(source->main().first_node()->op().ToString(),
            "onnx:ai.onnx.contrib.StringRegexReplace");
  const Result<Model> common = LowerOnnx(*source);
  ASSERT_TRUE(common.ok()) << common.error().ToString();
  EXPECT_TRUE(common->main().first_node()->IsDragoman("RegexReplace"));
  EXPECT_TRUE(common->main().last_node()->IsDragoman("HashBucket"));
}

// Operators of a graph, each with the element type of its result.
std::string Typed(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes())
    text += node.op().type + " " + std::string(Name(node.result()->type().dtype())) + "; ";
  return text;
}

TEST_F(ExportOnnxTest, ElementsThatOnnxOrRuntimesDoNotTakeAreComputedInOthers) {
  const auto typed = [&](const std::string& type, const std::string& node) {
    Result<Model> source =
        RoundTrip("graph main(%x: " + type + "[2, 3]) -> (%y) {\n  const %axes: " +
                  "i64[1] = [1]\n  %y = onnx." + node + "\n}");
    return source.ok() ? Typed(source->main()) : source.error().ToString();
  };
  EXPECT_EQ(typed("u8", "ReduceSum(%x, %axes) {keepdims = 0}"),
            "Cast i32; ReduceSum i32; Cast u8; ");
  EXPECT_EQ(typed("i16", "ReduceMax(%x, %axes)"), "Cast i32; ReduceMax i32; Cast i16; ");
  EXPECT_EQ(typed("u8", "ReduceMax(%x, %axes)"), "ReduceMax u8; ");
  EXPECT_EQ(typed("i32", "ReduceSum(%x, %axes)"), "ReduceSum i32; ");
  EXPECT_EQ(typed("u64", "Neg(%x)"), "Cast i64; Neg i64; Cast u64; ");
  EXPECT_EQ(typed("i8", "Neg(%x)"), "Neg i8; ");
  EXPECT_EQ(typed("i8", "PRelu(%x, %x)"), "Cast i32; Cast i32; PRelu i32; Cast i8; ");
  EXPECT_EQ(typed("u16", "Relu(%x)"), "Identity u16; ");
  EXPECT_EQ(typed("i64", "Relu(%x)"), "Max i64; ");
  EXPECT_EQ(typed("i16", "Max(%x, %x)"), "Cast i32; Cast i32; Max i32; Cast i16; ");
  EXPECT_EQ(typed("u32", "ArgMax(%x)"), "Cast i64; ArgMax i64; ");
  EXPECT_EQ(typed("u64", "ArgMax(%x)"), "ArgMax i64; ");  // in no type that is wider
  EXPECT_EQ(typed("i32", "Unique(%x)"), "Cast i64; Unique i64; Cast i32; ");
  EXPECT_EQ(typed("f64", "NonZero(%x)"), "Cast bool; NonZero i64; ");
  EXPECT_EQ(typed("bf16", "Exp(%x)"), "Cast f32; Exp f32; Cast bf16; ");
  EXPECT_EQ(typed("bf16", "Less(%x, %x)"), "Cast f32; Cast f32; Less bool; ");
  EXPECT_EQ(typed("bf16", "Transpose(%x)"), "Transpose bf16; ");
  EXPECT_EQ(typed("bool", "Where(%x, %x, %x)"), "Cast i32; Cast i32; Where i32; Cast bool; ");
  EXPECT_EQ(typed("i64", "Sum(%x, %x, %x)"), "Add i64; Add i64; ");
}

TEST_F(ExportOnnxTest, OperatorsOnBFloat16OfAnOnnxFileStay) {
  const Result<Model> kept = RoundTrip(R"(graph main(%x: bf16[2, 3]) -> (%y) {
  %y = onnx.Exp(%x)
})",
                                       {.kept_opset = 22});
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(Typed(kept->main()), "Exp bf16; ");
}

TEST_F(ExportOnnxTest, NodesOfOneNameGetOthers) {
  const Result<Model> source = RoundTrip(R"(graph main(%x: f32[2]) -> (%y) {
    %a = onnx.Relu(%x) @layer
    %b = onnx.Tanh(%a) @layer
    %c = onnx.Exp(%b) @layer_2
    %y = onnx.Sqrt(%c) @layer
  })");
  ASSERT_TRUE(source.ok()) << source.error().ToString();
  std::vector<std::string> names;
  for (const Node& node : source->main().nodes()) names.push_back(node.name());
  EXPECT_EQ(names, (std::vector<std::string>{"layer", "layer_3", "layer_2", "layer_4"}));
}

TEST_F(ExportOnnxTest, EffectsAreLeftOutWithAWarning) {
  constexpr char kText[] = R"(graph main(%x: f32[2], %ok: bool[]) -> (%y) {
    dragoman.Assert(%ok, %x)
    %y = onnx.Relu(%x)
  })";
  std::vector<std::string> warnings;
  ExportOptions options;
  options.warn = [&](std::string_view line) { warnings.emplace_back(line); };
  ASSERT_TRUE(RoundTrip(kText, options).ok());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("dragoman.Assert"), std::string::npos);
  options.strict = true;
  EXPECT_FALSE(RoundTrip(kText, options).ok());
}

Model Counter() {
  Model model = Parse(R"(graph main(%x: f32[2], %count: f32[2]) -> (%y, %next) {
    %next: f32[2] = onnx.Add(%count, %x)
    %y: f32[2] = onnx.Neg(%next)
  })");
  const std::vector<float> zeros(2, 0.0f);
  model.states.push_back({"memory", model.main().input(1)->type(), Tensor::Of<float>({2}, zeros)});
  model.entries.front().states.push_back({0, 1, 1});
  return model;
}

// No operator of ONNX makes a map, other than a list of them.
TEST_F(ExportOnnxTest, AMapOfAProgramIsTwoOutputs) {
  Result<Model> file =
      RoundTrip(R"(graph main(%k: i64[n], %x: f64[n]) -> (%d.map_keys, %d.map_values) {
  %d.map_keys, %order = onnx.Unique(%k)
  %d.map_values = onnx.Gather(%x, %order)
})");
  ASSERT_TRUE(file.ok()) << file.error().ToString();
  EXPECT_EQ(file->main().num_outputs(), 2u);
  // A map of the file that is given back would become two tensors.
  file = RoundTrip(
      R"(graph main(%d.map_keys: i64[n], %d.map_values: f32[n]) -> (%e.map_keys, %e.map_values) {
  %e.map_keys = onnx.Identity(%d.map_keys)
  %e.map_values = onnx.Neg(%d.map_values)
})");
  ASSERT_FALSE(file.ok());
}

TEST_F(ExportOnnxTest, StatesComeBack) {
  ASSERT_TRUE(ExportOnnx(Counter(), path_, {}).ok());
  const Result<Model> common = LowerOnnx(ReadOnnx(path_).value());
  ASSERT_TRUE(common.ok()) << common.error().ToString();
  ASSERT_EQ(common->states.size(), 1u);
  EXPECT_EQ(common->states[0].name, "memory");
  ASSERT_NE(common->states[0].initial.tensor(), nullptr);
  EXPECT_EQ(common->states[0].initial.tensor()->size(), 2);
  EXPECT_EQ(common->entries[0].states, (std::vector<StateBinding>{{0, 1, 1}}));
  EXPECT_TRUE(common->metadata.empty());
}

TEST_F(ExportOnnxTest, LiftedStatesStayInputsAndOutputs) {
  ExportOptions options;
  options.lift_state = true;
  ASSERT_TRUE(ExportOnnx(Counter(), path_, options).ok());
  const Result<Model> common = LowerOnnx(ReadOnnx(path_).value());
  ASSERT_TRUE(common.ok()) << common.error().ToString();
  EXPECT_TRUE(common->states.empty());
  EXPECT_EQ(common->main().num_inputs(), 2u);
}

TEST_F(ExportOnnxTest, AStateThatTakesOverAnotherIsCalledByItsOwnName) {
  Model model =
      Parse(R"(graph main(%x: f32[2], %before: f32[2], %last: f32[2]) -> (%y, %x, %before) {
    %y: f32[2] = onnx.Add(%x, %last)
  })");
  for (std::size_t i : {0u, 1u}) {
    model.states.push_back({i == 0 ? "before" : "last", model.main().input(1)->type(),
                            Tensor::Of<float>({2}, std::vector<float>(2, 0.0f))});
    model.entries.front().states.push_back({i, i + 1, i + 1});
  }
  ExportOptions options;
  options.lift_state = true;
  ASSERT_TRUE(ExportOnnx(model, path_, options).ok());
  const Result<Model> written = ReadOnnx(path_);
  ASSERT_TRUE(written.ok()) << written.error().ToString();
  EXPECT_EQ(written->main().output(1)->name(), "before_out");
  EXPECT_EQ(written->main().output(2)->name(), "last_out");
}

}  // namespace
}  // namespace dragoman
