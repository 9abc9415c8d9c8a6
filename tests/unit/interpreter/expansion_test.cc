// SPDX-License-Identifier: Apache-2.0
// What operators are made of (OpDef::expand) computes what their kernels do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/ir/parse.h"
#include "core/ops/expansion.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

Model ModelOf(const std::string& body) {
  Result<Model> model = ParseText("graph g() -> (%y) {\n" + body + "\n}");
  EXPECT_TRUE(model.ok()) << model.error().ToString() << body;
  return std::move(model).value();
}

Tensor Outcome(const Model& model) {
  Result<Interpreter> interpreter = Interpreter::Make(model);
  EXPECT_TRUE(interpreter.ok());
  auto values = interpreter->Run(model.entries[0], {});
  EXPECT_TRUE(values.ok());
  return values->front().array.ToTensor();
}

// `count` numbers of both signs.
std::string Numbers(std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(static_cast<double>(i * 37 % 23) / 4 - 2.5);
  return text + "]";
}

struct Case {
  std::string sizes;
  std::size_t count;
  std::vector<std::string_view> calls;
};

// Node `call` of `%x`, before and after it is expanded.
void ExpectEqual(const Case& c, std::string_view call, const std::string& dtype, double tolerance) {
  SCOPED_TRACE(std::string(call) + " of " + dtype + c.sizes);
  const std::string type = dtype + c.sizes;
  Model model =
      ModelOf(fmt::format("  const %flat: {}[{}] = {}\n  const %sizes: i64[{}] = {}\n"
                          "  %x: {} = onnx.Reshape(%flat, %sizes)\n  %y: {} = onnx.{}",
                          dtype, c.count, Numbers(c.count), std::ranges::count(c.sizes, ',') + 1,
                          c.sizes, type, type, call));
  const Tensor expected = Outcome(model);
  Graph& graph = *model.entries[0].graph;
  ExpandOperators(graph, [](const Node& node) { return !FindOp(node)->expand; });
  EXPECT_FALSE(graph.last_node()->Is(call.substr(0, call.find('('))));
  const Tensor got = Outcome(model);
  ASSERT_EQ(got.sizes(), expected.sizes());
  ASSERT_EQ(got.dtype(), expected.dtype());
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double wanted = expected.FloatAt(i);
    EXPECT_NEAR(got.FloatAt(i), wanted, tolerance * (1 + std::fabs(wanted))) << "element " << i;
  }
}

TEST(ExpansionTest, ComputesWhatTheKernelDoes) {
  const Case kCases[] = {
      {"[2, 3, 2, 4]",
       48,
       {"MeanVarianceNormalization(%x)", "MeanVarianceNormalization(%x) {axes = [-1, 1]}",
        "LpNormalization(%x)", "LpNormalization(%x) {axis = 1, p = 1}",
        "LRN(%x) {size = 3, alpha = 0.5, bias = 2.0}", "LRN(%x) {size = 4, beta = 0.5}"}},
      {"[3, 4]",
       12,
       {"HardSwish(%x)", "LRN(%x) {size = 2, alpha = 2.0}", "LpNormalization(%x) {axis = 0}"}},
      {"[2, 4, 3]", 24, {"LRN(%x) {size = 4, alpha = 2.0}"}},
      {"[1, 5, 2, 1, 2]", 20, {"LRN(%x) {size = 2, alpha = 2.0}"}},
  };
  for (const Case& c : kCases) {
    for (const std::string_view call : c.calls) {
      ExpectEqual(c, call, "f64", 1e-12);
      ExpectEqual(c, call, "f32", 1e-5);
      ExpectEqual(c, call, "f16", 1e-3);
    }
  }
}

TEST(ExpansionTest, NeighboursInImagesWithoutElements) {
  Model model = ModelOf(
      "  const %x: f32[2, 3, 5, 0] = base64 \"\"\n"
      "  %y: f32[2, 3, 5, 0] = onnx.LRN(%x) {size = 3}");
  ExpandOperators(*model.entries[0].graph, [](const Node& node) { return !FindOp(node)->expand; });
  EXPECT_EQ(Outcome(model).sizes(), (std::vector<std::int64_t>{2, 3, 5, 0}));
}

// A row of zeros stays.
TEST(ExpansionTest, NormsOfZeros) {
  for (const char* p : {"1", "2"}) {
    Model model = ModelOf(std::string("  const %x: f32[2, 2] = [[0.0, 0.0], [3.0, 0.0]]\n"
                                      "  %y: f32[2, 2] = onnx.LpNormalization(%x) {p = ") +
                          p + "}");
    ExpandOperators(*model.entries[0].graph,
                    [](const Node& node) { return !FindOp(node)->expand; });
    const Tensor got = Outcome(model);
    EXPECT_EQ(got.FloatAt(0), 0);
    EXPECT_EQ(got.FloatAt(2), 1);
  }
}

}  // namespace
}  // namespace dragoman
