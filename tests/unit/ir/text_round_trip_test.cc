// SPDX-License-Identifier: Apache-2.0
// parse(print(m)) is m: each case is a text that must come back as it stands, so that it shows at
// once what the parser accepts and what the printer writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/ir/parse.h"
#include "core/ir/print.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

void ExpectComesBack(const std::string& text) {
  const Result<Model> model = ParseText(text);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(PrintText(*model), text);
}

TEST(TextRoundTrip, EverythingThatAModelHolds) {
  ExpectComesBack(R"(dragoman 1 source onnx
opset "" 13
opset "ai.onnx.ml" 2
metadata "author" = "A \"quoted\" name\n"
extra {onnx.ir_version = 8, onnx.producer_name = "pytorch"}
state h: f32[1, 2] = f32[1, 2] [[0.0, 0.5]]

entry main @"torch jit"(%x: f32[n, 3], %h: f32[1, 2]) -> (%y: f32[n, 3], %h_next: f32[1, 2])
    arguments (x: tensor 0, options: dict (k: scalar 1, t: tuple (optional (tensor 0))))
    results (list (tensor 0))
    state 0 input 1 -> output 1 {
  extra {onnx.doc_string = "a graph"}
  const %w: f32[2] = [1.0, -2.0]
  %y, %h_next = onnx.Foo(%x, _, %h, %w) {axis = 1} @/layer/Foo
}

entry second() -> () {}

function onnx:local.f:fast @body(%x) -> (%y)
    opset "" 13
    attributes ["alpha", "beta"]
    defaults {gamma = 1.0}
    extra {onnx.doc_string = "a function"} {
  %y = onnx.Elu(%x) {alpha = $alpha(1)}
}
)");
}

TEST(TextRoundTrip, SubgraphsAndCaptures) {
  ExpectComesBack(R"(dragoman 1 source onnx

entry main(%c: bool[], %x: f32[2]) -> (%y: f32[2]) {
  %y = onnx.If(%c) {then_branch = graph then() -> (%t: f32[2]) {
    %t = onnx.Neg(%x)
  }, else_branch = graph() -> (%e: f32[2]) {
    %e = onnx.Loop(_, %c, %x) {body = graph inner(%i, %go, %v) -> (%go, %v) {
      %unused = onnx.Add(%v, %later)
    }}
  }}
  %later = onnx.Abs(%x)
}
)");
}

TEST(TextRoundTrip, ValuesThatShareAName) {
  ExpectComesBack(R"(dragoman 1 source onnx

entry main(%x, %x~1: f32[2], %~0: bool[]) -> (%x~2: f32[2], _, %~1) {
  %x~2, _, %~1 = onnx.Foo(%x~1, %~0)
  onnx.If(%x) {then_branch = graph() -> (%x~3) {
    %x~3 = onnx.Neg(%x~2)
  }}
}
)");
}

TEST(TextRoundTrip, OddNames) {
  ExpectComesBack(R"(dragoman 1 source "my dialect"

entry "my entry" @""(%onnx::Add_1, %/a/b.c, %"a b", %"\xff\x00\"", %1) -> (%x-y) {
  %x-y = onnx."my op"(%onnx::Add_1) {"a b" = 1, a.b = 2} @"my node"
  onnx:"odd domain".Foo()
  aten.add.Tensor()
  onnx:ai.onnx.ml.Scaler()
}
)");
}

TEST(TextRoundTrip, EveryKindOfAttribute) {
  ExpectComesBack(R"(dragoman 1 source onnx

entry main() -> () {
  onnx.Foo() {a = none, b = -9223372036854775808, c = 1.0, d = double 0.1, e = true, f = "s\x00"}
  onnx.Foo() {a = f32[2, 1] [[1.0], [2.0]], b = sparse [5] (f32[1] [2.0], i64[1] [4])}
  onnx.Foo() {a = type seq<f32[1, n, ?]>, b = @name, c = @"odd name", d = $alpha(7)}
  onnx.Foo() {a = complex(1.0, -0.0), b = [1, 2], c = [1.0, inf], d = ["a", ""]}
  onnx.Foo() {a = ints [], b = floats [], c = strings [], d = doubles [], e = doubles [1.5]}
  onnx.Foo() {a = tensors [i64[] 1, ?[] empty], b = sparse_tensors [], c = graphs [graph() -> () {}]}
  onnx.Foo() {a = types [i8[*], ?], b = list [1, "a", list []], c = {x = 1, y = {}}}
  onnx.Foo() {a = 1 extra {doc = "one"}, a = 2} extra {onnx.doc_string = "same name twice"}
}
)");
}

TEST(TextRoundTrip, FloatsByBits) {
  ExpectComesBack(R"(dragoman 1 source onnx

entry main() -> () {
  onnx.Foo() {a = [0.1, -0.0, nan, nan:0x7fc00001, nan:0xff800001, -inf, 1e-45, 3.4028235e+38]}
  onnx.Foo() {a = doubles [0.1, -0.0, nan, nan:0xfff0000000000001, 5e-324]}
}
)");
}

TEST(TextRoundTrip, EveryElementType) {
  ExpectComesBack(R"(dragoman 1 source onnx

entry main() -> () {
  const %f32: f32[3] = [0.1, nan, -0.0]
  const %f64: f64[2] = [0.1, 1e+300]
  const %f16: f16[4] = [0.1, nan, nan:0x7e01, 65504.0]
  const %bf16: bf16[3] = [0.1, -inf, nan:0x7f81]
  const %f8a: f8e4m3fn[4] = [0.1, nan, nan:0xff, 448.0]
  const %f8b: f8e4m3fnuz[2] = [nan, -240.0]
  const %f8c: f8e5m2[3] = [inf, nan, nan:0x7d]
  const %f8d: f8e5m2fnuz[2] = [nan, 0.09]
  const %f8e: f8e8m0[3] = [1.0, 6e-39, nan]
  const %f4: f4e2m1[3] = [0.5, -6.0, -0.0]
  const %i64: i64[1] = [-9223372036854775808]
  const %u64: u64[1] = [18446744073709551615]
  const %i32: i32[] = -1
  const %i16: i16[1] = [-32768]
  const %i8: i8[1] = [-128]
  const %u8: u8[2, 1, 2] = [[[1, 2]], [[3, 255]]]
  const %i4: i4[3] = [-8, 7, 1]
  const %u4: u4[3] = [0, 15, 1]
  const %i2: i2[3] = [-2, 1, 0]
  const %u2: u2[5] = [0, 1, 2, 3, 1]
  const %b: bool[2] = [true, false]
  const %s: str[2] = ["a", "\xff"]
  const %c64: c64[1] = [(1.0, nan)]
  const %c128: c128[1] = [(-0.0, 0.1)]
  const %none: f32[0, 2] = []
  const %sparse: sparse f32[5] = sparse [5] (f32[1] [2.0], i64[1] [4])
  const %other: f32[?] = f32[2] [1.0, 2.0]
  const %dictionary: f32[2] = value {raw_data = [1, 2]}
  const %ints: f32[2] = value [1, 2]
  const %missing
}
)");
}

TEST(TextRoundTrip, EveryCodeOfSmallFloats) {
  for (const DType dtype :
       {DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ, DType::kF8E8M0,
        DType::kF4E2M1, DType::kF16, DType::kBF16}) {
    const int bits = Info(dtype).bits;
    std::string bytes;
    for (int code = 0; code < (1 << bits); ++code) {
      bytes += static_cast<char>(code);
      if (bits == 16) bytes += static_cast<char>(code >> 8);
    }
    if (bits == 4) bytes = std::string("\x10\x32\x54\x76\x98\xba\xdc\xfe", 8);
    Result<Tensor> tensor = Tensor::Make(dtype, {1 << bits}, Buffer::Own(bytes));
    ASSERT_TRUE(tensor.ok());
    const std::string text = PrintAttribute(*tensor, {.inline_elements = 1 << bits});
    const Result<Attribute> parsed = ParseAttribute(text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().ToString();
    EXPECT_EQ(*parsed->tensor(), *tensor) << Name(dtype);
  }
}

TEST(TextRoundTrip, OriginsOfEveryNode) {
  ExpectComesBack(R"(dragoman 1 common onnx

entry main(%x) -> (%y) {
  const %w: f32[] = 1.0 !0
  %y !3, %z = dragoman.Linear(%x, %w) !2
}

origins {
  !0 = "onnx.MatMul" @/linear/MatMul scope "/linear" at "policy.py:87" {axis = 1}
  !1 = "onnx.Add"
  !2 = !0 + !1
  !3 = !2 + !0
}
)");
}

TEST(TextRoundTrip, LargeTensorsAreBase64) {
  const std::string text = R"(dragoman 1 source onnx

entry main() -> () {
  const %w: u8[4] = base64 "AQID/w=="
}
)";
  const Result<Model> model = ParseText(text);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(PrintText(*model, {.inline_elements = 3}), text);
  EXPECT_THAT(PrintText(*model), HasSubstr("const %w: u8[4] = [1, 2, 3, 255]"));
}

TEST(TextRoundTrip, LargeTensorsCanLieElsewhere) {
  const Result<Model> model = ParseText("graph() -> () { const %w: u8[4] = [1, 2, 3, 4] }");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  const std::string text = PrintText(
      *model, {.inline_elements = 3, .store = [](const Tensor&) { return "sha256:ab:0"; }});
  EXPECT_THAT(text, HasSubstr("const %w: u8[4] = sha256:ab:0\n"));

  const Result<Model> back =
      ParseText(text, {.load = [](std::string_view reference, std::size_t size) {
                  EXPECT_EQ(reference, "sha256:ab:0");
                  EXPECT_EQ(size, 4u);
                  return Result<Buffer>(Buffer::Own("\1\2\3\4"));
                }});
  ASSERT_TRUE(back.ok()) << back.error().ToString();
  EXPECT_EQ(PrintText(*back), PrintText(*model));
  EXPECT_FALSE(ParseText(text).ok());
}

TEST(TextRoundTrip, ManyNodes) {
  std::string text = "graph(%v0) -> (%v200000) {\n";
  for (int i = 0; i < 200000; ++i) {
    text += "%v" + std::to_string(i + 1) + " = onnx.Neg(%v" + std::to_string(i) + ")\n";
  }
  const Result<Model> model = ParseText(text + "}");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->main().num_nodes(), 200000u);
}

}  // namespace
}  // namespace dragoman
