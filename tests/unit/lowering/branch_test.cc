// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/branch.h"

#include <gmock/gmock.h>

#include "tests/unit/lowering/program.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

TEST(BranchTest, MergesWhatEitherWayWritesThroughAView) {
  Program program;
  Value* condition = program.Input("condition", DType::kBool);
  const Abstract tensor = program.NewTensor({1, 2});
  const Abstract view = Heap::View(*tensor.As<TensorRef>(), ElementAt(1));
  Branches branches;
  branches.run = [&](bool holds, bool, std::vector<Abstract>& results) {
    if (holds) {
      EXPECT_TRUE(AddInPlace(program.entry(), view, 10).ok());
    }
    results.push_back(holds ? Number::Int(3) : Number::Int(4));
    results.push_back(Number::Int(7));
    return Flow::kNext;
  };
  std::vector<Abstract> results;
  const Result<Flow> flow = RunBranches(program.entry(), condition, branches, results);
  ASSERT_TRUE(flow.ok()) << flow.error().ToString();
  EXPECT_EQ(*flow, Flow::kNext);
  EXPECT_EQ(program.Count("If"), 1);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(*results[1].As<Number>(), Number::Int(7));  // the same on both ways
  program.Output(tensor);
  program.Output(view);
  program.Output(results[0].As<Number>()->symbolic());
  EXPECT_EQ(program.Run({Bool(true)}), "f64[2] 1.0 12.0; f64[1] 12.0; i64[] 3");
  EXPECT_EQ(program.Run({Bool(false)}), "f64[2] 1.0 2.0; f64[1] 2.0; i64[] 4");
}

TEST(BranchTest, AWayThatRaisesBecomesAnAssert) {
  Program program;
  Value* condition = program.Input("condition", DType::kBool);
  const Abstract tensor = program.NewTensor({1});
  std::vector<bool> for_good;
  Branches branches;
  branches.run = [&](bool holds, bool alone, std::vector<Abstract>&) {
    for_good.push_back(alone);
    if (holds) {
      program.entry().raised = "it must not hold";
      return Flow::kRaised;
    }
    EXPECT_TRUE(AddInPlace(program.entry(), tensor, 1).ok());
    return Flow::kNext;
  };
  std::vector<Abstract> results;
  const Result<Flow> flow = RunBranches(program.entry(), condition, branches, results);
  ASSERT_TRUE(flow.ok()) << flow.error().ToString();
  EXPECT_EQ(*flow, Flow::kNext);
  EXPECT_EQ(for_good, (std::vector<bool>{false, false, true}));
  EXPECT_EQ(program.Count("If"), 0);
  program.Output(tensor);
  EXPECT_EQ(program.Run({Bool(false)}), "f64[1] 2.0");
  EXPECT_THAT(program.Run({Bool(true)}), HasSubstr("it must not hold"));
}

TEST(BranchTest, BothWaysThatRaiseRaise) {
  Program program;
  Value* condition = program.Input("condition", DType::kBool);
  Branches branches;
  branches.run = [](bool, bool, std::vector<Abstract>&) { return Flow::kRaised; };
  std::vector<Abstract> results;
  const Result<Flow> flow = RunBranches(program.entry(), condition, branches, results);
  ASSERT_TRUE(flow.ok());
  EXPECT_EQ(*flow, Flow::kRaised);
}

TEST(BranchTest, NoneOnOneWayAndATensorOnTheOtherAreAnOptional) {
  Program program;
  Value* condition = program.Input("condition", DType::kBool);
  const Abstract tensor = program.NewTensor({1, 2});
  Branches branches;
  branches.run = [&](bool holds, bool, std::vector<Abstract>& results) {
    results.push_back(holds ? tensor : Abstract(None()));
    return Flow::kNext;
  };
  std::vector<Abstract> results;
  ASSERT_TRUE(RunBranches(program.entry(), condition, branches, results).ok());
  const auto* maybe = results[0].As<Maybe>();
  ASSERT_NE(maybe, nullptr);
  program.Output(maybe->present);
  program.Output(*maybe->payload);
  EXPECT_EQ(program.Run({Bool(true)}), "bool[] true; f64[2] 1.0 2.0");
}

TEST(BranchTest, RefusesWaysWithoutACommonForm) {
  Program program;
  Value* condition = program.Input("condition", DType::kBool);
  Branches branches;
  branches.run = [&](bool holds, bool, std::vector<Abstract>& results) {
    results.push_back(holds ? program.NewTensor({1}) : Abstract(Number::Int(1)));
    return Flow::kNext;
  };
  std::vector<Abstract> results;
  const Result<Flow> flow = RunBranches(program.entry(), condition, branches, results);
  ASSERT_FALSE(flow.ok());
  EXPECT_THAT(flow.error().ToString(), HasSubstr("a tensor on one way and an int on another"));
}

}  // namespace
}  // namespace dragoman
