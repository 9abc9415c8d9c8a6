// SPDX-License-Identifier: Apache-2.0
// Common models as ONNX files: read back and lowered, they are the same models.
#include "exporters/onnx/export_onnx.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/compare/diff.h"
#include "importers/onnx/lower.h"
#include "tests/unit/exporters/export_onnx_fixture.h"

namespace dragoman {
namespace {

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

// Those of functions that are written out, too.
TEST_F(ExportOnnxTest, NoFunctionsOfFloat64AreLeftThatRuntimesLack) {
  std::istringstream ops(
      "Acos Acosh Asin Asinh Atan Atanh Cosh Elu Erf Gelu GlobalAveragePool GlobalMaxPool "
      "HardSigmoid HardSwish LeakyRelu MeanVarianceNormalization Mish Selu Shrink Sinh Softplus "
      "Softsign Tan ThresholdedRelu");
  for (std::string op; ops >> op;) {
    for (const std::int64_t opset : {13, 22}) {
      const std::string written = GraphAtOpset(
          "graph main(%x: f64[2, 3, h, 4]) -> (%y) { %y = onnx." + op + "(%x) }", opset);
      for (const char* lacked :
           {"Acos", "Asin", "Atanh", "Cosh", "Sinh", "Tan/", "Elu", "Selu", "Gelu", "yRelu",
            "dRelu", "Erf", "Pool", "Hard", "Variance", "Mish", "Soft", "Shrink"})
        EXPECT_EQ(written.find(lacked), std::string::npos) << op << ": " << written;
    }
  }
}

// Which have no Where.
TEST_F(ExportOnnxTest, SlopesOfFloat64AreWrittenForOldOperatorSets) {
  for (const char* call : {"LeakyRelu(%x)", "PRelu(%x, %s)"}) {
    const std::string written = GraphAtOpset(
        std::string("graph main(%x: f64[n], %s: f64[]) -> (%y) { %y = onnx.") + call + " }", 8);
    EXPECT_NE(written.find("Min"), std::string::npos) << call << ": " << written;
    EXPECT_EQ(written.find("Relu"), std::string::npos) << call << ": " << written;
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
  EXPECT_NE(resized("48, 80", "96, 1234567890123").find("takes more than"), std::string::npos);
}

TEST_F(ExportOnnxTest, ZerosOfAPadAreKeptApartFromAPool) {
  const auto written = [&](const std::string& pool, const std::string& value = "_") {
    return GraphAtOpset(
        "graph main(%x: f32[1, 2, 5, 6]) -> (%y) {\n  const %zero: f32[] = 0.0\n"
        "  const %one: f32[] = 1.0\n  const %p: i64[8] = [0, 0, 1, 0, 0, 0, 0, 1]\n"
        "  %q = onnx.Pad(%x, %p, " +
            value + ")\n  %y = onnx." + pool + "\n}",
        17);
  };
  const std::string valid = "Pad/3;MaxPool kernel_shape=[2, 2] auto_pad=\"VALID\"/1;";
  EXPECT_EQ(written("MaxPool(%q) {kernel_shape = [2, 2], pads = [0, 0, 0, 0]}"), valid);
  const std::string ceiling = "(%q) {kernel_shape = [2, 2], ceil_mode = 1}";
  EXPECT_EQ(written("MaxPool" + ceiling), "Pad/3;Pad/3;MaxPool kernel_shape=[2, 2] ceil_mode=1/1;");
  EXPECT_EQ(written("AveragePool" + ceiling, "%zero"),
            "Pad/3;Pad/3;AveragePool kernel_shape=[2, 2] ceil_mode=1/1;");
  const std::string padded = "MaxPool(%q) {kernel_shape = [2, 2], pads = [1, 0, 0, 0]}";
  EXPECT_EQ(written(padded), "Pad/3;Pad/3;MaxPool kernel_shape=[2, 2] pads=[1, 0, 0, 0]/1;");
  EXPECT_EQ(written(padded, "%one"), "Pad/3;MaxPool kernel_shape=[2, 2] pads=[1, 0, 0, 0]/1;");
  const std::string mean = "AveragePool(%q) {kernel_shape = [2, 2]}";
  EXPECT_EQ(written(mean), "Pad/3;AveragePool kernel_shape=[2, 2]/1;");
}

TEST_F(ExportOnnxTest, StatesHaveAnyNames) {
  const Result<Model> source = RoundTrip(
      "dragoman 1 common onnx\nopset \"\" 22\nstate \"h\\x80\": f32[2] = f32[2] [0.0, 0.0]\n"
      "entry main(%x: f32[2], %\"h\\x80\": f32[2]) -> (%y: f32[2], %\"n\\\\\") state 0 input 1 -> "
      "output 1 "
      "{\n  %\"n\\\\\" = onnx.Add(%\"h\\x80\", %x)\n  %y = onnx.Neg(%x)\n}\n");
  ASSERT_TRUE(source.ok()) << source.error().ToString();
  const Result<Model> common = LowerOnnx(*source);
  ASSERT_TRUE(common.ok()) << common.error().ToString();
  ASSERT_EQ(common->states.size(), 1u);
  EXPECT_EQ(common->states[0].name, "h\x80");
  std::filesystem::remove(path_);  // others want names in UTF-8
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
    %h = dragoman.TextLength(%y) {utf8 = 1}
  })");
  ASSERT_TRUE(source.ok()) << source.error().ToString();
  EXPECT_EQ(source->main().first_node()->op().ToString(),
            "onnx:ai.onnx.contrib.StringRegexReplace");
  const Result<Model> common = LowerOnnx(*source);
  ASSERT_TRUE(common.ok()) << common.error().ToString();
  EXPECT_TRUE(common->main().first_node()->IsDragoman("RegexReplace"));
  EXPECT_TRUE(common->main().last_node()->IsDragoman("TextLength"));
}

// What the extensions call StringToHashBucketFast is another hash than TensorFlow's.
TEST_F(ExportOnnxTest, HashesOfTextAreNotWrittenForOnnxRuntime) {
  const std::string refused = GraphAtOpset(R"(graph main(%x: str[n]) -> (%h) {
    %h = dragoman.HashBucket(%x) {buckets = 7, hash = "farm"}
  })",
                                           21);
  EXPECT_NE(refused.find("ONNX has no such operator"), std::string::npos) << refused;
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
                  "i64[1] = [1]\n  const %at: i64[2, 3] = [[0, 1, 0], [1, 0, 1]]\n  %y = onnx." +
                  node + "\n}");
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
  const auto scattered = [&](const std::string& type, const std::string& reduction) {
    return typed(type, "ScatterElements(%x, %at, %x) {reduction = \"" + reduction + "\"}");
  };
  EXPECT_EQ(scattered("f16", "add"), "Cast f32; Cast f32; ScatterElements f32; Cast f16; ");
  EXPECT_EQ(scattered("bf16", "max"), "Cast f32; Cast f32; ScatterElements f32; Cast bf16; ");
  EXPECT_EQ(scattered("f16", "none"), "ScatterElements f16; ");
  EXPECT_EQ(scattered("bf16", "none"), "ScatterElements bf16; ");
  EXPECT_EQ(typed("u16", "BitShift(%x, %x) {direction = \"LEFT\"}"),
            "Cast u32; Cast u32; BitShift u32; Cast u16; ");
  EXPECT_EQ(typed("i8", "EyeLike(%x)"), "Cast f32; EyeLike f32; Cast i8; ");
  EXPECT_EQ(typed("i64", "EyeLike(%x)"), "EyeLike i64; ");
  EXPECT_EQ(typed("u8", "Pow(%at, %x)"), "Cast i64; Pow i64; ");
  EXPECT_EQ(typed("bool", "Where(%x, %x, %x)"), "Cast i32; Cast i32; Where i32; Cast bool; ");
  EXPECT_EQ(typed("i64", "Sum(%x, %x, %x)"), "Add i64; Add i64; ");
}

TEST_F(ExportOnnxTest, OneHotIsOfTypesThatOnnxRuntimeHas) {
  const auto typed = [&](const std::string& indices, const std::string& values) {
    Result<Model> source =
        RoundTrip("graph main(%x: " + indices + "[3], %values: " + values +
                  "[2]) -> (%y) {\n  const %depth: i32[] = 5\n  %y = onnx.OneHot(%x, %depth, " +
                  "%values)\n}");
    return source.ok() ? Typed(source->main()) : source.error().ToString();
  };
  EXPECT_EQ(typed("i64", "f32"), "Cast i64; OneHot f32; ");
  EXPECT_EQ(typed("u8", "i64"), "Cast i64; Cast i64; OneHot i64; ");
  EXPECT_EQ(typed("i64", "bool"), "Cast i64; Cast i64; OneHot i64; Cast bool; ");
  EXPECT_EQ(typed("i64", "f16"), "Cast i64; Cast f32; OneHot f32; Cast f16; ");
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
