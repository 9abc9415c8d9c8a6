// SPDX-License-Identifier: Apache-2.0
// Source text and the common text that it lowers to.
#include "importers/torch/lower/lower.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ir/parse.h"
#include "core/ir/print.h"

namespace dragoman {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kHead[] = R"(dragoman 1 source torchscript
opset "torch" 3
)";

// The common text after its header, without origins.
std::string Lowered(const std::string& source, const std::string& shape) {
  Result<Model> model = ParseText(kHead + source);
  if (!model.ok()) return model.error().ToString();
  Facts facts;
  Result<ShapeFact> fact = ParseShapeFact(shape);
  if (!fact.ok()) return fact.error().ToString();
  facts.shapes.push_back(*fact);
  Result<Model> common = LowerTorchScript(*model, facts);
  if (!common.ok()) return common.error().ToString();
  std::string text = PrintText(*common);
  text.erase(0, text.find("opset"));
  text.erase(0, text.find('\n') + 1);
  return text.substr(0, text.find("\norigins {"));
}

TEST(LowerTorchScriptTest, MakesStatesOfWhatEntriesChange) {
  EXPECT_EQ(Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {h = @self.h, count = 0}
state self.h: f32[1, 2] = f32[1, 2] [[0.0, 0.0]]

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*]) -> (%y) {
  %one: opaque<"torch", "int"> = prim.Constant() {value = 1}
  %h: ?[*] = prim.GetAttr(%self) {name = "h"}
  %y: ?[*] = aten.add_.Tensor(%h, %x, %one)
  %n: opaque<"torch", "int"> = prim.GetAttr(%self) {name = "count"}
  %m: opaque<"torch", "int"> = aten.add.int(%n, %one)
  prim.SetAttr(%self, %m) {name = "count"}
}

entry reset(%self: opaque<"torch", "__torch__.Net">) -> (%none) {
  %h: ?[*] = prim.GetAttr(%self) {name = "h"}
  %y: ?[*] = aten.zero_(%h)
  %none: opaque<"torch", "NoneType"> = prim.Constant()
}
)",
                    "x=1,2"),
            R"(state h: f32[1, 2] = f32[1, 2] [[0.0, 0.0]]
state count: i64[] = i64[] 0

entry forward(%x: f32[1, 2], %h: f32[1, 2], %count: i64[]) -> (%output: f32[1, 2], %output: f32[1, 2], %Add_2: i64[])
    state 0 input 1 -> output 1
    state 1 input 2 -> output 2 {
  const %c: i64[] = 1
  %output = onnx.Add(%h, %x)
  %Add_2 = onnx.Add(%count, %c)
}

entry reset(%h: f32[1, 2]) -> (%Expand: f32[1, 2])
    state 0 input 0 -> output 0 {
  const %c: f32[] = 0.0
  const %c_2: i64[2] = [1, 2]
  %Expand = onnx.Expand(%c, %c_2)
}
)");
}

TEST(LowerTorchScriptTest, ExpandsSparseTensorsOfTheFile) {
  EXPECT_EQ(Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {s = @self.s}
state self.s: ?[*] = {layout = "coo", parts = tensors [i64[2, 2] [[0, 1], [2, 0]], f32[2] [5.0, 7.0]], sizes = [2, 3]}

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*]) -> (%y) {
  %none: opaque<"torch", "NoneType"> = prim.Constant()
  %one: opaque<"torch", "int"> = prim.Constant() {value = 1}
  %s: ?[*] = prim.GetAttr(%self) {name = "s"}
  %d: ?[*] = aten.to_dense(%s, %none, %none)
  %y: ?[*] = aten.add.Tensor(%d, %x, %one)
}
)",
                    "x=2,3"),
            R"(
entry forward(%x: f32[2, 3]) -> (%output: f32[2, 3]) {
  const %s: f32[2, 3] = [[0.0, 0.0, 5.0], [7.0, 0.0, 0.0]]
  %output = onnx.Add(%s, %x)
}
)");
}

TEST(LowerTorchScriptTest, GivesTheIntegersOfAQuantisedResult) {
  EXPECT_EQ(Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {}

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*]) -> (%y) {
  %scale: opaque<"torch", "float"> = prim.Constant() {value = double 0.5}
  %zero: opaque<"torch", "int"> = prim.Constant() {value = 10}
  %dtype: opaque<"torch", "int"> = prim.Constant() {value = 13}
  %q: ?[*] = aten.quantize_per_tensor(%x, %scale, %zero, %dtype)
  %d: ?[*] = aten.dequantize.self(%q)
  %y: tuple<?[*], ?[*]> = prim.TupleConstruct(%q, %d)
}
)",
                    "x=3"),
            R"(
entry forward(%x: f32[3]) -> (%output.0: u8[3], %output.1: f32[3]) {
  const %c: f32[] = 0.5
  const %c_2: u8[] = 10
  %output.0 = onnx.QuantizeLinear(%x, %c, %c_2) {axis = 0}
  %DequantizeLinear: f32[3] = onnx.DequantizeLinear(%output.0, %c, %c_2) {axis = 0}
  %output.1 = onnx.Identity(%DequantizeLinear)
}
)");
}

TEST(LowerTorchScriptTest, CarriesWhatALoopOfUnknownLengthChanges) {
  EXPECT_EQ(Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {}

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*]) -> (%y) {
  %zero: opaque<"torch", "int"> = prim.Constant() {value = 0}
  %one: opaque<"torch", "int"> = prim.Constant() {value = 1}
  %more: opaque<"torch", "bool"> = prim.Constant() {value = true}
  %n: opaque<"torch", "int"> = aten.size.int(%x, %zero)
  %row: ?[*] = aten.select.int(%x, %zero, %zero)
  %outs: seq<?[*]> = prim.ListConstruct()
  %last: ?[*] = prim.Loop(%n, %more, %row) {body = graph(%i: opaque<"torch", "int">, %h: ?[*]) -> (%more, %h2) {
    %r: ?[*] = aten.select.int(%x, %zero, %i)
    %h2: ?[*] = aten.add.Tensor(%h, %r, %one)
    %l: seq<?[*]> = aten.append.t(%outs, %h2)
  }}
  %y: ?[*] = aten.stack(%outs, %zero)
}
)",
                    "x=n,2"),
            R"(
entry forward(%x: f32[n, 2]) -> (%output: f32[ConcatFromSequence, 2]) {
  const %c: i64[] = 0
  const %c_2: i64[] = 0
  %Shape: i64[2] = onnx.Shape(%x)
  %Gather: i64[] = onnx.Gather(%Shape, %c)
  %Gather_2: f32[2] = onnx.Gather(%x, %c_2) {axis = 0}
  %SequenceEmpty: seq<f32[*]> = onnx.SequenceEmpty() {dtype = 1}
  %h_2: f32[2], %loop: seq<f32[2]> = onnx.Loop(%Gather, _, %Gather_2, %SequenceEmpty) {body = graph(%i_2: i64[], %more_2: bool[], %h: f32[2], %carried: seq<f32[*]>) -> (%Identity: bool[], %Add_2: f32[2], %SequenceInsert: seq<f32[*]>) {
    const %c_3: bool[] = true
    %Gather_4: f32[2] = onnx.Gather(%x, %i_2) {axis = 0}
    %Add_2 = onnx.Add(%h, %Gather_4)
    %SequenceInsert = onnx.SequenceInsert(%carried, %Add_2)
    %Identity = onnx.Identity(%c_3)
  }}
  %output = onnx.ConcatFromSequence(%loop) {axis = 0, new_axis = 1}
}
)");
}

TEST(LowerTorchScriptTest, KeepsWhatIsWrittenIntoWhatAnotherEntryReplaces) {
  EXPECT_EQ(Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {h = @self.h}
state self.h: f32[2] = f32[2] [0.0, 0.0]

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*]) -> (%x) {
  prim.SetAttr(%self, %x) {name = "h"}
}

entry reset(%self: opaque<"torch", "__torch__.Net">) -> (%none) {
  %h: ?[*] = prim.GetAttr(%self) {name = "h"}
  %y: ?[*] = aten.zero_(%h)
  %none: opaque<"torch", "NoneType"> = prim.Constant()
}
)",
                    "x=2"),
            R"(state h: f32[2] = f32[2] [0.0, 0.0]

entry forward(%x: f32[2], %h: f32[2]) -> (%output: f32[2], %x)
    state 0 input 1 -> output 1 {
  %output = onnx.Identity(%x)
}

entry reset(%h: f32[2]) -> (%Expand: f32[2])
    state 0 input 0 -> output 0 {
  const %c: f32[] = 0.0
  const %c_2: i64[1] = [2]
  %Expand = onnx.Expand(%c, %c_2)
}
)");
}

TEST(LowerTorchScriptTest, TakesIntegersWhereIndicesAreRead) {
  const std::string text = Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {w = @self.w}
state self.w: f32[2, 1] = f32[2, 1] [[0.5], [1.5]]

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*]) -> (%y) {
  %w: ?[*] = prim.GetAttr(%self) {name = "w"}
  %none: opaque<"torch", "int"> = prim.Constant() {value = -1}
  %no: opaque<"torch", "bool"> = prim.Constant() {value = false}
  %y: ?[*] = aten.embedding(%w, %x, %none, %no, %no)
}
)",
                                   "x=3");
  EXPECT_NE(text.find("entry forward(%x: i64[3])"), std::string::npos) << text;
}

TEST(LowerTorchScriptTest, RefusesWritesToItemsOfRunTimeLists) {
  const std::string text = Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {}

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*]) -> (%z) {
  %zero: opaque<"torch", "int"> = prim.Constant() {value = 0}
  %rows: seq<?[*]> = aten.unbind.int(%x, %zero)
  %row: ?[*] = aten.__getitem__.t(%rows, %zero)
  %z: ?[*] = aten.relu_(%row)
}
)",
                                   "x=n,2");
  EXPECT_EQ(text,
            "node 'z' (aten.relu_): error: a write to an item of a list or dict whose length "
            "is known only at run time");
}

TEST(LowerTorchScriptTest, RefusesToReadWhatAWriteIntoAChosenTensorMayHaveChanged) {
  const auto lowered = [](const std::string& read) {
    return Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {}

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*], %c: bool[]) -> (%z) {
  %on: opaque<"torch", "bool"> = aten.Bool.Tensor(%c)
  %a: ?[*] = aten.neg(%x)
  %b: ?[*] = prim.If(%on) {then_branch = graph then_branch() -> (%a) {}, else_branch = graph else_branch() -> (%e) {
    %e: ?[*] = aten.abs(%x)
  }}
  %y: ?[*] = aten.relu_(%b)
  %z: ?[*] = aten.exp()" +
                       read + R"()
}
)",
                   "x=2");
  };
  EXPECT_EQ(lowered("%a"),
            "node 'z' (aten.exp): error: reading a tensor that a write to another one may have "
            "changed: whether they share elements is not known");
  EXPECT_NE(lowered("%b").find("onnx.Exp"), std::string::npos);
}

// What the loop would have left in the list is not known: reading it is not a finding of its own.
TEST(LowerTorchScriptTest, ReportsALoopThatFailsAndNotWhatReadsItsList) {
  EXPECT_EQ(Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {}

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*]) -> (%y) {
  %zero: opaque<"torch", "int"> = prim.Constant() {value = 0}
  %key: opaque<"torch", "str"> = prim.Constant() {value = "row"}
  %more: opaque<"torch", "bool"> = prim.Constant() {value = true}
  %n: opaque<"torch", "int"> = aten.size.int(%x, %zero)
  %all: seq<map<str, ?[*]>> = prim.ListConstruct()
  prim.Loop(%n, %more) {body = graph(%i: opaque<"torch", "int">) -> (%more) {
    %r: ?[*] = aten.select.int(%x, %zero, %i)
    %d: map<str, ?[*]> = prim.DictConstruct(%key, %r)
    %l: seq<map<str, ?[*]>> = aten.append.t(%all, %d)
  }}
  %first: map<str, ?[*]> = aten.__getitem__.t(%all, %zero)
  %y: ?[*] = aten.__getitem__.Dict_str(%first, %key)
}
)",
                    "x=n,2"),
            "node '' (prim.Loop): error: a list of other things than tensors, numbers or strings "
            "has a length known only at run time");
}

// Keys and values are a vector each: a key is looked up in all, and put after them if it is new.
TEST(LowerTorchScriptTest, PutsAKeyOfRunTimeIntoADict) {
  EXPECT_EQ(Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {}

entry forward(%self: opaque<"torch", "__torch__.Net">, %k: opaque<"torch", "int">, %v: opaque<"torch", "float">) -> (%d) {
  %two: opaque<"torch", "int"> = prim.Constant() {value = 2}
  %half: opaque<"torch", "float"> = prim.Constant() {value = 0.5}
  %d: map<i64, opaque<"torch", "float">> = prim.DictConstruct(%two, %half)
  aten._set_item.int(%d, %k, %v)
}
)",
                    "v=f64:"),
            R"(
entry forward(%k: i64[], %v: f64[]) -> (%output.map_keys: i64[v_2_2], %output.map_values: f64[v_2_2]) {
  const %c: i64[] = 2
  const %c_2: i64[1] = [0]
  const %c_3: f64[] = 0.5
  const %c_4: i64[1] = [0]
  const %c_5: bool[1] = [true]
  const %c_6: i64[] = 1
  const %c_7: i64[1] = [1]
  const %c_8: i64[1] = [0]
  const %c_9: i64[1] = [0]
  %Unsqueeze: i64[1] = onnx.Unsqueeze(%c, %c_2)
  %Unsqueeze_2: f64[1] = onnx.Unsqueeze(%c_3, %c_4)
  %Equal: bool[1] = onnx.Equal(%Unsqueeze, %k)
  %Concat: bool[2] = onnx.Concat(%Equal, %c_5) {axis = 0}
  %Cast: i32[2] = onnx.Cast(%Concat) {to = 6}
  %ArgMax: i64[] = onnx.ArgMax(%Cast) {axis = 0, keepdims = 0}
  %Less: bool[] = onnx.Less(%ArgMax, %c_6)
  %Not: bool[] = onnx.Not(%Less)
  %Reshape: bool[1] = onnx.Reshape(%Not, %c_7)
  %Where: f64[1] = onnx.Where(%Equal, %v, %Unsqueeze_2)
  %Unsqueeze_3: i64[1] = onnx.Unsqueeze(%k, %c_8)
  %Compress: i64[Compress] = onnx.Compress(%Unsqueeze_3, %Reshape) {axis = 0}
  %Concat_2: i64[Compress + 1] = onnx.Concat(%Unsqueeze, %Compress) {axis = 0}
  %Unsqueeze_4: f64[1] = onnx.Unsqueeze(%v, %c_9)
  %Compress_2: f64[Compress_2] = onnx.Compress(%Unsqueeze_4, %Reshape) {axis = 0}
  %Concat_3: f64[Compress_2 + 1] = onnx.Concat(%Where, %Compress_2) {axis = 0}
  %output.map_keys, %v_3_2: i64[v_2_2] = onnx.Unique(%Concat_2)
  %output.map_values = onnx.Gather(%Concat_3, %v_3_2) {axis = 0}
}
)");
}

// Either way has other keys. A known key is looked up like any.
TEST(LowerTorchScriptTest, MergesDictsOfDifferentKeys) {
  EXPECT_EQ(Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {}

entry forward(%self: opaque<"torch", "__torch__.Net">, %c: opaque<"torch", "bool">, %v: opaque<"torch", "float">) -> (%y) {
  %two: opaque<"torch", "int"> = prim.Constant() {value = 2}
  %half: opaque<"torch", "float"> = prim.Constant() {value = 0.5}
  %d: map<i64, opaque<"torch", "float">> = prim.DictConstruct()
  prim.If(%c) {then_branch = graph then_branch() -> () {
    aten._set_item.int(%d, %two, %v)
  }, else_branch = graph else_branch() -> () {
  }}
  %y: opaque<"torch", "float"> = aten.__getitem__.Dict_int(%d, %two)
}
)",
                    "v=f64:"),
            R"(
entry forward(%c: bool[], %v: f64[]) -> (%output: f64[]) {
  const %c_10: i64[] = 2
  const %c_11: bool[1] = [true]
  const %c_12: i64[1] = [0]
  %keys: i64[keys], %values: f64[values] = onnx.If(%c) {else_branch = graph() -> (%Identity: i64[0], %Identity_2: f64[0]) {
    const %c_8: i64[0] = []
    const %c_9: f64[0] = []
    %Identity = onnx.Identity(%c_8)
    %Identity_2 = onnx.Identity(%c_9)
  }, then_branch = graph() -> (%Unsqueeze_3: i64[1], %Unsqueeze_4: f64[1]) {
    const %c_2: i64[] = 2
    const %c_3: i64[1] = [0]
    const %c_4: i64[1] = [0]
    const %c_5: i64[] = 2
    const %c_6: i64[1] = [0]
    const %c_7: i64[1] = [0]
    %Unsqueeze: i64[1] = onnx.Unsqueeze(%c_2, %c_3)
    %Unsqueeze_2: f64[1] = onnx.Unsqueeze(%v, %c_4)
    %Unsqueeze_3 = onnx.Unsqueeze(%c_5, %c_6)
    %Unsqueeze_4 = onnx.Unsqueeze(%v, %c_7)
  }}
  %Equal: bool[keys] = onnx.Equal(%keys, %c_10)
  %Concat: bool[keys + 1] = onnx.Concat(%Equal, %c_11) {axis = 0}
  %Cast: i32[keys + 1] = onnx.Cast(%Concat) {to = 6}
  %ArgMax: i64[] = onnx.ArgMax(%Cast) {axis = 0, keepdims = 0}
  %Shape: i64[1] = onnx.Shape(%keys) {start = 0, end = 1}
  %Squeeze: i64[] = onnx.Squeeze(%Shape, %c_12)
  %Less: bool[] = onnx.Less(%ArgMax, %Squeeze)
  dragoman.Assert(%Less) {message = "the dict has no such key"}
  %output = onnx.Gather(%values, %ArgMax) {axis = 0}
}
)");
}

// Near misses: keys that both ways have stay known, lists are not elements of a tensor.
TEST(LowerTorchScriptTest, KeepsOrRefusesOtherDictsOfBranches) {
  const auto lowered =
      [](const std::string& type, const std::string& key, const std::string& value) {
        return Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {}

entry forward(%self: opaque<"torch", "__torch__.Net">, %c: opaque<"torch", "bool">, %v: opaque<"torch", "float">) -> (%n) {
  %one: opaque<"torch", "float"> = prim.Constant() {value = 1.0}
  %small: opaque<"torch", "float"> = prim.Constant() {value = double 1e-9}
  %tiny: opaque<"torch", "float"> = prim.Constant() {value = double 2e-9}
  %list: seq<opaque<"torch", "float">> = prim.ListConstruct(%one)
  %d: map<f64, )" + type + R"(> = prim.DictConstruct()
  prim.If(%c) {then_branch = graph then_branch() -> () {
    aten._set_item.float(%d, %small, )" +
                           value + R"()
  }, else_branch = graph else_branch() -> () {
    aten._set_item.float(%d, )" +
                           key + R"(, )" + value + R"()
  }}
  %n: opaque<"torch", "int"> = aten.len.Dict_float(%d)
}
)",
                       "v=f64:");
      };
  EXPECT_THAT(lowered("opaque<\"torch\", \"float\">", "%small", "%v"), Not(HasSubstr("onnx.If")));
  EXPECT_THAT(lowered("opaque<\"torch\", \"float\">", "%tiny", "%v"),
              HasSubstr("%keys: f64[1], %values: f64[1] = onnx.If"));
  EXPECT_THAT(lowered("seq<opaque<\"torch\", \"float\">>", "%tiny", "%list"),
              HasSubstr("a dict whose keys are known only at run time, with a list"));
}

TEST(LowerTorchScriptTest, RefusesListsThatMemoryCannotHold) {
  const auto times = [](const std::string& items) {
    return Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {}

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*]) -> (%y) {
  %one: opaque<"torch", "int"> = prim.Constant() {value = 1}
  %many: opaque<"torch", "int"> = prim.Constant() {value = 4611686018427387904}
  %list: seq<opaque<"torch", "int">> = prim.ListConstruct()" +
                       items + R"()
  %repeated: seq<opaque<"torch", "int">> = aten.mul.left_t(%list, %many)
  %length: opaque<"torch", "int"> = aten.len.t(%repeated)
  %y: ?[*] = aten.add.Scalar(%x, %length, %one)
}
)",
                   "x=2");
  };
  EXPECT_THAT(times("%one, %one, %one, %one"), HasSubstr("to more than 1048576 items"));
  EXPECT_THAT(times(""), HasSubstr("onnx.Add(%x, "));
}

// A scale that a model computes from sizes, as detectors do: 2 to the power of a rounded logarithm.
TEST(LowerTorchScriptTest, KnowsNumbersThatAreComputedFromConstants) {
  const std::string lowered = Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {}

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*]) -> (%y) {
  %none: opaque<"torch", "NoneType"> = prim.Constant()
  %false: opaque<"torch", "bool"> = prim.Constant() {value = false}
  %ratio: opaque<"torch", "float"> = prim.Constant() {value = double 0.3}
  %t: ?[*] = aten.tensor.float(%ratio, %none, %none, %false)
  %log: ?[*] = aten.log2(%t)
  %rounded: ?[*] = aten.round(%log)
  %slope: opaque<"torch", "float"> = aten.Float.Tensor(%rounded)
  %y: ?[*] = aten.leaky_relu(%x, %slope)
}
)",
                                      "x=2,3");
  EXPECT_THAT(lowered, HasSubstr("onnx.LeakyRelu(%x) {alpha = -2.0}"));
}

TEST(LowerTorchScriptTest, RunsWhatFollowsOnEitherWayWhereRanksDiffer) {
  const std::string lowered = Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {}

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*]) -> (%y) {
  %none: opaque<"torch", "NoneType"> = prim.Constant()
  %first: opaque<"torch", "int"> = prim.Constant() {value = 0}
  %last: opaque<"torch", "int"> = prim.Constant() {value = -1}
  %sum: ?[*] = aten.sum(%x, %none)
  %c: opaque<"torch", "bool"> = aten.Bool.Tensor(%sum)
  %a: ?[*] = prim.If(%c) {then_branch = graph() -> (%more: ?[*]) {
    %more: ?[*] = aten.unsqueeze(%x, %first)
  }, else_branch = graph() -> (%x) {
  }}
  %y: ?[*] = aten.transpose.int(%a, %first, %last)
}
)",
                                      "x=2,3");
  EXPECT_THAT(lowered, HasSubstr("{perm = [2, 1, 0]}"));
  EXPECT_THAT(lowered, HasSubstr("{perm = [1, 0]}"));
}

TEST(LowerTorchScriptTest, NamesAllUnsupportedOperatorsAtOnce) {
  EXPECT_EQ(Lowered(R"(
state self: opaque<"torch", "__torch__.Net"> = {}

entry forward(%self: opaque<"torch", "__torch__.Net">, %x: ?[*]) -> (%z) {
  %y: ?[*] = mine.strange(%x)
  %z: ?[*] = mine.stranger(%y)
}
)",
                    "x=1,2"),
            "node 'y' (mine.strange): error: operator mine.strange is not supported\n"
            "node 'z' (mine.stranger): error: operator mine.stranger is not supported");
}

}  // namespace
}  // namespace dragoman
