// SPDX-License-Identifier: Apache-2.0
// Common models that are written as ONNX files and read again.
#ifndef DRAGOMAN_TESTS_UNIT_EXPORTERS_EXPORT_ONNX_FIXTURE_H_
#define DRAGOMAN_TESTS_UNIT_EXPORTERS_EXPORT_ONNX_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "exporters/onnx/export_onnx.h"
#include "importers/onnx/read_model.h"
#include "tests/support/onnx_checks.h"

namespace dragoman {

inline Model Parse(const std::string& text) {
  Result<Model> model = ParseText(text);
  EXPECT_TRUE(model.ok()) << model.error().ToString();
  if (!model.ok()) return Model();
  for (Entry& entry : model->entries) {
    const Status inferred = Inference().InferGraph(*entry.graph);
    EXPECT_TRUE(inferred.ok()) << inferred.error().ToString();
  }
  return std::move(*model);
}

class ExportOnnxTest : public testing::Test {
 protected:
  // The last file of each test must be accepted by others, too.
  void TearDown() override {
    if (std::filesystem::exists(path_)) {
      EXPECT_EQ(ComplaintsOfOthers(path_), "");
    }
    std::filesystem::remove(path_);
  }

  // The file that `text` is written to, as its reader gives it.
  Result<Model> RoundTrip(const std::string& text, const ExportOptions& options = {}) {
    DRAGOMAN_TRY(ExportOnnx(Parse(text), path_, options));
    return ReadOnnx(path_);
  }
  std::string GraphAtOpset(const std::string& text, std::int64_t opset) {
    ExportOptions options;
    options.opset = opset;
    Result<Model> source = RoundTrip(text, options);
    if (!source.ok()) return source.error().ToString();
    EXPECT_EQ(source->OpsetVersion(""), opset);
    std::string ops;
    for (const Node& node : source->main().nodes()) {
      ops += node.op().type;
      for (const NamedAttribute& attribute : node.attributes()) {
        ops += " " + attribute.name + "=" + PrintAttribute(attribute.value);
      }
      ops += "/" + std::to_string(node.num_operands()) + ";";
    }
    return ops;
  }

  const std::string path_ =
      (std::filesystem::path(testing::TempDir()) /
       (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".onnx"))
          .string();
};

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_UNIT_EXPORTERS_EXPORT_ONNX_FIXTURE_H_
