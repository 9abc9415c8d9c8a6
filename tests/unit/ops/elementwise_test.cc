// SPDX-License-Identifier: Apache-2.0
// Shape rules and elements of unary, binary, choosing and casting operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/ops/infer_text.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

// The elements of %y, computed from %s = i64[2] {n, 3}.
std::string Elements(const std::string& body) {
  return Infer("%x: f32[n, 3]", "%s = onnx.Shape(%x)\n" + body);
}

TEST(Elementwise, UnaryKeepsTheType) {
  EXPECT_EQ(Infer("%x: f16[n, ?]", "%y = onnx.Exp(%x)"), "f16[n, ?]");
  EXPECT_EQ(Infer("%x: f32[*]", "%y = onnx.Gelu(%x) {approximate = \"tanh\"}"), "f32[*]");
  EXPECT_EQ(Infer("%x: f32[n]", "%y = onnx.IsNaN(%x)"), "bool[n]");
}

TEST(Elementwise, UnaryRefusesOtherElementTypes) {
  EXPECT_THAT(Infer("%x: i64[2]", "%y = onnx.Exp(%x)"), HasSubstr("has element type i64"));
  EXPECT_THAT(Infer("%x: f32[2]", "%y = onnx.Not(%x)"), HasSubstr("expected bool"));
}

TEST(Elementwise, BinaryBroadcasts) {
  EXPECT_EQ(Infer("%a: f32[n, 1, 4], %b: f32[3, 1]", "%y = onnx.Add(%a, %b)"), "f32[n, 3, 4]");
  EXPECT_EQ(Infer("%a: f32[n], %b: f32[m]", "%y = onnx.Mul(%a, %b)"), "f32[broadcast(m, n)]");
  EXPECT_EQ(Infer("%a: i32[n], %b: i32[]", "%y = onnx.Less(%a, %b)"), "bool[n]");
  EXPECT_EQ(Infer("%a: f32[2], %b: f32[*]", "%y = onnx.Add(%a, %b)"), "f32[*]");
  EXPECT_THAT(Infer("%a: f32[2], %b: f32[3]", "%y = onnx.Add(%a, %b)"),
              HasSubstr("cannot be broadcast"));
}

TEST(Elementwise, VariadicBroadcastsAll) {
  EXPECT_EQ(Infer("%a: f32[n, 1], %b: f32[3], %c: f32[]", "%y = onnx.Max(%a, %b, %c)"),
            "f32[n, 3]");
  EXPECT_THAT(Infer("%a: f32[3]", "%y = onnx.Sum(%a, _, %a)"),
              HasSubstr("operand 1 (data_0) is missing"));
}

TEST(Elementwise, PReluSlopeBroadcastsToTheOperandOnly) {
  EXPECT_EQ(Infer("%x: f32[n, 3], %s: f32[3]", "%y = onnx.PRelu(%x, %s)"), "f32[n, 3]");
  EXPECT_THAT(Infer("%x: f32[1, 3], %s: f32[2, 3]", "%y = onnx.PRelu(%x, %s)"),
              HasSubstr("expected one that broadcasts to"));
}

TEST(Elementwise, BitShiftNeedsADirection) {
  EXPECT_THAT(Infer("%x: u8[2]", "%y = onnx.BitShift(%x, %x)"),
              HasSubstr("attribute 'direction' is missing"));
  EXPECT_EQ(Infer("%x: u8[2]", "%y = onnx.BitShift(%x, %x) {direction = \"LEFT\"}"), "u8[2]");
}

TEST(Elementwise, ArithmeticFollowsElements) {
  EXPECT_EQ(Elements("const %c: i64[] = 2\n%y = onnx.Mul(%s, %c)"), "i64[2] = 2*n, 6");
  EXPECT_EQ(Elements("const %c: i64[1] = [2]\n%y = onnx.Div(%s, %c)"), "i64[2] = n // 2, 1");
  EXPECT_EQ(Elements("const %c: i64[2] = [4, 2]\n%y = onnx.Mod(%s, %c)"), "i64[2] = n % 4, 1");
  EXPECT_EQ(Elements("const %c: i64[2, 1] = [[0], [1]]\n%y = onnx.Add(%s, %c)"),
            "i64[2, 2] = n, 3, n + 1, 4");
  EXPECT_EQ(Elements("%m = onnx.Neg(%s)\n%y = onnx.Sub(%m, %s)"), "i64[2] = -2*n, -6");
  EXPECT_EQ(Elements("const %c: i64[] = 1\n%y = onnx.Max(%s, %c)"), "i64[2] = max(1, n), 3");
}

TEST(Elementwise, QuotientsRoundTowardsZero) {
  EXPECT_EQ(Infer("", "const %a: i64[2] = [-7, 7]\nconst %b: i64[] = 2\n%y = onnx.Div(%a, %b)"),
            "i64[2] = -3, 3");
  EXPECT_EQ(Infer("", "const %a: i64[2] = [-7, 7]\nconst %b: i64[] = 4\n%y = onnx.Mod(%a, %b)"),
            "i64[2] = 1, 3");
  EXPECT_EQ(Infer("",
                  "const %a: i64[1] = [-7]\nconst %b: i64[] = 4\n"
                  "%y = onnx.Mod(%a, %b) {fmod = 1}"),
            "i64[1] = -3");
}

TEST(Elementwise, DivisionByZeroIsUnknown) {
  EXPECT_EQ(Elements("const %c: i64[] = 0\n%y = onnx.Div(%s, %c)"), "i64[2] = ?, ?");
}

TEST(Elementwise, WrappedElementsAreUnknown) {
  EXPECT_EQ(Infer("", "const %a: i32[1] = [2147483647]\n%y = onnx.Add(%a, %a)"), "i32[1] = ?");
  EXPECT_EQ(Infer("", "const %a: u8[1] = [1]\n%y = onnx.Neg(%a)"), "u8[1] = ?");
}

TEST(Elementwise, ComparisonsAndLogicDecideWhatSizesTell) {
  EXPECT_EQ(Elements("const %c: i64[] = -1\n%y = onnx.Equal(%s, %c)"), "bool[2] = 0, 0");
  EXPECT_EQ(Elements("const %c: i64[] = 3\n%y = onnx.Equal(%s, %c)"), "bool[2] = ?, 1");
  EXPECT_EQ(Elements("const %c: i64[] = 0\n%l = onnx.Less(%s, %c)\n%y = onnx.Not(%l)"),
            "bool[2] = 1, 1");
  EXPECT_EQ(Elements("const %c: i64[] = 3\nconst %f: bool[] = false\n"
                     "%e = onnx.Equal(%s, %c)\n%y = onnx.And(%e, %f)"),
            "bool[2] = 0, 0");
}

TEST(Elementwise, ElementsBeyondInt64AreUnknown) {
  const std::string most = "const %m: u64[2] = [18446744073709551615, 2]\n";
  EXPECT_EQ(Infer("", most + "%y = onnx.Identity(%m)"), "u64[2] = ?, 2");
  EXPECT_EQ(Infer("", most + "const %o: u64[] = 1\n%y = onnx.Greater(%m, %o)"), "bool[2] = ?, 1");
  EXPECT_EQ(Infer("",
                  "const %n: i64[1] = [2]\n%y = onnx.ConstantOfShape(%n) "
                  "{value = u64[1] [18446744073709551615]}"),
            "u64[2] = ?, ?");
}

TEST(Elementwise, WhereChoosesElements) {
  EXPECT_EQ(Elements("const %m: i64[] = -1\nconst %o: i64[2] = [1, 1]\n"
                     "%e = onnx.Equal(%s, %m)\n%y = onnx.Where(%e, %o, %s)"),
            "i64[2] = n, 3");
  EXPECT_EQ(Infer("%c: bool[n, 1], %x: str[3], %z: str[]", "%y = onnx.Where(%c, %x, %z)"),
            "str[n, 3]");
}

TEST(Elementwise, ClipLimitsElements) {
  EXPECT_EQ(Elements("const %hi: i64[] = 2\n%y = onnx.Clip(%s, _, %hi)"), "i64[2] = min(2, n), 2");
  EXPECT_THAT(Infer("%x: f32[4], %lo: f32[2]", "%y = onnx.Clip(%x, %lo)"),
              HasSubstr("expected one element"));
}

TEST(Elementwise, IdentityPassesAnythingOn) {
  EXPECT_EQ(Elements("%y = onnx.Identity(%s)"), "i64[2] = n, 3");
  EXPECT_EQ(Infer("%x: seq<f32[n]>", "%y = onnx.Identity(%x)"), "seq<f32[n]>");
}

TEST(Cast, GivesTheElementTypeAndKeepsIntegers) {
  EXPECT_EQ(Infer("%x: f32[n]", "%y = onnx.Cast(%x) {to = 10}"), "f16[n]");
  EXPECT_EQ(Elements("%y = onnx.Cast(%s) {to = 6}"), "i32[2] = n, 3");
  EXPECT_EQ(Elements("%y = onnx.Cast(%s) {to = 9}"), "bool[2] = ?, 1");
  EXPECT_EQ(Elements("%y = onnx.Cast(%s) {to = 1}"), "f32[2]");
  EXPECT_EQ(Elements("%y = onnx.Cast(%s) {to = 3}"), "i8[2] = ?, 3");
}

TEST(Cast, RefusesWhatIsNoElementType) {
  EXPECT_THAT(Infer("%x: f32[n]", "%y = onnx.Cast(%x)"), HasSubstr("'to' is missing"));
  EXPECT_THAT(Infer("%x: f32[n]", "%y = onnx.Cast(%x) {to = 99}"),
              HasSubstr("not an element type"));
  EXPECT_THAT(Infer("%x: f32[n]", "%y = onnx.Cast(%x) {to = 14}"), HasSubstr("cast to c64"));
}

}  // namespace
}  // namespace dragoman
