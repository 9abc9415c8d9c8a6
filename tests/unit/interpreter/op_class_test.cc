// SPDX-License-Identifier: Apache-2.0
// The class of each operator, proved by running it: rewrites and emitters rely on it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/ir/parse.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

using Words = std::vector<std::string>;

// What the text gives as %y, without its results if they are not a tensor; nullopt: it is refused.
std::optional<Tensor> RunText(const std::string& body) {
  const Result<Model> model = ParseText("graph g() -> (%y) {\n" + body + "\n}");
  if (!model.ok()) return std::nullopt;
  Result<Interpreter> interpreter = Interpreter::Make(*model);
  if (!interpreter.ok()) return std::nullopt;
  const auto values = interpreter->Run(model->entries[0], {});
  if (!values.ok() || values->front().kind != RuntimeValue::Kind::kTensor) return std::nullopt;
  return values->front().array.ToTensor();
}

Words ElementsOf(const Tensor& tensor) {
  Words words;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    words.push_back(tensor.dtype() == DType::kString ? tensor.strings()[at]
                                                     : fmt::format("{}", tensor.FloatAt(i)));
  }
  return words;
}

// Twelve elements of operand `index` that the operator takes, as graph text has them.
Words Samples(const OpDef& def, DType dtype, std::size_t index) {
  Words words = {"-1.5", "0.25", "2.0", "-0.5", "0.75", "1.0"};
  if (IsInteger(dtype)) words = {"5", "3", "0", "6", "1", "2"};
  if (dtype == DType::kBool) words = {"true", "false", "true", "true", "false", "false"};
  if (dtype == DType::kString)
    words = {"\"abcdef\"",   "\"Abcdef\"", "\"ABCDEF\"",
             "\"  abcdef\"", "\"äÖabcd\"", "\"!?abcdef\""};
  if (def.Label() == "dragoman.Base64Decode")
    words = {"\"abcdef\"", "\"Abcdef\"", "\"ABCDEF\"", "\"ab\"", "\"-_\"", "\"\""};
  std::rotate(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(index), words.end());
  for (std::size_t i = 6; i > 0; --i) words.push_back(words[i - 1]);
  return words;
}

// An element type that operand `i` may have.
DType DTypeOf(const Signature& signature, std::size_t i) {
  const Formal& formal = *signature.Operand(i);
  if (formal.variable < 0) return formal.fixed;
  const DTypeSet& allowed = signature.variables[static_cast<std::size_t>(formal.variable)].allowed;
  for (DType dtype : {DType::kF32, DType::kI64, DType::kI32, DType::kU8, DType::kBool}) {
    if (allowed.Has(dtype)) return dtype;
  }
  return DType::kString;
}

// Attributes that an operator must have.
std::string RequiredAttributes(const OpDef& def) {
  if (def.Label() == "BitCast") return " {to = 6}";
  if (def.Label() == "BitShift") return " {direction = \"LEFT\"}";
  if (def.Label() == "Cast") return " {to = 7}";
  return "";
}

std::string NodeText(const OpDef& def) {
  return (def.name->dialect == "onnx" ? "onnx." : "") + def.Label();
}

// One node whose operand 0 has the sizes 2, 3, 2, and others 2, or none where `unary`; or, if
// `only` is given, the same for element `*only` of the result alone. Of kOther, the first operand
// only.
std::string OneNode(const OpDef& def, bool unary, std::optional<std::size_t> only) {
  std::string text = fmt::format("const %sizes: i64[3] = {}\n", only ? "[1, 1, 1]" : "[2, 3, 2]");
  Words operands;
  const bool first_only = def.op_class == OpClass::kOther;
  const std::size_t count = first_only ? 1 : def.signature.operands.size();
  for (std::size_t i = 0; i < count; ++i) {
    const DType dtype = DTypeOf(def.signature, i);
    Words elements = Samples(def, dtype, i);
    operands.push_back(fmt::format("%x{}", i));
    if (unary && i > 0) {
      text += fmt::format("const %x{}: {}[] = {}\n", i, Name(dtype), elements.front());
      continue;
    }
    elements.resize(i > 0 ? 2 : 12);
    if (only) elements = {elements[*only % elements.size()]};
    text += fmt::format("const %{}{}: {}[{}] = [{}]\n", i > 0 ? "x" : "flat", i, Name(dtype),
                        elements.size(), fmt::join(elements, ", "));
    if (i == 0) text += "%x0 = onnx.Reshape(%flat0, %sizes)\n";
  }
  return text + fmt::format("%y = {}({}){}", NodeText(def), fmt::join(operands, ", "),
                            RequiredAttributes(def));
}

// Whether each element of the result is what the operator makes of the elements at its place.
bool ComputesElementByElement(const OpDef& def, bool unary) {
  const std::optional<Tensor> whole = RunText(OneNode(def, unary, std::nullopt));
  if (!whole || whole->sizes() != std::vector<std::int64_t>{2, 3, 2}) return false;
  const Words elements = ElementsOf(*whole);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::optional<Tensor> alone = RunText(OneNode(def, unary, i));
    if (!alone || alone->size() != 1 || ElementsOf(*alone).front() != elements[i]) return false;
  }
  return true;
}

TEST(OpClassTest, ElementwiseOperatorsComputeElementByElement) {
  for (const OpDef* def : AllOps()) {
    const bool unary = def->op_class == OpClass::kUnary;
    if (!unary && def->op_class != OpClass::kBroadcast) continue;
    EXPECT_TRUE(ComputesElementByElement(*def, unary)) << OneNode(*def, unary, std::nullopt);
  }
}

TEST(OpClassTest, OthersDoNot) {
  for (const OpDef* def : AllOps()) {
    const bool one = std::ranges::count_if(def->signature.operands, [](const Formal& formal) {
                       return !formal.optional;
                     }) == 1;
    if (def->op_class != OpClass::kOther || def->kernel.copies || def->kernel.header.empty() ||
        def->random || !one) {
      continue;
    }
    EXPECT_FALSE(ComputesElementByElement(*def, true)) << def->Label() << " is elementwise";
  }
}

// Nodes that move the elements of %x, f32[2, 4, 2, 2], or repeat or leave out some.
const std::map<std::string, std::string> kMoves = {
    {"Compress", "const %c: bool[2] = [true, false]\n%y = onnx.Compress(%x, %c) {axis = 2}"},
    {"Concat", "%y = onnx.Concat(%x, %x) {axis = 1}"},
    {"DepthToSpace", "%y = onnx.DepthToSpace(%x) {blocksize = 2}"},
    {"Expand", "const %s: i64[5] = [3, 1, 1, 1, 1]\n%y = onnx.Expand(%x, %s)"},
    {"Flatten", "%y = onnx.Flatten(%x)"},
    {"Gather", "const %i: i64[3] = [1, 0, 1]\n%y = onnx.Gather(%x, %i)"},
    {"GatherElements",
     "const %i: i64[1, 1, 1, 2] = [[[[1, 0]]]]\n%y = onnx.GatherElements(%x, %i)"},
    {"GatherND", "const %i: i64[1, 2] = [[1, 3]]\n%y = onnx.GatherND(%x, %i)"},
    {"Identity", "%y = onnx.Identity(%x)"},
    {"Reshape", "const %s: i64[2] = [4, 8]\n%y = onnx.Reshape(%x, %s)"},
    {"ReverseSequence",
     "const %n: i64[2] = [4, 2]\n%y = onnx.ReverseSequence(%x, %n) {batch_axis = 0, time_axis = "
     "1}"},
    {"Slice", "const %b: i64[1] = [1]\nconst %e: i64[1] = [2]\n%y = onnx.Slice(%x, %b, %e)"},
    {"SpaceToDepth", "%y = onnx.SpaceToDepth(%x) {blocksize = 2}"},
    {"Split", "%y, %z = onnx.Split(%x) {axis = 1, num_outputs = 2}"},
    {"Squeeze", "%y = onnx.Squeeze(%x)"},
    {"Tile", "const %r: i64[4] = [1, 2, 1, 2]\n%y = onnx.Tile(%x, %r)"},
    {"Transpose", "%y = onnx.Transpose(%x)"},
    {"Unsqueeze", "const %a: i64[1] = [0]\n%y = onnx.Unsqueeze(%x, %a)"},
};

TEST(OpClassTest, MovementGivesElementsOfTheOperand) {
  Words x;
  for (int i = 0; i < 32; ++i) x.push_back(fmt::format("{}", i + 0.5));
  const std::string constant = fmt::format(
      "const %flat: f32[32] = [{}]\nconst %sizes: i64[4] = [2, 4, 2, 2]\n"
      "%x = onnx.Reshape(%flat, %sizes)\n",
      fmt::join(x, ", "));
  for (const OpDef* def : AllOps()) {
    if (def->op_class != OpClass::kMovement && !def->kernel.copies) continue;
    const auto text = kMoves.find(def->Label());
    ASSERT_NE(text, kMoves.end()) << "no sample of " << def->Label();
    const std::optional<Tensor> y = RunText(constant + text->second);
    ASSERT_TRUE(y) << text->second;
    const Words elements = ElementsOf(*y);
    for (const std::string& element : elements)
      EXPECT_NE(std::ranges::find(x, element), x.end()) << def->Label();
    EXPECT_EQ(elements == x, def->kernel.copies) << def->Label();
  }
}

// Nodes that compute %y from %x along an axis, to be put in place of AXIS, which has size 3.
const std::map<std::string, std::string> kAlongAxis = {
    {"ArgMax", "%y = onnx.ArgMax(%x) {axis = AXIS}"},
    {"ArgMin", "%y = onnx.ArgMin(%x) {axis = AXIS}"},
    {"DequantizeLinear",
     "const %s: f32[3] = [0.5, 1.0, 0.25]\n%q = onnx.Cast(%x) {to = 3}\n"
     "%y = onnx.DequantizeLinear(%q, %s) {axis = AXIS}"},
    {"Hardmax", "%y = onnx.Hardmax(%x) {axis = AXIS}"},
    {"LogSoftmax", "%y = onnx.LogSoftmax(%x) {axis = AXIS}"},
    {"LpNormalization", "%y = onnx.LpNormalization(%x) {axis = AXIS}"},
    {"QuantizeLinear",
     "const %s: f32[3] = [0.5, 1.0, 0.25]\n%y = onnx.QuantizeLinear(%x, %s) {axis = AXIS}"},
    {"Softmax", "%y = onnx.Softmax(%x) {axis = AXIS}"},
    {"Split", "%y, %z = onnx.Split(%x) {axis = AXIS, num_outputs = 2}"},
    {"TopK", "const %k: i64[1] = [2]\n%y, %z = onnx.TopK(%x, %k) {axis = AXIS}"},
};
const std::map<std::string, std::string> kFromAxisOn = {
    {"LayerNormalization",
     "const %s: f32[4] = [0.5, 1.0, 2.0, 4.0]\n%y = onnx.LayerNormalization(%x, %s) {axis = AXIS}"},
    {"RMSNormalization",
     "const %s: f32[4] = [0.5, 1.0, 2.0, 4.0]\n%y = onnx.RMSNormalization(%x, %s) {axis = AXIS}"},
};

// What the node gives along `axis` of 24 numbers of shape `sizes`, after `prepare` has made them
// %x.
Words RunAlong(std::string node, int axis, const std::string& sizes, const std::string& prepare,
               const std::string& finish) {
  node.replace(node.find("AXIS"), 4, std::to_string(axis));
  node.replace(node.find("%y"), 2, "%raw");
  Words x;
  for (int i = 0; i < 24; ++i) x.push_back(fmt::format("{}", (i * 7 % 24) * 0.5));
  const std::optional<Tensor> y = RunText(fmt::format(
      "const %flat: f32[24] = [{}]\nconst %sizes: i64[{}] = [{}]\n"
      "%whole = onnx.Reshape(%flat, %sizes)\n{}\n{}\n{}",
      fmt::join(x, ", "), std::ranges::count(sizes, ',') + 1, sizes, prepare, node, finish));
  return y ? ElementsOf(*y) : Words();
}

TEST(OpClassTest, LinesAlongTheAxisAreComputedAlike) {
  for (const OpDef* def : AllOps()) {
    if (def->axis_use != AxisUse::kAlong && def->axis_use != AxisUse::kFromAxisOn) continue;
    const bool along = def->axis_use == AxisUse::kAlong;
    const auto& samples = along ? kAlongAxis : kFromAxisOn;
    const auto node = samples.find(def->Label());
    ASSERT_NE(node, samples.end()) << "no sample of " << def->Label();
    const std::string as_it_is = "%x = onnx.Identity(%whole)";
    const std::string result = "%y = onnx.Identity(%raw)";
    const Words elements = RunAlong(node->second, 1, "2, 3, 4", as_it_is, result);
    ASSERT_FALSE(elements.empty()) << def->Label();
    EXPECT_EQ(RunAlong(node->second, 2, "1, 2, 3, 4", as_it_is, result), elements) << def->Label();
    if (!along) continue;
    EXPECT_EQ(RunAlong(node->second, 0, "2, 3, 4", "%x = onnx.Transpose(%whole) {perm = [1, 0, 2]}",
                       "%y = onnx.Transpose(%raw) {perm = [1, 0, 2]}"),
              elements)
        << def->Label();
  }
}

// Attributes `axis` that mean something else: between axes, of the result, of a list's elements.
TEST(OpClassTest, EveryAxisHasAUse) {
  const Words others = {"ConcatFromSequence", "Flatten", "OneHot"};
  for (const OpDef* def : AllOps()) {
    const bool has_axis = std::ranges::count(def->attributes, "axis", &AttributeDef::name) == 1;
    const bool is_other = std::ranges::count(others, def->Label()) == 1;
    EXPECT_EQ(def->axis_use != AxisUse::kNone, has_axis && !is_other) << def->Label();
  }
}

}  // namespace
}  // namespace dragoman
