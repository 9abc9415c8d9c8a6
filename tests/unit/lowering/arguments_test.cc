// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/arguments.h"

#include <gmock/gmock.h>

#include "core/lowering/argument_names.h"
#include "core/lowering/results.h"
#include "tests/unit/lowering/program.h"

namespace dragoman {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A format whose only opaque type is "int".
class TestArguments : public ArgumentMaker {
 public:
  using ArgumentMaker::ArgumentMaker;

 protected:
  Result<Abstract> MakeOpaque(const std::string& path, const Type& type,
                              const Attribute*) override {
    if (const auto kind = NumberKind(type)) return MakeNumber(path, *kind);
    return Unsupported("argument '" + path + "' is of type " + type.opaque_name());
  }
  std::optional<Number::Kind> NumberKind(const Type& type) const override {
    const bool is_int = type.kind() == Type::Kind::kOpaque && type.opaque_name() == "int";
    return is_int ? std::optional(Number::Kind::kInt) : std::nullopt;
  }
};

const Type kTensor = Type::Tensor(DType::kUnknown);
const Type kInt = Type::Opaque("test", "int");

Facts FactsOf(const std::vector<std::string>& texts) {
  Facts facts;
  for (const std::string& text : texts) facts.shapes.push_back(ParseShapeFact(text).value());
  return facts;
}

// The inputs that an argument `x` of `type` becomes: "x.0: f32[2]", or the error.
std::vector<std::string> InputsOf(const Type& type, const Facts& facts) {
  Program program;
  std::vector<std::string> assumed;
  TestArguments maker(facts, program.heap(), program.builder(), assumed);
  const Result<Abstract> made = maker.Make("x", type, nullptr);
  if (!made.ok()) return {made.error().ToString()};
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < program.graph().num_inputs(); ++i) {
    const Value& input = *program.graph().input(i);
    inputs.push_back(input.name() + ": " + input.type().ToString());
  }
  return inputs;
}

TEST(ArgumentMakerTest, ATupleBecomesAnInputForEachLeaf) {
  EXPECT_THAT(InputsOf(Type::Tuple({kTensor, kInt}), FactsOf({"x.0=2,?"})),
              ElementsAre("x.0: f32[2, x_0_1]", "x.1: i64[]"));
}

TEST(ArgumentMakerTest, AListIsAsLongAsFactsState) {
  EXPECT_THAT(InputsOf(Type::Sequence(kTensor), FactsOf({"x.0=2", "x.1=int64:3"})),
              ElementsAre("x.0: f32[2]", "x.1: i64[3]"));
  EXPECT_THAT(InputsOf(Type::Sequence(kInt), {}), ElementsAre("x: seq<i64[]>"));
}

TEST(ArgumentMakerTest, AnOptionalWithoutFactIsNone) {
  EXPECT_THAT(InputsOf(Type::Optional(kTensor), {}), ElementsAre());
  EXPECT_THAT(InputsOf(Type::Optional(kTensor), FactsOf({"x=4"})), ElementsAre("x: f32[4]"));
}

TEST(ArgumentMakerTest, RefusesTypesThatTheFormatDoesNotKnow) {
  EXPECT_THAT(InputsOf(Type::Opaque("test", "Socket"), {}),
              ElementsAre(HasSubstr("argument 'x' is of type Socket")));
}

TEST(ArgumentNamesTest, PositionsCountFlatInputs) {
  const std::vector<DeclaredArgument> arguments = {
      {"x", kTensor}, {"hc", Type::Tuple({kTensor, kTensor})}, {"y", kTensor}};
  EXPECT_EQ(CanonicalInput(arguments, "hc.1"), "hc.1");
  EXPECT_EQ(CanonicalInput(arguments, "2"), "hc.1");
  EXPECT_EQ(CanonicalInput(arguments, "3"), "y");
  EXPECT_EQ(CanonicalInput(arguments, "1.0"), "hc.0");
  EXPECT_EQ(CanonicalInput(arguments, "4"), std::nullopt);
  EXPECT_EQ(CanonicalInput(arguments, "z"), std::nullopt);
  const Result<Facts> facts = CanonicalFacts(arguments, FactsOf({"z=1"}));
  ASSERT_FALSE(facts.ok());
  EXPECT_THAT(facts.error().ToString(), HasSubstr("the arguments are 'x', 'hc', 'y'"));
}

TEST(ResultsTest, LeavesAreNamedByTheirPath) {
  Program program;
  const Abstract list =
      program.heap().NewList({program.NewTensor({1}), None(), program.NewTensor({2})});
  const Abstract results = Tuple{
      std::make_shared<const std::vector<Abstract>>(std::vector<Abstract>{Number::Int(4), list})};
  const auto negated = [](GraphBuilder& builder, Value* value) {
    return builder.Add("Neg", {value});
  };
  ASSERT_TRUE(AddResults(results, program.heap(), program.builder(), negated).ok());
  std::vector<std::string> names;
  for (const Use& use : program.graph().outputs()) names.push_back(use.value()->name());
  EXPECT_THAT(names, ElementsAre("output.0", "output.1.0", "output.1.2"));
  EXPECT_EQ(program.Run({}), "i64[] 4; f64[1] -1.0; f64[1] -2.0");
}

}  // namespace
}  // namespace dragoman
