// SPDX-License-Identifier: Apache-2.0
// Every construct of Relay text, in the files of tests/golden/relay.
#include <gtest/gtest.h>

#include <string>

#include "codegen/relay/write_source.h"
#include "core/support/find_by_key.h"
#include "importers/relay/graph/read_model.h"
#include "importers/relay/ops/op_table.h"
#include "tests/support/golden_texts.h"

namespace dragoman {
namespace {

std::string WrittenBack(const std::string& text) {
  const Result<Model> model = ReadRelayText(text);
  if (!model.ok()) return model.error().ToString() + "\n";
  const Result<std::string> written = PrintRelaySource(*model);
  return written.ok() ? *written : written.error().ToString() + "\n";
}

class RelayGolden : public testing::TestWithParam<std::string> {};

TEST_P(RelayGolden, IsWrittenBack) {
  ExpectGoldenText("relay", GetParam(), WrittenBack,
                   [](const std::string& text) { return text.starts_with("#[version"); });
}

INSTANTIATE_TEST_SUITE_P(Files, RelayGolden, testing::ValuesIn(GoldenTexts("relay")),
                         [](const auto& info) { return info.param; });

// Two files could have rows of one name, of which only one would be found.
TEST(RelayOpTable, HasOneRowOfEachName) {
  EXPECT_GT(relay::OpRows().size(), 250u);
  EXPECT_TRUE(IsSortedBy(relay::OpRows(), &relay::OpRow::name));
}

}  // namespace
}  // namespace dragoman
