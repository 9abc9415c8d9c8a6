// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/lower.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/no_entry.h"
#include "core/ir/dim.h"
#include "core/ir/domain.h"
#include "core/ir/find_as.h"
#include "core/ir/type_algebra.h"
#include "core/ops/op_def.h"
#include "importers/onnx/graph_lowering.h"
#include "importers/onnx/restore_groups.h"
#include "importers/onnx/restore_states.h"
#include "proto/onnx/opset.h"

namespace dragoman {
namespace {

// Writers name sizes that they compute by expressions over the symbols of inputs, "2*n": as such
// they are read.
void ReadExpressions(const Graph& entry, Facts& facts) {
  std::set<std::string> symbols;
  for (const auto& input : entry.inputs()) AddSymbols(input->type(), symbols);
  for (const std::string& text : symbols) {
    const Result<Dim> size = ParseDim(text);
    if (!size.ok() || facts.dims.contains(text)) continue;
    const std::vector<std::string> parts = size->Symbols();
    const bool read = !parts.empty() && std::ranges::all_of(parts, [&](const std::string& part) {
      return part != text && symbols.contains(part);
    });
    if (read) facts.dims.emplace(text, size->Substitute(facts.dims));
  }
}

void WarnOfNewerOpset(const Model& source, const std::function<void(std::string_view)>& note) {
  const std::int64_t opset = source.OpsetVersion("").value_or(0);
  if (opset <= kNewestOnnxOpset || note == nullptr) return;
  const std::string newest = std::to_string(kNewestOnnxOpset);
  note("the model is of operator set " + std::to_string(opset) + "; its operators are read as " +
       "operator set " + newest + " defines them, the newest that is known");
}

// ONNX leaves it to each program which of both is meant; ONNX Runtime takes the operator.
void WarnOfReplacedOperators(const Model& source,
                             const std::function<void(std::string_view)>& note) {
  if (note == nullptr) return;
  for (const Function& function : source.functions) {
    if (IsDefaultDomain(function.op->domain) && FindOp(function.op->type) != nullptr)
      note("function '" + function.op->ToString() + "' is called in place of ONNX's operator");
  }
}

Status CheckOpsets(const std::vector<OpsetImport>& opsets) {
  std::map<std::string_view, std::int64_t> versions;
  for (const OpsetImport& opset : opsets) {
    const std::string_view domain = CanonicalDomain(opset.domain);
    const std::string name = domain.empty() ? "ai.onnx" : std::string(domain);
    const std::string version = std::to_string(opset.version);
    if (domain.empty() && opset.version < 1)
      return InvalidInput("imports operator set " + version + " of " + name +
                          ", which there is not");
    const auto [known, is_new] = versions.emplace(domain, opset.version);
    if (!is_new && known->second != opset.version)
      return InvalidInput("imports operator sets " + std::to_string(known->second) + " and " +
                          version + " of " + name);
  }
  return {};
}

// Files of older IR versions import none, and mean operator set 1.
constexpr std::int64_t kFirstIrWithOpsets = 3;

// A name stands for one operator of one operator set.
Status CheckDefinitions(const Model& source) {
  const auto* version = FindAs<std::int64_t>(source.extra, "onnx.ir_version");
  if (source.opsets.empty() && version != nullptr && *version >= kFirstIrWithOpsets)
    return InvalidInput("imports no operator set, which IR version " + std::to_string(*version) +
                        " demands");
  DRAGOMAN_TRY(CheckOpsets(source.opsets));
  std::set<const OpName*> defined;
  for (const Function& function : source.functions) {
    const std::string place = "function '" + function.op->ToString() + "'";
    if (!defined.insert(function.op).second)
      return InvalidInput("two functions have this name").At(place);
    Status opsets = CheckOpsets(function.opsets);
    if (!opsets.ok()) return std::move(opsets).error().At(place);
  }
  return {};
}

Result<Model> Lower(const Model& source, const Facts& facts,
                    const std::function<void(std::string_view)>& note) {
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
    Facts named = WithNames(facts, names);
    ReadExpressions(*entry.graph, named);
    OnnxGraphLowering lowering(source, named);
    DRAGOMAN_ASSIGN(std::unique_ptr<Graph> graph, lowering.LowerEntry(*entry.graph));
    if (note) lowering.declared().NoteContradictions(facts, note);
    model.entries.push_back(
        {entry.name, std::move(graph), entry.arguments, entry.results, entry.states});
  }
  if (model.entries.empty()) return NoEntry(source, facts.entry.value_or("main"));
  DRAGOMAN_TRY(RestoreStates(model));
  return model;
}

}  // namespace

Result<Model> LowerOnnx(const Model& source, const Facts& facts,
                        const std::function<void(std::string_view)>& note) {
  DRAGOMAN_TRY(CheckDefinitions(source));
  WarnOfNewerOpset(source, note);
  WarnOfReplacedOperators(source, note);
  if (!RecordsGroups(source)) return Lower(source, facts, note);
  Model grouped = Clone(source);
  RestoreGroups(grouped);
  return Lower(grouped, facts, note);
}

}  // namespace dragoman
