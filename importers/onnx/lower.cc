// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/lower.h"

#include <string>
#include <utility>

#include "core/analysis/no_entry.h"
#include "core/ir/domain.h"
#include "importers/onnx/graph_lowering.h"
#include "importers/onnx/restore_states.h"

namespace dragoman {
Result<Model> LowerOnnx(const Model& source, const Facts& facts) {
  Model model;
  model.level = Level::kCommon;
  model.dialect = source.dialect;
  model.metadata = source.metadata;
  model.opsets.push_back({"", kCommonOpset});
  for (const OpsetImport& opset : source.opsets) {
    if (!IsDefaultDomain(opset.domain)) model.opsets.push_back(opset);
  }
  for (const State& state : source.states) model.states.push_back(state);
  for (const Entry& entry : source.entries) {
    if (facts.entry && *facts.entry != entry.name) continue;
    std::vector<std::string> names;
    for (const auto& input : entry.graph->inputs()) {
      if (input->data() == nullptr) names.push_back(input->name());
    }
    DRAGOMAN_TRY(CheckFacts(facts, names));
    const Facts named = WithNames(facts, names);
    OnnxGraphLowering lowering(source, named);
    DRAGOMAN_ASSIGN(std::unique_ptr<Graph> graph, lowering.LowerEntry(*entry.graph));
    model.entries.push_back(
        {entry.name, std::move(graph), entry.arguments, entry.results, entry.states});
  }
  if (model.entries.empty()) return NoEntry(source, facts.entry.value_or("main"));
  DRAGOMAN_TRY(RestoreStates(model));
  return model;
}

}  // namespace dragoman
