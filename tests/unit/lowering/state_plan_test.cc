// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/state_plan.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "tests/unit/lowering/program.h"

namespace dragoman {
namespace {

// A method of a program on cells of its file.
struct Method {
  std::string name;
  std::function<void(EntryBuilder&)> run;
};

// Lowers `methods` until what they leave in cells is what the plan states.
Model Lower(Heap& heap, const std::vector<Method>& methods) {
  constexpr int kEnough = 8;
  const std::uint64_t last_cell = heap.last_cell();
  StatePlan plan;
  for (int pass = 0; pass < kEnough; ++pass) {
    Model model;
    model.level = Level::kCommon;
    model.opsets.push_back({"", kCommonOpset});
    bool stable = true;
    for (const Method& method : methods) {
      Entry entry;
      entry.name = method.name;
      entry.graph = std::make_unique<Graph>();
      Inference inference;
      heap.Enter();
      EntryBuilder builder(heap, *entry.graph, inference);
      PlannedEntry planned = plan.Begin(heap, builder.builder());
      heap.Enter();
      method.run(builder);
      const std::vector<CellChange> changes = heap.Leave();
      EXPECT_TRUE(StatePlan::Compare(planned, changes, last_cell, heap, builder.builder()).ok());
      stable = planned.stable;
      if (!stable) {
        EXPECT_TRUE(plan.Extend(planned, heap).ok());
        plan.kept.push_back(std::move(entry.graph));
        break;
      }
      heap.Leave();
      BindStates(planned, entry);
      model.entries.push_back(std::move(entry));
    }
    if (!stable) continue;
    model.states = plan.States();
    DropUnusedStates(model);
    return model;
  }
  ADD_FAILURE() << "the plan does not settle";
  return {};
}

std::string Call(Interpreter& interpreter, const Entry& entry) {
  const Result<std::vector<RuntimeValue>> ran = interpreter.Run(entry, {});
  if (!ran.ok()) return ran.error().ToString();
  return ran->empty() ? "" : Text(ran->front());
}

TEST(StatePlanTest, WhatAnEntryWritesIsAState) {
  Heap heap;
  const CellPtr cell = heap.NewCell(StorageContents{nullptr, Tensor::Float(3)});
  cell->path = "count";
  const Abstract count = TensorRef{cell, nullptr};
  const auto give = [&](EntryBuilder& entry) {
    Composer c(entry.builder());
    Value* value = c.Take(heap.Read(entry.builder(), *count.As<TensorRef>()));
    entry.builder().graph().AddOutput(c.Op("Identity", {value}));
  };
  const Model model = Lower(heap, {{"get", give}, {"step", [&](EntryBuilder& entry) {
                                                     EXPECT_TRUE(AddInPlace(entry, count, 1).ok());
                                                     give(entry);
                                                   }}});
  ASSERT_EQ(model.states.size(), 1u);
  EXPECT_EQ(model.states[0].name, "count");
  ASSERT_EQ(model.entries.size(), 2u);
  EXPECT_EQ(model.entries[1].states.size(), 1u);
  Result<Interpreter> interpreter = Interpreter::Make(model);
  ASSERT_TRUE(interpreter.ok()) << interpreter.error().ToString();
  EXPECT_EQ(Call(*interpreter, model.entries[0]), "f32[] 3.0");
  EXPECT_EQ(Call(*interpreter, model.entries[1]), "f32[] 4.0");
  EXPECT_EQ(Call(*interpreter, model.entries[1]), "f32[] 5.0");
  EXPECT_EQ(Call(*interpreter, model.entries[0]), "f32[] 5.0");
}

TEST(StatePlanTest, AStateThatIsOnlyHandedOnIsOneOfTheEntry) {
  Heap heap;
  const auto cell = [&](const char* name, float start) {
    CellPtr made = heap.NewCell(StorageContents{nullptr, Tensor::Float(start)});
    made->path = name;
    return Abstract(TensorRef{std::move(made), nullptr});
  };
  const Abstract now = cell("now", 3);
  const Abstract before = cell("before", 0);
  const auto read = [&](EntryBuilder& entry, const Abstract& from) {
    return Composer(entry.builder()).Take(heap.Read(entry.builder(), *from.As<TensorRef>()));
  };
  const Model model =
      Lower(heap, {{"keep",
                    [&](EntryBuilder& entry) {
                      Value* value = read(entry, now);
                      EXPECT_TRUE(heap.Write(entry.builder(), *before.As<TensorRef>(), value).ok());
                    }},
                   {"step", [&](EntryBuilder& entry) {
                      EXPECT_TRUE(AddInPlace(entry, now, 1).ok());
                      Composer c(entry.builder());
                      entry.builder().graph().AddOutput(c.Op("Identity", {read(entry, before)}));
                    }}});
  ASSERT_EQ(model.entries.size(), 2u);
  EXPECT_EQ(model.entries[0].states.size(), 2u);
  Result<Interpreter> interpreter = Interpreter::Make(model);
  ASSERT_TRUE(interpreter.ok()) << interpreter.error().ToString();
  EXPECT_EQ(Call(*interpreter, model.entries[1]), "f32[] 0.0");
  Call(*interpreter, model.entries[0]);
  EXPECT_EQ(Call(*interpreter, model.entries[1]), "f32[] 4.0");
}

TEST(StatePlanTest, WhatNoEntryChangesIsNone) {
  Heap heap;
  const CellPtr cell = heap.NewCell(StorageContents{nullptr, Tensor::Float(3)});
  const Model model =
      Lower(heap, {{"get", [&](EntryBuilder& entry) {
                      Composer c(entry.builder());
                      Value* value = c.Take(heap.Read(entry.builder(), {cell, nullptr}));
                      entry.builder().graph().AddOutput(c.Neg(value));
                    }}});
  EXPECT_TRUE(model.states.empty());
}

TEST(StatePlanTest, AnAttributeThatIsReplacedIsAState) {
  Heap heap;
  ObjectContents contents{"Net", {{"total", Number::Int(5)}}};
  const CellPtr object = heap.NewCell(std::move(contents));
  const Model model =
      Lower(heap, {{"step", [&](EntryBuilder& entry) {
                      auto& total = heap.Mutable<ObjectContents>(object).attributes[0].second;
                      Composer c(entry.builder());
                      const auto* number = total.As<Number>();
                      Value* before = number->known() ? c.Int(number->AsInt()) : number->symbolic();
                      Value* after = c.Add(before, 2);
                      total = Number{Number::Kind::kInt, after};
                      entry.builder().graph().AddOutput(c.Op("Identity", {after}));
                    }}});
  ASSERT_EQ(model.states.size(), 1u);
  EXPECT_EQ(model.states[0].name, "total");
  Result<Interpreter> interpreter = Interpreter::Make(model);
  ASSERT_TRUE(interpreter.ok()) << interpreter.error().ToString();
  EXPECT_EQ(Call(*interpreter, model.entries[0]), "i64[] 7");
  EXPECT_EQ(Call(*interpreter, model.entries[0]), "i64[] 9");
}

}  // namespace
}  // namespace dragoman
