// SPDX-License-Identifier: Apache-2.0
// Every operator that is lowered has a case with recorded numbers below tests/models/tensorflow.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/support/find_by_key.h"
#include "importers/tensorflow/ops/op_table.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman {
namespace {

// By name: those that are lowered to a refusal.
constexpr std::array<std::string_view, 3> kWithoutCase = {
    "LookupTableInsert",    // a table that changes while the model runs
    "LookupTableInsertV2",  // the same
    "LookupTableRemoveV2",  // the same
};

void AddOperators(const tf_pb::GraphDef& graph, std::set<std::string>& operators) {
  for (const tf_pb::NodeDef& node : graph.node()) operators.insert(node.op());
  for (const tf_pb::FunctionDef& function : graph.library().function()) {
    for (const tf_pb::NodeDef& node : function.node_def()) operators.insert(node.op());
  }
}

std::set<std::string> OperatorsOfCases() {
  std::set<std::string> operators;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator("tests/models/tensorflow")) {
    if (entry.path().extension() != ".pb" || entry.path().filename() == "saved_model.pb") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    tf_pb::GraphDef graph;
    EXPECT_TRUE(graph.ParseFromIstream(&file)) << entry.path();
    AddOperators(graph, operators);
  }
  return operators;
}

// Two files could have rows of one name, of which only one would be found.
TEST(TensorFlowOpTable, HasOneRowOfEachName) {
  EXPECT_GT(tf::OpRows().size(), 600u);
  EXPECT_TRUE(IsSortedBy(tf::OpRows(), &tf::OpRow::name));
}

TEST(TensorFlowCasesTest, ThereIsOneForEachOperatorThatIsLowered) {
  const std::set<std::string> operators = OperatorsOfCases();
  std::vector<std::string_view> without;
  for (const std::string_view name : tf::SupportedOperators()) {
    if (!operators.contains(std::string(name))) without.push_back(name);
  }
  EXPECT_THAT(without, testing::ElementsAreArray(kWithoutCase))
      << "see tests/models/tensorflow/make_operators.py";
}

}  // namespace
}  // namespace dragoman
