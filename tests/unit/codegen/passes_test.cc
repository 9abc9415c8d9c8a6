// SPDX-License-Identifier: Apache-2.0
// What the passes on the Plan make of steps.
#include "codegen/onednn/plan/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/onednn/emit/text.h"
#include "codegen/onednn/plan/scalar_ops.h"
#include "tests/unit/codegen/plan_of.h"

namespace dragoman::onednn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(FusePostOps, KnowsTheFunctionOfEveryActivation) {
  constexpr int kLast = static_cast<int>(rt::FusedActivation::kHardSigmoid);
  EXPECT_EQ(FindScalarOp(ScalarNameOf(rt::FusedActivation::kNone)), nullptr);
  for (int i = 1; i <= kLast; ++i) {
    const std::string_view name = ScalarNameOf(static_cast<rt::FusedActivation>(i));
    EXPECT_NE(FindScalarOp(name), nullptr) << name;
  }
}

TEST(FuseMaps, MakesOneLoopOfAChainThatBroadcasts) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[4, 8], %r: f32[4, 1]) -> (%y: f32[4, 8]) {
    const %two: f32[] = 2.0
    %a = onnx.Mul(%x, %two)
    %b = onnx.Sub(%a, %r)
    %c = onnx.Tanh(%b)
    %y = onnx.Add(%c, %a)
  })");
  EXPECT_THAT(Steps(plan), ElementsAre(IsA<MapStep>()));
  EXPECT_THAT(Steps(plan)[0].As<MapStep>()->terms, SizeIs(4));
  EXPECT_THAT(Steps(plan)[0].inputs, SizeIs(2));
}

TEST(FuseMaps, KeepsWhatAnotherStepReads) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[8]) -> (%y: f32[8], %z: f32[8]) {
    %a = onnx.Exp(%x)
    %y = onnx.Tanh(%a)
    %z = onnx.Softmax(%a)
  })");
  EXPECT_THAT(Steps(plan), ElementsAre(IsA<MapStep>(), IsA<KernelStep>()));
  EXPECT_THAT(Steps(plan)[0].results, SizeIs(2));
}

TEST(FuseMaps, LeavesLoopsWhoseResultIsNeededInBetween) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[8]) -> (%y: f32[8]) {
    %a = onnx.Exp(%x)
    %s = onnx.Softmax(%a)
    %y = onnx.Add(%a, %s)
  })");
  EXPECT_THAT(Steps(plan), ElementsAre(IsA<MapStep>(), IsA<KernelStep>(), IsA<MapStep>()));
}

// A product, and after it `nodes`, which make %y of its result %v and of %s.
std::string Product(std::string_view nodes) {
  return R"(graph main(%x: f32[2, 3], %r: f32[2, 2]) -> (%y: f32[2, 2]) {
    const %w: f32[2, 3] = [[0.5, 1.0, -0.25], [0.0, 2.0, 1.0]]
    const %low: f32[] = -3.0
    const %three: f32[] = 3.0
    const %six: f32[] = 6.0
    const %zero: f32[] = 0.0
    const %root: f32[] = 1.41421354
    const %one: f32[] = 1.0
    const %half: f32[] = 0.5
    const %hundred: f32[] = 100.0
    const %fifth: f32[] = 0.2
    const %minus: f32[] = -0.2
    const %foot: f32[] = 2.0
    const %top: f32[] = 2.02
    const %end: f32[] = 2.04
    const %large: f32[] = 12582912.0
    %s = onnx.Softmax(%r)
    %v = dragoman.Linear(%x, %w)
    )" + std::string(nodes) +
         "\n}";
}

// oneDNN has only slow code for it.
TEST(FusePostOps, LeavesWhatIsAddedBehindTheActivationOfAConvolution) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 2, 5, 5]) -> (%y: f32[1, 2, 5, 5]) {
    const %w: f32[2, 2, 1, 1] = [[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]
    %r = onnx.Conv(%x, %w)
    %c = onnx.Conv(%r, %w)
    %a = onnx.Relu(%c)
    %y = onnx.Add(%r, %a)
  })");
  EXPECT_THAT(PostOpsText(plan.prepared.at(1).post), HasSubstr("residual=*/false"));
  EXPECT_THAT(PostOpsText(plan.prepared.at(1).post), HasSubstr("kRelu"));
  EXPECT_TRUE(Steps(plan).back().Is<MapStep>());
}

TEST(FusePostOps, KnowsFunctionsByTheirValues) {
  const std::pair<const char*, const char*> kCases[] = {
      {"%y = onnx.Relu(%v)", "kRelu"},
      {"%y = onnx.Clip(%v, %zero, %six)", "kClip, 0.0f, 6.0f"},
      {"%y = onnx.Max(%v, %zero)", "kRelu"},
      {"%a = onnx.Sigmoid(%v)\n%y = onnx.Mul(%a, %v)", "kSwish"},
      {"%a = onnx.Add(%v, %three)\n%b = onnx.Clip(%a, %zero, %six)\n%c = onnx.Mul(%v, %b)\n"
       "%y = onnx.Div(%c, %six)",
       "kHardSwish"},
      {"%a = onnx.Div(%v, %root)\n%b = onnx.Erf(%a)\n%c = onnx.Add(%b, %one)\n"
       "%d = onnx.Mul(%v, %c)\n%y = onnx.Mul(%d, %half)",
       "kGelu"},
      {"%y = onnx.Add(%s, %v)",
       "residual=*/true, /*activation_first=*/false, "
       "rt::FusedActivation::kNone"},
      {"%a = onnx.Add(%v, %s)\n%y = onnx.Relu(%a)",
       "residual=*/true, /*activation_first=*/false, "
       "rt::FusedActivation::kRelu"},
  };
  for (const auto& [nodes, post] : kCases) {
    const Plan plan = PlanOf(Product(nodes));
    EXPECT_THAT(PostOpsText(plan.prepared.at(0).post), HasSubstr(post)) << nodes;
    EXPECT_TRUE(Steps(plan).back().Is<PreparedStep>()) << nodes;
  }
}

TEST(FusePostOps, LeavesWhatIsOnlyAlike) {
  for (const char* nodes :
       {"%a = onnx.Sigmoid(%v)\n%b = onnx.Mul(%a, %v)\n%y = onnx.Mul(%b, %half)",
        "%a = onnx.Clip(%v, %zero, %six)\n%y = onnx.Sub(%a, %s)",
        "%a = onnx.Add(%v, %large)\n%y = onnx.Sub(%a, %large)",
        "%a = onnx.Clip(%s, %low, %three)\n%y = onnx.Add(%v, %a)",
        "%a = onnx.Min(%s, %hundred)\n%y = onnx.Add(%a, %v)",
        "%p = onnx.Relu(%v)\n%a = onnx.Mul(%p, %hundred)\n%b = onnx.Round(%a)\n"
        "%y = onnx.Div(%b, %hundred)",
        // A bounded function that has the bounds of Clip.
        "%a = onnx.Abs(%v)\n%b = onnx.Add(%a, %one)\n%c = onnx.Div(%v, %b)\n"
        "%y = onnx.Clip(%c, %minus, %fifth)",
        // Relu with a triangle upon it, from 2 to 2.04.
        "%p = onnx.Relu(%v)\n%a = onnx.Sub(%v, %foot)\n%b = onnx.Relu(%a)\n"
        "%c = onnx.Sub(%v, %top)\n%d = onnx.Relu(%c)\n%e = onnx.Sub(%v, %end)\n"
        "%f = onnx.Relu(%e)\n%g = onnx.Mul(%d, %foot)\n%h = onnx.Sub(%b, %g)\n"
        "%i = onnx.Add(%h, %f)\n%y = onnx.Add(%p, %i)"}) {
    const Plan plan = PlanOf(Product(nodes));
    EXPECT_FALSE(plan.prepared.at(0).post.residual) << nodes;
    EXPECT_TRUE(Steps(plan).back().Is<MapStep>()) << nodes;
  }
}

constexpr std::string_view kImages = R"(graph main(%x: f32[1, 16, 8, 8]) -> (%y: f32[1, 32, 1, 1]) {
    const %w: f32[16, 16, 1, 1] = zeros
    %a = onnx.Conv(%x, %w) {kernel_shape = [1, 1]}
    %b = onnx.Conv(%a, %w) {kernel_shape = [1, 1]}
    %c = onnx.Concat(%a, %b) {axis = 1}
    %y = onnx.GlobalAveragePool(%c)
  })";

std::string Images() {
  std::string text(kImages);
  std::string zeros;
  for (int i = 0; i < 16; ++i) {
    zeros += i == 0 ? "[" : ", [";
    for (int j = 0; j < 16; ++j) zeros += j == 0 ? "[[0.0]]" : ", [[0.0]]";
    zeros += "]";
  }
  return text.replace(text.find("zeros"), 5, "[" + zeros + "]");
}

TEST(FormLayoutGroups, JoinsWhatAConcatenationJoins) {
  const Plan plan = PlanOf(Images());
  ASSERT_THAT(plan.groups, SizeIs(1));
  EXPECT_EQ(Named(plan, "a").group, 0);
  EXPECT_EQ(Named(plan, "b").group, 0);
  EXPECT_EQ(Named(plan, "c").group, 0);
  EXPECT_EQ(Named(plan, "y").group, kRowMajor);
}

TEST(FormLayoutGroups, ReducesImagesWhereTheyLie) {
  for (const std::string reduction :
       {"onnx.GlobalMaxPool(%c)", "onnx.ReduceMax(%c, %axes)", "onnx.ReduceMean(%c, %axes)"}) {
    std::string text = Images();
    const std::string pool = "onnx.GlobalAveragePool(%c)", weights = "const %w";
    text.replace(text.find(pool), pool.size(), reduction);
    text.insert(text.find(weights), "const %axes: i64[2] = [3, -2]\n");
    const Plan plan = PlanOf(text);
    EXPECT_EQ(Named(plan, "c").group, 0) << reduction;
  }
}

// Between convolutions whose images have sizes known only at run time.
TEST(FormLayoutGroups, LeavesSizesToTheRun) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[n, 3, h, h]) -> (%y: f32[n, 2, h, h]) {
    const %half: f32[] = 0.5
    const %s1: i64[4] = [24, 3, 1, 1]
    const %s2: i64[4] = [24, 24, 1, 1]
    const %s3: i64[4] = [2, 24, 1, 1]
    %w1 = onnx.Expand(%half, %s1)
    %w2 = onnx.Expand(%half, %s2)
    %w3 = onnx.Expand(%half, %s3)
    %a = onnx.Conv(%x, %w1)
    %b = onnx.Relu(%a)
    %c = onnx.Conv(%b, %w2)
    %d = onnx.Add(%c, %b)
    %y = onnx.Conv(%d, %w3)
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("rt::DynamicConv", "rt::DynamicConv", "rt::DynamicConv"));
  EXPECT_THAT(PostOpsText(plan.prepared[0].post), HasSubstr("kRelu"));
  EXPECT_EQ(Steps(plan)[1].As<PreparedStep>()->residual, Steps(plan)[0].results.front());
  EXPECT_EQ(Named(plan, "b").group, Named(plan, "d").group);
  EXPECT_NE(Named(plan, "d").group, kRowMajor);
  EXPECT_EQ(Named(plan, "y").group, kRowMajor);
}

TEST(ShareMemory, MakesTheOperandsOfAConcatenationInPlace) {
  const Plan plan = PlanOf(Images());
  EXPECT_EQ(Named(plan, "a").at, Named(plan, "c").at);
  EXPECT_EQ(Named(plan, "b").at, Named(plan, "c").at + 16 * 64 * 4);
  EXPECT_TRUE(Steps(plan)[2].Is<InPlaceStep>());
}

TEST(ShareMemory, StoresALoopOverItsOperand) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[16]) -> (%y: f32[16]) {
    %a = onnx.Softmax(%x)
    %b = onnx.Exp(%a)
    %y = onnx.Softmax(%b)
  })");
  EXPECT_EQ(Named(plan, "a").at, Named(plan, "b").at);
  EXPECT_EQ(plan.arena_bytes, 64);
}

TEST(ShareMemory, KeepsThePartsOfAConcatenationThatAreReadLater) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 16], %z: f32[1, 16]) -> (%y, %w) {
    %a = onnx.Softmax(%x)
    %b = onnx.Softmax(%z)
    %c = onnx.Concat(%a, %b) {axis = 1}
    %d = onnx.Exp(%c)
    %y = onnx.Softmax(%d)
    %w = onnx.LogSoftmax(%a)
  })");
  EXPECT_EQ(Named(plan, "a").at, Named(plan, "c").at);
  EXPECT_NE(Named(plan, "d").at, Named(plan, "c").at);
}

TEST(ShareMemory, StoresNoLoopOverAnOperandOfWhichItReadsAPartToo) {
  const Plan sliced = PlanOf(R"(graph main(%x: f32[4, 64]) -> (%y) {
    const %i: i64[] = 0
    %a = onnx.Softmax(%x)
    %p = onnx.Gather(%a, %i) {axis = 0}
    %d = onnx.Add(%a, %p)
    %y = onnx.Softmax(%d)
  })");
  EXPECT_EQ(Named(sliced, "p").at, Named(sliced, "a").at);
  EXPECT_NE(Named(sliced, "d").at, Named(sliced, "a").at);
  const Plan joined = PlanOf(R"(graph main(%x: f32[1, 64], %z: f32[3, 64]) -> (%y) {
    %a = onnx.Softmax(%x)
    %b = onnx.Softmax(%z)
    %c = onnx.Concat(%a, %b) {axis = 0}
    %d = onnx.Add(%c, %a)
    %y = onnx.Softmax(%d)
  })");
  EXPECT_EQ(Named(joined, "a").at, Named(joined, "c").at);
  EXPECT_NE(Named(joined, "d").at, Named(joined, "c").at);
}

// %p and %q are read in %a, which nothing is stored over as long as they are needed; every second
// element lies apart.
TEST(ShareMemory, ReadsInPlaceWhatLiesInOnePiece) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 4, 16]) -> (%y, %z, %v, %u, %w) {
    const %zero: i64[1] = [0]
    const %one: i64[1] = [1]
    const %three: i64[1] = [3]
    const %two: i64[1] = [2]
    const %last: i64[] = -1
    %a = onnx.Softmax(%x)
    %p, %q = onnx.Split(%a) {axis = 1, num_outputs = 2}
    %s = onnx.Slice(%a, %one, %three, %one)
    %t = onnx.Gather(%a, %last) {axis = 1}
    %e = onnx.Slice(%a, %zero, %three, %one, %two)
    %b = onnx.Exp(%a)
    %y = onnx.Softmax(%b)
    %z = onnx.Concat(%p, %s, %q) {axis = 0}
    %v = onnx.LogSoftmax(%t)
    %u = onnx.LogSoftmax(%q)
    %w = onnx.LogSoftmax(%e)
  })");
  const std::int64_t at = Named(plan, "a").at;
  EXPECT_EQ(Named(plan, "p").at, at);
  EXPECT_EQ(Named(plan, "q").at, at + 2 * 16 * 4);
  EXPECT_EQ(Named(plan, "s").at, at + 16 * 4);
  EXPECT_EQ(Named(plan, "t").at, at + 3 * 16 * 4);
  EXPECT_NE(Named(plan, "b").at, at);
  EXPECT_TRUE(Steps(plan)[1].Is<InPlaceStep>());
  EXPECT_TRUE(Steps(plan)[4].Is<KernelStep>());
}

// The element types of what the steps make, in their order.
std::string MadeTypes(const Plan& plan) {
  std::string text;
  for (const Step& step : Steps(plan)) {
    for (BufferId id : step.results) {
      const Buffer& buffer = plan.buffer(id);
      text += buffer.label + ":" + std::string(Name(buffer.dtype)) + " ";
    }
  }
  return text;
}

constexpr PlanOptions kHalf{.precision = rt::Precision::kBF16};

TEST(NarrowActivations, LeavesInputsOutputsAndLastLayersWide) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 2, 6, 6]) -> (%y: f32[1, 2]) {
    const %w: f32[2, 2, 1, 1] = [[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]
    const %v: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]]
    %a = onnx.Conv(%x, %w)
    %b = onnx.Relu(%a)
    %p = onnx.MaxPool(%b) {kernel_shape = [2, 2]}
    %c = onnx.Conv(%p, %w)
    %e = onnx.Exp(%c)
    %d = onnx.Conv(%e, %w)
    %g = onnx.GlobalAveragePool(%d)
    %f = onnx.Flatten(%g)
    %y = dragoman.Linear(%f, %v)
  })",
                           kHalf);
  EXPECT_EQ(MadeTypes(plan), "b:bf16 p:bf16 c:bf16 e:bf16 d:f32 g:f32 f_2:f32 y:f32 ");
}

TEST(NarrowActivations, GoesAroundStepsThatHandleF32Alone) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[4, 2]) -> (%y) {
    const %w: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]]
    const %s: f32[2] = [1.0, 2.0]
    const %pairs: i64[3] = [2, 2, 2]
    %a = dragoman.Linear(%x, %w)
    %b = onnx.Softmax(%a)
    %c = dragoman.Linear(%b, %w)
    %n = onnx.LayerNormalization(%c, %s)
    %d = dragoman.Linear(%n, %w)
    %r = onnx.Reshape(%d, %pairs)
    %e = dragoman.Linear(%r, %w)
    %y = dragoman.Linear(%e, %w)
  })",
                           kHalf);
  EXPECT_EQ(MadeTypes(plan), "a:f32 b:f32 c:f32 n:bf16 d:bf16 r:bf16 e:f32 y:f32 ");
}

TEST(NarrowActivations, LeavesResidualSumsWide) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[4, 2]) -> (%y: f32[4, 2]) {
    const %w: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]]
    %a = dragoman.Linear(%x, %w)
    %b = dragoman.Linear(%a, %w)
    %c = dragoman.Linear(%b, %w)
    %d = onnx.Add(%a, %c)
    %e = dragoman.Linear(%d, %w)
    %y = dragoman.Linear(%e, %w)
  })",
                           kHalf);
  EXPECT_EQ(MadeTypes(plan), "a:f32 b:bf16 d:f32 e:f32 y:f32 ");
}

// The first layer looks at what the caller gives, the fifth at what a quotient gave. The last one
// has a weight that is not a number.
TEST(TrustOperands, OfOperatorsThatLookedAtTheirs) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 2, 5, 5], %d: f32[1, 2, 4, 4])
      -> (%y: f32[1, 2, 4, 4]) {
    const %w: f32[2, 2, 1, 1] = [[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]
    const %n: f32[2, 2, 1, 1] = [[[[1.0]], [[nan]]], [[[3.0]], [[4.0]]]]
    %c1 = onnx.Conv(%x, %w)
    %r1 = onnx.Relu(%c1)
    %c2 = onnx.Conv(%r1, %w)
    %r2 = onnx.Relu(%c2)
    %p = onnx.MaxPool(%r2) {kernel_shape = [2, 2]}
    %c3 = onnx.Conv(%p, %w)
    %r3 = onnx.Relu(%c3)
    %c4 = onnx.Conv(%r3, %n)
    %r4 = onnx.Relu(%c4)
    %q = onnx.Div(%r3, %d)
    %c5 = onnx.Conv(%q, %w)
    %r5 = onnx.Relu(%c5)
    %c6 = onnx.Conv(%r4, %w)
    %s6 = onnx.Add(%c6, %r5)
    %y = onnx.Relu(%s6)
  })");
  std::vector<bool> trusts;
  for (const Prepared& prepared : plan.prepared) {
    if (prepared.type == "rt::PreparedConv") trusts.push_back(prepared.post.trusts_operands);
  }
  EXPECT_THAT(trusts, ElementsAre(false, true, true, false, false, false));
}

}  // namespace
}  // namespace dragoman::onednn
