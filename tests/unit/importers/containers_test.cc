// SPDX-License-Identifier: Apache-2.0
// The native format, JSON and text files: what is written comes back, and bad files are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/support/hash.h"
#include "exporters/json/write_model.h"
#include "exporters/native/write_model.h"
#include "exporters/text/write_model.h"
#include "importers/json/read_model.h"
#include "importers/native/read_model.h"
#include "importers/text/read_model.h"
#include "proto/native_header.h"
#include "proto/pack_model.h"
#include "tests/unit/test_folder.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

// Everything that a model can have.
constexpr char kEverything[] = R"(dragoman 1 source onnx
opset "" 13
opset "odd \"domain\"" 2
metadata "key" = "\xff"
extra {onnx.ir_version = 8, nested = {a = list [1, {b = 2 extra {c = 3}}]}}
state h: seq<f32[1, 2*n + 1, ?]> = list [f32[2] [0.5, nan:0x7fc00001]]
state "no type" = 1

entry main @"torch jit"(%x: f32[n, 3], %h: tuple<str[*], control, ?> extra {e = 1}, %d: f32[1] = [1.0]) -> (%y: f32[n, 3], _, %h)
    arguments (x: tensor 0, options: dict (k: scalar 1, t: tuple (optional (tensor 0))))
    results (list (tensor 0))
    state 0 input 1 -> output 2 {
  extra {onnx.doc_string = "a graph"}
  const %w: f32[2] = [1.0, -0.0] !0
  const %shared: f32[2] = [1.0, -0.0]
  const %s: str[2] = ["a", "\xff"]
  const %i4: i4[3] = [-8, 7, 1]
  const %none: f32[0, 2] = []
  const %sparse: sparse f32[5] = sparse [5] (f32[1] [2.0], i64[1] [4])
  const %missing
  %y, _, %"odd \x00 name" = onnx:com.microsoft.Foo:fast(%later, _, %h, %w) {axis = 1 extra {doc = "one"}, axis = 2} @/layer/Foo !2 extra {onnx.doc_string = "node"}
  %r !3 extra {q = 1} = onnx.If(%y) {then_branch = graph g(%i: i64[]) -> (%i, %later, %r) {
    %inner = onnx.Loop() {body = graph() -> (%inner, %y) {}}
  }, else_branch = graph() -> () {}}
  %later: map<i64, opt<opaque<"d", "n">>> = onnx.Bar(%y, %"odd \x00 name"~1)
  %"odd \x00 name"~1 = onnx.Baz() {a = none, b = -3, c = nan:0xff800001, d = double nan:0xfff0000000000001, e = true, f = "s\x00", g = "\xff", h = i64[] 1, i = sparse [3] (f32[1] [4.0], i64[1] [2]), j = type i8[*], k = @"sym bol", l = $alpha(7), m = complex(nan, -0.0), n = [1, 2], o = [1.0, -inf], p = doubles [0.1], q = ["a", "\xff"], r = tensors [?[] empty, i64[] 1], s = sparse_tensors [sparse [3] (f32[1] [4.0], i64[1] [2])], t = graphs [graph a() -> () {}, graph b() -> (%y) {}], u = types [?, f32[]], v = list [], w = {}, x = ints [], y = floats [], z = strings []}
}

entry second() -> () {}

function onnx:local.f:fast @body(%x) -> (%y)
    opset "" 13
    attributes ["alpha", "be ta"]
    defaults {gamma = 1.0}
    extra {onnx.doc_string = "a function"} {
  %y = onnx.Elu(%x) {alpha = $alpha(1)}
}

origins {
  !0 = "onnx.MatMul" @/linear/MatMul scope "/linear" at "policy.py:87" {axis = 1, body = @g}
  !1 = "onnx.Add"
  !2 = !0 + !1
  !3 = !2 + !0
}
)";

Model Parsed(const std::string& text) {
  Result<Model> model = ParseText(text);
  EXPECT_TRUE(model.ok()) << model.error().ToString();
  return std::move(*model);
}

Result<Model> ReadBytes(const std::string& bytes) { return ReadNativeBytes(Buffer::Own(bytes)); }

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

void Replace(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

TEST(Text, HoldsEverything) { EXPECT_EQ(PrintText(Parsed(kEverything)), kEverything); }

TEST(Native, HoldsEverything) {
  const Result<std::string> bytes = WriteNativeBytes(Parsed(kEverything));
  ASSERT_TRUE(bytes.ok()) << bytes.error().ToString();
  const Result<Model> model = ReadBytes(*bytes);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(PrintText(*model), kEverything);
  EXPECT_EQ(*WriteNativeBytes(*model), *bytes);
}

TEST(Native, IsWrittenFromAndReadToFiles) {
  const TestFolder folder;
  ASSERT_TRUE(WriteNative(Parsed(kEverything), folder / "m.dgm").ok());
  const Result<Model> model = ReadNative(folder / "m.dgm");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(PrintText(*model), kEverything);
  EXPECT_FALSE(ReadNative(folder / "other.dgm").ok());
}

TEST(Native, TensorsThatShareBytesShareThemInTheFile) {
  Model model = Parsed("graph() -> () { const %a: f32[2] = [1.0, 2.0] }");
  model.main().AddConstant("b", *model.main().constants()[0]->tensor());
  const Result<Model> read = ReadBytes(*WriteNativeBytes(model));
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  const auto constants = read->main().constants();
  EXPECT_EQ(constants[0]->tensor()->bytes().data(), constants[1]->tensor()->bytes().data());
}

TEST(Native, RefusesFilesThatAreCut) {
  const std::string bytes = *WriteNativeBytes(Parsed(kEverything));
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const Result<Model> model = ReadBytes(bytes.substr(0, n));
    ASSERT_FALSE(model.ok()) << n;
    EXPECT_THAT(model.error().ToString(), HasSubstr("byte "));
  }
}

TEST(Native, SurvivesFlippedBytes) {
  const std::string bytes = *WriteNativeBytes(Parsed(kEverything));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
    const Result<Model> model = ReadBytes(damaged);
    if (model.ok()) PrintText(*model);  // the bytes of a tensor
  }
}

// A message that passes the checksum, but was made by somebody who means harm.
TEST(Native, SurvivesHostileMessages) {
  const std::string bytes = *WriteNativeBytes(Parsed(kEverything));
  NativeHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (std::size_t i = 0; i < header.message_size; ++i) {
    for (const int flip : {1, 8, 64}) {
      std::string message = bytes.substr(sizeof header, header.message_size);
      message[i] = static_cast<char>(message[i] ^ flip);
      header.message_hash = HashString(message);
      std::string file(reinterpret_cast<const char*>(&header), sizeof header);
      file += message + bytes.substr(sizeof header + header.message_size);
      const Result<Model> model = ReadBytes(file);
      if (model.ok()) PrintText(*model);
    }
  }
}

TEST(Native, RefusesWhatIsInconsistent) {
  auto unpacked = [](const std::function<void(pb::Model&)>& change) {
    pb::Model message;
    EXPECT_TRUE(
        PackModel(
            Parsed(
                "graph(%x) -> () { %y = onnx.If(%x) {b = graph() -> () {}, l = list [list []]} }"),
            [](const Buffer&, pb::Buffer*) {}, &message)
            .ok());
    change(message);
    const Result<Model> model =
        UnpackModel(std::move(message), [](pb::Buffer&) { return Buffer(); });
    return model.ok() ? "read" : model.error().ToString();
  };
  EXPECT_EQ(unpacked([](pb::Model&) {}), "read");
  EXPECT_THAT(unpacked([](pb::Model& m) { m.set_version(2); }),
              HasSubstr("version 2 of the format is unknown"));
  EXPECT_THAT(unpacked([](pb::Model& m) { m.add_graphs(); }), HasSubstr("graph 2 is in no entry"));
  EXPECT_THAT(unpacked([](pb::Model& m) { m.add_entries()->set_graph(0); }),
              HasSubstr("graph 0 is in two places"));
  EXPECT_THAT(unpacked([](pb::Model& m) { m.mutable_graphs(0)->add_outputs(9); }),
              HasSubstr("value 8 of 2 does not exist"));
  EXPECT_THAT(unpacked([](pb::Model& m) { m.mutable_lists(1)->add_items()->set_list(0); }),
              HasSubstr("list 0 is in two places"));
  EXPECT_THAT(unpacked([](pb::Model& m) { m.mutable_graphs(0)->mutable_nodes(0)->set_op(7); }),
              HasSubstr("operator 7 of 1 does not exist"));
}

// Types share their parts in the file; written out they may have 2^31.
TEST(Native, BoundsTypes) {
  pb::Model message;
  ASSERT_TRUE(PackModel(
                  Parsed("graph() -> () {}"), [](const Buffer&, pb::Buffer*) {}, &message)
                  .ok());
  message.clear_types();
  for (int i = 0; i < 31; ++i) {
    pb::Type* type = message.add_types();
    type->set_kind(pb::Type::TUPLE);
    if (i > 0) type->add_elements(static_cast<std::uint32_t>(i - 1));
    if (i > 0) type->add_elements(static_cast<std::uint32_t>(i - 1));
  }
  const Result<Model> model = UnpackModel(std::move(message), [](pb::Buffer&) { return Buffer(); });
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.error().ToString(), HasSubstr("nests too deep"));
}

TEST(Json, HoldsEverything) {
  const Result<std::string> text = WriteJsonText(Parsed(kEverything));
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_THAT(*text, HasSubstr("\"dialect\": \"onnx\""));
  const Result<Model> model = ReadJsonText(*text);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(PrintText(*model), kEverything);
}

TEST(Json, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(ReadJsonText("").ok());
  EXPECT_FALSE(ReadJsonText("{\"version\": 1, \"unknown\": 1}").ok());
  EXPECT_FALSE(ReadJsonText(std::string(100000, '[')).ok());
  const Result<Model> empty = ReadJsonText("{\"version\": 1}");
  ASSERT_FALSE(empty.ok());
  EXPECT_THAT(empty.error().ToString(), HasSubstr("the model has no entry"));
}

TEST(Json, SurvivesTextCutAnywhere) {
  const std::string text = *WriteJsonText(Parsed(kEverything));
  for (std::size_t n = 0; n + 1 < text.size(); n += 13)
    EXPECT_FALSE(ReadJsonText(text.substr(0, n)).ok());
}

TEST(TextFile, LargeTensorsLieBeside) {
  const TestFolder folder;
  const Model model = Parsed(
      "graph() -> () { const %a: u8[3] = [1, 2, 3] const %b: i8[3] = [1, 2, 3] const %c: u8[3] = "
      "[4, 5, 6] }");
  ASSERT_TRUE(WriteText(model, folder / "m.dgt", {.side_file = true, .inline_elements = 2}).ok());
  EXPECT_EQ(Content(folder / "m.dgt.bin").size(), 128u) << "equal bytes are there once";
  Result<Model> read = ReadText(folder / "m.dgt");
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  EXPECT_EQ(PrintText(*read), PrintText(model));

  std::string damaged = Content(folder / "m.dgt.bin");
  damaged[64] ^= 1;
  Replace(folder / "m.dgt.bin", damaged);
  read = ReadText(folder / "m.dgt");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().ToString(), HasSubstr("the tensor in 'm.dgt.bin' has another digest"));

  Replace(folder / "m.dgt.bin", damaged.substr(0, 2));
  read = ReadText(folder / "m.dgt");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().ToString(), HasSubstr("ends beyond the 2 bytes"));
}

TEST(TextFile, FindingsAboutNodesGetTheirLine) {
  const TestFolder folder;
  std::ofstream(folder / "m.dgt") << "graph(%x: f32[2]) -> (%y) {\n"
                                     "  %a = onnx.Relu(%x) @first\n"
                                     "  %b = onnx.Relu(%a) @twice\n"
                                     "  %y = onnx.Abs(%b) @twice\n"
                                     "}\n";
  const auto located = [&](std::string place) {
    const Error error(Finding{ErrorKind::kInvalidInput, "", std::move(place), "is wrong"});
    return LocateInText(error, folder / "m.dgt").ToString();
  };
  EXPECT_EQ(located("node 'first' (Relu)"),
            "line 2:3: error: node 'first' (Relu): is wrong\n"
            "    %a = onnx.Relu(%x) @first\n"
            "    ^");
  EXPECT_EQ(located("node 'twice' (Relu)"), "node 'twice' (Relu): error: is wrong")
      << "which of the two is not known";
  EXPECT_EQ(located("node 'other' (Relu)"), "node 'other' (Relu): error: is wrong");
  EXPECT_EQ(located("byte 7"), "byte 7: error: is wrong");
}

TEST(TextFile, WithoutLargeTensorsThereIsNoSideFile) {
  const TestFolder folder;
  ASSERT_TRUE(WriteText(Parsed(kEverything), folder / "m.dgt", {.side_file = true}).ok());
  EXPECT_EQ(Content(folder / "m.dgt"), kEverything);
  EXPECT_FALSE(std::filesystem::exists(folder / "m.dgt.bin"));
}

}  // namespace
}  // namespace dragoman
