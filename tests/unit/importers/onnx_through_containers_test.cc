// SPDX-License-Identifier: Apache-2.0
// An ONNX file that goes through one of our formats and back is the same file: every model of
// Debian's package libonnx-testdata, which is where this test runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "exporters/json/write_model.h"
#include "exporters/native/write_model.h"
#include "exporters/onnx/write_model.h"
#include "importers/json/read_model.h"
#include "importers/native/read_model.h"
#include "importers/onnx/read_model.h"

namespace dragoman {
namespace {

std::vector<std::string> OnnxFiles() {
  std::vector<std::string> files;
  std::error_code none;
  const std::filesystem::path data = "/usr/share/libonnx-testdata";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data, none)) {
    if (entry.path().extension() == ".onnx") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void ExpectWritesTheSame(const Result<Model>& model, const std::string& onnx) {
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  const Result<std::string> written = WriteOnnxBytes(*model);
  ASSERT_TRUE(written.ok()) << written.error().ToString();
  EXPECT_TRUE(*written == onnx) << "another file";
}

TEST(OnnxThroughContainers, ComesBack) {
  const std::vector<std::string> files = OnnxFiles();
  if (files.empty()) GTEST_SKIP() << "libonnx-testdata is not installed";
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const Result<Model> model = ReadOnnx(file);
    ASSERT_TRUE(model.ok()) << model.error().ToString();
    const Status verified = Verify(*model);
    EXPECT_TRUE(verified.ok()) << verified.error().ToString();
    const Result<std::string> onnx = WriteOnnxBytes(*model);
    ASSERT_TRUE(onnx.ok()) << onnx.error().ToString();

    const Result<std::string> native = WriteNativeBytes(*model);
    ASSERT_TRUE(native.ok()) << native.error().ToString();
    ExpectWritesTheSame(ReadNativeBytes(Buffer::Own(*native)), *onnx);
    const Result<std::string> json = WriteJsonText(*model);
    ASSERT_TRUE(json.ok()) << json.error().ToString();
    ExpectWritesTheSame(ReadJsonText(*json), *onnx);
    ExpectWritesTheSame(ParseText(PrintText(*model)), *onnx);
  }
}

// Changing one op type or attribute in the text changes that field of the file and nothing else.
TEST(OnnxThroughContainers, AnEditInTheTextIsAnEditInTheFile) {
  const std::vector<std::string> files = OnnxFiles();
  const auto file = std::find_if(files.begin(), files.end(), [](const std::string& path) {
    return path.ends_with("node/test_softmax_axis_1/model.onnx");
  });
  if (file == files.end()) GTEST_SKIP() << "libonnx-testdata is not installed";
  const Result<Model> model = ReadOnnx(*file);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  std::string text = PrintText(*model);
  std::string onnx = *WriteOnnxBytes(*model);

  const std::size_t op_in_text = text.find("onnx.Softmax(");
  const std::size_t op_in_file = onnx.find("Softmax");
  ASSERT_NE(op_in_text, text.npos);
  ASSERT_NE(op_in_file, onnx.npos);
  text.replace(op_in_text, 13, "onnx.Hardmax(");
  onnx.replace(op_in_file, 7, "Hardmax");
  ExpectWritesTheSame(ParseText(text), onnx);
}

}  // namespace
}  // namespace dragoman
