// SPDX-License-Identifier: Apache-2.0
// What the ONNX reader makes of a file, and what it refuses.
#include "importers/onnx/read_model.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/ir/graph.h"
#include "proto/onnx/onnx.pb.h"
#include "tests/support/onnx_messages.h"

namespace dragoman {
namespace {

using onnx_pb::ModelProto;

TEST(OnnxReader, MakesAGraphOfTheFile) {
  const Result<Model> model = ReadMessage(ModelFromText(R"pb(
    ir_version: 8
    opset_import { domain: "ai.onnx" version: 17 }
    metadata_props { key: "k" value: "v" }
    graph {
      name: "g"
      doc_string: "text"
      input {
        name: "x"
        type {
          tensor_type {
            elem_type: 1
            shape {
              dim { dim_value: 2 }
              dim { dim_param: "n" }
              dim {}
            }
          }
        }
      }
      initializer { name: "w" dims: 1 data_type: 6 raw_data: "\001\000\000\000" }
      node {
        name: "clip"
        op_type: "Clip"
        domain: "ai.onnx"
        input: "x"
        input: ""
        input: "w"
        output: "y"
      }
      output {
        name: "y"
        type { sequence_type { elem_type { tensor_type { elem_type: 7 } } } }
      }
    })pb"));
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->level, Level::kSource);
  EXPECT_EQ(model->OpsetVersion(""), 17);
  EXPECT_EQ(model->metadata[0].second, "v");
  EXPECT_EQ(*Find(model->extra, "onnx.ir_version")->As<std::int64_t>(), 8);
  const Graph& graph = model->main();
  EXPECT_EQ(*Find(*graph.extra_if_any(), "onnx.doc_string")->As<std::string>(), "text");
  EXPECT_EQ(graph.input(0)->type().ToString(), "f32[2, n, ?]");
  const Node& clip = *graph.first_node();
  EXPECT_EQ(clip.op().domain, "ai.onnx");
  EXPECT_TRUE(clip.Is("Clip"));
  EXPECT_EQ(clip.operand(0), graph.input(0));
  EXPECT_EQ(clip.operand(1), nullptr);
  EXPECT_EQ(clip.operand(2)->tensor()->IntAt(0), 1);
  EXPECT_EQ(graph.output(0), clip.result());
  EXPECT_EQ(clip.result()->type().ToString(), "seq<i64[*]>");
}

TEST(OnnxReader, LeavesWeightsWhereTheyLie) {
  ModelProto message = ModelFromText(R"pb(graph { initializer { dims: 4096 data_type: 2 } })pb");
  message.mutable_graph()->mutable_initializer(0)->set_raw_data(std::string(4096, 'w'));
  const Buffer file = Buffer::Own(message.SerializeAsString());
  const Result<Model> model = ReadOnnxBytes(file);
  ASSERT_TRUE(model.ok());
  const auto weights = model->main().constants()[0]->tensor()->bytes();
  EXPECT_GE(weights.data(), file.bytes().data());
  EXPECT_LE(weights.data() + weights.size(), file.bytes().data() + file.size());
}

TEST(OnnxReader, KeepsOneMessageOfManyPiecesInOne) {
  ModelProto half = ModelFromText(R"pb(
    graph {
      name: "a"
      initializer { name: "w" dims: 1 data_type: 2 raw_data: "1" }
    })pb");
  std::string bytes = half.SerializeAsString();
  half = ModelFromText(R"pb(graph {
                              name: "b"
                              node { op_type: "Relu" input: "w" output: "y" }
                            })pb");
  bytes += half.SerializeAsString();
  const Result<Model> model = ReadOnnxBytes(Buffer::Own(bytes));
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->main().name(), "b");
  EXPECT_EQ(model->main().first_node()->operand(0), model->main().constants()[0].get());
}

std::string ErrorOf(const std::string& text) {
  const Result<Model> model = ReadMessage(ModelFromText(text));
  return model.ok() ? "no error" : model.error().ToString();
}

TEST(OnnxReader, NamesWhatIsNotDefinedAndWhatIsDefinedTwice) {
  EXPECT_EQ(ErrorOf(R"pb(graph {
                           name: "g"
                           node { name: "n" op_type: "Relu" input: "x" }
                           output { name: "y" }
                         })pb"),
            "byte 21: error: graph \"g\" has no value \"y\", which is one of its outputs\n"
            "byte 4: error: graph \"g\" has no value \"x\", operand 0 of node 'n' (onnx.Relu)");
  EXPECT_EQ(ErrorOf(R"pb(graph {
                           input { name: "x" }
                           node { name: "n" op_type: "Relu" output: "x" }
                         })pb"),
            "byte 4: error: the graph defines value \"x\" twice, last by node 'n' (onnx.Relu)");
  EXPECT_EQ(ErrorOf(R"pb(graph {
                           node {
                             op_type: "A"
                             attribute { name: "a" }
                             attribute { name: "a" }
                           }
                         })pb"),
            "byte 14: error: node '' (onnx.A) has attribute \"a\" twice");
}

TEST(OnnxReader, RefusesNodesWithoutOperatorsAndInputsInitialisedAsOthers) {
  EXPECT_NE(ErrorOf(R"pb(graph {
                           name: "g"
                           input { name: "x" }
                           node { input: "x" output: "y" }
                         })pb")
                .find("graph \"g\" has a node without an operator"),
            std::string::npos);
  const auto initialised = [](const std::string& type) {
    return ErrorOf(
        R"(graph { name: "g" input { name: "w" type { tensor_type { )" + type +
        R"( } } } initializer { name: "w" dims: 2 data_type: 1 float_data: [ 1, 2 ] } })");
  };
  EXPECT_NE(initialised("elem_type: 7")
                .find("declares input \"w\" as i64[*], and initialises it "
                      "with f32[2]"),
            std::string::npos);
  EXPECT_NE(initialised("elem_type: 1 shape { dim { dim_value: 5 } }").find("as f32[5]"),
            std::string::npos);
  EXPECT_NE(initialised("elem_type: 1 shape {}").find("as f32[]"), std::string::npos);
  EXPECT_EQ(initialised("elem_type: 1 shape { dim { dim_param: \"n\" } }"), "no error");
}

TEST(OnnxReader, ListsAHundredUndefinedNames) {
  ModelProto message;
  auto* node = message.mutable_graph()->add_node();
  node->set_op_type("Sum");
  for (int i = 0; i < 150; ++i) node->add_input("x" + std::to_string(i));
  const Result<Model> model = ReadMessage(message);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().findings().size(), 101U);
  EXPECT_EQ(model.error().findings().back().message, "and 50 more");
}

TEST(OnnxReader, CountsElements) {
  EXPECT_EQ(
      ErrorOf(R"pb(graph { initializer { name: "w" dims: 3 data_type: 1 raw_data: "abcd" } })pb"),
      "byte 4: error: tensor \"w\": tensor data has 4 bytes, expected 12");
  EXPECT_EQ(ErrorOf(R"pb(graph { initializer { dims: -1 data_type: 1 raw_data: "abcd" } })pb"),
            "byte 4: error: tensor \"\": tensor has a negative size -1");
  EXPECT_EQ(
      ErrorOf(R"pb(graph {
                     initializer { dims: 4611686018427387904 dims: 4 data_type: 1 raw_data: "" }
                   })pb"),
      "byte 4: error: tensor \"\": the number of elements of a tensor overflows");
}

TEST(OnnxReader, RefusesWhatIsNoModel) {
  EXPECT_EQ(ErrorOf("ir_version: 8"), "byte 0: error: an ONNX model without a graph");
  const Result<Model> text = ReadOnnxBytes(Buffer::Own("no model"));
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().findings()[0].place, "byte 0");
  const Result<Model> missing = ReadOnnx("/nowhere/m.onnx");
  ASSERT_FALSE(missing.ok());
}

// A model of `depth` graphs, one in the other.
std::string Nested(int depth) {
  std::string graph;
  const auto wrap = [](char tag, const std::string& inner) {
    std::string out(1, tag);
    for (std::size_t size = inner.size();; size >>= 7) {
      out.push_back(static_cast<char>(size >= 128 ? size | 128 : size));
      if (size < 128) break;
    }
    return out + inner;
  };
  for (int i = 1; i < depth; ++i) {
    const std::string attribute =
        wrap(0x32, graph) + std::string("\xa0\x01\x05", 3);        // g, type: GRAPH
    graph = wrap(0x0a, wrap(0x22, "If") + wrap(0x2a, attribute));  // node: op_type, attribute
  }
  return wrap(0x3a, graph);
}

TEST(OnnxReader, BoundsNesting) {
  const Result<Model> deep = ReadOnnxBytes(Buffer::Own(Nested(33)));
  ASSERT_TRUE(deep.ok()) << deep.error().ToString();
  const Result<Model> deeper = ReadOnnxBytes(Buffer::Own(Nested(35)));
  ASSERT_FALSE(deeper.ok());
  EXPECT_EQ(deeper.error().findings()[0].message, "messages nest more than 100 deep");
  EXPECT_FALSE(ReadOnnxBytes(Buffer::Own(Nested(2000))).ok());
}

}  // namespace
}  // namespace dragoman
