// SPDX-License-Identifier: Apache-2.0
// Every construct of Relax text, in the files of tests/golden/relax.
#include <gtest/gtest.h>

#include <string>

#include "codegen/relax/write_source.h"
#include "importers/relax/graph/read_model.h"
#include "tests/support/golden_texts.h"

namespace dragoman {
namespace {

std::string WrittenBack(const std::string& text) {
  const Result<Model> model = ReadRelaxText(text);
  if (!model.ok()) return model.error().ToString() + "\n";
  const Result<std::string> written = PrintRelaxSource(*model);
  return written.ok() ? *written : written.error().ToString() + "\n";
}

class RelaxGolden : public testing::TestWithParam<std::string> {};

TEST_P(RelaxGolden, IsWrittenBack) {
  ExpectGoldenText("relax", GetParam(), WrittenBack,
                   [](const std::string& text) { return !text.starts_with("line "); });
}

INSTANTIATE_TEST_SUITE_P(Files, RelaxGolden, testing::ValuesIn(GoldenTexts("relax")),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dragoman
