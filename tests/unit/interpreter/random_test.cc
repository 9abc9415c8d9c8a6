// SPDX-License-Identifier: Apache-2.0
// Nodes that draw random numbers, run by the interpreter: what depends on the seed, and what not.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/ir/parse.h"

namespace dragoman {
namespace {

class RandomTest : public testing::Test {
 protected:
  // A graph with the result %y, of f32.
  void Make(const std::string& body) {
    Result<Model> model = ParseText("graph g() -> (%y) {\n" + body + "\n}");
    ASSERT_TRUE(model.ok()) << model.error().ToString();
    model_ = std::move(*model);
  }

  // What `calls` calls give that start from `seed`.
  std::vector<std::vector<float>> Run(std::uint64_t seed, int calls = 1) {
    Result<Interpreter> interpreter = Interpreter::Make(model_);
    EXPECT_TRUE(interpreter.ok());
    interpreter->SetSeed(seed);
    std::vector<std::vector<float>> results;
    for (int i = 0; i < calls; ++i) {
      const auto values = interpreter->Run(model_.entries[0], {});
      EXPECT_TRUE(values.ok()) << values.error().ToString();
      const Tensor y = values->front().array.ToTensor();
      results.emplace_back();
      for (std::int64_t j = 0; j < y.size(); ++j)
        results.back().push_back(static_cast<float>(y.FloatAt(j)));
    }
    return results;
  }

  Model model_;
};

TEST_F(RandomTest, TheSameSeedGivesTheSameNumbersEachCallOthers) {
  Make("%y = onnx.RandomNormal() {shape = [3]}");
  const auto first = Run(5, 2);
  EXPECT_EQ(first, Run(5, 2));
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(first, Run(6, 2));
}

TEST_F(RandomTest, ASeedOfTheNodeIsRespected) {
  Make("%y = onnx.RandomUniform() {shape = [3], seed = 7.0, low = 2.0, high = 3.0}");
  EXPECT_EQ(Run(5), Run(6));
  const std::vector<float> drawn = Run(0)[0];
  for (float value : drawn) {
    EXPECT_GE(value, 2);
    EXPECT_LT(value, 3);
  }
}

TEST_F(RandomTest, TwoNodesDrawDifferentNumbers) {
  Make(
      "const %x: f32[4] = [0, 0, 0, 0]\n%a = onnx.RandomNormalLike(%x)\n"
      "%b = onnx.RandomNormalLike(%x)\n%y = onnx.Sub(%a, %b)");
  EXPECT_NE(Run(0)[0][0], 0);
}

TEST_F(RandomTest, DropoutDrawsOnlyInTraining) {
  const std::string data = "const %x: f32[4] = [1, 2, 3, 4]\nconst %r: f32[] = 0.5\n";
  const std::vector<float> whole = {1, 2, 3, 4};
  Make(data + "const %t: bool[] = false\n%y = onnx.Dropout(%x, %r, %t)");
  EXPECT_EQ(Run(1)[0], whole);
  Make(data + "const %f: bool[] = false\n%t = onnx.Not(%f)\n%y = onnx.Dropout(%x, %r, %t)");
  const std::vector<float> dropped = Run(1)[0];
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_TRUE(dropped[i] == 0 || dropped[i] == 2 * whole[i]) << dropped[i];
}

}  // namespace
}  // namespace dragoman
