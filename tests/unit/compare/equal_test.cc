// SPDX-License-Identifier: Apache-2.0
// What equality respects and what does not count, by pairs of graphs in the text form.
#include "core/compare/equal.h"

#include <gtest/gtest.h>

#include <utility>

#include "core/ir/parse.h"

namespace dragoman {
namespace {

constexpr CompareOptions kSource = {.level = Level::kSource};
constexpr CompareOptions kCommon = {.level = Level::kCommon};

Model Parse(std::string_view text) {
  Result<Model> model = ParseText(text);
  EXPECT_TRUE(model.ok()) << model.error().ToString() << text;
  return model.ok() ? std::move(model).value() : Model();
}

// Empty: equal; else what differs.
std::string Differ(std::string_view a, std::string_view b, const CompareOptions& options) {
  const Result<std::optional<Difference>> result = CompareModels(Parse(a), Parse(b), options);
  if (!result.ok()) return "error: " + result.error().ToString();
  return result->has_value() ? (*result)->reason : "";
}

struct Pair {
  std::string_view name;
  std::string_view a;
  std::string_view b;
};

TEST(CompareModels, NamesOrderAndSharingOfConstantsDoNotCount) {
  const Pair pairs[] = {
      {"names of nodes and values",
       "graph g(%x: f32[2]) -> (%y) { %t = onnx.Relu(%x) @first %y = onnx.Neg(%t) @second }",
       "graph h(%in: f32[2]) -> (%out) { %u = onnx.Relu(%in) @a %out = onnx.Neg(%u) @b }"},
      {"the order of independent nodes",
       "graph g(%x: f32[2]) -> (%y) { %a = onnx.Relu(%x) %b = onnx.Neg(%x) %y = onnx.Sub(%a, %b) }",
       "graph g(%x: f32[2]) -> (%y) { %b = onnx.Neg(%x) %a = onnx.Relu(%x) %y = onnx.Sub(%a, %b) "
       "}"},
      {"shared constants",
       "graph g(%x: f32[1]) -> (%y) { const %w: f32[1] = [2.0] %a = onnx.Sub(%x, %w) "
       "%y = onnx.Div(%a, %w) }",
       "graph g(%x: f32[1]) -> (%y) { const %w: f32[1] = [2.0] const %v: f32[1] = [2.0] "
       "%a = onnx.Sub(%x, %w) %y = onnx.Div(%a, %v) }"},
      {"the order of attributes",
       "graph g(%x: f32[1]) -> (%y) { %y = onnx.Foo(%x) {a = 1, b = 2.0} }",
       "graph g(%x: f32[1]) -> (%y) { %y = onnx.Foo(%x) {b = 2.0, a = 1} }"},
      {"names of symbols, also in expressions",
       "graph g(%x: f32[n, 2*n + m], %z: f32[m]) -> (%y) { %y: f32[n*m] = onnx.Foo(%x, %z) }",
       "graph g(%x: f32[m, 2*m + a], %z: f32[a]) -> (%y) { %y: f32[a*m] = onnx.Foo(%x, %z) }"},
      {"the spelling of the default domain", "graph g(%x: f32[1]) -> (%y) { %y = onnx.Relu(%x) }",
       "graph g(%x: f32[1]) -> (%y) { %y = onnx:ai.onnx.Relu(%x) }"},
  };
  for (const Pair& pair : pairs) {
    EXPECT_EQ(Differ(pair.a, pair.b, kSource), "") << pair.name;
    EXPECT_EQ(Differ(pair.a, pair.b, kCommon), "") << pair.name;
    CompareOptions classes = kCommon;
    classes.modulo_sharing = true;
    EXPECT_EQ(Differ(pair.a, pair.b, classes), "") << pair.name;
  }
}

TEST(CompareModels, AnOpenSizeWithoutANameEqualsOneThatNoOtherInputHas) {
  const std::string_view unnamed =
      "graph g(%x: f32[?, 3], %z: f32[?]) -> (%y) { %y = onnx.Foo(%x, %z) }";
  const std::string_view named =
      "graph g(%x: f32[n, 3], %z: f32[m]) -> (%y) { %y = onnx.Foo(%x, %z) }";
  EXPECT_EQ(Differ(unnamed, named, kSource), "");
  EXPECT_EQ(Differ(named, unnamed, kCommon), "");
}

// Of a node of ai.onnx, whose defaults at operator set 17 those of the package onnx are.
std::string NodeAt17(std::string_view node) {
  return "dragoman 1 source onnx\nopset \"\" 17\nentry main @g(%x: f32[1, 2, 4, 4], %w: f32[2, 2, "
         "1, 1]) -> (%y) { %y = onnx." +
         std::string(node) + " }";
}

TEST(CompareModels, AnAttributeThatSpellsItsDefaultEqualsAnAbsentOne) {
  const std::pair<std::string_view, std::string_view> pairs[] = {
      {"Conv(%x, %w) {auto_pad = \"NOTSET\"}", "Conv(%x, %w)"},
      {"Conv(%x, %w) {dilations = [1, 1], group = 1, pads = [0, 0, 0, 0], strides = [1, 1]}",
       "Conv(%x, %w)"},
      {"Conv(%x, %w) {kernel_shape = [1, 1]}", "Conv(%x, %w)"},  // that of the weight
      {"Softmax(%x) {axis = -1}", "Softmax(%x)"},
      {"ReduceMean(%x) {keepdims = 1}", "ReduceMean(%x)"},
      {"LeakyRelu(%x) {alpha = 0.01}", "LeakyRelu(%x)"},
      {"DepthToSpace(%x) {blocksize = 1, mode = \"DCR\"}", "DepthToSpace(%x) {blocksize = 1}"},
  };
  CompareOptions classes = kSource, strict = kSource;
  classes.modulo_sharing = true;
  strict.strict_attributes = true;
  for (const auto& [spelt, absent] : pairs) {
    const std::string a = NodeAt17(spelt), b = NodeAt17(absent);
    EXPECT_EQ(Differ(a, b, kSource), "") << spelt;
    EXPECT_EQ(Differ(b, a, classes), "") << spelt;
    EXPECT_NE(Differ(a, b, strict).find("is missing on one side"), std::string::npos) << spelt;
  }
}

TEST(CompareModels, AnAttributeThatSpellsAnotherThanItsDefaultCounts) {
  const std::pair<std::string_view, std::string_view> pairs[] = {
      {"Conv(%x, %w) {auto_pad = \"VALID\"}", "Conv(%x, %w)"},
      {"Conv(%x, %w) {pads = [0, 0, 0, 1]}", "Conv(%x, %w)"},
      {"Conv(%x, %w) {strides = [1, 2]}", "Conv(%x, %w)"},
      {"Conv(%x, %w) {kernel_shape = [1, 2]}", "Conv(%x, %w)"},  // not that of the weight
      {"MaxPool(%x) {kernel_shape = [1, 1]}", "MaxPool(%x)"},    // nothing else states it
      {"Softmax(%x) {axis = 1}", "Softmax(%x)"},
      {"GridSample(%x, %w) {mode = \"linear\"}", "GridSample(%x, %w)"},  // a word of opset 20
  };
  for (const auto& [spelt, absent] : pairs)
    EXPECT_NE(Differ(NodeAt17(spelt), NodeAt17(absent), kSource), "") << spelt;
}

// The default was 1 before operator set 13.
TEST(CompareModels, DefaultsAreThoseOfTheOperatorSet) {
  const auto at_12 = [](std::string_view node) {
    std::string text = NodeAt17(node);
    return text.replace(text.find("17"), 2, "12");
  };
  EXPECT_NE(Differ(at_12("Softmax(%x) {axis = -1}"), at_12("Softmax(%x)"), kSource), "");
}

TEST(CompareModels, EverythingElseCounts) {
  const Pair pairs[] = {
      {"op types differ", "graph g(%x: f32[2]) -> (%y) { %y = onnx.Relu(%x) }",
       "graph g(%x: f32[2]) -> (%y) { %y = onnx.Neg(%x) }"},
      {"attribute 'axis' differs", "graph g(%x: f32[2]) -> (%y) { %y = onnx.Foo(%x) {axis = 1} }",
       "graph g(%x: f32[2]) -> (%y) { %y = onnx.Foo(%x) {axis = 0} }"},
      {"attribute 'alpha' differs",
       "graph g(%x: f32[2]) -> (%y) { %y = onnx.Foo(%x) {alpha = 0.0} }",
       "graph g(%x: f32[2]) -> (%y) { %y = onnx.Foo(%x) {alpha = -0.0} }"},
      {"attribute 'axis' is missing on one side",
       "graph g(%x: f32[2]) -> (%y) { %y = onnx.Foo(%x) {axis = 1} }",
       "graph g(%x: f32[2]) -> (%y) { %y = onnx.Foo(%x) }"},
      {"constants differ",
       "graph g(%x: f32[1]) -> (%y) { const %w: f32[1] = [0.0] %y = onnx.Sub(%x, %w) }",
       "graph g(%x: f32[1]) -> (%y) { const %w: f32[1] = [-0.0] %y = onnx.Sub(%x, %w) }"},
      {"the edge comes from another input",
       "graph g(%a: f32[1], %b: f32[1]) -> (%y) { %y = onnx.Sub(%a, %b) }",
       "graph g(%a: f32[1], %b: f32[1]) -> (%y) { %y = onnx.Sub(%b, %a) }"},
      {"an edge is missing on one side",
       "graph g(%a: f32[1], %b: f32[1]) -> (%y) { %y = onnx.Foo(%a, _, %b) }",
       "graph g(%a: f32[1], %b: f32[1]) -> (%y) { %y = onnx.Foo(%a, %a, %b) }"},
      {"numbers of inputs differ", "graph g(%a: f32[1]) -> (%y) { %y = onnx.Relu(%a) }",
       "graph g(%a: f32[1], %unused: f32[1]) -> (%y) { %y = onnx.Relu(%a) }"},
      {"numbers of outputs differ", "graph g(%a: f32[1]) -> (%y) { %y = onnx.Relu(%a) }",
       "graph g(%a: f32[1]) -> (%y, %y) { %y = onnx.Relu(%a) }"},
      {"the edge comes from elsewhere", "graph g(%a: f32[1]) -> (%a) { }",
       "graph g(%a: f32[1]) -> (%y) { %y = onnx.Identity(%a) }"},
      {"the edge comes from another result",
       "graph g(%a: f32[2]) -> (%y) { %y, %z = onnx.Split(%a) }",
       "graph g(%a: f32[2]) -> (%z) { %y, %z = onnx.Split(%a) }"},
      {"types of input 0 ('a') differ", "graph g(%a: f32[2]) -> (%y) { %y = onnx.Relu(%a) }",
       "graph g(%a: f16[2]) -> (%y) { %y = onnx.Relu(%a) }"},
      {"types of input 1 ('b') differ",  // a name that both have
       "graph g(%a: f32[?], %b: f32[?]) -> (%y) { %y = onnx.Add(%a, %b) }",
       "graph g(%a: f32[n], %b: f32[n]) -> (%y) { %y = onnx.Add(%a, %b) }"},
      {"types of input 1 ('b') differ",  // n stands for one size only
       "graph g(%a: f32[n], %b: f32[n]) -> (%y) { %y = onnx.Sub(%a, %b) }",
       "graph g(%a: f32[n], %b: f32[m]) -> (%y) { %y = onnx.Sub(%a, %b) }"},
      {"types of result 0 ('y') differ",
       "graph g(%a: f32[n]) -> (%y) { %y: f32[n] = onnx.Foo(%a) }",
       "graph g(%a: f32[n]) -> (%y) { %y: f32[2*n] = onnx.Foo(%a) }"},
  };
  for (const Pair& pair : pairs) {
    EXPECT_EQ(Differ(pair.a, pair.b, kSource), pair.name);
    EXPECT_EQ(Differ(pair.a, pair.b, kCommon), pair.name);
    CompareOptions classes = kCommon;
    classes.commute = true;
    classes.modulo_sharing = true;
    EXPECT_NE(Differ(pair.a, pair.b, classes), "") << pair.name;
  }
}

TEST(CompareModels, VersionsOfForeignOperatorsCountAtTheCommonLevel) {
  const auto model = [](std::string_view sets, std::string_view op) {
    return "dragoman 1 common onnx\nopset \"\" 22\n" + std::string(sets) +
           "entry main(%x: f32[1]) -> (%y: f32[1]) {\n  %y = " + std::string(op) + "(%x)\n}\n";
  };
  const std::string first = "opset \"f\" 1\n", second = "opset \"f\" 2\n";
  EXPECT_EQ(Differ(model(first, "onnx:f.Foo"), model(second, "onnx:f.Foo"), kCommon),
            "versions of operator sets differ");
  EXPECT_EQ(Differ(model(first, "onnx.Relu"), model(second, "onnx.Relu"), kCommon), "");
  EXPECT_EQ(Differ(model("", "onnx.Relu"), model(second, "onnx:f.Foo"), kCommon),
            "op types differ");
}

TEST(CompareModels, OneValueDoesNotStandForTwo) {
  const std::string_view shared =
      "graph g(%x: f32[1]) -> (%y) { %t = onnx.Relu(%x) %y = onnx.Sub(%t, %t) }";
  const std::string_view copied =
      "graph g(%x: f32[1]) -> (%y) { %t = onnx.Relu(%x) %u = onnx.Relu(%x) %y = onnx.Sub(%t, %u) }";
  EXPECT_NE(Differ(shared, copied, kCommon), "");
  EXPECT_NE(Differ(copied, shared, kCommon), "");
  CompareOptions classes = kCommon;
  classes.modulo_sharing = true;
  EXPECT_EQ(Differ(shared, copied, classes), "");
  EXPECT_EQ(Differ(copied, shared, classes), "");
}

TEST(CompareModels, ACaptureIsAValueOfTheGraphOutside) {
  const std::string_view captured = R"(graph g(%c: bool[], %x: f32[1]) -> (%y) {
      %t = onnx.Relu(%x)
      %y = onnx.If(%c) {then_branch = graph t() -> (%a) { %a = onnx.Neg(%t) },
                        else_branch = graph e() -> (%t) { }} })";
  const std::string_view computed_inside = R"(graph g(%c: bool[], %x: f32[1]) -> (%y) {
      %t = onnx.Relu(%x)
      %y = onnx.If(%c) {then_branch = graph t() -> (%a) { %u = onnx.Relu(%x) %a = onnx.Neg(%u) },
                        else_branch = graph e() -> (%t) { }} })";
  const std::string_view input_instead = R"(graph g(%c: bool[], %x: f32[1]) -> (%y) {
      %t = onnx.Relu(%x)
      %y = onnx.If(%c) {then_branch = graph t() -> (%a) { %a = onnx.Neg(%x) },
                        else_branch = graph e() -> (%t) { }} })";
  EXPECT_EQ(Differ(captured, captured, kCommon), "");
  EXPECT_NE(Differ(captured, computed_inside, kCommon), "");
  EXPECT_EQ(Differ(captured, input_instead, kCommon), "the edge comes from elsewhere");
  CompareOptions classes = kCommon;
  classes.modulo_sharing = true;
  EXPECT_NE(Differ(captured, input_instead, classes), "");
}

TEST(CompareModels, DeadNodesCountAtTheSourceLevelOnly) {
  const std::string_view plain = "graph g(%x: f32[1]) -> (%y) { %y = onnx.Relu(%x) }";
  const std::string_view dead =
      "graph g(%x: f32[1]) -> (%y) { %y = onnx.Relu(%x) %d = onnx.Neg(%x) %e = onnx.Abs(%d) }";
  const std::string_view reordered =
      "graph g(%x: f32[1]) -> (%y) { %a = onnx.Neg(%x) %b = onnx.Abs(%a) %y = onnx.Relu(%x) }";
  const std::string_view other =
      "graph g(%x: f32[1]) -> (%y) { %a = onnx.Neg(%y) %b = onnx.Abs(%a) %y = onnx.Relu(%x) }";
  EXPECT_EQ(Differ(plain, dead, kCommon), "");
  EXPECT_EQ(Differ(plain, dead, kSource), "a node is missing on one side");
  EXPECT_EQ(Differ(dead, reordered, kSource), "");
  EXPECT_NE(Differ(dead, other, kSource), "");
}

TEST(CompareModels, DeadNodesWithoutNamesAreKnownByTheirResults) {
  const std::string_view a =
      "graph g(%x) -> (%x) { %p = onnx.Neg(%x) %q = onnx.Abs(%p) %r = onnx.Exp(%p) "
      "%s = onnx.Add(%q, %r) %t = onnx.Mul(%q, %s) }";
  const std::string_view b =
      "graph g(%x) -> (%x) { %p = onnx.Sqrt(%x) %q = onnx.Abs(%p) %r = onnx.Exp(%p) "
      "%s = onnx.Add(%q, %r) %t = onnx.Mul(%q, %s) }";
  const auto found = CompareModels(Parse(a), Parse(b), kSource);
  EXPECT_EQ((*found)->place_a, "node 'p' (onnx.Neg)");
}

TEST(CompareModels, PresenceCountsAtTheSourceLevelOnly) {
  const std::string_view slots = "graph g(%x: f32[1]) -> (%y) { %y = onnx.Clip(%x, _, _) }";
  const std::string_view none = "graph g(%x: f32[1]) -> (%y) { %y = onnx.Clip(%x) }";
  EXPECT_EQ(Differ(slots, none, kSource), "numbers of operands differ");
  EXPECT_EQ(Differ(slots, none, kCommon), "");
}

TEST(CompareModels, CyclesOfTheSourceLevelEnd) {
  const std::string_view loop =
      "graph g(%x: f32[1]) -> (%y) { %m = tf.Merge(%x, %n) %n = tf.NextIteration(%m) "
      "%y = tf.Exit(%m) }";
  const std::string_view longer =
      "graph g(%x: f32[1]) -> (%y) { %m = tf.Merge(%x, %n) %k = tf.NextIteration(%m) "
      "%n = tf.Add(%k, %k) %y = tf.Exit(%m) }";
  const std::string_view unreachable =
      "graph g(%x: f32[1]) -> (%x) { %m = tf.Merge(%x, %n) %n = tf.NextIteration(%m) }";
  EXPECT_EQ(Differ(loop, loop, kSource), "");
  EXPECT_EQ(Differ(loop, longer, kSource), "op types differ");
  EXPECT_EQ(Differ(unreachable, unreachable, kSource), "");
  CompareOptions classes = kSource;
  classes.modulo_sharing = true;
  EXPECT_NE(Differ(loop, loop, classes).find("is on a cycle"), std::string::npos);
}

TEST(CompareModels, ProgramOrderIsMeaningWhereADialectMutates) {
  constexpr std::string_view kOrdered[] = {"prim", "aten"};
  CompareOptions options = kSource;
  options.ordered_dialects = kOrdered;
  const std::string_view ab =
      "graph g(%x: f32[1]) -> (%x) { %a = aten.relu_(%x) %b = aten.neg_(%x) }";
  const std::string_view ba =
      "graph g(%x: f32[1]) -> (%x) { %b = aten.neg_(%x) %a = aten.relu_(%x) }";
  EXPECT_EQ(Differ(ab, ab, options), "");
  EXPECT_EQ(Differ(ab, ba, options), "op types differ");
  EXPECT_EQ(Differ(ab, ba, kSource), "");
}

TEST(CompareModels, OptionsLetDifferencesPass) {
  const std::string_view a =
      "graph g(%x: f32[2]) -> (%y) { const %w: f32[2] = [1.0, 2.0] %y = onnx.Sub(%x, %w) }";
  const std::string_view close =
      "graph g(%x: f32[2]) -> (%y) { const %w: f32[2] = [1.0, 2.0001] %y = onnx.Sub(%x, %w) }";
  const std::string_view reshaped =
      "graph g(%x: f32[3]) -> (%y) { const %w: f32[3] = [1.0, 2.0, 3.0] %y = onnx.Sub(%x, %w) }";
  CompareOptions options = kSource;
  options.rtol = 1e-3;
  EXPECT_EQ(Differ(a, close, options), "");
  options.rtol = 1e-6;
  EXPECT_EQ(Differ(a, close, options), "constants differ");
  options = kSource;
  options.ignore_weights = true;
  EXPECT_EQ(Differ(a, close, options), "");
  EXPECT_NE(Differ(a, reshaped, options), "");
  options.ignore_shapes = true;
  EXPECT_EQ(Differ(a, reshaped, options), "");
  options.rtol = 1.0;
  options.commute = true;
  EXPECT_NE(Differ(a, a, options).find("error: "), std::string::npos);
}

// '=' or '!' for the elements as a constant that a node reads, as an attribute, in a list, and as a
// constant that nothing reads.
std::string DifferWithin(double rtol, std::string_view type, std::string_view a,
                         std::string_view b) {
  const auto in = [&](std::string_view form, std::string_view elements) {
    std::string text(form);
    for (std::size_t at; (at = text.find('T')) != text.npos;) text.replace(at, 1, type);
    for (std::size_t at; (at = text.find('E')) != text.npos;) text.replace(at, 1, elements);
    return text;
  };
  constexpr std::string_view kForms[] = {
      "graph g() -> (%y) { const %w: T = E %y = onnx.foo(%w) }",
      "graph g() -> (%y) { %y = onnx.foo() {value = T E} }",
      "graph g() -> (%y) { %y = onnx.foo() {value = tensors [T E, i64[1] [1]]} }",
      "graph g() -> (%y) { const %w: T = E %y = onnx.foo() }"};
  CompareOptions options = kSource;
  options.rtol = rtol;
  std::string verdicts;
  for (const std::string_view form : kForms) {
    const bool same = Differ(in(form, a), in(form, b), options).empty();
    EXPECT_EQ(same, Differ(in(form, b), in(form, a), options).empty()) << a << " and " << b;
    verdicts += same ? '=' : '!';
  }
  return verdicts;
}

TEST(CompareModels, ToleranceIsSymmetricAndStopsAtInfinityAndNaN) {
  EXPECT_EQ(DifferWithin(1.0, "f32[1]", "[inf]", "[3e38]"), "!!!!");
  EXPECT_EQ(DifferWithin(1e9, "f32[1]", "[inf]", "[-inf]"), "!!!!");
  EXPECT_EQ(DifferWithin(1e-3, "f32[2]", "[nan, 1.0]", "[nan, 1.0001]"), "====");
  EXPECT_EQ(DifferWithin(1e-3, "f32[2]", "[nan, 1.0]", "[nan:0x7fc00001, 1.0]"), "====");
  EXPECT_EQ(DifferWithin(1e-3, "f32[2]", "[nan, 1.0]", "[0.0, 1.0]"), "!!!!");
  EXPECT_EQ(DifferWithin(0.2, "f32[1]", "[1.0]", "[1.25]"), "====");
  EXPECT_EQ(DifferWithin(0.19, "f32[1]", "[1.0]", "[1.25]"), "!!!!");
  EXPECT_EQ(DifferWithin(1e-3, "c64[1]", "[(1.0, 2.0)]", "[(1.0, 2.001)]"), "====");
  EXPECT_EQ(DifferWithin(1e-3, "c64[1]", "[(1.0, 2.0)]", "[(1.0, -2.0)]"), "!!!!");
  EXPECT_EQ(DifferWithin(1.0, "f8e5m2[1]", "[1.0]", "[1.25]"), "====");
  EXPECT_EQ(DifferWithin(1.0, "i64[1]", "[4611686018427387904]", "[4611686018427387905]"), "!!!!");
  EXPECT_EQ(DifferWithin(1.0, "str[1]", "[\"a\"]", "[\"b\"]"), "!!!!");
  EXPECT_EQ(DifferWithin(1.0, "bool[1]", "[true]", "[false]"), "!!!!");
}

TEST(CompareModels, FunctionsAreComparedByDefinition) {
  const std::string head = "dragoman 1 source onnx\nopset \"\" 17\nopset \"f\" 1\n";
  Model a = Parse(head + "entry main(%x: f32[1]) -> (%y) { %y = onnx:f.One(%x) }");
  Model b = Parse(head + "entry main(%x: f32[1]) -> (%y) { %y = onnx:f.Two(%x) }");
  const auto define = [](Model& model, std::string_view name, std::string_view body) {
    Model text = Parse(body);
    model.functions.push_back(
        {InternOp("onnx", name, "f"), std::move(text.entries[0].graph), {}, {}, {}, {}});
  };
  define(a, "One", "graph f(%p) -> (%q) { %q = onnx.Relu(%p) }");
  define(b, "Two", "graph f(%u) -> (%v) { %v = onnx.Relu(%u) }");
  EXPECT_FALSE(CompareModels(a, b, kSource)->has_value());
  b.functions.clear();
  define(b, "Two", "graph f(%u) -> (%v) { %v = onnx.Neg(%u) }");
  const auto result = CompareModels(a, b, kSource);
  ASSERT_TRUE(result->has_value());
  EXPECT_EQ((*result)->path.front(), "function 'onnx:f.One'");
}

TEST(CompareModels, HeadsOfFunctionsCountUnderHashConsing) {
  CompareOptions classes = kSource;
  classes.modulo_sharing = true;
  const auto model = [](std::int64_t version, int functions) {
    Model made = Parse(
        "dragoman 1 source onnx\nopset \"\" 17\nopset \"f\" 1\n"
        "entry main(%x: f32[1]) -> (%y) { %y = onnx:f.One(%x) }");
    for (const std::string_view name : {"One", "Unused"}) {
      if (functions-- <= 0) break;
      Model text = Parse("graph f(%p) -> (%q) { %q = onnx." +
                         std::string(name == "One" ? "Relu" : "Neg") + "(%p) }");
      made.functions.push_back(
          {InternOp("onnx", name, "f"), std::move(text.entries[0].graph), {}, {}, {}, {}});
      made.functions.back().opsets = {{"", version}};
    }
    return made;
  };
  const auto reason = [&classes](const Model& a, const Model& b) {
    const auto difference = CompareModels(a, b, classes);
    return difference->has_value() ? (*difference)->reason : "";
  };
  EXPECT_EQ(reason(model(17, 2), model(17, 2)), "");
  EXPECT_EQ(reason(model(17, 1), model(16, 1)), "versions of operator sets differ");
  EXPECT_EQ(reason(model(17, 1), model(17, 2)), "a function is missing on one side");
  EXPECT_EQ(reason(model(17, 2), model(17, 1)), "a function is missing on one side");
}

TEST(CompareModels, ThePathLeadsToThePlace) {
  const Model a = Parse(R"(graph g(%c: bool[]) -> (%y) {
      const %w: f32[1] = [1.0]
      %y = onnx.If(%c) {then_branch = graph t() -> (%a) { %a = onnx.Neg(%w) @neg }} @if })");
  const Model b = Parse(R"(graph g(%c: bool[]) -> (%y) {
      const %w: f32[1] = [2.0]
      %y = onnx.If(%c) {then_branch = graph t() -> (%a) { %a = onnx.Neg(%w) @neg }} @if })");
  const auto result = CompareModels(a, b, kSource);
  ASSERT_TRUE(result.ok() && result->has_value());
  const Difference& difference = **result;
  EXPECT_EQ(difference.place_a, "operand 0 of node 'neg' (onnx.Neg)");
  EXPECT_EQ(difference.expected, "constant 'w' f32[1]");
  const std::vector<std::string> path = {"entry 'main'",
                                         "output 0 of entry 'main'",
                                         "node 'if' (onnx.If)",
                                         "attribute 'then_branch'",
                                         "output 0 of attribute 'then_branch'",
                                         "operand 0 of node 'neg' (onnx.Neg)"};
  EXPECT_EQ(difference.path, path);
}

TEST(CompareModels, CommutativeOperandsEffectsAndRandomNodes) {
  const std::string_view ab = "graph g(%x: f32[1], %z: f32[1]) -> (%y) { %y = onnx.Add(%x, %z) }";
  const std::string_view ba = "graph g(%x: f32[1], %z: f32[1]) -> (%y) { %y = onnx.Add(%z, %x) }";
  const std::string_view one_draw =
      "graph g() -> (%y) { %r = onnx.RandomNormal() {shape = [1]} %y = onnx.Sub(%r, %r) }";
  const std::string_view two_draws =
      "graph g() -> (%y) { %r = onnx.RandomNormal() {shape = [1]} "
      "%s = onnx.RandomNormal() {shape = [1]} %y = onnx.Sub(%r, %s) }";
  CompareOptions options = kCommon;
  EXPECT_NE(Differ(ab, ba, options), "");
  options.commute = true;
  EXPECT_EQ(Differ(ab, ba, options), "");
  EXPECT_EQ(Differ(two_draws, two_draws, options), "");
  EXPECT_NE(Differ(one_draw, two_draws, options), "");
}

}  // namespace
}  // namespace dragoman
