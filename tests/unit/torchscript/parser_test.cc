// SPDX-License-Identifier: Apache-2.0
// TorchScript's source text as a syntax tree, and what is refused.
#include "importers/torch/script/parser.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace dragoman::torch {
namespace {

TEST(TorchScriptParser, ReadsClassesWithAttributesAndMethods) {
  const auto file = ParseSource("net.py",
                                "class Net(Module):\n"
                                "  __parameters__ = [\"w\", ]\n"
                                "  w : Tensor\n"
                                "  __annotations__[\"0\"] = int\n"
                                "  k : Final[int] = 3\n"
                                "  def forward(self: __torch__.Net,\n"
                                "    x: Tensor) -> Tensor:\n"
                                "    a, b, = (self).split(x, -1.5e-3, dim=2)\n"
                                "    return torch.add(a, b)\n");
  ASSERT_TRUE(file.ok()) << file.error().ToString();
  const ClassDef& net = file->classes.at(0);
  EXPECT_EQ(net.base, "Module");
  EXPECT_EQ(net.parameters, std::vector<std::string>{"w"});
  ASSERT_EQ(net.members.size(), 3u);
  EXPECT_EQ(net.members[1].name, "0");
  EXPECT_TRUE(net.members[2].is_final);
  const Stmt& unpacking = net.methods.at(0).body.at(0);
  EXPECT_TRUE(unpacking.unpacks);
  EXPECT_EQ(unpacking.targets.size(), 2u);
  EXPECT_EQ(unpacking.value.keywords, std::vector<std::string>{"dim"});
}

TEST(TorchScriptParser, ReportsSeveralErrorsWithPlaceAndCaret) {
  const auto file = ParseSource("net.py", "def f(x):\n  y = (x\n  return\ndef g(:\n  pass\n");
  ASSERT_FALSE(file.ok());
  const auto broken = ParseSource("net.py", "def f(x):\n  y = ]\n  z = )\n");
  ASSERT_FALSE(broken.ok());
  ASSERT_EQ(broken.error().findings().size(), 2u);
  EXPECT_EQ(broken.error().findings()[0].place, "net.py:2:7");
  EXPECT_NE(broken.error().findings()[0].message.find("y = ]\n        ^"), std::string::npos);
}

TEST(TorchScriptParser, RefusesDeepNesting) {
  const std::string deep = "def f():\n  return " + std::string(100'000, '(');
  EXPECT_FALSE(ParseSource("net.py", deep).ok());
  EXPECT_FALSE(ParseSource("net.py", "def f():\n  return " + std::string(100'000, '-') + "1").ok());
}

TEST(TorchScriptParser, ReportsALineIndentedLikeNone) {
  const auto file = ParseSource("net.py", "def f(x):\n  y = x\n z = x\ndef g(x):\n  return x\n");
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().ToString().find("indented like no line"), std::string::npos);
}

TEST(TorchScriptParser, EndsOnDamagedText) {
  const std::string whole =
      "class Net(Module):\n  w : Tensor\n  def forward(self: __torch__.Net, x: Tensor) -> Tensor:\n"
      "    if torch.gt(x, 1):\n      y = \"a\\n\"\n    else:\n      y, z, = (x)[0:2]\n    return "
      "y\n";
  std::mt19937 random(1);
  for (int round = 0; round < 5'000; ++round) {
    std::string text = whole;
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text.erase(at, random() % 8);
      } else {
        text.insert(at, 1, " \n:()\"[_0x.\t"[random() % 12]);
      }
    }
    const auto file = ParseSource("net.py", text);
    EXPECT_TRUE(file.ok() || !file.error().findings().empty()) << text;
  }
}

}  // namespace
}  // namespace dragoman::torch
