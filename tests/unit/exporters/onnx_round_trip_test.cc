// SPDX-License-Identifier: Apache-2.0
// What a file may say in more than one way, and comes back as it was said.
#include <gtest/gtest.h>

#include <string>

#include "core/ir/graph.h"
#include "exporters/onnx/write_model.h"
#include "importers/onnx/read_model.h"
#include "proto/onnx/onnx.pb.h"
#include "tests/support/onnx_messages.h"

namespace dragoman {
namespace {

using onnx_pb::ModelProto;

TEST(OnnxRoundTrip, PresentButEmpty) {
  ExpectRoundTrip(ModelFromText(R"pb(
    ir_version: 0
    producer_name: ""
    opset_import { domain: "" version: 0 }
    opset_import {}
    metadata_props { key: "" }
    metadata_props {}
    graph {
      name: ""
      doc_string: ""
      input { name: "" }
      input {}
      node {
        name: ""
        op_type: "A"
        domain: ""
        overload: ""
        attribute { name: "" }
      }
      node {
        op_type: "A"
        attribute { name: "a" type: UNDEFINED }
        attribute {
          name: "t"
          type: TENSOR
          t {}
        }
      }
    })pb"));
}

TEST(OnnxRoundTrip, AttributesWithoutTypeOrValue) {
  ExpectRoundTrip(ModelFromText(R"pb(
    graph {
      node {
        op_type: "A"
        attribute { name: "a" i: 3 }
        attribute { name: "b" type: INT }
        attribute { name: "c" type: FLOAT f: 0 }
        attribute { name: "d" type: INTS }
        attribute { name: "e" type: GRAPH }
        attribute { name: "f" type: INT f: 1.5 }
        attribute { name: "g" type: INT i: 1 ints: 2 }
        attribute { name: "h" ref_attr_name: "x" type: INT }
        attribute { name: "i" ref_attr_name: "y" i: 0 }
      }
    })pb"));
}

TEST(OnnxRoundTrip, AnAttributeOfTwoKindsHasNoValueThatCouldBeTakenForIt) {
  const Result<Model> model = ReadMessage(ModelFromText(R"pb(
    graph {
      node {
        op_type: "A"
        attribute { name: "f" type: INT f: 1.5 }
      }
    })pb"));
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->main().first_node()->attribute("f")->kind(), Attribute::Kind::kDict);
}

TEST(OnnxRoundTrip, TypedData) {
  ExpectRoundTrip(ModelFromText(R"pb(
    graph {
      initializer {
        name: "a"
        dims: 2
        data_type: 1
        float_data: [ 1, nan ]
      }
      initializer {
        name: "b"
        dims: 2
        data_type: 10
        int32_data: [ 15360, 65535 ]
      }
      initializer {
        name: "c"
        dims: 3
        data_type: 22
        int32_data: [ 33, 15 ]
      }
      initializer {
        name: "d"
        dims: 1
        data_type: 14
        float_data: [ 1, 2 ]
      }
      initializer { name: "e" dims: 2 data_type: 8 string_data: "x" string_data: "" }
      initializer { name: "f" dims: 0 data_type: 1 }
      initializer { name: "g" dims: 0 data_type: 1 raw_data: "" }
      initializer { name: "h" dims: 1 data_type: 3 int32_data: -128 }
      initializer { name: "i" dims: 1 data_type: 12 uint64_data: 4294967295 }
    })pb"));
}

TEST(OnnxRoundTrip, TensorsWithoutTypedForm) {
  ExpectRoundTrip(ModelFromText(R"pb(
    graph {
      initializer { name: "unknown type" dims: 2 data_type: 99 raw_data: "abc" }
      initializer { name: "no byte" dims: 1 data_type: 2 int32_data: 300 }
      initializer { name: "no weights" dims: 4 data_type: 1 }
      initializer {
        name: "segment"
        dims: 4
        data_type: 1
        segment { begin: 0 end: 1 }
        float_data: 1
      }
      initializer { name: "two fields" dims: 1 data_type: 1 float_data: 1 raw_data: "abcd" }
      initializer { name: "wrong field" dims: 1 data_type: 1 int64_data: 1 }
      sparse_initializer { values { name: "half a sparse tensor" } }
    })pb"));
}

TEST(OnnxRoundTrip, DescriptionsOfValues) {
  ExpectRoundTrip(ModelFromText(R"pb(
    graph {
      input {
        name: "x"
        type {
          tensor_type {
            elem_type: 1
            shape {
              dim { dim_param: "n + 1" denotation: "D" }
              dim {}
            }
          }
        }
      }
      node { op_type: "A" input: "x" input: "" output: "y" output: "" output: "z" }
      initializer { name: "w" dims: 0 data_type: 1 raw_data: "" }
      output { name: "y" }
      output { name: "y" }
      output { name: "x" }
      output { name: "w" }
      output { name: "" }
      output {}
      value_info { name: "z" }
      value_info { name: "nothing" doc_string: "d" }
      value_info { name: "z" doc_string: "other" }
      value_info {
        name: "w"
        type {
          tensor_type {
            elem_type: 1
            shape {
              dim { dim_value: -1 }
              dim { dim_param: "?" }
            }
          }
        }
      }
    })pb"));
}

TEST(OnnxRoundTrip, InitializersThatAreInputsInAnyOrder) {
  const ModelProto message = ModelFromText(R"pb(
    ir_version: 3
    graph {
      input { name: "a" }
      input { name: "b" }
      initializer { name: "c" dims: 1 data_type: 2 raw_data: "c" }
      initializer { name: "b" dims: 1 data_type: 2 raw_data: "b" }
      initializer { name: "a" dims: 1 data_type: 2 raw_data: "a" }
    })pb");
  const Result<Model> model = ReadMessage(message);
  ASSERT_TRUE(model.ok());
  ASSERT_EQ(model->main().num_inputs(), 2U);
  EXPECT_EQ(model->main().input(1)->tensor()->IntAt(0), 'b');
  EXPECT_EQ(model->main().constants().size(), 1U);
  ExpectRoundTrip(message);
}

TEST(OnnxRoundTrip, NodesInAnyOrderAndNamesThatSubgraphsShadow) {
  ExpectRoundTrip(ModelFromText(R"pb(
    graph {
      node { op_type: "B" input: "m" output: "y" }
      node {
        op_type: "A"
        input: "x"
        output: "m"
        attribute {
          name: "body"
          type: GRAPH
          g {
            input { name: "m" }
            node { op_type: "C" input: "x" input: "m" output: "x2" }
            output { name: "x2" }
          }
        }
      }
      input { name: "x" }
      output { name: "y" }
    })pb"));
}

TEST(OnnxRoundTrip, FunctionsTrainingAndDevices) {
  ExpectRoundTrip(ModelFromText(R"pb(
    graph {}
    functions {
      name: "F"
      domain: "d"
      overload: "o"
      input: "x"
      output: "y"
      attribute: "alpha"
      doc_string: "f"
      attribute_proto { name: "beta" type: FLOAT f: 1 }
      opset_import { version: 20 }
      node {
        op_type: "Elu"
        input: "x"
        output: "y"
        attribute { name: "alpha" ref_attr_name: "alpha" type: FLOAT }
      }
      value_info {
        name: "x"
        type { tensor_type { elem_type: 1 } }
      }
      metadata_props { key: "k" value: "v" }
    }
    training_info {
      initialization { initializer { name: "w" dims: 1 data_type: 2 raw_data: "a" } }
      algorithm { node { input: "defined elsewhere" } }
      update_binding { key: "w" value: "w2" }
    }
    configuration { name: "two" num_devices: 2 device: "a" device: "b" })pb"));
}

TEST(OnnxRoundTrip, OneChangeInTheGraphIsOneChangeInTheFile) {
  ModelProto message = ModelFromText(R"pb(
    graph {
      input { name: "x" doc_string: "kept" }
      node {
        name: "n"
        op_type: "LeakyRelu"
        input: "x"
        output: "y"
        doc_string: "kept too"
        attribute { name: "alpha" type: FLOAT f: 0.5 doc_string: "and this" }
      }
      output { name: "y" }
    })pb");
  const Result<Model> model = ReadMessage(message);
  ASSERT_TRUE(model.ok());
  Node* node = model->main().first_node();
  node->SetAttribute("alpha", 0.25F);
  node->set_op(InternOp("onnx", "Elu"));
  message.mutable_graph()->mutable_node(0)->set_op_type("Elu");
  message.mutable_graph()->mutable_node(0)->mutable_attribute(0)->set_f(0.25F);
  EXPECT_EQ(*WriteOnnxBytes(*model), Deterministic(message));
}

TEST(OnnxWriter, NamesWhatHasNoNameOfItsOwn) {
  Model model;
  model.entries.push_back({"main", std::make_unique<Graph>(), {}, {}, {}});
  Graph& graph = model.main();
  Value* x = graph.AddInput("x");
  Value* constant = graph.AddConstant("x", Tensor::Float(1));
  const std::vector<Value*> operands = {x, constant};
  Node* add = graph.Append(InternOp("onnx", "Add"), operands);
  graph.AddOutput(add->AddResult(""));
  ModelProto message;
  ASSERT_TRUE(message.ParseFromString(*WriteOnnxBytes(model)));
  const onnx_pb::NodeProto& node = message.graph().node(0);
  EXPECT_EQ(node.input(0), "x");
  EXPECT_EQ(node.input(1), "x_2");
  EXPECT_EQ(message.graph().initializer(0).name(), "x_2");
  EXPECT_EQ(node.output(0), "Add");
  EXPECT_EQ(message.graph().output(0).name(), "Add");
}

TEST(OnnxWriter, CommonGraphsSayTheirOperatorSets) {
  Model model;
  model.level = Level::kCommon;
  model.entries.push_back({"main", std::make_unique<Graph>(), {}, {}, {}});
  model.main().Append(InternOp("dragoman", "Linear"), {})->AddResult("y");
  ModelProto message;
  ASSERT_TRUE(message.ParseFromString(*WriteOnnxBytes(model)));
  EXPECT_EQ(message.ir_version(), 10);
  EXPECT_EQ(message.opset_import(0).version(), kCommonOpset);
  EXPECT_EQ(message.opset_import(1).domain(), "dragoman");
  EXPECT_EQ(message.graph().node(0).domain(), "dragoman");
}

TEST(OnnxWriter, RefusesWhatOnnxCannotSay) {
  Model model;
  model.entries.push_back({"main", std::make_unique<Graph>(), {}, {}, {}});
  Node* node = model.main().Append(InternOp("onnx", "Relu"), {}, "r");
  node->SetAttribute("a", 1.5);
  const Result<std::string> attribute = WriteOnnxBytes(model);
  ASSERT_FALSE(attribute.ok());
  EXPECT_EQ(attribute.error().ToString(),
            "node 'r' (onnx.Relu): error: attribute \"a\" is a double, which ONNX does not have");
  node->RemoveAttribute("a");
  node->set_op(InternOp("aten", "relu"));
  const Result<std::string> dialect = WriteOnnxBytes(model);
  ASSERT_FALSE(dialect.ok());
  EXPECT_EQ(dialect.error().kind(), ErrorKind::kUnsupported);
  node->set_op(InternOp("onnx", "Relu"));
  node->extra().emplace_back("onnx.no_field", std::string("x"));
  EXPECT_FALSE(WriteOnnxBytes(model).ok());
}

}  // namespace
}  // namespace dragoman
