// SPDX-License-Identifier: Apache-2.0
// Damaged ONNX files: cut at every byte, and with bytes flipped. Reading ends in success or in
// InvalidInput with a byte offset; what is read comes back as protobuf sees it. Meant to run under
// the sanitizers too.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "proto/onnx/onnx.pb.h"
#include "tests/support/onnx_messages.h"

namespace dragoman {
namespace {

using onnx_pb::ModelProto;

// Small models that between them use every part of the format.
constexpr const char* kModels[] = {
    R"pb(ir_version: 8
         graph {
           name: "g"
           input { name: "x" }
           node { op_type: "Relu" input: "x" output: "y" }
           output { name: "y" }
         })pb",
    R"pb(graph { initializer { name: "w" dims: 2 data_type: 1 raw_data: "abcdefgh" } })pb",
    R"pb(graph {
           initializer {
             name: "w"
             dims: 3
             data_type: 1
             float_data: [ 1, 2, 3 ]
           }
           initializer { name: "s" dims: 1 data_type: 8 string_data: "s" }
         })pb",
    R"pb(graph {
           input {
             name: "x"
             type {
               tensor_type {
                 elem_type: 1
                 shape {
                   dim { dim_value: 3 }
                   dim { dim_param: "n" denotation: "d" }
                 }
               }
             }
           }
         })pb",
    R"pb(graph {
           node {
             op_type: "If"
             attribute {
               name: "then_branch"
               type: GRAPH
               g {
                 node { op_type: "A" output: "a" }
                 output { name: "a" }
               }
             }
             attribute {
               name: "n"
               type: INTS
               ints: [ 1, 300 ]
             }
           }
         })pb",
    R"pb(graph {
           sparse_initializer {
             values { name: "s" dims: 1 data_type: 2 raw_data: "v" }
             indices { dims: 1 data_type: 7 int64_data: 2 }
             dims: 4
           }
         })pb",
    R"pb(graph {}
         functions {
           name: "F"
           input: "x"
           output: "y"
           node {
             op_type: "Elu"
             input: "x"
             output: "y"
             attribute { name: "alpha" ref_attr_name: "a" type: FLOAT }
           }
           opset_import { version: 20 }
         })pb",
    R"pb(graph {
           quantization_annotation {
             tensor_name: "x"
             quant_parameter_tensor_names { key: "SCALE_TENSOR" value: "s" }
           }
           value_info { name: "v" doc_string: "d" }
         }
         metadata_props { key: "k" value: "v" })pb",
    R"pb(graph {
           input {
             name: "m"
             type {
               map_type {
                 key_type: 7
                 value_type {
                   sequence_type {
                     elem_type {
                       optional_type { elem_type { opaque_type { domain: "d" name: "n" } } }
                     }
                   }
                 }
               }
             }
           }
         })pb",
    R"pb(graph {}
         training_info {
           algorithm {
             node {
               input: "x"
               attribute {
                 name: "t"
                 type: TENSOR
                 t { dims: 1 data_type: 10 int32_data: 7 }
               }
             }
           }
           initialization_binding { key: "a" }
         })pb",
};

// The files of kModels, each with a field that the format does not have.
std::vector<std::string> Models() {
  std::vector<std::string> models;
  for (const char* text : kModels) {
    ModelProto message = ModelFromText(text);
    message.mutable_graph()
        ->GetReflection()
        ->MutableUnknownFields(message.mutable_graph())
        ->AddGroup(900);
    models.push_back(message.SerializeAsString());
  }
  return models;
}

// How many of the damaged files are still read.
int CheckDamaged(const std::string& bytes) {
  const google::protobuf::LogSilencer silencer;
  const Result<Model> model =
      ReadOnnxBytes(Buffer::Own(bytes), {.data_folder = {}, .require_data = false});
  ModelProto parsed;
  const bool parses = parsed.ParseFromString(bytes);
  if (!model.ok()) {
    const Finding& finding = model.error().findings()[0];
    EXPECT_EQ(finding.kind, ErrorKind::kInvalidInput) << finding.ToString();
    EXPECT_TRUE(finding.place.starts_with("byte ")) << finding.ToString();
    EXPECT_NE(finding.message, "the file is not an ONNX model")
        << "protobuf finds a fault that we overlook";
    return 0;
  }
  EXPECT_TRUE(parses);
  const Result<std::string> written = WriteOnnxBytes(*model);
  EXPECT_TRUE(written.ok() && *written == Deterministic(parsed)) << parsed.DebugString();
  return 1;
}

TEST(OnnxDamage, CutAtEveryByte) {
  int read = 0;
  for (const std::string& model : Models()) {
    EXPECT_EQ(CheckDamaged(model), 1);
    for (std::size_t size = 0; size < model.size(); ++size)
      read += CheckDamaged(model.substr(0, size));
  }
  EXPECT_GT(read, 0);
}

TEST(OnnxDamage, EveryByteReplaced) {
  std::mt19937 random(1);
  int read = 0;
  for (const std::string& model : Models()) {
    for (std::size_t at = 0; at < model.size(); ++at) {
      for (int i = 0; i < 24; ++i) {
        std::string damaged = model;
        const auto bit = static_cast<char>(1 << (i & 7));
        damaged[at] = i < 8 ? static_cast<char>(damaged[at] ^ bit) : static_cast<char>(random());
        if (i >= 16) damaged[random() % damaged.size()] = static_cast<char>(random());
        read += CheckDamaged(damaged);
      }
    }
  }
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace dragoman
