// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/heap.h"

#include <gmock/gmock.h>

#include "tests/unit/lowering/program.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

TEST(HeapTest, AWriteThroughAViewIsSeenByAliases) {
  Program program;
  const Abstract tensor = program.NewTensor({1, 2, 3});
  const Abstract alias = tensor;
  const Abstract view = Heap::View(*tensor.As<TensorRef>(), ElementAt(1));
  ASSERT_TRUE(AddInPlace(program.entry(), view, 10).ok());
  program.Output(alias);
  program.Output(view);
  EXPECT_EQ(program.Run({}), "f64[3] 1.0 12.0 3.0; f64[1] 12.0");
}

TEST(HeapTest, AViewOfAViewWritesToTheStorage) {
  Program program;
  const Abstract tensor = program.NewTensor({1, 2, 3, 4});
  ViewStep behind;
  behind.get = [](GraphBuilder& builder, Value* base) {
    Composer c(builder);
    return c.Done(c.Slice(base, 0, 1, kEnd));
  };
  const TensorRef rest = Heap::View(*tensor.As<TensorRef>(), behind);
  ASSERT_TRUE(AddInPlace(program.entry(), Heap::View(rest, ElementAt(2)), 10).ok());
  program.Output(tensor);
  EXPECT_EQ(program.Run({}), "f64[4] 1.0 2.0 3.0 14.0");
}

TEST(HeapTest, LeaveTakesChangesBackAndGivesThem) {
  Program program;
  const Abstract tensor = program.NewTensor({1});
  Heap& heap = program.heap();
  heap.Enter();
  const Abstract inner = program.NewTensor({5});
  ASSERT_TRUE(AddInPlace(program.entry(), tensor, 1).ok());
  ASSERT_TRUE(AddInPlace(program.entry(), inner, 1).ok());
  const std::vector<CellChange> changes = heap.Leave();
  ASSERT_EQ(changes.size(), 1u);  // the other cell was made in the stretch
  EXPECT_EQ(changes[0].cell, tensor.As<TensorRef>()->storage);
  program.Output(tensor);
  EXPECT_EQ(program.Run({}), "f64[1] 1.0");
}

TEST(HeapTest, ReadsAConstantAsItsDecodeMakesIt) {
  Program program;
  const CellPtr cell = program.heap().NewCell(StorageContents{nullptr, Tensor::Int(6)});
  int calls = 0;
  program.heap().SetDecode(cell, [&](GraphBuilder& root, Value* stored) {
    ++calls;
    return root.Add("Neg", {stored});
  });
  program.Output(Abstract(TensorRef{cell, nullptr}));
  program.Output(Abstract(TensorRef{cell, nullptr}));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(program.Run({}), "i64[] -6; i64[] -6");
}

class Color : public ForeignValue {
 public:
  explicit Color(std::string color) : name(std::move(color)) {}
  std::string Describe() const override { return "a color"; }
  bool IsSame(const ForeignValue& other) const override {
    const auto* color = dynamic_cast<const Color*>(&other);
    return color != nullptr && color->name == name;
  }
  std::string name;
};

TEST(AbstractTest, ForeignValuesAreKeptByTheirOwnClass) {
  const Abstract value = Color("red");
  ASSERT_TRUE(value.Is<Color>());
  EXPECT_EQ(value.As<Color>()->name, "red");
  EXPECT_FALSE(value.Is<Number>());
  EXPECT_FALSE(Abstract(Number::Int(1)).Is<Color>());
  EXPECT_EQ(Describe(value), "a color");
}

TEST(MergerTest, ForeignValuesAreMergedIfTheyAreTheSame) {
  Program program;
  Merger merger;
  Result<MergedValue> same = merger.Merge(Color("red"), Color("red"));
  ASSERT_TRUE(same.ok());
  EXPECT_EQ((*same)(program.heap(), {}).As<Color>()->name, "red");
  EXPECT_TRUE(merger.leaves().empty());
  const Result<MergedValue> other = merger.Merge(Color("red"), Color("blue"));
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().ToString(), HasSubstr("a color on one way and a color on another"));
}

}  // namespace
}  // namespace dragoman
