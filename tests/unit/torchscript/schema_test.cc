// SPDX-License-Identifier: Apache-2.0
// The schemas of torch's operators.
#include "importers/torch/schema/schema.h"

#include <gtest/gtest.h>

#include "importers/torch/schema/schema_text.h"

namespace dragoman::torch {
namespace {

using Kind = ScriptType::Kind;

TEST(TorchSchema, EveryLineOfTheTableIsRead) {
  std::string_view text = TorchSchemaText();
  int count = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    const auto schema = ParseSchema(line);
    EXPECT_TRUE(schema.ok()) << line;
    ++count;
  }
  EXPECT_GT(count, 4000);
}

TEST(TorchSchema, HasNamesTypesDefaultsAndAliases) {
  const auto schema = ParseSchema(
      "aten::pool.out(Tensor self, int[2] size, int[2] stride=[], *, float? p=0.5, Tensor(a!) out) "
      "-> (Tensor(a!) values, t[])");
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ(schema->FullName(), "aten::pool.out");
  ASSERT_EQ(schema->arguments.size(), 5u);
  EXPECT_EQ(schema->arguments[1].type.ToString(), "List[int]");
  EXPECT_EQ(schema->arguments[1].repeat, 2);
  EXPECT_FALSE(schema->arguments[1].default_value.has_value());
  EXPECT_EQ(schema->arguments[2].default_value->As<Attribute::Ints>()->size(), 0u);
  EXPECT_EQ(schema->arguments[3].type.ToString(), "Optional[float]");
  EXPECT_TRUE(schema->arguments[3].keyword_only);
  EXPECT_TRUE(schema->arguments[4].mutated());
  ASSERT_EQ(schema->results.size(), 2u);
  EXPECT_EQ(schema->results[0].name, "values");
  EXPECT_TRUE(schema->results[1].type.has_variables());
}

TEST(TorchSchema, OverloadsComeInTheOrderOfRegistration) {
  SchemaTable table;
  const auto& add = table.Find("aten::add");
  ASSERT_GT(add.size(), 2u);
  EXPECT_EQ(add[0].overload, "Tensor");
  EXPECT_EQ(add[1].overload, "Scalar");
  EXPECT_TRUE(table.Find("aten::no_such_operator").empty());
  EXPECT_EQ(table.Find("aten", "add", "int")->results[0].type.kind(), Kind::kInt);
}

}  // namespace
}  // namespace dragoman::torch
