// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/write_relay.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "codegen/relay/composed.h"
#include "codegen/relay/relay_op.h"
#include "codegen/relay/relay_text.h"
#include "codegen/relay/translator.h"
#include "codegen/relay/write_source.h"
#include "codegen/tvm/prepare.h"
#include "codegen/tvm/widen_constants.h"
#include "core/ops/expansion.h"
#include "core/ops/op_def.h"
#include "core/rewrite/drop_effects.h"
#include "core/rewrite/forms/lower_sequences.h"
#include "core/rewrite/forms/resolve_axes.h"
#include "core/rewrite/forms/stack_sequences.h"
#include "core/rewrite/lower_factors.h"
#include "core/rewrite/lower_to_loops.h"
#include "core/rewrite/unroll.h"
#include "core/support/findings.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

// By name: other parts of the writer have them.
bool HasOp(std::string_view label) {
  constexpr std::string_view kElsewhere[] = {"GRU", "If",   "LSTM",           "Loop",
                                             "RNN", "Scan", "dragoman.Fused", "dragoman.LSTM"};
  return std::ranges::count(kElsewhere, label) > 0 || relay::emit::FindRow(label) != nullptr;
}

bool Has(const Node& node) {
  const std::string label = FindOp(node)->Label();
  const relay::emit::Row* row = relay::emit::FindRow(label);
  return HasOp(label) && (row == nullptr || tvm::Takes(*row, node));
}

// Whether what is done to an entry before it is written makes other operators of it.
bool ChangesBefore(const Node& node) {
  const OpDef* def = FindOp(node);
  return def == nullptr || relay::emit::FindRow(def->Label()) == nullptr || !Has(node) ||
         HasComputedAxes(node);
}

Result<std::unique_ptr<Graph>> TranslateEntry(Graph& entry, PreparedOperators& prepared,
                                              const RelayNote& note) {
  DRAGOMAN_TRY(tvm::RefuseMaps(entry));
  for (const std::string& node : DropEffects(entry)) {
    if (note) note(node + " is omitted: Relay has no such effect");
  }
  DRAGOMAN_TRY(ResolveAxes(entry));
  ExpandOperators(entry, Has);
  DRAGOMAN_TRY(LowerFactors(entry, HasOp));
  DRAGOMAN_TRY(LowerSequences(entry));
  DRAGOMAN_TRY(StackSequences(entry));
  std::vector<Finding> findings = tvm::FindingsOf(LowerToLoops(entry));
  ExpandOperators(entry, Has);
  const std::vector<ComposedNode> changed = prepared.Take();
  Inference inference;
  DRAGOMAN_TRY(inference.InferGraph(entry));
  auto target = std::make_unique<Graph>();
  Status status = relay::emit::Translator(entry, inference, *target).Run(changed);
  if (status.ok() && findings.empty()) return target;
  return tvm::Joined(std::move(findings), std::move(status));
}

// Remarks without a digest are left out.
Status StateDigests(Model& relay, const RelayDigests& digests) {
  Attribute::Strings stated;
  const Attribute::Strings remarks = relay::emit::RemarksOf(relay::emit::PartsOf(relay.main()));
  if (digests && !remarks.empty()) {
    DRAGOMAN_ASSIGN(const std::string text, PrintRelaySource(relay));
    DRAGOMAN_ASSIGN(const std::vector<std::string> computed, digests(text));
    for (std::size_t i = 0; i < remarks.size() && i < computed.size(); ++i) {
      if (!computed[i].empty()) stated.push_back(remarks[i] + computed[i]);
    }
  }
  for (Entry& entry : relay.entries) relay::emit::SetRemarks(*entry.graph, {});
  relay::emit::SetRemarks(relay.main(), std::move(stated));
  return {};
}

}  // namespace

OpSupport RelaySupport(const OpDef& def) {
  if (HasOp(def.Label())) return {OpSupport::Kind::kNative};
  return tvm::SupportWithoutEmitter(def);
}

Result<Model> EmitRelay(const Model& common, const RelayNote& note, const RelayDigests& digests) {
  Model model = Clone(common);
  std::deque<PreparedOperators> prepared;
  for (Entry& entry : model.entries) tvm::WidenConstants(*entry.graph);
  for (Entry& entry : model.entries) prepared.emplace_back(*entry.graph, ChangesBefore);
  // Recurrences of known length as cells, as importers of TVM wrote them; the rest as loops.
  std::ignore = UnrollSequences(model, {});
  Model relay;
  relay.dialect = "relay";
  relay.extra.emplace_back("relay.version", "0.0.5");
  NameScope names;
  for (Entry& entry : model.entries) {
    const bool is_main = &entry == &model.entries.front();
    Result<std::unique_ptr<Graph>> graph = TranslateEntry(*entry.graph, prepared.front(), note);
    prepared.pop_front();
    if (!graph.ok()) {
      if (is_main) return std::move(graph).error();
      if (note) note("entry '" + entry.name + "' is left out: " + Summary(graph.error()));
      continue;
    }
    const std::string name = names.Unique(is_main ? "main" : relay::emit::LocalName(entry.name));
    (*graph)->set_name(name);
    relay.entries.push_back({name, std::move(*graph), {}, {}, {}});
  }
  DRAGOMAN_TRY(StateDigests(relay, digests));
  return relay;
}

}  // namespace dragoman
