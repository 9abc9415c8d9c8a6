// SPDX-License-Identifier: Apache-2.0
#include "driver/edit_model.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/support/npy.h"
#include "driver/convert_model.h"
#include "driver/data.h"
#include "driver/given_names.h"
#include "driver/structured_calls.h"

namespace dragoman {
namespace {

Status ReplaceConstant(Model& model, const std::string& name, const std::string& file) {
  DRAGOMAN_ASSIGN(const Type type, ConstantType(model, name));
  Result<NpyArray> npy = ReadNpy(file);
  if (!npy.ok()) return std::move(npy).error();
  Result<Array> array = FromNpy(*npy, type.dtype());
  if (!array.ok()) return std::move(array).error().InFile(file);
  return SetConstant(model, name, array->ToTensor());
}

// `request` with the names that `model` has.
EditRequest Named(const Model& model, EditRequest request) {
  for (auto& [name, file] : request.constants) name = NameIn(model, name);
  for (auto* names : {&request.exposed, &request.dropped_outputs, &request.dropped_inputs}) {
    for (std::string& name : *names) name = NameIn(model, name);
  }
  for (auto* names : {&request.input_order, &request.output_order}) *names = NamesIn(model, *names);
  for (auto& [given, wanted] : request.preprocessing) wanted.input = NameIn(model, wanted.input);
  for (RenameEdit& rename : request.renames) {
    if (rename.pattern.find('\\') == std::string::npos)
      rename.pattern = NameIn(model, rename.pattern);
  }
  for (PostEdit& post : request.postprocessing) post.output = NameIn(model, post.output);
  for (std::string& key : request.removed_metadata) {
    const auto found =
        std::ranges::find(model.metadata, key, &std::pair<std::string, std::string>::first);
    if (found == model.metadata.end()) key = NameIn(model, key);
  }
  return request;
}

Status ChangeInterface(Model& model, const EditRequest& request) {
  for (const std::string& name : request.exposed) DRAGOMAN_TRY(ExposeValue(model, name));
  for (const std::string& name : request.dropped_outputs) DRAGOMAN_TRY(DropOutput(model, name));
  for (const std::string& name : request.dropped_inputs) DRAGOMAN_TRY(DropInput(model, name));
  for (const auto& [input, wanted] : request.preprocessing) DRAGOMAN_TRY(Preprocess(model, wanted));
  for (const PostEdit& post : request.postprocessing)
    DRAGOMAN_TRY(Postprocess(model, post.output, post.what, post.axis));
  if (!request.input_order.empty()) DRAGOMAN_TRY(ReorderInputs(model, request.input_order));
  if (!request.output_order.empty()) DRAGOMAN_TRY(ReorderOutputs(model, request.output_order));
  return {};
}

}  // namespace

Result<Model> EditableModel(const Session& session, Model source, const Facts& facts) {
  const bool of_onnx = source.level == Level::kCommon || source.dialect == "onnx";
  const bool has_facts = !facts.shapes.empty() || !facts.dims.empty() || facts.entry;
  if (of_onnx && !has_facts && !ChangesInputs(session, source)) return source;
  LoweringOptions lowering;
  lowering.facts = facts;
  lowering.passes = "none";
  return session.ToCommon(source, lowering);
}

Status CheckEdits(const EditRequest& request, const Format& target) {
  if (target.is_container) return {};
  const auto keeps_none = [&](std::string_view option, std::string_view what) -> Status {
    return Unsupported(
        fmt::format("{}: files of format {} do not keep {}", option, target.name, what));
  };
  for (const RenameEdit& rename : request.renames) {
    if (rename.what == Renamed::kOutput && !target.names.outputs)
      return keeps_none("--rename-output", "names of outputs");
    if (rename.what == Renamed::kDim && !target.names.sizes)
      return keeps_none("--rename-dim", "names of sizes");
    if (rename.what == Renamed::kNode && !target.names.inner)
      return keeps_none("--rename-node", "names of nodes");
    if (rename.what == Renamed::kValue && !target.names.inner)
      return keeps_none("--rename-value", "names of inner values; --rename-input renames inputs");
  }
  if (!request.metadata.empty() && !target.keeps_metadata)
    return keeps_none("--metadata", "metadata");
  return {};
}

Status EditModel(Model& model, const EditRequest& given) {
  if (model.entries.empty()) return InvalidInput("the model has no entry");
  const EditRequest request = Named(model, given);
  for (const auto& [name, file] : request.constants)
    DRAGOMAN_TRY(ReplaceConstant(model, name, file));
  DRAGOMAN_TRY(ChangeInterface(model, request));
  if (request.strips_documentation) StripDocumentation(model);
  if (request.strips_names) StripNames(model);
  for (const RenameEdit& rename : request.renames)
    DRAGOMAN_TRY(Rename(model, rename.what, rename.pattern, rename.name));
  for (const std::string& key : request.removed_metadata) DRAGOMAN_TRY(RemoveMetadata(model, key));
  for (const auto& [key, value] : request.metadata) SetMetadata(model, key, value);
  return {};
}

Result<CommonModel> ReadCommon(const Session& session, const std::string& path,
                               LoweringOptions lowering, const ReadOptions& options) {
  DRAGOMAN_ASSIGN(const Model source, session.Read(path, std::nullopt, options));
  CommonModel common{.model = {}, .opset = KeptOpset(source)};
  lowering.passes = "none";
  Result<Model> model = session.ToCommon(source, lowering);
  if (!model.ok()) return std::move(model).error().InFile(path);
  common.model = std::move(*model);
  return common;
}

}  // namespace dragoman
