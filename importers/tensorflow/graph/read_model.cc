// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/read_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "core/support/bytes.h"
#include "core/support/confined_path.h"
#include "core/support/mapped_file.h"
#include "core/support/text.h"
#include "core/support/wire_reader.h"
#include "importers/tensorflow/container/checkpoint.h"
#include "importers/tensorflow/container/chunked_message.h"
#include "importers/tensorflow/graph/detect.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/graph/read_graph.h"
#include "importers/tensorflow/graph/signatures.h"
#include "importers/tensorflow/graph/variables.h"
#include "proto/message_dict.h"
#include "proto/tensorflow/extra.h"
#include "proto/text_message.h"

namespace dragoman {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view kServing = "serve";

Status ParseBinaryMessage(Bytes file, google::protobuf::Message* message) {
  WireReader reader(file);
  while (!reader.done()) {
    const Result<WireField> field = reader.Next(0);
    if (!field.ok()) return field.error();
  }
  const auto size = static_cast<int>(
      std::min(file.size(), std::size_t{std::numeric_limits<std::int32_t>::max()}));
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(file.data()),
                                               size);
  input.SetRecursionLimit(kMaxMessageNesting);
  const google::protobuf::LogSilencer silence;  // the error below reports it
  const bool parsed = static_cast<std::size_t>(size) == file.size() &&
                      message->ParseFromCodedStream(&input) && input.ConsumedEntireMessage();
  if (parsed) return {};
  return InvalidInput("the file is no " + message->GetDescriptor()->name() +
                      ": a message in it is damaged, or nests too deep");
}

enum class Form { kBinary, kText, kChunks };

Status Parse(Bytes file, Form form, google::protobuf::Message* message) {
  return form == Form::kText ? ParseTextMessage(file, TextForm::kTextFormat, message)
                             : ParseBinaryMessage(file, message);
}

Status ParseSavedModel(Bytes file, Form form, tf_pb::SavedModel* message) {
  if (form == Form::kChunks) return tf_reader::ReadChunkedSavedModel(file, message);
  return Parse(file, form, message);
}

std::string TagsOf(const tf_pb::MetaGraphDef& graph) {
  std::string text;
  for (const std::string& tag : graph.meta_info_def().tags())
    text += (text.empty() ? "" : ",") + tag;
  return "{" + text + "}";
}

bool HasJust(const tf_pb::MetaGraphDef& graph, std::vector<std::string> tags) {
  std::vector<std::string> found(graph.meta_info_def().tags().begin(),
                                 graph.meta_info_def().tags().end());
  std::sort(found.begin(), found.end());
  std::sort(tags.begin(), tags.end());
  return found == tags;
}

Result<int> ChooseGraph(const tf_pb::SavedModel& message, const ReadTensorFlowOptions& options) {
  std::string known;
  int serving = -1;
  for (int i = 0; i < message.meta_graphs_size(); ++i) {
    const tf_pb::MetaGraphDef& graph = message.meta_graphs(i);
    if (options.tags && HasJust(graph, *options.tags)) return i;
    if (HasJust(graph, {std::string(kServing)})) serving = i;
    known += (known.empty() ? "" : ", ") + TagsOf(graph);
  }
  if (message.meta_graphs_size() == 0) return InvalidInput("the SavedModel has no graph");
  if (!options.tags && serving >= 0) return serving;
  if (!options.tags && message.meta_graphs_size() == 1) return 0;
  return InvalidInput((options.tags ? "no graph has just these tags" : "no graph is for serving") +
                      std::string("; tags of its graphs: ") + known);
}

Status AddEntries(tf_pb::MetaGraphDef* message, Model* model) {
  DRAGOMAN_TRY(tf_reader::ReadSignatures(message, model));
  if (model->entries.empty()) DRAGOMAN_TRY(tf_reader::AssumeEntry(model));
  return {};
}

Model NewModel() {
  Model model;
  model.dialect = tf_extra::kDialect;
  return model;
}

Status ReadMetaGraph(tf_pb::MetaGraphDef* message, Model* model) {
  DRAGOMAN_TRY(tf_reader::ReadGraphDef(message->mutable_graph_def(),
                                       message->meta_info_def().stripped_op_list(), model));
  message->clear_graph_def();
  tf_reader::ReadInitOp(*message, model);
  DRAGOMAN_TRY(AddEntries(message, model));
  model->extra.emplace_back(std::string(tf_extra::kMetaGraph), MessageToDict(*message));
  return {};
}

Result<Model> ReadGraphFile(Bytes file, Form form) {
  tf_pb::GraphDef message;
  DRAGOMAN_TRY(Parse(file, form, &message));
  Model model = NewModel();
  DRAGOMAN_TRY(tf_reader::ReadGraphDef(&message, {}, &model));
  DRAGOMAN_TRY(tf_reader::AssumeEntry(&model));
  tf_reader::AddInitialStates(&model);
  return model;
}

Result<Model> ReadMetaGraphFile(Bytes file, Form form) {
  tf_pb::MetaGraphDef message;
  DRAGOMAN_TRY(Parse(file, form, &message));
  Model model = NewModel();
  DRAGOMAN_TRY(ReadMetaGraph(&message, &model));
  return model;
}

Result<Model> ReadSavedModelFile(Bytes file, Form form, const ReadTensorFlowOptions& options) {
  tf_pb::SavedModel message;
  DRAGOMAN_TRY(ParseSavedModel(file, form, &message));
  DRAGOMAN_ASSIGN(int number, ChooseGraph(message, options));
  Model model = NewModel();
  DRAGOMAN_TRY(ReadMetaGraph(message.mutable_meta_graphs(number), &model));
  message.mutable_meta_graphs()->DeleteSubrange(number, 1);
  model.extra.emplace_back(std::string(tf_extra::kSavedModel), MessageToDict(message));
  model.extra.emplace_back(std::string(tf_extra::kGraphNumber), std::int64_t{number});
  return model;
}

// A file that is not there is reported when something needs its contents.
Status ReadAssets(const std::string& folder, Model* model) {
  Attribute::List assets;
  for (const tf::Asset& asset : tf::Assets(*model)) {
    DRAGOMAN_TRY(CheckConfinedName(asset.filename));
    const std::string assets_folder = folder + "/assets";
    std::error_code ignored;
    if (!std::filesystem::exists(assets_folder + "/" + asset.filename, ignored)) continue;
    DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file,
                    OpenConfined(assets_folder, asset.filename));
    const auto size = static_cast<std::int64_t>(file->bytes().size());
    DRAGOMAN_ASSIGN(Tensor contents,
                    Tensor::Make(DType::kU8, {size}, Buffer::Window(file->bytes(), file)));
    Attribute::Dict dict;
    dict.emplace_back(std::string(tf_extra::kPath), asset.filename);
    dict.emplace_back(std::string(tf_extra::kContents), std::move(contents));
    const bool known = std::any_of(assets.begin(), assets.end(), [&](const Attribute& other) {
      return Identical(*Find(*other.As<Attribute::Dict>(), tf_extra::kPath),
                       Attribute(asset.filename));
    });
    if (!known) assets.emplace_back(std::move(dict));
  }
  if (!assets.empty()) model->extra.emplace_back(std::string(tf_extra::kAssets), std::move(assets));
  return {};
}

Status ReadVariables(const std::string& prefix, Model* model) {
  if (!tf_reader::HasCheckpoint(prefix)) {
    tf_reader::AddInitialStates(model);
    return {};
  }
  DRAGOMAN_ASSIGN(std::vector<tf_reader::CheckpointEntry> entries,
                  tf_reader::ReadCheckpoint(prefix));
  tf_reader::AddStates(std::move(entries), model);
  return {};
}

Result<Model> ReadSavedModelFolder(const std::string& folder,
                                   const ReadTensorFlowOptions& options) {
  std::error_code ignored;
  struct Kind {
    const char* name;
    Form form;
  };
  constexpr Kind kKinds[] = {{"/saved_model.pb", Form::kBinary},
                             {"/saved_model.pbtxt", Form::kText},
                             {"/saved_model.cpb", Form::kChunks}};
  const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& some) {
    return std::filesystem::exists(folder + some.name, ignored);
  });
  if (kind == std::end(kKinds)) return InvalidInput("is a folder without saved_model.pb");
  const std::string path = folder + kind->name;
  DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  Result<Model> model = ReadSavedModelFile(file->bytes(), kind->form, options);
  if (!model.ok()) return std::move(model).error().InFile(path);
  DRAGOMAN_TRY(ReadVariables(folder + "/variables/variables", &*model));
  DRAGOMAN_TRY(ReadAssets(folder, &*model));
  return model;
}

// A file in a folder of its own, whatever it is called.
std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

Result<Model> ReadTensorFlow(const std::string& path, const ReadTensorFlowOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    if (IsSavedModelFolder(path)) return ReadSavedModelFolder(path, options);
    return InvalidInput("is a folder without saved_model.pb; expected a SavedModel");
  }
  DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  switch (TensorFlowFileKind(file->bytes())) {
    case TensorFlowFile::kSavedModel:
    case TensorFlowFile::kSavedModelText:
    case TensorFlowFile::kChunkedSavedModel:
      return ReadSavedModelFolder(FolderOf(path), options);
    case TensorFlowFile::kMetaGraphDef:
    case TensorFlowFile::kMetaGraphDefText: {
      DRAGOMAN_ASSIGN(Model model, ReadTensorFlowBytes(file->bytes()));
      std::filesystem::path prefix = path;
      if (prefix.extension() == ".meta") {
        DRAGOMAN_TRY(ReadVariables(prefix.replace_extension().string(), &model));
      }
      return model;
    }
    default:
      return ReadTensorFlowBytes(file->bytes());
  }
}

Result<Model> ReadTensorFlowBytes(Bytes file) {
  switch (TensorFlowFileKind(file)) {
    case TensorFlowFile::kGraphDefText:
      return ReadGraphFile(file, Form::kText);
    case TensorFlowFile::kMetaGraphDef:
      return ReadMetaGraphFile(file, Form::kBinary);
    case TensorFlowFile::kMetaGraphDefText:
      return ReadMetaGraphFile(file, Form::kText);
    case TensorFlowFile::kSavedModel:
      return ReadSavedModelFile(file, Form::kBinary, {});
    case TensorFlowFile::kSavedModelText:
      return ReadSavedModelFile(file, Form::kText, {});
    case TensorFlowFile::kChunkedSavedModel:
      return ReadSavedModelFile(file, Form::kChunks, {});
    case TensorFlowFile::kKerasArchive:
      return Unsupported(
          "is a .keras archive, which holds Python objects and no graph; in Python: import keras; "
          "keras.models.load_model(\"model.keras\").export(\"folder\")");
    case TensorFlowFile::kHdf5:
      // Whole models have their layers in this attribute.
      if (AsText(file).find("model_config") == std::string_view::npos) {
        return Unsupported(
            "is an HDF5 file, which holds weights and no graph; with a model of Keras in Python: "
            "model.load_weights(\"model.weights.h5\"); model.export(\"folder\")");
      }
      return Unsupported(
          "is an HDF5 file, as Keras' model.save(\"model.h5\") writes it, and holds no graph; in "
          "Python: import keras; keras.models.load_model(\"model.h5\").export(\"folder\")");
    case TensorFlowFile::kTfLite:
      return Unsupported(
          "is a TensorFlow Lite model; convert the SavedModel that it was made from");
    case TensorFlowFile::kGraphDef:
    case TensorFlowFile::kNone:
      break;
  }
  return ReadGraphFile(file, Form::kBinary);
}

}  // namespace dragoman
