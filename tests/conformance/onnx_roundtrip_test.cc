// SPDX-License-Identifier: Apache-2.0
// Every ONNX file at hand, read and written: the message is the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "exporters/onnx/write_model.h"
#include "importers/onnx/read_model.h"
#include "proto/onnx/onnx.pb.h"
#include "tests/support/onnx_messages.h"
#include "tests/support/paths.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> OnnxFilesBelow(const fs::path& folder) {
  std::vector<std::string> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What stands in the way of the file coming back; empty if nothing does.
std::string RoundTrip(const std::string& path) {
  onnx_pb::ModelProto original;
  if (!original.ParseFromString(ReadBytes(path))) return "protobuf cannot parse it";
  const Result<Model> model = ReadOnnx(path, {.data_folder = {}, .require_data = false});
  if (!model.ok()) return model.error().ToString();
  const Model copy = Clone(*model);
  for (const Model* graph : {&*model, &copy}) {
    const Result<std::string> written = WriteOnnxBytes(*graph);
    if (!written.ok()) return written.error().ToString();
    if (*written != Deterministic(original)) return graph == &copy ? "a clone differs" : "differs";
  }
  return "";
}

void ExpectAllComeBack(const std::vector<std::string>& files) {
  for (const std::string& file : files) EXPECT_EQ(RoundTrip(file), "") << file;
}

TEST(OnnxRoundTrip, TestDataOfTheInstalledOnnx) {
  const std::vector<std::string> files = OnnxFilesBelow("/usr/share/libonnx-testdata");
  if (files.empty()) GTEST_SKIP() << "libonnx-testdata is not installed";
  EXPECT_GE(files.size(), 1000U);
  ExpectAllComeBack(files);
}

TEST(OnnxRoundTrip, TestDataOfOnnx117) {
  const std::vector<std::string> files = OnnxFilesBelow(ProjectRoot() / "../shared/data/onnx-1.17");
  if (files.empty()) GTEST_SKIP() << "no such data here";
  ExpectAllComeBack(files);
}

TEST(OnnxRoundTrip, RealModels) {
  std::vector<std::string> files = OnnxFilesBelow(ProjectRoot() / "../shared/data/real/onnx");
  if (files.empty()) GTEST_SKIP() << "no such data here";
  // Made to be refused: two inputs of one name.
  const std::size_t refused = std::erase_if(files, [](const std::string& file) {
    return file.ends_with("/bad_graph_with_dup_value_info.onnx");
  });
  EXPECT_LE(refused, 1U);
  ExpectAllComeBack(files);
}

TEST(OnnxRoundTrip, TestModelsOfThisProject) {
  ExpectAllComeBack(OnnxFilesBelow(ProjectRoot() / "tests/models"));
}

}  // namespace
}  // namespace dragoman
