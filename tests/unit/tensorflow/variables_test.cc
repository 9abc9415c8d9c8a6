// SPDX-License-Identifier: Apache-2.0
// Which tensor of a checkpoint a variable holds.
#include "importers/tensorflow/graph/variables.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "importers/tensorflow/graph/read_model.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman::tf_reader {
namespace {

using google::protobuf::TextFormat;
using testing::ElementsAre;

// Two variables that are called `kernel` in their layers, and a function that captures both.
constexpr char kGraph[] = R"(
meta_info_def { tags: "serve" }
graph_def {
  node { name: "kernel" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "kernel_1" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node {
    name: "call" op: "StatefulPartitionedCall" input: "x" input: "kernel_1" input: "kernel"
    attr { key: "f" value { func { name: "serve" } } }
  }
  library { function { signature {
    name: "serve"
    input_arg { name: "x" type: DT_FLOAT }
    input_arg { name: "first" type: DT_RESOURCE }
    input_arg { name: "second" type: DT_RESOURCE }
  } } }
}
object_graph_def { concrete_functions { key: "serve" value { bound_inputs: 1 bound_inputs: 2 } } }
)";
constexpr char kObjects[] = R"(
nodes { }
nodes { attributes { name: "VARIABLE_VALUE" full_name: "kernel" checkpoint_key: "query/value" } }
nodes { attributes { name: "VARIABLE_VALUE" full_name: "kernel" checkpoint_key: "key/value" } }
)";

CheckpointEntry Entry(std::string key, Tensor value) {
  return {std::move(key), value.type(), Attribute(value)};
}

TEST(VariablesTest, FindsVariablesOfOneNameByWhatFunctionsCapture) {
  tf_pb::TrackableObjectGraph objects;
  ASSERT_TRUE(TextFormat::ParseFromString(kObjects, &objects));
  Result<Model> model = ReadTensorFlowBytes(std::as_bytes(std::span(std::string_view(kGraph))));
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  Result<Tensor> table = Tensor::MakeStrings({}, {objects.SerializeAsString()});
  ASSERT_TRUE(table.ok());
  AddStates({Entry("_CHECKPOINTABLE_OBJECT_GRAPH", *table), Entry("key/value", Tensor::Float(2)),
             Entry("query/value", Tensor::Float(1))},
            &*model);
  std::vector<std::pair<std::string, double>> held;
  for (const State& state : model->states) {
    if (state.initial.tensor()->dtype() == DType::kF32)
      held.emplace_back(state.name, state.initial.tensor()->FloatAt(0));
  }
  EXPECT_THAT(held, ElementsAre(std::pair("kernel", 2.0), std::pair("kernel_1", 1.0)));
}

}  // namespace
}  // namespace dragoman::tf_reader
