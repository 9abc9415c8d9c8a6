// SPDX-License-Identifier: Apache-2.0
// ONNX messages in tests: from text, to bytes, through the graph and back.
#ifndef DRAGOMAN_TESTS_SUPPORT_ONNX_MESSAGES_H_
#define DRAGOMAN_TESTS_SUPPORT_ONNX_MESSAGES_H_

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

#include "exporters/onnx/write_model.h"
#include "importers/onnx/read_model.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman {

// The one serialisation that equal messages share.
inline std::string Deterministic(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

inline onnx_pb::ModelProto ModelFromText(const std::string& text) {
  onnx_pb::ModelProto message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

// Tensors whose data file is not at hand are read as what the file says of them.
inline Result<Model> ReadMessage(const onnx_pb::ModelProto& message) {
  return ReadOnnxBytes(Buffer::Own(message.SerializeAsString()),
                       {.data_folder = {}, .require_data = false});
}

// That the graph made of `message` is written as the same message.
inline void ExpectRoundTrip(const onnx_pb::ModelProto& message) {
  const google::protobuf::LogSilencer silencer;  // of texts that are not UTF-8
  onnx_pb::ModelProto
      parsed;  // as a reader of the file sees it: values of unknown enumerators are unknown fields
  ASSERT_TRUE(parsed.ParseFromString(message.SerializeAsString()));
  const Result<Model> model = ReadMessage(parsed);
  ASSERT_TRUE(model.ok()) << model.error().ToString() << "\n" << parsed.DebugString();
  const Result<std::string> written = WriteOnnxBytes(*model);
  ASSERT_TRUE(written.ok()) << written.error().ToString() << "\n" << parsed.DebugString();
  if (*written == Deterministic(parsed)) return;
  onnx_pb::ModelProto back;
  EXPECT_TRUE(back.ParseFromString(*written));
  EXPECT_EQ(back.DebugString(), parsed.DebugString());
  FAIL() << "the bytes differ";
}

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_SUPPORT_ONNX_MESSAGES_H_
