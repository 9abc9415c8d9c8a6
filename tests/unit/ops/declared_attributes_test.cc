// SPDX-License-Identifier: Apache-2.0
// Attributes that a node leaves out have the default that its operator declares.
#include "core/ops/declared_attributes.h"

#include <gtest/gtest.h>

#include "core/ir/parse.h"

namespace dragoman {
namespace {

class DeclaredAttributes : public testing::Test {
 protected:
  // The node that makes %y; `inputs` as in a graph's head.
  const Node& Make(const std::string& inputs, const std::string& call) {
    auto model = ParseText("graph main(" + inputs + ") -> (%y) {\n%y = " + call + "\n}\n");
    EXPECT_TRUE(model.ok()) << model.error().ToString();
    model_ = *std::move(model);
    return *model_.main().nodes().begin();
  }

 private:
  Model model_;
};

TEST_F(DeclaredAttributes, TheNodeDecides) {
  const Node& node = Make("%x: f32[2, 3]", "onnx.Softmax(%x) {axis = 0}");
  EXPECT_EQ(IntAttribute(node, "axis"), 0);
}

TEST_F(DeclaredAttributes, ThenItsOperator) {
  EXPECT_EQ(IntAttribute(Make("%x: f32[2, 3]", "onnx.Softmax(%x)"), "axis"), -1);
  EXPECT_EQ(IntAttribute(Make("%x: f32[2, 3]", "onnx.Flatten(%x)"), "axis"), 1);
  EXPECT_EQ(FloatAttribute(Make("%x: f32[2, 3]", "onnx.LeakyRelu(%x)"), "alpha"), 0.01f);
  EXPECT_EQ(TextAttribute(Make("%x: f32[2, 3], %p: i64[4]", "onnx.Pad(%x, %p)"), "mode"),
            "constant");
}

TEST_F(DeclaredAttributes, NothingIsZero) {
  EXPECT_EQ(IntAttribute(Make("%x: f32[2, 3]", "other.Softmax(%x)"), "axis"), 0);
  EXPECT_EQ(TextAttribute(Make("%x: f32[2, 3]", "onnx.Softmax(%x)"), "mode"), "");
}

}  // namespace
}  // namespace dragoman
