// SPDX-License-Identifier: Apache-2.0
// Sizes that a file declares and inference cannot prove (docs/declared-sizes.md) are checked by a
// run.
#include <gtest/gtest.h>

#include <string>

#include "core/interpreter/interpreter.h"
#include "core/ir/parse.h"

namespace dragoman {
namespace {

// What is wrong with a run whose NonZero finds two elements, declared as `type`; empty: nothing.
std::string ErrorOf(const std::string& type) {
  const Result<Model> model = ParseText(
      "graph g() -> (%y) {\n"
      "  const %x: f32[3] = [1, 0, 2]\n"
      "  %y: " +
      type + " = onnx.NonZero(%x) @found\n}");
  EXPECT_TRUE(model.ok()) << model.error().ToString();
  Result<Interpreter> interpreter = Interpreter::Make(*model);
  EXPECT_TRUE(interpreter.ok());
  const auto values = interpreter->Run(model->entries[0], {});
  return values.ok() ? "" : values.error().ToString();
}

TEST(ClaimsTest, AClaimThatHoldsIsNotInTheWay) {
  EXPECT_EQ(ErrorOf("i64[1, 2]"), "");
  EXPECT_EQ(ErrorOf("i64[1, ?]"), "");
  EXPECT_EQ(ErrorOf("i64[1, n]"), "");
}

TEST(ClaimsTest, ASizeThatIsNotAsDeclaredIsAnError) {
  const std::string error = ErrorOf("i64[1, 3]");
  EXPECT_NE(error.find("result 0 is i64[1, 2], declared as i64[1, 3]"), std::string::npos) << error;
  EXPECT_NE(error.find("found"), std::string::npos) << error;
}

TEST(ClaimsTest, ARankThatIsNotAsDeclaredIsAnError) {
  const std::string error = ErrorOf("i64[2]");
  EXPECT_NE(error.find("declared as i64[2]"), std::string::npos) << error;
}

}  // namespace
}  // namespace dragoman
