// SPDX-License-Identifier: Apache-2.0
// Relax modules as common graphs: what they compute is in tests/e2e/relax_read_test.py.
#include "importers/relax/lower/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/ir/verify.h"
#include "importers/relax/graph/read_model.h"

namespace dragoman {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Model> Lowered(const std::string& functions, const Facts& facts = {}) {
  Result<Model> source = ReadRelaxText("@I.ir_module\nclass Module:\n" + functions);
  if (!source.ok()) return source;
  return LowerRelax(*source, facts, nullptr);
}

std::vector<std::string> OpsOf(const std::string& functions) {
  const Result<Model> model = Lowered(functions);
  EXPECT_TRUE(model.ok()) << model.error().ToString();
  std::vector<std::string> ops;
  if (!model.ok()) return ops;
  EXPECT_TRUE(Verify(*model).ok()) << Verify(*model).error().ToString();
  for (const Node& node : model->entries.front().graph->nodes()) ops.push_back(node.op().type);
  return ops;
}

std::string ErrorOf(const std::string& functions) {
  const Result<Model> model = Lowered(functions);
  EXPECT_FALSE(model.ok());
  return model.ok() ? "" : model.error().ToString();
}

TEST(LowerRelaxTest, LinearLayer) {
  const std::string text = R"(    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((3, 4), dtype="float32"), b: R.Tensor((3,), dtype="float32")):
        t = R.permute_dims(w, axes=None)
        y = R.add(R.matmul(x, t), b)
        return y
)";
  EXPECT_THAT(OpsOf(text), ElementsAre("Transpose", "MatMul", "Add"));
  const Result<Model> model = Lowered(text);
  EXPECT_EQ(model->main().output(0)->type().ToString(), "f32[n, 3]");
  EXPECT_EQ(model->main().output(0)->name(), "y");
}

TEST(LowerRelaxTest, CallsAreInPlaceAndNameSizes) {
  const std::string text = R"(    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32")):
        cls = Module
        y = cls.flat(x)
        return y

    @R.function(private=True)
    def flat(a: R.Tensor(("p", "q"), dtype="float32")):
        p = T.int64()
        q = T.int64()
        b = R.reshape(a, R.shape([p * q]))
        return b
)";
  const Result<Model> model = Lowered(text);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->main().output(0)->type().ToString(), "f32[4*n]");
}

TEST(LowerRelaxTest, ConditionOfRunTimeIsAnIf) {
  EXPECT_THAT(OpsOf(R"(    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((2,), dtype="float32")):
        if c:
            r = R.exp(x)
        else:
            y = R.negative(x)
            r = R.abs(y)
        return r
)"),
              ElementsAre("If"));
}

TEST(LowerRelaxTest, KnownConditionChooses) {
  EXPECT_THAT(OpsOf(R"(    @R.function
    def main(x: R.Tensor((2,), dtype="float32")):
        if R.const(False, "bool"):
            r = R.exp(x)
        else:
            r = R.abs(x)
        return r
)"),
              ElementsAre("Abs"));
}

TEST(LowerRelaxTest, CastToSizesThatRunTimeTellsIsChecked) {
  const std::string head =
      "    @R.function\n"
      "    def main(x: R.Tensor((\"n\", 4), dtype=\"float32\")):\n"
      "        m = T.int64()\n";
  EXPECT_THAT(OpsOf(head + "        y = R.match_cast(x, R.Tensor((m, 4), dtype=\"float32\"))\n"
                           "        return y\n"),
              ElementsAre("Identity"));
  EXPECT_THAT(OpsOf(head + "        y = R.match_cast(x, R.Tensor((2, 4), dtype=\"float32\"))\n"
                           "        return y\n"),
              ::testing::Contains("Assert"));
  EXPECT_THAT(ErrorOf(head + "        y = R.match_cast(x, R.Tensor((m, 5), dtype=\"float32\"))\n"
                             "        return y\n"),
              HasSubstr("the cast never holds"));
}

TEST(LowerRelaxTest, RefusesAllAtOnceByPlace) {
  const std::string error = ErrorOf(R"(    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")):
        cls = Module
        a = R.no.such_operator(x)
        b = R.exp(a)
        c = R.call_tir(cls.kernel, (x,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
        d = R.nn.softmax(x, axis=1, speed=2)
        e = R.nn.pad(x, pad_width=[0, 0, 1, 1], pad_mode="edge")
        f = R.add(x, R.shape([1, 2]))
        g = metadata["relax.expr.Constant"][0]
        return (b, c, d, e, f, g)

    @T.prim_func
    def kernel(a: T.handle):
        pass
)");
  EXPECT_THAT(error, HasSubstr("6:9: R.no.such_operator: error: the operator has no"));
  EXPECT_THAT(error, ::testing::Not(HasSubstr("8:9")));
  EXPECT_THAT(error, HasSubstr("9:9: R.nn.softmax: error: the argument 'speed' is not known"));
  EXPECT_THAT(error, HasSubstr("10:9: R.nn.pad: error: pad_mode \"edge\" is not supported"));
  EXPECT_THAT(error, HasSubstr("11:9: R.add: error: an operand is a tuple"));
  EXPECT_THAT(error, HasSubstr("12:9: R.metadata"));
  EXPECT_THAT(error, ::testing::Not(HasSubstr("7:9")));
}

TEST(LowerRelaxTest, RefusesRecursion) {
  EXPECT_THAT(ErrorOf(R"(    @R.function
    def main(x: R.Tensor((2,), dtype="float32")):
        cls = Module
        y = cls.main(x)
        return y
)"),
              HasSubstr("the function 'main' calls itself other than at the end of one side"));
}

// A function whose parameters are a count and a state, and a call of it.
std::string Counted(const std::string& loop) {
  return R"(    @R.function
    def main(n: R.Tensor((), dtype="int64"), x: R.Tensor((2,), dtype="float32")):
        cls = Module
        y = cls.loop(n, x)
        return y

    @R.function(private=True)
    def loop(k: R.Tensor((), dtype="int64"), s: R.Tensor((2,), dtype="float32")):
        cls = Module
        more = R.greater(k, R.const(0, "int64"))
)" + loop;
}

TEST(LowerRelaxTest, CallOfItselfAtTheEndIsALoop) {
  EXPECT_THAT(OpsOf(Counted(R"(        if more:
            j = R.subtract(k, R.const(1, "int64"))
            r = cls.loop(j, R.exp(s))
        else:
            r = s
        return r
)")),
              ElementsAre("Greater", "Loop", "Greater"));
}

TEST(LowerRelaxTest, WhatFollowsTheCallOfItselfIsNoLoop) {
  EXPECT_THAT(ErrorOf(Counted(R"(        if more:
            j = R.subtract(k, R.const(1, "int64"))
            t = cls.loop(j, s)
            r = R.exp(t)
        else:
            r = s
        return r
)")),
              HasSubstr("the function 'loop' calls itself other than at the end of one side"));
}

// As codegen/relax/recursion.h writes it: `count` iterations of `step`, by halves.
std::string Halves(const std::string& rest) {
  return R"(    @R.function
    def main(n: R.Tensor((), dtype="int64"), x: R.Tensor((2,), dtype="float32")):
        cls = Module
        y = cls.loop(R.const(0, "int64"), n, x)
        return y[1]

    @R.function(private=True)
    def step(i: R.Tensor((), dtype="int64"), s: R.Tensor((2,), dtype="float32")):
        t = R.exp(s)
        return (t, R.expand_dims(t, axis=[0]))

    @R.function(private=True)
    def join(a: R.Tensor(("p", 2), dtype="float32"), b: R.Tensor(("q", 2), dtype="float32")):
        c = R.concat((a, b), axis=0)
        return c

    @R.function(private=True)
    def loop(i: R.Tensor((), dtype="int64"), count: R.Tensor((), dtype="int64"), s: R.Tensor((2,), dtype="float32")):
        cls = Module
        several = R.greater(count, R.const(1, "int64"))
        half = R.floor_divide(count, R.const(2, "int64"))
        rest = )" +
         rest + R"(
        middle = R.add(i, half)
        if several:
            first = cls.loop(i, half, s)
            second = cls.loop(middle, rest, first[0])
            joined = cls.join(first[1], second[1])
            result = (second[0], joined)
        else:
            result = cls.step(i, s)
        return result
)";
}

TEST(LowerRelaxTest, TurnsByHalvesAreALoop) {
  const std::string text = Halves("R.subtract(count, half)");
  // One iteration is made in any case.
  EXPECT_THAT(OpsOf(text), ElementsAre("Max", "Loop"));
  const Result<Model> model = Lowered(text);
  ASSERT_TRUE(model.ok());
  const Node* loop = model->main().last_node();
  EXPECT_EQ(loop->num_results(), 2u);
  EXPECT_EQ(loop->num_operands(), 3u);
}

TEST(LowerRelaxTest, OtherPartsThanHalvesAreNoLoop) {
  EXPECT_THAT(ErrorOf(Halves("R.subtract(count, i)")),
              HasSubstr("the function 'loop' calls itself other than at the end of one side"));
}

TEST(LowerRelaxTest, LocalFunctionSeesWhatIsAroundIt) {
  EXPECT_THAT(OpsOf(R"(    @R.function
    def main(x: R.Tensor(("n", 2), dtype="float32")):
        n = T.int64()
        w = R.exp(x)
        @R.function
        def inner(y: R.Tensor((n, 2), dtype="float32")):
            z = R.add(y, w)
            return R.reshape(z, R.shape([n * 2]))
        r = inner(x)
        return r
)"),
              ::testing::IsSupersetOf({"Exp", "Add", "Reshape"}));
}

TEST(LowerRelaxTest, FactsTellSizes) {
  Facts facts;
  facts.dims.emplace("n", Dim(5));
  const Result<Model> model = Lowered(R"(    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        y = R.arange(0, n * 2, 1, dtype="int64")
        return y
)",
                                      facts);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->main().output(0)->type().ToString(), "i64[10]");
}

TEST(LowerRelaxTest, OperatorsAreSorted) {
  const std::vector<std::string_view> names = LoweredRelaxOperators();
  EXPECT_GT(names.size(), 120u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

}  // namespace
}  // namespace dragoman
