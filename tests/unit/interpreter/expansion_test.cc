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
  std::string result = sizes;
};

// Node `call` of `%x`, before and after it is expanded.
void ExpectEqual(const Case& c, std::string_view call, const std::string& dtype, double tolerance) {
  SCOPED_TRACE(std::string(call) + " of " + dtype + c.sizes);
  const std::string type = dtype + c.sizes;
  Model model =
      ModelOf(fmt::format("  const %flat: {}[{}] = {}\n  const %sizes: i64[{}] = {}\n"
                          "  const %last: i64[1] = [-1]\n  const %half: {} = 0.5\n"
                          "  %x: {} = onnx.Reshape(%flat, %sizes)\n  %y: {} = onnx.{}",
                          dtype, c.count, Numbers(c.count), std::ranges::count(c.sizes, ',') + 1,
                          c.sizes, dtype + "[]", type, dtype + c.result, call));
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
       {"HardSwish(%x)",
        "LRN(%x) {size = 2, alpha = 2.0}",
        "LpNormalization(%x) {axis = 0}",
        "Celu(%x) {alpha = 0.5}",
        "Celu(%x)",
        "Clip(%x, %half)",
        "Clip(%x, _, %half)",
        "Elu(%x)",
        "Elu(%x) {alpha = -2.0}",
        "HardSigmoid(%x) {alpha = 0.4, beta = 0.3}",
        "LeakyRelu(%x) {alpha = 0.25}",
        "LogSoftmax(%x)",
        "LogSoftmax(%x) {axis = 0}",
        "Mish(%x)",
        "PRelu(%x, %half)",
        "Selu(%x)",
        "Shrink(%x) {lambd = 1.0, bias = 0.25}",
        "Softplus(%x)",
        "Softsign(%x)",
        "Swish(%x)",
        "Swish(%x) {alpha = 1.5}",
        "ThresholdedRelu(%x) {alpha = 0.5}"}},
      {"[2, 3, 2, 2]",
       24,
       {"GlobalAveragePool(%x)", "GlobalLpPool(%x) {p = 3}", "GlobalMaxPool(%x)"},
       "[2, 3, 1, 1]"},
      {"[3, 5]", 15, {"GlobalMaxPool(%x)", "GlobalLpPool(%x) {p = 1}"}},
      {"[2, 4, 3]", 24, {"LRN(%x) {size = 4, alpha = 2.0}"}},
      {"[1, 5, 2, 1, 2]", 20, {"LRN(%x) {size = 2, alpha = 2.0}"}},
      {"[3, 5]", 15, {"ReduceL1(%x)", "ReduceL2(%x)", "ReduceLogSum(%x)"}, "[1, 1]"},
      {"[3, 5]", 15, {"ReduceLogSumExp(%x)"}, "[1, 1]"},
      {"[3, 5]", 15, {"ReduceLogSumExp(%x) {keepdims = 0}"}, "[]"},
      {"[3, 5]",
       15,
       {"ReduceL1(%x, %last)", "ReduceLogSumExp(%x, %last)", "ReduceSumSquare(%x, %last)"},
       "[3, 1]"},
      {"[3, 5]",
       15,
       {"ReduceL2(%x, %last) {keepdims = 0}", "ReduceLogSumExp(%x, %last) {keepdims = 0}"},
       "[3]"},
      {"[3, 5]", 15, {"ReduceSumSquare(%x) {noop_with_empty_axes = 1}"}},
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

// The operators that only others replace where they are of halves or integers.
TEST(ExpansionTest, ComputesInWiderTypes) {
  for (const char* node : {"f16[1, 1, 1] = onnx.LpPool(%x) {kernel_shape = [3], p = 2}",
                           "f16[1, 1, 1] = onnx.GlobalLpPool(%x) {p = 2}"}) {
    Model model = ModelOf(std::string("  const %x: f16[1, 1, 3] = [[[300.0, 400.0, 0.0]]]\n"
                                      "  %y: ") +
                          node);
    ExpandOperators(*model.entries[0].graph,
                    [](const Node& n) { return n.operand(0)->type().dtype() != DType::kF16; });
    EXPECT_TRUE(model.entries[0].graph->last_node()->Is("Cast"));
    EXPECT_EQ(Outcome(model).FloatAt(0), 500) << node;
  }
}

// Digits near 0, in which exp(x) - 1 and log(1 + x) lose them, and numbers that a form overflows.
TEST(ExpansionTest, KeepsDigits) {
  const std::string_view kCases[] = {"f64[3] = [-1e-9, -1e-300, 2.0]|Elu(%x)",
                                     "f64[2] = [-40.0, -36.5]|Softplus(%x)",
                                     "f64[3] = [1e300, -1e300, 700.0]|Mish(%x)",
                                     "f32[2] = [1e30, -1e-9]|Celu(%x) {alpha = 1e-10}",
                                     "f32[3] = [88.0, 1e30, -1e30]|Softplus(%x)",
                                     "f64[3] = [-100.0, -0.25, 2.0]|Celu(%x) {alpha = -0.5}"};
  for (const std::string_view text : kCases) {
    const std::size_t bar = text.find('|');
    Model model = ModelOf(fmt::format("  const %x: {}\n  %y: {} = onnx.{}", text.substr(0, bar),
                                      text.substr(0, text.find(' ')), text.substr(bar + 1)));
    const Tensor expected = Outcome(model);
    ExpandOperators(*model.entries[0].graph,
                    [](const Node& node) { return !FindOp(node)->expand; });
    const Tensor got = Outcome(model);
    const double tolerance = got.dtype() == DType::kF64 ? 1e-14 : 1e-6;
    for (std::int64_t i = 0; i < got.size(); ++i) {
      const double wanted = expected.FloatAt(i);
      EXPECT_NEAR(got.FloatAt(i), wanted, tolerance * std::fabs(wanted)) << text << " " << i;
    }
  }
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

// Roots and logarithms leave the integers; squares of halves overflow.
TEST(ExpansionTest, ReducesIntegersAndHalves) {
  const std::string_view kCases[] = {"i8[3] = [-128, 3, 4]|i8|ReduceL1",
                                     "i8[3] = [-100, 3, 4]|i8|ReduceL2",
                                     "u8[3] = [200, 100, 3]|u8|ReduceL1",
                                     "u8[3] = [20, 100, 3]|u8|ReduceLogSum",
                                     "i32[2] = [70000, 3]|i32|ReduceSumSquare",
                                     "f16[2] = [300.0, 400.0]|f16|ReduceL2",
                                     "i64[2] = [3, -5]|i64|ReduceL2",
                                     "bf16[2] = [0.5, 2.0]|bf16|ReduceLogSum",
                                     "i32[2] = [30, 31]|i32|ReduceLogSumExp",
                                     "i8[3] = [-7, 2, 1]|i8|ReduceMean",
                                     "f32[2] = [-inf, -inf]|f32|ReduceLogSumExp",
                                     "f32[2] = [3.0, inf]|f32|ReduceLogSumExp",
                                     "u64[2] = [3, 4]|u64|ReduceMean"};
  for (const std::string_view text : kCases) {
    const std::size_t first = text.find('|');
    const std::size_t second = text.rfind('|');
    Model model =
        ModelOf(fmt::format("  const %x: {}\n  %y: {}[1] = onnx.{}(%x)", text.substr(0, first),
                            text.substr(first + 1, second - first - 1), text.substr(second + 1)));
    const Tensor expected = Outcome(model);
    ExpandOperators(*model.entries[0].graph,
                    [](const Node& node) { return !FindOp(node)->expand; });
    EXPECT_FALSE(model.entries[0].graph->last_node()->Is(text.substr(second + 1)));
    EXPECT_EQ(Outcome(model), expected) << text;
  }
}

}  // namespace
}  // namespace dragoman
