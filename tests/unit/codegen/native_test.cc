// SPDX-License-Identifier: Apache-2.0
// Programs that are generated, compiled and run.
#include "codegen/onednn/native.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/ir/parse.h"
#include "core/support/npy.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

class NativeTest : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path common = fs::temp_directory_path() / "dragoman_native_test";
    // Tests run side by side: each has its files to itself, all share the cache.
    folder_ = common / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_);
    options_.optimization = "-O1";
    if (std::getenv("DRAGOMAN_CACHE") == nullptr) options_.cache = common / "cache";
  }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  template <class T>
  std::string Input(const std::string& name, char kind, std::vector<std::int64_t> shape,
                    const std::vector<T>& values) {
    NpyArray array;
    array.kind = kind;
    array.item_bytes = sizeof(T);
    array.shape = std::move(shape);
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    array.bytes.assign(bytes, bytes + values.size() * sizeof(T));
    EXPECT_TRUE(WriteNpy(Path(name + ".npy"), array).ok());
    return name + "=" + Path(name + ".npy");
  }

  Result<std::string> Run(std::string_view text, std::vector<std::string> inputs,
                          std::vector<std::string> more = {}) {
    Result<Model> model = ParseText(text);
    if (!model.ok()) return model.error();
    std::vector<std::string> arguments = {"--output-dir", Path("out")};
    for (std::string& input : inputs) {
      arguments.push_back("--input");
      arguments.push_back(std::move(input));
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return CompileAndRun(*model, arguments, options_);
  }

  std::vector<float> Output(const std::string& name, std::vector<std::int64_t> shape) const {
    Result<NpyArray> array = ReadNpy(Path("out/" + name + ".npy"));
    if (!array.ok()) {
      ADD_FAILURE() << array.error().ToString();
      return {};
    }
    EXPECT_EQ(array->shape, shape);
    const auto* values = reinterpret_cast<const float*>(array->bytes.data());
    return {values, values + array->bytes.size() / sizeof(float)};
  }

  fs::path folder_;
  NativeOptions options_;
};

TEST_F(NativeTest, RunsAPreparedProduct) {
  Result<std::string> run = Run(R"(graph main(%x: f32[1, 3]) -> (%y: f32[1, 2]) {
      const %w: f32[2, 3] = [[0.5, 1.0, -0.25], [0.0, 2.0, 1.0]]
      const %b: f32[2] = [0.5, -10.0]
      %h = dragoman.Linear(%x, %w, %b)
      %y = onnx.Relu(%h)
    })",
                                {Input<float>("x", 'f', {1, 3}, {1, 2, 3})});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("y", {1, 2}), (std::vector<float>{2.25f, 0.0f}));
}

TEST_F(NativeTest, RunsAProductWithComputedWeights) {
  Result<std::string> run = Run(R"(graph main(%x: f32[1, 3]) -> (%y: f32[1, 2], %w: f32[2, 3]) {
      const %half: f32[] = 0.5
      const %sizes: i64[2] = [2, 3]
      const %one: f32[2] = [1.0, 1.0]
      %expanded = onnx.Expand(%half, %sizes)
      %w = onnx.Neg(%expanded)
      %y = dragoman.Linear(%x, %expanded, %one)
    })",
                                {Input<float>("x", 'f', {1, 3}, {1, 2, 3})});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("y", {1, 2}), (std::vector<float>{4, 4}));
  EXPECT_EQ(Output("w", {2, 3}), std::vector<float>(6, -0.5f));
}

TEST_F(NativeTest, RunsAPreparedRecurrence) {
  Result<std::string> run = Run(R"(graph main(%x: f32[2, 1, 1]) -> (%all, %last) {
      const %w: f32[1, 1, 1] = [[[2.0]]]
      const %r: f32[1, 1, 1] = [[[0.5]]]
      const %b: f32[1, 2] = [[1.0, 0.25]]
      %all, %last = onnx.RNN(%x, %w, %r, %b) {activations = ["Relu"], hidden_size = 1}
    })",
                                {Input<float>("x", 'f', {2, 1, 1}, {1, -1})});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("all", {2, 1, 1, 1}), (std::vector<float>{3.25f, 0.875f}));
  EXPECT_EQ(Output("last", {1, 1, 1}), (std::vector<float>{0.875f}));
}

// Weights of 127 by activations of 255: pairs of such products do not fit into 16 bits.
TEST_F(NativeTest, RunsQuantisedProductsOnIntegers) {
  Result<std::string> run =
      Run(R"(graph main(%x: f32[1, 4]) -> (%y: f32[1, 2]) {
      const %scale: f32[] = 0.5
      const %one: f32[] = 1.0
      const %zero: u8[] = 0
      const %w: i8[4, 2] = [[127, -128], [127, -128], [127, 1], [0, 2]]
      const %b: f32[2] = [0.5, -0.5]
      %q = onnx.QuantizeLinear(%x, %scale, %zero)
      %xd = onnx.DequantizeLinear(%q, %scale, %zero)
      %wd = onnx.DequantizeLinear(%w, %one)
      %m = onnx.MatMul(%xd, %wd)
      %y = onnx.Add(%m, %b)
    })",
          {Input<float>("x", 'f', {1, 4}, {127.5f, 127.5f, 127.5f, 2.0f})}, {"--profile"});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("y", {1, 2}), (std::vector<float>{48578.0f, -32509.0f}));
  EXPECT_NE(run->find("(onnx.MatMulInteger): int8:"), std::string::npos) << *run;
}

// Of both layers weights are numbers that bf16 has not; those of the last one stay as they are.
TEST_F(NativeTest, RunsProductsWithWeightsOfHalfTheSize) {
  for (rt::Precision precision : {rt::Precision::kBF16, rt::Precision::kF16}) {
    options_.plan.precision = precision;
    Result<std::string> run =
        Run(R"(graph main(%x: f32[1, 1, 3, 3]) -> (%y: f32[1, 2]) {
      const %w: f32[1, 1, 3, 3] = [[[[1.001, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.5]]]]
      const %v: f32[2, 1] = [[1.001], [-3.0]]
      const %one: i64[2] = [1, 1]
      %c = onnx.Conv(%x, %w)
      %r = onnx.Reshape(%c, %one)
      %y = dragoman.Linear(%r, %v)
    })",
            {Input<float>("x", 'f', {1, 1, 3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 2})}, {"--profile"});
    ASSERT_TRUE(run.ok()) << run.error().ToString();
    const float sum = 3.0f + (precision == rt::Precision::kBF16 ? 1.0f : 1.0009765625f);
    const std::vector<float> y = Output("y", {1, 2});
    EXPECT_FLOAT_EQ(y[0], sum * 1.001f);
    EXPECT_FLOAT_EQ(y[1], sum * -3.0f);
  }
}

constexpr std::string_view kLoop =
    R"(graph main(%x: f32[batch, 2], %n: i64[]) -> (%y, %all) {
      const %one: f32[1] = [1.0]
      %y, %all = onnx.Loop(%n, _, %x) {body = graph body(%i: i64[], %on: bool[], %a: f32[batch, 2]) -> (%on, %next, %next) {
        %next = onnx.Add(%a, %one)
      }}
    })";

TEST_F(NativeTest, LoopsAsOftenAsTheDataSay) {
  Result<std::string> run =
      Run(kLoop, {Input<float>("x", 'f', {1, 2}, {1, 2}), Input<std::int64_t>("n", 'i', {}, {2})});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("y", {1, 2}), (std::vector<float>{3, 4}));
  EXPECT_EQ(Output("all", {2, 1, 2}), (std::vector<float>{2, 3, 3, 4}));
}

TEST_F(NativeTest, LoopsThatNeverRunGiveTheirInitialValues) {
  Result<std::string> run =
      Run(kLoop, {Input<float>("x", 'f', {1, 2}, {1, 2}), Input<std::int64_t>("n", 'i', {}, {0})});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("y", {1, 2}), (std::vector<float>{1, 2}));
  EXPECT_EQ(Output("all", {0, 1, 2}), std::vector<float>());
}

// Iteration i appends the first i + 1 rows of x.
TEST_F(NativeTest, CollectsTensorsOfOtherSizesInASequence) {
  Result<std::string> run =
      Run(R"(graph main(%x: f32[rows, 1], %n: i64[]) -> (%y, %last, %all) {
      const %zero: i64[1] = [0]
      const %one: i64[1] = [1]
      %empty = onnx.SequenceEmpty()
      %all = onnx.Loop(%n, _, %empty) {body = graph body(%i: i64[], %on: bool[], %s: seq<f32[*]>) -> (%on, %longer) {
        %stop = onnx.Add(%i, %one)
        %part = onnx.Slice(%x, %zero, %stop, %zero)
        %longer = onnx.SequenceInsert(%s, %part)
      }}
      %y = onnx.ConcatFromSequence(%all) {axis = 0}
      const %end: i64[] = -1
      %last = onnx.SequenceAt(%all, %end)
    })",
          {Input<float>("x", 'f', {3, 1}, {1, 2, 3}), Input<std::int64_t>("n", 'i', {}, {3})});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("y", {6, 1}), (std::vector<float>{1, 1, 2, 1, 2, 3}));
  EXPECT_EQ(Output("last", {3, 1}), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(Output("all.1", {2, 1}), (std::vector<float>{1, 2}));
}

TEST_F(NativeTest, NamesTheNodeThatReadsBeyondASequence) {
  Result<std::string> run =
      Run(R"(graph main(%x: f32[2], %i: i64[]) -> (%y) {
      %s = onnx.SequenceConstruct(%x, %x)
      %y = onnx.SequenceAt(%s, %i) @pick
    })",
          {Input<float>("x", 'f', {2}, {1, 2}), Input<std::int64_t>("i", 'i', {}, {2})});
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().findings().front().message,
            "node 'pick' (onnx.SequenceAt): a position in a sequence is out of range");
}

TEST_F(NativeTest, KeepsStateFromCallToCall) {
  Result<std::string> run = Run(R"(dragoman 1 common onnx
    opset "" 22
    state h: f32[2] = f32[2] [0.0, 10.0]
    entry main(%x: f32[2], %h: f32[2]) -> (%y: f32[2], %next: f32[2])
        state 0 input 1 -> output 1 {
      %next = onnx.Add(%x, %h)
      %y = onnx.Neg(%next)
    })",
                                {Input<float>("x", 'f', {2}, {1, 2})}, {"--steps", "3"});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("y", {3, 2}), (std::vector<float>{-1, -12, -2, -14, -3, -16}));
}

// Numbers of f16 are even from 2048 on, and end at 65504.
TEST_F(NativeTest, RoundsHalvesBetweenTheOperatorsOfALoop) {
  Result<std::string> run = Run(R"(graph main(%x: f32[4]) -> (%y) {
      const %large: f16[] = 2048.0
      %half = onnx.Cast(%x) {to = 10}
      %sum = onnx.Add(%half, %large)
      %rest = onnx.Sub(%sum, %large)
      %y = onnx.Cast(%rest) {to = 1}
    })",
                                {Input<float>("x", 'f', {4}, {1, 2, 3, 65504})});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("y", {4}), (std::vector<float>{0, 2, 4, INFINITY}));
}

TEST_F(NativeTest, NamesTheNodeWhoseDataAreWrong) {
  Result<std::string> run =
      Run(R"(graph main(%x: f32[2], %i: i64[1]) -> (%y: f32[1]) {
      %y = onnx.Gather(%x, %i) @pick
    })",
          {Input<float>("x", 'f', {2}, {1, 2}), Input<std::int64_t>("i", 'i', {1}, {7})});
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().kind(), ErrorKind::kInvalidInput);
  EXPECT_NE(run.error().ToString().find("node 'pick' (onnx.Gather)"), std::string::npos)
      << run.error().ToString();
}

constexpr std::string_view kAssertInBranch =
    R"(graph main(%x: f32[2], %strict: bool[]) -> (%y: f32[2]) {
      const %least: f32[2] = [0.0, 0.0]
      %y = onnx.If(%strict) {then_branch = graph checked() -> (%a: f32[2]) {
        dragoman.Print(%x) {message = "checks {}"}
        %smallest = onnx.ReduceMin(%x) {keepdims = 0}
        %zero = onnx.ReduceMin(%least) {keepdims = 0}
        %ok = onnx.GreaterOrEqual(%smallest, %zero)
        dragoman.Assert(%ok, %smallest) {message = "{} is negative"} @guard
        dragoman.Print(%ok) {message = "fine:"}
        %a = onnx.Sqrt(%x)
      }, else_branch = graph plain() -> (%b: f32[2]) {
        %b = onnx.Neg(%x)
      }}
    })";

TEST_F(NativeTest, AssertBehindAControlEdge) {
  const std::string strict = Input<char>("strict", 'b', {}, {1});
  std::vector<std::string> lines;
  options_.line_sink = [&](std::string_view line) { lines.emplace_back(line); };
  Result<std::string> run = Run(kAssertInBranch, {Input<float>("x", 'f', {2}, {4, 9}), strict});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("y", {2}), (std::vector<float>{2, 3}));
  EXPECT_EQ(lines, (std::vector<std::string>{"checks f32[2] 4.0 9.0", "fine: true"}));

  lines.clear();
  run = Run(kAssertInBranch, {Input<float>("x", 'f', {2}, {4, -9}), strict});
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().findings().front().message,
            "node 'guard' (dragoman.Assert): assertion failed: -9.0 is negative");
  EXPECT_EQ(lines, (std::vector<std::string>{"checks f32[2] 4.0 -9.0"}));

  const std::string lax = Input<char>("strict", 'b', {}, {0});
  run = Run(kAssertInBranch, {Input<float>("x", 'f', {2}, {4, -9}), lax});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("y", {2}), (std::vector<float>{-4, 9}));
}

TEST_F(NativeTest, AssertsInEveryTurnOfALoop) {
  constexpr std::string_view kModel = R"(graph main(%limit: i64[]) -> (%y: i64[]) {
      const %turns: i64[] = 3
      const %zero: i64[] = 0
      const %one: i64[] = 1
      %y = onnx.Loop(%turns, _, %zero) {body = graph body(%i: i64[], %on: bool[], %a: i64[]) -> (%on, %b) {
        %b = onnx.Add(%a, %one)
        %ok = onnx.Less(%b, %limit)
        dragoman.Assert(%ok) {message = "too far"}
      }}
    })";
  Result<std::string> run = Run(kModel, {Input<std::int64_t>("limit", 'i', {}, {4})});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  run = Run(kModel, {Input<std::int64_t>("limit", 'i', {}, {3})});
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.error().ToString().find("assertion failed: too far"), std::string::npos)
      << run.error().ToString();
}

TEST_F(NativeTest, RefusesOperandsThatDoNotFitEachOther) {
  Result<std::string> run =
      Run(R"(graph main(%x: f32[n, c], %s: f32[k]) -> (%y: f32[n, c]) {
      %y = onnx.BatchNormalization(%x, %s, %s, %s, %s) @norm
    })",
          {Input<float>("x", 'f', {1, 3}, {1, 2, 3}), Input<float>("s", 'f', {2}, {1, 1})});
  ASSERT_FALSE(run.ok());
  EXPECT_NE(
      run.error().ToString().find("node 'norm' (onnx.BatchNormalization): an operand's sizes"),
      std::string::npos)
      << run.error().ToString();
}

// Sizes and values of the first part are needed by the last.
TEST_F(NativeTest, DividesLongProgramsAmongFiles) {
  std::string text = "graph main(%x: f32[n, 2]) -> (%y: f32[n, 2]) {\n  %v0 = onnx.Softmax(%x)\n";
  for (int i = 1; i < 8; ++i) text += fmt::format("  %v{} = onnx.Softmax(%v{})\n", i, i - 1);
  text += "  %y = onnx.Add(%v7, %x)\n}";
  options_.plan.steps_per_file = 4;
  const Result<Model> model = ParseText(text);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  CodegenOptions codegen;
  codegen.plan = options_.plan;
  const Result<GeneratedProgram> program = GenerateCpp(*model, codegen);
  ASSERT_TRUE(program.ok()) << program.error().ToString();
  EXPECT_THAT(program->files,
              testing::Contains(testing::Field(&GeneratedFile::path, "model_3.cc")));
  const Result<std::string> run = Run(text, {Input<float>("x", 'f', {1, 2}, {1, 1})});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("y", {1, 2}), (std::vector<float>{1.5f, 1.5f}));
}

TEST_F(NativeTest, PlacesResultsBehindOmittedOnes) {
  Result<std::string> run = Run(R"(graph main(%x: f32[4]) -> (%y, %places) {
      %y, _, %places = onnx.Unique(%x)
    })",
                                {Input<float>("x", 'f', {4}, {2, 1, 1, 2})});
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_EQ(Output("y", {2}), (std::vector<float>{1, 2}));
  const Result<NpyArray> places = ReadNpy(Path("out/places.npy"));
  ASSERT_TRUE(places.ok());
  EXPECT_EQ(places->shape, (std::vector<std::int64_t>{4}));
}

TEST_F(NativeTest, DropoutDrawsOnlyInTraining) {
  const std::string text = R"(graph main(%x: f32[2], %training: bool[]) -> (%y: f32[2]) {
      const %ratio: f32[] = 0.5
      %y = onnx.Dropout(%x, %ratio, %training)
    })";
  const std::string x = Input<float>("x", 'f', {2}, {1, 2});
  ASSERT_TRUE(Run(text, {x, Input<char>("training", 'b', {}, {0})}).ok());
  EXPECT_EQ(Output("y", {2}), (std::vector<float>{1, 2}));
  ASSERT_TRUE(Run(text, {x, Input<char>("training", 'b', {}, {1})}).ok());
  const std::vector<float> drawn = Output("y", {2});
  EXPECT_THAT(drawn, testing::ElementsAre(testing::AnyOf(0, 2), testing::AnyOf(0, 4)));
}

TEST_F(NativeTest, RefusesInputsOfOtherSizes) {
  Result<std::string> run = Run("graph main(%x: f32[2]) -> (%y: f32[2]) { %y = onnx.Relu(%x) }",
                                {Input<float>("x", 'f', {3}, {1, 2, 3})});
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.error().ToString().find("input 'x' has sizes [3], expected f32[2]"),
            std::string::npos)
      << run.error().ToString();
}

}  // namespace
}  // namespace dragoman
