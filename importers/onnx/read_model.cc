// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/read_model.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/logging.h>

#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include "core/support/mapped_file.h"
#include "importers/onnx/detect.h"
#include "importers/onnx/parse_syntax.h"
#include "importers/onnx/read_context.h"
#include "importers/onnx/read_graph.h"
#include "importers/onnx/reduce_model.h"
#include "proto/onnx/extra.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman {
namespace {

using onnx_pb::ModelProto;
using onnx_reader::ClearIfAllEmpty;
using onnx_reader::Place;
using onnx_reader::ReadContext;

void TakeMetadata(ModelProto* message, Model* model) {
  for (auto& entry : *message->mutable_metadata_props()) {
    model->metadata.emplace_back(entry.key(), entry.value());
    if (!entry.key().empty()) entry.clear_key();
    if (!entry.value().empty()) entry.clear_value();
  }
  ClearIfAllEmpty(message->mutable_metadata_props());
}

Status ReadFunctions(ModelProto* message, const Place& place, ReadContext& context, Model* model) {
  for (int i = 0; i < message->functions_size(); ++i) {
    const Place function_place{&place, ModelProto::kFunctionsFieldNumber, i};
    DRAGOMAN_ASSIGN(Function function,
                    ReadFunction(message->mutable_functions(i), function_place, context));
    model->functions.push_back(std::move(function));
  }
  message->clear_functions();
  return {};
}

Result<Model> ReadMessage(ModelProto* message, ReadContext& context) {
  const Place place;
  if (!message->has_graph()) return context.Fail(place, "an ONNX model without a graph");
  Model model;
  model.entries.push_back({"main", std::make_unique<Graph>(), {}, {}, {}});
  const Place graph_place{&place, ModelProto::kGraphFieldNumber, 0};
  DRAGOMAN_TRY(ReadMainGraph(message->mutable_graph(), graph_place, context, &model.main()));
  message->clear_graph();
  DRAGOMAN_TRY(ReadFunctions(message, place, context, &model));
  DRAGOMAN_TRY(context.Noted());
  model.opsets = onnx_reader::TakeOpsets(message->mutable_opset_import());
  TakeMetadata(message, &model);
  context.Keep(*message, [&]() -> Extra& { return model.extra; });
  if (!message->has_ir_version()) {
    model.extra.emplace_back(std::string(onnx_extra::kAbsent), Attribute::Strings{"ir_version"});
  }
  return model;
}

Result<Model> ReadFile(std::span<const std::byte> file, std::shared_ptr<const void> owner,
                       const ReadOnnxOptions& options) {
  DRAGOMAN_ASSIGN(onnx_reader::ReducedModel reduced, onnx_reader::ReduceModel(file));
  const google::protobuf::LogSilencer
      silencer;  // protobuf reports texts that are not UTF-8, and parses them
  google::protobuf::Arena arena;
  auto& message = *google::protobuf::Arena::CreateMessage<ModelProto>(&arena);
  if (!message.ParseFromString(reduced.message)) {
    return Error(Finding{ErrorKind::kInvalidInput, {}, "byte 0", "the file is not an ONNX model"});
  }
  reduced.message = std::string();  // {} would keep its room
  ReadContext context(file, std::move(owner), std::move(reduced), options);
  return ReadMessage(&message, context);
}

// The message that a file in one of the text forms stands for; nullopt: the file is not a text.
Result<std::optional<std::string>> BytesOfText(std::span<const std::byte> file,
                                               const std::string& path) {
  const google::protobuf::LogSilencer silencer;
  ModelProto message;
  if (const std::optional<TextForm> form = OnnxTextForm(file)) {
    DRAGOMAN_TRY(ParseTextMessage(file, *form, &message));
  } else if (IsOnnxSyntax(file) || (path.ends_with(kOnnxSyntaxSuffix) && !IsOnnxModel(file))) {
    DRAGOMAN_TRY(ParseOnnxSyntax(file, &message));
  } else {
    return std::optional<std::string>();
  }
  return std::optional(message.SerializeAsString());
}

Result<Model> ReadAnyFile(const std::shared_ptr<const MappedFile>& file, const std::string& path,
                          const ReadOnnxOptions& options) {
  DRAGOMAN_ASSIGN(std::optional<std::string> bytes, BytesOfText(file->bytes(), path));
  if (bytes) return ReadOnnxBytes(Buffer::Own(std::move(*bytes)), options);
  return ReadFile(file->bytes(), file, options);
}

}  // namespace

Result<Model> ReadOnnx(const std::string& path, const ReadOnnxOptions& options) {
  DRAGOMAN_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  ReadOnnxOptions resolved = options;
  if (!resolved.data_folder)
    resolved.data_folder = std::filesystem::path(path).parent_path().string();
  Result<Model> model = ReadAnyFile(file, path, resolved);
  if (!model.ok()) model.error().InFile(path);
  return model;
}

Result<Model> ReadOnnxBytes(Buffer file, const ReadOnnxOptions& options) {
  const auto owner = std::make_shared<const Buffer>(std::move(file));
  return ReadFile(owner->bytes(), owner, options);
}

}  // namespace dragoman
