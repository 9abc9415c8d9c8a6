// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/infer_options.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/unit/test_folder.h"

namespace dragoman::rt {
namespace {

TEST(InferOptionsTest, NamesAndFilesMayHoldEqualsSigns) {
  const TestFolder folder;
  const std::string file = folder / "step=1.npy";
  std::ofstream(file) << "numbers";
  std::string program = "infer", option = "--input", given = "x=" + file, absent = "a=b=c.npy";
  char* arguments[] = {program.data(), option.data(), given.data(), option.data(), absent.data()};
  const InferOptions options = ParseInferOptions({}, 5, arguments);
  ASSERT_EQ(options.inputs.size(), 2u);
  EXPECT_EQ(options.inputs[0].first, "x");
  EXPECT_EQ(options.inputs[0].second, file);
  EXPECT_EQ(options.inputs[1].first, "a=b");
  EXPECT_EQ(options.inputs[1].second, "c.npy");
}

}  // namespace
}  // namespace dragoman::rt
