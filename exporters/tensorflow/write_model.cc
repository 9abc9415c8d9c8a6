// SPDX-License-Identifier: Apache-2.0
#include "exporters/tensorflow/write_model.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "core/ir/find_as.h"
#include "core/support/confined_path.h"
#include "core/support/output_file.h"
#include "core/support/text.h"
#include "exporters/tensorflow/fill_graph.h"
#include "exporters/tensorflow/write_checkpoint.h"
#include "proto/message_dict.h"
#include "proto/tensorflow/extra.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman {
namespace {

constexpr std::string_view kData = ".data-00000-of-00001";

Result<std::string> Serialize(const google::protobuf::Message& message, bool as_text) {
  std::string bytes;
  if (as_text) {
    google::protobuf::TextFormat::PrintToString(message, &bytes);
    return bytes;
  }
  if (message.ByteSizeLong() > std::size_t{std::numeric_limits<std::int32_t>::max()}) {
    return Unsupported("a file of TensorFlow holds at most 2 GiB; leave the weights in variables");
  }
  bytes = StableBytes(message);
  return bytes;
}

Status FillMetaGraph(const Model& model, const Attribute::Dict& rest,
                     tf_pb::MetaGraphDef* message) {
  DRAGOMAN_TRY(DictToMessage(rest, message));
  DRAGOMAN_TRY(tf_writer::FillGraphDef(model, message->mutable_graph_def()));
  return tf_writer::FillSignatures(model, message);
}

Status WriteAssets(const Model& model, OutputFolder* folder) {
  const auto* assets = FindAs<Attribute::List>(model.extra, tf_extra::kAssets);
  if (assets == nullptr) return {};
  for (const Attribute& asset : *assets) {
    const auto* dict = asset.As<Attribute::Dict>();
    const Attribute* path = dict == nullptr ? nullptr : Find(*dict, tf_extra::kPath);
    const Attribute* contents = dict == nullptr ? nullptr : Find(*dict, tf_extra::kContents);
    const auto* name = path == nullptr ? nullptr : path->As<std::string>();
    if (name == nullptr || contents == nullptr || contents->tensor() == nullptr) {
      return InvalidInput("extra tf.assets is not a list of {path, contents}");
    }
    DRAGOMAN_TRY(CheckConfinedName(*name));
    DRAGOMAN_ASSIGN(OutputFile file, folder->AddFile("assets/" + *name));
    DRAGOMAN_TRY(file.Append(contents->tensor()->bytes()));
    DRAGOMAN_TRY(file.Commit());
  }
  return {};
}

Status WriteSavedModel(const Model& model, const Attribute::Dict& rest,
                       const Attribute::Dict& others, const std::string& path) {
  tf_pb::SavedModel message;
  DRAGOMAN_TRY(DictToMessage(others, &message));
  DRAGOMAN_TRY(FillMetaGraph(model, rest, message.add_meta_graphs()));
  const auto* number = FindAs<std::int64_t>(model.extra, tf_extra::kGraphNumber);
  const int last = message.meta_graphs_size() - 1;
  const int place =
      number == nullptr || *number < 0 || *number > last ? last : static_cast<int>(*number);
  auto& graphs = *message.mutable_meta_graphs();
  std::rotate(graphs.pointer_begin() + place, graphs.pointer_begin() + last, graphs.pointer_end());
  DRAGOMAN_ASSIGN(std::string bytes, Serialize(message, false));
  DRAGOMAN_ASSIGN(OutputFolder folder, OutputFolder::Create(path));
  DRAGOMAN_TRY(folder.WriteFile("saved_model.pb", bytes));
  if (!model.states.empty()) {
    DRAGOMAN_ASSIGN(OutputFile data, folder.AddFile("variables/variables" + std::string(kData)));
    DRAGOMAN_ASSIGN(std::string index, tf_writer::WriteCheckpoint(model, &data));
    DRAGOMAN_TRY(data.Commit());
    DRAGOMAN_TRY(folder.WriteFile("variables/variables.index", index));
  }
  DRAGOMAN_TRY(WriteAssets(model, &folder));
  return folder.Commit();
}

Status WriteMetaGraph(const Model& model, const Attribute::Dict& rest, const std::string& path,
                      bool as_text) {
  tf_pb::MetaGraphDef message;
  DRAGOMAN_TRY(FillMetaGraph(model, rest, &message));
  DRAGOMAN_ASSIGN(std::string bytes, Serialize(message, as_text));
  if (!model.states.empty()) {
    const std::string prefix = std::filesystem::path(path).replace_extension().string();
    DRAGOMAN_ASSIGN(OutputFile data, OutputFile::Create(prefix + std::string(kData)));
    DRAGOMAN_ASSIGN(std::string index, tf_writer::WriteCheckpoint(model, &data));
    DRAGOMAN_TRY(data.Commit());
    DRAGOMAN_TRY(WriteFile(prefix + ".index", index));
  }
  return WriteFile(path, bytes);
}

}  // namespace

Status WriteTensorFlow(const Model& model, const std::string& path) {
  if (model.level != Level::kSource || model.dialect != tf_extra::kDialect) {
    return Unsupported("only models that were read from TensorFlow's files are written as such");
  }
  const std::filesystem::path file = path;
  const bool as_text = file.extension() == ".pbtxt";
  const auto* rest = FindAs<Attribute::Dict>(model.extra, tf_extra::kMetaGraph);
  if (const auto* others = FindAs<Attribute::Dict>(model.extra, tf_extra::kSavedModel)) {
    if (file.extension() == ".pb" || as_text) {
      return InvalidInput(
          "the model is a SavedModel, which is a folder; name one, as with -o folder "
          "--to tf");
    }
    static const Attribute::Dict kNothing;
    return WriteSavedModel(model, rest == nullptr ? kNothing : *rest, *others, path);
  }
  if (rest != nullptr) return WriteMetaGraph(model, *rest, path, as_text);
  tf_pb::GraphDef message;
  DRAGOMAN_TRY(tf_writer::FillGraphDef(model, &message));
  DRAGOMAN_ASSIGN(std::string bytes, Serialize(message, as_text));
  return WriteFile(path, bytes);
}

}  // namespace dragoman
