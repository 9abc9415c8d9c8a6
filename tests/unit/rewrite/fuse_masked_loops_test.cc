// SPDX-License-Identifier: Apache-2.0
// A loop over an RNN's steps whose mask leaves out any steps, or those after a length, and what
// else it carries besides the state: an output that is kept or is zeros at steps that are left out,
// from initial values of its own. It becomes one operator, and numbers stay.
#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/rewrite/pipeline.h"
#include "tests/unit/rewrite/random_inputs.h"

namespace dragoman {
namespace {

struct Form {
  bool any_steps = true;  // else those after the lengths
  bool backwards = false;
  std::string steps = "5";
};

std::string Name(const Form& form) {
  return fmt::format("{} {} over {} steps", form.any_steps ? "any" : "ends",
                     form.backwards ? "backwards" : "forwards", form.steps);
}

std::string Loop(const Form& form) {
  const std::string directions = form.backwards ? "[1, 1]" : "[0, 0]";
  return fmt::format(
      R"(
graph main(%x: f32[{0}, 3, 2], %noise: f32[{0}, 3, 1], %lengths: i64[3], %h0: f32[3, 4],
           %kept0: f32[3, 4], %zeroed0: f32[3, 4])
    -> (%h: f32[3, 4], %kept: f32[3, 4], %zeroed: f32[3, 4], %rows: f32[{0}, 3, 4]) {{
  const %w: f32[2, 4] = [[-0.6, -0.3, 0.2, 0.3], [-0.1, 0.2, 0.5, -0.5]]
  const %r: f32[4, 4] = [[-0.5, -0.1, 0.2, 0.7], [0.2, -0.5, 0, 0.1], [-0.2, 0.2, 0.6, 0.3], [0.5, -0.2, 0.1, 0]]
  const %none: f32[] = 0.0
  const %start: i64[] = 0
  const %one: i64[] = 1
  const %behind: i64[1] = [1]
  %sizes = onnx.Shape(%x)
  %count = onnx.Gather(%sizes, %start)
  %numbers = onnx.Range(%start, %count, %one)
  const %across: i64[2] = [1, 2]
  %column = onnx.Unsqueeze(%numbers, %across)
  %limits = onnx.Unsqueeze(%lengths, %behind)
  %running = onnx.{1}
  %h, %kept, %zeroed, %rows = onnx.Scan(%h0, %kept0, %zeroed0, %x, %running) {{body = graph body(%old: f32[3, 4], %p: f32[3, 4], %z: f32[3, 4], %row: f32[3, 2], %mask: bool[3, 1]) -> (%next: f32[3, 4], %q: f32[3, 4], %y: f32[3, 4], %out: f32[3, 4]) {{
    %xw = onnx.MatMul(%row, %w)
    %hr = onnx.MatMul(%old, %r)
    %sum = onnx.Add(%xw, %hr)
    %new = onnx.Tanh(%sum)
    %next = onnx.Where(%mask, %new, %old)
    %q = onnx.Where(%mask, %new, %p)
    %y = onnx.Where(%mask, %new, %none)
    %out = onnx.Add(%q, %y)
  }}, num_scan_inputs = 2, scan_input_directions = {2}}}
}}
)",
      form.steps, form.any_steps ? "Greater(%noise, %none)" : "Less(%column, %limits)", directions);
}

void ExpectOneOperator(const Form& form) {
  SCOPED_TRACE(Name(form));
  Result<Model> before = ParseText(Loop(form));
  ASSERT_TRUE(before.ok()) << before.error().ToString();
  ASSERT_TRUE(InferModel(*before).ok());
  Model after = Clone(*before);
  ASSERT_TRUE(RunPipeline(after, ExactPasses("fuse-recurrences,dce")).ok());
  ExpectSameResults(*before, after);
  int operators = 0;
  int loops = 0;
  for (const Node& node : after.main().nodes()) {
    operators += node.Is("RNN") ? 1 : 0;
    loops += node.Is("Scan") ? 1 : 0;
  }
  EXPECT_EQ(operators, 1);
  EXPECT_EQ(loops, 0);
}

TEST(FuseMaskedLoops, BecomeOneOperator) {
  for (const bool any_steps : {true, false}) {
    for (const bool backwards : {false, true}) {
      for (const char* steps : {"5", "n", "0"}) ExpectOneOperator({any_steps, backwards, steps});
    }
  }
}

}  // namespace
}  // namespace dragoman
