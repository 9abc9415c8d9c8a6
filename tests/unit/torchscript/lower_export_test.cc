// SPDX-License-Identifier: Apache-2.0
// Source text of torch.export and the common text that it lowers to.
#include "importers/torch/export_archive/lower.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/support/size_budget.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

constexpr char kHead[] = R"(dragoman 1 source pt2
opset "aten" 10
)";

// The common text after its header, without origins; or the error.
std::string Lowered(const std::string& source, const Facts& facts = {}) {
  Result<Model> model = ParseText(kHead + source);
  if (!model.ok()) return model.error().ToString();
  SizeBudget budget(SizeBudget::kAtLeast);
  const SizeBudgetScope scope(budget);
  Result<Model> common = LowerExportArchive(*model, facts);
  if (!common.ok()) return common.error().ToString();
  std::string text = PrintText(*common);
  text.erase(0, text.find("opset"));
  text.erase(0, text.find('\n') + 1);
  return text.substr(0, text.find("\norigins {"));
}

TEST(LowerExportArchive, MakesStatesOfBuffersThatOutputsReplace) {
  EXPECT_EQ(Lowered(R"(
entry forward(%x: f32[s0, 3]) -> (%new, %flat) {
  extra {pt2.outputs = list [{arg = @0, spec = {buffer_mutation = {buffer_name = "layer.h"}}}, {arg = @1, spec = {user_output = {}}}]}
  const %b_layer_h: f32[3] = [0.0, 0.0, 0.0] extra {pt2.spec = {buffer = {buffer_name = "layer.h"}}}
  %n: i64[] = aten.sym_size.int(%x) {self = @0, dim = 0} extra {pt2.outputs = list [{as_sym_int = @0}]}
  %size: i64[] = _operator.mul(%n) {a = {as_sym_int = @0}, b = 3} extra {pt2.outputs = list [{as_sym_int = @0}]}
  %flat = aten.view.default(%x, %size) {self = @0, size = {as_sym_ints = list [@1]}}
  %sum = aten.sum.dim_IntList(%x) {self = @0, dim = [0]}
  %new = aten.add.Tensor(%b_layer_h, %sum) {self = @0, other = @1, alpha = 2 extra {pt2.input = {kind = 2}}}
}
)"),
            R"(state layer.h: f32[3] = f32[3] [0.0, 0.0, 0.0]

entry forward(%x: f32[s0, 3], %layer.h: f32[3]) -> (%output.0: f32[3*s0], %Add: f32[3])
    state 0 input 1 -> output 1 {
  const %c: i64[] = 0
  const %c_2: i64[] = 3
  const %c_3: i64[1] = [0]
  const %c_4: i64[1] = [0]
  const %c_5: f32[] = 2.0
  %Shape: i64[2] = onnx.Shape(%x)
  %Gather: i64[] = onnx.Gather(%Shape, %c)
  %Mul: i64[] = onnx.Mul(%Gather, %c_2)
  %Unsqueeze: i64[1] = onnx.Unsqueeze(%Mul, %c_3)
  %output.0 = onnx.Reshape(%x, %Unsqueeze) {allowzero = 1}
  %ReduceSum: f32[3] = onnx.ReduceSum(%x, %c_4) {keepdims = 0}
  %Mul_2: f32[3] = onnx.Mul(%ReduceSum, %c_5)
  %Add = onnx.Add(%layer.h, %Mul_2)
}
)");
}

constexpr char kCond[] = R"(
entry forward(%x: f32[2]) -> (%y) {
  extra {pt2.outputs = list [{arg = @0, spec = {user_output = {}}}]}
  %sum = aten.sum.default(%x) {self = @0}
  %gt = aten.gt.Scalar(%sum) {self = @0, other = 0}
  %y = higher_order.cond(%gt, %x) {"0" = @0, "1" = graph neg(%a: f32[2]) -> (%b) {
    %b = aten.neg.default(%a) {self = @0}
  }, "2" = graph relu(%a: f32[2]) -> (%b) {
    %b = aten.relu.default(%a) {self = @0}
  }, "3" = {as_tensors = list [@1]}}
}
)";

TEST(LowerExportArchive, MakesAnIfOfCond) {
  EXPECT_EQ(Lowered(kCond), R"(
entry forward(%x: f32[2]) -> (%y: f32[2]) {
  const %c: i64[1] = [0]
  const %c_2: f32[] = 0.0
  %ReduceSum: f32[] = onnx.ReduceSum(%x, %c) {keepdims = 0}
  %Greater: bool[] = onnx.Greater(%ReduceSum, %c_2)
  %y = onnx.If(%Greater) {else_branch = graph() -> (%Relu: f32[2]) {
    %Relu = onnx.Relu(%x)
  }, then_branch = graph() -> (%Neg: f32[2]) {
    %Neg = onnx.Neg(%x)
  }}
}
)");
}

// A graph whose condition runs a loop, whose condition runs one, …
std::string NestedCondition(int depth) {
  const std::string n = std::to_string(depth);
  std::string text = "graph c" + n + "(%a" + n + ": f32[2]) -> (%b" + n + ") {\n";
  std::string value = "a" + n;
  if (depth > 0) {
    text += "%w" + n + " = higher_order.while_loop(%" + value +
            ") {\"0\" = " + NestedCondition(depth - 1) + ", \"1\" = graph t" + n + "(%i" + n +
            ": f32[2]) -> (%o" + n + ") {\n%o" + n + " = aten.neg.default(%i" + n +
            ") {self = @0}\n}, \"2\" = {as_tensors = list [@0]}}\n";
    value = "w" + n;
  }
  text += "%s" + n + " = aten.sum.default(%" + value + ") {self = @0}\n%b" + n +
          " = aten.gt.Scalar(%s" + n + ") {self = @0, other = 0}\n}";
  return text;
}

TEST(LowerExportArchive, RefusesConditionsThatGrowWithoutBound) {
  const std::string text = Lowered(R"(
entry forward(%x: f32[2]) -> (%y) {
  extra {pt2.outputs = list [{arg = @0, spec = {user_output = {}}}]}
  %y = higher_order.while_loop(%x) {"0" = )" +
                                   NestedCondition(40) + R"(, "1" = graph t(%i: f32[2]) -> (%o) {
    %o = aten.neg.default(%i) {self = @0}
  }, "2" = {as_tensors = list [@0]}}
}
)");
  EXPECT_THAT(text, HasSubstr("--expand-limit raises that"));
}

TEST(LowerExportArchive, RefusesSizesThatTheFileDoesNotHave) {
  Facts facts;
  facts.shapes.push_back(*ParseShapeFact("x=f32:3"));
  EXPECT_THAT(Lowered(kCond, facts), HasSubstr("input 'x' has size 3 on axis 0, expected 2"));
  facts.shapes.front() = *ParseShapeFact("x=i64:2");
  EXPECT_THAT(Lowered(kCond, facts), HasSubstr("input 'x' has type f32[2], not i64[2]"));
}

TEST(LowerExportArchive, ReportsAllOperatorsThatItDoesNotKnow) {
  const std::string text = Lowered(R"(
entry forward(%x: f32[2]) -> (%z) {
  extra {pt2.outputs = list [{arg = @0, spec = {user_output = {}}}]}
  %y = mine.special.default(%x) {self = @0}
  %z = mine.other.default(%y) {self = @0}
}
)");
  EXPECT_THAT(text, HasSubstr("operator mine.special.default is not supported"));
  EXPECT_THAT(text, HasSubstr("operator mine.other.default is not supported"));
}

}  // namespace
}  // namespace dragoman
