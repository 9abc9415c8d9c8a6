// SPDX-License-Identifier: Apache-2.0
// Edits that a user asks for, of any model.
#ifndef DRAGOMAN_DRIVER_EDIT_MODEL_H_
#define DRAGOMAN_DRIVER_EDIT_MODEL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/edit/interface.h"
#include "core/edit/merge.h"
#include "core/edit/processing.h"
#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/session.h"

namespace dragoman {

struct RenameEdit {
  Renamed what = Renamed::kValue;
  std::string pattern;
  std::string name;
};

struct PostEdit {
  std::string output;
  Postprocessing what = Postprocessing::kArgMax;
  std::int64_t axis = -1;
};

// Values have the names that the model gives them: renaming is done last.
struct EditRequest {
  std::vector<std::pair<std::string, std::string>> constants;  // name and file of an array
  std::vector<std::string> exposed;
  std::vector<std::string> dropped_outputs;
  std::vector<std::string> dropped_inputs;
  std::map<std::string, Preprocessing> preprocessing;  // by input
  std::vector<PostEdit> postprocessing;
  std::vector<std::string> input_order;
  std::vector<std::string> output_order;
  std::vector<RenameEdit> renames;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::string> removed_metadata;
  bool strips_documentation = false;
  bool strips_names = false;
};

// What edits apply to: the model in the file if its operators are those of ONNX and no facts are
// stated, else what it is lowered to.
Result<Model> EditableModel(const Session& session, Model source, const Facts& facts);
// Errors: an edit of which a file of `target` would show nothing.
Status CheckEdits(const EditRequest& request, const Format& target);
// Errors: the first edit that cannot be made.
Status EditModel(Model& model, const EditRequest& request);

// A common model as it is in the file, and the operator set of that.
struct CommonModel {
  Model model;
  std::optional<std::int64_t> opset;
};
// Of `lowering` all but the passes holds.
Result<CommonModel> ReadCommon(const Session& session, const std::string& path,
                               LoweringOptions lowering = {}, const ReadOptions& options = {});

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_EDIT_MODEL_H_
