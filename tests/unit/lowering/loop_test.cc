// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/loop.h"

#include <gmock/gmock.h>

#include "core/lowering/number_value.h"
#include "tests/unit/lowering/program.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

// The sum of two numbers of the program.
Number Plus(EntryBuilder& entry, const Number& a, const Number& b) {
  if (a.known() && b.known()) return Number::Int(a.AsInt() + b.AsInt());
  GraphBuilder& builder = entry.builder();
  Composer c(builder);
  Value* sum = c.Add(c.Take(NumberValue(builder, a, DType::kI64)),
                     c.Take(NumberValue(builder, b, DType::kI64)));
  return {Number::Kind::kInt, sum};
}

// A loop of `trips` iterations that adds 1 to `cell` and the number of the iteration to what it
// carries.
SourceLoop Counting(Program& program, const Number& trips, const Abstract& cell) {
  SourceLoop loop;
  loop.trips = trips;
  loop.carried = {Number::Int(100)};
  loop.names = {"total"};
  loop.body = [&program, cell](const Number& turn, const std::vector<Abstract>& carried,
                               std::vector<Abstract>& results) {
    EXPECT_TRUE(AddInPlace(program.entry(), cell, 1).ok());
    results = {Number::Bool(true), Plus(program.entry(), *carried[0].As<Number>(), turn)};
    return Flow::kNext;
  };
  return loop;
}

TEST(LoopTest, AShortLoopOfKnownLengthIsUnrolled) {
  Program program;
  const Abstract cell = program.NewTensor({0, 5});
  std::vector<Abstract> results;
  const Result<Flow> flow =
      RunLoop(program.entry(), Counting(program, Number::Int(4), cell), results);
  ASSERT_TRUE(flow.ok()) << flow.error().ToString();
  EXPECT_EQ(program.Count("Loop"), 0);
  EXPECT_EQ(*results[0].As<Number>(), Number::Int(106));
  program.Output(cell);
  EXPECT_EQ(program.Run({}), "f64[2] 4.0 9.0");
}

TEST(LoopTest, CarriesWhatTheBodyChangesInCells) {
  Program program;
  const Abstract trips = program.NumberInput("trips", Number::Kind::kInt);
  const Abstract cell = program.NewTensor({0, 5});
  const Abstract view = Heap::View(*cell.As<TensorRef>(), ElementAt(0));
  std::vector<Abstract> results;
  const Result<Flow> flow =
      RunLoop(program.entry(), Counting(program, *trips.As<Number>(), view), results);
  ASSERT_TRUE(flow.ok()) << flow.error().ToString();
  EXPECT_EQ(program.Count("Loop"), 1);
  program.Output(cell);
  program.Output(results[0].As<Number>()->symbolic());
  EXPECT_EQ(program.Run({Tensor::Int(0)}), "f64[2] 0.0 5.0; i64[] 100");
  EXPECT_EQ(program.Run({Tensor::Int(3)}), "f64[2] 3.0 5.0; i64[] 103");
}

TEST(LoopTest, AListThatGrowsBecomesASequence) {
  Program program;
  const Abstract trips = program.NumberInput("trips", Number::Kind::kInt);
  const Abstract list = program.heap().NewList({});
  SourceLoop loop;
  loop.trips = *trips.As<Number>();
  loop.body = [&](const Number& turn, const std::vector<Abstract>&,
                  std::vector<Abstract>& results) {
    EntryBuilder& entry = program.entry();
    auto& contents = program.heap().Mutable<ListContents>(list.As<ListRef>()->cell);
    const Abstract item = Number(turn);
    if (contents.sequence == nullptr) {
      contents.items.push_back(item);
    } else {
      Composer c(entry.builder());
      Value* number = c.Take(NumberValue(entry.builder(), turn, DType::kI64));
      contents.sequence = c.Op("SequenceInsert", {contents.sequence, number});
    }
    results = {Number::Bool(true)};
    return Flow::kNext;
  };
  std::vector<Abstract> results;
  const Result<Flow> flow = RunLoop(program.entry(), loop, results);
  ASSERT_TRUE(flow.ok()) << flow.error().ToString();
  const auto& contents = std::get<ListContents>(list.As<ListRef>()->cell->contents);
  ASSERT_NE(contents.sequence, nullptr);
  program.Output(contents.sequence);
  EXPECT_EQ(program.Run({Tensor::Int(3)}), "[i64[] 0, i64[] 1, i64[] 2]");
  EXPECT_EQ(program.Run({Tensor::Int(0)}), "[]");
}

TEST(LoopTest, TheConditionOfATurnEndsTheLoop) {
  Program program;
  const Abstract limit = program.NumberInput("limit", Number::Kind::kInt);
  const Abstract cell = program.NewTensor({0});
  SourceLoop loop;
  loop.carried = {Number::Int(0)};
  loop.names = {"i"};
  loop.body = [&](const Number&, const std::vector<Abstract>& carried,
                  std::vector<Abstract>& results) {
    EXPECT_TRUE(AddInPlace(program.entry(), cell, 1).ok());
    const Number next = Plus(program.entry(), *carried[0].As<Number>(), Number::Int(1));
    GraphBuilder& builder = program.entry().builder();
    Composer c(builder);
    Value* more =
        c.Less(c.Take(NumberValue(builder, next, DType::kI64)), limit.As<Number>()->symbolic());
    results = {Number{Number::Kind::kBool, more}, next};
    return Flow::kNext;
  };
  std::vector<Abstract> results;
  const Result<Flow> flow = RunLoop(program.entry(), loop, results);
  ASSERT_TRUE(flow.ok()) << flow.error().ToString();
  program.Output(cell);
  EXPECT_EQ(program.Run({Tensor::Int(5)}), "f64[1] 5.0");
  EXPECT_EQ(program.Run({Tensor::Int(-5)}), "f64[1] 1.0");
}

TEST(LoopTest, ABodyThatAlwaysRaisesIsAnErrorOfARunThatGetsThere) {
  Program program;
  const Abstract trips = program.NumberInput("trips", Number::Kind::kInt);
  SourceLoop loop;
  loop.trips = *trips.As<Number>();
  loop.body = [&](const Number&, const std::vector<Abstract>&, std::vector<Abstract>&) {
    program.entry().raised = "no way";
    return Flow::kRaised;
  };
  std::vector<Abstract> results;
  loop.carried = {Abstract(Number::Int(7))};
  loop.names = {"x"};
  const Result<Flow> flow = RunLoop(program.entry(), loop, results);
  ASSERT_TRUE(flow.ok()) << flow.error().ToString();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].As<Number>()->AsInt(), 7);
  program.Output(program.NewTensor({1}));
  EXPECT_EQ(program.Run({Tensor::Int(0)}), "f64[1] 1.0");
  EXPECT_EQ(program.Run({Tensor::Int(-1)}), "f64[1] 1.0");
  EXPECT_THAT(program.Run({Tensor::Int(2)}), HasSubstr("assertion failed: no way"));
}

}  // namespace
}  // namespace dragoman
