// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/write_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/support/bytes.h"
#include "core/support/output_file.h"
#include "core/support/text.h"
#include "exporters/onnx/dict_to_message.h"
#include "exporters/onnx/expand_model.h"
#include "exporters/onnx/print_syntax.h"
#include "exporters/onnx/write_context.h"
#include "exporters/onnx/write_graph.h"
#include "proto/onnx/extra.h"
#include "proto/onnx/onnx.pb.h"
#include "proto/text_message.h"

namespace dragoman {
namespace {

using onnx_pb::ModelProto;
using onnx_writer::ModelExpander;
using onnx_writer::WriteContext;

// The first version of the format that knows ai.onnx `opset`. Source: ONNX, docs/Versioning.md.
std::int64_t IrVersionOf(std::int64_t opset) {
  if (opset >= 28) return 14;
  if (opset >= 23) return std::min<std::int64_t>(opset - 12, 13);
  if (opset >= 21) return 10;
  if (opset >= 19) return 9;
  if (opset >= 15) return 8;
  if (opset >= 12) return 7;
  if (opset >= 10) return opset - 5;
  return 4;  // before, every initializer was an input too
}

constexpr std::int64_t kFirstWithFunctions = 8;

constexpr std::string_view kOwnDomain = "dragoman";

void FillMetadata(const Model& model, ModelProto* message) {
  onnx_writer::FitSize(model.metadata.size(), message->mutable_metadata_props());
  for (std::size_t i = 0; i < model.metadata.size(); ++i) {
    auto* entry = message->mutable_metadata_props(static_cast<int>(i));
    const auto& [key, value] = model.metadata[i];
    if (!key.empty()) entry->set_key(key);
    if (!value.empty()) entry->set_value(value);
  }
}

bool UsesOwnDomain(const Model& model) {
  bool uses = false;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) uses = uses || node.op().dialect == kOwnDomain;
  });
  return uses;
}

// Whether the file that a source graph is from has no version of the format.
bool LacksIrVersion(const Model& model) {
  const Attribute* const absent = Find(model.extra, onnx_extra::kAbsent);
  return absent != nullptr && absent->As<Attribute::Strings>() != nullptr;
}

// What a file must say and a graph does not: a common one, or one that somebody wrote as text.
void Complete(const Model& model, ModelProto* message) {
  const std::int64_t opset = model.OpsetVersion("").value_or(kCommonOpset);
  const std::int64_t least = model.functions.empty() ? IrVersionOf(opset) : kFirstWithFunctions;
  if (model.level == Level::kSource) {
    if (message->has_ir_version() || LacksIrVersion(model)) return;
    message->set_ir_version(std::max(IrVersionOf(opset), least));
    return;
  }
  message->set_ir_version(std::max({message->ir_version(), IrVersionOf(opset), least}));
  if (!message->has_producer_name()) message->set_producer_name("dragoman");
  if (!model.OpsetVersion("")) message->add_opset_import()->set_version(kCommonOpset);
  if (model.OpsetVersion(kOwnDomain) || !UsesOwnDomain(model)) return;
  auto* own = message->add_opset_import();
  own->set_domain(std::string(kOwnDomain));
  own->set_version(1);
}

Status FillModel(const Model& model, WriteContext* context, ModelProto* message) {
  if (model.entries.size() != 1) {
    return Unsupported("an ONNX file has one entry, the model has " +
                       std::to_string(model.entries.size()));
  }
  if (!model.states.empty())
    return Unsupported("ONNX has no state such as " + Quote(model.states[0].name));
  constexpr std::string_view kSpecial[] = {onnx_extra::kAbsent};
  DRAGOMAN_TRY(onnx_writer::FillFromExtra(&model.extra, kSpecial, &context->bulk, message));
  onnx_writer::FillOpsets(model.opsets, message->mutable_opset_import());
  FillMetadata(model, message);
  DRAGOMAN_TRY(onnx_writer::FillGraph(model.main(), context, message->mutable_graph()));
  for (const Function& function : model.functions) {
    DRAGOMAN_TRY(onnx_writer::FillFunction(function, context, message->add_functions()));
  }
  context->external.Place();
  Complete(model, message);
  return {};
}

std::string Serialize(const ModelProto& message) {
  // protobuf reports texts that are not UTF-8, and writes them.
  const google::protobuf::LogSilencer silencer;
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

// A model ready to be written.
struct Prepared {
  WriteContext context;
  std::string message;  // with tokens
};

Result<std::unique_ptr<Prepared>> Prepare(const Model& model, const std::string& file_name,
                                          const WriteOnnxOptions& options) {
  auto prepared =
      std::make_unique<Prepared>(Prepared{{options,
                                           {},
                                           onnx_writer::ExternalData(file_name, options.file_each),
                                           onnx_writer::ValueNames(model)},
                                          {}});
  ModelProto message;
  DRAGOMAN_TRY(FillModel(model, &prepared->context, &message));
  prepared->message = Serialize(message);
  return prepared;
}

Status CheckSize(const ModelExpander& expander, const WriteOnnxOptions& options) {
  if (expander.size() <= options.max_file_bytes) return {};
  return Unsupported("the ONNX file would have " + std::to_string(expander.size()) +
                     " bytes, more than " + std::to_string(options.max_file_bytes) +
                     "; keep tensor data in a file of its own");
}

Result<std::unique_ptr<ModelProto>> MessageOf(const Model& model) {
  DRAGOMAN_ASSIGN(const std::string bytes,
                  WriteOnnxBytes(model, {.data = WriteOnnxOptions::Data::kInline}));
  const google::protobuf::LogSilencer silencer;
  auto message = std::make_unique<ModelProto>();
  if (!message->ParseFromString(bytes)) return Internal("a model that was written cannot be read");
  return message;
}

Status WriteText(const Model& model, const std::string& path, TextForm form) {
  DRAGOMAN_ASSIGN(const std::unique_ptr<ModelProto> message, MessageOf(model));
  DRAGOMAN_ASSIGN(const std::string text, PrintTextMessage(*message, form));
  return WriteFile(path, text);
}

Status WriteSyntax(const Model& model, const std::string& path, const WriteOnnxOptions& options) {
  DRAGOMAN_ASSIGN(const std::unique_ptr<ModelProto> message, MessageOf(model));
  DRAGOMAN_ASSIGN(const onnx_writer::SyntaxText text, onnx_writer::PrintOnnxSyntax(*message));
  if (!text.left_out.empty()) {
    const std::string what = "the text form of ONNX has no place for " + text.left_out;
    if (options.strict) return Unsupported(what);
    if (options.warn) options.warn(what + ", which are left out");
  }
  return WriteFile(path, text.text);
}

Status WriteFiles(const Prepared& prepared, const ModelExpander& expander,
                  const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::vector<OutputFile> files;
  DRAGOMAN_TRY(prepared.context.external.Write(folder, &files));
  DRAGOMAN_ASSIGN(OutputFile file, OutputFile::Create(path));
  DRAGOMAN_TRY(
      expander.Write([&](std::span<const std::byte> bytes) { return file.Append(bytes); }));
  for (OutputFile& data : files) DRAGOMAN_TRY(data.Commit());
  return file.Commit();
}

}  // namespace

Status WriteOnnx(const Model& model, const std::string& path, const WriteOnnxOptions& options) {
  if (path.ends_with(".textproto")) return WriteText(model, path, TextForm::kTextFormat);
  if (path.ends_with(".onnxjson")) return WriteText(model, path, TextForm::kJson);
  if (path.ends_with(".onnxtxt")) return WriteSyntax(model, path, options);
  const std::string file_name = std::filesystem::path(path).filename().string();
  DRAGOMAN_ASSIGN(std::unique_ptr<Prepared> prepared, Prepare(model, file_name, options));
  DRAGOMAN_ASSIGN(ModelExpander expander,
                  ModelExpander::Make(prepared->message, prepared->context.bulk));
  if (expander.size() > options.max_file_bytes && options.data == WriteOnnxOptions::Data::kKeep) {
    WriteOnnxOptions external = options;
    external.data = WriteOnnxOptions::Data::kExternal;
    return WriteOnnx(model, path, external);
  }
  DRAGOMAN_TRY(CheckSize(expander, options));
  return WriteFiles(*prepared, expander, path);
}

Status CheckOnnx(const Model& model) {
  // Bytes of tensors count for nothing in a data file.
  const WriteOnnxOptions options = {.data = WriteOnnxOptions::Data::kExternal};
  DRAGOMAN_ASSIGN(const std::unique_ptr<Prepared> prepared, Prepare(model, "model", options));
  DRAGOMAN_ASSIGN(const ModelExpander expander,
                  ModelExpander::Make(prepared->message, prepared->context.bulk));
  return CheckSize(expander, options);
}

Result<std::string> WriteOnnxBytes(const Model& model, const WriteOnnxOptions& options) {
  DRAGOMAN_ASSIGN(const std::unique_ptr<Prepared> prepared, Prepare(model, "model", options));
  DRAGOMAN_ASSIGN(const ModelExpander expander,
                  ModelExpander::Make(prepared->message, prepared->context.bulk));
  DRAGOMAN_TRY(CheckSize(expander, options));
  std::string bytes;
  bytes.reserve(expander.size());
  DRAGOMAN_TRY(expander.Write([&](std::span<const std::byte> piece) {
    bytes += AsText(piece);
    return Status();
  }));
  return bytes;
}

}  // namespace dragoman
