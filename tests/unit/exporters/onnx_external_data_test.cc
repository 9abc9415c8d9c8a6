// SPDX-License-Identifier: Apache-2.0
// Tensors in files of their own: found, confined, written again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "exporters/onnx/write_model.h"
#include "importers/onnx/missing_data.h"
#include "importers/onnx/read_model.h"
#include "proto/onnx/onnx.pb.h"
#include "tests/support/onnx_messages.h"
#include "tests/unit/test_folder.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using onnx_pb::ModelProto;
using Data = WriteOnnxOptions::Data;

class OnnxExternalData : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "in");
    fs::create_directories(folder_ / "out");
  }

  std::string Path(const std::string& name) const { return folder_ / name; }

  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // A model of one tensor, by default of two bytes, that lies in `location`.
  void WriteModel(const std::string& location, const std::string& offset, const std::string& length,
                  const std::string& type = "dims: 2 data_type: 2") const {
    ModelProto message =
        ModelFromText("graph { initializer { name: 'w' " + type + " data_location: EXTERNAL } }");
    auto* entries = message.mutable_graph()->mutable_initializer(0)->mutable_external_data();
    for (const auto& [key, value] :
         {std::pair("location", location), std::pair("offset", offset), std::pair("length", length),
          std::pair("checksum", std::string("c"))}) {
      auto* entry = entries->Add();
      entry->set_key(key);
      entry->set_value(value);
    }
    Write("in/m.onnx", Deterministic(message));
  }

  std::string ErrorOfReading() const {
    const Result<Model> model = ReadOnnx(Path("in/m.onnx"));
    return model.ok() ? "" : model.error().findings()[0].message;
  }

  TestFolder folder_;
};

TEST_F(OnnxExternalData, IsReadAndWrittenAgainAsItWas) {
  Write("in/w.bin", "..ab.");
  WriteModel("w.bin", "2", "2");
  const Result<Model> model = ReadOnnx(Path("in/m.onnx"));
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->main().constants()[0]->tensor()->IntAt(0), 'a');
  ASSERT_TRUE(WriteOnnx(*model, Path("out/m.onnx")).ok());
  EXPECT_EQ(Read("out/m.onnx"), Read("in/m.onnx"));
  EXPECT_EQ(Read("out/w.bin"), std::string("\0\0ab", 4));
}

TEST_F(OnnxExternalData, MayBeTakenIntoTheModelFile) {
  Write("in/w.bin", "ab");
  WriteModel("w.bin", "0", "2");
  const Result<Model> model = ReadOnnx(Path("in/m.onnx"));
  ASSERT_TRUE(WriteOnnx(*model, Path("out/m.onnx"), {.data = Data::kInline}).ok());
  ModelProto message;
  ASSERT_TRUE(message.ParseFromString(Read("out/m.onnx")));
  EXPECT_EQ(message.graph().initializer(0).raw_data(), "ab");
  EXPECT_EQ(message.graph().initializer(0).external_data_size(), 0);
  EXPECT_FALSE(message.graph().initializer(0).has_data_location());
}

TEST_F(OnnxExternalData, TakesLargeTensorsWhenAskedOrWhenTheFileWouldBeTooLarge) {
  ModelProto message = ModelFromText(R"pb(
    graph {
      initializer { name: "a" dims: 100 data_type: 2 }
      initializer { name: "b" dims: 1 data_type: 2 raw_data: "b" }
      initializer { name: "c" dims: 70 data_type: 2 }
    })pb");
  message.mutable_graph()->mutable_initializer(0)->set_raw_data(std::string(100, 'a'));
  message.mutable_graph()->mutable_initializer(2)->set_raw_data(std::string(70, 'c'));
  const Result<Model> model = ReadMessage(message);
  ASSERT_TRUE(model.ok());
  ASSERT_TRUE(
      WriteOnnx(*model, Path("out/1.onnx"), {.data = Data::kExternal, .min_external_bytes = 64})
          .ok());
  ASSERT_TRUE(
      WriteOnnx(*model, Path("out/2.onnx"), {.min_external_bytes = 64, .max_file_bytes = 200})
          .ok());
  EXPECT_FALSE(
      WriteOnnx(*model, Path("out/3.onnx"), {.data = Data::kInline, .max_file_bytes = 200}).ok());
  EXPECT_FALSE(fs::exists(Path("out/3.onnx")));
  for (const std::string name : {"out/1.onnx", "out/2.onnx"}) {
    EXPECT_EQ(Read(name + ".data"),
              std::string(100, 'a') + std::string(28, '\0') + std::string(70, 'c'));
    const Result<Model> again = ReadOnnx(Path(name));
    ASSERT_TRUE(again.ok()) << again.error().ToString();
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(*again->main().constants()[i]->tensor(), *model->main().constants()[i]->tensor());
    }
  }
}

TEST_F(OnnxExternalData, ThatWasChangedGoesToTheModelsOwnFile) {
  Write("in/w.bin", "ab");
  WriteModel("w.bin", "0", "2");
  const Result<Model> model = ReadOnnx(Path("in/m.onnx"));
  model->main().constants()[0]->set_data(Tensor::Int(7));
  ASSERT_TRUE(WriteOnnx(*model, Path("out/m.onnx")).ok());
  EXPECT_FALSE(fs::exists(Path("out/w.bin")));
  const Result<Model> again = ReadOnnx(Path("out/m.onnx"));
  ASSERT_TRUE(again.ok()) << again.error().ToString();
  EXPECT_EQ(again->main().constants()[0]->tensor()->IntAt(0), 7);
}

TEST_F(OnnxExternalData, OfAnotherModelIsNotReplaced) {
  Write("in/w.bin", "ab");
  WriteModel("w.bin", "0", "2");
  const Result<Model> model = ReadOnnx(Path("in/m.onnx"));
  Write("out/w.bin", "ab, and what others keep here");
  EXPECT_TRUE(WriteOnnx(*model, Path("out/m.onnx")).ok());
  EXPECT_EQ(Read("out/w.bin"), "ab, and what others keep here");
  Write("out/w.bin", "xy");
  fs::remove(Path("out/m.onnx"));
  EXPECT_FALSE(WriteOnnx(*model, Path("out/m.onnx")).ok());
  EXPECT_EQ(Read("out/w.bin"), "xy");
  EXPECT_FALSE(fs::exists(Path("out/m.onnx")));
}

TEST_F(OnnxExternalData, IsConfinedToTheFolderAndChecked) {
  Write("w.bin", "ab");
  Write("in/w.bin", "ab");
  fs::create_symlink("../w.bin", folder_ / "in/link.bin");
  for (const char* location :
       {"../w.bin", "/etc/passwd", "link.bin", "", "in\\w.bin", "missing.bin"}) {
    WriteModel(location, "0", "2");
    EXPECT_NE(ErrorOfReading(), "") << location;
  }
  WriteModel("w.bin", "1", "2");
  EXPECT_EQ(ErrorOfReading(),
            "external data of tensor \"w\" is 2 bytes at offset 1, but the file \"w.bin\" has 2");
  WriteModel("w.bin", "18446744073709551615", "2");
  EXPECT_NE(ErrorOfReading(), "");
  WriteModel("w.bin", "0", "1");
  EXPECT_EQ(ErrorOfReading(), "external data of tensor \"w\" has 1 bytes, expected 2");
  WriteModel("w.bin", "-1", "2");
  EXPECT_EQ(ErrorOfReading(),
            "external data of tensor \"w\" has offset \"-1\" and length \"2\", expected numbers");
}

TEST_F(OnnxExternalData, IsRefusedByWhatIsWrongWithItsSizes) {
  WriteModel("w.bin", "0", "2", "dims: -1 data_type: 2");
  EXPECT_EQ(ErrorOfReading(), "tensor \"w\": tensor has a negative size -1");
  WriteModel("w.bin", "0", "2", "dims: 4294967296 dims: 4294967296 data_type: 2");
  EXPECT_EQ(ErrorOfReading(), "tensor \"w\": the number of elements of a tensor overflows");
}

TEST_F(OnnxExternalData, OfATypeThatNoFileHoldsIsNotMissing) {
  Write("in/w.bin", "ab");
  for (const auto& [type, why] :
       {std::pair("dims: 2 data_type: 99", "element type 99 is not known"),
        std::pair("dims: 2 data_type: 8",
                  "its elements are not in the file, or not in the field of their type")}) {
    WriteModel("w.bin", "0", "2", type);
    const Result<Model> model = ReadOnnx(Path("in/m.onnx"));
    ASSERT_TRUE(model.ok()) << model.error().ToString();
    EXPECT_TRUE(MissingFiles(*model).empty());
    EXPECT_EQ(WhyWithoutElements(*model->main().constants()[0]), why);
  }
}

}  // namespace
}  // namespace dragoman
