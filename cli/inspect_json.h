// SPDX-License-Identifier: Apache-2.0
// The answers of `dragoman inspect --json`, and its list of nodes.
#ifndef DRAGOMAN_CLI_INSPECT_JSON_H_
#define DRAGOMAN_CLI_INSPECT_JSON_H_

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/inspect_targets.h"
#include "core/ir/model.h"
#include "driver/formats.h"

namespace dragoman::cli {

// The model with what targets say of it; `format` is that of the model, or nullptr.
nlohmann::ordered_json ModelJson(const Model& model, const Format* format,
                                 const Result<Model>& lowered, const std::vector<Answer>& answers);
// What a common model costs, to be added to that.
nlohmann::ordered_json CostsJson(const Model& common);

nlohmann::ordered_json NodesJson(const Model& model);
// One line a node: what it is, its results, its weights, its products.
void PrintNodes(const Model& model);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_INSPECT_JSON_H_
