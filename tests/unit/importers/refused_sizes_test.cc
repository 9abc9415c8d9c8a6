// SPDX-License-Identifier: Apache-2.0
// Bodies whose operators cannot take the sizes at hand: an error of the run that gets there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/interpreter/interpreter.h"
#include "core/ir/parse.h"
#include "importers/onnx/lower.h"

namespace dragoman {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Result<Model> Lowered(std::string_view body) {
  const Result<Model> source =
      ParseText("dragoman 1 source onnx\nopset \"\" 16\n\n" + std::string(body));
  if (!source.ok()) return source.error();
  return LowerOnnx(*source);
}

// The sizes and first element of output 0, or the error.
std::string ResultOf(std::string_view source, const std::vector<Tensor>& inputs) {
  Result<Model> model = Lowered(source);
  if (!model.ok()) return "not lowered: " + model.error().ToString();
  Result<Interpreter> interpreter = Interpreter::Make(*model);
  if (!interpreter.ok()) return interpreter.error().ToString();
  std::vector<RuntimeValue> values;
  for (const Tensor& input : inputs) {
    values.push_back(RuntimeValue::Of(std::move(Array::FromTensor(input)).value()));
  }
  const Result<std::vector<RuntimeValue>> results =
      interpreter->Run(model->entries[0], std::move(values));
  if (!results.ok()) return results.error().ToString();
  const Tensor tensor = results->front().array.ToTensor();
  const std::string text = tensor.type().ToString();
  return tensor.size() == 0 ? text : text + " " + std::to_string(tensor.FloatAt(0));
}

Tensor Number(std::int64_t value) { return Tensor::Int(value); }
Tensor Ones() { return *Tensor::Full(DType::kF32, {6}, 1); }

// One branch for each of two frame lengths; the frame at hand has six elements.
constexpr std::string_view kRates = R"(entry main(%x: f32[6], %rate: i64[]) -> (%y: f32[*]) {
  const %eight: i64[] = 8
  %narrow = onnx.Equal(%rate, %eight)
  %y = onnx.If(%narrow) {
else_branch = graph wide() -> (%b) {
      const %rows: i64[2] = [2, 3]
      %b = onnx.Reshape(%x, %rows)
    },
    then_branch = graph eight() -> (%a) {
      const %rows_2: i64[2] = [2, 4]
      %a = onnx.Reshape(%x, %rows_2) @frames
    }
  }
}
)";

TEST(RefusedSizes, ABranchIsAnErrorWhenItIsTaken) {
  EXPECT_EQ(ResultOf(kRates, {Ones(), Number(16)}), "f32[2, 3] 1.000000");
  EXPECT_THAT(ResultOf(kRates, {Ones(), Number(8)}),
              AllOf(HasSubstr("assertion failed"), HasSubstr("node 'frames' (onnx.Reshape)"),
                    HasSubstr("another number of elements")));
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST(RefusedSizes, TheElseBranchAsWell) {
  std::string swapped = Replaced(std::string(kRates), "[2, 3]", "[5, 3]");
  swapped = Replaced(swapped, "[2, 4]", "[3, 2]");
  EXPECT_EQ(ResultOf(swapped, {Ones(), Number(8)}), "f32[3, 2] 1.000000");
  EXPECT_THAT(ResultOf(swapped, {Ones(), Number(16)}), HasSubstr("assertion failed"));
}

TEST(RefusedSizes, WhereBothBranchesRefuseThemTheModelDoes) {
  const std::string both = Replaced(std::string(kRates), "[2, 3]", "[5, 3]");
  EXPECT_THAT(ResultOf(both, {Ones(), Number(8)}), HasSubstr("not lowered"));
}

TEST(RefusedSizes, ASizeThatIsNotKnownIsLeftToTheRun) {
  const std::string symbolic = Replaced(std::string(kRates), "f32[6]", "f32[n]");
  EXPECT_EQ(ResultOf(symbolic, {Ones(), Number(16)}), "f32[2, 3] 1.000000");
  EXPECT_THAT(ResultOf(symbolic, {Ones(), Number(8)}), HasSubstr("another number of elements"));
}

// What no size makes right is an error of the file: element types, and operands that are missing.
TEST(RefusedSizes, OtherErrorsAreThoseOfTheFile) {
  const std::string types =
      Replaced(std::string(kRates), "onnx.Reshape(%x, %rows_2)", "onnx.Mod(%x, %rate)");
  EXPECT_THAT(ResultOf(types, {Ones(), Number(16)}), HasSubstr("not lowered"));
  const std::string operands =
      Replaced(std::string(kRates), "onnx.Reshape(%x, %rows_2)", "onnx.Reshape(%x)");
  EXPECT_THAT(ResultOf(operands, {Ones(), Number(16)}), HasSubstr("not lowered"));
}

constexpr std::string_view kLoop =
    R"(entry main(%x: f32[6], %n: i64[]) -> (%y: f32[*], %all: f32[*]) {
  const %true: bool[] = true
  %y, %all = onnx.Loop(%n, %true, %x) {
    body = graph turn(%i: i64[], %more: bool[], %carried: f32[6]) -> (%more, %sum, %slice: f32[2, 4]) {
      const %rows: i64[2] = [2, 4]
      %slice = onnx.Reshape(%carried, %rows) @frames
      %sum = onnx.Add(%carried, %carried)
    }
  }
}
)";

TEST(RefusedSizes, ALoopIsAnErrorWhenItHasATurn) {
  EXPECT_EQ(ResultOf(kLoop, {Ones(), Number(0)}), "f32[6] 1.000000");
  EXPECT_THAT(ResultOf(kLoop, {Ones(), Number(2)}),
              AllOf(HasSubstr("assertion failed"), HasSubstr("node 'frames' (onnx.Reshape)")));
}

TEST(RefusedSizes, ALoopWithATurnRefusesTheModel) {
  const std::string known =
      Replaced(Replaced(std::string(kLoop), "onnx.Loop(%n,", "onnx.Loop(%three,"), "  const %true",
               "  const %three: i64[] = 3\n  const %true");
  EXPECT_THAT(ResultOf(known, {Ones(), Number(0)}), HasSubstr("not lowered"));
}

TEST(RefusedSizes, NestedBodiesAreThoseOfTheInnerNode) {
  constexpr std::string_view kNested =
      R"(entry main(%x: f32[6], %a: bool[], %b: bool[]) -> (%y: f32[*]) {
  %y = onnx.If(%a) {
else_branch = graph other() -> (%o) {
      %o = onnx.Neg(%x)
    },
    then_branch = graph outer() -> (%i) {
      %i = onnx.If(%b) {
    else_branch = graph good() -> (%g) {
          %g = onnx.Abs(%x)
        },
        then_branch = graph bad() -> (%r) {
          const %rows: i64[2] = [2, 4]
          %r = onnx.Reshape(%x, %rows)
        }
      }
    }
  }
}
)";
  const Tensor yes = *Tensor::Full(DType::kBool, {}, 1);
  const Tensor no = *Tensor::Full(DType::kBool, {}, 0);
  EXPECT_EQ(ResultOf(kNested, {Ones(), no, yes}), "f32[6] -1.000000");
  EXPECT_EQ(ResultOf(kNested, {Ones(), yes, no}), "f32[6] 1.000000");
  EXPECT_THAT(ResultOf(kNested, {Ones(), yes, yes}), HasSubstr("assertion failed"));
}

}  // namespace
}  // namespace dragoman
