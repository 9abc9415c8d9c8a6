// SPDX-License-Identifier: Apache-2.0
// Models of format pt2 that were edited so that they describe no archive: refused, in words.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ir/parse.h"
#include "exporters/pt2/export_program.h"
#include "exporters/pt2/write_model.h"
#include "tests/unit/test_folder.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

constexpr char kModel[] = R"(dragoman 1 source pt2
opset "aten" 10
extra {pt2.program = {}, pt2.records = {}, pt2.record = "models/m.json", pt2.top = "m", pt2.configs = {}}

entry forward(%x: f32[2] extra {pt2.spec = {user_input = {}}}) -> (%y) {
  extra {pt2.graph = {}, pt2.inputs = list [@input], pt2.outputs = list [{arg = @0, spec = {}}]}
  const %w: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]] extra {pt2.spec = {buffer = {buffer_name = "w"}}, pt2.payload = {record = "data/w", config = "c", dtype = "f32", meta = {tensor_meta = {sizes = list [{as_int = 2}, {as_int = 2}], strides = list [{as_int = 2}, {as_int = 1}]}}}, pt2.storage = u8[16] [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}
  %y = aten.neg.default(%x) {self = @0} @n extra {pt2.node = {}}
}
)";

// What writing says of the model with `from` replaced; "" if it is written.
std::string Refusal(const std::string& from, const std::string& to) {
  std::string text = kModel;
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "there is no " + from;
  text.replace(at, from.size(), to);
  const Result<Model> model = ParseText(text);
  if (!model.ok()) return "text: " + model.error().ToString();
  const TestFolder folder;
  const Status status = WriteExportArchive(*model, folder / "m.pt2");
  return status.ok() ? "" : status.error().ToString();
}

TEST(EditedExportArchive, IsWrittenAsItWas) { EXPECT_EQ(Refusal("pt2", "pt2"), ""); }

TEST(EditedExportArchive, PartsOfOtherKinds) {
  const std::vector<std::pair<std::string, std::string>> edits = {
      {"pt2.graph = {}", "pt2.graph = 5"},
      {"pt2.program = {}", "pt2.program = list [1]"},
      {"pt2.node = {}", "pt2.node = 3"},
      {"pt2.inputs = list [@input", "pt2.inputs = list [5, @input"},
      {"pt2.configs = {}", "pt2.configs = {c = 1}"},
      {"tensor_meta = {", "tensor_meta = 1, other = {"},
      {"{as_int = 1}", "\"x\""},
      {"@n", "@\"a\\xff\""},
  };
  for (const auto& [from, to] : edits)
    EXPECT_THAT(Refusal(from, to), HasSubstr("does not describe an archive")) << to;
}

TEST(EditedExportArchive, StridesBeyond64Bits) {
  for (const char* stride : {"9223372036854775807", "-9223372036854775808", "4294967296"}) {
    EXPECT_THAT(Refusal("strides = list [{as_int = 2}",
                        "strides = list [{as_int = " + std::string(stride) + "}"),
                HasSubstr("do not fit in their record"))
        << stride;
  }
}

// Names and places of the source need not be UTF-8, which JSON demands.
TEST(ExportedProgram, KeepsOriginsOfAnyBytes) {
  const Result<Model> model = ParseText(
      "dragoman 1 common onnx\nopset \"\" 22\n\nentry main(%x: f32[2]) -> (%y: f32[2]) {\n"
      "  %y = onnx.Neg(%x) !0\n}\n\norigins {\n  !0 = \"onnx.Neg\" @\"n\\x9c\" at "
      "\"\\x9c.py:9\"\n}\n");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  const TestFolder folder;
  const Status status = ExportProgram(*model, folder / "m.pt2", pt2::Release::k29);
  EXPECT_TRUE(status.ok()) << status.error().ToString();
}

}  // namespace
}  // namespace dragoman
