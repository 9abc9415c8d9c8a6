// SPDX-License-Identifier: Apache-2.0
// Text of Relax modules: text -> source graph -> text is a fixed point, also of what nothing
// lowers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "codegen/relax/write_source.h"
#include "core/ir/parse.h"
#include "core/ir/verify.h"
#include "importers/relax/graph/read_model.h"

namespace dragoman {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kHead =
    "# a comment of the file\n"
    "from tvm.script import relax as R\n"
    "\n"
    "@I.ir_module\n"
    "class Module:\n";

std::string Printed(const std::string& text) {
  const Result<Model> model = ReadRelaxText(text);
  EXPECT_TRUE(model.ok()) << model.error().ToString();
  if (!model.ok()) return "";
  EXPECT_TRUE(Verify(*model).ok());
  const Result<std::string> printed = PrintRelaxSource(*model);
  EXPECT_TRUE(printed.ok()) << printed.error().ToString();
  return printed.ok() ? *printed : "";
}

// Why a graph text of a module is not written.
std::string WhyUnprinted(const std::string& statements) {
  const Result<Model> model =
      ParseText("dragoman 1 source relax\n\nentry main(%x) -> (%x) {\n" + statements + "}\n");
  EXPECT_TRUE(model.ok()) << model.error().ToString();
  const Result<std::string> printed = PrintRelaxSource(*model);
  return printed.ok() ? "" : printed.error().findings()[0].message;
}

void ExpectFixed(const std::string& body) {
  const std::string text = std::string(kHead) + body;
  EXPECT_EQ(Printed(text), text);
}

std::string ErrorOf(const std::string& body) {
  const Result<Model> model = ReadRelaxText(std::string(kHead) + body);
  EXPECT_FALSE(model.ok()) << body;
  return model.ok() ? "" : model.error().ToString();
}

TEST(RelaxSourceText, RefusesBlocksThatDoNotNest) {
  EXPECT_EQ(WhyUnprinted("relax.dataflow()\nrelax.output(%x)\n"), "");
  EXPECT_EQ(WhyUnprinted("relax.output(%x)\n"), "relax.output cannot stand here");
  EXPECT_EQ(WhyUnprinted("relax.dataflow()\nrelax.output(%x)\nrelax.output(%x)\n"),
            "relax.output cannot stand here");
  EXPECT_EQ(WhyUnprinted("relax.dataflow()\nrelax.dataflow()\n"),
            "relax.dataflow cannot stand here");
  EXPECT_EQ(WhyUnprinted("relax.dataflow()\nrelax.if(%x)\nrelax.output(%x)\n"),
            "relax.if cannot stand here");
}

TEST(RelaxSourceText, RefusesNodesWithoutOperands) {
  EXPECT_EQ(WhyUnprinted("relax.if()\n"), "relax.if cannot stand here");
  for (const char* type : {"alias", "call_value", "TupleGetItem"})
    EXPECT_EQ(WhyUnprinted("%y = relax." + std::string(type) + "()\n"), "has no operand");
}

TEST(RelaxSourceText, KeepsCallsAttributesAndAnnotations) {
  ExpectFixed(R"(    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), s: R.Shape(["n", 4]), o: R.Object) -> R.Tensor(("n", 4), dtype="float32"):
        R.func_attr({"num_input": 1, "nested": {"a": [1, 2.5, "b"], "t": (1, 2)}})
        n = T.int64()
        cls = Module
        with R.dataflow():
            # above a binding
            lv: R.Tensor((n, 4), dtype="float32") = R.nn.leakyrelu(x, alpha=0.1)
            lv1 = R.add(R.exp(lv), R.const(1.5, "float32"))
            lv2: R.Tensor((n * 4,), dtype="float32") = R.reshape(lv1, R.shape([n * 4]))
            lv3: R.Tensor(dtype="float32", ndim=2) = R.unknown.op(lv1, 3, flag=True, other=lv2, sizes=[n, (n + 1) // 2], none=None)
            lv4 = (lv1, lv2)
            lv5 = lv4[0]
            lv6 = (-lv5) + (lv1 * (lv5 - lv1))
            R.output(lv3, lv6)
        return lv6
)");
}

TEST(RelaxSourceText, KeepsBranchesEffectsAndFunctions) {
  ExpectFixed(R"(    I.module_attrs({"a": 1})

    @R.function(pure=False)
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")):
        cls = Module
        k = T.int64()
        R.assert_op(c, [x], format="no {}")
        @R.function
        def inner(y: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
            z = R.exp(y)
            return z
        if c:
            a = inner(x)
            r = R.negative(a)
        else:
            r = cls.helper(x)
        u, v = cls.pair(x)
        w = R.call_tir(cls.kernel, (x,), out_sinfo=R.Tensor((2,), dtype="float32"))
        p = R.call_pure_packed("f", x, sinfo_args=(R.Tensor((2,), dtype="float32"),))
        m = R.match_cast(w, R.Tensor((k,), dtype="float32"))
        q = metadata["relax.expr.Constant"][3]
        return (r, q)

    @T.prim_func(private=True)
    def kernel(a: T.Buffer((T.int64(2),), "float32"), b: T.handle):
        for i in range(2):   # verbatim
            with T.block("b"):
                b[i] = a[i]

    @R.function(private=True)
    def helper(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        return x
)");
}

TEST(RelaxSourceText, FormsOfOneMeaningSettle) {
  const std::string once = Printed(std::string(kHead) + R"(    @R.function
    def main(x: R.Tensor([2], 'float32')):
        y = R.add( x,R.const(1, "float32") )  # beside
        return (y)
)");
  EXPECT_THAT(once,
              HasSubstr("y = R.add(x, R.const(1.0, \"float32\"))  # beside\n        return y\n"));
  EXPECT_EQ(Printed(once), once);
}

TEST(RelaxSourceText, NamesPlaces) {
  EXPECT_THAT(ErrorOf("    @R.function\n    def main(x: R.Object):\n        y = R.add(x, z)\n"
                      "        return y\n"),
              HasSubstr("line 8:22: error: 'z' is not defined"));
  EXPECT_THAT(ErrorOf("    @R.function\n    def main(x: R.Object):\n        y = R.exp(x)\n"),
              HasSubstr("the function returns nothing"));
  EXPECT_THAT(ErrorOf("    @R.function\n    def main(x: R.Object):\n        while x:\n"
                      "            pass\n        return x\n"),
              HasSubstr("line 8:9: error: no statement of Relax"));
  EXPECT_THAT(ErrorOf("    @R.function\n    def main(x: R.Object):\n        if x:\n"
                      "            a = x\n        else:\n            b = x\n        return x\n"),
              HasSubstr("the branches bind different names, 'a' and 'b'"));
  EXPECT_THAT(ErrorOf("    pass\n"), HasSubstr("no public function"));
  EXPECT_THAT(ErrorOf("    @R.function\n    def main(x: R.Object):\n        y = R.f(" +
                      std::string(100'000, '(') + "\n        return y\n"),
              HasSubstr("where ')' is expected"));
  EXPECT_THAT(ReadRelaxText("hello\n").error().ToString(), HasSubstr("no class"));
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string MainThatBinds(const std::string& expression, const std::string& type = "R.Object") {
  return "    @R.function\n    def main(x: " + type + "):\n        y = " + expression +
         "\n        return y\n";
}

TEST(RelaxSourceText, ValuesNestAsDeepAsTheyLike) {
  constexpr int kDeep = 20'000;
  const std::string ends = std::string(kDeep, ')');
  const std::string texts[] = {Repeated("R.exp(", kDeep) + "x" + ends,
                               Repeated("R.add(x, ", kDeep) + "x" + ends,
                               Repeated("R.f(a=[1], b=", kDeep) + "x" + ends,
                               "x" + Repeated("[0]", kDeep),
                               "x" + Repeated("(x)", kDeep),
                               Repeated("(", kDeep) + "x" + Repeated(",)", kDeep),
                               Repeated("(", kDeep) + "x" + Repeated(" + x)", kDeep - 1) + " + x)",
                               Repeated("-(", kDeep) + "-x" + ends};
  for (const std::string& text : texts) {
    // Brackets around all of it are not kept.
    const bool is_sum = text.ends_with("x + x)") || text.ends_with(" + x)");
    const std::string whole = is_sum ? text.substr(1, text.size() - 2) : text;
    EXPECT_TRUE(Printed(std::string(kHead) + MainThatBinds(text)) ==
                std::string(kHead) + MainThatBinds(whole))
        << text.substr(0, 40);
  }
}

TEST(RelaxSourceText, AttributesAndTypesNestWithinBounds) {
  EXPECT_THAT(
      ErrorOf(MainThatBinds("R.f(x, a=" + std::string(1000, '[') + std::string(1000, ']') + ")")),
      HasSubstr("line 8:22: error: an attribute of more than 500 levels"));
  EXPECT_THAT(ErrorOf(MainThatBinds("x", "R.Tensor((1" + Repeated(" + n", 1000) + ",))")),
              HasSubstr("an expression of more than 500 levels"));
}

TEST(RelaxSourceText, PowersGroupFromTheRight) {
  ExpectFixed(MainThatBinds("R.f(x, n=2 ** m ** 3)", "R.Tensor((\"m\",))"));
  ExpectFixed(MainThatBinds("R.f(x, n=(2 ** m) ** -3)", "R.Tensor((\"m\",))"));
}

TEST(RelaxSourceText, IntegersAtTheirLimits) {
  ExpectFixed(MainThatBinds("R.f(x, n=-9223372036854775808)", "R.Tensor((-9223372036854775808,))"));
  ExpectFixed(MainThatBinds("R.f(x, n=9223372036854775808, m=-9223372036854775808)",
                            "R.Tensor((9223372036854775808,))"));
  const Result<Model> model = ReadRelaxText(
      std::string(kHead) + MainThatBinds("R.const(9223372036854775808, \"float64\")"));
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->main().first_node()->attribute("value")->tensor()->FloatAt(0), 0x1p63);
}

// What is cut anywhere is read or refused.
TEST(RelaxSourceText, DamagedTexts) {
  const std::string text = std::string(kHead) + R"(    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor(("n", 4), dtype="float32")):
        R.func_attr({"num_input": 2})
        n = T.int64()
        with R.dataflow():
            lv = R.strided_slice(x, axes=[0], begin=[0], end=[n // 2])
            R.output(lv)
        if c:
            r = R.exp(lv)
        else:
            r = lv
        return (r, x)
)";
  ASSERT_TRUE(ReadRelaxText(text).ok());
  int refused = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    refused += ReadRelaxText(text.substr(0, i)).ok() ? 0 : 1;
    for (const char c : {'(', ')', '"', ' ', '\n', '@', '9'}) {
      std::string damaged = text;
      damaged[i] = c;
      const Result<Model> model = ReadRelaxText(std::move(damaged));
      if (!model.ok()) continue;
      EXPECT_TRUE(PrintRelaxSource(*model).ok()) << i;
    }
  }
  EXPECT_GT(refused, static_cast<int>(text.size()) - 80);
}

TEST(RelaxSourceText, KeepsCommentsWhereTheyStand) {
  ExpectFixed(R"(    # above a function
    @R.function
    def main(x: R.Tensor((2,), dtype="float32")):  # behind its head
        # above a statement
        y = R.my_op(x, text="# no comment")  # behind it
        with R.dataflow():  # behind a block
            # above the first binding
            z = R.exp(y)
            # above the end of the block
            R.output(z)
        # above the result
        return z  # behind it
        # below it

    # above a definition that is not Relax
    @T.prim_func
    def f(a: T.handle):
        # in it
        T.evaluate(0)
        # at its end

    # above the next function
    @R.function
    def other(x: R.Tensor((2,), dtype="float32")):
        return x
    # at the end of the module
)");
}

// Comments of their own paragraph stand with what follows them.
TEST(RelaxSourceText, CommentsLoseTheEmptyLinesAroundThem) {
  const std::string text = std::string(kHead) + R"(    @R.function
    def main(x: R.Tensor((2,), dtype="float32")):
        # first

        # second

        y = R.call_packed(
            "f",  # within a call
            x
        )  # behind the call
        return y
)";
  EXPECT_THAT(Printed(text), HasSubstr("        # first\n        # second\n        y = "
                                       "R.call_packed(\"f\", x)  # behind the call\n"));
}

// Of other programs at most 32 MiB are read.
TEST(RelaxSourceText, ModulesMayBeLarge) {
  const std::string line = "# " + std::string(1022, '-') + "\n";
  std::string text;
  while (text.size() <= std::size_t{32} << 20) text += line;
  text += std::string(kHead) +
          "    @R.function\n    def main(x: R.Tensor((2,), dtype=\"float32\")):\n"
          "        return x\n";
  EXPECT_TRUE(ReadRelaxText(std::move(text)).ok());
}

}  // namespace
}  // namespace dragoman
