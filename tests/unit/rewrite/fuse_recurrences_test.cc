// SPDX-License-Identifier: Apache-2.0
// Near misses of fuse-recurrences: what is left as it is, what is explained, and that numbers stay.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"
#include "core/rewrite/pipeline.h"
#include "tests/unit/rewrite/random_inputs.h"

namespace dragoman {
namespace {

constexpr int kSteps = 8;

// How the cell of one step is written.
struct Cell {
  std::string weight = "%w";
  std::string forget = "Sigmoid";
};

// An LSTM of hidden size 2 over eight steps of %x, unrolled. `order` gives the step of %x that is
// read at each step.
std::string Unrolled(const std::function<Cell(int)>& cell_at, const std::function<int(int)>& order,
                     const std::string& outputs, const std::string& extra = "") {
  std::string text = "graph main(%x: f32[8, 3, 2], %h0: f32[3, 2], %c0: f32[3, 2]) -> (" + outputs +
                     ") {\n  const %axis: i64[1] = [0]\n";
  for (const char* name : {"w", "v"}) {
    text += fmt::format("  const %{}: f32[8, 4] = [", name);
    for (int row = 0; row < 8; ++row) {
      const double shift = name[0] == 'v' && row / 2 == 2 ? 0.5 : 0.0;
      text += fmt::format("{}[{:.2f}, {:.2f}, {:.2f}, {:.2f}]", row > 0 ? ", " : "",
                          0.1 * row - 0.3, 0.5 - 0.1 * row, 0.2 + shift, 0.1 * row + 0.05);
    }
    text += "]\n";
  }
  std::string stack;
  for (int t = 0; t < kSteps; ++t) {
    const Cell cell = cell_at(t);
    text += fmt::format(R"(
  const %at{0}: i64[] = {3}
  %x{0} = onnx.Gather(%x, %at{0})
  %xh{0} = onnx.Concat(%x{0}, %h{0}) {{axis = 1}}
  %gates{0} = onnx.Gemm(%xh{0}, {4}) {{transB = 1}}
  %a{0}, %b{0}, %d{0}, %e{0} = onnx.Split(%gates{0}) {{axis = 1, num_outputs = 4}}
  %i{0} = onnx.Sigmoid(%a{0})
  %o{0} = onnx.Sigmoid(%b{0})
  %f{0} = onnx.{5}(%d{0})
  %g{0} = onnx.Tanh(%e{0})
  %fc{0} = onnx.Mul(%f{0}, %c{0})
  %ig{0} = onnx.Mul(%i{0}, %g{0})
  %c{1} = onnx.Add(%fc{0}, %ig{0})
  %t{0} = onnx.Tanh(%c{1})
  %h{1} = onnx.Mul(%o{0}, %t{0})
  %u{1} = onnx.Unsqueeze(%h{1}, %axis)
)",
                        t, t + 1, 0, order(t), cell.weight, cell.forget);
    stack += fmt::format("{}%u{}", t > 0 ? ", " : "", t + 1);
  }
  return text + extra + "  %ys = onnx.Concat(" + stack + ") {axis = 0}\n}\n";
}

struct Outcome {
  std::size_t sequences = 0;
  std::size_t gates = 0;  // Sigmoid nodes that are left
  std::string explained;
};

// Runs the pass, and checks that numbers are as before.
Outcome Fuse(const std::string& text) {
  Outcome outcome;
  Result<Model> before = ParseText(text);
  if (!before.ok() || !InferModel(*before).ok()) {
    ADD_FAILURE() << "the test's graph is wrong";
    return outcome;
  }
  Model after = Clone(*before);
  const auto explain = [&](std::string_view line) {
    outcome.explained += std::string(line) + "\n";
  };
  PipelineOptions options = ExactPasses("fuse-recurrences,dce");
  options.explain = explain;
  const Status status = RunPipeline(after, options);
  EXPECT_TRUE(status.ok());
  ExpectSameResults(*before, after);
  for (const Node& node : after.main().nodes()) {
    outcome.sequences += node.Is("LSTM") ? 1 : 0;
    outcome.gates += node.Is("Sigmoid") ? 1 : 0;
  }
  return outcome;
}

Cell Same(int) { return {}; }
int InOrder(int t) { return t; }

TEST(FuseRecurrences, EqualStepsBecomeOneOperator) {
  const Outcome outcome = Fuse(Unrolled(Same, InOrder, "%ys, %c8"));
  EXPECT_EQ(outcome.sequences, 1u);
  EXPECT_EQ(outcome.gates, 0u);
}

TEST(FuseRecurrences, StepsInAnotherOrderAreGathered) {
  const Outcome outcome = Fuse(Unrolled(
      Same, [](int t) { return t < 2 ? 1 - t : t; }, "%ys, %c8"));
  EXPECT_EQ(outcome.sequences, 1u);
}

TEST(FuseRecurrences, AnotherWeightAtOneStepGivesTwoOperatorsAroundACell) {
  const Outcome outcome = Fuse(
      Unrolled([](int t) { return Cell{.weight = t == 4 ? "%v" : "%w"}; }, InOrder, "%ys, %c8"));
  EXPECT_EQ(outcome.sequences, 2u);
  EXPECT_EQ(outcome.gates, 3u);
  EXPECT_NE(outcome.explained.find("matched 7 of 8 steps; step 4 uses another forget-gate weight"),
            std::string::npos)
      << outcome.explained;
}

TEST(FuseRecurrences, AnotherActivationAtOneStepIsNamed) {
  const Outcome outcome =
      Fuse(Unrolled([](int t) { return Cell{.forget = t == 4 ? "HardSigmoid" : "Sigmoid"}; },
                    InOrder, "%ys, %c8"));
  EXPECT_EQ(outcome.sequences, 2u);
  EXPECT_NE(outcome.explained.find("step 4 uses another forget-gate activation"), std::string::npos)
      << outcome.explained;
}

TEST(FuseRecurrences, AGateThatIsReadElsewhereStays) {
  const Outcome outcome = Fuse(Unrolled(Same, InOrder, "%ys, %f4"));
  EXPECT_EQ(outcome.sequences, 2u);
  EXPECT_NE(outcome.explained.find("step 4: the forget gate %f4 is used elsewhere"),
            std::string::npos)
      << outcome.explained;
}

// The body says that its state has the sizes that it has from the second turn on.
TEST(FuseRecurrences, AStateThatTheFirstTurnRepeatsIsNoneOfAnOperator) {
  Model model = ParseText(R"(graph main(%x: f32[3, 2, 3], %h0: f32[1, 2]) -> (%last: f32[2, 2]) {
    const %w: f32[3, 2] = [[0.1, 0.2], [0.3, -0.4], [-0.5, 0.6]]
    const %r: f32[2, 2] = [[0.7, 0.1], [-0.2, 0.3]]
    const %turns: i64[] = 3
    %last = onnx.Loop(%turns, _, %h0) {body = graph(%i: i64[], %go: bool[], %h: f32[2, 2]) -> (%go, %h2) {
      %step: f32[2, 3] = onnx.Gather(%x, %i)
      %xw: f32[2, 2] = onnx.MatMul(%step, %w)
      %hr: f32[2, 2] = onnx.MatMul(%h, %r)
      %sum: f32[2, 2] = onnx.Add(%xw, %hr)
      %h2: f32[2, 2] = onnx.Tanh(%sum)
    }}
  })")
                    .value();
  const Status status = RunPipeline(model, ExactPasses("fuse-recurrences"));
  EXPECT_TRUE(status.ok()) << status.error().ToString();
}

TEST(FuseRecurrences, AnInnerCellStateEndsARun) {
  const Outcome outcome = Fuse(Unrolled(Same, InOrder, "%ys, %c5"));
  EXPECT_EQ(outcome.sequences, 2u);
  EXPECT_EQ(outcome.gates, 0u);
}

}  // namespace
}  // namespace dragoman
